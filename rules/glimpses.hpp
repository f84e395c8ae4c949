#pragma once

#include <optional>
#include <vector>

#include "rules/doubt.hpp"
#include "rules/referee_limits.hpp"

namespace overboard::rules {

/// Reads what was done since the table last agreed with the state: from what lies there now, and
/// from what was glimpsed meanwhile, while the table was not still yet or not free of hands.
class Glimpses {
public:
    Glimpses(const Game& game, Doubt doubt, const RefereeLimits& limits);

    /// The table as it agreed with the state: what is not like it was done since.
    void agree(const Observation& seen) { agreed_ = seen; }
    [[nodiscard]] const std::optional<Observation>& agreed() const { return agreed_; }

    /// A move read alone before the table was still: the first of those that follow it in one go.
    void read_alone(const std::vector<PlayerMove>& moves, const Observation& seen);
    /// These moves have been read since `since_s`, with a hand over the table or not.
    void remember(const std::vector<PlayerMove>& moves, const Observation& seen, double since_s);
    /// A hand is over the table: a die that lay there may be taken up.
    void hand_came();
    /// Nothing was done, after all: what was laid is taken back, but a die may be in a hand.
    void nothing_done();
    void clear();

    /// What lies there now, as far as it can be read yet.
    [[nodiscard]] Reading read(const State& state, const Observation& seen) const;
    /// Likewise of a still table: where nothing explains it, a move that lay there long enough
    /// beside a hand still was one, and what is amiss came after it.
    [[nodiscard]] Reading read_at_rest(const State& state, const Observation& seen) const;

private:
    struct Glimpse {
        std::vector<PlayerMove> moves;
        Observation seen;
        double since_s = 0;
        bool rolled = false;     ///< Else laid, while a hand was elsewhere over the table.
        bool hand_came = false;  ///< Before it could count.
    };
    [[nodiscard]] Observation without_resting_dice(const Observation& seen,
                                                   const std::optional<Observation>& since) const;
    [[nodiscard]] bool is_roll(const Observation& seen) const;
    [[nodiscard]] bool was_taken_up(const Glimpse& glimpse, const Observation& seen) const;
    [[nodiscard]] bool lay_long_enough(const Glimpse& glimpse) const;
    [[nodiscard]] Reading read_after(const std::vector<PlayerMove>& moves, const State& state,
                                     const Observation& shown) const;

    const Game* game_;
    Doubt doubt_;
    RefereeLimits limits_;
    std::optional<Observation> agreed_;
    std::vector<Glimpse> glimpses_;  ///< Each but the last was taken up before the next came.
    std::vector<PlayerMove> first_;
};

}  // namespace overboard::rules
