#include "rules/referee.hpp"

#include <algorithm>

#include "rules/ghosts.hpp"

// Every trusted observation is read by the game. A reading must hold for a moment, so that a piece
// that flickers for a frame moves nothing. What pieces could be instead is doubt.hpp's; what was
// done before the table was still, glimpses.hpp's. Here is decided when a reading counts, and what
// people are told.
namespace overboard::rules {
namespace {

bool trusted(const Observation& seen) {
    return seen.still && seen.hands.empty() && seen.sight == "ok";
}

Decision carrying_out(std::vector<PlayerMove> moves) {
    Decision d;
    d.kind = Decision::Kind::apply;
    d.moves = std::move(moves);
    return d;
}

}  // namespace

Referee::Referee(const Game& game, const Setup& setup, RefereeLimits limits)
    : game_{&game},
      catalogue_{game.catalogue(setup)},
      limits_{limits},
      glimpses_{game, Doubt{game, catalogue_, limits.close}, limits},
      stones_{game},
      strokes_{game},
      setting_up_{strokes_are_watched()} {}

bool Referee::strokes_are_watched() const {
    return limits_.watches_strokes && game_->read_shot != nullptr;
}

bool Referee::has_settled(const std::string& signature, double time_s) {
    held_.see(signature, time_s);
    return held_.times() >= limits_.settle_frames && held_.for_s() >= limits_.settle_s;
}

Decision Referee::raise(Ruling ruling) {
    const bool known = attention_ && attention_->rule == ruling.rule &&
                       attention_->message.key == ruling.message.key;
    attention_ = ruling;
    Decision d;
    if (known) return d;
    d.kind = Decision::Kind::attention;
    d.ruling = std::move(ruling);
    return d;
}

Decision Referee::all_is_well() {
    setting_up_ = false;
    asked_.clear();
    Decision d;
    if (!attention_) return d;
    attention_.reset();
    restoring_ = false;
    d.kind = Decision::Kind::cleared;
    return d;
}

bool Referee::in_place(const State& state, const Observation& seen) const {
    const Observation scene = game_->scene_of(state);
    return std::all_of(scene.pieces.begin(), scene.pieces.end(), [&](const Piece& wanted) {
        return lies_there(seen, wanted, limits_.in_place_mm);
    });
}

/// Vision and referee wait side by side: a move that is read alike while vision makes sure that the
/// table is still needs no time of its own afterwards. Warnings and questions are timed from rest.
/// While a hand is over some other part of the table, what was laid is only remembered.
void Referee::foresee(const State& state, const Observation& seen) {
    if (!seen.hands.empty()) glimpses_.hand_came();
    if (seen.sight != "ok" || game_->read_shot || !stones_.none()) return held_.forget();
    Observation as_if_still = seen;
    as_if_still.still = true;
    as_if_still.hands.clear();
    const Reading reading = glimpses_.read(state, as_if_still);
    if (!is_move(reading)) return held_.forget();
    const bool settled = has_settled(signature_of(reading), seen.time);
    const std::vector<PlayerMove>& moves = reading.choices.front().moves;
    if (held_.times() > 1) glimpses_.read_alone(moves, seen);
    if (settled && held_.for_s() >= limits_.glimpse_s)
        glimpses_.remember(moves, seen, seen.time - held_.for_s());
}

Decision Referee::feed(const State& state, const Observation& seen) {
    // What was read beside a hand is read anew, and timed anew, when it is gone.
    if (std::exchange(hands_over_, !seen.hands.empty()) == seen.hands.empty()) held_.forget();
    if (!trusted(seen)) {
        foresee(state, seen);
        return {};
    }
    latest_ = stones_.added_to(seen, state);
    if (!strokes_.none()) return decide_strokes(state, seen);
    return act_on(state, glimpses_.read_at_rest(state, *latest_), *latest_);
}

Decision Referee::act_on_nothing(const State& state, const Observation& seen) {
    const bool settled = has_settled("nothing", seen.time);
    if (settled) glimpses_.nothing_done();
    if (restoring_ && !in_place(state, seen)) return {};
    if (settled || !agreed()) glimpses_.agree(seen);
    return settled ? all_is_well() : Decision{};
}

Decision Referee::act_on(const State& state, Reading reading, const Observation& seen) {
    if (is_nothing(reading)) return act_on_nothing(state, seen);
    if (!has_settled(signature_of(reading), seen.time)) return {};
    if (strokes_are_watched() && !reading.choices.empty()) {
        if (held_.for_s() < limits_.stroke_wait_s) return {};
        return raise(refused("UNSEEN", "rules.unseen_stroke"));
    }
    if (reading.attention && held_.for_s() < reading.patience_s) return {};
    if (reading.attention) return raise(*reading.attention);
    if (reading.question) return ask(std::move(reading));
    last_change_s_ = seen.time;
    return carrying_out(std::move(reading.choices.front().moves));
}

Decision Referee::ask(Reading reading) {
    Decision d;
    if (std::exchange(asked_, held_.signature()) == held_.signature()) return d;
    d.kind = Decision::Kind::question;
    d.question = *reading.question;
    d.choices = std::move(reading.choices);
    return d;
}

Decision Referee::feed(const State& state, const Shot& shot) {
    if (!game_->read_shot) return {};
    if (last_change_s_ && shot.end <= *last_change_s_)
        return {};  // already counted by what was missing
    if (setting_up_ && !shot.striker_from) return {};
    if (strokes_.knows(shot)) return {};
    Reading reading = game_->read_shot(state, shot, nullptr);
    if (is_nothing(reading)) return {};
    held_.forget();
    // Who shot from a wrong place is told so at once; counts may still be put right by the table.
    if (reading.attention && reading.attention->at && strokes_.none()) {
        last_change_s_ = shot.end;
        restoring_ = true;
        return raise(*reading.attention);
    }
    if (!latest_) {  // nobody ever showed the table: the stroke is all there is to go by
        last_change_s_ = shot.end;
        reading = strokes_.legal_reading(state, shot, nullptr);
        return reading.attention ? raise(*reading.attention)
                                 : carrying_out(std::move(reading.choices.front().moves));
    }
    strokes_.add(shot);
    return {};
}

/// All strokes since the last still table, together.
Decision Referee::decide_strokes(const State& state, const Observation& seen) {
    Strokes::Sum sum = strokes_.read(state, seen);
    const bool settled = has_settled(sum.doubt ? "stroke?" : "stroke " + signature_of(sum.moves),
                                     seen.time);
    if (sum.doubt)
        return settled && held_.for_s() >= limits_.stroke_wait_s ? raise(*sum.doubt) : Decision{};
    if (sum.confidence < limits_.sure_stroke && !settled) return {};
    last_change_s_ = strokes_.last_end_s();
    strokes_.clear();
    return sum.moves.empty() ? Decision{} : carrying_out(std::move(sum.moves));
}

void Referee::forget_what_was_read() {
    held_.forget();
    glimpses_.clear();
    asked_.clear();
    strokes_.clear();
}

void Referee::accepted(bool round_over) {
    if (latest_) glimpses_.agree(*latest_);
    stones_.state_changed();
    attention_.reset();
    restoring_ = false;
    forget_what_was_read();
    if (round_over && strokes_are_watched()) setting_up_ = true;
}

void Referee::begin_with(const Observation& seen) {
    latest_ = seen;
    glimpses_.agree(seen);
}

void Referee::resume(const std::optional<Observation>& now) {
    forget_what_was_read();
    if (!now) return;
    begin_with(*now);
    last_change_s_ = now->time;
}

void Referee::refused_move(const Ruling& ruling) {
    attention_ = ruling;
    restoring_ = game_->read_shot != nullptr;
}

std::vector<Mark> Referee::marks(const State& state) const {
    std::vector<Mark> marks;
    if (!attention_) return marks;
    marks.push_back(warning_mark(*attention_, catalogue_));
    if (!latest_ && !restoring_) return marks;
    const Observation scene = game_->scene_of(state);
    for (const Piece& wanted : scene.pieces) {
        if (wanted.kind == PieceKind::die) continue;
        const bool there = latest_ && lies_there(*latest_, wanted, limits_.in_place_mm);
        if (there && !restoring_) continue;
        marks.push_back(ghost_of(wanted, catalogue_));
        marks.back().done = there;
    }
    return marks;
}

}  // namespace overboard::rules
