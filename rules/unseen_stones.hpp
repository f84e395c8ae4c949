#pragma once

#include <vector>

#include "rules/readings.hpp"

namespace overboard::rules {

/// Stones of the state that the camera has not seen so far, as blue on blue in bad light, and that
/// had to be entered by hand: one that was never seen cannot be missed.
class UnseenStones {
public:
    explicit UnseenStones(const Game& game) : game_{&game} {}

    void state_changed() { up_to_date_ = false; }
    /// None to be believed in, as far as is known of the state.
    [[nodiscard]] bool none() const { return up_to_date_ && believed_.empty(); }
    /// `seen` and whatever the game misses of those; they are believed until the camera sees them.
    [[nodiscard]] Observation added_to(Observation seen, const State& state);

private:
    void follow(const State& state);

    const Game* game_;
    bool up_to_date_ = false;
    Observation scene_;  ///< Of the state, as last fed.
    std::vector<Piece> believed_;
};

}  // namespace overboard::rules
