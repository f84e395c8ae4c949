// Overlap by separating axes: for convex outlines the deepest-separating edge normal tells both
// whether they overlap and how far one must move. Motions by the closed form of the planar
// least-squares rotation (the angle of the summed dot and cross products about the means).
#include "rules/topit/geometry.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace overboard::rules::topit {
namespace {

/// Not std::hypot, whose care for extremes costs more than all the rest here.
double size_of(Point p) {
    return std::sqrt(dot(p, p));
}

/// Outwards, since outlines run clockwise with y down.
Point outward(Point direction) {
    return {direction.y, -direction.x};
}

/// The largest distance by which some edge of `a` keeps `b` out; negative: none does.
double separation(const Polygon& a, const Polygon& b) {
    double most = -std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < a.size(); ++i) {
        const Side edge = side_of(a, i);
        const double size = size_of(edge.b - edge.a);
        if (size <= 0) continue;
        const Point n = outward((edge.b - edge.a) * (1 / size));
        double nearest = std::numeric_limits<double>::infinity();
        for (const Point p : b) nearest = std::min(nearest, dot(p - edge.a, n));
        most = std::max(most, nearest);
    }
    return most;
}

}  // namespace

Meeting meet(const Side& mine, const Side& other, const Tolerances& t) {
    if (dot(other.b - other.a, mine.b - mine.a) >= 0) return {};
    const double size = size_of(other.b - other.a), own_size = size_of(mine.b - mine.a);
    if (size <= 0 || own_size <= 0) return {};
    const Point u = (other.b - other.a) * (1 / size), v = (mine.b - mine.a) * (1 / own_size);
    if (dot(u, v) > -std::cos(t.angle)) return {};
    const double from = dot(mine.b - other.a, u),
                 to = dot(mine.a - other.a, u);  // mine runs the other way
    const double low = std::max(0.0, from), high = std::min(size, to);
    if (high - low <= t.along_mm) return {};
    const double middle = (low + high) / 2, share = (to - middle) / (to - from);
    const Point p = mine.a + (mine.b - mine.a) * share;
    Meeting meeting;
    meeting.gap_mm = dot(p - other.a, outward(u));
    meeting.at = other.a + u * middle;
    meeting.contact = std::abs(meeting.gap_mm) <= t.gap_mm;
    meeting.coincide = meeting.contact && size_of(mine.a - other.b) <= t.ends_mm &&
                       size_of(mine.b - other.a) <= t.ends_mm;
    return meeting;
}

double overlap_depth(const Polygon& a, const Polygon& b) {
    return -std::max(separation(a, b), separation(b, a));
}

bool contains(const Polygon& outline, Point p) {
    return separation(outline, {p}) <= 0;
}

Point centroid(const Polygon& outline) {
    double area = 0;
    Point sum;
    for (std::size_t i = 0; i < outline.size(); ++i) {
        const Side s = side_of(outline, i);
        const double twice = cross(s.a - outline[0], s.b - outline[0]);
        area += twice;
        sum = sum + ((s.a - outline[0]) + (s.b - outline[0])) * (twice / 3);
    }
    return area == 0 ? outline[0] : outline[0] + sum * (1 / area);
}

Polygon outline_at(const Polygon& about_centroid, Pose pose) {
    const double c = std::cos(pose.angle), s = std::sin(pose.angle);
    Polygon out;
    out.reserve(about_centroid.size());
    for (const Point p : about_centroid)
        out.push_back({pose.x + c * p.x - s * p.y, pose.y + s * p.x + c * p.y});
    return out;
}

Pose best_motion(const std::vector<std::pair<Point, Point>>& pairs) {
    const double share = 1.0 / static_cast<double>(pairs.size());
    Point from, to;
    for (const auto& [a, b] : pairs) {
        from = from + a * share;
        to = to + b * share;
    }
    double along = 0, across = 0;
    for (const auto& [a, b] : pairs) {
        along += dot(a - from, b - to);
        across += cross(a - from, b - to);
    }
    const double angle = std::atan2(across, along);
    const Point shift = to - rotated(from, angle);
    return {shift.x, shift.y, angle};
}

Pose after(Pose outer, Pose inner) {
    const Point p = place(outer, {inner.x, inner.y});
    return {p.x, p.y, wrapped(outer.angle + inner.angle)};
}

Pose inverse(Pose motion) {
    const Point p = rotated({-motion.x, -motion.y}, -motion.angle);
    return {p.x, p.y, -motion.angle};
}

Pose pose_against(const Polygon& about_centroid, std::size_t own, const Side& other) {
    const Side mine = side_of(about_centroid, own);
    return best_motion({{mine.a, other.b}, {mine.b, other.a}});
}

}  // namespace overboard::rules::topit
