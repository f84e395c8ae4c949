// What guests do at a table besides playing, and what their café does: it ends in the right score,
// or people are asked; never in a wrong score.
#include <gtest/gtest.h>

#include "app/evening.hpp"
#include "app/house.hpp"
#include "rules/games.hpp"

namespace overboard::app {
namespace {

EveningOptions evening_of(const std::string& game, std::uint64_t seed, double seconds) {
    EveningOptions o;
    o.game = game;
    o.setup = usual_setup(*rules::find_game(game), 2, "");
    o.rig.seed = o.rig.script.seed = seed;
    o.rig.script.fps = 10;
    o.rig.script.pace = 2;
    o.rig.script.rest_s = 2;
    o.projected = true;
    o.most_s = seconds;
    return o;
}

EveningReport with_guests(EveningOptions options, const std::function<void(Rig&, double)>& guests) {
    options.watch = [&](Rig& rig, const RigFrame& frame) {
        guests(rig, frame.time_s);
        return true;
    };
    return play_evening(options);
}

void expect_right(const EveningReport& report, int least) {
    EXPECT_GE(report.right, least);
    EXPECT_EQ(report.wrong, 0);
    EXPECT_EQ(report.missed, 0);
    EXPECT_TRUE(report.scores_agree());
    for (const std::string& fault : report.faults) ADD_FAILURE() << fault;
}

const auto nobody = [](Rig&, double) {};

TEST(Guests, AHandThatRestsAtTheTablesEdgeStopsNobody) {
    const simulator::Hand resting{{140, 200, M_PI}, 12, 3, 0, 0};
    const auto report = with_guests(evening_of("gotown", 430001, 18), [&](Rig& rig, double now) {
        rig.guests_put({}, now > 3 ? std::vector{resting} : std::vector<simulator::Hand>{});
    });
    expect_right(report, 5);
}

// What comes and goes under it nobody can see: that has to be said by touch, but nothing is
// guessed.
TEST(Guests, UnderAHandLeftLyingOnTheCardsNothingIsGuessed) {
    const simulator::Hand resting{{566, 575, M_PI / 2}, 8, 2, 0, 0};
    const auto report = with_guests(evening_of("gotown", 430007, 22), [&](Rig& rig, double now) {
        rig.guests_put({},
                       now > 4 && now < 14 ? std::vector{resting} : std::vector<simulator::Hand>{});
    });
    EXPECT_GE(report.right, 3);
    EXPECT_EQ(report.wrong, 0);
    EXPECT_TRUE(report.scores_agree());
}

TEST(Guests, AGlassSetDownAndAPhoneLaidThereAreNoMoves) {
    const auto tea = simulator::left_thing("tea", {160, 330, 0});
    const auto phone = simulator::left_thing("phone", {1040, 330, 0.3});
    const auto report = with_guests(evening_of("jouets", 430002, 15), [&](Rig& rig, double now) {
        std::vector<simulator::Body> things;
        if (now > 3 && now < 9) things.push_back(tea);
        if (now > 6) things.push_back(phone);
        rig.guests_put(things);
    });
    expect_right(report, 5);
    EXPECT_EQ(report.asked, 0);
}

TEST(Guests, LampsThatAreDimmedSlowlyChangeNothing) {
    const auto report = with_guests(evening_of("gotown", 430003, 16), [](Rig& rig, double now) {
        rig.lamps(std::max(0.6, 1 - 0.025 * now));
    });
    expect_right(report, 4);
    EXPECT_EQ(report.asked, 0);
}

TEST(Guests, CardsSquaredUpAreWhereTheyWere) {
    EveningOptions options = evening_of("gotown", 430006, 18);
    options.rig.script.mistakes.nudged = 1;
    const EveningReport report = with_guests(options, nobody);
    expect_right(report, 2);
    EXPECT_EQ(report.asked, 0);
}

TEST(Guests, ACardBumpedAsideIsNotTakenForAFigure) {
    EveningOptions options = evening_of("gayplay", 403000, 16);
    options.rig.script.rest_s = 2.4;
    options.rig.script.clutter = 1;
    options.rig.script.mistakes = {0.05, 0.03, 0.03, 0.03, 0.03, 0.05};
    const EveningReport report = with_guests(options, nobody);
    expect_right(report, 3);
    EXPECT_EQ(report.mishaps, 1) << "another match than the one this was seen in";
    EXPECT_EQ(report.asked, 0);
}

}  // namespace
}  // namespace overboard::app
