#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bus/catalogue.hpp"
#include "bus/observation.hpp"
#include "bus/shot.hpp"

namespace overboard::vision {

struct ShotLimits {
    double start_mm_s = 220;      ///< A disc faster than this begins a shot. Lower: hands that push discs do, too.
    double rest_mm_s = 12;        ///< All slower than this for rest_s: the shot is over.
    double rest_s = 0.3;
    double taken_mm_s = 80;       ///< A striker slower than this when it vanished did not fall: a hand took it.
    double jump_mm_s = 900;       ///< A slower disc does not jump the frame: lost near it, it fell.
    double longest_s = 12;        ///< Something else is going on.
    double look_back_s = 0.35;    ///< So much of the time before belongs to the tracks.
};

/// Cuts strokes out of a stream of tracked observations: from the first fast motion to rest.
class ShotCutter {
public:
    ShotCutter() = default;
    ShotCutter(const BoardKind& board, std::vector<DiscKind> discs, ShotLimits limits = {});

    /// Every tracked observation in order, with the board's pose.
    void push(const Observation& seen, const Pose& board);
    /// Finished shots, each once.
    std::vector<Shot> take();
    [[nodiscard]] bool running() const { return running_; }

private:
    struct Disc {
        Track track;
        Point velocity{};       // board frame, mm/s
        double last_seen = 0;
        bool gone = false;
    };
    void begin(double time_s);
    void follow(const Observation& seen, const Pose& board);
    void finish(double time_s);
    void settle_fate(int id, Disc& disc, Shot& shot) const;
    [[nodiscard]] const Hole* hole_on_the_way(const Disc& disc) const;
    [[nodiscard]] const Hole* hole_ahead(const Disc& disc) const;
    [[nodiscard]] std::optional<Point> rest_before(const Track& track) const;
    [[nodiscard]] bool on_surface(Point p, double slack_mm) const;
    [[nodiscard]] double radius_of(const std::string& type) const;

    BoardKind board_;
    std::vector<DiscKind> kinds_;
    ShotLimits limits_;
    std::map<int, Disc> discs_;
    std::string striker_;  // the type of the largest disc
    bool running_ = false;
    double started_ = 0, moving_ = 0, first_ = 0;
    int frames_ = 0, count_ = 0;
    std::vector<Shot> done_;
};

}  // namespace overboard::vision
