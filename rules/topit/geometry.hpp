#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "bus/geometry.hpp"

/// Convex pieces laid edge to edge: contacts, overlaps and the pose that fits best. All in one
/// frame, millimetres, outlines clockwise.
namespace overboard::rules::topit {

/// How exact measured poses are (TOPIT-R2, -R3). Options can change them.
struct Tolerances {
    double angle = 4 * M_PI /
                   180;   ///< Sides face each other within this. Higher: more counts as contact.
    double gap_mm = 2.5;  ///< Sides this far apart still touch. Higher: gaps are taken for contact.
    double along_mm = 4;  ///< Sides must share more than this. Lower: corners are taken for sides.
    double ends_mm = 4;  ///< Ends this far apart still agree. Higher: overhangs are taken for fits.
    /// Overlap up to this is measurement. Higher: real overlap slips through.
    double depth_mm = 1.5;
};

struct Side {
    Point a, b;  ///< In the outline's direction.
};
inline Side side_of(const Polygon& outline, std::size_t i) {
    return {outline[i], outline[(i + 1) % outline.size()]};
}

/// How two sides meet.
struct Meeting {
    bool contact = false;
    bool coincide = false;  ///< In contact, and both ends agree.
    /// In the middle of what they share; negative when one is inside the other.
    double gap_mm = 0;
    Point at;  ///< That middle.
};
Meeting meet(const Side& mine, const Side& other, const Tolerances& tolerances);

/// How deep two convex outlines overlap: the shortest way to part them; negative when apart.
double overlap_depth(const Polygon& a, const Polygon& b);

bool contains(const Polygon& outline, Point p);
Point centroid(const Polygon& outline);
Polygon outline_at(const Polygon& about_centroid, Pose pose);

/// The rigid motion that brings the first points closest to the second (least squares): place(it,
/// first) ≈ second. At least two pairs that are not all one point.
Pose best_motion(const std::vector<std::pair<Point, Point>>& pairs);
Pose after(Pose outer, Pose inner);  ///< place(after(o, i), p) == place(o, place(i, p))
Pose inverse(Pose motion);

/// Where a piece lies whose side `own` lies exactly against `other`, ends on ends at the middle.
Pose pose_against(const Polygon& about_centroid, std::size_t own, const Side& other);

}  // namespace overboard::rules::topit
