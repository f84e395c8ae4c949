#include "vision/mosaic.hpp"

#include <algorithm>
#include <cmath>
#include <opencv2/imgproc.hpp>

#include "vision/mosaic_cover.hpp"
#include "vision/outlines.hpp"

// Each patch of one colour is drawn in table millimetres (mosaic_patch), the places where a piece may lie in it are
// listed (mosaic_places), and those taken that cover it side by side (mosaic_cover). Every pose is then settled on the
// colour steps of the picture, at the height of the piece's upper edge, or of its foot where the camera sees the side
// wall.

namespace overboard::vision {
namespace {

double area_of(const Polygon& outline) {
    double area = 0;
    for (std::size_t i = 0; i < outline.size(); ++i) area += cross(outline[i], outline[(i + 1) % outline.size()]);
    return std::abs(area) / 2;
}

/// Does a patch go on under what must not be looked at? Then its outline says nothing.
bool cut_by_mask(const View& view, const std::vector<cv::Point>& contour) {
    if (view.mask.empty()) return false;
    const cv::Rect all({0, 0}, view.mask.size());
    for (const cv::Point& p : contour)
        for (const cv::Point d : {cv::Point{2, 0}, cv::Point{-2, 0}, cv::Point{0, 2}, cv::Point{0, -2}})
            if (all.contains(p + d) && view.mask.at<uchar>(p + d) == 0) return true;
    return false;
}

bool on_table(const View& view, const Table& table, const std::vector<cv::Point>& contour) {
    const cv::Rect box = cv::boundingRect(contour);
    if (box.x <= 1 || box.y <= 1 || box.br().x >= view.bgr.cols - 1 || box.br().y >= view.bgr.rows - 1) return false;
    const Point p = view.map->to_table(cv::Point2d(box.x + box.width / 2.0, box.y + box.height / 2.0));
    return p.x > 0 && p.y > 0 && p.x < table.width_mm && p.y < table.height_mm;
}

/// A stone that lies on a patch leaves a hole of its size; other holes are none of the patch.
bool is_stone(const std::vector<cv::Point>& hole, const View& view, const Catalogue& catalogue) {
    if (catalogue.stones.empty()) return false;
    const cv::Point2f centre = centroid_of({hole.begin(), hole.end()});
    const double radius = 0.5 * catalogue.stones.front().diameter_mm * view.map->px_per_mm(view.map->to_table(cv::Point2d(centre)));
    cv::Point2f middle;
    float reach = 0;
    cv::minEnclosingCircle(hole, middle, reach);
    return reach < 1.7 * radius && cv::contourArea(hole) > 0.55 * M_PI * reach * reach;
}

using Rings = std::vector<std::vector<cv::Point>>;  ///< An outline and its holes, pixels.

/// The patches of one colour that pieces could make up.
std::vector<Rings> patches_of(const View& view, const Catalogue& catalogue, cv::Mat mask) {
    constexpr double kLeastHole_px = 12;
    cv::morphologyEx(mask, mask, cv::MORPH_OPEN, cv::getStructuringElement(cv::MORPH_ELLIPSE, {3, 3}));
    std::vector<std::vector<cv::Point>> contours;
    std::vector<cv::Vec4i> family;
    cv::findContours(mask, contours, family, cv::RETR_CCOMP, cv::CHAIN_APPROX_NONE);
    std::vector<Rings> out;
    for (std::size_t i = 0; i < contours.size(); ++i) {
        if (family[i][3] >= 0 || contours[i].size() < 20) continue;
        if (!on_table(view, catalogue.table, contours[i]) || cut_by_mask(view, contours[i])) continue;
        Rings rings = {contours[i]};
        for (int hole = family[i][2]; hole >= 0; hole = family[hole][0])
            if (cv::contourArea(contours[hole]) > kLeastHole_px && !is_stone(contours[hole], view, catalogue)) rings.push_back(contours[hole]);
        out.push_back(std::move(rings));
    }
    return out;
}

/// The pieces that make up a patch, colour left open; nothing where they explain too little of it.
std::vector<LaidPolygon> explained(const View& view, const Catalogue& catalogue, const Rings& rings, const std::vector<int>& taken, const MosaicLimits& limits) {
    double smallest = 1e9, together = 0;
    for (const PolygonKind& kind : catalogue.polygons) smallest = std::min(smallest, area_of(kind.outline_mm)), together += area_of(kind.outline_mm);
    const double scale = view.map->px_per_mm(view.map->to_table(rings.front().front()));
    const double mm2 = cv::contourArea(rings.front()) / (scale * scale);
    if (mm2 < 0.6 * smallest || mm2 > 1.3 * together) return {};
    const Patch patch(view, rings, catalogue.polygons.front().height_mm);
    if (patch.area_mm2() < 0.65 * smallest || patch.area_mm2() > 1.1 * together) return {};
    const Cover cover = best_cover(patch, catalogue, places_in(patch, catalogue, limits.places), taken, limits.cover);
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

std::vector<LaidPolygon> find_laid_polygons(const View& view, const Catalogue& catalogue, const cv::Mat& classes,
                                            const MosaicLimits& limits, const std::vector<LaidPolygon>& lying) {
    std::vector<LaidPolygon> out;
    for (int colour = 0; colour < static_cast<int>(catalogue.palette.size()); ++colour) {
        std::vector<int> taken(catalogue.polygons.size(), 0);
        for (const LaidPolygon& laid : lying) taken[laid.kind] += laid.colour == colour;
        for (const auto& rings : patches_of(view, catalogue, classes == colour))
            for (const LaidPolygon& laid : explained(view, catalogue, rings, taken, limits)) {
                out.push_back(laid);
                out.back().colour = colour;
            }
    }
    return out;
}

double settle_pose(const View& view, const PolygonKind& kind, double base_mm, Pose& pose) {
    const auto eye = view.map->eye();
    const double top = base_mm + kind.height_mm;
    double share = 0;
    Pose now = pose;
    for (int round = 0; round < 5; ++round) {
        cv::Matx33d normal = cv::Matx33d::zeros();
        cv::Vec3d right(0, 0, 0);
        int asked = 0, found = 0;
        const auto& o = kind.outline_mm;
        for (std::size_t i = 0; i < o.size(); ++i) {
            const Point a = place(now, o[i]), b = place(now, o[(i + 1) % o.size()]);
            const Point along = (b - a) * (1 / distance(a, b)), outward{along.y, -along.x};
            const bool wall = eye && dot(outward, Point{(*eye)[0], (*eye)[1]} - a) > 0;
            const int n = std::clamp(static_cast<int>(distance(a, b) / 2.5), 6, 24);
            for (int k = 0; k < n; ++k) {
                const Point p = a + (b - a) * (0.08 + 0.84 * (k + 0.5) / n);
                const cv::Point2d px = view.map->project(p, top);
                const cv::Matx22d J = view.map->jacobian(p, top);
                cv::Point2d dir(J(0, 0) * outward.x + J(0, 1) * outward.y, J(1, 0) * outward.x + J(1, 1) * outward.y);
                dir *= 1 / std::max(cv::norm(dir), 1e-9);
                cv::Point2f edge;
                double contrast = 0;
                ++asked;
                std::optional<float> line;
                if (seam_across(view.bgr, px, dir, 5, line)) {
                    if (!line) continue;
                } else if (!step_across(view.bgr, px, dir, round < 2 ? 4.5f : 3.f, edge, contrast) || contrast < 16) {
                    continue;
                }
                double off = line ? static_cast<double>(*line) : (cv::Point2d(edge) - px).dot(dir);
                if (wall && !line) {
                    const double foot = (cv::Point2d(edge) - view.map->project(p, base_mm)).dot(dir);
                    if (std::abs(foot) < std::abs(off)) off = foot;
                }
                ++found;
                const double weight = 1 / std::max(1.0, std::abs(off));
                const Point arm{-(p.y - now.y), p.x - now.x};
                const cv::Vec3d row(dir.x * J(0, 0) + dir.y * J(1, 0), dir.x * J(0, 1) + dir.y * J(1, 1),
                                    dir.x * (J(0, 0) * arm.x + J(0, 1) * arm.y) + dir.y * (J(1, 0) * arm.x + J(1, 1) * arm.y));
                for (int r = 0; r < 3; ++r) {
                    for (int c = 0; c < 3; ++c) normal(r, c) += weight * row[r] * row[c];
                    right[r] += weight * row[r] * off;
                }
            }
        }
        share = asked ? static_cast<double>(found) / asked : 0;
        if (share < 0.35) return share;
        for (int r = 0; r < 3; ++r) normal(r, r) += 1e-6;
        const cv::Vec3d step = normal.solve(right, cv::DECOMP_CHOLESKY);
        now = {now.x + step[0], now.y + step[1], now.angle + step[2]};
        if (std::hypot(step[0], step[1]) < 0.01 && std::abs(step[2]) < 1e-4) break;
    }
    if (std::hypot(now.x - pose.x, now.y - pose.y) < 5 && std::abs(now.angle - pose.angle) < 0.2) pose = now;
    pose.angle = wrapped(pose.angle);
    return share;
}

}  // namespace overboard::vision
