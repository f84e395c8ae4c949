// The squared distance of two evenly slowing discs is a quartic f(t) in time, f = |d + v·t +
// a·t²/2|² − R². Most pairs are dismissed by two separating axes (the line of centres, and across
// the relative velocity). For the rest the roots of f'' (a quadratic) cut the window into pieces on
// which f' is monotone, so that each piece holds at most one turning point of f, and each half of
// it at most one root. Roots are found by Newton steps that may not leave their bracket.
#include "physics/pair_root.hpp"

#include <algorithm>
#include <cmath>

namespace overboard::physics {
namespace {

// Slower approach than this (mm²/s, as d·v) cannot close a gap that matters within any shot.
constexpr double kApproach = 1e-9;

struct Quartic {
    const RelativeMotion& m;
    double c0, c1, c2, c3, r2;  // f'/2 = c0 + c1·t + c2·t² + c3·t³

    explicit Quartic(const RelativeMotion& motion)
        : m{motion},
          c0{dot(m.d, m.v)},
          c1{dot(m.v, m.v) + dot(m.d, m.a)},
          c2{1.5 * dot(m.v, m.a)},
          c3{0.5 * dot(m.a, m.a)},
          r2{m.reach * m.reach} {}

    [[nodiscard]] double f(double t) const {
        const double x = m.d.x + t * (m.v.x + 0.5 * t * m.a.x);
        const double y = m.d.y + t * (m.v.y + 0.5 * t * m.a.y);
        return x * x + y * y - r2;
    }
    [[nodiscard]] double half_slope(double t) const { return c0 + t * (c1 + t * (c2 + t * c3)); }
    [[nodiscard]] double half_bend(double t) const { return c1 + t * (2 * c2 + t * 3 * c3); }
};

/// The root of `value` between lo and hi, where its sign differs; `slope` is its derivative.
template <class Value, class Slope>
double bracketed_root(double lo, double hi, double start, bool falling, Value value, Slope slope) {
    double t = start;
    for (int step = 0; step < 60; ++step) {
        const double y = value(t);
        if (y == 0) return t;
        ((y > 0) == falling ? lo : hi) = t;
        const double k = slope(t);
        double next = t - y / k;
        if (!(next > lo && next < hi)) next = 0.5 * (lo + hi);
        if (std::abs(next - t) <= 4e-16 * (std::abs(t) + 1e-3)) return next;
        t = next;
    }
    return t;
}

double turning_point(const Quartic& q, double lo, double hi, bool falling) {
    return bracketed_root(
        lo, hi, 0.5 * (lo + hi), falling, [&](double t) { return q.half_slope(t); },
        [&](double t) { return q.half_bend(t); });
}

double falling_root(const Quartic& q, double lo, double hi) {
    return bracketed_root(
        lo, hi, lo, true, [&](double t) { return q.f(t); },
        [&](double t) { return 2 * q.half_slope(t); });
}

/// The first root at which f falls, within a piece on which f' is monotone; negative: none.
double root_in_piece(const Quartic& q, double lo, double hi) {
    const double slope_lo = q.half_slope(lo), slope_hi = q.half_slope(hi);
    if (slope_lo >= 0 && slope_hi >= 0) return -1;
    if (slope_lo < 0 && slope_hi <= 0) return q.f(hi) > 0 ? -1 : falling_root(q, lo, hi);
    if (slope_lo < 0) {
        const double lowest = turning_point(q, lo, hi, false);
        return q.f(lowest) > 0 ? -1 : falling_root(q, lo, lowest);
    }
    if (q.f(hi) > 0) return -1;
    return falling_root(q, turning_point(q, lo, hi, true), hi);
}

/// Smallest of p + q·t + s·t²/2 over [0, limit].
double lowest_of(double p, double q, double s, double limit) {
    double low = std::min(p, p + limit * (q + 0.5 * limit * s));
    if (s > 0 && q < 0 && -q < s * limit) low = p - 0.5 * q * q / s;
    return low;
}

bool axis_separates(const RelativeMotion& m, double dist2, double limit) {
    const double towards = dot(m.d, m.v), bend = dot(m.d, m.a);
    if (towards >= 0 && bend >= 0) return true;
    if (lowest_of(dist2, towards, bend, limit) > m.reach * std::sqrt(dist2)) return true;
    const double v2 = dot(m.v, m.v);
    double offset = cross(m.v, m.d), drift = 0.5 * limit * limit * cross(m.v, m.a);
    if (offset < 0) offset = -offset, drift = -drift;
    const double nearest = offset + std::min(drift, 0.0);
    return nearest > 0 && nearest * nearest > m.reach * m.reach * v2;
}

}  // namespace

double first_touch(const RelativeMotion& m, double limit) {
    const double dist2 = dot(m.d, m.d);
    if (axis_separates(m, dist2, limit)) return limit;
    const Quartic q{m};
    if (dist2 <= q.r2 && q.c0 < -kApproach) return 0;

    double cuts[4] = {0, limit, limit, limit};
    int count = 1;
    const double a = 3 * q.c3, b = q.c2, discriminant = b * b - a * q.c1;
    if (a > 0 && discriminant > 0) {
        const double root = std::sqrt(discriminant);
        for (double t : {(-b - root) / a, (-b + root) / a})
            if (t > 0 && t < limit) cuts[count++] = t;
    }
    cuts[count] = limit;
    for (int piece = 0; piece < count; ++piece) {
        const double t = root_in_piece(q, cuts[piece], cuts[piece + 1]);
        if (t >= 0) return std::min(t, limit);
    }
    return limit;
}

}  // namespace overboard::physics
