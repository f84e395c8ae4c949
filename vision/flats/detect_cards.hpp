#pragma once

#include <vector>

#include "bus/observation.hpp"
#include "vision/faces/faces.hpp"
#include "vision/view.hpp"

namespace overboard::vision {

/// Cards in any pose, overlapping, face up or face down. `faces`: one entry for each
/// catalogue.cards entry, in that order; an empty Faces leaves `face` unknown.
std::vector<Piece> detect_cards(const View& view, const Catalogue& catalogue,
                                const std::vector<Faces>& faces);

}  // namespace overboard::vision
