#include "vision/shapes/mosaic.hpp"

#include <algorithm>
#include <cmath>
#include <opencv2/imgproc.hpp>

#include "vision/outlines.hpp"
#include "vision/shapes/mosaic_cover.hpp"
#include "vision/shapes/patch_edges.hpp"

// Each patch of one colour is drawn in table millimetres (mosaic_patch), the places where a piece
// may lie in it are listed (mosaic_places), and those taken that cover it side by side
// (mosaic_cover). Every pose is then settled on the colour steps of the picture, at the height of
// the piece's upper edge, or of its foot where the camera sees the side wall.

namespace overboard::vision {
namespace {

double area_mm2(const Polygon& outline) {
    double area = 0;
    for (std::size_t i = 0; i < outline.size(); ++i)
        area += cross(outline[i], outline[(i + 1) % outline.size()]);
    return std::abs(area) / 2;
}

/// Does a patch go on under what must not be looked at? Then its outline says nothing.
bool cut_by_mask(const View& view, const std::vector<cv::Point>& contour) {
    if (view.mask.empty()) return false;
    const cv::Rect all({0, 0}, view.mask.size());
    for (const cv::Point& p : contour)
        for (const cv::Point d :
             {cv::Point{2, 0}, cv::Point{-2, 0}, cv::Point{0, 2}, cv::Point{0, -2}})
            if (all.contains(p + d) && view.mask.at<uchar>(p + d) == 0) return true;
    return false;
}

bool on_table(const View& view, const Table& table, const std::vector<cv::Point>& contour) {
    const cv::Rect box = cv::boundingRect(contour);
    if (box.x <= 1 || box.y <= 1 || box.br().x >= view.bgr.cols - 1 ||
        box.br().y >= view.bgr.rows - 1)
        return false;
    const Point p = view.map->to_table(
        cv::Point2d(box.x + box.width / 2.0, box.y + box.height / 2.0));
    return p.x > 0 && p.y > 0 && p.x < table.width_mm && p.y < table.height_mm;
}

/// A stone that lies on a patch leaves a hole of its size; other holes are none of the patch.
bool is_stone(const std::vector<cv::Point>& hole, const View& view, const Catalogue& catalogue) {
    if (catalogue.stones.empty()) return false;
    const cv::Point2f centre = centroid_of({hole.begin(), hole.end()});
    const double radius = 0.5 * catalogue.stones.front().diameter_mm *
                          view.map->px_per_mm(view.map->to_table(cv::Point2d(centre)));
    cv::Point2f middle;
    float reach = 0;
    cv::minEnclosingCircle(hole, middle, reach);
    return reach < 1.7 * radius && cv::contourArea(hole) > 0.55 * M_PI * reach * reach;
}

using Rings = std::vector<std::vector<cv::Point>>;  ///< An outline and its holes, pixels.

/// The patches of one colour that pieces could make up.
std::vector<Rings> patches_of(const View& view, const Catalogue& catalogue, cv::Mat mask) {
    constexpr double kLeastHole_px = 12;
    cv::morphologyEx(mask, mask, cv::MORPH_OPEN,
                     cv::getStructuringElement(cv::MORPH_ELLIPSE, {3, 3}));
    std::vector<std::vector<cv::Point>> contours;
    std::vector<cv::Vec4i> family;
    cv::findContours(mask, contours, family, cv::RETR_CCOMP, cv::CHAIN_APPROX_NONE);
    std::vector<Rings> out;
    for (std::size_t i = 0; i < contours.size(); ++i) {
        if (family[i][3] >= 0 || contours[i].size() < 20) continue;
        if (!on_table(view, catalogue.table, contours[i]) || cut_by_mask(view, contours[i]))
            continue;
        Rings rings = {contours[i]};
        for (int hole = family[i][2]; hole >= 0; hole = family[hole][0])
            if (cv::contourArea(contours[hole]) > kLeastHole_px &&
                !is_stone(contours[hole], view, catalogue))
                rings.push_back(contours[hole]);
        out.push_back(std::move(rings));
    }
    return out;
}

/// A place on a piece's side and the picture across it.
struct Across {
    Point at;  ///< Table mm.
    cv::Point2d px;
    cv::Matx22d jacobian;
    cv::Point2d outward;  ///< In the picture, of length 1.
    Profile profile;
};

std::vector<Across> across_side(const View& view, Point a, Point b, double height_mm) {
    constexpr float kReach_px = 5;
    const Point along = (b - a) * (1 / distance(a, b)), outward{along.y, -along.x};
    const int n = std::clamp(static_cast<int>(distance(a, b) / 2.5), 6, 24);
    std::vector<Across> out;
    for (int k = 0; k < n; ++k) {
        Across here;
        here.at = a + (b - a) * (0.08 + 0.84 * (k + 0.5) / n);
        here.px = view.map->project(here.at, height_mm);
        here.jacobian = view.map->jacobian(here.at, height_mm);
        const cv::Vec2d d = here.jacobian * cv::Vec2d(outward.x, outward.y);
        here.outward = cv::Point2d(d[0], d[1]) * (1 / std::max(cv::norm(d), 1e-9));
        here.profile = profile_across(view.bgr, here.px, here.outward, kReach_px);
        out.push_back(std::move(here));
    }
    return out;
}

/// A seam is fainter than a camera's noise in poor light, but straight: the mean of neighbouring
/// profiles shows it.
Profile mean_profile(const std::vector<Across>& side, std::size_t k) {
    constexpr std::size_t kNeighbours = 2;
    const std::size_t from = k - std::min(k, kNeighbours),
                      to = std::min(side.size(), k + kNeighbours + 1);
    Profile mean(side[k].profile.size(), {0, 0, 0});
    for (std::size_t j = from; j < to; ++j)
        for (std::size_t i = 0; i < mean.size(); ++i)
            mean[i] += side[j].profile[i] / static_cast<float>(to - from);
    return mean;
}

/// How far outward, in pixels, the picture has the edge there; nothing where it shows none.
std::optional<double> edge_at(const View& view, const std::vector<Across>& side, std::size_t k,
                              float reach_px, bool wall, double base_mm) {
    constexpr double kLeastStep = 16;  // colour distance of 441
    const Across& here = side[k];
    std::optional<float> line;
    if (seam_in(mean_profile(side, k), line)) return line;
    cv::Point2f edge;
    double contrast = 0;
    if (!step_across(view.bgr, here.px, here.outward, reach_px, edge, contrast) ||
        contrast < kLeastStep)
        return {};
    const double off = (cv::Point2d(edge) - here.px).dot(here.outward);
    if (!wall) return off;
    const double foot = (cv::Point2d(edge) - view.map->project(here.at, base_mm)).dot(here.outward);
    return std::abs(foot) < std::abs(off) ? foot : off;
}

/// The pieces that make up a patch, colour left open; nothing where they explain too little of it.
std::vector<LaidPolygon> explained(const View& view, const Catalogue& catalogue, const Rings& rings,
                                   const std::vector<int>& taken, const MosaicLimits& limits) {
    double smallest = 1e9, together = 0;
    for (const PolygonKind& kind : catalogue.polygons)
        smallest = std::min(smallest, area_mm2(kind.outline_mm)),
        together += area_mm2(kind.outline_mm);
    const double scale = view.map->px_per_mm(view.map->to_table(rings.front().front()));
    const double mm2 = cv::contourArea(rings.front()) / (scale * scale);
    if (mm2 < 0.6 * smallest || mm2 > 1.3 * together) return {};
    const Patch patch(view, rings, catalogue.polygons.front().height_mm);
    if (patch.area_mm2() < 0.65 * smallest || patch.area_mm2() > 1.1 * together) return {};
    const Cover cover = best_cover(patch, catalogue, places_in(patch, catalogue, limits.places),
                                   taken, limits.cover);
    std::vector<LaidPolygon> out;
    if (cover.left_over > limits.hopeless) return out;
    for (const Placement& p : cover.pieces) {
        LaidPolygon piece{p.kind, 0, p.pose, 0};
        piece.fit = settle_pose(view, catalogue.polygons[p.kind], 0, piece.pose);
        if (cover.left_over > limits.left_over) piece.fit *= 0.6;
        out.push_back(piece);
    }
    return out;
}

}  // namespace

std::vector<LaidPolygon> find_laid_polygons(const View& view, const Catalogue& catalogue,
                                            const cv::Mat& classes, const MosaicLimits& limits,
                                            const std::vector<LaidPolygon>& lying) {
    std::vector<LaidPolygon> out;
    for (int colour = 0; colour < static_cast<int>(catalogue.palette.size()); ++colour) {
        std::vector<int> taken(catalogue.polygons.size(), 0);
        for (const LaidPolygon& laid : lying) taken[laid.kind] += laid.colour == colour;
        // In play what lies already was taken out of the classes: nothing may grow into that.
        const cv::Mat mask = view.before ? cv::Mat(classes == colour)
                                         : filled_out(view, classes, colour);
        for (const auto& rings : patches_of(view, catalogue, mask))
            for (const LaidPolygon& laid : explained(view, catalogue, rings, taken, limits)) {
                out.push_back(laid);
                out.back().colour = colour;
            }
    }
    return out;
}

double settle_pose(const View& view, const PolygonKind& kind, double base_mm, Pose& pose) {
    const auto eye = view.map->eye();
    double share = 0;
    Pose now = pose;
    for (int round = 0; round < 5; ++round) {
        cv::Matx33d normal = cv::Matx33d::eye() * 1e-6;
        cv::Vec3d right(0, 0, 0);
        int asked = 0, found = 0;
        const auto& o = kind.outline_mm;
        for (std::size_t i = 0; i < o.size(); ++i) {
            const Point a = place(now, o[i]), b = place(now, o[(i + 1) % o.size()]);
            const Point along = (b - a) * (1 / distance(a, b)), outward{along.y, -along.x};
            const bool wall = eye && dot(outward, Point{(*eye)[0], (*eye)[1]} - a) > 0;
            const std::vector<Across> side = across_side(view, a, b, base_mm + kind.height_mm);
            asked += static_cast<int>(side.size());
            for (std::size_t k = 0; k < side.size(); ++k) {
                const auto off = edge_at(view, side, k, round < 2 ? 4.5f : 3.f, wall, base_mm);
                if (!off) continue;
                ++found;
                const double weight = 1 / std::max(1.0, std::abs(*off));
                const Point p = side[k].at, arm{-(p.y - now.y), p.x - now.x};
                const cv::Vec2d by = side[k].jacobian.t() *
                                     cv::Vec2d(side[k].outward.x, side[k].outward.y);
                const cv::Vec3d row(by[0], by[1], by[0] * arm.x + by[1] * arm.y);
                normal += weight * row * row.t();
                right += weight * *off * row;
            }
        }
        share = asked ? static_cast<double>(found) / asked : 0;
        if (share < 0.35) return share;
        const cv::Vec3d step = normal.solve(right, cv::DECOMP_CHOLESKY);
        now = {now.x + step[0], now.y + step[1], now.angle + step[2]};
        if (std::hypot(step[0], step[1]) < 0.01 && std::abs(step[2]) < 1e-4) break;
    }
    if (std::hypot(now.x - pose.x, now.y - pose.y) < 5 && std::abs(now.angle - pose.angle) < 0.2)
        pose = now;
    pose.angle = wrapped(pose.angle);
    return share;
}

}  // namespace overboard::vision
