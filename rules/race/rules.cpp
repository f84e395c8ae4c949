#include <fmt/format.h>

#include "rules/fields.hpp"
#include "rules/race/race.hpp"

namespace overboard::rules::race {
namespace {

std::size_t at(int player) {
    return static_cast<std::size_t>(player);
}

int needed(const State& s, int player) {
    return s.goal - s.points[at(player)];
}

}  // namespace

GameInfo Race::info() {
    return {"race", "Dice race", 2, 4, {""}};
}

Catalogue Race::catalogue(const Setup&) {
    Catalogue c;
    c.dice = {{16, 1}};
    return c;
}

tl::expected<State, Ruling> Race::start(const Setup& setup) {
    State s;
    const auto first = first_player(setup);
    if (!first) return tl::unexpected(first.error());
    if (!field(setup.options, "goal").is_null()) {
        const auto goal = int_field(setup.options, "goal");
        if (!goal || *goal < 1 || *goal > 1000)
            return tl::unexpected(bad_option("goal", "must be 1 to 1000"));
        s.goal = *goal;
    }
    for (const PlayerSetup& p : setup.players) s.names.push_back(p.name);
    s.seats = seats_of(setup);
    s.points.assign(s.names.size(), 0);
    s.turn = *first;
    return s;
}

// RACE-1 In turn, clockwise. RACE-2 One roll a turn. RACE-3 Going past the goal moves nothing.
Ruling Race::judge(const State& s, int player, const Move& move) {
    const auto value = int_field(move, "value");
    if (text_field(move, "type") != "roll")
        return not_a_move("rules.unknown_move", {{"type", field(move, "type")}});
    if (!value) return not_a_move("rules.die_value", {{"value", field(move, "value")}});
    if (*value < 1 || *value > 6)
        return refused("RACE-2", "race.no_such_value", {{"value", *value}});
    if (player != s.turn) return not_your_turn(s.names[at(s.turn)]);
    return allowed();
}

Applied<State> Race::apply(const State& s, int player, const Move& move) {
    Applied<State> done{s, {}};
    State& next = done.state;
    const int value = *int_field(move, "value");
    ++next.rolls;
    next.die = value;
    next.die_at = point_field(move, "at");
    if (value <= needed(s, player)) {
        next.points[at(player)] += value;
        done.events.push_back(
            {{"event", "scored"}, {"player", s.names[at(player)]}, {"points", value}});
    }
    if (needed(next, player) == 0) next.winner = player;
    next.turn = (player + 1) % static_cast<int>(s.names.size());
    return done;
}

GameView Race::view(const State& s) {
    GameView v;
    v.finished = s.winner >= 0;
    v.turn = v.finished ? -1 : s.turn;
    if (v.finished)
        v.winners = {s.winner};
    else
        v.actions = {"roll"};
    for (std::size_t i = 0; i < s.names.size(); ++i)
        v.players.push_back({{"seat", s.seats[i]}, {"score", s.points[i]}});
    v.board = {{"goal", s.goal}, {"die", s.die ? Json(*s.die) : Json()}};
    return v;
}

std::vector<Mark> Race::marks(const State& s) {
    return score_marks(Table{}, s.names, s.seats, s.points, s.winner >= 0 ? -1 : s.turn);
}

std::vector<PlayerMove> Race::legal_moves(const State& s) {
    std::vector<PlayerMove> all;
    if (s.winner < 0)
        for (int value = 1; value <= 6; ++value)
            all.push_back({s.turn, {{"type", "roll"}, {"value", value}}});
    return all;
}

std::vector<Hint> Race::hints(const State& s, int) {
    if (s.winner >= 0) return {};
    Hint hint;
    hint.message = {"race.needs", {{"points", needed(s, s.turn)}}};
    hint.value = std::min(6, needed(s, s.turn)) / 6.0;
    return {hint};
}

std::string Race::to_text(const State& s) {
    std::string text = fmt::format("to {}:", s.goal);
    for (std::size_t i = 0; i < s.names.size(); ++i)
        text += fmt::format(" {} {}", s.names[i], s.points[i]);
    return text +
           (s.winner >= 0 ? " – won by " + s.names[at(s.winner)]
                          : " – " + s.names[at(s.turn)] + " to roll") +
           "\n";
}

}  // namespace overboard::rules::race
