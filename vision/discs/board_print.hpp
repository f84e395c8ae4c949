#pragma once

#include "bus/catalogue.hpp"
#include "bus/observation.hpp"
#include "vision/view.hpp"

namespace overboard::vision {

/// The pose of a board to a fraction of a millimetre, given to a few: the rims of its holes and of
/// its filled printed circles are looked for near where they should be. What lies under `pieces` is
/// left out. The given pose where the print does not bear it out. Needs view.map.
Pose refine_board(const View& view, const BoardKind& board, Pose pose,
                  const std::vector<Piece>& pieces);

/// Likewise of a bare board that lies within a centimetre of one of these poses, the best guess
/// first: shade beside a frame passes for the edge of a surface.
Pose refine_board(const View& view, const BoardKind& board, const std::vector<Pose>& starts);

}  // namespace overboard::vision
