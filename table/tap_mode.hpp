#pragma once

#include "table/stage.hpp"

/// "I cannot see — tap to score": the whole game by touch alone. The legal moves are narrowed down
/// one question at a time, whatever the game: its fields are the questions, their values the
/// buttons, and a field that is a place on the table is asked by tapping the place.
namespace overboard::table {

/// A question that tells the moves left apart.
struct Question {
    std::string path;          ///< "type", "pocketed.blue" …
    std::vector<Json> values;  ///< In the order to show; null where a move lacks the field.
    bool place = false;        ///< Values are places on the table: {x, y, …} in millimetres.
};

/// The moves that agree with what was chosen.
std::vector<Move> remaining(const TapMode& tap);
/// What to ask next; nothing when one move (or none) is left.
std::optional<Question> next_question(const std::vector<Move>& moves);
/// The value at a path like "pocketed.blue"; null when there is none.
Json value_at(const Move& move, const std::string& path);

void paint_tap_mode(Stage& stage);
/// Takes the answer to a question. Returns the move when only one is left.
std::optional<Move> answer(TapMode& tap, const std::string& path, const Json& value);
/// Takes the last answer back; false when there was none.
bool take_back(TapMode& tap);

}  // namespace overboard::table
