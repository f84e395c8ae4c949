#pragma once

#include <random>

#include "physics/exact.hpp"
#include "physics/shot.hpp"

/// Positions and strikes for tests and benchmarks; the same numbers every time.
namespace overboard::physics::testing {

struct Stroke {
    Position position;
    Strike strike;
};

inline double uniform(std::mt19937_64& random, double lo, double hi) {
    return lo + (hi - lo) * (static_cast<double>(random() >> 11) * 0x1p-53);
}

/// Thirteen discs anywhere, the striker on the southern line, 1.5 to 5 m/s in any forward
/// direction.
inline Stroke scattered(unsigned seed, const Board& board, int discs = 13) {
    std::mt19937_64 random(seed * 7919u + 17u);
    Stroke stroke;
    const double r = board.striker_diameter_mm / 2, w = board.width_mm / 2, h = board.height_mm / 2;
    const ShootingLine& line = *board.line_of("s");
    const double reach = length(line.circles[1] - line.circles[0]) / 2 - line.circle_diameter_mm;
    stroke.strike.from = (line.circles[0] + line.circles[1]) * 0.5 +
                         line.along * uniform(random, -reach, reach);
    const auto free = [&](Point at) {
        for (const Hole& hole : board.pockets)
            if (distance(hole.centre, at) < hole.diameter_mm) return false;
        for (const Disc& d : stroke.position.discs)
            if (distance(d.at, at) < board.disc_diameter_mm + 0.5) return false;
        return distance(stroke.strike.from, at) > r + board.disc_diameter_mm;
    };
    while (static_cast<int>(stroke.position.discs.size()) < discs) {
        const double edge = board.disc_diameter_mm;
        const Point at{uniform(random, -w + edge, w - edge), uniform(random, -h + edge, h - edge)};
        const int id = static_cast<int>(stroke.position.discs.size()) + 1;
        const std::string type = id == 1 ? "queen" : board.discs.front().type;
        if (free(at)) stroke.position.discs.push_back({id, type, at, 0});
    }
    const double angle = -M_PI / 2 + uniform(random, -1.0, 1.0),
                 speed = uniform(random, 1500, 5000);
    stroke.strike.velocity_mm_s = rotated({speed, 0}, angle);
    return stroke;
}

/// The rosette, struck from the line.
inline Stroke opening(unsigned seed, const Board& board) {
    std::mt19937_64 random(seed * 104729u + 5u);
    Stroke stroke;
    for (const Spot& spot : board.spots)
        stroke.position.discs.push_back(
            {static_cast<int>(stroke.position.discs.size()) + 1, spot.type, spot.at, 0});
    const ShootingLine& line = *board.line_of("s");
    stroke.strike.from = (line.circles[0] + line.circles[1]) * 0.5 +
                         line.along * uniform(random, -60, 60);
    const Point aim = Point{uniform(random, -10, 10), 0} - stroke.strike.from;
    stroke.strike.velocity_mm_s = aim * (uniform(random, 2500, 5000) / length(aim));
    return stroke;
}

/// The stroke in the exact solver; the striker is the last disc.
inline ExactWorld exact_of(const Stroke& stroke, const Board& board,
                           const Parameters& parameters = {}) {
    ExactWorld world(board, parameters);
    for (const Disc& d : stroke.position.discs)
        world.add(d.at, board.diameter_of(d.type) / 2, board.mass_of(d.type));
    world.add(stroke.strike.from, board.striker_diameter_mm / 2, board.striker_mass_g,
              stroke.strike.velocity_mm_s, stroke.strike.spin_rad_s);
    return world;
}

}  // namespace overboard::physics::testing
