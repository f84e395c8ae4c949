#pragma once

#include <map>
#include <string>
#include <vector>

#include "bus/geometry.hpp"
#include "bus/json.hpp"
#include "bus/shot.hpp"
#include "physics/board.hpp"

/// A stroke computed instead of filmed. Board frame, mm, mm/s, s, rad/s; angles and spin clockwise.
namespace overboard::physics {

/// A disc at rest before the stroke.
struct Disc {
    int id = 0;
    std::string type;
    Point at;
    int level = 0;  ///< 0: on the board; n: on top of n others (the tower).
};

struct Position {
    std::vector<Disc> discs;  ///< Without the striker.
};

/// What the finger gave the striker.
struct Strike {
    Point from;
    Point velocity_mm_s;
    double spin_rad_s = 0;
    int id = 0;  ///< Of the striker; 0: one more than the highest disc.
};

/// What a table is like. The defaults are a well powdered board: a full-force stroke (5 m/s) runs
/// more than three and a half times across the tournament board, as its law asks.
struct Parameters {
    double friction = 0.09;          ///< Sliding, disc on board. Higher: everything stops sooner.
    double restitution = 0.85;       ///< Disc on disc, 0..1. Lower: softer hits.
    double wall_restitution = 0.70;  ///< Disc on frame, 0..1.
    double rim_friction = 0;  ///< Rim on rim and rim on frame: what makes and feels spin. 0: none.
    double capture_speed_mm_s = 1500;  ///< A disc whose centre is over a pocket drops when it is
                                       ///< slower.
    /// A disc that meets the frame faster jumps over it. 0: none does.
    double leap_speed_mm_s = 0;
    double gravity_mm_s2 = 9806.65;

    [[nodiscard]] double deceleration_mm_s2() const { return friction * gravity_mm_s2; }
    friend bool operator==(const Parameters&, const Parameters&) = default;
};

/// Names as in Parameters; absent ones keep their default, unknown ones are ignored. Throws
/// std::runtime_error with one sentence on a value that is no physics.
Parameters parameters_from(const Json& json);
Json to_json(const Parameters& parameters);

enum class Engine {
    exact,  ///< Event-driven, closed form, the same bytes everywhere. No stacks.
    box2d   ///< Stepped; knows stacks and many contacts at once.
};

/// How high each disc was at each point of its track, mm above the surface, by id: what a Shot does
/// not tell.
using Heights = std::map<int, std::vector<double>>;

/// Calculates the stroke from the strike until rest. Discs that overlap by less than a camera's
/// doubt are pushed apart first. Throws std::runtime_error with one sentence when the position
/// cannot be: a piece outside the surface, deep in another, or of a type the board does not have; a
/// stack given to the exact engine.
///
/// The tracks carry a point 120 times a second and at every event; a disc that never moved has its
/// first and last moment only. `confidence` fades with the number of collisions. `heights`, if
/// asked for, are told by the engine that knows stacks; the other leaves them empty: all lie on the
/// board.
Shot simulate(const Position& position, const Strike& strike, const Board& board,
              const Parameters& parameters = {}, Engine engine = Engine::exact,
              Heights* heights = nullptr);

/// The same from the middle of a stroke: every disc with its own speed. Overlaps are pushed apart,
/// pieces outside the surface put back; nothing is refused but a stack given to the exact engine.
Shot go_on(std::vector<Disc> discs, const std::vector<Point>& velocities_mm_s,
           double striker_spin_rad_s, const Board& board, const Parameters& parameters,
           Engine engine, Heights* heights = nullptr);

/// How far a prediction is to be trusted after so many disc-disc collisions, 0..1.
double confidence_after(int collisions);

/// Reads what `overboard shot simulate` takes. Throws std::runtime_error with one sentence.
struct ShotRequest {
    std::string board = "to-go";
    Position position;
    Strike strike;
    Parameters parameters;
};
ShotRequest request_from(const Json& json);

/// The position with the striker appended as its last disc, checked and pushed apart where the
/// camera saw discs overlap a little. What both engines start from; throws as simulate() does.
std::vector<Disc> checked_start(const Position& position, const Strike& strike, const Board& board);

/// The frames a second of computed tracks.
inline constexpr double kTrackFps = 120;
/// A stroke that has not come to rest by then is cut off (only without friction).
inline constexpr double kLongestShot_s = 30;
/// Nobody flicks faster; beyond it input is refused.
inline constexpr double kTopSpeed_mm_s = 20000;

}  // namespace overboard::physics
