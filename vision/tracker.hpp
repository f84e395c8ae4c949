#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bus/observation.hpp"

namespace overboard::vision {

struct TrackLimits {
    double reach_mm = 28;   ///< Besides what its speed explains, a piece may be found this far off.
    double forget_s = 3.0;  ///< A piece that vanished keeps its id so long, should it come back.
    int misses = 3;  ///< Looks in vain before a disc in plain view is gone; other kinds: one less.
    double jitter_mm = 0.35;    ///< Smaller moves are noise and are smoothed away …
    double doubtful_mm = 1.2;   ///< … as are these of pieces that are hard to see.
    double running_mm_s = 200;  ///< A piece last seen faster than this is elsewhere when it is not
                                ///< found.
    double cover_mm = 12;       ///< A new piece this near to an old one lies on top of it.
};

/// Gives pieces their ids and keeps them: through motion, under hands, under other pieces.
class Tracker {
public:
    /// `unique`: types of which there is one only; wherever one turns up, it is that one.
    explicit Tracker(TrackLimits limits = {}, std::vector<std::string> unique = {})
        : limits_{limits}, unique_{std::move(unique)} {}

    /// What may be said of a place in this frame: `looked`: a detector really looked there;
    /// `hidden`: a hand is over it; `covered`, if set: another piece lies on it (else guessed by
    /// nearness).
    struct View {
        std::function<bool(const Piece&)> looked;
        std::function<bool(const Piece&)> hidden;
        std::function<bool(const Piece&)> covered = nullptr;
    };

    /// One frame's detections. Returns all pieces, those out of sight with their old `seen`.
    const std::vector<Piece>& update(double time_s, const std::vector<Piece>& found,
                                     const View& view);
    /// Nothing changed: everything in plain view was seen again.
    const std::vector<Piece>& nothing_changed(double time_s,
                                              const std::function<bool(const Piece&)>& hidden);
    [[nodiscard]] const std::vector<Piece>& pieces() const { return pieces_; }
    /// Was the i-th of pieces() there when last looked for?
    [[nodiscard]] bool certain(std::size_t i) const { return minds_[i].misses == 0; }
    /// Some piece was looked for in vain and may be gone: look again.
    [[nodiscard]] bool unsure() const;
    void reset();

private:
    struct Mind {
        int misses = 0;
        bool covered = false;
    };
    struct Gone {
        Piece piece;
        double at_s = 0;
    };
    void match(double time_s, const std::vector<Piece>& found, std::vector<char>& used,
               std::vector<char>& met);
    void match_resting(double time_s, const std::vector<Piece>& found, std::vector<char>& used,
                       std::vector<char>& met);
    [[nodiscard]] std::optional<double> apart(const Piece& track, const Piece& found,
                                              double time_s) const;
    void take(std::size_t track, const Piece& seen, double time_s);
    void add(const Piece& seen, double time_s);
    [[nodiscard]] bool may_have_changed(const Piece& a, const Piece& b, double apart_mm) const;
    [[nodiscard]] bool lies_on(const Piece& upper, const Piece& lower) const;

    TrackLimits limits_;
    std::vector<std::string> unique_;
    std::vector<Piece> pieces_;
    std::vector<Mind> minds_;
    std::vector<Gone> gone_;
    int next_id_ = 1;
};

}  // namespace overboard::vision
