#pragma once

#include <string>

#include "bus/shot.hpp"
#include "physics/board.hpp"

namespace overboard::app {

/// Draws the shot from above, with trails and flashes, into an MP4. `slow` stretches time (4:
/// quarter speed). A second shot, if given, is drawn over it in outline (what if). Throws
/// std::runtime_error when the file cannot be written.
void write_video(const Shot& shot, const physics::Board& board, const std::string& file,
                 double slow = 4, const Shot* instead = nullptr);

}  // namespace overboard::app
