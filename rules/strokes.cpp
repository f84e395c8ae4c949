#include "rules/strokes.hpp"

#include <algorithm>

namespace overboard::rules {

bool Strokes::knows(const Shot& shot) const {
    return std::any_of(waiting_.begin(), waiting_.end(), [&](const Shot& known) {
        return known.shot_id == shot.shot_id && known.end >= shot.end;
    });
}

Reading Strokes::legal_reading(const State& state, const Shot& shot,
                               const Observation* after) const {
    Reading reading = game_->read_shot(state, shot, after);
    if (!is_move(reading)) return reading;
    if (auto illegal = first_illegal(*game_, state, reading.choices.front().moves))
        return attention_reading(std::move(*illegal));
    return reading;
}

Strokes::Sum Strokes::read(const State& state, const Observation& after) const {
    Sum sum;
    State now = state;
    for (const Shot& shot : waiting_) {
        const bool last = &shot == &waiting_.back();
        Reading reading = legal_reading(now, shot, last ? &after : nullptr);
        if (is_nothing(reading)) continue;
        if (reading.attention) {
            sum.doubt = std::move(reading.attention);
            break;
        }
        Reading::Choice& best = reading.choices.front();
        sum.confidence = std::min(sum.confidence, best.confidence);
        now = after_all(*game_, now, best.moves);
        sum.moves.insert(sum.moves.end(), best.moves.begin(), best.moves.end());
    }
    return sum;
}

}  // namespace overboard::rules
