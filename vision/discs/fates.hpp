#pragma once

#include <map>
#include <string>
#include <vector>

#include "bus/catalogue.hpp"
#include "bus/shot.hpp"

namespace overboard::vision {

struct FateLimits {
    double taken_mm_s = 80;  ///< A striker slower than this when it vanished did not fall: a hand
                             ///< took it.
    double jump_mm_s = 900;  ///< A slower disc does not jump the frame: lost near it, it fell.
    /// No disc runs faster: what reappears farther off is another one.
    double fastest_mm_s = 4000;
    double moment_s = 0.1;  ///< So long before a hole or the edge a running disc may be lost and
                            ///< still be known to have reached it.
    int least_points = 3;   ///< A track of fewer points that came from nowhere is a flicker.
    double beside_mm = 8;   ///< Lost so near to a stack, it lies under it.
    double leap_mm = 25;    ///< A step that ends farther from where it was bound may be another
                            ///< disc's: told apart anew.
};

/// One disc through a stroke.
struct Run {
    Track track;       // board frame
    Point velocity{};  // at its last point, mm/s
    double last_seen = 0;
    bool before = false;  // it lay there when the stroke began
    bool lies = true;     // it is on the table still
};

/// Where the discs of a stroke ended: still there, in a pocket, over the edge.
///
/// Tracks are lost and begun anew in a break, but discs do not come from nowhere: what turned up
/// during the stroke is one of those lost. What then remains lost is gone, and its last steps say
/// where to.
class Fates {
public:
    Fates() = default;
    Fates(const BoardKind& board, std::vector<DiscKind> discs, FateLimits limits = {});

    /// Fills tracks, pocketed and ejected; and confidence, where not everything gone was seen to
    /// fall or leave.
    void tell(const std::map<int, Run>& runs, Shot& shot) const;

    [[nodiscard]] const std::string& striker() const { return striker_; }
    [[nodiscard]] const std::string& board_name() const { return board_.name; }
    [[nodiscard]] bool on_surface(Point p, double slack_mm) const;
    [[nodiscard]] double radius_of(const std::string& type) const;

private:
    [[nodiscard]] std::vector<Run> split(const Run& run) const;
    [[nodiscard]] bool is_leap(const Run& run, const TrackPoint& next) const;
    void join(std::vector<Run>& runs) const;
    static void name_apart(const std::map<int, Run>& before, std::vector<Run>& runs);
    [[nodiscard]] double gap(const Run& lost, const Run& found) const;
    void settle(const Run& run, Shot& shot) const;
    bool drop_loose_ends(const std::map<int, Run>& runs, std::vector<Run>& parts) const;
    [[nodiscard]] bool lost_beside(const Run& run, const std::vector<Run>& parts) const;
    [[nodiscard]] bool striker_is_stuck(const Run& run, const std::vector<Run>& parts) const;
    [[nodiscard]] bool seen_to_fall(const Hole& hole, const Run& run) const;
    [[nodiscard]] const Hole* fell_into(const Run& run) const;
    [[nodiscard]] bool seen_to_leave(const Run& run) const;
    [[nodiscard]] double nearest_hole(const Run& run) const;
    [[nodiscard]] double way_to(const Hole& hole, const Run& run) const;
    [[nodiscard]] const Hole* hole_on_the_way(const Run& run) const;
    [[nodiscard]] const Hole* hole_ahead(const Run& run) const;

    BoardKind board_;
    std::vector<DiscKind> kinds_;
    FateLimits limits_;
    std::string striker_;  // the type of the largest disc
};

}  // namespace overboard::vision
