#include "rules/doubt.hpp"

#include <algorithm>

namespace overboard::rules {

Doubt::Doubt(const Game& game, const Catalogue& catalogue, double close)
    : game_{&game}, close_{close} {
    for (const auto& colour : catalogue.palette) colours_.push_back(colour.name);
}

/// `piece` as the other thing it could be; nothing when that makes no sense for its kind.
std::optional<Piece> Doubt::as_alternative(Piece piece, const Alternative& other) const {
    const auto is_colour = [&] {
        return std::find(colours_.begin(), colours_.end(), other.what) != colours_.end();
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

std::vector<Doubt::Candidate> Doubt::alternatives(const State& state,
                                                  const Observation& seen) const {
    std::vector<Candidate> all;
    for (std::size_t i = 0; i < seen.pieces.size(); ++i)
        for (const Alternative& other : seen.pieces[i].alternatives) {
            const auto piece = as_alternative(seen.pieces[i], other);
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
Reading Doubt::decided(std::vector<Candidate> all) const {
    std::stable_sort(all.begin(), all.end(),
                     [](const auto& a, const auto& b) { return a.confidence > b.confidence; });
    Reading best = all.front().reading;
    if (is_nothing(best)) return best;
    best.choices.front().confidence = all.front().confidence;
    for (std::size_t i = 1; i < all.size(); ++i) {
        if (all.front().confidence - all[i].confidence >= close_) break;
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

Reading Doubt::best_reading(const State& state, const Observation& seen) const {
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

}  // namespace overboard::rules
