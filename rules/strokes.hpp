#pragma once

#include <optional>
#include <vector>

#include "rules/readings.hpp"

namespace overboard::rules {

/// Strokes that were seen and wait for a still table to agree with them.
class Strokes {
public:
    /// What they come to, together. Doubt: where they and the table cannot be reconciled.
    struct Sum {
        std::vector<PlayerMove> moves;
        std::optional<Ruling> doubt;
        double confidence = 1;
    };

    explicit Strokes(const Game& game) : game_{&game} {}

    void add(const Shot& shot) { waiting_.push_back(shot); }
    void clear() { waiting_.clear(); }
    [[nodiscard]] bool none() const { return waiting_.empty(); }
    /// Told before, as it is or with more at its end.
    [[nodiscard]] bool knows(const Shot& shot) const;
    [[nodiscard]] double last_end_s() const { return waiting_.back().end; }

    /// Those before the last are believed, the last is checked against the table, and as discs do
    /// not come back an error in any of them shows there.
    [[nodiscard]] Sum read(const State& state, const Observation& after) const;

    /// As it would be played: attention where it may not be.
    [[nodiscard]] Reading legal_reading(const State& state, const Shot& shot,
                                        const Observation* after) const;

private:
    const Game* game_;
    std::vector<Shot> waiting_;
};

}  // namespace overboard::rules
