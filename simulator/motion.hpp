#pragma once

#include <vector>

#include "bus/geometry.hpp"

/// Paths that hands and dice take.
namespace overboard::simulator {

struct Spot3 {
    double x = 0, y = 0, z = 0, angle = 0;
};

struct Moving {
    Spot3 at;
    double vx = 0, vy = 0, vz = 0, spin = 0;  ///< mm/s, rad/s
};

/// From a to b in `duration_s` as people reach (minimum jerk), rising to `arc_mm` above the
/// straight line half way.
Moving reach(const Spot3& a, const Spot3& b, double t_s, double duration_s, double arc_mm = 0);

/// How long people take for that distance.
double reach_time(double distance_mm, double pace);

}  // namespace overboard::simulator
