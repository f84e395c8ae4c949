#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bus/geometry.hpp"
#include "bus/json.hpp"

/// What crosses between the rules and everyone else about a match. Moves and boards are each
/// game's own JSON: the games' pages name their fields.
namespace overboard {

using Move = Json;

/// A message key and its arguments: the display translates.
struct Message {
    std::string key;
    Json args = Json::object();
};

/// What a ruling says of a move. Everything but `legal` only when it is not.
struct Ruling {
    enum class Verdict { legal, illegal, not_your_turn };
    Verdict verdict = Verdict::legal;
    std::string rule;  ///< The id on the game's page, e.g. "GAME-4".
    Message message;   ///< What the display says about it.
    std::optional<Point> at;

    [[nodiscard]] bool legal() const { return verdict == Verdict::legal; }
};

inline Ruling allowed() {
    return {};
}
inline Ruling refused(std::string rule, std::string key, Json args = Json::object(),
                      std::optional<Point> at = {}) {
    return {Ruling::Verdict::illegal, std::move(rule), {std::move(key), std::move(args)}, at};
}

/// What everyone may know of a match, as the contract's State.
struct MatchState {
    std::string match;
    std::string game;
    std::string variant;
    int seq = 0;
    bool finished = false;
    bool paused = false;  ///< What the camera sees is not scored.
    std::string turn_player;
    std::vector<std::string> actions;
    std::vector<Json> players;  ///< name, seat, score and what the game adds.
    std::vector<std::string> winners;
    Json board = Json::object();
    std::optional<Message> message;
};

}  // namespace overboard
