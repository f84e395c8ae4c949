#pragma once

#include "table/stage.hpp"

/// Who sits where, and where each seat's panel stands without lying on the game.
namespace overboard::table {

/// The players at a seat, in the order of play.
std::vector<Json> players_at(const Scene& scene, const std::string& seat);
/// Seats somebody sits at; south when no match is on.
std::vector<std::string> seats_taken(const Scene& scene);
/// A player's seat: as the rules say, else clockwise from the south by the order of play.
std::string seat_of(const Scene& scene, const std::string& player);
/// How the panel of a seat made way.
PanelPlace place_of(const Scene& scene, const std::string& seat);
/// The player a mark's message is about; empty when it is about none.
std::string named_in(const Mark& mark);
/// A text mark that names a player of the seat it is turned to: score and hint ones are said by the
/// panel.
bool belongs_to_panel(const Scene& scene, const Mark& mark);
/// Where the panel of a seat lies, in the seat's own frame (seat_pose()).
Rect panel_box(const Scene& scene, const std::string& seat, const Theme& theme);
/// The same in the table's frame.
Rect panel_on_table(const Scene& scene, const std::string& seat, const Theme& theme);
/// What panels and light leave free: zones and ghosts of the game, in the table's frame.
std::vector<Rect> game_boxes(const Scene& scene);
/// Moves panels along their edges, makes them smaller, or moves them away from the edge, so that
/// they lie on no piece, no zone of the game and no other panel; what is good stays.
void settle_panels(Scene& scene, const Theme& theme);

}  // namespace overboard::table
