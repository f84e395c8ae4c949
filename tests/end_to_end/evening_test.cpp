#include "app/evening.hpp"

#include <gtest/gtest.h>

#include "app/house.hpp"
#include "rules/games.hpp"

namespace overboard::app {
namespace {

TEST(Evening, CarromIsScoredWithoutAButton) {
    EveningOptions options;
    options.game = "carrom";
    options.setup = usual_setup(*rules::find_game("carrom"), 2, "");
    options.most_s = 33;
    const EveningReport report = play_evening(options);
    EXPECT_GE(report.right, 3);
    EXPECT_EQ(report.wrong, 0);
    EXPECT_EQ(report.missed, 0);
    EXPECT_TRUE(report.scores_agree());
    for (const std::string& fault : report.faults) ADD_FAILURE() << fault;
}

}  // namespace
}  // namespace overboard::app
