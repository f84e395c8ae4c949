// Speeds come from the parabola through the track around the instant, never across an impact: the
// points are taken after it only, as far as the disc slides undisturbed.
#include "physics/what_if.hpp"

#include <algorithm>
#include <cmath>

#include "physics/carrom_world.hpp"
#include "physics/exact.hpp"
#include "physics/replay.hpp"

namespace overboard::physics {
namespace {

constexpr double kLook_s = 0.08;      // how far ahead a track is read for its speed
constexpr double kTouching_mm = 0.3;  // nearer pairs count as touching
constexpr int kPile = 3;
constexpr double kStanding_mm_s = 15;  // below it camera noise and motion are the same

/// Speed at `t` of a disc that slides freely until `until`, slowing by `deceleration`.
Point speed_at(const Track& track, double t, double until, double deceleration) {
    const Point from = at(track, t).at;
    Point sum;
    double weight = 0;
    for (const TrackPoint& p : track.points) {
        const double tau = p.t - t;
        if (tau <= 1e-6 || p.t > until + 1e-9) continue;
        const Point way = Point{p.x, p.y} - from;
        const double far = length(way);
        if (far == 0) continue;
        // far = v·tau − a·tau²/2
        const double v = far / tau + 0.5 * deceleration * tau;
        sum = sum + way * (v / far * tau);
        weight += tau;
    }
    const Point v = weight > 0 ? sum * (1 / weight) : Point{};
    return length(v) < kStanding_mm_s ? Point{} : v;
}

/// When the disc next meets something after `t`.
double next_corner(const std::vector<Moment>& all, int id, double t, double end) {
    for (const Moment& m : all)
        if ((m.a == id || m.b == id) && m.t > t + 1e-4) return std::min(m.t, end);
    return end;
}

int touching_pairs(const std::vector<Disc>& discs, const Board& board) {
    int pairs = 0;
    for (std::size_t i = 0; i < discs.size(); ++i)
        for (std::size_t k = 0; k < i; ++k)
            pairs += distance(discs[i].at, discs[k].at) <
                     (board.diameter_of(discs[i].type) + board.diameter_of(discs[k].type)) / 2 +
                         kTouching_mm;
    return pairs;
}

}  // namespace

Shot what_if(const Shot& recorded, double t, const Change& change, const Board& board,
             const Parameters& parameters, const Point* strike_mm_s) {
    const auto all = moments(recorded, board);
    std::vector<Disc> discs;
    std::vector<Point> speeds;
    for (const Track& track : recorded.tracks) {
        const auto now = at(Shot{recorded.shot_id,
                                 recorded.start,
                                 recorded.end,
                                 recorded.fps,
                                 recorded.board,
                                 {track},
                                 recorded.pocketed,
                                 recorded.ejected,
                                 {},
                                 {}},
                            t)
                             .front();
        if (!now.on_board || track.points.empty()) continue;
        const double until = std::min(next_corner(all, track.id, t, recorded.end), t + kLook_s);
        Point v = speed_at(track, t, until, parameters.deceleration_mm_s2());
        if (track.type == "striker") {
            if (strike_mm_s && t <= recorded.start) v = *strike_mm_s;
            v = rotated(v * change.force, change.turn_rad);
        }
        discs.push_back({track.id, track.type, now.at, 0});
        speeds.push_back(v);
    }
    const Engine engine = touching_pairs(discs, board) >= kPile ? Engine::box2d : Engine::exact;
    Shot shot = go_on(discs, speeds, change.spin_rad_s, board, parameters, engine);
    shot.shot_id = recorded.shot_id + "-what-if";
    for (Track& track : shot.tracks)
        for (TrackPoint& p : track.points) p.t += t;
    for (Fallen& f : shot.pocketed) f.time += t;
    shot.start = t;
    shot.end += t;
    return shot;
}

}  // namespace overboard::physics
