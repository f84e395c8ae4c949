// A covered piece is looked for from the one that covers it: parallel to it and moved along one of
// its sides, as floors of a tower are. Every distance is tried and the strip that would show is
// compared with the same strip of all references; the best distance is kept when its reading is
// sure.
#include "vision/flats/known_size.hpp"

#include <algorithm>
#include <cmath>

#include "vision/faces/face_thumb.hpp"

namespace overboard::vision {
namespace {

/// Chosen on rendered tables; higher `least_strip` misses thin floors, lower reads noise.
struct StripLimits {
    double least_strip = 0.14;  ///< Of the side: what must show of a covered piece.
    double most_strip = 0.6;
    double step_mm = 1.0;
    double aside_mm = 3.0;      ///< Floors are laid by hand.
    double size_within = 0.09;  ///< Of a side: what a slanted camera and a soft outline leave.
    double sure = 0.62;         ///< Correlation of a strip that counts.
    /// How differently a strip and its cover may be lit, as a log-ratio.
    float light_within = 0.3F;
    float strip_outline = 0.45F;  ///< Support the visible outline of a strip needs …
    float far_side = 0.2F;        ///< … and its far side, before anything is read.
    float outline = 0.5F;         ///< Support a guessed rectangle needs.
};
constexpr StripLimits kStrip;

Polygon on_table(const KnownSizes& sizes, int kind, const Corners& corners) {
    Polygon out;
    for (const auto& p : corners)
        out.push_back(sizes.map->to_table(p, (*sizes.kinds)[kind].thickness_mm));
    return out;
}

/// Corners 0 to 1 along the shorter side, as strips are read.
Corners short_side_first(Corners c) {
    if (mean_side(c, 0) > mean_side(c, 1)) std::rotate(c.begin(), c.begin() + 1, c.end());
    return c;
}

/// The part of a piece that shows when another of its size, parallel, lies `by` of a side further
/// on. Directions as seen from corner 0: 0 the strip is at the top, 1 right, 2 bottom, 3 left.
cv::Rect2f strip(int direction, float by) {
    switch (direction) {
        case 0: return {0, 0, 1, by};
        case 1: return {1 - by, 0, by, 1};
        case 2: return {0, 1 - by, 1, by};
        default: return {0, 0, by, 1};
    }
}

Corners moved(const Polygon& from, Point by, const KnownSizes& sizes, int kind) {
    Corners out;
    for (int i = 0; i < 4; ++i) {
        const cv::Point2d p = sizes.map->project(from[i] + by, (*sizes.kinds)[kind].thickness_mm);
        out[i] = {static_cast<float>(p.x), static_cast<float>(p.y)};
    }
    return out;
}

/// Edges round the visible strip: its far side and the visible ends of the two beside it.
float strip_support(const cv::Mat& bgr, const Corners& c, int direction, float by) {
    const int before = (direction + 3) % 4, after = (direction + 1) % 4;
    return (side_support(bgr, c, direction) + side_support(bgr, c, before, 1 - by, 1) +
            side_support(bgr, c, after, 0, by)) /
           3;
}

/// Two pieces side by side are lit alike: a strip much darker or of another tint is not a strip.
bool same_light(const cv::Vec3f& a, const cv::Vec3f& b) {
    for (int c = 0; c < 3; ++c)
        if (std::fabs(std::log(a[c] / b[c])) > kStrip.light_within) return false;
    return true;
}

/// The part of a piece that shows, as a quadrilateral.
Corners visible_part(const Corners& c, int direction, float by) {
    const cv::Matx33f h = square_to(c);
    const cv::Rect2f r = strip(direction, by);
    return {through(h, r.tl()), through(h, {r.x + r.width, r.y}), through(h, r.br()),
            through(h, {r.x, r.y + r.height})};
}

struct Strip {
    FaceMatch match;
    float by = 0;  // of the side, that shows
    Corners corners{};
    double score = -1;
};

/// Where a named piece lies right beside it, nothing can stick out from under it.
bool beside_another(const std::vector<FlatFace>& list, const Corners& cover, int direction) {
    const cv::Matx33f h = square_to(cover);
    const float by = static_cast<float>(kStrip.least_strip);
    const cv::Rect2f inside = strip(direction, by),
                     outside = inside + (direction == 0   ? cv::Point2f(0, -by)
                                         : direction == 1 ? cv::Point2f(by, 0)
                                         : direction == 2 ? cv::Point2f(0, by)
                                                          : cv::Point2f(-by, 0));
    const Corners next{through(h, outside.tl()), through(h, {outside.x + outside.width, outside.y}),
                       through(h, outside.br()),
                       through(h, {outside.x, outside.y + outside.height})};
    return std::any_of(list.begin(), list.end(), [&](const FlatFace& o) {
        return o.named() && !o.strip && covered(o.quad.corners, next) > 0.8F;
    });
}

/// The best reading of a strip sticking out from under `cover` in one direction.
Strip best_strip(const cv::Mat& bgr, const Faces& deck, const KnownSizes& sizes, int kind,
                 const Corners& cover, int direction) {
    const Polygon p = on_table(sizes, kind, cover);
    const Point right = (p[1] - p[0]) * (1 / distance(p[0], p[1])),
                down = (p[3] - p[0]) * (1 / distance(p[0], p[3]));
    const Point out = direction == 0   ? down * -1
                      : direction == 1 ? right
                      : direction == 2 ? down
                                       : right * -1;
    const Point aside = direction % 2 == 0 ? right : down;
    const double side = direction % 2 == 0 ? side_mm(p, 1) : side_mm(p, 0);
    Strip best;
    const auto look = [&](double d, double lateral) {
        RecogniseOptions options;
        options.visible = strip(direction, static_cast<float>(d / side));
        const Corners c = moved(p, out * d + aside * lateral, sizes, kind);
        const FaceMatch m = deck.recognise(bgr, c, options);
        if (m.score > best.score) best = {m, static_cast<float>(d / side), c, m.score};
        return m.score;
    };
    double best_d = 0, best_score = -1;
    for (double d = kStrip.least_strip * side; d < kStrip.most_strip * side; d += kStrip.step_mm) {
        if (side_support(bgr, moved(p, out * d, sizes, kind), direction) < kStrip.far_side)
            continue;
        const double s = look(d, 0);
        if (s > best_score) best_score = s, best_d = d;
    }
    if (best_score < 0.35) return best;
    double best_lateral = 0;
    for (double lateral = -kStrip.aside_mm; lateral <= kStrip.aside_mm; lateral += 1)
        for (const double more : {-1.0, 0.0, 1.0}) {
            const double s = look(best_d + more, lateral);
            if (s > best_score) best_score = s, best_lateral = lateral;
        }
    for (const double finer : {-0.5, 0.5})
        look(best_d, best_lateral + finer), look(best_d + finer, best_lateral);
    return best;
}

}  // namespace

double side_mm(const Polygon& p, int i) {
    return 0.5 * (distance(p[i], p[i + 1]) + distance(p[i + 2], p[(i + 3) % 4]));
}

int kind_of_size(const KnownSizes& sizes, const Corners& corners) {
    const auto near = [](double a, double b) { return std::fabs(a / b - 1) < kStrip.size_within; };
    for (std::size_t k = 0; k < sizes.kinds->size(); ++k) {
        const FaceKind& kind = (*sizes.kinds)[k];
        const Polygon p = on_table(sizes, static_cast<int>(k), corners);
        const double a = side_mm(p, 0), b = side_mm(p, 1);
        if ((near(a, kind.width_mm) && near(b, kind.height_mm)) ||
            (near(b, kind.width_mm) && near(a, kind.height_mm)))
            return static_cast<int>(k);
    }
    return -1;
}

bool on_marker(const KnownSizes& sizes, const Corners& corners) {
    if (!sizes.table) return false;
    const Table& table = *sizes.table;
    const Point at = sizes.map->to_table(centre_of(corners));
    if (at.x < 0 || at.y < 0 || at.x > table.width_mm || at.y > table.height_mm) return true;
    return std::any_of(table.markers.begin(), table.markers.end(), [&](const TableMarker& m) {
        return distance(m.centre, at) < table.marker_mm;
    });
}

calibration::TableMap scaled_map(const calibration::TableMap& map, cv::Size size) {
    if (map.has_pose())
        return {map.intrinsics().scaled_to(size), map.rotation(), map.translation()};
    const double k = static_cast<double>(size.width) / map.size().width;
    const std::vector<Point> table = {{0, 0}, {1000, 0}, {1000, 600}, {0, 600}};
    std::vector<cv::Point2d> pixels;
    for (const Point& p : table) {
        const cv::Point2d q = map.project(p);
        pixels.emplace_back((q.x + 0.5) * k - 0.5, (q.y + 0.5) * k - 0.5);
    }
    return calibration::map_from_points(table, pixels, size);
}

calibration::TableMap cropped_map(const calibration::TableMap& map, const cv::Rect& part) {
    if (map.has_pose()) {
        calibration::Intrinsics lens = map.intrinsics();
        lens.K(0, 2) -= part.x;
        lens.K(1, 2) -= part.y;
        lens.size = part.size();
        return {lens, map.rotation(), map.translation()};
    }
    const std::vector<Point> points = {{0, 0}, {1000, 0}, {1000, 600}, {0, 600}};
    std::vector<cv::Point2d> pixels;
    for (const Point& p : points) pixels.push_back(map.project(p) - cv::Point2d(part.tl()));
    return calibration::map_from_points(points, pixels, part.size());
}

Corners corners_at(const KnownSizes& sizes, int kind, Pose pose) {
    return corners_at(*sizes.map, (*sizes.kinds)[kind], pose);
}

Corners corners_at(const calibration::TableMap& map, const FaceKind& k, Pose pose) {
    const double w = k.width_mm / 2, h = k.height_mm / 2;
    Corners out;
    const Point local[4] = {{-w, -h}, {w, -h}, {w, h}, {-w, h}};
    for (int i = 0; i < 4; ++i) {
        const cv::Point2d p = map.project(place(pose, local[i]), k.thickness_mm);
        out[i] = {static_cast<float>(p.x), static_cast<float>(p.y)};
    }
    return out;
}

/// The rectangle of the kind's size that fits the four corners best.
Pose pose_at(const KnownSizes& sizes, int kind, const Corners& corners) {
    const FaceKind& k = (*sizes.kinds)[kind];
    const Polygon p = on_table(sizes, kind, corners);
    const Point middle = (p[0] + p[1] + p[2] + p[3]) * 0.25;
    const double w = k.width_mm / 2, h = k.height_mm / 2;
    const Point local[4] = {{-w, -h}, {w, -h}, {w, h}, {-w, h}};
    double along = 0, across = 0;
    for (int i = 0; i < 4; ++i)
        along += dot(local[i], p[i] - middle), across += cross(local[i], p[i] - middle);
    return {middle.x, middle.y, std::atan2(across, along)};
}

std::vector<FlatPlacement> placements_at(const std::vector<OutlineCorner>& corners,
                                         const KnownSizes& sizes) {
    constexpr std::size_t kMost = 1500;
    std::vector<FlatPlacement> out;
    for (const OutlineCorner& c : corners)
        for (int k = 0; k < static_cast<int>(sizes.kinds->size()); ++k) {
            const FaceKind& kind = (*sizes.kinds)[k];
            const auto table = [&](cv::Point2f p) {
                return sizes.map->to_table(p, kind.thickness_mm);
            };
            const Point at = table(c.at), u = table(c.at + c.back * 20) - at,
                        v = table(c.at + c.on * 20) - at;
            if (std::fabs(dot(u, v)) > 0.08 * length(u) * length(v)) continue;
            // The two sides' mean direction, each turned onto the first.
            const double angle = std::atan2(u.y, u.x), other = std::atan2(v.y, v.x);
            const double turn = wrapped(other - angle) > 0 ? M_PI / 2 : -M_PI / 2;
            const double along = angle + wrapped(other - turn - angle) / 2;
            for (const bool upright : {true, false}) {
                if (!upright && std::fabs(kind.width_mm - kind.height_mm) < 0.01) continue;
                const double a = upright ? kind.width_mm : kind.height_mm,
                             b = upright ? kind.height_mm : kind.width_mm;
                const Point centre = at + rotated({a / 2, 0}, along) +
                                     rotated({b / 2, 0}, along + turn);
                const Pose pose{centre.x, centre.y, upright ? along : along + M_PI / 2};
                const bool known = std::any_of(out.begin(), out.end(), [&](const FlatPlacement& o) {
                    const double dx = o.pose.x - centre.x, dy = o.pose.y - centre.y;
                    return o.kind == k && dx * dx + dy * dy < 1.5 * 1.5 &&
                           std::fabs(std::remainder(o.pose.angle - pose.angle, M_PI)) < 0.03;
                });
                if (!known) out.push_back({k, pose});
                if (out.size() > kMost) return out;
            }
        }
    return out;
}

std::vector<Quad> rectangles_at(const cv::Mat& bgr, const std::vector<OutlineCorner>& corners,
                                const KnownSizes& sizes) {
    std::vector<Quad> out;
    for (const FlatPlacement& p : placements_at(corners, sizes)) {
        Quad q;
        q.corners = corners_at(sizes, p.kind, p.pose);
        if (!convex_clockwise(q.corners)) continue;
        Corners finer = q.corners;
        if (refine_outline(bgr, finer, 3) && kind_of_size(sizes, finer) == p.kind)
            q.corners = finer;
        measure_outline(bgr, q);
        if (q.support >= kStrip.outline) out.push_back(q);
    }
    return out;
}

void add_covered(const cv::Mat& bgr, const std::vector<Faces>& decks, const KnownSizes& sizes,
                 std::vector<FlatFace>& list) {
    // The list grows while it is walked: a strip found may itself lie on another piece.
    for (std::size_t i = 0; i < list.size() && list.size() < 200; ++i) {
        if ((!list[i].named() && !list[i].strip) ||
            list[i].kind >= static_cast<int>(sizes.kinds->size()))
            continue;
        const int kind = list[i].kind;
        const Faces& deck = decks[kind];
        const Corners cover = short_side_first(list[i].quad.corners);
        for (int direction = 0; direction < 4; ++direction) {
            if (beside_another(list, cover, direction)) continue;
            const Strip s = best_strip(bgr, deck, sizes, kind, cover, direction);
            if (s.score < kStrip.sure ||
                strip_support(bgr, s.corners, direction, s.by) < kStrip.strip_outline)
                continue;
            if (!same_light(list[i].match.light, s.match.light)) continue;
            const Corners shows = visible_part(s.corners, direction, s.by);
            const auto taken = [&](const FlatFace& o) {
                return o.named() && !o.strip && covered(o.quad.corners, shows) > 0.4F;
            };
            if (std::any_of(list.begin(), list.end(), taken)) continue;
            FlatFace f;
            f.strip = true;
            f.kind = kind;
            f.match = s.match;
            f.quad.corners = s.match.corners;
            measure_outline(bgr, f.quad);
            const cv::Point2f middle = centre_of(s.corners);
            const float near = 0.12F * mean_side(cover, 0);
            if (std::any_of(list.begin(), list.end(), [&](const FlatFace& o) {
                    return (o.named() || o.strip) &&
                           cv::norm(centre_of(o.quad.corners) - middle) < near;
                }))
                continue;
            list.push_back(f);
        }
    }
    std::erase_if(list, [&](const FlatFace& f) {
        return !f.named() && !f.strip &&
               std::any_of(list.begin(), list.end(), [&](const FlatFace& o) {
                   return o.named() && covered(o.quad.corners, f.quad.corners) > 0.3F;
               });
    });
}

}  // namespace overboard::vision
