#include "rules/glimpses.hpp"

#include <algorithm>

// Hurried players go on before the table was still and free of hands: they take the die up again,
// or the tile just opened. What lay there counts if what is next is a move after it. And of two
// moves made in one go the one that could be read while the other was still being made was the
// first.
namespace overboard::rules {
namespace {

bool shows_die(const Observation& seen) {
    return std::any_of(seen.pieces.begin(), seen.pieces.end(),
                       [](const Piece& p) { return p.kind == PieceKind::die && p.value; });
}

}  // namespace

Glimpses::Glimpses(const Game& game, Doubt doubt, const RefereeLimits& limits)
    : game_{&game}, doubt_{std::move(doubt)}, limits_{limits} {}

Observation Glimpses::without_resting_dice(const Observation& seen,
                                           const std::optional<Observation>& since) const {
    Observation shown = seen;
    if (!since) return shown;
    std::erase_if(shown.pieces, [&](const Piece& die) {
        return die.kind == PieceKind::die &&
               std::any_of(since->pieces.begin(), since->pieces.end(), [&](const Piece& old) {
                   return old.kind == PieceKind::die && old.value == die.value &&
                          distance({old.x, old.y}, {die.x, die.y}) <= limits_.die_moved_mm;
               });
    });
    return shown;
}

/// Did a hand take up again what was laid at the glimpse? What still lies there is read as it lies.
bool Glimpses::was_taken_up(const Glimpse& glimpse, const Observation& seen) const {
    if (glimpse.rolled) return glimpse.hand_came;
    const auto& pieces = glimpse.seen.pieces;
    return agreed_ && std::any_of(pieces.begin(), pieces.end(), [&](const Piece& piece) {
               return !lies_there(*agreed_, piece, limits_.in_place_mm) &&
                      !lies_there(seen, piece, limits_.in_place_mm);
           });
}

bool Glimpses::lay_long_enough(const Glimpse& glimpse) const {
    return !glimpse.rolled && glimpse.seen.time - glimpse.since_s >= limits_.beside_hand_s;
}

/// What else was done after these moves, told together with them; an empty reading if nothing was.
Reading Glimpses::read_after(const std::vector<PlayerMove>& moves, const State& state,
                             const Observation& shown) const {
    Reading next = doubt_.best_reading(after_all(*game_, state, moves), shown);
    if (!is_move(next)) return {};
    for (auto& choice : next.choices)
        choice.moves.insert(choice.moves.begin(), moves.begin(), moves.end());
    return next;
}

Reading Glimpses::read(const State& state, const Observation& seen) const {
    for (auto glimpse = glimpses_.rbegin(); glimpse != glimpses_.rend(); ++glimpse) {
        if (!was_taken_up(*glimpse, seen)) continue;
        Reading next = read_after(glimpse->moves, state, without_resting_dice(seen, glimpse->seen));
        if (is_move(next)) return next;
    }
    const Observation shown = without_resting_dice(seen, agreed_);
    Reading plain = doubt_.best_reading(state, shown);
    const bool in_what_order = !first_.empty() && !plain.choices.empty() &&
                               (plain.question || plain.choices.front().moves.size() > 1);
    if (!in_what_order) return plain;
    Reading next = read_after(first_, state, shown);
    return is_move(next) ? next : plain;
}

Reading Glimpses::read_at_rest(const State& state, const Observation& seen) const {
    Reading reading = read(state, seen);
    if (!reading.attention || glimpses_.empty()) return reading;
    const Glimpse& last = glimpses_.back();
    if (!lay_long_enough(last) || was_taken_up(last, seen)) return reading;
    Reading laid_before;
    laid_before.choices.push_back({last.moves});
    return laid_before;
}

void Glimpses::read_alone(const std::vector<PlayerMove>& moves, const Observation& seen) {
    if (moves.size() == 1 && !is_roll(seen)) first_ = moves;
}

/// Dice are not read beside hands: what is told of them is from before. After a hand they are told
/// as they lay until the table is read again: that is no other glimpse.
void Glimpses::remember(const std::vector<PlayerMove>& moves, const Observation& seen,
                        double since_s) {
    const bool rolled = is_roll(seen);
    if (rolled != seen.hands.empty()) return;
    if (!glimpses_.empty()) {
        Glimpse& last = glimpses_.back();
        if (signature_of(last.moves) == signature_of(moves)) {
            last.seen = seen;
            return;
        }
        if (!was_taken_up(last, seen)) glimpses_.pop_back();
    }
    glimpses_.push_back({moves, seen, since_s, rolled, false});
}

bool Glimpses::is_roll(const Observation& seen) const {
    return shows_die(without_resting_dice(seen, agreed_));
}

void Glimpses::hand_came() {
    if (!glimpses_.empty()) glimpses_.back().hand_came = true;
}

void Glimpses::nothing_done() {
    std::erase_if(glimpses_, [](const Glimpse& g) { return !g.rolled; });
    first_.clear();
}

void Glimpses::clear() {
    glimpses_.clear();
    first_.clear();
}

}  // namespace overboard::rules
