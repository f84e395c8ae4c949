#include "vision/settle_gate.hpp"

#include <algorithm>

namespace overboard::vision {

// Compare with the start of the rest, not with the previous frame: a disc creeping by less than the
// limit in every frame is still moving.
bool SettleGate::same(const Observation& seen) const {
    if (seen.pieces.size() != start_->pieces.size()) return false;
    return std::all_of(seen.pieces.begin(), seen.pieces.end(), [&](const Piece& p) {
        const auto before = std::find_if(start_->pieces.begin(), start_->pieces.end(),
                                         [&](const Piece& q) { return q.id == p.id; });
        return before != start_->pieces.end() &&
               distance({p.x, p.y}, {before->x, before->y}) <= limits_.max_drift_mm &&
               std::abs(wrapped(p.angle - before->angle)) <= limits_.max_turn_rad &&
               p.value == before->value && p.face == before->face && p.type == before->type;
    });
}

std::optional<Observation> SettleGate::push(const Observation& seen, double at_rest_since_s) {
    if (!seen.hands.empty() || seen.sight != "ok") {
        start_.reset();
        still_ = false;
        unseen_s_ = seen.time;
        return {};
    }
    if (!start_ || !same(seen)) {
        start_ = seen;
        still_ = false;
        rest_began_s_ = std::clamp(at_rest_since_s, std::min(unseen_s_, seen.time), seen.time);
        return {};
    }
    if (still_ || seen.time - rest_began_s_ < limits_.quiet_s) return {};
    still_ = true;
    return seen;
}

}  // namespace overboard::vision
