#include <gtest/gtest.h>

#include "rules/race/race.hpp"

namespace overboard::rules::race {
namespace {

State two(int goal = 20) {
    return *Race::start({{{"Ana", "", {}}, {"Bo", "", {}}}, "", {{"goal", goal}}});
}
Move roll(int value) {
    return {{"type", "roll"}, {"value", value}};
}

TEST(RaceRules, RACE_1_PlayersRollInTurn) {
    const State s = Race::apply(two(), 0, roll(4)).state;
    EXPECT_EQ(s.turn, 1);
    EXPECT_EQ(Race::judge(s, 0, roll(2)).verdict, Ruling::Verdict::not_your_turn);
}

TEST(RaceRules, RACE_2_ACockedDieIsRolledAgain) {
    Observation seen = Race::scene_of(Race::apply(two(), 0, roll(4)).state);
    seen.pieces[0].value.reset();
    EXPECT_EQ(Race::read(two(), seen).attention->rule, "RACE-2");
    EXPECT_EQ(Race::judge(two(), 0, roll(7)).rule, "RACE-2");
}

TEST(RaceRules, RACE_3_PastTheGoalMovesNothing) {
    const auto done = Race::apply(two(3), 0, roll(4));
    EXPECT_EQ(done.state.points[0], 0);
    EXPECT_TRUE(done.events.empty());
}

TEST(RaceRules, RACE_4_TheExactRollWins) {
    const GameView v = Race::view(Race::apply(two(3), 0, roll(3)).state);
    EXPECT_TRUE(v.finished);
    EXPECT_EQ(v.winners, std::vector<int>{0});
}

TEST(RaceReading, ADieThatOnlyLiesThereWasNotRolled) {
    const State s = Race::apply(two(), 0, roll(4)).state;
    EXPECT_TRUE(Race::read(s, Race::scene_of(s)).choices.empty());
}

}  // namespace
}  // namespace overboard::rules::race
