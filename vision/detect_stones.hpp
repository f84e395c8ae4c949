#pragma once

#include <optional>
#include <vector>

#include "bus/observation.hpp"
#include "vision/view.hpp"

namespace overboard::vision {

/// Round flat stones lying on other pieces.
std::vector<Piece> detect_stones(const View& view, const Catalogue& catalogue);

}  // namespace overboard::vision
