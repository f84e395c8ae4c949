#include "physics/search.hpp"

#include <gtest/gtest.h>

#include <chrono>

#include "tests/physics/positions.hpp"

namespace overboard::physics {
namespace {

double blues(const Falls& f) {
    return f.discs;
}

SearchOptions patient() {
    SearchOptions o;
    o.seconds = 30;  // slow machines and sanitizers shall find the same
    return o;
}

TEST(Placements, AllObeyCarrom3AndStandFree) {
    const Board& board = load_board("to-go");
    for (const ShootingLine& line : board.lines) {
        const Position position{{{1, "blue", line.circles[0], 0}}};
        const auto found = placements(position, board, line, false, 13);
        ASSERT_GE(found.size(), 8u);
        EXPECT_LE(found.size(), 13u);
        for (Point at : found) {
            EXPECT_TRUE(striker_may_stand(board, line, at));
            EXPECT_GT(distance(at, line.circles[0]), 23);
        }
        EXPECT_LT(distance(found.back(), line.circles[1]), 5.1);  // the free end circle is used
    }
}

TEST(Search, FindsTheObviousShot) {
    // One blue in front of a pocket, in line with the left half of the shooter's line.
    const Board& board = load_board("to-go");
    const Position position{{{1, "blue", {150, -150}, 0}}};
    const auto found = search(position, board, *board.line_of("s"), blues, {}, patient());
    ASSERT_FALSE(found.empty());
    EXPECT_GT(found[0].success, 0.6);
    EXPECT_NEAR(found[0].expected, found[0].success, 1e-9);
    EXPECT_EQ(found[0].target, 1);
    ASSERT_FALSE(found[0].falls.empty());
    EXPECT_EQ(found[0].falls[0].pocket, "ne");
    EXPECT_TRUE(striker_may_stand(board, *board.line_of("s"), found[0].strike.from));
}

TEST(Search, ItsProbabilityIsWhatHappens) {
    // Other errors than the ones it used must agree with what it promised.
    const Board& board = load_board("to-go");
    const auto stroke = testing::scattered(11, board);
    const auto found = search(stroke.position, board, *board.line_of("s"), blues, {}, patient());
    ASSERT_FALSE(found.empty());
    std::mt19937_64 random(5);
    const int tries = 600;
    double points = 0, scored = 0;
    for (int k = 0; k < tries; ++k) {
        const double r = std::sqrt(-2 * std::log(testing::uniform(random, 1e-12, 1))),
                     a = testing::uniform(random, 0, 2 * M_PI);
        testing::Stroke s = stroke;
        s.strike = found[0].strike;
        s.strike.velocity_mm_s = rotated(s.strike.velocity_mm_s * (1 + 0.08 * r * std::cos(a)),
                                         1.5 * M_PI / 180 * r * std::sin(a));
        auto world = testing::exact_of(s, board);
        world.run();
        int fell = 0;
        for (int i = 0; i + 1 < world.size(); ++i)
            fell += world.pocket_of(i) >= 0 && s.position.discs[std::size_t(i)].type == "blue";
        points += fell;
        scored += fell > 0;
    }
    EXPECT_NEAR(scored / tries, found[0].success,
                0.12);  // the best of many looks a little too good
    EXPECT_NEAR(points / tries, found[0].expected, 0.2);
}

TEST(Search, IsBetterThanAnyRandomShot) {
    const Board& board = load_board("to-go");
    const auto stroke = testing::scattered(21, board);
    const auto found = search(stroke.position, board, *board.line_of("s"), blues, {}, patient());
    ASSERT_GE(found.size(), 2u);
    EXPECT_GE(found[0].expected, found[1].expected);
    int fell = 0;
    for (unsigned k = 0; k < 300; ++k) {
        testing::Stroke s = stroke;
        s.strike = testing::scattered(k, board).strike;
        s.strike.from = found[0].strike.from;
        auto world = testing::exact_of(s, board);
        world.run();
        for (int i = 0; i + 1 < world.size(); ++i)
            fell += world.pocket_of(i) >= 0 && s.position.discs[std::size_t(i)].type == "blue";
    }
    EXPECT_GT(found[0].expected, 1.5 * fell / 300);
}

TEST(Search, AnswersTheSameOnOneCoreAndTwo) {
    const Board& board = load_board("to-go");
    const auto stroke = testing::scattered(4, board);
    SearchOptions one = patient(), two = patient();
    one.threads = 1;
    two.threads = 2;
    one.trials = two.trials = 5000;
    const auto a = search(stroke.position, board, *board.line_of("s"), blues, {}, one);
    const auto b = search(stroke.position, board, *board.line_of("s"), blues, {}, two);
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t k = 0; k < a.size(); ++k) {
        EXPECT_EQ(a[k].expected, b[k].expected);
        EXPECT_EQ(a[k].strike.velocity_mm_s, b[k].strike.velocity_mm_s);
    }
}

TEST(Search, OpensTheBoardWhereNothingScores) {
    const Board& board = load_board("tournament");
    const auto stroke = testing::opening(1, board);
    const auto found = search(stroke.position, board, *board.line_of("s"),
                              [](const Falls&) { return 0.0; });
    ASSERT_FALSE(found.empty());
    EXPECT_EQ(found[0].expected, 0);
    EXPECT_GE(found[0].opens, 5) << "of nineteen";
    EXPECT_TRUE(striker_may_stand(board, *board.line_of("s"), found[0].strike.from));
    EXPECT_NE(found[0].target, 0);
    for (const Fallen& f : found[0].falls) EXPECT_NE(f.type, "striker");
}

TEST(Search, KeepsItsTime) {
    const Board& board = load_board("tournament");
    const auto stroke = testing::opening(1, board);
    SearchOptions o;
    o.seconds = 0.1;
    o.trials = 10000000;
    const auto start = std::chrono::steady_clock::now();
    search(stroke.position, board, *board.line_of("s"), blues, {}, o);
    EXPECT_LT(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(),
              3);  // far off: it ran away
}

TEST(Search, ASteadierHandHasBetterChances) {
    const Board& board = load_board("to-go");
    const auto stroke = testing::scattered(8, board);
    SearchOptions shaky = patient(), steady = patient();
    shaky.hand = {4 * M_PI / 180, 0.2};
    steady.hand = {0.3 * M_PI / 180, 0.02};
    const auto a = search(stroke.position, board, *board.line_of("s"), blues, {}, shaky);
    const auto b = search(stroke.position, board, *board.line_of("s"), blues, {}, steady);
    ASSERT_FALSE(a.empty());
    ASSERT_FALSE(b.empty());
    EXPECT_GT(b[0].expected, a[0].expected);
}

}  // namespace
}  // namespace overboard::physics
