#include "app/evening.hpp"

#include <gtest/gtest.h>

#include "app/house.hpp"
#include "rules/games.hpp"

namespace overboard::app {
namespace {

// A short evening of a game of cards or tiles, with the players' usual mistakes.
EveningReport flat_evening(const std::string& game, std::uint64_t seed) {
    EveningOptions options;
    options.game = game;
    options.setup = usual_setup(*rules::find_game(game), 2, "");
    options.rig.seed = options.rig.script.seed = seed;
    options.rig.script.mistakes = {0.05, 0.03, 0.03, 0.03, 0.03, 0.05};
    options.most_s = 18;
    return play_evening(options);
}

void expect_flawless(const EveningReport& report, int least) {
    EXPECT_GE(report.right, least);
    EXPECT_EQ(report.wrong, 0);
    EXPECT_EQ(report.missed, 0);
    EXPECT_TRUE(report.scores_agree());
    for (const std::string& fault : report.faults) ADD_FAILURE() << fault;
}

TEST(Evening, TilesAreScoredWithoutAButton) { expect_flawless(flat_evening("jouets", 32), 4); }

// The overlay changes all the time: it makes way for every disc that runs, and that must not blind the camera.
TEST(Evening, CarromIsScoredUnderTheOverlay) {
    EveningOptions options;
    options.game = "carrom";
    options.setup = usual_setup(*rules::find_game("carrom"), 2, "");
    options.projected = true;
    options.most_s = 33;
    const EveningReport report = play_evening(options);
    expect_flawless(report, 3);
    EXPECT_GT(report.pictures, 20);
}

}  // namespace
}  // namespace overboard::app
