#include "rules/gotown/gotown.hpp"
#include "rules/gotown/layout.hpp"

#include "bus/data.hpp"
#include "rules/wire.hpp"

namespace overboard::rules {
namespace gotown {
namespace {

using What = Slot::What;

Mark text_mark(MarkStyle style, const std::string& seat, Point local, std::string key, Json args) {
    Mark mark;
    mark.kind = MarkKind::text;
    mark.style = style;
    mark.at = place(layout().seat(seat), local);
    mark.key = std::move(key);
    mark.args = std::move(args);
    mark.seat = seat;
    return mark;
}

Mark outline_mark(const std::string& seat, Slot slot) {
    Mark mark;
    mark.kind = MarkKind::polygon;
    mark.style = MarkStyle::zone;
    mark.points = layout().outline(layout().place(seat, slot));
    mark.at = mark.points.front();
    mark.seat = seat;
    return mark;
}

void mark_town(const State& state, int player, std::vector<Mark>& marks) {
    const Town& town = state.town(player);
    const int floors = static_cast<int>(town.tower.size());
    const bool to_move = state.winner < 0 && state.turn == player;
    marks.push_back(
        text_mark(MarkStyle::score, town.seat, {-200, -150}, "gotown.floors",
                  {{"player", town.name}, {"floors", floors}, {"of", state.floors_to_win}}));
    if (to_move && town.milkshakes > 0)
        marks.push_back(text_mark(MarkStyle::hint, town.seat, {-200, -120}, "gotown.drink_it", {}));
    else if (to_move)
        marks.push_back(text_mark(MarkStyle::hint, town.seat, {-200, -120}, "gotown.your_turn",
                                  {{"player", town.name}}));
    if (floors + 1 == state.floors_to_win && state.winner < 0)
        marks.push_back(text_mark(MarkStyle::warning, town.seat, {0, -195}, "gotown.one_floor_left",
                                  {{"player", town.name}}));
    if (state.winner < 0) {
        marks.push_back(outline_mark(town.seat, {What::left, floors}));
        marks.push_back(outline_mark(town.seat, {What::right, floors}));
    }
}

}  // namespace
}  // namespace gotown

using namespace gotown;

std::vector<Mark> Gotown::marks(const State& state) {
    std::vector<Mark> marks;
    for (int i = 0; i < state.players(); ++i) mark_town(state, i, marks);
    for (const What what : {What::draw_pile, What::discard}) {
        marks.push_back(outline_mark("", {what, 0}));
        marks.back().key = what == What::draw_pile ? "gotown.draw_pile" : "gotown.discard";
    }
    if (state.winner >= 0) {
        const Town& town = state.town(state.winner);
        marks.push_back(text_mark(MarkStyle::score, town.seat, {0, -230}, "gotown.wins",
                                  {{"player", town.name}}));
    }
    return marks;
}

Catalogue Gotown::catalogue(const Setup&) {
    Catalogue catalogue;
    FaceKind cards;
    cards.set = "gotown";
    cards.width_mm = layout().card_width_mm;
    cards.height_mm = layout().card_height_mm;
    for (int card = 1; card < kCards; ++card)
        cards.faces.emplace_back(name_of(static_cast<Card>(card)));
    catalogue.cards.push_back(std::move(cards));
    return catalogue;
}

}  // namespace overboard::rules
