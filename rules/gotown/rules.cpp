// A move is first understood (JSON → Action), then judged, then done. Judging compares with what
// can be seen: the towers, the discard, what lies before the players. Hands are only numbers, so a
// card is possible as long as a copy of it is still unseen.
#include "rules/gotown/gotown.hpp"

#include <algorithm>
#include <numeric>

#include "bus/data.hpp"
#include "rules/gotown/layout.hpp"
#include "rules/wire.hpp"

namespace overboard::rules {
namespace gotown {
namespace {

using Kind = Action::Kind;

constexpr std::array<std::string_view, kCards> kCardNames = {
    "",          "1",           "2",     "3",          "4",    "5",      "6",
    "7",         "8",           "joker", "dog",        "bone", "hammer", "wrecking_ball",
    "milkshake", "donut_truck", "thief", "super_thief"};
constexpr std::array<std::string_view, 12> kKindNames = {"build",
                                                         "steal_floor",
                                                         "guard",
                                                         "bait",
                                                         "hammer",
                                                         "wrecking_ball",
                                                         "thief",
                                                         "super_thief",
                                                         "milkshake",
                                                         "donut_truck",
                                                         "discard_milkshake",
                                                         "end_turn"};

constexpr int kDealt = 5;  // GOTOWN-1

Card at(int value) {
    return static_cast<Card>(value);
}

bool is_floor_card(Card card) {
    return floor_value(card) > 0;
}

}  // namespace

std::string_view name_of(Card card) {
    return kCardNames[index(card)];
}

Card card_named(std::string_view name) {
    const auto found = std::find(kCardNames.begin() + 1, kCardNames.end(), name);
    return found == kCardNames.end() ? Card::none
                                     : at(static_cast<int>(found - kCardNames.begin()));
}

int discarded(const State& state) {
    return std::accumulate(state.discard.begin(), state.discard.end(), 0);
}

int unseen(const State& state, Card card) {
    int seen = state.discard[index(card)];
    for (const Town& town : state.towns) {
        for (const Floor& floor : town.tower) {
            seen += static_cast<int>(std::count(floor.cards.begin(), floor.cards.end(), card));
            seen += card == Card::dog && floor.dog;
        }
        if (card == Card::milkshake) seen += town.milkshakes;
    }
    if (card == Card::donut_truck) seen += state.trucks;
    return state.deck[index(card)] - seen;
}

Move to_move(const State& state, const Action& action) {
    Move move = {{"type", kKindNames[static_cast<std::size_t>(action.kind)]}};
    switch (action.kind) {
        case Kind::build: move["cards"] = {name_of(action.first), name_of(action.second)}; break;
        case Kind::steal_floor:
            move["card"] = name_of(action.first);
            move["from"] = state.town(action.target).name;
            move["take"] = name_of(action.second);
            break;
        case Kind::guard: move["floor"] = action.floor; break;
        case Kind::bait:
            move["target"] = state.town(action.target).name;
            move["floor"] = action.floor;
            break;
        default:
            if (action.target >= 0) move["target"] = state.town(action.target).name;
    }
    return move;
}

namespace {

Ruling not_understood(const char* key) {
    return not_a_move("gotown.move_not_understood", {{"key", key}});
}

std::optional<int> town_at(const State& state, const Move& move, const char* key) {
    const auto name = text_field(move, key);
    for (int i = 0; name && i < state.players(); ++i)
        if (state.town(i).name == *name) return i;
    return {};
}

bool understand_cards(const Move& move, Action& action) {
    const Json& cards = field(move, "cards");
    const auto named = [](const Json& card) { return card.is_string(); };
    if (!cards.is_array() || cards.empty() || !std::all_of(cards.begin(), cards.end(), named))
        return false;
    if (cards.size() != 2) return true;  // no two cards: no floor
    action.first = card_named(cards[0].get_ref<const std::string&>());
    action.second = card_named(cards[1].get_ref<const std::string&>());
    return true;
}

bool understand_theft(const Move& move, Action& action) {
    const auto card = text_field(move, "card"), take = text_field(move, "take");
    if (!card || !take) return false;
    action.first = card_named(*card);
    action.second = card_named(*take);
    return true;
}

bool understand_floor(const Move& move, Action& action) {
    const auto floor = int_field(move, "floor");
    if (floor) action.floor = *floor;
    return floor.has_value();
}

/// A name that nobody has.
std::optional<Ruling> stranger(const State& state, const Move& move) {
    for (const char* key : {"from", "target"})
        if (field(move, key).is_string() && !town_at(state, move, key))
            return not_a_move("rules.no_such_player", {{"player", field(move, key)}});
    return {};
}

bool needs_target(Kind kind) {
    return kind == Kind::steal_floor || kind == Kind::bait || kind == Kind::hammer ||
           kind == Kind::wrecking_ball || kind == Kind::thief || kind == Kind::milkshake;
}

tl::expected<Action, Ruling> understood(const State& state, const Move& move) {
    const auto no = [](const char* key) { return tl::unexpected(not_understood(key)); };
    const auto type = text_field(move, "type");
    const auto found = type ? std::find(kKindNames.begin(), kKindNames.end(), *type)
                            : kKindNames.end();
    if (found == kKindNames.end()) return no("type");
    Action action;
    action.kind = static_cast<Kind>(found - kKindNames.begin());
    if (action.kind == Kind::build && !understand_cards(move, action)) return no("cards");
    if (action.kind == Kind::steal_floor && !understand_theft(move, action)) return no("card");
    if ((action.kind == Kind::guard || action.kind == Kind::bait) &&
        !understand_floor(move, action))
        return no("floor");
    if (needs_target(action.kind)) {
        const char* key = action.kind == Kind::steal_floor ? "from" : "target";
        const auto target = town_at(state, move, key);
        if (!target) return no(key);
        action.target = *target;
    }
    return action;
}

/// GOTOWN-COUNT: could this player hold these cards?
Ruling could_hold(const State& state, int player, std::initializer_list<Card> cards) {
    const int needed = static_cast<int>(cards.size());
    if (state.town(player).hand < needed)
        return refused("GOTOWN-COUNT", "gotown.hand_too_small",
                       {{"hand", state.town(player).hand}, {"needed", needed}});
    for (const Card card : cards)
        if (unseen(state, card) < std::count(cards.begin(), cards.end(), card))
            return refused("GOTOWN-COUNT", "gotown.no_such_card_left", {{"card", name_of(card)}});
    return allowed();
}

/// The middle of a floor (1 is the lowest) on the table.
Point floor_at(const Town& town, int floor) {
    const Pose left = layout().place(town.seat, {Slot::What::left, floor - 1});
    const Pose right = layout().place(town.seat, {Slot::What::right, floor - 1});
    return {(left.x + right.x) / 2, (left.y + right.y) / 2};
}

Point top_of(const Town& town) {
    return floor_at(town, static_cast<int>(town.tower.size()));
}

Ruling judge_build(const State& state, int player, const Action& a) {
    const bool joker_first = a.first == Card::joker, joker_second = a.second == Card::joker;
    if (joker_first && joker_second) return refused("GOTOWN-11", "gotown.two_jokers");
    const bool floor_cards = (is_floor_card(a.first) || joker_first) &&
                             (is_floor_card(a.second) || joker_second);
    if (!floor_cards) return refused("GOTOWN-10", "gotown.not_a_floor_card");
    const int sum = floor_value(a.first) + floor_value(a.second);
    if (!joker_first && !joker_second && sum != kFloorSum)
        return refused("GOTOWN-10", "gotown.must_add_up", {{"sum", sum}});
    return could_hold(state, player, {a.first, a.second});
}

Ruling judge_theft(const State& state, int player, const Action& a) {
    const Town& victim = state.town(a.target);
    if (a.first == Card::joker) return refused("GOTOWN-14", "gotown.joker_cannot_steal");
    if (!is_floor_card(a.first)) return refused("GOTOWN-12", "gotown.not_a_floor_card");
    if (a.target == player) return refused("GOTOWN-12", "gotown.own_tower");
    if (victim.tower.empty())
        return refused("GOTOWN-12", "gotown.no_tower", {{"player", victim.name}});
    const Floor& top = victim.tower.back();
    if (top.dog)
        return refused("GOTOWN-13", "gotown.guarded_from_theft", {{"player", victim.name}},
                       top_of(victim));
    const auto taken = std::find(top.cards.begin(), top.cards.end(), a.second);
    if (taken == top.cards.end() || a.second == Card::none)
        return refused("GOTOWN-12", "gotown.not_on_top", {{"player", victim.name}}, top_of(victim));
    const int sum = floor_value(a.first) +
                    top.values[static_cast<std::size_t>(taken - top.cards.begin())];
    if (sum != kFloorSum)
        return refused("GOTOWN-12", "gotown.must_add_up", {{"sum", sum}}, top_of(victim));
    return could_hold(state, player, {a.first});
}

Ruling judge_guard(const State& state, int player, const Action& a) {
    const auto& tower = state.town(player).tower;
    if (a.floor < 1 || a.floor > static_cast<int>(tower.size()))
        return refused("GOTOWN-15", "gotown.no_such_floor", {{"floor", a.floor}});
    if (tower[static_cast<std::size_t>(a.floor - 1)].dog)
        return refused("GOTOWN-R1", "gotown.one_dog_a_floor", {{"floor", a.floor}},
                       floor_at(state.town(player), a.floor));
    return could_hold(state, player, {Card::dog});
}

Ruling judge_bait(const State& state, int player, const Action& a) {
    const Town& victim = state.town(a.target);
    if (a.target == player) return refused("GOTOWN-16", "gotown.own_dog");
    const bool dog = a.floor >= 1 && a.floor <= static_cast<int>(victim.tower.size()) &&
                     victim.tower[static_cast<std::size_t>(a.floor - 1)].dog;
    if (!dog)
        return refused("GOTOWN-16", "gotown.no_dog_there",
                       {{"player", victim.name}, {"floor", a.floor}});
    return could_hold(state, player, {Card::bone});
}

Ruling judge_demolition(const State& state, int player, const Action& a) {
    const bool hammer = a.kind == Kind::hammer;
    const std::string rule = hammer ? "GOTOWN-17" : "GOTOWN-18";
    const Town& victim = state.town(a.target);
    if (a.target == player) return refused(rule, "gotown.own_tower");
    if (victim.tower.empty()) return refused(rule, "gotown.no_tower", {{"player", victim.name}});
    if (hammer && victim.tower.back().dog)
        return refused(rule, "gotown.guarded_from_hammer", {{"player", victim.name}},
                       top_of(victim));
    return could_hold(state, player, {hammer ? Card::hammer : Card::wrecking_ball});
}

Ruling judge_thief(const State& state, int player, const Action& a) {
    if (a.target == player) return refused("GOTOWN-19", "gotown.own_hand");
    if (state.town(a.target).hand < 1)
        return refused("GOTOWN-R2", "gotown.empty_hand", {{"player", state.town(a.target).name}});
    return could_hold(state, player, {Card::thief});
}

Ruling judge_super_thief(const State& state, int player) {
    bool victim = false;
    for (int i = 0; i < state.players(); ++i) victim |= i != player && state.town(i).hand > 0;
    if (!victim) return refused("GOTOWN-R2", "gotown.nobody_to_rob");
    return could_hold(state, player, {Card::super_thief});
}

Ruling judge_milkshake(const State& state, int player, const Action& a) {
    if (a.target == player) return refused("GOTOWN-21", "gotown.own_milkshake");
    return could_hold(state, player, {Card::milkshake});
}

}  // namespace

Ruling judge(const State& state, int player, const Action& a) {
    const bool milkshake_turn = state.town(player).milkshakes > 0;
    if (milkshake_turn && a.kind != Kind::discard_milkshake)
        return refused("GOTOWN-21", "gotown.only_the_milkshake");
    switch (a.kind) {
        case Kind::build: return judge_build(state, player, a);
        case Kind::steal_floor: return judge_theft(state, player, a);
        case Kind::guard: return judge_guard(state, player, a);
        case Kind::bait: return judge_bait(state, player, a);
        case Kind::hammer:
        case Kind::wrecking_ball: return judge_demolition(state, player, a);
        case Kind::thief: return judge_thief(state, player, a);
        case Kind::super_thief: return judge_super_thief(state, player);
        case Kind::milkshake: return judge_milkshake(state, player, a);
        case Kind::donut_truck: return could_hold(state, player, {Card::donut_truck});
        case Kind::discard_milkshake:
            return milkshake_turn ? allowed() : refused("GOTOWN-21", "gotown.no_milkshake");
        case Kind::end_turn: return allowed();
    }
    return not_understood("type");
}

namespace {

std::optional<CardCounts> deck_from(const Json& json) {
    if (!json.is_object()) return {};
    CardCounts deck{};
    for (const auto& [name, copies] : json.items()) {
        const auto count = whole_in(copies);
        const Card card = card_named(name);
        if (card == Card::none || !count || *count < 0 || *count > 1000) return {};
        deck[index(card)] = *count;
    }
    return deck;
}

Json town_view(const Town& town) {
    Json tower = Json::array();
    for (const Floor& floor : town.tower)
        tower.push_back({{"cards", {name_of(floor.cards[0]), name_of(floor.cards[1])}},
                         {"values", floor.values},
                         {"dog", floor.dog}});
    return {{"hand", town.hand}, {"tower", tower}, {"milkshakes", town.milkshakes}};
}

std::vector<Json> events_between(const State& before, const State& after) {
    std::vector<Json> events;
    for (int i = 0; i < after.players(); ++i) {
        const int floors = static_cast<int>(after.town(i).tower.size());
        const int gained = floors - static_cast<int>(before.town(i).tower.size());
        if (gained != 0)
            events.push_back({{"event", "scored"},
                              {"player", after.town(i).name},
                              {"points", gained},
                              {"floors", floors}});
    }
    return events;
}

}  // namespace
}  // namespace gotown

using namespace gotown;

GameInfo Gotown::info() {
    return {"gotown", "GOTOWN", 2, 4, {""}};
}

tl::expected<Gotown::State, Ruling> Gotown::start(const Setup& setup) {
    State state;
    const Json& own_deck = field(setup.options, "deck");
    const auto deck = deck_from(own_deck.is_null() ? load_data("rules/gotown/data/deck.json")
                                                   : own_deck);
    if (!deck)
        return tl::unexpected(bad_option("deck", "it must say how many of each card there are"));
    state.deck = *deck;
    const auto seats = distinct_seats(setup);
    for (std::size_t i = 0; i < setup.players.size(); ++i)
        state.towns.push_back({setup.players[i].name, seats[i], kDealt, {}, 0});
    state.draw_pile = std::accumulate(deck->begin(), deck->end(), 0) - kDealt * state.players();
    if (state.draw_pile < 1)
        return tl::unexpected(bad_option("deck", "there are too few cards to deal"));
    if (const Json& floors = field(setup.options, "floors"); !floors.is_null()) {
        const auto wanted = whole_in(floors);
        if (!wanted || *wanted < 1 || *wanted > 5)
            return tl::unexpected(bad_option("floors", "a tower has 1 to 5"));
        state.floors_to_win = *wanted;
    }
    const auto first = first_player(setup);
    if (!first) return tl::unexpected(first.error());
    state.turn = *first;
    begin_turn(state);
    return state;
}

Ruling Gotown::judge(const State& state, int player, const Move& move) {
    if (state.winner >= 0) return refused("GOTOWN-6", "gotown.finished");
    if (player != state.turn) return not_your_turn(state.town(state.turn).name);
    const auto action = understood(state, move);
    if (action) return gotown::judge(state, player, *action);
    return stranger(state, move).value_or(action.error());
}

Applied<Gotown::State> Gotown::apply(const State& state, int player, const Move& move) {
    const auto action = understood(state, move);
    State after = done(state, player, *action);
    auto events = events_between(state, after);
    return {std::move(after), std::move(events)};
}

GameView Gotown::view(const State& state) {
    GameView view;
    view.finished = state.winner >= 0;
    view.turn = view.finished ? -1 : state.turn;
    Json towns = Json::object();
    for (const Town& town : state.towns) {
        view.players.push_back(
            {{"seat", town.seat}, {"score", town.tower.size()}, {"hand", town.hand}});
        towns[town.name] = town_view(town);
    }
    if (view.finished)
        view.winners = {state.winner};
    else if (state.town(state.turn).milkshakes > 0)
        view.actions = {"discard_milkshake"};
    else
        view.actions = {kKindNames.begin(), kKindNames.end() - 2};
    if (!view.finished && state.town(state.turn).milkshakes == 0)
        view.actions.push_back("end_turn");
    view.board = {{"draw_pile", state.draw_pile},
                  {"discard_pile", discarded(state)},
                  {"discard_top",
                   state.discard_top == Card::none ? Json() : Json(name_of(state.discard_top))},
                  {"donut_trucks", state.trucks},
                  {"floors_to_win", state.floors_to_win},
                  {"players", towns}};
    return view;
}

Move Gotown::kept(const Move& move) {
    static constexpr std::array kPublic = {"type", "cards",  "card", "from",
                                           "take", "target", "floor"};
    const auto type = text_field(move, "type");
    const bool steals = type == "thief" || type == "super_thief";
    Move kept = Json::object();
    for (const char* key : kPublic) {
        const bool names_a_card = key == std::string_view{"cards"} ||
                                  key == std::string_view{"card"} ||
                                  key == std::string_view{"take"};
        if (const Json& value = field(move, key); !value.is_null() && !(steals && names_a_card))
            kept[key] = value;
    }
    return kept;
}

std::vector<PlayerMove> Gotown::legal_moves(const State& state) {
    std::vector<PlayerMove> moves;
    if (state.winner >= 0) return moves;
    for (const Action& action : imaginable(state, state.turn))
        if (gotown::judge(state, state.turn, action).legal())
            moves.push_back({state.turn, to_move(state, action)});
    if (state.town(state.turn).milkshakes == 0)
        moves.push_back({state.turn, {{"type", "end_turn"}}});
    return moves;
}

std::string Gotown::to_text(const State& state) {
    std::string text = "draw " + std::to_string(state.draw_pile) + ", discard " +
                       std::to_string(discarded(state));
    if (state.discard_top != Card::none)
        text += " (" + std::string{name_of(state.discard_top)} + " on top)";
    text += "\n";
    for (int i = 0; i < state.players(); ++i) {
        const Town& town = state.town(i);
        text += (i == state.turn && state.winner < 0 ? "> " : "  ") + town.name + ", hand " +
                std::to_string(town.hand);
        if (town.milkshakes > 0) text += ", milkshakes " + std::to_string(town.milkshakes);
        text += ":";
        for (const Floor& floor : town.tower)
            text += " [" + std::string{name_of(floor.cards[0])} + " " +
                    std::string{name_of(floor.cards[1])} + (floor.dog ? " dog]" : "]");
        text += "\n";
    }
    if (state.winner >= 0) text += state.town(state.winner).name + " wins\n";
    return text;
}

}  // namespace overboard::rules
