// Public hints only: nothing here depends on what a hand holds.
#include <algorithm>

#include "rules/gotown/gotown.hpp"
#include "rules/gotown/layout.hpp"

namespace overboard::rules {
namespace gotown {
namespace {

using What = Slot::What;

Mark around(const Town& town, MarkStyle style, What what) {
    Mark mark;
    mark.kind = MarkKind::ghost;
    mark.style = style;
    const int level = static_cast<int>(town.tower.size()) - 1;
    mark.points = layout().outline(layout().place(town.seat, {what, level}));
    mark.at = mark.points.front();
    mark.seat = town.seat;
    return mark;
}

/// Which card robs this top floor of which of its two.
void hint_robbery(const State& state, int target, std::vector<Hint>& hints) {
    const Town& town = state.town(target);
    const Floor& top = town.tower.back();
    for (std::size_t side = 0; side < 2; ++side) {
        const Action theft{Action::Kind::steal_floor, static_cast<Card>(9 - top.values[side]),
                           top.cards[side], target, 0};
        if (!judge(state, state.turn, theft).legal()) continue;
        Hint hint;
        hint.move = to_move(state, theft);
        hint.value = 1 + static_cast<double>(town.tower.size()) / 10;  // rob the tallest first
        hint.message = {"gotown.hint_rob",
                        {{"player", town.name},
                         {"card", name_of(theft.first)},
                         {"take", name_of(theft.second)}}};
        hint.marks = {around(town, MarkStyle::hint, side == 0 ? What::left : What::right)};
        hints.push_back(std::move(hint));
    }
}

void hint_advice(const Town& town, const char* key, double value, MarkStyle style,
                 std::vector<Hint>& hints) {
    Hint hint;
    hint.value = value;
    hint.message = {key, {{"player", town.name}}};
    hint.marks = {around(town, style, What::left), around(town, style, What::right)};
    hints.push_back(std::move(hint));
}

}  // namespace
}  // namespace gotown

using namespace gotown;

std::vector<Hint> Gotown::hints(const State& state, int count) {
    std::vector<Hint> hints;
    if (state.winner >= 0 || count <= 0) return hints;
    for (int i = 0; i < state.players(); ++i) {
        const Town& town = state.town(i);
        if (town.tower.empty()) continue;
        if (static_cast<int>(town.tower.size()) + 1 == state.floors_to_win)
            hint_advice(town, "gotown.hint_nearly_there", 0.9, MarkStyle::warning, hints);
        if (i == state.turn) continue;
        if (town.tower.back().dog)
            hint_advice(town, "gotown.hint_guarded", 0.5, MarkStyle::zone, hints);
        else
            hint_robbery(state, i, hints);
    }
    std::stable_sort(hints.begin(), hints.end(),
                     [](const Hint& a, const Hint& b) { return a.value > b.value; });
    if (hints.size() > static_cast<std::size_t>(count))
        hints.resize(static_cast<std::size_t>(count));
    return hints;
}

}  // namespace overboard::rules
