#pragma once

#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "rules/game.hpp"

/// What every game asks of moves, options and seats. Any JSON whatever may come in: a field is
/// there and of the right type, or it is nothing.
namespace overboard::rules {

std::optional<std::string> text_field(const Json& object, const char* key);
/// Whole numbers only (6 and 6.0, not 6.5, not true), within the range of int.
std::optional<int> int_field(const Json& object, const char* key);
std::optional<bool> bool_field(const Json& object, const char* key);
std::optional<double> number_field(const Json& object, const char* key);
/// [x, y], both finite.
std::optional<Point> point_field(const Json& object, const char* key);
Json point_json(Point p);

/// The member, or null.
const Json& field(const Json& object, const char* key);

/// The verdict for a move nobody could understand: rule "MOVE".
Ruling not_a_move(std::string key, Json args = Json::object());
Ruling not_your_turn(const std::string& whose);
/// The verdict for options a match cannot start with: rule "SETUP".
Ruling bad_option(const std::string& option, const std::string& why);

int player_index(const Setup& setup, const std::string& name);  ///< -1: nobody.
/// options.first, by name or by index from 0; without it the first in the list.
tl::expected<int, Ruling> first_player(const Setup& setup);

/// Where `count` players sit unless they say so, in the order of play, clockwise.
std::vector<std::string> default_seats(int count);
/// The seat of each player: as asked for, else the default.
std::vector<std::string> seats_of(const Setup& setup);
/// Where to write for the player `nth` (from 0) at that seat, near the edge of the table.
Point seat_anchor(const Table& table, const std::string& seat, int nth = 0);
/// A name with its score at each seat; the player to move stands out.
std::vector<Mark> score_marks(const Table& table, const std::vector<std::string>& names,
                              const std::vector<std::string>& seats, const std::vector<int>& scores,
                              int turn);

}  // namespace overboard::rules
