#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bus/geometry.hpp"
#include "bus/marks.hpp"
#include "bus/observation.hpp"
#include "bus/shot.hpp"
#include "physics/board.hpp"

/// Recorded tracks played back: what was seen, not what a simulation thinks. Board frame; times are
/// the shot's own (from Shot::start to Shot::end).
namespace overboard::physics {

struct DiscAt {
    int id = 0;
    std::string type;
    Point at;
    Point velocity_mm_s;
    bool on_board = true;  ///< False once it has fallen or left.
};

/// Where every disc was at `t`, in the order of the tracks; between points of a track,
/// interpolated.
std::vector<DiscAt> at(const Shot& shot, double t);

/// Where a track was at `t`.
DiscAt at(const Track& track, double t);

/// A hit or a fall, for flashes.
struct Moment {
    enum class Kind { impact, wall, pocket, ejected };
    Kind kind = Kind::impact;
    double t = 0;
    Point at;   ///< Where rims met, or where the disc fell.
    int a = 0;  ///< Ids of the discs; b is 0 for walls and falls.
    int b = 0;
    double strength_mm_s = 0;  ///< Greatest change of a disc's speed.
    std::string pocket;
};

/// What higher and lower does when impacts are read from noisy tracks.
struct MomentTuning {
    double min_change_mm_s = 120;  ///< Lower: finds softer hits, and hits that are noise.
    double min_turn = 0.15;        ///< As a share of the speed. Likewise.
    double touch_slack_mm = 6;     ///< Two discs that changed together are one hit when this near.
};

/// In order of time. Read from the tracks alone, so that filmed and computed shots flash alike.
std::vector<Moment> moments(const Shot& shot, const Board& board, const MomentTuning& tuning = {});

/// The discs as they stood before the shot, the striker included.
std::vector<DiscAt> before(const Shot& shot);

/// "Put it back": one ghost a disc where it stood before the shot, in the table frame; done when
/// the observation shows a disc of its type within `near_mm` of it (each seen disc serves one
/// ghost).
std::vector<Mark> put_back(const Shot& shot, const Board& board, Pose board_pose,
                           const Observation* seen, double near_mm = 2.0,
                           bool with_striker = false);

}  // namespace overboard::physics
