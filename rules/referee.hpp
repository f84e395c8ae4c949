#pragma once

#include <optional>
#include <string>
#include <vector>

#include "rules/game.hpp"

namespace overboard::rules {

/// When a change on the table is believed.
struct RefereeLimits {
    double settle_s = 0.12;      ///< A reading must hold this long. Lower: flicker gets through.
                                 ///< Higher: later scores.
    int settle_frames = 3;       ///< … and in this many observations, of a move also from before
                                 ///< the table is still. 1: at once (a single picture).
    double close = 0.15;         ///< Two legal readings nearer in confidence than this: ask.
    double die_moved_mm = 12;    ///< A die that lies within this of where it lay, showing the same,
                                 ///< was not rolled.
    double in_place_mm = 8;      ///< A piece this near to its place is put back.
    double stroke_wait_s = 1.5;  ///< A stroke and the table do not agree for so long: ask people.
    double glimpse_s = 0.15;     ///< A roll that lay there so long before the table was still, or a
                                 ///< piece while a hand was elsewhere, counts with the move that
                                 ///< follows it, though it was taken up for that.
    double sure_stroke = 0.9;  ///< A stroke read with less confidence must hold for settle_s, too.
    bool watches_strokes = false;  ///< Vision reports strokes, so a disc that is gone without one
                                   ///< was not pocketed.
};

/// A single picture, believed at once: match.observe.
inline RefereeLimits at_once() {
    RefereeLimits limits;
    limits.settle_s = 0;
    limits.settle_frames = 1;
    return limits;
}

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
    void begin_with(const Observation& seen) { agreed_ = latest_ = seen; }

    /// People looked after the table themselves for a while and leave it as it is `now`: what moved
    /// meanwhile was no roll and no stroke.
    void resume(const std::optional<Observation>& now);

    /// The last observation that was believed, and the last that agreed with the state.
    [[nodiscard]] const std::optional<Observation>& latest() const { return latest_; }
    [[nodiscard]] const std::optional<Observation>& agreed() const { return agreed_; }
    [[nodiscard]] const std::optional<Ruling>& attention() const { return attention_; }

    /// The warning at its place, and a ghost of every piece that has to be put back.
    [[nodiscard]] std::vector<Mark> marks(const State& state) const;

private:
    struct Candidate {
        Reading reading;
        double confidence = 1;
        double rival = 1;  ///< How sure vision was of what it reported instead.
    };
    /// What was read while the table was not still yet, or not free of hands.
    struct Glimpse {
        std::vector<PlayerMove> moves;
        Observation seen;
        bool rolled = false;     ///< Else laid, while a hand was elsewhere over the table.
        bool hand_came = false;  ///< Before it could count.
    };
    [[nodiscard]] Reading best_reading(const State& state, const Observation& seen) const;
    [[nodiscard]] std::vector<Candidate> alternatives(const State& state,
                                                      const Observation& seen) const;
    [[nodiscard]] Reading decided(std::vector<Candidate> all) const;
    [[nodiscard]] Observation without_resting_dice(const Observation& seen,
                                                   const std::optional<Observation>& since) const;
    [[nodiscard]] Observation with_believed_stones(const State& state, Observation seen);
    [[nodiscard]] bool was_taken_up(const Glimpse& glimpse, const Observation& seen) const;
    void remember(Glimpse glimpse);
    [[nodiscard]] Reading read_on(const State& state, const Observation& seen) const;
    [[nodiscard]] Reading read_after(const std::vector<PlayerMove>& moves, const State& state,
                                     const Observation& shown) const;
    bool has_settled(const std::string& signature, double time_s);
    void foresee(const State& state, const Observation& seen);
    [[nodiscard]] bool in_place(const State& state, const Observation& seen) const;
    [[nodiscard]] Mark ghost_of(const Piece& piece) const;
    Decision act_on(const State& state, Reading reading, const Observation& seen);
    Decision decide_strokes(const State& state, const Observation& seen);
    Decision raise(Ruling ruling);
    Decision all_is_well();

    const Game* game_;
    Catalogue catalogue_;
    RefereeLimits limits_;
    std::optional<Observation> latest_;  ///< Last still, trusted observation.
    std::optional<Observation> agreed_;  ///< The last that agreed with the state.
    bool state_changed_ = true;          ///< … and nothing was fed since.
    Observation scene_;                  ///< Of the state, as last fed.
    std::vector<Piece> believed_;        ///< Stones of the state the camera has not seen so far.
    std::optional<Ruling> attention_;
    bool restoring_ = false;   ///< Pieces must go back to where they stood.
    bool setting_up_ = false;  ///< Between rounds: strokes without a proper placement do not count.
    std::string pending_;      ///< Signature of the reading now being timed …
    double pending_since_s_ = 0;     ///< … since then …
    int pending_frames_ = 0;         ///< … in so many observations.
    std::vector<Glimpse> glimpses_;  ///< Each but the last was taken up before the next came.
    std::vector<PlayerMove> first_;  ///< The move that was read alone before the table was still.
    bool hands_over_ = false;        ///< In the last observation.
    std::string asked_;
    std::vector<Shot> strokes_;  ///< Seen, not yet confirmed by a still table.
    std::optional<double> last_change_s_;
};

}  // namespace overboard::rules
