#pragma once

#include "bus/geometry.hpp"

namespace overboard::physics {

/// Two sliding discs seen from one of them: the other's centre is at d + v·t + a·t²/2.
struct RelativeMotion {
    Point d, v, a;
    double reach;  ///< Sum of the radii.
};

/// When the two first touch within [0, limit], approaching; `limit` or more: they do not.
double first_touch(const RelativeMotion& m, double limit);

}  // namespace overboard::physics
