#pragma once

#include <optional>
#include <vector>

#include "bus/observation.hpp"
#include "vision/view.hpp"

namespace overboard::vision {

/// Dice of any colour: the value of the top face, side faces ignored; a cocked die has no value.
std::vector<Piece> detect_dice(const View& view, const Catalogue& catalogue);

/// Dice known before that still show their value where they lay, in whatever light.
std::vector<Piece> dice_told_again(const View& view, const Catalogue& catalogue);

}  // namespace overboard::vision
