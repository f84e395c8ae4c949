#pragma once

#include <optional>

#include "bus/observation.hpp"

namespace overboard::vision {

/// How still is still.
struct SettleLimits {
    double max_drift_mm = 1.5;   ///< Lower: waits longer. Below detector jitter: never settles.
    double max_turn_rad = 0.12;  ///< Likewise for angles.
    double quiet_s = 0.4;  ///< Shorter: faster scoring, more half-made moves taken for real ones.
};

/// Lets an observation through once the pieces have come to rest.
///
/// Rules judge positions, not motion: they want one observation per rest. Feed every tracked
/// observation, in order, to push(). A piece that is read only after it came to rest need not rest
/// once more: say since when nothing has moved.
class SettleGate {
public:
    explicit SettleGate(SettleLimits limits = {}) : limits_{limits} {}

    /// The observation, once per rest. Nothing while pieces move, come or go, or a hand is there.
    [[nodiscard]] std::optional<Observation> push(const Observation& seen) {
        return push(seen, seen.time);
    }
    [[nodiscard]] std::optional<Observation> push(const Observation& seen, double at_rest_since_s);
    /// True from the moment push() let something through until something moves again.
    [[nodiscard]] bool still() const { return still_; }

private:
    [[nodiscard]] bool same(const Observation& seen) const;

    SettleLimits limits_;
    std::optional<Observation> start_;  // first observation of the rest now being timed …
    double rest_began_s_ = 0;           // … and when that began
    double unseen_s_ = -1e9;            // when a hand was last there, or sight was bad
    bool still_ = false;
};

}  // namespace overboard::vision
