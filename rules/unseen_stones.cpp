#include "rules/unseen_stones.hpp"

#include <algorithm>

namespace overboard::rules {
namespace {

bool holds(const Observation& scene, const Piece& stone) {
    return std::any_of(scene.pieces.begin(), scene.pieces.end(), [&](const Piece& p) {
        return p.kind == PieceKind::stone && p.colour == stone.colour && p.x == stone.x &&
               p.y == stone.y;
    });
}

}  // namespace

void UnseenStones::follow(const State& state) {
    if (std::exchange(up_to_date_, true)) return;
    Observation scene = game_->scene_of(state);
    std::erase_if(believed_, [&](const Piece& stone) { return !holds(scene, stone); });
    for (const Piece& piece : scene.pieces)
        if (piece.kind == PieceKind::stone && !holds(scene_, piece)) believed_.push_back(piece);
    scene_ = std::move(scene);
}

Observation UnseenStones::added_to(Observation seen, const State& state) {
    follow(state);
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

}  // namespace overboard::rules
