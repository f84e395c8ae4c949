// Checks a position, runs the engine, and turns its motion into tracks.
#include "physics/shot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>
#include <stdexcept>

#include "physics/carrom_world.hpp"
#include "physics/exact.hpp"

namespace overboard::physics {
namespace {

// deeper overlaps are no measuring error (contract: ± 0.5 mm each)
constexpr double kCameraDoubt_mm = 1.5;
constexpr double kCameraError_mm = 0.05, kHalfTrust_mm = 5;  // see confidence_after

[[noreturn]] void refuse(const std::string& sentence) {
    throw std::runtime_error(sentence);
}

double radius_of(const Board& board, const Disc& disc) {
    return board.diameter_of(disc.type) / 2;
}

bool stacked(const std::vector<Disc>& discs) {
    return std::any_of(discs.begin(), discs.end(), [](const Disc& d) { return d.level != 0; });
}

void check_disc(const Disc& disc, const Board& board) {
    if (!board.knows(disc.type))
        refuse(fmt::format("the board \"{}\" has no disc of type \"{}\"", board.name, disc.type));
    const double r = radius_of(board, disc) - kCameraDoubt_mm;
    if (!(std::abs(disc.at.x) <= board.width_mm / 2 - r &&
          std::abs(disc.at.y) <= board.height_mm / 2 - r))
        refuse(fmt::format("the {} at ({:.1f}, {:.1f}) is not on the playing surface", disc.type,
                           disc.at.x, disc.at.y));
    if (disc.level < 0 || disc.level > 20) refuse("the level of a disc is between 0 and 20");
}

/// Moves discs that overlap a little half the overlap each, and back inside the walls.
void push_apart(std::vector<Disc>& discs, const Board& board) {
    for (int round = 0; round < 200; ++round) {
        bool moved = false;
        for (std::size_t i = 0; i < discs.size(); ++i) {
            for (std::size_t k = 0; k < i; ++k) {
                if (discs[i].level != discs[k].level) continue;
                const double reach = radius_of(board, discs[i]) + radius_of(board, discs[k]);
                const Point d = discs[i].at - discs[k].at;
                const double far = std::sqrt(dot(d, d));
                if (far >= reach) continue;
                const double shift = (reach - far) / 2 * (1 + 1e-9) + 1e-12;
                const Point n = far > 0 ? d * (1 / far) : Point{1, 0};
                discs[i].at = discs[i].at + n * shift;
                discs[k].at = discs[k].at - n * shift;
                moved = true;
            }
            const double x = board.width_mm / 2 - radius_of(board, discs[i]),
                         y = board.height_mm / 2 - radius_of(board, discs[i]);
            discs[i].at = {std::clamp(discs[i].at.x, -x, x), std::clamp(discs[i].at.y, -y, y)};
        }
        if (!moved) return;
    }
}

/// The same strike from the same position is the same shot.
std::string name_of(const std::vector<Disc>& discs, const Strike& strike, const Parameters& p,
                    Engine engine) {
    std::uint64_t hash = 1469598103934665603u;
    const auto add = [&](double value) {
        unsigned char bytes[8];
        std::memcpy(bytes, &value, 8);
        for (unsigned char byte : bytes) hash = (hash ^ byte) * 1099511628211u;
    };
    for (const Disc& d : discs) add(d.id), add(d.at.x), add(d.at.y), add(d.level);
    for (double v :
         {strike.velocity_mm_s.x, strike.velocity_mm_s.y, strike.spin_rad_s, p.friction,
          p.restitution, p.wall_restitution, p.rim_friction, p.capture_speed_mm_s, p.gravity_mm_s2})
        add(v);
    if (p.leap_speed_mm_s > 0) add(p.leap_speed_mm_s);
    return fmt::format("sim-{}-{:016x}", engine == Engine::exact ? "exact" : "box2d", hash);
}

Point at_time(const Leg& leg, double t, double deceleration) {
    const double speed = length(leg.velocity);
    if (speed == 0) return leg.at;
    double tau = t - leg.t;
    if (deceleration > 0) tau = std::min(tau, speed / deceleration);
    return leg.at + leg.velocity * (tau * (1 - 0.5 * deceleration * tau / speed));
}

/// A point at every leg and every frame while the disc moves.
std::vector<TrackPoint> points_along(const std::vector<Leg>& legs, double end,
                                     double deceleration) {
    std::vector<TrackPoint> points;
    const auto put = [&](double t, Point at) {
        if (points.empty() || t > points.back().t) points.push_back({t, at.x, at.y});
    };
    for (std::size_t k = 0; k < legs.size(); ++k) {
        const Leg& leg = legs[k];
        const double next = k + 1 < legs.size() ? legs[k + 1].t : end;
        put(leg.t, leg.at);
        if (leg.velocity == Point{}) continue;
        for (double frame = std::floor(leg.t * kTrackFps) + 1; frame / kTrackFps < next; ++frame)
            put(frame / kTrackFps, at_time(leg, frame / kTrackFps, deceleration));
    }
    return points;
}

Shot run_exact(const std::vector<Disc>& discs, const std::vector<Point>& velocities,
               const std::vector<double>& spins, const Board& board, const Parameters& p) {
    if (stacked(discs)) refuse("the exact engine does not know stacks: use the engine box2d");
    if (static_cast<int>(discs.size()) > ExactWorld::kMaxDiscs)
        refuse(fmt::format("more than {} discs on one board", ExactWorld::kMaxDiscs));
    ExactWorld world(board, p);
    for (std::size_t k = 0; k < discs.size(); ++k)
        world.add(discs[k].at, radius_of(board, discs[k]), board.mass_of(discs[k].type),
                  velocities[k], spins[k]);
    Trace trace;
    world.run(&trace);

    Shot shot;
    shot.end = world.time();
    for (int i = 0; i < world.size(); ++i) {
        const Disc& disc = discs[i];
        const bool fell = world.pocket_of(i) != ExactWorld::kNoPocket;
        auto points = points_along(trace.legs[i], shot.end, p.deceleration_mm_s2());
        if (!fell && points.back().t < shot.end) {
            const Point at = world.position(i);
            points.push_back({shot.end, at.x, at.y});
        }
        shot.tracks.push_back({disc.id, disc.type, std::move(points)});
    }
    tell_falls(trace.impacts, discs, board, shot);
    shot.confidence = confidence_after(world.collisions());
    return shot;
}

}  // namespace

void tell_falls(const std::vector<Impact>& impacts, const std::vector<Disc>& discs,
                const Board& board, Shot& shot) {
    for (const Impact& impact : impacts) {
        const Disc& disc = discs[static_cast<std::size_t>(impact.a)];
        if (impact.kind == Impact::Kind::pocket)
            shot.pocketed.push_back({disc.id, disc.type,
                                     board.pockets[static_cast<std::size_t>(impact.b)].name,
                                     impact.t});
        if (impact.kind == Impact::Kind::left)
            shot.ejected.push_back({disc.id, disc.type, "", impact.t});
    }
}

double confidence_after(int collisions) {
    // Measured: what a camera error of 0.05 mm grows to doubles with every collision (0.14 mm after
    // one, 45 mm after ten). Half trust where the error is 5 mm, a quarter of a disc.
    const double error = kCameraError_mm * std::exp2(std::min(collisions, 60));
    return 1 / (1 + error / kHalfTrust_mm);
}

std::vector<Disc> checked_start(const Position& position, const Strike& strike,
                                const Board& board) {
    std::vector<Disc> discs = position.discs;
    std::set<int> ids;
    int highest = 0;
    for (const Disc& d : discs) {
        highest = std::max(highest, d.id);
        if (!ids.insert(d.id).second) refuse(fmt::format("two discs have the id {}", d.id));
    }
    discs.push_back({strike.id ? strike.id : highest + 1, "striker", strike.from, 0});
    if (!ids.insert(discs.back().id).second)
        refuse(fmt::format("two discs have the id {}", discs.back().id));
    for (const Disc& d : discs) check_disc(d, board);
    for (std::size_t i = 0; i < discs.size(); ++i)
        for (std::size_t k = 0; k < i; ++k) {
            const double reach = radius_of(board, discs[i]) + radius_of(board, discs[k]);
            if (discs[i].level == discs[k].level &&
                distance(discs[i].at, discs[k].at) < reach - kCameraDoubt_mm)
                refuse(fmt::format("the {} at ({:.1f}, {:.1f}) overlaps the {} at ({:.1f}, {:.1f})",
                                   discs[i].type, discs[i].at.x, discs[i].at.y, discs[k].type,
                                   discs[k].at.x, discs[k].at.y));
        }
    if (!(length(strike.velocity_mm_s) <= kTopSpeed_mm_s))
        refuse(fmt::format("the striker is faster than {:.0f} mm/s", kTopSpeed_mm_s));
    push_apart(discs, board);  // before anything is named after it
    return discs;
}

Shot simulate(const Position& position, const Strike& strike, const Board& board,
              const Parameters& parameters, Engine engine, Heights* heights) {
    const std::vector<Disc> discs = checked_start(position, strike, board);
    std::vector<Point> velocities(discs.size());
    velocities.back() = strike.velocity_mm_s;
    Shot shot = go_on(discs, velocities, strike.spin_rad_s, board, parameters, engine, heights);
    shot.shot_id = name_of(discs, strike, parameters, engine);
    return shot;
}

Shot go_on(std::vector<Disc> discs, const std::vector<Point>& velocities, double striker_spin_rad_s,
           const Board& board, const Parameters& parameters, Engine engine, Heights* heights) {
    push_apart(discs, board);
    std::vector<double> spins(discs.size(), 0);
    std::optional<Point> striker_from;
    for (std::size_t k = 0; k < discs.size(); ++k)
        if (discs[k].type == "striker") spins[k] = striker_spin_rad_s, striker_from = discs[k].at;
    Shot shot = engine == Engine::exact
                    ? run_exact(discs, velocities, spins, board, parameters)
                    : run_box2d(discs, velocities, spins, board, parameters, heights);
    shot.fps = kTrackFps;
    shot.board = board.name;
    shot.striker_from = striker_from;
    return shot;
}

}  // namespace overboard::physics
