// Hints for the shooter: legal places, real chances, the queen's rules.
#include <gtest/gtest.h>

#include <chrono>

#include "physics/exact.hpp"
#include "rules/carrom/carrom.hpp"

namespace overboard::rules::carrom {
namespace {

State started(const std::string& variant, int players = 2) {
    Setup setup;
    setup.variant = variant;
    for (int k = 0; k < players; ++k)
        setup.players.push_back({"p" + std::to_string(k), "", Json::object()});
    return *Carrom::start(setup);
}

State scattered() {
    State s = started("");
    s.rest = {{"queen", {-60, -40}},
              {"blue", {150, -150}},
              {"blue", {-150, -120}},
              {"blue", {40, 20}},
              {"blue", {-20, 70}}};
    s.blue_left = 4;
    return s;
}

TEST(CarromHints, StandWhereCarrom3AllowsAndComeBestFirst) {
    const State s = scattered();
    const auto hints = Carrom::hints(s, 3);
    ASSERT_FALSE(hints.empty());
    EXPECT_LE(hints.size(), 3u);
    double last = 1e9;
    for (const Hint& h : hints) {
        EXPECT_TRUE(Carrom::judge(s, s.turn, h.move).legal()) << h.move.dump();
        EXPECT_LE(h.value, last);
        last = h.value;
        EXPECT_GT(h.detail["success"].get<double>(), 0);
        EXPECT_LE(h.detail["success"].get<double>(), 1);
        EXPECT_EQ(h.message.key, "carrom.hint_shot");
        EXPECT_GE(h.marks.size(), 3u);
    }
    EXPECT_GT(hints[0].value, 0.4);
}

TEST(CarromHints, EverySeatGetsItsOwnLine) {
    State s = started("", 4);
    s.rest = scattered().rest;
    s.blue_left = 4;
    for (s.turn = 0; s.turn < 4; ++s.turn)
        for (const Hint& h : Carrom::hints(s, 1))
            EXPECT_TRUE(Carrom::judge(s, s.turn, h.move).legal());
}

TEST(CarromHints, Carrom10AQueenToConfirmMakesABlueWorthThree) {
    State s = scattered();
    const double before = Carrom::hints(s, 1)[0].value;
    s.queen = Queen::to_confirm;
    s.rest.erase(s.rest.begin());
    EXPECT_GT(Carrom::hints(s, 1)[0].value, before * 1.8);
}

TEST(CarromHints, CarromR5AQueenWithTheLastBlueIsWorthNothing) {
    State s = started("");
    s.rest = {{"queen", {150, -150}}, {"blue", {-100, 100}}};
    s.blue_left = 1;
    const auto hints = Carrom::hints(s, 3);
    ASSERT_FALSE(hints.empty());
    EXPECT_LE(hints[0].value, 1.0 + 1e-9);
}

TEST(CarromHints, AFullBoardIsAnsweredWithinASecond) {
    const State s = started("");
    const auto start = std::chrono::steady_clock::now();
    Carrom::hints(s, 3);
    const double took = std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
                            .count();
    std::printf("opening position: %.2f s\n", took);
    EXPECT_LT(
        took,
        5);  // the goal of 1.0 s is measured in tests/bench; here only that the clock is heeded
}

TEST(CarromHints, TheTowerGetsAdviceInsteadOfNumbers) {
    const auto hints = Carrom::hints(started("tower"), 3);
    ASSERT_EQ(hints.size(), 1u);
    EXPECT_EQ(hints[0].message.key, "carrom.hint_tower");
}

TEST(CarromHints, RowsAreSearchedFromTheSouth) {
    const State s = started("rows");
    for (const Hint& h : Carrom::hints(s, 2)) EXPECT_TRUE(Carrom::judge(s, s.turn, h.move).legal());
}

}  // namespace
}  // namespace overboard::rules::carrom
