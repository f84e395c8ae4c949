#include "simulator/motion.hpp"

#include <algorithm>
#include <cmath>

namespace overboard::simulator {

Moving reach(const Spot3& a, const Spot3& b, double t_s, double duration_s, double arc_mm) {
    const double t = std::clamp(duration_s <= 0 ? 1.0 : t_s / duration_s, 0.0, 1.0);
    const double s = t * t * t * (10 - 15 * t + 6 * t * t),
                 ds = 30 * t * t * (1 - t) * (1 - t) / std::max(duration_s, 1e-6);
    const double turn = wrapped(b.angle - a.angle);
    Moving m;
    m.at = {a.x + (b.x - a.x) * s, a.y + (b.y - a.y) * s,
            a.z + (b.z - a.z) * s + arc_mm * 4 * s * (1 - s), a.angle + turn * s};
    if (t > 0 && t < 1) {
        m.vx = (b.x - a.x) * ds, m.vy = (b.y - a.y) * ds;
        m.vz = ((b.z - a.z) + arc_mm * 4 * (1 - 2 * s)) * ds;
        m.spin = turn * ds;
    }
    return m;
}

double reach_time(double distance_mm, double pace) {
    return (0.28 + 0.55 * std::sqrt(std::max(distance_mm, 0.0) / 500)) / pace;
}

}  // namespace overboard::simulator
