#pragma once

#include <optional>
#include <vector>

#include "bus/observation.hpp"
#include "vision/view.hpp"

namespace overboard::vision {

/// Standing figures by colour; (x, y) is where the foot stands.
std::vector<Piece> detect_pawns(const View& view, const Catalogue& catalogue);

}  // namespace overboard::vision
