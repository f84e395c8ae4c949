#include <cmath>

#include "rules/fields.hpp"
#include "rules/gayplay/gayplay.hpp"

// Public advice only: which rolls bring the player in, how likely that is, and how many cards the
// shop still holds. What lies where nobody knows, and nobody is told.
namespace overboard::rules::gayplay {
namespace {

bool has_come_in(const State& s, int player, int need) {
    const Figure& f = s.figures[static_cast<std::size_t>(player)];
    return s.winner == player || (need && f.status == Status::in_shop && needed_shop(s, f) == need);
}

Hint advice(std::string key, Json args, double value) {
    Hint hint;
    hint.message = {std::move(key), args};
    hint.detail = std::move(args);
    hint.value = value;
    return hint;
}

std::vector<int> rolls_in(const State& s, int need) {
    std::vector<int> rolls;
    for (int value = 1; value <= 6; ++value)
        if (has_come_in(Gayplay::apply(s, s.turn, {{"type", "roll"}, {"value", value}}).state,
                        s.turn, need))
            rolls.push_back(value);
    return rolls;
}

const char* way_in_key(bool far, int need) {
    if (far) return "gayplay.hint_too_far";
    return need ? "gayplay.hint_roll" : "gayplay.hint_arrival";
}

Hint way_in(const State& s) {
    const Figure& f = s.figures[static_cast<std::size_t>(s.turn)];
    const int need = needed_shop(s, f);
    const std::vector<int> rolls = rolls_in(s, need);
    const double chance = static_cast<double>(rolls.size()) / 6;
    Hint hint = advice(way_in_key(rolls.empty(), need),
                       {{"player", f.name},
                        {"rolls", fmt::format("{}", fmt::join(rolls, ", "))},
                        {"shop", need},
                        {"percent", static_cast<int>(std::lround(100 * chance))}},
                       chance);
    hint.detail = {{"rolls", rolls}, {"chance", chance}, {"shop", need ? Json(need) : Json()}};
    Mark goal;
    goal.at = s.board
                  ->squares[static_cast<std::size_t>(need ? s.board->red.at(need)
                                                          : s.board->arrival)]
                  .at;
    goal.radius = 16;
    hint.marks = {goal};
    return hint;
}

Hint cards_hint(const State& s, int shop) {
    const int left = cards_left(s, shop);
    double chance = 0;
    for (int roll = 1; roll <= 6; ++roll)
        chance += left ? std::min(1.0, static_cast<double>(roll) / left) / 6 : 0;
    return advice("gayplay.hint_cards", {{"shop", shop}, {"cards", left}, {"chance", chance}},
                  chance);
}

}  // namespace

std::vector<Hint> Gayplay::hints(const State& s, int count) {
    if (s.winner >= 0) return {};
    std::vector<Hint> all;
    const Figure& f = s.figures[static_cast<std::size_t>(s.turn)];
    const bool held = f.status == Status::waiting || f.status == Status::circus ||
                      f.status == Status::park;
    if (held)
        all.push_back(
            advice("gayplay.hint_six", {{"player", f.name}, {"chance", 1.0 / 6}}, 1.0 / 6));
    if (f.status == Status::street) all.push_back(way_in(s));
    if (const int need = needed_shop(s, f)) all.push_back(cards_hint(s, need));
    if (static_cast<int>(all.size()) > count)
        all.resize(static_cast<std::size_t>(std::max(count, 0)));
    return all;
}

}  // namespace overboard::rules::gayplay
