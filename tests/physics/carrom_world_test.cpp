#include "physics/carrom_world.hpp"
#include "physics/sliding.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/physics/positions.hpp"

namespace overboard::physics {
namespace {

double percentile(std::vector<double> v, double p) {
    std::sort(v.begin(), v.end());
    return v[static_cast<std::size_t>(p * double(v.size() - 1))];
}

/// Greatest distance over discs between both solvers, halfway between collision k and the next.
std::optional<double> deviation(const testing::Stroke& stroke, const Board& board, int k) {
    auto exact = testing::exact_of(stroke, board);
    Trace trace;
    exact.run(&trace, 30, k);
    if (exact.collisions() < k) return {};
    double last = 0;
    for (const Impact& i : trace.impacts)
        if (i.kind == Impact::Kind::disc) last = i.t;
    // CarromWorld moves in steps: look at a whole number of them.
    const double t = std::round((last + exact.time()) / 2 * 1000) / 1000;
    if (t <= last || t >= exact.time()) return {};
    auto again = testing::exact_of(stroke, board);
    again.run(nullptr, t);
    CarromWorld world(board, {});
    for (const Disc& d : stroke.position.discs) world.add(d);
    world.add({99, "striker", stroke.strike.from, 0}, stroke.strike.velocity_mm_s);
    while (world.time() < t - 1e-6) world.step();
    double worst = 0;
    for (int i = 0; i < world.size(); ++i)
        if (world.on_board(i) && again.pocket_of(i) < 0)
            worst = std::max(worst, distance(world.position(i), again.position(i)));
    return worst;
}

TEST(CarromWorld, StaysBesideTheExactSolution) {
    const bool all = std::getenv("OVERBOARD_LONG");
    const unsigned shots = all ? 1000 : 150;
    if (!all) std::puts("150 shots; OVERBOARD_LONG=1 runs 1000");
    const Board& board = load_board("tournament");
    for (const auto& [k, median_mm] : {std::pair{1, 0.25}, std::pair{3, 1.1}}) {
        std::vector<double> found;
        for (unsigned seed = 0; seed < shots; ++seed)
            if (const auto d = deviation(testing::scattered(seed, board), board, k))
                found.push_back(*d);
        ASSERT_GE(found.size(), shots / 2);
        std::printf("after %d: median %.3f mm, p90 %.3f mm of %zu shots\n", k,
                    percentile(found, 0.5), percentile(found, 0.9), found.size());
        EXPECT_LE(percentile(found, 0.5), median_mm) << "after " << k;
    }
}

TEST(CarromWorld, StopsWhereCoulombSaysItDoes) {
    Board board = load_board("tournament");
    CarromWorld world(board, {});
    world.add({1, "white", {-300, 20}, 0}, {800, 0});
    world.run();
    EXPECT_NEAR(world.position(0).x, -300 + 800 * 800 / (2 * 0.09 * 9806.65), 0.05);
}

TEST(CarromWorld, BouncesOffTheWallAtItsTrueFace) {
    Board board = load_board("tournament");
    CarromWorld world(board, {});
    world.add({1, "white", {300, 0}, 0}, {500, 0});
    double furthest = 0, back = 0;
    for (int k = 0; k < 400; ++k) {
        world.step();
        furthest = std::max(furthest, world.position(0).x);
        back = std::min(back, world.velocity(0).x);
    }
    EXPECT_NEAR(furthest, 370 - 15.9, 0.3);
    const double v = std::sqrt(500.0 * 500 - 2 * 0.09 * 9806.65 * (54.1));
    EXPECT_NEAR(back, -0.7 * v, 0.01 * v);
}

TEST(CarromWorld, ASlowHitBouncesToo) {
    Board board = load_board("to-go");
    Parameters p;
    p.friction = 0;
    CarromWorld world(board, p);
    world.add({1, "blue", {0, 0}, 0}, {40, 0});
    world.add({2, "blue", {25, 0}, 0});
    world.run(0.5);
    EXPECT_NEAR(world.velocity(1).x, 40 * 1.85 / 2, 0.1);
}

TEST(CarromWorld, AFullForceStrokeRunsThreeAndAHalfTimes) {
    const Board& board = load_board("tournament");
    CarromWorld world(board, {});
    world.add({1, "striker", {0, 300}, 0}, {0, -5000});
    double way = 0;
    Point last = world.position(0);
    while (!world.at_rest()) {
        world.step();
        way += distance(last, world.position(0));
        last = world.position(0);
    }
    EXPECT_GE(way, 3.5 * (board.height_mm - board.striker_diameter_mm));
}

TEST(CarromWorld, ShortensItsStepRatherThanClampASpeed) {
    Board board = load_board("tournament");
    Parameters p;
    p.friction = 0;
    CarromWorld world(board, p,
                      {.unit_mm = 10, .step_s = 1.0 / 60});  // 20 mm a step at most: 1.2 m/s
    world.add({1, "striker", {0, 300}, 0}, {0, -5000});
    while (world.time() < 0.1) world.step();
    EXPECT_NEAR(world.position(0).y, 300 - 5000 * world.time(), 0.1);
}

TEST(CarromWorld, RepeatsItself) {
    const Board& board = load_board("to-go");
    const auto stroke = testing::opening(4, board);
    const auto run = [&] {
        return simulate(stroke.position, stroke.strike, board, {}, Engine::box2d);
    };
    const Shot a = run(), b = run();
    ASSERT_EQ(a.tracks.size(), b.tracks.size());
    for (std::size_t k = 0; k < a.tracks.size(); ++k) {
        ASSERT_EQ(a.tracks[k].points.size(), b.tracks[k].points.size());
        for (std::size_t i = 0; i < a.tracks[k].points.size(); ++i)
            EXPECT_EQ(a.tracks[k].points[i].x, b.tracks[k].points[i].x);
    }
}

Position tower(const Board& board) {
    Position position;
    position.discs.push_back({1, "queen", {0, 0}, 0});
    for (int k = 1; k <= 12; ++k) position.discs.push_back({k + 1, "blue", {0, 0}, k});
    (void)board;
    return position;
}

TEST(CarromWorld, ATowerLeftAloneStands) {
    const Board& board = load_board("to-go");
    CarromWorld world(board, {});
    for (const Disc& d : tower(board).discs) world.add(d);
    for (int k = 0; k < 500; ++k) world.step();
    for (int i = 0; i < 13; ++i) {
        EXPECT_EQ(world.level(i), i);
        EXPECT_NEAR(length(world.position(i)), 0, 1e-3);
    }
}

TEST(CarromWorld, AStruckTowerFallsOver) {
    const Board& board = load_board("to-go");
    CarromWorld world(board, {});
    for (const Disc& d : tower(board).discs) world.add(d);
    world.add({20, "striker", {0, 142}, 0}, {0, -4000});
    world.run();
    EXPECT_TRUE(world.at_rest());
    int moved = 0, lower = 0;
    for (int i = 0; i < 13; ++i) {
        moved += length(world.position(i)) > 10;
        lower += world.level(i) < i;
        if (!world.on_board(i)) continue;  // into a pocket, or over the frame
        EXPECT_LE(std::abs(world.position(i).x), 191);
        EXPECT_LE(std::abs(world.position(i).y), 191);
    }
    EXPECT_GE(moved, 1);
    EXPECT_GE(lower, 6);
}

TEST(CarromWorld, ADiscHighEnoughFliesOverTheFrameAndHasLeftTheBoard) {
    const Board& board = load_board("to-go");  // the frame is 22 mm high, a disc 6 mm
    const auto flown = [&](int level) {
        CarromWorld world(board, {});
        world.add({1, "blue", {150, 0}, level}, {3000, 0});
        world.run();
        return world.pocket_of(0);
    };
    EXPECT_EQ(flown(2), ExactWorld::kNoPocket) << "12 mm up: the frame holds it";
    EXPECT_EQ(flown(5), ExactWorld::kOverTheFrame)
        << "30 mm up, 40 mm of way take 13 ms: it comes down by 1 mm";
    const Shot shot = run_box2d({{7, "blue", {150, 0}, 5}}, {{3000, 0}}, {0}, board, {});
    ASSERT_EQ(shot.ejected.size(), 1u);
    EXPECT_EQ(shot.ejected[0].id, 7);
    EXPECT_NEAR(shot.ejected[0].time, 50.0 / 3000, 0.003);
    EXPECT_TRUE(shot.pocketed.empty());
}

TEST(CarromWorld, ADiscWithNothingUnderItFallsFreely) {
    const Board& board = load_board("to-go");
    CarromWorld world(board, {});
    world.add({1, "blue", {-150, 0}, 3}, {500, 0});
    double landed = 0;
    while (world.level(0) > 0) world.step(), landed = world.time();
    EXPECT_NEAR(landed, std::sqrt(2 * 18 / 9806.65), 0.003);
    EXPECT_NEAR(world.position(0).x, -150 + 500 * landed, 0.5) << "nothing slows it in the air";
}

TEST(CarromWorld, TheLipTakesSomeOfAFastDiscsWayAndASlowerOneStaysIn) {
    Board board = load_board("to-go");
    board.pockets = {{"ne", {0, 0}, 30}};  // in the open, where it can be crossed
    Parameters p;
    p.friction = 0;
    const auto crossing = [&](double speed) {
        CarromWorld world(board, p);
        world.add({1, "blue", {-60, 0}, 0}, {speed, 0});
        while (world.on_board(0) && world.position(0).x < 60) world.step();
        return world.on_board(0) ? world.velocity(0).x / speed : 0.0;
    };
    EXPECT_EQ(crossing(1400), 0) << "slow enough to drop";
    // Over 30 mm it sinks by g/2·(0.03/v)²; of half a disc's 6 mm that is the share the lip takes.
    for (const double v : {1600.0, 2500.0, 4000.0}) {
        const double sunk = 0.5 * 9806.65 * std::pow(30 / v, 2);
        EXPECT_NEAR(crossing(v), 1 - sunk / 3, 0.08) << v;
    }
}

TEST(CarromWorld, ASpinningDiscRunsFurtherAndBothMotionsEndTogether) {
    const Board& board = load_board("tournament");
    const auto run = [&](double spin) {
        CarromWorld world(board, {});
        world.add({1, "white", {-300, 20}, 0}, {600, 0}, spin);
        double ratio = 0;
        while (!world.at_rest()) {
            const double v = length(world.velocity(0)), rim = 15.9 * std::abs(world.spin(0));
            if (v > 20) ratio = rim > 0 ? v / rim : 0;
            world.step();
        }
        return std::pair{world.position(0).x, ratio};
    };
    const auto [plain, none] = run(0);
    const auto [spun, ratio] = run(80);
    EXPECT_GT(spun, plain + 10);
    EXPECT_EQ(none, 0);
    // Farkas, Bartels, Unger, Wolf, Phys. Rev. Lett. 90 (2003) 248302: v/(R·ω) → 0.653 for any
    // start.
    EXPECT_NEAR(ratio, 0.653, 0.05);
    EXPECT_NEAR(run(25).second, 0.653, 0.15);
}

TEST(Friction, IsSharedBetweenSlidingAndSpinning) {
    EXPECT_NEAR(friction_shares(1, 0).slide, 1, 1e-12);
    EXPECT_NEAR(friction_shares(1, 0).spin, 0, 1e-12);
    EXPECT_NEAR(friction_shares(0, 1).slide, 0, 1e-12);
    EXPECT_NEAR(friction_shares(0, 1).spin, 2.0 / 3, 1e-12);
    // Slow spin under fast sliding: the torque is a quarter of rim speed over speed.
    EXPECT_NEAR(friction_shares(1, 0.1).spin, 0.025, 0.002);
    EXPECT_NEAR(friction_shares(1, 0.1).slide, 1, 0.01);
}

TEST(CarromWorld, SpinComesFromRubbingRims) {
    const Board& board = load_board("tournament");
    Parameters p;
    p.rim_friction = 0.15;
    const testing::Stroke stroke{{{{1, "white", {0, 18}, 0}}}, {{-120, 0}, {1800, 0}, 0, 0}};
    CarromWorld world(board, p);
    for (const Disc& d : stroke.position.discs) world.add(d);
    world.add({9, "striker", stroke.strike.from, 0}, stroke.strike.velocity_mm_s);
    auto exact = testing::exact_of(stroke, board, p);
    // Right after the hit: later the exact solver lets spin and sliding end each on its own.
    while (world.time() < 0.08 && world.spin(0) == 0) world.step();
    exact.run(nullptr, world.time());
    EXPECT_NE(world.spin(0), 0);
    EXPECT_NEAR(world.spin(0), exact.spin(0), 0.05 * std::abs(exact.spin(0)));
    EXPECT_NEAR(distance(world.position(0), exact.position(0)), 0, 0.5);
}

TEST(CarromWorld, AShotOutOfATowerTellsHowHighEveryDiscWas) {
    Position tower;
    for (int level = 0; level < 5; ++level)
        tower.discs.push_back({level + 1, "blue", {0, 0}, level});
    const Board& board = load_board("to-go");
    Heights heights;
    const Shot shot = simulate(tower, {{0, 142}, {0, -1800}, 0, 9}, board, {}, Engine::box2d,
                               &heights);
    ASSERT_EQ(heights.size(), shot.tracks.size());
    for (const Track& track : shot.tracks) {
        EXPECT_EQ(heights.at(track.id).size(), track.points.size());
        EXPECT_NEAR(heights.at(track.id).front(),
                    track.id == 9 ? 0 : (track.id - 1) * board.disc_height_mm, 1e-9);
    }
    EXPECT_LT(heights.at(5).back(), heights.at(5).front())
        << "the lowest was shot away from under it";
}

}  // namespace
}  // namespace overboard::physics
