#include "rules/referee.hpp"

#include "rules/fields.hpp"

// Every trusted observation is read by the game. A reading must hold for a moment, so that a piece
// that flickers for a frame moves nothing. When the plain reading explains nothing, each doubtful
// piece is tried as each other thing it could be; what is legal then competes by confidence. Dice
// that lie where they lay are not shown to the game: only a die that moved was rolled. A stone that
// had to be entered by hand, blue on blue in bad light, is believed until the camera sees it.
namespace overboard::rules {
namespace {

Point at(const Piece& p) {
    return {p.x, p.y};
}

bool trusted(const Observation& seen) {
    return seen.still && seen.hands.empty() && seen.sight == "ok";
}

bool is_nothing(const Reading& r) {
    return r.choices.empty() && !r.question && !r.attention;
}

/// The same without measured numbers, so that jitter does not look like another move.
void drop_measurements(Json& json) {
    if (json.is_number_float()) json = nullptr;
    if (json.is_structured())
        for (Json& inner : json) drop_measurements(inner);
}

std::string signature_of(const std::vector<PlayerMove>& moves) {
    std::string text;
    for (const PlayerMove& m : moves) {
        Json move = m.move;
        drop_measurements(move);
        text += std::to_string(m.player) + move.dump();
    }
    return text;
}

std::string signature_of(const Reading& r) {
    if (r.attention) return "attention " + r.attention->rule + r.attention->message.key;
    std::string text = r.question ? "question " + r.question->message.key : "moves ";
    for (const auto& choice : r.choices) text += signature_of(choice.moves);
    return text;
}

bool is_move(const Reading& r) {
    return !r.choices.empty() && !r.question && !r.attention;
}

bool shows_die(const Observation& seen) {
    return std::any_of(seen.pieces.begin(), seen.pieces.end(),
                       [](const Piece& p) { return p.kind == PieceKind::die && p.value; });
}

bool same_kind(const Piece& a, const Piece& b) {
    return a.kind == b.kind && a.type == b.type && a.colour == b.colour &&
           (a.kind == PieceKind::die || !a.face || !b.face || a.face == b.face);
}

/// `piece` as the other thing it could be; nothing when that makes no sense for its kind.
std::optional<Piece> as_alternative(Piece piece, const Alternative& other,
                                    const Catalogue& catalogue) {
    const auto is_colour = [&] {
        return std::any_of(catalogue.palette.begin(), catalogue.palette.end(),
                           [&](const auto& c) { return c.name == other.what; });
    };
    switch (piece.kind) {
        case PieceKind::die:
            if (other.what.size() != 1 || other.what[0] < '1' || other.what[0] > '6') return {};
            piece.value = other.what[0] - '0';
            break;
        case PieceKind::card:
        case PieceKind::tile: piece.face = other.what; break;
        case PieceKind::disc: piece.type = other.what; break;
        case PieceKind::polygon: (is_colour() ? piece.colour : piece.type) = other.what; break;
        case PieceKind::stone:
        case PieceKind::pawn: piece.colour = other.what; break;
    }
    piece.confidence = other.confidence;
    piece.alternatives.clear();
    return piece;
}

/// The first move that may not be played, if there is one.
std::optional<Ruling> first_illegal(const Game& game, State state,
                                    const std::vector<PlayerMove>& moves) {
    for (const PlayerMove& m : moves) {
        if (game.view(state).finished) return refused("END", "rules.match_finished");
        if (Ruling ruling = game.judge(state, m.player, m.move); !ruling.legal()) return ruling;
        state = game.apply(state, m.player, m.move).state;
    }
    return {};
}

Reading attention_reading(Ruling ruling) {
    Reading r;
    r.attention = std::move(ruling);
    return r;
}

Decision carrying_out(Reading reading) {
    Decision d;
    d.kind = Decision::Kind::apply;
    d.moves = std::move(reading.choices.front().moves);
    return d;
}

Polygon rectangle(const Piece& p, double width_mm, double height_mm) {
    Polygon outline;
    for (const Point c : {Point{-0.5, -0.5}, Point{0.5, -0.5}, Point{0.5, 0.5}, Point{-0.5, 0.5}})
        outline.push_back(place({p.x, p.y, p.angle}, {c.x * width_mm, c.y * height_mm}));
    return outline;
}

template <class Kinds>
Polygon face_outline(const Piece& p, const Kinds& kinds) {
    for (const FaceKind& kind : kinds)
        if (!p.face || *p.face == "back" ||
            std::find(kind.faces.begin(), kind.faces.end(), *p.face) != kind.faces.end())
            return rectangle(p, kind.width_mm, kind.height_mm);
    return rectangle(p, 50, 50);
}

}  // namespace

Referee::Referee(const Game& game, const Setup& setup, RefereeLimits limits)
    : game_{&game},
      catalogue_{game.catalogue(setup)},
      limits_{limits},
      setting_up_{limits.watches_strokes && game.read_shot != nullptr} {}

Observation Referee::without_resting_dice(const Observation& seen,
                                          const std::optional<Observation>& since) const {
    Observation shown = seen;
    if (!since) return shown;
    std::erase_if(shown.pieces, [&](const Piece& die) {
        return die.kind == PieceKind::die &&
               std::any_of(since->pieces.begin(), since->pieces.end(), [&](const Piece& old) {
                   return old.kind == PieceKind::die && old.value == die.value &&
                          distance(at(old), at(die)) <= limits_.die_moved_mm;
               });
    });
    return shown;
}

/// A stone that was never seen cannot be missed: whatever the game misses of those is added.
Observation Referee::with_believed_stones(const State& state, Observation seen) {
    const auto holds = [](const Observation& scene, const Piece& stone) {
        return std::any_of(scene.pieces.begin(), scene.pieces.end(), [&](const Piece& p) {
            return p.kind == PieceKind::stone && p.colour == stone.colour && at(p) == at(stone);
        });
    };
    if (std::exchange(state_changed_, false)) {
        Observation scene = game_->scene_of(state);
        std::erase_if(believed_, [&](const Piece& stone) { return !holds(scene, stone); });
        for (const Piece& piece : scene.pieces)
            if (piece.kind == PieceKind::stone && !holds(scene_, piece)) believed_.push_back(piece);
        scene_ = std::move(scene);
    }
    if (believed_.empty()) return seen;
    auto missed = game_->read(state, seen).attention;
    if (!missed) believed_.clear();
    for (const Piece& stone : believed_) {
        if (!missed) break;
        seen.pieces.push_back(stone);
        auto still_missed = game_->read(state, seen).attention;
        if (still_missed && still_missed->message.args == missed->message.args)
            seen.pieces.pop_back();
        else
            missed = std::move(still_missed);
    }
    return seen;
}

std::vector<Referee::Candidate> Referee::alternatives(const State& state,
                                                      const Observation& seen) const {
    std::vector<Candidate> all;
    for (std::size_t i = 0; i < seen.pieces.size(); ++i)
        for (const Alternative& other : seen.pieces[i].alternatives) {
            const auto piece = as_alternative(seen.pieces[i], other, catalogue_);
            if (!piece) continue;
            Observation changed = seen;
            changed.pieces[i] = *piece;
            Reading reading = game_->read(state, changed);
            if (reading.attention || reading.question) continue;
            if (!reading.choices.empty() &&
                first_illegal(*game_, state, reading.choices.front().moves))
                continue;
            all.push_back({std::move(reading), other.confidence, seen.pieces[i].confidence});
        }
    return all;
}

/// Among explanations that are all legal: one clear winner, or a question.
Reading Referee::decided(std::vector<Candidate> all) const {
    std::stable_sort(all.begin(), all.end(),
                     [](const auto& a, const auto& b) { return a.confidence > b.confidence; });
    Reading best = all.front().reading;
    if (is_nothing(best)) return best;
    best.choices.front().confidence = all.front().confidence;
    for (std::size_t i = 1; i < all.size(); ++i) {
        if (all.front().confidence - all[i].confidence >= limits_.close) break;
        if (is_nothing(all[i].reading)) return {};
        if (signature_of(all[i].reading) == signature_of(all.front().reading)) continue;
        best.choices.push_back(all[i].reading.choices.front());
        best.choices.back().confidence = all[i].confidence;
    }
    if (best.choices.size() > 1) {
        const PlayerMove& m = best.choices.front().moves.front();
        best.question = Reading::Question{{"rules.which", Json::object()}, m.player, {}};
    }
    return best;
}

Reading Referee::best_reading(const State& state, const Observation& seen) const {
    Reading plain = game_->read(state, seen);
    if (is_nothing(plain) || plain.question) return plain;
    std::vector<Candidate> legal;
    if (!plain.attention) {
        const auto illegal = first_illegal(*game_, state, plain.choices.front().moves);
        if (illegal)
            plain = attention_reading(*illegal);
        else
            legal.push_back({plain, plain.choices.front().confidence, 1});
    }
    for (Candidate& other : alternatives(state, seen))
        // Beside a legal plain reading only another move competes: doubt about a piece that
        // explains everything as it is must not make the move vanish.
        if (plain.attention || !is_nothing(other.reading)) {
            if (!plain.attention)
                legal.front().confidence = std::min(legal.front().confidence, other.rival);
            legal.push_back(std::move(other));
        }
    return legal.empty() ? plain : decided(std::move(legal));
}

/// What else was done after these moves, told together with them; an empty reading if nothing was.
Reading Referee::read_after(const std::vector<PlayerMove>& moves, const State& state,
                            const Observation& shown) const {
    State after = state;
    for (const PlayerMove& m : moves) after = game_->apply(after, m.player, m.move).state;
    Reading next = best_reading(after, shown);
    if (!is_move(next)) return {};
    for (auto& choice : next.choices)
        choice.moves.insert(choice.moves.begin(), moves.begin(), moves.end());
    return next;
}

/// Did a hand take up again what was laid at the glimpse? What still lies there is read as it lies.
bool Referee::was_taken_up(const Glimpse& glimpse, const Observation& seen) const {
    if (glimpse.rolled) return glimpse.hand_came;
    const auto shows = [&](const Observation& table, const Piece& piece) {
        return std::any_of(table.pieces.begin(), table.pieces.end(), [&](const Piece& p) {
            return same_kind(piece, p) && distance(at(piece), at(p)) <= limits_.in_place_mm;
        });
    };
    return agreed_ && std::any_of(glimpse.seen.pieces.begin(), glimpse.seen.pieces.end(),
                                  [&](const Piece& piece) {
                                      return !shows(*agreed_, piece) && !shows(seen, piece);
                                  });
}

/// Hurried players go on before the table was still and free of hands: they take the die up again,
/// or the tile just opened. What lay there counts if what is next is a move after it. And of two
/// moves made in one go the one that could be read while the other was still being made was the
/// first.
Reading Referee::read_on(const State& state, const Observation& seen) const {
    for (auto glimpse = glimpses_.rbegin(); glimpse != glimpses_.rend(); ++glimpse) {
        if (!was_taken_up(*glimpse, seen)) continue;
        Reading next =
            read_after(glimpse->moves, state, without_resting_dice(seen, glimpse->seen));
        if (is_move(next)) return next;
    }
    const Observation shown = without_resting_dice(seen, agreed_);
    Reading plain = best_reading(state, shown);
    const bool in_what_order = !first_.empty() && !plain.choices.empty() &&
                               (plain.question || plain.choices.front().moves.size() > 1);
    if (!in_what_order) return plain;
    Reading next = read_after(first_, state, shown);
    return is_move(next) ? next : plain;
}

/// After a hand dice are told as they lay until the table is read again: that is no other glimpse.
void Referee::remember(Glimpse glimpse) {
    if (!glimpses_.empty()) {
        Glimpse& last = glimpses_.back();
        if (signature_of(last.moves) == signature_of(glimpse.moves)) {
            last.seen = std::move(glimpse.seen);
            return;
        }
        if (!was_taken_up(last, glimpse.seen)) glimpses_.pop_back();
    }
    glimpses_.push_back(std::move(glimpse));
}

bool Referee::has_settled(const std::string& signature, double time_s) {
    if (signature != pending_ || time_s < pending_since_s_) {
        pending_ = signature;
        pending_since_s_ = time_s;
        pending_frames_ = 0;
    }
    ++pending_frames_;
    return pending_frames_ >= limits_.settle_frames &&
           time_s - pending_since_s_ >= limits_.settle_s;
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
        return std::any_of(seen.pieces.begin(), seen.pieces.end(), [&](const Piece& p) {
            return same_kind(wanted, p) && distance(at(wanted), at(p)) <= limits_.in_place_mm;
        });
    });
}

/// Vision and referee wait side by side: a move that is read alike while vision makes sure that the
/// table is still needs no time of its own afterwards. Warnings and questions are timed from rest.
/// While a hand is over some other part of the table, what was laid is only remembered.
void Referee::foresee(const State& state, const Observation& seen) {
    const bool readable = seen.sight == "ok" && !game_->read_shot && believed_.empty() &&
                          !state_changed_;
    if (!glimpses_.empty() && !seen.hands.empty()) glimpses_.back().hand_came = true;
    if (!readable) return pending_.clear();
    Observation as_if_still = seen;
    as_if_still.still = true;
    as_if_still.hands.clear();
    const Reading reading = read_on(state, as_if_still);
    if (!is_move(reading)) return pending_.clear();
    const bool lies_there = has_settled(signature_of(reading), seen.time) &&
                            seen.time - pending_since_s_ >= limits_.glimpse_s;
    const std::vector<PlayerMove>& moves = reading.choices.front().moves;
    const bool rolled = shows_die(without_resting_dice(seen, agreed_));
    if (!rolled && moves.size() == 1 && pending_frames_ > 1) first_ = moves;
    // Dice are not read beside hands: what is told of them is from before.
    if (lies_there && rolled == seen.hands.empty()) remember({moves, seen, rolled, false});
}

Decision Referee::feed(const State& state, const Observation& seen) {
    // What was read beside a hand is read anew, and timed anew, when it is gone.
    if (std::exchange(hands_over_, !seen.hands.empty()) == seen.hands.empty()) pending_.clear();
    if (!trusted(seen)) {
        foresee(state, seen);
        return {};
    }
    latest_ = with_believed_stones(state, seen);
    if (!strokes_.empty()) return decide_strokes(state, seen);
    Reading reading = read_on(state, *latest_);
    return act_on(state, std::move(reading), *latest_);
}

Decision Referee::act_on(const State& state, Reading reading, const Observation& seen) {
    if (is_nothing(reading)) {
        const bool settled = has_settled("nothing", seen.time);
        // A die may be in somebody's hand; what else was laid and is gone was taken back.
        if (settled) std::erase_if(glimpses_, [](const Glimpse& g) { return !g.rolled; });
        if (restoring_ && !in_place(state, seen)) return {};
        if (settled || !agreed_) agreed_ = seen;
        if (settled) first_.clear();
        return settled ? all_is_well() : Decision{};
    }
    const bool stroke_missing = limits_.watches_strokes && game_->read_shot &&
                                !reading.choices.empty();
    const bool settled = has_settled(signature_of(reading), seen.time);
    if (!settled) return {};
    if (stroke_missing) {
        if (seen.time - pending_since_s_ < limits_.stroke_wait_s) return {};
        return raise(refused("UNSEEN", "rules.unseen_stroke"));
    }
    if (reading.attention && seen.time - pending_since_s_ < reading.patience_s) return {};
    if (reading.attention) return raise(*reading.attention);
    Decision d;
    if (reading.question) {
        if (std::exchange(asked_, pending_) == pending_) return d;
        d.kind = Decision::Kind::question;
        d.question = *reading.question;
        d.choices = std::move(reading.choices);
        return d;
    }
    last_change_s_ = seen.time;
    return carrying_out(std::move(reading));
}

Decision Referee::feed(const State& state, const Shot& shot) {
    if (!game_->read_shot) return {};
    if (last_change_s_ && shot.end <= *last_change_s_)
        return {};  // already counted by what was missing
    if (setting_up_ && !shot.striker_from) return {};
    const auto told_again = [&](const Shot& known) {
        return known.shot_id == shot.shot_id && known.end >= shot.end;
    };
    if (std::any_of(strokes_.begin(), strokes_.end(), told_again)) return {};
    Reading reading = game_->read_shot(state, shot, nullptr);
    if (is_nothing(reading)) return {};
    pending_.clear();
    // Who shot from a wrong place is told so at once; counts may still be put right by the table.
    if (reading.attention && reading.attention->at && strokes_.empty()) {
        last_change_s_ = shot.end;
        restoring_ = true;
        return raise(*reading.attention);
    }
    if (!latest_) {  // nobody ever showed the table: the stroke is all there is to go by
        last_change_s_ = shot.end;
        if (!reading.attention)
            if (auto illegal = first_illegal(*game_, state, reading.choices.front().moves))
                reading = attention_reading(*illegal);
        return reading.attention ? raise(*reading.attention) : carrying_out(std::move(reading));
    }
    strokes_.push_back(shot);
    return {};
}

/// All strokes since the last still table together: those before the last are believed, the last is
/// checked, and as discs do not come back an error in any of them shows there.
Decision Referee::decide_strokes(const State& state, const Observation& seen) {
    Decision d;
    State now = state;
    double confidence = 1;
    for (std::size_t i = 0; i < strokes_.size() && d.kind == Decision::Kind::nothing; ++i) {
        const bool last = i + 1 == strokes_.size();
        Reading reading = game_->read_shot(now, strokes_[i], last ? &seen : nullptr);
        if (is_nothing(reading)) continue;
        if (!reading.attention)
            if (auto illegal = first_illegal(*game_, now, reading.choices.front().moves))
                reading = attention_reading(*illegal);
        if (reading.attention) {
            d.kind = Decision::Kind::attention;
            d.ruling = *reading.attention;
            continue;
        }
        confidence = std::min(confidence, reading.choices.front().confidence);
        for (PlayerMove& m : reading.choices.front().moves) {
            now = game_->apply(now, m.player, m.move).state;
            d.moves.push_back(std::move(m));
        }
    }
    const bool settled = has_settled(
        d.kind == Decision::Kind::attention ? "stroke?" : "stroke " + signature_of(d.moves),
        seen.time);
    if (d.kind == Decision::Kind::attention)
        return settled && seen.time - pending_since_s_ >= limits_.stroke_wait_s ? raise(d.ruling)
                                                                                : Decision{};
    if (confidence < limits_.sure_stroke && !settled) return {};
    if (!d.moves.empty()) d.kind = Decision::Kind::apply;
    last_change_s_ = strokes_.back().end;
    strokes_.clear();
    return d;
}

void Referee::accepted(bool round_over) {
    agreed_ = latest_;
    state_changed_ = true;
    attention_.reset();
    restoring_ = false;
    pending_.clear();
    glimpses_.clear();
    first_.clear();
    asked_.clear();
    strokes_.clear();
    if (round_over && limits_.watches_strokes && game_->read_shot) setting_up_ = true;
}

void Referee::resume(const std::optional<Observation>& now) {
    pending_.clear();
    glimpses_.clear();
    first_.clear();
    asked_.clear();
    strokes_.clear();
    if (!now) return;
    begin_with(*now);
    last_change_s_ = now->time;
}

void Referee::refused_move(const Ruling& ruling) {
    attention_ = ruling;
    restoring_ = game_->read_shot != nullptr;
}

Mark Referee::ghost_of(const Piece& piece) const {
    Mark ghost;
    ghost.kind = MarkKind::ghost;
    ghost.style = MarkStyle::warning;
    ghost.at = at(piece);
    const auto round = [&](double diameter_mm) { ghost.radius = diameter_mm / 2; };
    switch (piece.kind) {
        case PieceKind::disc:
            for (const DiscKind& kind : catalogue_.discs)
                if (kind.type == piece.type) round(kind.diameter_mm);
            break;
        case PieceKind::stone:
            round(catalogue_.stones.empty() ? 16 : catalogue_.stones.front().diameter_mm);
            break;
        case PieceKind::pawn:
            round(catalogue_.pawns.empty() ? 16 : catalogue_.pawns.front().diameter_mm);
            break;
        case PieceKind::polygon:
            for (const PolygonKind& kind : catalogue_.polygons)
                if (kind.type == piece.type)
                    for (const Point v : kind.outline_mm)
                        ghost.points.push_back(place({piece.x, piece.y, piece.angle}, v));
            break;
        case PieceKind::card: ghost.points = face_outline(piece, catalogue_.cards); break;
        case PieceKind::tile: ghost.points = face_outline(piece, catalogue_.tiles); break;
        case PieceKind::die:
            round(catalogue_.dice.empty() ? 16 : catalogue_.dice.front().edge_mm);
            break;
    }
    return ghost;
}

std::vector<Mark> Referee::marks(const State& state) const {
    std::vector<Mark> marks;
    if (!attention_) return marks;
    Mark warning;
    warning.kind = attention_->at ? MarkKind::circle : MarkKind::badge;
    warning.style = MarkStyle::warning;
    warning.at = attention_->at.value_or(Point{catalogue_.table.width_mm / 2, 60});
    warning.radius = attention_->at ? 24 : 0;
    warning.key = attention_->message.key;
    warning.args = attention_->message.args;
    marks.push_back(warning);
    const Observation scene = game_->scene_of(state);
    for (const Piece& wanted : scene.pieces) {
        if (wanted.kind == PieceKind::die) continue;
        const bool there = latest_ &&
                           std::any_of(
                               latest_->pieces.begin(), latest_->pieces.end(), [&](const Piece& p) {
                                   return same_kind(wanted, p) &&
                                          distance(at(wanted), at(p)) <= limits_.in_place_mm;
                               });
        if (there && !restoring_) continue;
        if (!latest_ && !restoring_) continue;
        marks.push_back(ghost_of(wanted));
        marks.back().done = there;
    }
    return marks;
}

}  // namespace overboard::rules
