#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bus/catalogue.hpp"
#include "bus/observation.hpp"
#include "bus/shot.hpp"
#include "vision/discs/fates.hpp"

namespace overboard::vision {

struct ShotLimits {
    double start_mm_s = 220;  ///< A disc faster than this begins a shot. Lower: hands that push
                              ///< discs do, too.
    double start_mm = 4;      ///< … that has come so far, too: noise is fast, but goes nowhere.
    double blink_s = 0.15;  ///< Between looks farther apart a disc may have been carried: no speed
                            ///< is told from them.
    double rest_mm = 3.5;   ///< None has come farther than this in rest_s: the shot is over.
    double rest_s = 0.3;
    double least_run_mm = 10;  ///< A striker that ran less was not shot: something else moved.
    double longest_s = 12;     ///< Something else is going on.
    double lay_s = 0.1;  ///< What was first seen later than this before a shot did not lie there.
    double look_back_s = 0.35;  ///< So much of the time before belongs to the tracks.
};

/// Cuts strokes out of a stream of tracked observations: from the first fast motion until
/// everything lies in plain view again, no hand over the table.
class ShotCutter {
public:
    ShotCutter() = default;
    ShotCutter(const BoardKind& board, std::vector<DiscKind> discs, ShotLimits limits = {},
               FateLimits fate_limits = {});

    /// Every tracked observation in order, with the board's pose.
    void push(const Observation& seen, const Pose& board);
    /// Nothing more will come: a stroke under way ends as it stands.
    void end();
    /// Finished shots, each once.
    std::vector<Shot> take();
    [[nodiscard]] bool running() const { return running_; }

private:
    void begin(const Observation& seen);
    void follow(const Observation& seen, const Pose& board);
    void forget_the_past(double time_s);
    void finish(double time_s);
    [[nodiscard]] bool any_shot_off(double time_s) const;
    [[nodiscard]] double farthest(double time_s) const;
    [[nodiscard]] bool all_in_view(const Observation& seen) const;
    [[nodiscard]] bool striker_ran() const;
    [[nodiscard]] std::optional<Point> rest_before(const Track& track) const;

    Fates fates_;
    ShotLimits limits_;
    std::map<int, Run> runs_;
    bool running_ = false;
    double now_ = 0, started_ = 0, moving_ = 0, hand_ = -1e9;
    int frames_ = 0, count_ = 0;
    std::vector<Shot> done_;
};

}  // namespace overboard::vision
