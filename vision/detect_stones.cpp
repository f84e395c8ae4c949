#include "vision/detect_stones.hpp"

#include <algorithm>
#include <cmath>
#include <opencv2/imgproc.hpp>

#include "vision/palette.hpp"

// A stone is a round patch of a palette colour, of the stone's own size, on another colour. Whether
// it lies on a polygon or on the table shows in the ring round it; its height follows from that.

namespace overboard::vision {
namespace {

struct RoundPatch {
    cv::Point2d centre_px;
    double area_px = 0;
    double roundness = 0;  ///< Area by the area of the circle round it.
};

std::vector<RoundPatch> round_patches(const cv::Mat& mask, double least_px, double most_px) {
    std::vector<std::vector<cv::Point>> contours;
    cv::findContours(mask, contours, cv::RETR_EXTERNAL, cv::CHAIN_APPROX_NONE);
    std::vector<RoundPatch> out;
    for (const auto& contour : contours) {
        const cv::Moments m = cv::moments(contour);
        if (m.m00 < least_px || m.m00 > most_px) continue;
        cv::Point2f centre;
        float radius = 0;
        cv::minEnclosingCircle(contour, centre, radius);
        out.push_back({{m.m10 / m.m00, m.m01 / m.m00}, m.m00, m.m00 / (M_PI * (radius + 0.5) * (radius + 0.5))});
    }
    return out;
}

/// Is most of the ring round it of a piece's colour?
bool on_a_piece(const View& view, const cv::Mat& classes, Point at, double radius_mm) {
    int pieces = 0;
    constexpr int kSamples = 16;
    for (int i = 0; i < kSamples; ++i) {
        const Point p = at + rotated({1.45 * radius_mm, 0}, 2 * M_PI * i / kSamples);
        const cv::Point2d px = view.map->project(p);
        const cv::Point c(cvRound(px.x), cvRound(px.y));
        pieces += cv::Rect({0, 0}, classes.size()).contains(c) && classes.at<uchar>(c) != Palette::kNone;
    }
    return pieces * 2 > kSamples;
}

}  // namespace

std::vector<Piece> detect_stones(const View& view, const Catalogue& catalogue) {
    if (view.bgr.empty() || !view.map || catalogue.stones.empty() || catalogue.palette.empty()) return {};
    const Palette palette{view, catalogue};
    cv::Mat classes = palette.classify(view.bgr, {0, 0, view.bgr.cols, view.bgr.rows});
    if (!view.mask.empty()) classes.setTo(Palette::kNone, view.mask == 0);
    const RoundKind& kind = catalogue.stones.front();
    const double below = catalogue.polygons.empty() ? 0 : catalogue.polygons.front().height_mm;
    const double radius = kind.diameter_mm / 2;
    std::vector<Piece> pieces;
    for (int colour = 0; colour < palette.size(); ++colour) {
        if (std::find(kind.colours.begin(), kind.colours.end(), palette.name(colour)) == kind.colours.end()) continue;
        cv::Mat mask = classes == colour;
        cv::morphologyEx(mask, mask, cv::MORPH_OPEN, cv::getStructuringElement(cv::MORPH_ELLIPSE, {3, 3}));
        const double scale = view.map->px_per_mm({catalogue.table.width_mm / 2, catalogue.table.height_mm / 2}, below);
        const double full = M_PI * radius * radius * scale * scale;
        for (const RoundPatch& patch : round_patches(mask, 0.5 * full, 1.6 * full)) {
            const Point ground = view.map->to_table(patch.centre_px);
            const double own = M_PI * std::pow(radius * view.map->px_per_mm(ground, below), 2);
            if (patch.area_px < 0.6 * own || patch.area_px > 1.45 * own || patch.roundness < 0.72) continue;
            if (ground.x < 0 || ground.y < 0 || ground.x > catalogue.table.width_mm || ground.y > catalogue.table.height_mm) continue;
            const double base = on_a_piece(view, classes, ground, radius) ? below : 0;
            // The patch is the top and a little of the wall.
            const Point at = view.map->to_table(patch.centre_px, base + 0.75 * kind.height_mm);
            Piece piece;
            piece.kind = PieceKind::stone;
            piece.colour = palette.name(colour);
            piece.x = at.x;
            piece.y = at.y;
            piece.px = Point{patch.centre_px.x, patch.centre_px.y};
            piece.size_px = 2 * std::sqrt(patch.area_px / M_PI);
            piece.confidence = std::clamp(patch.roundness + 0.05, 0.0, 1.0);
            pieces.push_back(std::move(piece));
        }
    }
    return pieces;
}

}  // namespace overboard::vision
