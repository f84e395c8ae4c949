#pragma once

#include "table/stage.hpp"

/// The menu for staff and players, turned to whoever opened it.
namespace overboard::table {

void paint_menu(Stage& stage);

/// A tap within the menu. Returns whether it was one; what needs the rules is left to the caller:
/// the verbs start, undo, correct.last, replay.last, tap.open, pause, hint, end.
bool apply_menu(Scene& scene, const Action& action);

/// Players for a game: as many as before, within its limits, at its usual seats.
std::vector<PlayerEntry> seated(std::vector<PlayerEntry> players, const GameEntry& game, const std::string& player_word);

}  // namespace overboard::table
