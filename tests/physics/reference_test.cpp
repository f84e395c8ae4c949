// The exact solver against an integrator that shares nothing with it: tiny Euler steps in long
// double, each hit found by halving the step, extrapolated over three step lengths (Richardson).
#include <gtest/gtest.h>

#include <cmath>
#include <optional>

#include "tests/physics/positions.hpp"

namespace overboard::physics {
namespace {

using Real = long double;
struct V {
    Real x = 0, y = 0;
};
V operator+(V a, V b) {
    return {a.x + b.x, a.y + b.y};
}
V operator-(V a, V b) {
    return {a.x - b.x, a.y - b.y};
}
V operator*(V a, Real k) {
    return {a.x * k, a.y * k};
}
Real dot(V a, V b) {
    return a.x * b.x + a.y * b.y;
}

struct Ball {
    V at, v;
    Real r, m;
};

class MicroSteps {
public:
    MicroSteps(const testing::Stroke& s, const Board& board, const Parameters& p)
        : board_{board}, p_{p} {
        for (const Disc& d : s.position.discs)
            balls_.push_back(
                {{d.at.x, d.at.y}, {}, Real(board.disc_diameter_mm) / 2, Real(board.disc_mass_g)});
        balls_.push_back({{s.strike.from.x, s.strike.from.y},
                          {s.strike.velocity_mm_s.x, s.strike.velocity_mm_s.y},
                          Real(board.striker_diameter_mm) / 2,
                          Real(board.striker_mass_g)});
    }

    const std::vector<Ball>& run(Real h, Real until) {
        for (Real t = 0; t < until;) {
            const Real dt = std::min(h, until - t);
            t += slide(dt);
        }
        return balls_;
    }
    int collisions = 0;

private:
    /// Straight on for dt or until the first touch; returns how long. Then friction, for as long.
    Real slide(Real dt) {
        std::vector<Ball> before = balls_;
        move(balls_, dt);
        if (overlap(balls_)) {
            Real lo = 0, hi = dt;
            for (int k = 0; k < 70; ++k) {
                const Real mid = (lo + hi) / 2;
                balls_ = before;
                move(balls_, mid);
                (overlap(balls_) ? hi : lo) = mid;
            }
            balls_ = before;
            move(balls_, hi);
            dt = hi;
            rub(dt);
            bounce();
            return dt;
        }
        rub(dt);
        return dt;
    }
    static void move(std::vector<Ball>& balls, Real dt) {
        for (Ball& b : balls) b.at = b.at + b.v * dt;
    }
    void rub(Real dt) {
        const Real bite = Real(p_.friction) * Real(p_.gravity_mm_s2) * dt;
        for (Ball& b : balls_) {
            const Real speed = std::sqrt(dot(b.v, b.v));
            b.v = speed <= bite ? V{} : b.v * (1 - bite / speed);
        }
    }
    [[nodiscard]] bool touches(const Ball& a, const Ball& b) const {
        const V d = b.at - a.at;
        return dot(d, d) < (a.r + b.r) * (a.r + b.r) && dot(d, b.v - a.v) < 0;
    }
    [[nodiscard]] bool beyond(Real place, Real v, Real half, Real r) const {
        return (place > half - r && v > 0) || (place < r - half && v < 0);
    }
    [[nodiscard]] bool overlap(const std::vector<Ball>& balls) const {
        const Real w = board_.width_mm / 2, h = board_.height_mm / 2;
        for (std::size_t i = 0; i < balls.size(); ++i) {
            const Ball& a = balls[i];
            if (a.v.x == 0 && a.v.y == 0) continue;
            if (beyond(a.at.x, a.v.x, w, a.r) || beyond(a.at.y, a.v.y, h, a.r)) return true;
            for (std::size_t k = 0; k < balls.size(); ++k)
                if (k != i && touches(a, balls[k])) return true;
        }
        return false;
    }
    void bounce() {
        const Real w = board_.width_mm / 2, h = board_.height_mm / 2;
        for (std::size_t i = 0; i < balls_.size(); ++i) {
            Ball& a = balls_[i];
            if (beyond(a.at.x, a.v.x, w, a.r)) a.v.x *= -Real(p_.wall_restitution);
            if (beyond(a.at.y, a.v.y, h, a.r)) a.v.y *= -Real(p_.wall_restitution);
            for (std::size_t k = 0; k < i; ++k) {
                Ball& b = balls_[k];
                if (!touches(a, b)) continue;
                V n = b.at - a.at;
                n = n * (1 / std::sqrt(dot(n, n)));
                const Real push = (1 + Real(p_.restitution)) * dot(a.v - b.v, n) /
                                  (1 / a.m + 1 / b.m);
                a.v = a.v - n * (push / a.m);
                b.v = b.v + n * (push / b.m);
                ++collisions;
            }
        }
    }
    const Board& board_;
    const Parameters& p_;
    std::vector<Ball> balls_;
};

/// Positions at `until` for a step of 0, from three steps.
std::vector<V> extrapolated(const testing::Stroke& s, const Board& board, const Parameters& p,
                            Real until) {
    std::vector<Ball> runs[3];
    const Real h = 2e-5L;
    for (int k = 0; k < 3; ++k) runs[k] = MicroSteps(s, board, p).run(h / Real(1 << k), until);
    std::vector<V> out;
    for (std::size_t i = 0; i < runs[0].size(); ++i) {
        const V once = runs[1][i].at * 2 - runs[0][i].at, twice = runs[2][i].at * 2 - runs[1][i].at;
        out.push_back(twice * (Real(4) / 3) - once * (Real(1) / 3));
    }
    return out;
}

/// Halfway between collision k and the next, or nothing when there is no such moment before a
/// pocket.
std::optional<double> after_collision(const testing::Stroke& s, const Board& board,
                                      const Parameters& p, int k) {
    auto world = testing::exact_of(s, board, p);
    Trace trace;
    world.run(&trace, 30, k);
    std::vector<double> times;
    for (const Impact& i : trace.impacts) {
        if (i.kind == Impact::Kind::pocket) return {};
        if (i.kind == Impact::Kind::disc) times.push_back(i.t);
    }
    if (static_cast<int>(times.size()) < k) return {};
    return (times.back() + world.time()) / 2;
}

double worst_error(int collisions, double limit_spread, int shots) {
    Board board = load_board("tournament");
    board.pockets.clear();
    const Parameters p;
    double worst = 0;
    int done = 0;
    for (unsigned seed = 0; done < shots && seed < 400; ++seed) {
        const auto stroke = testing::scattered(seed, board);
        const auto t = after_collision(stroke, board, p, collisions);
        if (!t) continue;
        // A tenth of a nanometre more or less must not matter: where it does, chaos has won
        // already.
        auto nudged = stroke;
        nudged.strike.from.x += 1e-7;
        auto world = testing::exact_of(stroke, board, p),
             beside = testing::exact_of(nudged, board, p);
        world.run(nullptr, *t);
        beside.run(nullptr, *t);
        double spread = 0;
        for (int i = 0; i < world.size(); ++i)
            spread = std::max(spread, distance(world.position(i), beside.position(i)));
        if (spread > limit_spread) continue;
        const auto reference = extrapolated(stroke, board, p, *t);
        for (int i = 0; i < world.size(); ++i) {
            const Point at = world.position(i);
            const V d = reference[i] - V{at.x, at.y};
            worst = std::max(worst, double(std::sqrt(dot(d, d))));
        }
        ++done;
    }
    EXPECT_EQ(done, shots);
    return worst;
}

int shots_to_check() {
    return std::getenv("OVERBOARD_LONG") ? 40 : 6;
}

TEST(Reference, AgreesToAMillionthOfAMillimetreAfterOneCollision) {
    const double worst = worst_error(1, 1e-5, shots_to_check());
    RecordProperty("worst_mm", std::to_string(worst));
    EXPECT_LE(worst, 1e-6);
}

TEST(Reference, AgreesToAHundredThousandthAfterThree) {
    const double worst = worst_error(3, 1e-5, shots_to_check());
    RecordProperty("worst_mm", std::to_string(worst));
    EXPECT_LE(worst, 1e-5);
}

}  // namespace
}  // namespace overboard::physics
