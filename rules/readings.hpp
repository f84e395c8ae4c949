#pragma once

#include <optional>
#include <string>
#include <vector>

#include "rules/game.hpp"

/// What can be asked of readings and pieces without knowing the game.
namespace overboard::rules {

[[nodiscard]] bool is_nothing(const Reading& reading);
/// One explanation by moves: no question, no attention.
[[nodiscard]] bool is_move(const Reading& reading);
[[nodiscard]] Reading attention_reading(Ruling ruling);

/// The same text for the same reading; measured numbers do not count, so that jitter does not look
/// like another move.
[[nodiscard]] std::string signature_of(const std::vector<PlayerMove>& moves);
[[nodiscard]] std::string signature_of(const Reading& reading);

/// The first move that may not be played, if there is one.
[[nodiscard]] std::optional<Ruling> first_illegal(const Game& game, State state,
                                                  const std::vector<PlayerMove>& moves);
[[nodiscard]] State after_all(const Game& game, State state, const std::vector<PlayerMove>& moves);

/// Whether a piece like this one lies so near to its place. A die may show anything.
[[nodiscard]] bool lies_there(const Observation& table, const Piece& piece, double within_mm);

}  // namespace overboard::rules
