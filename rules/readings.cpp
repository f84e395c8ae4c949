#include "rules/readings.hpp"

namespace overboard::rules {
namespace {

void drop_measurements(Json& json) {
    if (json.is_number_float()) json = nullptr;
    if (json.is_structured())
        for (Json& inner : json) drop_measurements(inner);
}

bool alike(const Piece& a, const Piece& b) {
    return a.kind == b.kind && a.type == b.type && a.colour == b.colour &&
           (a.kind == PieceKind::die || !a.face || !b.face || a.face == b.face);
}

}  // namespace

bool is_nothing(const Reading& r) {
    return r.choices.empty() && !r.question && !r.attention;
}

bool is_move(const Reading& r) {
    return !r.choices.empty() && !r.question && !r.attention;
}

Reading attention_reading(Ruling ruling) {
    Reading r;
    r.attention = std::move(ruling);
    return r;
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

std::optional<Ruling> first_illegal(const Game& game, State state,
                                    const std::vector<PlayerMove>& moves) {
    for (const PlayerMove& m : moves) {
        if (game.view(state).finished) return refused("END", "rules.match_finished");
        if (Ruling ruling = game.judge(state, m.player, m.move); !ruling.legal()) return ruling;
        state = game.apply(state, m.player, m.move).state;
    }
    return {};
}

State after_all(const Game& game, State state, const std::vector<PlayerMove>& moves) {
    for (const PlayerMove& m : moves) state = game.apply(state, m.player, m.move).state;
    return state;
}

bool lies_there(const Observation& table, const Piece& piece, double within_mm) {
    return std::any_of(table.pieces.begin(), table.pieces.end(), [&](const Piece& p) {
        return alike(piece, p) && distance({piece.x, piece.y}, {p.x, p.y}) <= within_mm;
    });
}

}  // namespace overboard::rules
