#pragma once

#include <optional>
#include <vector>

#include "bus/observation.hpp"
#include "vision/view.hpp"

namespace overboard::vision {

/// Flat polygons by outline and colour, also with equal colours side by side.
std::vector<Piece> detect_polygons(const View& view, const Catalogue& catalogue);

}  // namespace overboard::vision
