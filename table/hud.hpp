#pragma once

#include "table/panels.hpp"

/// What surrounds the game: a panel at every seat, whose turn it is, troubles, cheers.
namespace overboard::table {

void paint_panels(Stage& stage);
/// "Rules are not answering", "camera sees nothing", paused: one banner, the last state stays.
void paint_banner(Stage& stage);
void paint_celebrations(Stage& stage);
/// Before the first match: a greeting to both long sides.
void paint_welcome(Stage& stage);

}  // namespace overboard::table
