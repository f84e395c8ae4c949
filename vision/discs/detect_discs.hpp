#pragma once

#include <optional>
#include <vector>

#include "bus/observation.hpp"
#include "vision/view.hpp"

namespace overboard::vision {

/// Discs of every DiscKind: at rest or moving, touching, stacked, half over a hole. `board`, when
/// given, is where the catalogue's board lies: discs stand on its surface, its print is not a disc.
std::vector<Piece> detect_discs(const View& view, const Catalogue& catalogue,
                                const std::optional<Pose>& board = {});

}  // namespace overboard::vision
