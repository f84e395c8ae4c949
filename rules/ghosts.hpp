#pragma once

#include <vector>

#include "bus/catalogue.hpp"
#include "bus/marks.hpp"
#include "bus/observation.hpp"
#include "rules/game.hpp"

namespace overboard::rules {

/// A ruling at its place, or at the table's upper edge where it has none.
Mark warning_mark(const Ruling& ruling, const Catalogue& catalogue);

/// Where a piece belongs, in its own outline.
Mark ghost_of(const Piece& piece, const Catalogue& catalogue);

}  // namespace overboard::rules
