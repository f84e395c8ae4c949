#include "vision/changes.hpp"

#include <algorithm>
#include <cmath>
#include <opencv2/imgproc.hpp>

// A lamp that wanders, an exposure that drifts: the two pictures are first brought to the same
// light by one factor a channel, the median of a coarse grid. What then differs by much more than
// the grid's own median is a change.

namespace overboard::vision {
namespace {

constexpr int kGrid_px = 6;

double median(std::vector<float>& v) {
    if (v.empty()) return 0;
    const auto middle = v.begin() + static_cast<std::ptrdiff_t>(v.size() / 2);
    std::nth_element(v.begin(), middle, v.end());
    return *middle;
}

/// What `then` is to be multiplied with to be lit as `now`.
cv::Scalar drift(const cv::Mat& now, const cv::Mat& then) {
    std::vector<float> ratios[3];
    for (int y = kGrid_px / 2; y < now.rows; y += kGrid_px)
        for (int x = kGrid_px / 2; x < now.cols; x += kGrid_px)
            for (int c = 0; c < 3; ++c)
                if (const auto old = then.at<cv::Vec3b>(y, x)[c]; old > 24)
                    ratios[c].push_back(static_cast<float>(now.at<cv::Vec3b>(y, x)[c]) /
                                        static_cast<float>(old));
    cv::Scalar gain(1, 1, 1);
    for (int c = 0; c < 3; ++c)
        if (ratios[c].size() > 50) gain[c] = std::clamp(median(ratios[c]), 0.8, 1.25);
    return gain;
}

/// The largest difference of the three channels.
cv::Mat difference(const cv::Mat& now, const cv::Mat& then) {
    cv::Mat a, b, c[3];
    cv::blur(now, a, {3, 3});
    cv::blur(then, b, {3, 3});
    cv::multiply(b, drift(a, b), b);
    cv::absdiff(a, b, a);
    cv::split(a, c);
    cv::max(c[0], c[1], c[0]);
    cv::max(c[0], c[2], c[0]);
    return c[0];
}

double usual(const cv::Mat& difference) {
    std::vector<float> grid;
    for (int y = kGrid_px / 2; y < difference.rows; y += kGrid_px)
        for (int x = kGrid_px / 2; x < difference.cols; x += kGrid_px)
            grid.push_back(difference.at<uchar>(y, x));
    return median(grid);
}

void add_ring(const View& view, Point centre, double radius_mm, double height_mm,
              std::vector<cv::Point>& out) {
    constexpr int kSteps = 20;
    for (int i = 0; i < kSteps; ++i) {
        const cv::Point2d p = view.map->project(
            centre + rotated({radius_mm, 0}, 2 * M_PI * i / kSteps), height_mm);
        out.emplace_back(cvRound(p.x), cvRound(p.y));
    }
}

const FaceKind* face_kind(const std::vector<FaceKind>& kinds, const Piece& piece) {
    for (const FaceKind& kind : kinds)
        if (piece.face &&
            std::find(kind.faces.begin(), kind.faces.end(), *piece.face) != kind.faces.end())
            return &kind;
    return kinds.empty() ? nullptr : &kinds.front();
}

std::vector<cv::Point> hull_of(const std::vector<cv::Point>& points) {
    std::vector<cv::Point> hull;
    if (points.size() >= 3) cv::convexHull(points, hull);
    return hull;
}

/// Share of the outline's area that has changed; 1 where it leaves the picture.
double changed_share(const cv::Mat& changed, const std::vector<cv::Point>& outline) {
    const cv::Rect box = cv::boundingRect(outline);
    if (outline.size() < 3 || (box & cv::Rect({0, 0}, changed.size())) != box) return 1;
    cv::Mat inside = cv::Mat::zeros(box.size(), CV_8U), both;
    std::vector<cv::Point> moved;
    for (const cv::Point& p : outline) moved.push_back(p - box.tl());
    cv::fillConvexPoly(inside, moved, 255);
    cv::bitwise_and(inside, changed(box), both);
    return static_cast<double>(cv::countNonZero(both)) / std::max(1, cv::countNonZero(inside));
}

double allowed(PieceKind kind, const ChangeLimits& limits) {
    return kind == PieceKind::die ? limits.die : limits.round;
}

}  // namespace

Known compared(const cv::Mat& now, const cv::Mat& then, const ChangeLimits& limits) {
    Known known;
    known.unlike = difference(now, then);
    known.changed = known.unlike >
                    std::max(limits.least, limits.noise_factor * usual(known.unlike));
    cv::morphologyEx(known.changed, known.changed, cv::MORPH_OPEN,
                     cv::getStructuringElement(cv::MORPH_CROSS, {3, 3}));
    return known;
}

std::vector<cv::Point> footprint(const View& view, const Catalogue& catalogue, const Piece& piece) {
    std::vector<cv::Point> points;
    const Point at{piece.x, piece.y};
    const Pose pose{piece.x, piece.y, piece.angle};
    switch (piece.kind) {
        case PieceKind::die: {
            const double edge = catalogue.dice.empty() ? 16 : catalogue.dice.front().edge_mm;
            add_ring(view, at, 0.5 * edge, edge, points);
            break;
        }
        case PieceKind::stone: {
            const RoundKind kind = catalogue.stones.empty() ? RoundKind{}
                                                            : catalogue.stones.front();
            const double below = catalogue.polygons.empty() ? 0
                                                            : catalogue.polygons.front().height_mm;
            add_ring(view, at, 0.5 * kind.diameter_mm, below + kind.height_mm, points);
            break;
        }
        case PieceKind::pawn: {
            const RoundKind kind = catalogue.pawns.empty() ? RoundKind{} : catalogue.pawns.front();
            add_ring(view, at, 0.5 * kind.diameter_mm, 0, points);
            add_ring(view, at, 0.3 * kind.diameter_mm, kind.height_mm, points);
            break;
        }
        case PieceKind::card:
        case PieceKind::tile:
            if (const FaceKind* kind = face_kind(
                    piece.kind == PieceKind::card ? catalogue.cards : catalogue.tiles, piece))
                for (const Point c :
                     {Point{-0.5, -0.5}, Point{0.5, -0.5}, Point{0.5, 0.5}, Point{-0.5, 0.5}})
                    points.emplace_back(view.map->project(
                        place(pose, {c.x * kind->width_mm, c.y * kind->height_mm}),
                        kind->thickness_mm));
            break;
        case PieceKind::polygon:
            for (const PolygonKind& kind : catalogue.polygons)
                if (kind.type == piece.type)
                    for (const Point p : kind.outline_mm)
                        points.emplace_back(view.map->project(place(pose, p), kind.height_mm));
            break;
        case PieceKind::disc: break;
    }
    return hull_of(points);
}

std::vector<Piece> untouched(const View& view, const Catalogue& catalogue, PieceKind kind,
                             const ChangeLimits& limits) {
    std::vector<Piece> kept;
    if (!view.before || !view.map) return kept;
    for (const Piece& piece : view.before->pieces)
        if (piece.kind == kind &&
            changed_share(view.before->changed, footprint(view, catalogue, piece)) <
                allowed(kind, limits))
            kept.push_back(piece);
    return kept;
}

View only_changed(const View& view, int margin_px) {
    View part = view;
    if (!view.before) return part;
    const int side = 2 * margin_px + 1;
    cv::dilate(view.before->changed, part.mask,
               cv::getStructuringElement(cv::MORPH_RECT, {side, side}));
    if (!view.mask.empty()) cv::bitwise_and(part.mask, view.mask, part.mask);
    return part;
}

}  // namespace overboard::vision
