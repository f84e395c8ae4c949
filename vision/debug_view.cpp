#include "vision/debug_view.hpp"

#include <fmt/format.h>

#include <opencv2/imgproc.hpp>

namespace overboard::vision {
namespace {

cv::Scalar colour_of(PieceKind kind) {
    switch (kind) {
        case PieceKind::disc: return {60, 220, 60};
        case PieceKind::die: return {0, 200, 255};
        case PieceKind::card: return {255, 160, 0};
        case PieceKind::tile: return {255, 80, 160};
        case PieceKind::polygon: return {0, 120, 255};
        case PieceKind::stone: return {220, 220, 0};
        case PieceKind::pawn: return {200, 60, 255};
    }
    return {255, 255, 255};
}

std::string name_of(const Piece& p) {
    std::string name;
    switch (p.kind) {
        case PieceKind::die: name = p.value ? std::to_string(*p.value) : "?"; break;
        case PieceKind::card:
        case PieceKind::tile: name = p.face.value_or("?"); break;
        case PieceKind::polygon: name = p.colour + " " + p.type; break;
        case PieceKind::stone:
        case PieceKind::pawn: name = p.colour; break;
        case PieceKind::disc: name = p.type; break;
    }
    if (p.id) name = fmt::format("{}:{}", p.id, name);
    return fmt::format("{} {:.2f}", name, p.confidence);
}

cv::Point2d pixel_of(const View& view, const Piece& p) {
    if (p.px) return {p.px->x, p.px->y};
    return view.map ? view.map->project({p.x, p.y}) : cv::Point2d{p.x, p.y};
}

std::vector<cv::Point> pixels_of(const Polygon& ring) {
    std::vector<cv::Point> px;
    for (const Point& p : ring) px.emplace_back(cvRound(p.x), cvRound(p.y));
    return px;
}

void draw_ring(cv::Mat& picture, const View& view, const std::vector<Point>& ring,
               const cv::Scalar& colour, int thick) {
    std::vector<cv::Point> px;
    for (const Point& p : ring) {
        const cv::Point2d q = view.map ? view.map->project(p) : cv::Point2d{p.x, p.y};
        px.emplace_back(cvRound(q.x), cvRound(q.y));
    }
    if (px.size() > 1) cv::polylines(picture, px, true, colour, thick, cv::LINE_AA);
}

void draw_board(cv::Mat& picture, const View& view, const BoardKind& board, const Pose& pose,
                int thick) {
    if (!view.map) return;
    const double w = board.width_mm / 2, h = board.height_mm / 2;
    std::vector<Point> corners;
    for (Point p : {Point{-w, -h}, Point{w, -h}, Point{w, h}, Point{-w, h}})
        corners.push_back(place(pose, p));
    draw_ring(picture, view, corners, {255, 255, 0}, thick);
}

}  // namespace

cv::Mat draw(const View& view, const Catalogue& catalogue, const Observation& seen) {
    cv::Mat picture = view.bgr.clone();
    const int thick = std::max(1, picture.cols / 900);
    if (seen.board && catalogue.board)
        draw_board(picture, view, *catalogue.board, *seen.board, thick);
    for (const Polygon& hand : seen.hands) draw_ring(picture, view, hand, {0, 0, 255}, 2 * thick);
    for (const Piece& p : seen.pieces) {
        const cv::Point2d c = pixel_of(view, p);
        const double r = p.size_px.value_or(20) / 2;
        const cv::Scalar colour = colour_of(p.kind);
        if (p.corners_px.empty())
            cv::circle(picture, c, std::max(2, cvRound(r)), colour, thick, cv::LINE_AA);
        else
            cv::polylines(picture, pixels_of(p.corners_px), true, colour, thick, cv::LINE_AA);
        cv::circle(picture, c, thick, colour, -1, cv::LINE_AA);
        if (p.angle != 0)
            cv::line(picture, c, c + r * cv::Point2d(std::cos(p.angle), std::sin(p.angle)), colour,
                     thick, cv::LINE_AA);
        const cv::Point2d at = c + cv::Point2d(r * 0.7, -r * 0.7);
        cv::putText(picture, name_of(p), at, cv::FONT_HERSHEY_SIMPLEX, 0.45 * thick, {0, 0, 0},
                    3 * thick, cv::LINE_AA);
        cv::putText(picture, name_of(p), at, cv::FONT_HERSHEY_SIMPLEX, 0.45 * thick, colour, thick,
                    cv::LINE_AA);
    }
    return picture;
}

}  // namespace overboard::vision
