#pragma once

#include "bus/shot.hpp"
#include "physics/shot.hpp"

namespace overboard::physics {

/// What a player would have done differently.
struct Change {
    double turn_rad = 0;    ///< Turns the striker's course, clockwise.
    double force = 1;       ///< Multiplies its speed.
    double spin_rad_s = 0;  ///< Added to its spin.
};

/// The recorded shot, computed onwards from `t` (the shot's own clock) with a changed aim or force.
/// Places and speeds at that instant are read from the tracks. The result starts at `t`, is drawn
/// in another style by whoever shows it, and carries a confidence. The stepped engine takes over
/// where contacts pile up (three or more touching pairs), the exact one otherwise.
///
/// `strike_mm_s`, when given, is the fitted velocity of the striker at the start, better than
/// tracks can tell; it counts only for t at the start.
Shot what_if(const Shot& recorded, double t, const Change& change, const Board& board,
             const Parameters& parameters = {}, const Point* strike_mm_s = nullptr);

}  // namespace overboard::physics
