// The exact solver against closed forms and conservation laws.
#include "physics/exact.hpp"

#include <gtest/gtest.h>

#include "tests/physics/positions.hpp"

namespace overboard::physics {
namespace {

constexpr double g = 9806.65;

struct Bench {
    Board board = load_board("tournament");
    Parameters p;
    Bench() { board.pockets.clear(); }
    ExactWorld world() { return {board, p}; }
};

TEST(Exact, ALoneDiscStopsWhereCoulombSaysItDoes) {
    Bench b;
    auto world = b.world();
    world.add({-300, 20}, 15, 5, {800, 0});
    world.run();
    const double a = 0.09 * g;
    EXPECT_NEAR(world.position(0).x, -300 + 800 * 800 / (2 * a), 1e-9);
    EXPECT_EQ(world.position(0).y, 20);
    EXPECT_NEAR(world.time(), 800 / a, 1e-12);
}

TEST(Exact, HeadOnSharesMomentumByRestitution) {
    Bench b;
    auto world = b.world();
    world.add({-100, 0}, 20, 15, {2000, 0});
    world.add({0, 0}, 15, 5);
    Trace trace;
    world.run(&trace, 30, 1);
    const double a = 0.09 * g, v = std::sqrt(2000.0 * 2000 - 2 * a * 65);
    ASSERT_GE(trace.legs[1].size(), 2u);
    EXPECT_NEAR(trace.legs[1][1].velocity.x, v * 15 * 1.85 / 20, 1e-9);
    EXPECT_NEAR(trace.legs[0][1].velocity.x, v * (15 - 0.85 * 5) / 20, 1e-9);
    EXPECT_NEAR(trace.legs[1][1].t, (2000 - v) / a, 1e-13);
    EXPECT_NEAR(trace.legs[0][1].at.x, -35, 1e-10);
}

TEST(Exact, AGlancingHitSendsTheTargetAlongTheLineOfCentres) {
    Bench b;
    auto world = b.world();
    world.add({-100, 0}, 15, 5, {1500, 0});
    world.add({0, 18}, 15, 5);
    Trace trace;
    world.run(&trace, 30, 1);
    const double along = std::sqrt(30.0 * 30 - 18 * 18) / 30, across = 18.0 / 30;
    const double a = 0.09 * g, v = std::sqrt(1500.0 * 1500 - 2 * a * (100 - 30 * along));
    const Point hit = trace.legs[1][1].velocity;
    EXPECT_NEAR(hit.x, v * along * along * 1.85 / 2, 1e-9);
    EXPECT_NEAR(hit.y, v * along * across * 1.85 / 2, 1e-9);
    const Point rest = trace.legs[0][1].velocity;
    EXPECT_NEAR(rest.x + hit.x, v, 1e-9);
    EXPECT_NEAR(rest.y + hit.y, 0, 1e-9);
}

TEST(Exact, AWallTurnsTheNormalSpeedOnly) {
    Bench b;
    auto world = b.world();
    world.add({300, 0}, 15, 5, {1200, 500});
    Trace trace;
    world.run(&trace);
    ASSERT_GE(trace.legs[0].size(), 3u);
    const double s = 55 * 1300.0 / 1200, a = 0.09 * g, v = std::sqrt(1300.0 * 1300 - 2 * a * s);
    EXPECT_NEAR(trace.legs[0][1].velocity.x, -0.7 * v * 12 / 13, 1e-9);
    EXPECT_NEAR(trace.legs[0][1].velocity.y, v * 5 / 13, 1e-9);
    EXPECT_NEAR(trace.legs[0][1].at.x, 355, 1e-10);
}

TEST(Exact, ThreeInLineHandTheBlowOn) {
    Bench b;
    b.p.friction = 0;
    b.p.restitution = 1;
    auto world = b.world();
    world.add({-100, 0}, 15, 5, {1000, 0});
    world.add({0, 0}, 15, 5);
    world.add({30, 0}, 15, 5);  // touching
    world.run(nullptr, 0.1);
    EXPECT_NEAR(world.velocity(0).x, 0, 1e-6);
    EXPECT_NEAR(world.velocity(1).x, 0, 1e-6);
    EXPECT_NEAR(world.velocity(2).x, 1000, 1e-6);
}

TEST(Exact, TwoMovingDiscsMeetWhenTheirDistanceSaysSo) {
    Bench b;
    b.p.friction = 0.05;
    auto world = b.world();
    world.add({-200, 0}, 15, 5, {900, 0});
    world.add({200, 0}, 15, 5, {-700, 0});
    Trace trace;
    world.run(&trace, 30, 1);
    // Both slow down alike: the gap of 370 mm closes by 1600 t − a t².
    const double a = 0.05 * g, t = (1600 - std::sqrt(1600.0 * 1600 - 4 * a * 370)) / (2 * a);
    EXPECT_NEAR(trace.impacts.front().t, t, 1e-12);
    EXPECT_NEAR(trace.impacts.front().speed_mm_s, 1600 - 2 * a * t, 1e-8);
}

double energy(const ExactWorld& world, const std::vector<double>& mass) {
    double sum = 0;
    for (int i = 0; i < world.size(); ++i)
        sum += 0.5 * mass[i] * dot(world.velocity(i), world.velocity(i));
    return sum;
}

TEST(Exact, KeepsEnergyOverTwoThousandElasticEvents) {
    Bench b;
    b.p = {.friction = 0, .restitution = 1, .wall_restitution = 1};
    const auto stroke = testing::scattered(3, b.board);
    auto world = testing::exact_of(stroke, b.board, b.p);
    std::vector<double> mass(13, b.board.disc_mass_g);
    mass.push_back(b.board.striker_mass_g);
    const double before = energy(world, mass);
    double until = 0;
    while (world.events() < 2000 && until < 60) world.run(nullptr, until += 0.5);
    EXPECT_GE(world.events(), 2000);
    EXPECT_NEAR(energy(world, mass) / before, 1, 1e-9);
}

TEST(Exact, KeepsMomentumUntilAWallIsTouched) {
    Bench b;
    b.p.friction = 0;
    const auto stroke = testing::opening(1, b.board);
    auto world = testing::exact_of(stroke, b.board, b.p);
    Trace trace;
    world.run(&trace, 30, 40);
    double first_wall = world.time();
    for (const Impact& i : trace.impacts)
        if (i.kind == Impact::Kind::wall) first_wall = std::min(first_wall, i.t);
    auto again = testing::exact_of(stroke, b.board, b.p);
    again.run(nullptr, first_wall * 0.999);
    ASSERT_GE(again.collisions(), 5);
    Point sum;
    for (int i = 0; i < again.size(); ++i)
        sum = sum + again.velocity(i) *
                        (i + 1 == again.size() ? b.board.striker_mass_g : b.board.disc_mass_g);
    const Point given = stroke.strike.velocity_mm_s * b.board.striker_mass_g;
    EXPECT_NEAR(distance(sum, given) / length(given), 0, 1e-12);
}

TEST(Exact, SwallowsADiscOnlyOverTheHoleAndSlow) {
    Board board = load_board("to-go");
    Parameters p;
    p.capture_speed_mm_s = 500;
    const auto pocketed = [&](Point from, Point v) {
        ExactWorld world(board, p);
        world.add(from, 10, 1.7, v);
        world.run();
        return world.pocket_of(0);
    };
    EXPECT_EQ(pocketed({100, -100}, {340, -340}), 0);  // rolls in: "ne"
    EXPECT_EQ(pocketed({150, -100}, {0, -300}), -1);   // passes beside the hole
    EXPECT_EQ(pocketed({171, -170}, {0, 0}), -1);      // half over the hole, centre not
    EXPECT_EQ(pocketed({175, -180}, {0, 0}), 0);
    // Too fast along the wall: crosses the hole, comes back slow enough or not at all.
    p.wall_restitution = 1;
    p.friction = 0.001;
    ExactWorld fast(board, p);
    fast.add({100, -190}, 10, 1.7, {3000, 0});
    Trace trace;
    fast.run(&trace, 0.1);
    EXPECT_EQ(fast.pocket_of(0), -1);
}

TEST(Exact, CapturesAtTheInstantItHasSlowedDown) {
    Board board = load_board("to-go");
    Parameters p;
    p.capture_speed_mm_s = 300;
    ExactWorld world(board, p);
    const double a = p.deceleration_mm_s2(), v = std::sqrt(300.0 * 300 + 2 * a * 90);
    world.add({185, -100}, 10, 1.7,
              {0, -v});  // 85 mm to the centre of the hole, 90 until slow: inside
    world.run();
    EXPECT_EQ(world.pocket_of(0), 0);
    EXPECT_NEAR(world.position(0).y, -190, 1e-9);
}

TEST(Exact, RimFrictionTurnsASlidingHitIntoSpin) {
    Bench b;
    b.p.rim_friction = 0.1;
    auto world = b.world();
    world.add({-100, 0}, 15, 5, {1500, 0});
    world.add({0, 18}, 15, 5);
    world.run(nullptr, 0.08);
    EXPECT_NE(world.spin(0), 0);
    EXPECT_NE(world.spin(1), 0);
    EXPECT_EQ(std::signbit(world.spin(0)),
              std::signbit(world.spin(1)));  // a rub turns both the same way
}

TEST(Exact, TheTournamentBoardGivesThreeAndAHalfRuns) {
    const Board& board = load_board("tournament");
    ExactWorld world(board, {});
    world.add({0, 349.35}, board.striker_diameter_mm / 2, board.striker_mass_g, {0, -5000});
    Trace trace;
    world.run(&trace);
    double way = 0;
    for (std::size_t k = 1; k < trace.legs[0].size(); ++k)
        way += distance(trace.legs[0][k].at, trace.legs[0][k - 1].at);
    EXPECT_GE(way, 3.5 * (board.height_mm - board.striker_diameter_mm));
}

TEST(Exact, NeverLetsDiscsIntoEachOther) {
    for (const char* name : {"to-go", "tournament"}) {
        const Board& board = load_board(name);
        double deepest = 0;
        for (unsigned seed = 0; seed < 60; ++seed) {
            const auto stroke = seed % 2 ? testing::opening(seed, board)
                                         : testing::scattered(seed, board);
            auto world = testing::exact_of(stroke, board);
            for (double t = 0; !world.at_rest() && t < 10; t += 0.002) {
                world.run(nullptr, t);
                for (int i = 0; i < world.size(); ++i)
                    for (int k = 0; k < i; ++k) {
                        if (world.pocket_of(i) >= 0 || world.pocket_of(k) >= 0) continue;
                        const double reach = (i + 1 == world.size() ? board.striker_diameter_mm
                                                                    : board.disc_diameter_mm) /
                                                 2 +
                                             board.disc_diameter_mm / 2;
                        deepest = std::max(deepest,
                                           reach - distance(world.position(i), world.position(k)));
                    }
            }
            EXPECT_TRUE(world.at_rest()) << name << " " << seed;
        }
        EXPECT_LE(deepest, 1e-6) << name;  // mm: 1e-9 m
    }
}

}  // namespace
}  // namespace overboard::physics
