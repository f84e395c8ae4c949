#pragma once

#include "table/stage.hpp"

/// A shot played on the board itself: trails, discs, flashes where they hit, pockets, controls.
namespace overboard::table {

void paint_replay(Stage& stage);
void paint_replay_controls(Stage& stage);
/// A tap on the controls. Returns whether it was one.
bool apply_replay(Scene& scene, const Action& action, Point at);

}  // namespace overboard::table
