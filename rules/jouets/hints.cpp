// All placements of all open tiles, by the coins they pay now. An unknown market gives no hints:
// what cannot be taken is no help.
#include <algorithm>

#include "rules/jouets/jouets.hpp"
#include "rules/jouets/layout.hpp"

namespace overboard::rules {
namespace jouets {
namespace {

struct Placement {
    int tile;
    Cell at;
    int coins;
};

std::vector<Placement> placements(const State& state) {
    const Shop& shop = state.shop(state.turn);
    const auto cells = free_cells(shop);
    std::vector<Placement> all;
    for (const Open& open : state.market)
        for (const Cell cell : cells)
            all.push_back(
                {open.tile, cell, coins_for(areas_extended(state, shop, open.tile, cell))});
    std::stable_sort(all.begin(), all.end(),
                     [](const auto& a, const auto& b) { return a.coins > b.coins; });
    return all;
}

Hint hint_for(const State& state, const Placement& p) {
    const Shop& shop = state.shop(state.turn);
    Hint hint;
    hint.move = {{"type", "place"}, {"tile", state.toy(p.tile).id}, {"at", {p.at.col, p.at.row}}};
    hint.value = p.coins;
    hint.message = {"jouets.hint_place", {{"tile", state.toy(p.tile).id}, {"coins", p.coins}}};
    Mark ghost;
    ghost.kind = MarkKind::ghost;
    ghost.points = layout().outline(layout().place(shop.seat, p.at));
    const Pose middle = layout().place(shop.seat, p.at);
    ghost.at = {middle.x, middle.y};
    ghost.seat = shop.seat;
    Mark sum = ghost;
    sum.kind = MarkKind::badge;
    sum.points.clear();
    sum.text = "+" + std::to_string(p.coins);
    hint.marks = {ghost, sum};
    Json areas = Json::array();
    for (const Area& area : areas_extended(state, shop, p.tile, p.at))
        areas.push_back({{"type", kTypes[static_cast<std::size_t>(area.type)]},
                         {"toys", area.toys},
                         {"tiles", area.tiles}});
    hint.detail = {{"areas", areas}};
    return hint;
}

}  // namespace
}  // namespace jouets

using namespace jouets;

std::vector<Hint> Jouets::hints(const State& state, int count) {
    std::vector<Hint> hints;
    if (state.finished || count <= 0) return hints;
    for (const Placement& p : placements(state)) {
        if (static_cast<int>(hints.size()) >= count) break;
        hints.push_back(hint_for(state, p));
    }
    return hints;
}

}  // namespace overboard::rules
