#pragma once

#include <cmath>
#include <vector>

/// The table frame: millimetres, origin at the table's top-left corner seen from above, x right,
/// y down. Angles in radians, clockwise positive, 0 along x. A name that says otherwise (`_px`,
/// "board frame") wins.
namespace overboard {

struct Point {
    double x = 0;
    double y = 0;
    friend bool operator==(const Point&, const Point&) = default;
};

struct Pose {
    double x = 0;
    double y = 0;
    double angle = 0;
    friend bool operator==(const Pose&, const Pose&) = default;
};

using Polygon = std::vector<Point>;  ///< Clockwise as seen from above, not closed.

inline Point operator+(Point a, Point b) {
    return {a.x + b.x, a.y + b.y};
}
inline Point operator-(Point a, Point b) {
    return {a.x - b.x, a.y - b.y};
}
inline Point operator*(Point a, double k) {
    return {a.x * k, a.y * k};
}
inline double dot(Point a, Point b) {
    return a.x * b.x + a.y * b.y;
}
inline double cross(Point a, Point b) {
    return a.x * b.y - a.y * b.x;
}
inline double length(Point a) {
    return std::hypot(a.x, a.y);
}
inline double distance(Point a, Point b) {
    return length(b - a);
}

inline Point rotated(Point p, double angle) {
    const double c = std::cos(angle), s = std::sin(angle);
    return {c * p.x - s * p.y, s * p.x + c * p.y};
}

/// `local`, given in the frame of `pose`, in the frame `pose` is given in.
inline Point place(Pose pose, Point local) {
    return Point{pose.x, pose.y} + rotated(local, pose.angle);
}

/// The inverse of place().
inline Point local_to(Pose pose, Point p) {
    return rotated(p - Point{pose.x, pose.y}, -pose.angle);
}

/// The same angle in (-pi, pi].
inline double wrapped(double angle) {
    angle = std::remainder(angle, 2 * M_PI);
    return angle <= -M_PI ? angle + 2 * M_PI : angle;
}

}  // namespace overboard
