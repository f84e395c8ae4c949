#pragma once

#include <optional>
#include <vector>

#include "bus/observation.hpp"
#include "vision/view.hpp"

namespace overboard::vision {

/// Standing figures by colour; (x, y) is where the foot stands. None stands on a card or tile of
/// `seen`, what else lies in this picture.
std::vector<Piece> detect_pawns(const View& view, const Catalogue& catalogue,
                                const std::vector<Piece>& seen = {});

}  // namespace overboard::vision
