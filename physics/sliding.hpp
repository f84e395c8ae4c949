#pragma once

namespace overboard::physics {

/// What dry friction takes from a disc that slides and spins at once, as shares of what it can
/// take: of µ·m·g from its sliding, of µ·m·g·R from its spinning.
struct FrictionShares {
    double slide = 1;
    double spin = 0;
};

/// A flat, evenly loaded disc of which the centre slides at `speed` and the rim turns at
/// `rim_speed` (radius times spin), both ≥ 0 and in the same unit, not both 0. Every part of its
/// face is held back against its own way: a spinning disc slows down less and therefore runs
/// further, and both motions end at the same instant.
FrictionShares friction_shares(double speed, double rim_speed);

}  // namespace overboard::physics
