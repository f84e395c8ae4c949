#pragma once

#include <optional>
#include <string>
#include <vector>

#include "rules/game.hpp"
#include "rules/glimpses.hpp"
#include "rules/held.hpp"
#include "rules/referee_limits.hpp"
#include "rules/strokes.hpp"
#include "rules/unseen_stones.hpp"

namespace overboard::rules {

/// What to do about what was seen.
struct Decision {
    enum class Kind { nothing, apply, attention, question, cleared };
    Kind kind = Kind::nothing;
    std::vector<PlayerMove> moves;         ///< apply: legal, one after the other.
    Ruling ruling;                         ///< attention.
    Reading::Question question;            ///< question, with …
    std::vector<Reading::Choice> choices;  ///< … what it may be, best first.
};

/// From observations to moves, for one match. A change counts when the table is still, no hand is
/// over it, the camera sees well, and legal moves explain it. Anything else is said once
/// (attention, question), stays until it is put right, and is then taken back (cleared). Nothing is
/// ever applied here: the caller does it and tells accepted(). A stroke counts once the still table
/// after it agrees on what is gone; from a wrong place it is refused at once.
class Referee {
public:
    Referee(const Game& game, const Setup& setup, RefereeLimits limits = {});

    Decision feed(const State& state, const Observation& seen);
    Decision feed(const State& state, const Shot& shot);

    /// The match is now in `state`, by whatever way: a decision carried out, a touch, an undo.
    /// `round_over`: the pieces are being set up again.
    void accepted(bool round_over = false);
    /// A move by touch was refused: show where everything stood.
    void refused_move(const Ruling& ruling);

    /// What lay on the table before the match began: dice that stay there were not rolled.
    void begin_with(const Observation& seen);

    /// People looked after the table themselves for a while and leave it as it is `now`: what moved
    /// meanwhile was no roll and no stroke.
    void resume(const std::optional<Observation>& now);

    /// The last observation that was believed, and the last that agreed with the state.
    [[nodiscard]] const std::optional<Observation>& latest() const { return latest_; }
    [[nodiscard]] const std::optional<Observation>& agreed() const { return glimpses_.agreed(); }
    [[nodiscard]] const std::optional<Ruling>& attention() const { return attention_; }

    /// The warning at its place, and a ghost of every piece that has to be put back.
    [[nodiscard]] std::vector<Mark> marks(const State& state) const;

private:
    [[nodiscard]] bool strokes_are_watched() const;
    bool has_settled(const std::string& signature, double time_s);
    void foresee(const State& state, const Observation& seen);
    [[nodiscard]] bool in_place(const State& state, const Observation& seen) const;
    Decision act_on(const State& state, Reading reading, const Observation& seen);
    Decision act_on_nothing(const State& state, const Observation& seen);
    Decision ask(Reading reading);
    Decision decide_strokes(const State& state, const Observation& seen);
    Decision raise(Ruling ruling);
    Decision all_is_well();
    void forget_what_was_read();

    const Game* game_;
    Catalogue catalogue_;
    RefereeLimits limits_;
    std::optional<Observation> latest_;  ///< Last still, trusted observation.
    Glimpses glimpses_;
    UnseenStones stones_;
    Strokes strokes_;
    Held held_;  ///< The reading now being timed.
    std::optional<Ruling> attention_;
    std::string asked_;
    bool restoring_ = false;   ///< Pieces must go back to where they stood.
    bool setting_up_ = false;  ///< Between rounds: strokes without a proper placement do not count.
    bool hands_over_ = false;  ///< In the last observation.
    std::optional<double> last_change_s_;
};

}  // namespace overboard::rules
