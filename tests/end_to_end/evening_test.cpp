// Evenings of every game, camera to score, under a projected overlay, with the players' usual
// mistakes: what was scored must be what was played. (TOP IT: with a piece laid half onto another
// and put right.) Short ones; OVERBOARD_LONG=1 plays whole matches.
#include "app/evening.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

#include "app/house.hpp"
#include "rules/games.hpp"

namespace overboard::app {
namespace {

struct Played {
    const char* game;
    const char* variant;
    std::uint64_t seed;
    double most_s;
    int least_right;
};

void PrintTo(const Played& p, std::ostream* out) {
    *out << p.game << ' ' << p.variant << " seed " << p.seed;
}

void expect_flawless(const EveningReport& report, int least_right) {
    EXPECT_GE(report.right, least_right);
    EXPECT_EQ(report.wrong, 0);
    EXPECT_EQ(report.missed, 0);
    EXPECT_TRUE(report.scores_agree());
    for (const std::string& fault : report.faults) ADD_FAILURE() << fault;
}

struct EveningOf : ::testing::TestWithParam<Played> {};

TEST_P(EveningOf, IsScoredWithoutAButton) {
    const Played& played = GetParam();
    EveningOptions options;
    options.game = played.game;
    options.setup = usual_setup(*rules::find_game(played.game), 2, played.variant);
    options.rig.seed = options.rig.script.seed = played.seed;
    options.rig.script.mistakes = {0.05, 0.03, 0.03, 0.03, 0.03, 0.05};
    options.projected = true;
    options.most_s = std::getenv("OVERBOARD_LONG") ? 1200 : played.most_s;
    const EveningReport report = play_evening(options);
    expect_flawless(report, played.least_right);
    EXPECT_GT(report.pictures, 2) << "nothing was projected";
}

INSTANTIATE_TEST_SUITE_P(
    Games, EveningOf,
    ::testing::Values(Played{"carrom", "", 1, 25, 3}, Played{"jouets", "", 32, 16, 4},
                      Played{"gotown", "", 41, 18, 2}, Played{"topit", "", 7033, 16, 3},
                      Played{"gayplay", "", 3003, 15, 2}),
    [](const auto& each) {
        std::string name = std::string(each.param.game) + "_" + each.param.variant;
        for (char& c : name)
            if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
        return name + std::to_string(each.param.seed);
    });

class CarromEvening : public testing::TestWithParam<const char*> {};

TEST_P(CarromEvening, IsScoredWithoutAButton) {
    EveningOptions options;
    options.game = "carrom";
    options.setup = usual_setup(*rules::find_game("carrom"), 2, GetParam());
    options.rig.seed = options.rig.script.seed = 41;
    options.rig.script.pace = 2;
    options.rig.script.mistakes = {0.05, 0.03, 0.03, 0.03, 0.03, 0.05};
    options.most_moves = 3;  // the last is not waited for
    options.most_s = 40;
    // After a stroke or two the simulator's script gives up on what is left of a tower.
    expect_flawless(play_evening(options), GetParam() == std::string("tower") ? 1 : 2);
}

INSTANTIATE_TEST_SUITE_P(Variants, CarromEvening,
                         testing::Values("", "open-line", "tower", "rows", "free"));

}  // namespace
}  // namespace overboard::app
