#pragma once

#include "rules/game.hpp"

/// The smallest game of the house, made to be copied: roll a die, be the first to sum up to the
/// goal.
namespace overboard::rules::race {

struct State {
    std::vector<std::string> names, seats;
    std::vector<int> points;
    int goal = 20;
    int turn = 0;
    int rolls = 0;
    int winner = -1;
    std::optional<int> die;       ///< What lies on the table since the last roll …
    std::optional<Point> die_at;  ///< … and where the camera last saw it.
};

struct Race {
    using State = race::State;
    static GameInfo info();
    static Catalogue catalogue(const Setup& setup);
    static tl::expected<State, Ruling> start(const Setup& setup);
    static Ruling judge(const State& s, int player, const Move& move);
    static Applied<State> apply(const State& s, int player, const Move& move);
    static GameView view(const State& s);
    static std::vector<Mark> marks(const State& s);
    static std::vector<PlayerMove> legal_moves(const State& s);
    static std::vector<Hint> hints(const State& s, int count);
    static std::string to_text(const State& s);
    static Observation scene_of(const State& s);
    static Reading read(const State& s, const Observation& seen);
    static bool visible(const State& s, const PlayerMove& move);
};

}  // namespace overboard::rules::race
