#include "rules/fields.hpp"
#include "rules/jouets/jouets.hpp"
#include "rules/jouets/layout.hpp"
#include "rules/jouets/tiles.hpp"

namespace overboard::rules {
namespace jouets {
namespace {

Mark outline_mark(MarkStyle style, Pose tile, const std::string& seat) {
    Mark mark;
    mark.kind = MarkKind::polygon;
    mark.style = style;
    mark.points = layout().outline(tile);
    mark.at = {tile.x, tile.y};
    mark.seat = seat;
    return mark;
}

Mark told(MarkStyle style, Point at, const std::string& seat, const char* key,
          Json args = Json::object()) {
    Mark mark;
    mark.kind = MarkKind::text;
    mark.style = style;
    mark.at = at;
    mark.key = key;
    mark.args = std::move(args);
    mark.seat = seat;
    return mark;
}

/// Where the shop of the player to move may grow.
void mark_free_cells(const State& state, std::vector<Mark>& marks) {
    const Shop& shop = state.shop(state.turn);
    for (const Cell cell : free_cells(shop))
        marks.push_back(outline_mark(MarkStyle::zone, layout().place(shop.seat, cell), shop.seat));
}

void mark_shop(const State& state, int player, std::vector<Mark>& marks) {
    const Shop& shop = state.shop(player);
    if (shop.tiles.empty())
        marks.push_back(outline_mark(MarkStyle::zone, layout().place(shop.seat, {}), shop.seat));
    marks.push_back(told(MarkStyle::score, layout().scores.at(shop.seat), shop.seat, "jouets.coins",
                         {{"player", shop.name},
                          {"coins", shop.coins},
                          {"bills", shop.coins / 10},
                          {"square", shop.coins % 10 + 1}}));
}

}  // namespace
}  // namespace jouets

using namespace jouets;

std::vector<Mark> Jouets::marks(const State& state) {
    std::vector<Mark> marks;
    for (int i = 0; i < state.players(); ++i) mark_shop(state, i, marks);
    for (const Point p : layout().market)
        marks.push_back(outline_mark(MarkStyle::zone, {p.x, p.y, 0}, ""));
    const Point middle = (layout().market.front() + layout().market.back()) * 0.5;
    marks.push_back(
        told(MarkStyle::zone, middle + Point{0, 0.5 * layout().tile_mm + 13}, "", "jouets.market"));
    if (state.finished) {
        for (const int winner : winners_of(state))
            marks.push_back(told(MarkStyle::score, {600, 300}, state.shop(winner).seat,
                                 "jouets.wins", {{"player", state.shop(winner).name}}));
        return marks;
    }
    const Shop& shop = state.shop(state.turn);
    marks.push_back(
        told(MarkStyle::hint, {600, 260}, shop.seat, "jouets.your_turn", {{"player", shop.name}}));
    if (state.market_known && state.market.size() < kMarket && pile_size(state) > 0)
        marks.push_back(told(MarkStyle::hint, {layout().pile.x, layout().pile.y + 45}, "",
                             "jouets.open_a_tile"));
    mark_free_cells(state, marks);
    return marks;
}

Catalogue Jouets::catalogue(const Setup& setup) {
    Catalogue catalogue;
    FaceKind tiles;
    tiles.set = "jouets";
    tiles.width_mm = tiles.height_mm = layout().tile_mm;
    tiles.thickness_mm = 2;
    tiles.corner_radius_mm = 2;
    const auto set = tile_set(setup.options);
    for (const Tile& tile : set ? (*set)->toys : tile_set(Json::object()).value()->toys)
        tiles.faces.push_back(tile.id);
    for (const Tile& tile : set ? (*set)->registers : tile_set(Json::object()).value()->registers)
        tiles.faces.push_back(tile.id);
    catalogue.tiles.push_back(std::move(tiles));
    return catalogue;
}

}  // namespace overboard::rules
