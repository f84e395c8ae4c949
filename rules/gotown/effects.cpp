// What actions do to the table, and every action anyone could imagine. No rule is asked here.
#include <algorithm>
#include <utility>

#include "rules/gotown/gotown.hpp"

namespace overboard::rules::gotown {
namespace {

using Kind = Action::Kind;

constexpr int kFullHand = 8;      // GOTOWN-2
constexpr int kHandAtTheEnd = 3;  // GOTOWN-4

Card at(int value) {
    return static_cast<Card>(value);
}

void discard(State& state, Card card) {
    ++state.discard[index(card)];
    state.discard_top = card;
    state.shuffled_top = Card::none;
}

void play(State& state, int player, Card card) {
    --state.town(player).hand;
    discard(state, card);
}

/// GOTOWN-5, GOTOWN-R5: shuffles when a card is due and the pile is empty; draws what there is.
void draw(State& state, int player, int cards) {
    for (; cards > 0; --cards) {
        if (state.draw_pile == 0) {
            state.draw_pile = discarded(state);
            state.discard = {};
            state.shuffled_top = std::exchange(state.discard_top, Card::none);
        }
        if (state.draw_pile == 0) return;
        --state.draw_pile;
        ++state.town(player).hand;
    }
}

}  // namespace

void begin_turn(State& state) {
    const Town& town = state.town(state.turn);
    if (town.milkshakes == 0 && town.hand < kFullHand) draw(state, state.turn, 1);
}

namespace {

void next_player(State& state) {
    state.turn = (state.turn + 1) % state.players();
    begin_turn(state);
}

void end_turn(State& state) {
    draw(state, state.turn, kHandAtTheEnd - state.town(state.turn).hand);
    for (; state.trucks > 0; --state.trucks) {
        discard(state, Card::donut_truck);
        ++state.extra_turns;
    }
    if (state.extra_turns == 0) return next_player(state);
    --state.extra_turns;
    begin_turn(state);
}

void add_floor(State& state, int player, Floor floor) {
    Town& town = state.town(player);
    town.tower.push_back(floor);
    if (static_cast<int>(town.tower.size()) >= state.floors_to_win) state.winner = player;
}

void build(State& state, int player, const Action& a) {
    Floor floor{{a.first, a.second}, {floor_value(a.first), floor_value(a.second)}, false};
    if (a.first == Card::joker) floor.values[0] = kFloorSum - floor.values[1];
    if (a.second == Card::joker) floor.values[1] = kFloorSum - floor.values[0];
    state.town(player).hand -= 2;
    add_floor(state, player, floor);
}

void steal_floor(State& state, int player, const Action& a) {
    Town& victim = state.town(a.target);
    const Floor robbed = victim.tower.back();
    victim.tower.pop_back();
    const std::size_t taken = robbed.cards[0] == a.second ? 0 : 1;
    if (robbed.dog) discard(state, Card::dog);
    discard(state, robbed.cards[1 - taken]);
    --state.town(player).hand;
    add_floor(state, player,
              {{a.first, a.second}, {floor_value(a.first), robbed.values[taken]}, false});
}

/// The played card comes to lie on top of what it destroyed.
void demolish(State& state, int player, const Action& a) {
    Town& victim = state.town(a.target);
    const Floor floor = victim.tower.back();
    victim.tower.pop_back();
    for (const Card card : floor.cards) discard(state, card);
    if (floor.dog) discard(state, Card::dog);
    play(state, player, a.kind == Kind::hammer ? Card::hammer : Card::wrecking_ball);
}

void bait(State& state, int player, const Action& a) {
    state.town(a.target).tower[static_cast<std::size_t>(a.floor - 1)].dog = false;
    discard(state, Card::dog);
    play(state, player, Card::bone);
}

void take_card(State& state, int player, int victim) {
    if (state.town(victim).hand == 0) return;
    --state.town(victim).hand;
    ++state.town(player).hand;
}

void super_thief(State& state, int player) {
    play(state, player, Card::super_thief);
    for (int i = 0; i < state.players(); ++i)
        if (i != player) take_card(state, player, i);
}

void drink(State& state, int player) {
    --state.town(player).milkshakes;
    discard(state, Card::milkshake);
    next_player(state);
}

}  // namespace

State done(State state, int player, const Action& a) {
    Town& town = state.town(player);
    switch (a.kind) {
        case Kind::build: build(state, player, a); break;
        case Kind::steal_floor: steal_floor(state, player, a); break;
        case Kind::guard:
            --town.hand;
            town.tower[static_cast<std::size_t>(a.floor - 1)].dog = true;
            break;
        case Kind::bait: bait(state, player, a); break;
        case Kind::hammer:
        case Kind::wrecking_ball: demolish(state, player, a); break;
        case Kind::thief:
            play(state, player, Card::thief);
            take_card(state, player, a.target);
            break;
        case Kind::super_thief: super_thief(state, player); break;
        case Kind::milkshake:
            --town.hand;
            ++state.town(a.target).milkshakes;
            break;
        case Kind::donut_truck:
            --town.hand;
            ++state.trucks;
            break;
        case Kind::discard_milkshake: drink(state, player); break;
        case Kind::end_turn: end_turn(state); break;
    }
    return state;
}

namespace {

void imagine_builds(std::vector<Action>& all) {
    for (int a = 1; a <= 8; ++a) {
        for (int b = a; b <= 8; ++b) all.push_back({Kind::build, at(a), at(b), -1, 0});
        all.push_back({Kind::build, at(a), Card::joker, -1, 0});
    }
    all.push_back({Kind::build, Card::joker, Card::joker, -1, 0});
}

void imagine_against(const State& state, int target, std::vector<Action>& all) {
    const Town& victim = state.town(target);
    for (const Kind kind : {Kind::thief, Kind::milkshake})
        all.push_back({kind, Card::none, Card::none, target, 0});
    if (victim.tower.empty()) return;
    for (const Kind kind : {Kind::hammer, Kind::wrecking_ball})
        all.push_back({kind, Card::none, Card::none, target, 0});
    const auto& top = victim.tower.back().cards;
    for (std::size_t side = 0; side < (top[0] == top[1] ? 1U : 2U); ++side)
        for (int card = 1; card <= 9; ++card)
            all.push_back({Kind::steal_floor, at(card), top[side], target, 0});
    for (int floor = 1; floor <= static_cast<int>(victim.tower.size()); ++floor)
        if (victim.tower[static_cast<std::size_t>(floor - 1)].dog)
            all.push_back({Kind::bait, Card::none, Card::none, target, floor});
}

}  // namespace

std::vector<Action> imaginable(const State& state, int player) {
    std::vector<Action> all;
    imagine_builds(all);
    for (int floor = 1; floor <= static_cast<int>(state.town(player).tower.size()); ++floor)
        if (!state.town(player).tower[static_cast<std::size_t>(floor - 1)].dog)
            all.push_back({Kind::guard, Card::none, Card::none, -1, floor});
    for (int other = 0; other < state.players(); ++other)
        if (other != player) imagine_against(state, other, all);
    for (const Kind kind : {Kind::super_thief, Kind::donut_truck})
        all.push_back({kind, Card::none, Card::none, -1, 0});
    if (state.town(player).milkshakes > 0)
        all.push_back({Kind::discard_milkshake, Card::none, Card::none, -1, 0});
    return all;
}

}  // namespace overboard::rules::gotown
