// The shares are integrals over the disc's face that depend only on the ratio of the two speeds.
// They are worked out once, at places even in the angle atan(speed / rim speed), and read in
// between.
#include "physics/sliding.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace overboard::physics {
namespace {

constexpr int kPlaces = 65, kRings = 48, kRays = 96;
using Shares = std::array<FrictionShares, kPlaces>;

FrictionShares integrated(double speed, double rim_speed) {
    FrictionShares sum{0, 0};
    for (int i = 0; i < kRings; ++i) {
        const double r = std::sqrt((i + 0.5) / kRings);  // rings of equal area
        for (int k = 0; k < kRays; ++k) {
            const double angle = 2 * M_PI * (k + 0.5) / kRays;
            const double x = speed - rim_speed * r * std::sin(angle),
                         y = rim_speed * r * std::cos(angle);
            const double way = std::max(1e-12, std::hypot(x, y));
            sum.slide += x / way;
            sum.spin += r * (y * std::cos(angle) - x * std::sin(angle)) / way;
        }
    }
    return {sum.slide / (kRings * kRays), sum.spin / (kRings * kRays)};
}

Shares tabulated() {
    Shares shares;
    for (int k = 0; k < kPlaces; ++k) {
        const double angle = M_PI / 2 * k / (kPlaces - 1);
        shares[std::size_t(k)] = integrated(std::sin(angle), std::cos(angle));
    }
    shares.front() = {0, 2.0 / 3};
    shares.back() = {1, 0};
    return shares;
}

}  // namespace

FrictionShares friction_shares(double speed, double rim_speed) {
    static const Shares shares = tabulated();
    const double place = std::atan2(speed, rim_speed) / (M_PI / 2) * (kPlaces - 1);
    const auto below = std::min(static_cast<std::size_t>(place), std::size_t(kPlaces - 2));
    const double part = place - double(below);
    const FrictionShares &a = shares[below], &b = shares[below + 1];
    return {a.slide + (b.slide - a.slide) * part, a.spin + (b.spin - a.spin) * part};
}

}  // namespace overboard::physics
