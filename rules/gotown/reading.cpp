// Every card seen is put into the slot it lies in. Then we look for the move that turns the table
// we know into the table we see: first what the player to move may do, then what the next player
// may do once the turn has ended, then two actions in a row. What only a forbidden move explains
// becomes attention with that move's ruling; what nothing explains becomes attention at the odd
// card.
//
// Lower floors are covered but for a strip and cannot change while a floor lies on them, so only
// their presence under a floor is assumed, never read.
#include <algorithm>
#include <cmath>
#include <map>

#include "rules/gotown/gotown.hpp"
#include "rules/gotown/layout.hpp"
#include "rules/wire.hpp"

namespace overboard::rules {
namespace gotown {
namespace {

using What = Slot::What;

/// What reading trusts. Tuned on nothing: plain odds.
struct Trust {
    double unknown_face = 0.3;  ///< A card without any reading may be what the rules say. Higher:
                                ///< bolder.
    /// A second reading this near to the best is asked about. Higher: asks less.
    double close = 0.5;
    double askew_rad = 0.3;  ///< A card turned further than this does not lie in its place. Higher:
                             ///< cards put down in passing count.
    /// So long a half-made move may lie there. Lower: nags between two cards.
    double patience_s = 3;
};
constexpr Trust kTrust;

struct FloorSeen {
    const Piece* left = nullptr;
    const Piece* right = nullptr;
    const Piece* dog = nullptr;
};
struct TownSeen {
    std::vector<FloorSeen> floors = std::vector<FloorSeen>(8);
    int milkshakes = 0;
};
struct TableSeen {
    std::vector<TownSeen> towns;
    const Piece* discard = nullptr;
    int trucks = 0;
    const Piece* stray = nullptr;  // face up where no card belongs
};

/// Of cards in one place the one on top counts: it was seen last.
void lay(const Piece*& place, const Piece& card) {
    if (!place || card.seen >= place->seen) place = &card;
}

void put_in_middle(TableSeen& table, Slot slot, const Piece& card) {
    if (slot.what == What::discard) lay(table.discard, card);
    if (slot.what == What::truck) ++table.trucks;
}

void put_in_town(TownSeen& town, Slot slot, const Piece& card) {
    FloorSeen& floor = town.floors[static_cast<std::size_t>(slot.level)];
    if (slot.what == What::left) lay(floor.left, card);
    if (slot.what == What::right) lay(floor.right, card);
    if (slot.what == What::dog) lay(floor.dog, card);
    if (slot.what == What::milkshake) ++town.milkshakes;
}

/// Either way up is straight.
bool askew(const Piece& card, Pose place) {
    return std::abs(std::remainder(card.angle - place.angle, M_PI)) > kTrust.askew_rad;
}

void sort_card(const State& state, const Piece& card, TableSeen& table) {
    const Point p{card.x, card.y};
    if (const auto slot = layout().slot_at("", p)) return put_in_middle(table, *slot, card);
    for (std::size_t i = 0; i < state.towns.size(); ++i) {
        const std::string& seat = state.towns[i].seat;
        if (const auto slot = layout().slot_at(seat, p);
            slot && !askew(card, layout().place(seat, *slot)))
            return put_in_town(table.towns[i], *slot, card);
    }
    if (card.face && *card.face != "back") table.stray = &card;  // a hand laid down shows backs
}

TableSeen sorted(const State& state, const Observation& seen) {
    TableSeen table;
    table.towns.resize(state.towns.size());
    for (const Piece& piece : seen.pieces)
        if (piece.kind == PieceKind::card) sort_card(state, piece, table);
    return table;
}

/// How well a piece agrees with being this card, 0 to 1.
double agreement(const Piece* piece, Card card) {
    if (!piece) return 0;
    const std::string_view name = name_of(card);
    if (piece->face && *piece->face == name) return 1;
    for (const Alternative& other : piece->alternatives)
        if (other.what == name) return std::clamp(other.confidence, 0.01, 0.99);
    return !piece->face && piece->alternatives.empty() ? kTrust.unknown_face : 0;
}

double agreement(const FloorSeen& seen, const Floor& floor) {
    const auto [a, b] = floor.cards;
    return std::max(agreement(seen.left, a) * agreement(seen.right, b),
                    agreement(seen.left, b) * agreement(seen.right, a));
}

/// Whether another dog lies on this one: then it may be there unseen.
bool under_a_dog(const TownSeen& seen, std::size_t k) {
    return k + 1 < seen.floors.size() && seen.floors[k + 1].dog;
}

/// The dog of one floor, there or not, against what is seen of it.
double agreement(const TownSeen& seen, std::size_t k, bool dog) {
    const Piece* piece = seen.floors[k].dog;
    if (!dog) return piece ? 0 : 1;
    if (piece) return agreement(piece, Card::dog);
    return under_a_dog(seen, k) ? kTrust.unknown_face : 0;
}

double agreement(const TownSeen& seen, const Town& town) {
    if (seen.milkshakes != town.milkshakes) return 0;
    double all = 1;
    for (std::size_t k = 0; k < seen.floors.size(); ++k) {
        const FloorSeen& floor = seen.floors[k];
        const bool built = k < town.tower.size();
        if (!built && (floor.left || floor.right || floor.dog)) return 0;
        if (!built) continue;
        all *= agreement(seen, k, town.tower[k].dog);
        if (k + 1 == town.tower.size()) all *= agreement(floor, town.tower[k]);
    }
    return all;
}

double agreement(const TableSeen& seen, const State& state) {
    if (seen.stray || seen.trucks != state.trucks) return 0;
    double all = 1;
    if (state.discard_top == Card::none) {
        if (seen.discard) return 0;
    } else if (seen.discard || state.draw_pile > 0) {  // some shuffle before the next card is due
        all = agreement(seen.discard, state.discard_top);
    }
    for (std::size_t i = 0; i < state.towns.size() && all > 0; ++i)
        all *= agreement(seen.towns[i], state.towns[i]);
    return all;
}

bool truck_has_gone(const State& state, const TableSeen& seen) {
    return seen.trucks < state.trucks;
}

/// Whether the table shows what this action would have left behind; what nothing shows is not
/// searched.
bool shows(const TableSeen& seen, const State& state, int player, const Action& a) {
    using Kind = Action::Kind;
    const TownSeen& own = seen.towns[static_cast<std::size_t>(player)];
    const Town& town = state.town(player);
    const FloorSeen& next = own.floors[std::min(town.tower.size(), own.floors.size() - 1)];
    const auto other = static_cast<std::size_t>(std::max(a.target, 0));
    const auto level = static_cast<std::size_t>(std::max(a.floor, 1) - 1);
    const auto top_is_gone = [&] {
        const FloorSeen& top = seen.towns[other].floors[state.towns[other].tower.size() - 1];
        return !top.left && !top.right;
    };
    switch (a.kind) {
        case Kind::build: return agreement(next, {{a.first, a.second}, {}, false}) > 0;
        case Kind::steal_floor:
            return top_is_gone() && agreement(next, {{a.first, a.second}, {}, false}) > 0;
        case Kind::hammer:
        case Kind::wrecking_ball: return top_is_gone();
        case Kind::guard: return own.floors[level].dog != nullptr;
        case Kind::bait: return seen.towns[other].floors[level].dog == nullptr;
        case Kind::milkshake: return seen.towns[other].milkshakes > state.towns[other].milkshakes;
        case Kind::donut_truck: return seen.trucks > state.trucks;
        case Kind::discard_milkshake: return own.milkshakes < town.milkshakes;
        case Kind::end_turn: return truck_has_gone(state, seen);
        default: return seen.discard != nullptr;
    }
}

/// What can be seen to be done: the end of a turn, too, where it takes a truck to the discard.
std::vector<Action> visible_actions(const State& state, int player) {
    auto all = imaginable(state, player);
    if (player == state.turn && state.trucks > 0) all.emplace_back();
    return all;
}

/// What a player could have done, as far as the table shows it.
std::vector<Action> shown_actions(const State& state, const TableSeen& seen, int player) {
    auto all = visible_actions(state, player);
    std::erase_if(all, [&](const Action& a) { return !shows(seen, state, player, a); });
    return all;
}

/// A way from the known table to the seen one.
struct Explanation {
    Reading::Choice choice;
    State after;
};
using Explanations = std::vector<Explanation>;

/// The two cards in the order they lie.
Action as_laid(const TableSeen& seen, const State& after, int player, Action action) {
    if (action.kind != Action::Kind::build) return action;
    const auto& floor = seen.towns[static_cast<std::size_t>(player)]
                            .floors[after.town(player).tower.size() - 1];
    const double straight = agreement(floor.left, action.first) *
                            agreement(floor.right, action.second);
    const double swapped = agreement(floor.left, action.second) *
                           agreement(floor.right, action.first);
    if (swapped > straight) std::swap(action.first, action.second);
    return action;
}

void explain_by_one(const State& state, const TableSeen& seen,
                    const std::vector<PlayerMove>& before, Explanations& found) {
    if (state.winner >= 0) return;
    for (const Action& action : shown_actions(state, seen, state.turn)) {
        if (!judge(state, state.turn, action).legal()) continue;
        State after = done(state, state.turn, action);
        const double score = agreement(seen, after);
        if (score <= 0) continue;
        auto moves = before;
        moves.push_back({state.turn, to_move(state, as_laid(seen, after, state.turn, action))});
        found.push_back({{std::move(moves), score}, std::move(after)});
    }
}

void explain_after_end_of_turn(const State& state, const TableSeen& seen, Explanations& found) {
    if (state.town(state.turn).milkshakes > 0) return;
    const Action end;
    explain_by_one(done(state, state.turn, end), seen, {{state.turn, to_move(state, end)}}, found);
}

void explain_by_two(const State& state, const TableSeen& seen, Explanations& found) {
    for (const Action& action : shown_actions(state, seen, state.turn)) {
        if (!judge(state, state.turn, action).legal()) continue;
        const State after = done(state, state.turn, action);
        if (after.turn != state.turn) continue;
        Explanations rest;
        explain_by_one(after, seen, {{state.turn, to_move(state, action)}}, rest);
        for (auto& way : rest) {
            // A discard that looks as before had nothing laid on it: rather than one card under
            // another like the one that lay there, somebody is in the middle of a move.
            if (after.discard_top != state.discard_top &&
                way.after.discard_top == state.discard_top)
                continue;
            const bool known = std::any_of(found.begin(), found.end(),
                                           [&](const auto& f) { return f.after == way.after; });
            if (!known) found.push_back(std::move(way));
        }
    }
}

void best_first(Explanations& found) {
    std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) {
        return a.choice.confidence > b.choice.confidence;
    });
}

Explanations explained(const State& state, const TableSeen& seen) {
    Explanations found;
    explain_by_one(state, seen, {}, found);
    if (found.empty()) {
        explain_after_end_of_turn(state, seen, found);
        // After a donut truck the same player goes on: the turn may have ended before or after.
        if (found.empty() || truck_has_gone(state, seen)) explain_by_two(state, seen, found);
    }
    best_first(found);
    return found;
}

/// The ruling of a forbidden move that would explain what is seen.
std::optional<Ruling> forbidden(const State& state, const TableSeen& seen) {
    for (int i = 0; i < state.players(); ++i) {
        const int player = (state.turn + i) % state.players();
        for (const Action& action : shown_actions(state, seen, player)) {
            if (agreement(seen, done(state, player, action)) <= 0) continue;
            Ruling ruling = Gotown::judge(state, player, to_move(state, action));
            if (!ruling.legal()) return ruling;
        }
    }
    return {};
}

bool differs(const FloorSeen& seen, const Town& town, std::size_t k) {
    if (k >= town.tower.size()) return seen.left || seen.right || seen.dog;
    if (town.tower[k].dog != (seen.dog != nullptr)) return true;
    return k + 1 == town.tower.size() && agreement(seen, town.tower[k]) <= 0;
}

/// Where the table differs from what we know.
Point odd_place(const State& state, const TableSeen& seen) {
    if (seen.stray) return {seen.stray->x, seen.stray->y};
    for (std::size_t i = 0; i < state.towns.size(); ++i) {
        const Town& town = state.towns[i];
        for (std::size_t k = 0; k < seen.towns[i].floors.size(); ++k) {
            if (!differs(seen.towns[i].floors[k], town, k)) continue;
            const Pose at = layout().place(town.seat, {What::right, static_cast<int>(k)});
            return {at.x, at.y};
        }
        if (seen.towns[i].milkshakes != town.milkshakes) {
            const Pose at = layout().place(town.seat, {What::milkshake, 0});
            return {at.x, at.y};
        }
    }
    return layout().discard;
}

/// Whether a card may lie where it lies in the middle of a move: as before it or as after it.
bool between(const Piece* card, const Town& before, const Town& after, std::size_t k) {
    const auto fits = [&](const Town& town) {
        if (k + 1 < town.tower.size()) return true;  // under other floors: not read
        if (k >= town.tower.size()) return !card;
        const auto [a, b] = town.tower[k].cards;
        return !card || agreement(card, a) > 0 || agreement(card, b) > 0;
    };
    return fits(before) || fits(after);
}

bool between(int seen, int before, int after) {
    return seen >= std::min(before, after) && seen <= std::max(before, after);
}

bool between(const TownSeen& seen, const Town& before, const Town& after) {
    const auto dog_at = [](const Town& t, std::size_t k) {
        return k < t.tower.size() && t.tower[k].dog;
    };
    if (!between(seen.milkshakes, before.milkshakes, after.milkshakes)) return false;
    for (std::size_t k = 0; k < seen.floors.size(); ++k) {
        const FloorSeen& floor = seen.floors[k];
        if (!between(floor.dog != nullptr, dog_at(before, k), dog_at(after, k))) return false;
        if (!between(floor.left, before, after, k) || !between(floor.right, before, after, k))
            return false;
    }
    return true;
}

/// The one whose turn it is is in the middle of a legal move: the second card of two is still in
/// the hand.
bool begun_now(const State& state, const TableSeen& seen) {
    if (seen.stray) return false;
    const auto discard_fits = [&](const State& s) {  // the pile may be in somebody's hand
        return !seen.discard ||
               (s.discard_top != Card::none && agreement(seen.discard, s.discard_top) > 0);
    };
    for (const Action& action : visible_actions(state, state.turn)) {
        if (!judge(state, state.turn, action).legal()) continue;
        const State after = done(state, state.turn, action);
        bool all = between(seen.trucks, state.trucks, after.trucks) &&
                   (discard_fits(state) || discard_fits(after));
        for (std::size_t i = 0; i < state.towns.size() && all; ++i)
            all = between(seen.towns[i], state.towns[i], after.towns[i]);
        if (all) return true;
    }
    return false;
}

bool begun(const State& state, const TableSeen& seen) {
    if (begun_now(state, seen)) return true;
    return state.town(state.turn).milkshakes == 0 &&
           begun_now(done(state, state.turn, Action{}), seen);
}

Reading attention(const State& state, const TableSeen& seen) {
    Reading reading;
    if (begun(state, seen)) reading.patience_s = kTrust.patience_s;
    Ruling ruling = forbidden(state, seen).value_or(refused("TABLE", "rules.unexplained"));
    if (!ruling.at) ruling.at = odd_place(state, seen);
    reading.attention = std::move(ruling);
    return reading;
}

/// The pile was counted as shuffled, but the old discard still lies there.
bool still_unshuffled(const State& state, const TableSeen& seen) {
    return state.discard_top == Card::none && state.shuffled_top != Card::none &&
           agreement(seen.discard, state.shuffled_top) > 0;
}

/// Does a dog that should lie under another not show? Then it may have been lured away, the bone
/// lying on a bone.
bool hidden_dog_unseen(const State& state, const TableSeen& seen) {
    for (std::size_t i = 0; i < state.towns.size(); ++i)
        for (std::size_t k = 0; k < state.towns[i].tower.size(); ++k)
            if (state.towns[i].tower[k].dog && !seen.towns[i].floors[k].dog &&
                under_a_dog(seen.towns[i], k))
                return true;
    return false;
}

/// What explains the table better than that nothing was done.
Explanations better_than(double nothing_done, const State& state, const TableSeen& seen) {
    Explanations found;
    explain_by_one(state, seen, {}, found);
    std::erase_if(found,
                  [&](const Explanation& way) { return way.choice.confidence <= nothing_done; });
    best_first(found);
    return found;
}

Reading please_shuffle() {
    Reading reading;
    reading.attention = refused("GOTOWN-5", "gotown.please_shuffle", Json::object(),
                                layout().discard);
    return reading;
}

Reading::Question which(const State& state, const TableSeen& seen) {
    return {{"rules.which", Json::object()}, state.turn, odd_place(state, seen)};
}

/// Those nearly as good as the best, which comes first; several are a question.
Reading chosen(const State& state, const TableSeen& seen, const Explanations& ways) {
    Reading reading;
    for (const auto& way : ways)
        if (way.choice.confidence >= kTrust.close * ways.front().choice.confidence)
            reading.choices.push_back(way.choice);
    if (reading.choices.size() > 1) reading.question = which(state, seen);
    return reading;
}

/// The old discard lies there, or a card like its top was laid since: a bone that lured a dog from
/// under another. Asked.
Reading unshuffled_or_lured(double nothing_done, const State& state, const TableSeen& seen) {
    if (!hidden_dog_unseen(state, seen)) return please_shuffle();
    Reading reading = chosen(state, seen, better_than(nothing_done, state, seen));
    if (reading.choices.empty()) return please_shuffle();
    reading.question = which(state, seen);
    return reading;
}

void add_card(Observation& scene, Pose at, std::string_view face) {
    Piece card;
    card.kind = PieceKind::card;
    card.id = static_cast<int>(scene.pieces.size()) + 1;
    card.face = std::string{face};
    card.x = at.x;
    card.y = at.y;
    card.angle = wrapped(at.angle);
    scene.pieces.push_back(std::move(card));
}

void add_town(Observation& scene, const Town& town) {
    const Layout& l = layout();
    for (int k = 0; k < static_cast<int>(town.tower.size()); ++k) {
        const Floor& floor = town.tower[static_cast<std::size_t>(k)];
        add_card(scene, l.place(town.seat, {What::left, k}), name_of(floor.cards[0]));
        add_card(scene, l.place(town.seat, {What::right, k}), name_of(floor.cards[1]));
        if (floor.dog) add_card(scene, l.place(town.seat, {What::dog, k}), name_of(Card::dog));
    }
    for (int k = 0; k < town.milkshakes; ++k)
        add_card(scene, l.place(town.seat, {What::milkshake, k}), name_of(Card::milkshake));
}

}  // namespace
}  // namespace gotown

using namespace gotown;

Observation Gotown::scene_of(const State& state) {
    Observation scene;
    scene.source = "scene";
    scene.still = true;
    for (const Town& town : state.towns) add_town(scene, town);
    if (state.draw_pile > 0) add_card(scene, layout().place("", {What::draw_pile, 0}), "back");
    if (state.discard_top != Card::none)
        add_card(scene, layout().place("", {What::discard, 0}), name_of(state.discard_top));
    for (int k = 0; k < state.trucks; ++k)
        add_card(scene, layout().place("", {What::truck, k}), name_of(Card::donut_truck));
    return scene;
}

Reading Gotown::read(const State& state, const Observation& seen) {
    if (!seen.still || seen.sight != "ok" || state.winner >= 0) return {};
    const TableSeen table = sorted(state, seen);
    const double as_known = agreement(table, state);
    if (as_known > 0 && !hidden_dog_unseen(state, table)) return {};
    if (as_known > 0) return chosen(state, table, better_than(as_known, state, table));
    const bool unshuffled = still_unshuffled(state, table);
    TableSeen shuffled = table;
    if (unshuffled) shuffled.discard = nullptr;
    if (const double nothing_done = agreement(shuffled, state); unshuffled && nothing_done > 0)
        return unshuffled_or_lured(nothing_done, state, table);
    Explanations ways = explained(state, table);
    if (ways.empty() && unshuffled) ways = explained(state, shuffled);
    return ways.empty() ? attention(state, table) : chosen(state, table, ways);
}

void Gotown::hide(Observation& seen) {
    const auto belongs = [](const Piece& card) {
        for (const char* seat : {"", "s", "w", "n", "e"})
            if (layout().slot_at(seat, {card.x, card.y})) return true;
        return false;
    };
    for (Piece& piece : seen.pieces) {
        if (piece.kind != PieceKind::card || belongs(piece)) continue;
        piece.face.reset();
        piece.alternatives.clear();
    }
}

bool Gotown::visible(const State& state, const PlayerMove& move) {
    const std::string type = text_field(move.move, "type").value_or("");
    if (type == "end_turn") return state.trucks > 0;  // taken to the discard
    const auto new_on_top = [&](Card card) {
        return state.discard_top != card && state.shuffled_top != card;
    };
    if (type == "super_thief") return new_on_top(Card::super_thief);
    if (type != "thief") return true;
    // The thief lies on the discard, but not whom it robbed.
    int victims = 0;
    for (int i = 0; i < state.players(); ++i) victims += i != move.player && state.town(i).hand > 0;
    return victims == 1 && new_on_top(Card::thief);
}

}  // namespace overboard::rules
