#include "vision/shapes/mosaic_places.hpp"

#include <algorithm>
#include <cmath>
#include <opencv2/imgproc.hpp>

// Whatever lies at the edge of a patch has a side along it: every kind is laid there with each of
// its sides and slid along, a millimetre at a time. Its other sides then either follow the patch's
// edge too or a fine line; those lines are where the pieces farther in have theirs.

namespace overboard::vision {
namespace {

constexpr double kOnEdge_mm = 2.4;  // beyond a side at the patch's edge the patch ends within this
constexpr double kPart_mm = 5;
constexpr double kBlame_per_mm = 0.3;  // for a side beside the patch's edge
constexpr double kSlide_mm = 1.0;
constexpr double kLeastContact_mm = 6;

/// A kind as it is tried: its sides cut into short parts, points inside it.
struct TriedKind {
    struct Part {
        Point middle, along, outward;
        double mm;
        int side;
    };
    std::vector<Part> parts;
    std::vector<Point> inside;
    double area_mm2 = 0, round_mm = 0,
           turn = 2 * M_PI;  ///< `turn`: it looks the same turned by this.
};

bool same_turned(const Polygon& o, double by) {
    return std::all_of(o.begin(), o.end(), [&](Point p) {
        return std::any_of(o.begin(), o.end(),
                           [&](Point q) { return distance(rotated(p, by), q) < 0.5; });
    });
}

TriedKind shape_of(const Polygon& o) {
    TriedKind shape;
    for (std::size_t i = 0; i < o.size(); ++i) {
        const Point a = o[i], b = o[(i + 1) % o.size()], along = (b - a) * (1 / distance(a, b));
        const int n = std::max(2, static_cast<int>(std::lround(distance(a, b) / kPart_mm)));
        shape.area_mm2 += 0.5 * cross(a, b);
        shape.round_mm += distance(a, b);
        for (int k = 0; k < n; ++k) {
            // The very corners are left out: lines of neighbours meet there.
            shape.parts.push_back({a + (b - a) * (0.06 + 0.88 * (k + 0.5) / n),
                                   along,
                                   {along.y, -along.x},
                                   distance(a, b) / n,
                                   static_cast<int>(i)});
            for (const double in : {0.88, 0.6, 0.25})
                shape.inside.push_back((a + (b - a) * ((k + 0.5) / n)) * in);
        }
    }
    for (int n = 6; n > 1; --n)
        if (shape.turn > 6 && same_turned(o, 2 * M_PI / n)) shape.turn = 2 * M_PI / n;
    return shape;
}

/// What is left of an outline when a rim is taken off all its sides.
Polygon less_rim(const Polygon& o, double rim_mm) {
    Polygon rest;
    const std::size_t n = o.size();
    for (std::size_t i = 0; i < n; ++i) {
        const Point a = o[i] - o[(i + n - 1) % n], b = o[(i + 1) % n] - o[i];
        const Point u = a * (1 / length(a)), v = b * (1 / length(b));
        const Point in = Point{-u.y, u.x} + Point{-v.y, v.x};
        rest.push_back(o[i] + in * (rim_mm / (1 + dot(u, v))));
    }
    return rest;
}

Point middle_of(const Polygon& o) {
    Point sum{0, 0};
    double area = 0;
    for (std::size_t i = 0; i < o.size(); ++i) {
        const Point a = o[i], b = o[(i + 1) % o.size()];
        sum = sum + (a + b) * (cross(a, b) / 3);
        area += cross(a, b);
    }
    return sum * (1 / area);
}

/// A shape turned, its centre at the origin.
struct Turned {
    struct Part {
        Point middle, beyond;
        double mm;
        int way, side;
    };
    std::vector<Part> parts;
    std::vector<Point> inside;

    Turned(const TriedKind& shape, double angle) {
        const double c = std::cos(angle), s = std::sin(angle);
        const auto turn = [&](Point p) { return Point{c * p.x - s * p.y, s * p.x + c * p.y}; };
        for (const TriedKind::Part& p : shape.parts)
            parts.push_back({turn(p.middle), turn(p.middle + p.outward * kOnEdge_mm), p.mm,
                             Patch::way_of(turn(p.along)), p.side});
        for (const Point p : shape.inside) inside.push_back(turn(p));
    }
};

class Finder {
public:
    Finder(const Patch& patch, const Catalogue& catalogue, const PlaceLimits& limits)
        : patch_{patch}, catalogue_{catalogue}, limits_{limits} {
        for (const PolygonKind& kind : catalogue.polygons)
            shapes_.push_back(shape_of(kind.outline_mm));
    }

    std::vector<Placement> find() {
        add_whole_patch();
        std::vector<PatchSide> sides = patch_.sides();
        for (int round = 0; round < 3 && !sides.empty(); ++round) {
            known_.insert(known_.end(), sides.begin(), sides.end());
            for (const PatchSide& side : sides) lay_along(side);
            thin_out();
            sides = new_lines();
        }
        return std::move(places_);
    }

private:
    static Point moved(const Pose& pose, Point p) { return place(pose, p); }

    [[nodiscard]] bool lies_inside(const Turned& shape, Point centre) const {
        const auto most = static_cast<std::size_t>((1 - limits_.inside) *
                                                   static_cast<double>(shape.inside.size()));
        std::size_t out = 0;
        for (const Point p : shape.inside)
            if (patch_.depth_mm(centre + p) <= 0 && ++out > most) return false;
        return true;
    }

    /// Fills in worth and quality. `found`: for each side, mm of line along it.
    void judge(const Turned& shape, Placement& p, std::vector<double>* found = nullptr) const {
        const Point centre{p.pose.x, p.pose.y};
        double edge = 0, lost = 0, all = 0;
        p.worth = 0;
        if (found) found->assign(catalogue_.polygons[p.kind].outline_mm.size(), 0);
        for (const Turned::Part& part : shape.parts) {
            all += part.mm;
            if (patch_.depth_mm(centre + part.beyond) <= 0) {
                const double on = std::max(
                    0.0, 1 - kBlame_per_mm * std::abs(patch_.depth_mm(centre + part.middle)));
                edge += part.mm * on;
                lost += part.mm * (1 - on);
                continue;
            }
            const double line = part.mm * patch_.line(centre + part.middle, part.way);
            p.worth += line;
            if (found) (*found)[part.side] += line;
        }
        p.quality = (edge + p.worth) / all;
        p.worth -= lost;
    }

    void consider(const Turned& shape, Placement p) {
        if (!lies_inside(shape, {p.pose.x, p.pose.y})) return;
        judge(shape, p);
        if (p.quality > limits_.quality - 0.15) places_.push_back(p);
    }

    void lay_along(const PatchSide& side) {
        const double direction = std::atan2(side.along.y, side.along.x);
        for (int k = 0; k < static_cast<int>(shapes_.size()); ++k) {
            if (shapes_[k].area_mm2 > 1.15 * patch_.area_mm2() + 40) continue;
            const Polygon& o = catalogue_.polygons[k].outline_mm;
            for (std::size_t j = 0; j < o.size(); ++j) {
                const Point own = o[(j + 1) % o.size()] - o[j];
                const double angle = wrapped(direction - std::atan2(own.y, own.x));
                if (seen_turned(k, j, own)) continue;
                const Turned turned(shapes_[k], angle);
                for (double t = kLeastContact_mm - length(own);
                     t < side.length_mm - kLeastContact_mm; t += kSlide_mm) {
                    const Point centre = side.from + side.along * t - rotated(o[j], angle);
                    consider(turned, {k, {centre.x, centre.y, angle}});
                }
            }
        }
    }

    /// A side that looks like an earlier one of the same piece turned.
    [[nodiscard]] bool seen_turned(int kind, std::size_t j, Point own) const {
        const Polygon& o = catalogue_.polygons[kind].outline_mm;
        for (std::size_t i = 0; i < j; ++i) {
            const Point other = o[(i + 1) % o.size()] - o[i];
            const double by = std::remainder(
                std::atan2(own.y, own.x) - std::atan2(other.y, other.x), shapes_[kind].turn);
            if (std::abs(by) < 0.01 && std::abs(length(own) - length(other)) < 0.5) return true;
        }
        return false;
    }

    [[nodiscard]] bool same(const Placement& a, const Placement& b) const {
        return a.kind == b.kind && distance({a.pose.x, a.pose.y}, {b.pose.x, b.pose.y}) < 4 &&
               std::abs(std::remainder(a.pose.angle - b.pose.angle, shapes_[a.kind].turn)) < 0.12;
    }

    /// Of places that are nearly the same the best, moved to where it fits best.
    void thin_out() {
        std::stable_sort(
            places_.begin(), places_.end(),
            [](const Placement& a, const Placement& b) { return a.quality > b.quality; });
        std::vector<Placement> kept;
        for (const Placement& p : places_) {
            if (kept.size() >= limits_.most) break;
            if (std::none_of(kept.begin(), kept.end(),
                             [&](const Placement& k) { return same(p, k); }))
                kept.push_back(p);
        }
        for (Placement& p : kept) settle(p);
        std::erase_if(kept, [&](const Placement& p) { return p.quality < limits_.quality; });
        places_ = std::move(kept);
    }

    void settle(Placement& p) const {
        for (const double step : {0.8, 0.4})
            for (int turn = 0; turn < 2; ++turn)
                for (const Pose by :
                     {Pose{step, 0, 0}, Pose{-step, 0, 0}, Pose{0, step, 0}, Pose{0, -step, 0},
                      Pose{0, 0, 0.02 * step}, Pose{0, 0, -0.02 * step}}) {
                    Placement q{p.kind,
                                {p.pose.x + by.x, p.pose.y + by.y, p.pose.angle + by.angle}};
                    const Turned turned(shapes_[q.kind], q.pose.angle);
                    if (!lies_inside(turned, {q.pose.x, q.pose.y})) continue;
                    judge(turned, q);
                    if (q.quality > p.quality) p = q;
                }
    }

    [[nodiscard]] bool is_known(const PatchSide& line) const {
        return std::any_of(known_.begin(), known_.end(), [&](const PatchSide& k) {
            return dot(k.along, line.along) > 0.998 &&
                   std::abs(cross(k.along, line.from - k.from)) < 1.2 &&
                   dot(line.from - k.from, k.along) > -3 &&
                   dot(line.from - k.from, k.along) + line.length_mm < k.length_mm + 3;
        });
    }

    /// Sides with a fine line along them: what lies beyond has a side there.
    [[nodiscard]] std::vector<PatchSide> new_lines() {
        std::vector<PatchSide> lines;
        for (Placement& p : places_) {
            std::vector<double> found;
            judge(Turned(shapes_[p.kind], p.pose.angle), p, &found);
            const Polygon& o = catalogue_.polygons[p.kind].outline_mm;
            for (std::size_t i = 0; i < o.size(); ++i) {
                const Point a = moved(p.pose, o[i]), b = moved(p.pose, o[(i + 1) % o.size()]);
                if (found[i] < 0.35 * distance(a, b)) continue;
                const PatchSide beyond{b, (a - b) * (1 / distance(a, b)), distance(a, b)};
                if (is_known(beyond)) continue;
                lines.push_back(beyond);
                known_.push_back(beyond);
            }
        }
        return lines;
    }

    /// The pieces that are all of the patch, laid along its own sides. Blur and shade may have
    /// taken a rim off it.
    void add_whole_patch() {
        for (int k = 0; k < static_cast<int>(shapes_.size()); ++k) {
            Placement best;
            double most = 0;
            for (const double rim_mm : {0.0, limits_.rim_mm})
                lay_on_whole(k, less_rim(catalogue_.polygons[k].outline_mm, rim_mm), best, most);
            if (best.quality > 0) places_.push_back(best);
        }
    }

    /// `rest`: what the patch may show of the piece; `most`: what the best so far has in common
    /// with the patch.
    void lay_on_whole(int kind, const Polygon& rest, Placement& best, double& most) const {
        const TriedKind shape = shape_of(rest);
        const double least = std::min(limits_.one_piece,
                                      1 - limits_.rim_mm * shape.round_mm / shape.area_mm2);
        if (const double size = patch_.area_mm2() / shape.area_mm2;
            size < least || size > 1 / least)
            return;
        const Point middle = middle_of(rest), centre = patch_.centre();
        for (const PatchSide& side : patch_.sides())
            for (std::size_t j = 0; j < rest.size(); ++j) {
                const Point own = rest[(j + 1) % rest.size()] - rest[j];
                const double angle = wrapped(std::atan2(side.along.y, side.along.x) -
                                             std::atan2(own.y, own.x));
                const Point at = centre - rotated(middle, angle);
                const Pose pose{at.x, at.y, angle};
                const double share = in_common(rest, pose);
                if (share > std::max(most, least)) most = share, best = {kind, pose, 0, 1};
            }
    }

    /// Area that an outline and the patch have in common, by the area of both together.
    [[nodiscard]] double in_common(const Polygon& outline, Pose pose) const {
        cv::Mat piece = cv::Mat::zeros(patch_.mask().size(), CV_8U), both;
        std::vector<cv::Point> corners;
        for (const Point q : outline) corners.emplace_back(patch_.cell(moved(pose, q)));
        cv::fillConvexPoly(piece, corners, 255);
        cv::bitwise_and(piece, patch_.mask(), both);
        const double common = cv::countNonZero(both);
        return common /
               std::max(1.0, cv::countNonZero(piece) + cv::countNonZero(patch_.mask()) - common);
    }

    const Patch& patch_;
    const Catalogue& catalogue_;
    const PlaceLimits& limits_;
    std::vector<TriedKind> shapes_;
    std::vector<Placement> places_;
    std::vector<PatchSide> known_;
};

}  // namespace

std::vector<Placement> places_in(const Patch& patch, const Catalogue& catalogue,
                                 const PlaceLimits& limits) {
    return Finder{patch, catalogue, limits}.find();
}

}  // namespace overboard::vision
