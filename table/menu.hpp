#pragma once

#include <ctime>

#include "table/stage.hpp"

/// The menu for staff and players, turned to whoever opened it.
namespace overboard::table {

void paint_menu(Stage& stage);

/// A tap within the menu. Returns whether it was one; what needs the rules is left to the caller:
/// the verbs start, undo, correct.last, replay.last, tap.open, pause, hint, end.
bool apply_menu(Scene& scene, const Action& action);

/// Players for a game: as many as before, within its limits, at its usual seats.
std::vector<PlayerEntry> seated(std::vector<PlayerEntry> players, const GameEntry& game,
                                const std::string& player_word);

/// Whole minutes from an RFC 3339 stamp in UTC to `now`; nothing when it is none, or later.
std::optional<int> minutes_since(const std::string& stamp, std::time_t now = std::time(nullptr));

}  // namespace overboard::table
