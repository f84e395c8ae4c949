#pragma once

#include "table/stage.hpp"

/// What surrounds the game: a panel at every seat, whose turn it is, troubles, cheers.
namespace overboard::table {

/// The players at a seat, in the order of play.
std::vector<Json> players_at(const Scene& scene, const std::string& seat);
/// Seats somebody sits at; south when no match is on.
std::vector<std::string> seats_taken(const Scene& scene);
/// A player's seat: as the rules say, else clockwise from the south by the order of play.
std::string seat_of(const Scene& scene, const std::string& player);
/// Where the panel of a seat lies, in the seat's own frame (seat_pose()).
Rect panel_box(const Scene& scene, const std::string& seat, const Theme& theme);
/// The same in the table's frame.
Rect panel_on_table(const Scene& scene, const std::string& seat, const Theme& theme);
/// Moves panels along their edges, shortens them, or moves them away from the edge, so that they lie on
/// no piece, no zone of the game and no other panel; what is good stays.
void settle_panels(Scene& scene, const Theme& theme);

void paint_panels(Stage& stage);
/// "Rules are not answering", "camera sees nothing", paused: one banner, the last state stays.
void paint_banner(Stage& stage);
void paint_celebrations(Stage& stage);
/// Before the first match: a greeting to both long sides.
void paint_welcome(Stage& stage);

}  // namespace overboard::table
