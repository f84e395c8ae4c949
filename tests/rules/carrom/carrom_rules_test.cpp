// One test a rule id of the carrom page, the id in the name.
#include <gtest/gtest.h>

#include "rules/carrom/carrom.hpp"
#include "tests/rules/random_play.hpp"

namespace overboard::rules::carrom {
namespace {

State begin(int players = 2, const std::string& variant = "", Json options = Json::object()) {
    Setup setup = testing::setup_for(variant, players);
    setup.options = std::move(options);
    auto s = Carrom::start(setup);
    EXPECT_TRUE(s) << s.error().message.key << s.error().message.args;
    return *s;
}

struct Drop {
    int blue = 0;
    bool queen = false, striker = false;
    [[nodiscard]] Json json() const {
        return {{"blue", blue}, {"queen", queen}, {"striker", striker}};
    }
};

Move shot(Drop pocketed = {}, Drop ejected = {}) {
    return {{"type", "shot"}, {"pocketed", pocketed.json()}, {"ejected", ejected.json()}};
}

Ruling judged(const State& s, const Move& m) {
    return Carrom::judge(s, s.turn, m);
}

std::vector<Json> last_events;

State after(const State& s, const Move& m) {
    const Ruling ruling = judged(s, m);
    EXPECT_TRUE(ruling.legal()) << ruling.rule << " " << m;
    auto done = Carrom::apply(s, s.turn, m);
    last_events = done.events;
    return done.state;
}

State after(State s, std::initializer_list<Move> moves) {
    for (const Move& m : moves) s = after(s, m);
    return s;
}

bool may_stand(const State& s, double x, double y) {
    return judged(s, {{"type", "place_striker"}, {"at", {x, y}}}).legal();
}

TEST(CarromRules, CARROM_1_TheQueenStandsInTheMiddleAndTwelveBluesAroundIt) {
    const State s = begin();
    ASSERT_EQ(s.rest.size(), 13u);
    EXPECT_EQ(s.rest[0].type, "queen");
    EXPECT_EQ(s.rest[0].at, (Point{0, 0}));
    for (std::size_t i = 1; i < 13; ++i) EXPECT_LT(length(s.rest[i].at), 50) << "around the queen";
    EXPECT_EQ(Carrom::view(s).board.at("blue_left"), 12);
    EXPECT_EQ(Carrom::view(s).board.at("queen"), "on_board");
}

TEST(CarromRules, CARROM_2_SeatsFirstPlayerAndClockwiseOrder) {
    EXPECT_EQ(begin(1).seats, (std::vector<std::string>{"s"}));
    EXPECT_EQ(begin(2).seats, (std::vector<std::string>{"s", "n"}));
    EXPECT_EQ(begin(3).seats, (std::vector<std::string>{"s", "w", "n"}));
    EXPECT_EQ(begin(4).seats, (std::vector<std::string>{"s", "w", "n", "e"}));
    EXPECT_EQ(begin(4, "rows").seats, (std::vector<std::string>(4, "s")));
    EXPECT_EQ(begin(3, "", {{"first", "Blaise"}}).turn, 1);
    State s = begin(3);
    for (const int expected : {1, 2, 0}) EXPECT_EQ((s = after(s, shot())).turn, expected);
    EXPECT_EQ(Carrom::view(s).board.at("shooter_line"), "s");
    rules::Setup same = testing::setup_for("", 2);
    same.players[0].seat = same.players[1].seat = "w";
    EXPECT_EQ(Carrom::start(same).error().rule, "CARROM-2");
    EXPECT_FALSE(Carrom::start(testing::setup_for("", 5)));
    EXPECT_TRUE(Carrom::start(testing::setup_for("rows", 6)));
}

TEST(CarromRules, CARROM_3_TheStrikerCoversACircleOrBothLinesAndNoCircle) {
    const State s = begin();  // lines 50 and 66 mm from the edge of 400 mm: y = 150 and 134
    EXPECT_TRUE(may_stand(s, 0, 142)) << "over both lines";
    EXPECT_TRUE(may_stand(s, 98, 142)) << "just clear of the circle";
    EXPECT_TRUE(may_stand(s, 120, 142)) << "on the circle";
    EXPECT_TRUE(may_stand(s, -118, 144)) << "circle still covered";
    EXPECT_FALSE(may_stand(s, 105, 142)) << "touches the circle without covering it";
    EXPECT_FALSE(may_stand(s, 0, 152)) << "off the far line";
    EXPECT_FALSE(may_stand(s, 0, 130)) << "off the near line";
    EXPECT_FALSE(may_stand(s, 150, 142)) << "beyond the lines";
    EXPECT_FALSE(may_stand(s, 0, -142)) << "the other player's line";
    EXPECT_EQ(judged(s, {{"type", "place_striker"}, {"at", {0, 0}}}).rule, "CARROM-3");
    const State n = after(s, shot());
    EXPECT_TRUE(may_stand(n, 0, -142));
    EXPECT_FALSE(may_stand(n, 0, 142));
    const State big = begin(2, "free", {{"board", "tournament"}});
    EXPECT_TRUE(may_stand(big, 0, 0)) << "free play asks nothing";
}

TEST(CarromRules, CARROM_3_OnEverySide) {
    State s = begin(4);
    const Point at[] = {{0, 142}, {-142, 0}, {0, -142}, {142, 0}};
    for (const Point p : at) {
        EXPECT_TRUE(may_stand(s, p.x, p.y)) << s.seats[static_cast<std::size_t>(s.turn)];
        EXPECT_FALSE(may_stand(s, -p.x, -p.y));
        s = after(s, shot());
    }
}

TEST(CarromRules, CARROM_4_EveryBlueScoresOne) {
    const State s = after(begin(), shot({3}));
    EXPECT_EQ(s.scores[0], 3);
    EXPECT_EQ(last_events[0].at("event"), "scored");
    EXPECT_EQ(last_events[0].at("points"), 3);
    EXPECT_EQ(s.blue_left, 9);
}

TEST(CarromRules, CARROM_5_WhoDropsABlueShootsAgain) {
    EXPECT_EQ(after(begin(), {shot({1}), shot({2})}).turn, 0);
}

TEST(CarromRules, CARROM_6_NoBlueEndsTheTurn) {
    EXPECT_EQ(after(begin(), shot()).turn, 1);
}

TEST(CarromRules, CARROM_7_WhatLeavesTheBoxEndsTheTurnAndScoresNothing) {
    const State s = after(begin(), shot({}, {2}));
    EXPECT_EQ(s.turn, 1);
    EXPECT_EQ(s.scores[0], 0);
    EXPECT_EQ(s.blue_left, 10) << "out until the end of the round";
    EXPECT_EQ(after(begin(), shot({1}, {0, false, true})).turn, 1) << "the striker too";
}

TEST(CarromRules, CARROM_8_BluesThatFellProperlyStillScore) {
    const State s = after(begin(), shot({2}, {1, false, true}));
    EXPECT_EQ(s.scores[0], 2);
    EXPECT_EQ(s.turn, 1);
    EXPECT_EQ(s.blue_left, 9);
}

TEST(CarromRules, CARROM_9_TheQueenMustBeConfirmedByTheVeryNextShot) {
    const State s = after(begin(), shot({0, true}));
    EXPECT_EQ(s.queen, Queen::to_confirm);
    EXPECT_EQ(s.turn, 0);
    EXPECT_EQ(s.scores[0], 0);
}

TEST(CarromRules, CARROM_10_ConfirmedItIsTwoBesidesTheBlues) {
    const State s = after(begin(), {shot({0, true}), shot({1})});
    EXPECT_EQ(s.scores[0], 3);
    EXPECT_EQ(s.queen, Queen::confirmed);
    EXPECT_EQ(s.turn, 0);
    EXPECT_EQ(last_events[0].at("points"), 3);
    EXPECT_EQ(after(s, shot({2})).scores[0], 5) << "only once";
}

TEST(CarromRules, CARROM_11_NotConfirmedItIsNothingAndTheTurnEnds) {
    const State s = after(begin(), {shot({0, true}), shot()});
    EXPECT_EQ(s.queen, Queen::lost);
    EXPECT_EQ(s.scores[0], 0);
    EXPECT_EQ(s.turn, 1);
}

TEST(CarromRules, CARROM_12_TheQueenHasNoSecondChanceThisRound) {
    const State lost = after(begin(), {shot({0, true}), shot()});
    EXPECT_EQ(judged(lost, shot({0, true})).rule, "CARROM-COUNT");
    const State next = after(lost, shot({12}));
    EXPECT_EQ(next.round, 2);
    EXPECT_EQ(next.queen, Queen::on_board);
}

TEST(CarromRules, CARROM_13_TheRoundEndsWhenNoBlueIsLeft) {
    const State s = after(begin(), {shot({5}), shot({6}), shot({}, {1})});
    EXPECT_EQ(s.round, 2);
    EXPECT_EQ(s.blue_left, 12);
    EXPECT_EQ(s.scores[0], 11);
    EXPECT_EQ(last_events.back().at("event"), "round.ended");
    EXPECT_EQ(s.rest.size(), 13u);
}

TEST(CarromRules, CARROM_14_TheFewestPointsStartThenTheNextAfterTheLeader) {
    // Ada 4, Blaise 5, Chloé 3.
    const State s = after(begin(3), {shot({4}), shot(), shot({5}), shot(), shot({3})});
    EXPECT_EQ(s.turn, 2);
    // Ada 0, Blaise 12, Chloé 0: Chloé sits next after Blaise.
    EXPECT_EQ(after(begin(3), {shot(), shot({12})}).turn, 2);
    // Chloé 12: Ada is next.
    EXPECT_EQ(after(begin(3), {shot(), shot(), shot({12})}).turn, 0);
}

TEST(CarromRules, CARROM_15_TwentyFiveAtTheEndOfARoundAndAloneOnTop) {
    State s = after(begin(2), {shot({12})});  // Ada 12
    s = after(s, {shot(), shot({12})});       // Blaise began and missed; Ada 24
    ASSERT_EQ(s.scores[0], 24);
    s = after(s, {shot({1}), shot()});  // Blaise 1
    s = after(s, shot({2}));            // Ada 26 in the middle of a round: it goes on
    EXPECT_FALSE(s.finished);
    s = after(s, shot({9}));
    EXPECT_TRUE(s.finished);
    EXPECT_EQ(s.winners, (std::vector<int>{0}));
    EXPECT_EQ(Carrom::view(s).turn, -1);
}

TEST(CarromRules, CARROM_15_ASharedTopNeedsAFurtherRound) {
    State s = begin(2);
    s.scores = {25, 24};
    s.blue_left = 1;
    s.turn = 1;
    s = after(s, shot({1}));
    EXPECT_FALSE(s.finished) << "25 : 25";
    EXPECT_EQ(s.round, 2);
    s = after(s, shot({12}));
    EXPECT_TRUE(s.finished);
}

TEST(CarromRules, CARROM_20_TheTowerStandsOnTheQueen) {
    const State s = begin(2, "tower");
    ASSERT_EQ(s.rest.size(), 13u);
    for (const Disc& d : s.rest) EXPECT_EQ(d.at, (Point{0, 0}));
    const State next = after(s, shot({12}));
    for (const Disc& d : next.rest) EXPECT_EQ(d.at, (Point{0, 0})) << "in every round";
    EXPECT_FALSE(may_stand(s, 0, 152)) << "nothing else changes";
}

TEST(CarromRules, CARROM_21_OneLineIsEnoughAndCirclesDoNotMatter) {
    const State s = begin(2, "open-line");
    EXPECT_TRUE(may_stand(s, 0, 152));
    EXPECT_TRUE(may_stand(s, 0, 125));
    EXPECT_TRUE(may_stand(s, 105, 142));
    EXPECT_FALSE(may_stand(s, 0, 180));
    EXPECT_FALSE(may_stand(s, 0, -142));
    EXPECT_EQ(judged(s, {{"type", "place_striker"}, {"at", {0, 0}}}).rule, "CARROM-3");
}

TEST(CarromRules, CARROM_22_TowerAndOpenLineTogether) {
    const State s = begin(2, "tower+open-line");
    EXPECT_EQ(s.rest[5].at, (Point{0, 0}));
    EXPECT_TRUE(may_stand(s, 0, 152));
}

TEST(CarromRules, CARROM_30_RowsCountMissesAndTheTurnGoesOn) {
    State s = begin(2, "rows");
    EXPECT_EQ(s.blue_left, 5);
    s = after(s, {shot(), shot(), shot({2})});
    EXPECT_EQ(s.scores[0], 2);
    EXPECT_EQ(s.turn, 0);
    EXPECT_EQ(s.blue_left, 3);
    EXPECT_EQ(Carrom::view(s).board.at("row"), 1);
}

TEST(CarromRules, CARROM_31_EverybodyPlaysARowThenTheNextRow) {
    State s = begin(2, "rows");
    s = after(s, shot({5}));
    EXPECT_EQ(s.turn, 1);
    EXPECT_EQ(s.row, 1);
    EXPECT_EQ(s.blue_left, 5);
    s = after(s, {shot({3}), shot({2})});
    EXPECT_EQ(s.turn, 0);
    EXPECT_EQ(s.row, 2);
    EXPECT_EQ(s.rest.size(), 5u);
    EXPECT_EQ(last_events.back().at("event"), "round.ended");
}

TEST(CarromRules, CARROM_32_FewestMissesWinAndEqualsShare) {
    State s = begin(2, "rows");
    for (int row = 0; row < 4; ++row) s = after(s, {shot({5}), shot({5})});
    EXPECT_TRUE(s.finished);
    EXPECT_EQ(s.winners, (std::vector<int>{0, 1}));
    s = begin(2, "rows");
    s = after(s, {shot(), shot({5}), shot({5})});
    for (int row = 1; row < 4; ++row) s = after(s, {shot({5}), shot({5})});
    EXPECT_EQ(s.winners, (std::vector<int>{1}));
    State alone = begin(1, "rows");
    for (int row = 0; row < 4; ++row) alone = after(alone, {shot(), shot({5})});
    EXPECT_TRUE(alone.finished);
    EXPECT_EQ(alone.scores[0], 4);
}

TEST(CarromRules, CARROM_R1_QueenAndBluesTogetherTheBluesScoreTheQueenWaits) {
    const State s = after(begin(), shot({2, true}));
    EXPECT_EQ(s.scores[0], 2);
    EXPECT_EQ(s.queen, Queen::to_confirm);
    EXPECT_EQ(after(s, shot({1})).scores[0], 5);
}

TEST(CarromRules, CARROM_R2_TheQueenLeavesTheBox) {
    const State s = after(begin(), shot({1}, {0, true}));
    EXPECT_EQ(s.queen, Queen::lost);
    EXPECT_EQ(s.turn, 1);
    EXPECT_EQ(s.scores[0], 1);
}

TEST(CarromRules, CARROM_R3_QueenFallsAndSomethingLeavesTheBox) {
    const State s = after(begin(), shot({0, true}, {0, false, true}));
    EXPECT_EQ(s.queen, Queen::lost);
    EXPECT_EQ(s.turn, 1);
}

TEST(CarromRules, CARROM_R4_ConfirmedThenTheTurnEnds) {
    const State s = after(begin(), {shot({0, true}), shot({1}, {1})});
    EXPECT_EQ(s.queen, Queen::confirmed);
    EXPECT_EQ(s.scores[0], 3);
    EXPECT_EQ(s.turn, 1);
}

TEST(CarromRules, CARROM_R5_TheQueenWithTheLastBlueScoresNothing) {
    const State s = after(begin(), shot({12, true}));
    EXPECT_EQ(s.scores[0], 12);
    EXPECT_EQ(s.round, 2);
    const State confirmed = after(begin(), {shot({11, true}), shot({1})});
    EXPECT_EQ(confirmed.scores[0], 14) << "the last blue confirms";
}

TEST(CarromRules, CARROM_R6_TheStrikerInAPocketCostsNothing) {
    EXPECT_EQ(after(begin(), shot({1, false, true})).turn, 0);
    const State s = after(begin(), shot({0, false, true}));
    EXPECT_EQ(s.turn, 1);
    EXPECT_EQ(s.scores[0], 0);
}

TEST(CarromRules, CARROM_R7_SeveralLeadersCountFromTheEarliest) {
    // All equal: the player after the first in the list.
    EXPECT_EQ(after(begin(3), {shot({4}), shot(), shot({4}), shot(), shot({4})}).turn, 1);
    // Ada and Chloé lead with 6 each, Blaise and Dirk have none: Blaise comes next after Ada.
    EXPECT_EQ(after(begin(4), {shot({6}), shot(), shot(), shot({6})}).turn, 1);
    // Everyone at nothing because all twelve flew out.
    EXPECT_EQ(after(begin(2), shot({}, {12})).turn, 1);
}

TEST(CarromRules, CARROM_R8_WhoEndsTheRoundHasEndedTheTurn) {
    EXPECT_EQ(after(begin(2), shot({12})).turn, 1) << "though a blue fell";
    EXPECT_EQ(after(begin(2), {shot({3}), shot(), shot({9})}).turn, 0);
}

TEST(CarromRules, CARROM_R9_InRowsAnEjectedBlueComesBack) {
    State s = after(begin(2, "rows"), shot({}, {1}));
    EXPECT_EQ(s.blue_left, 5);
    EXPECT_EQ(s.scores[0], 1);
    s = after(s, shot({1}, {1}));
    EXPECT_EQ(s.blue_left, 4);
    EXPECT_EQ(s.scores[0], 1) << "another blue fell properly";
    EXPECT_EQ(s.turn, 0);
}

TEST(CarromRules, CARROM_R10_AShotFromAnIllegalPlaceIsRejectedAndEverythingHasItsPlace) {
    const State s = begin();
    Move m = shot({1});
    m["striker"] = {0, 100};
    const Ruling ruling = judged(s, m);
    EXPECT_EQ(ruling.rule, "CARROM-3");
    ASSERT_TRUE(ruling.at);
    EXPECT_NEAR(ruling.at->x, 600, 1e-9) << "on the table";
    EXPECT_EQ(Carrom::scene_of(s).pieces.size(), 13u) << "what to restore";
    m["striker"] = {0, 142};
    EXPECT_TRUE(judged(s, m).legal());
}

TEST(CarromRules, CARROM_COUNT_NoMoreThanStandsOnTheBoard) {
    const State s = begin();
    EXPECT_EQ(judged(s, shot({13})).rule, "CARROM-COUNT");
    EXPECT_EQ(judged(s, shot({7}, {6})).rule, "CARROM-COUNT");
    EXPECT_EQ(judged(s, shot({0, true}, {0, true})).rule, "CARROM-COUNT");
    EXPECT_EQ(judged(s, shot({0, false, true}, {0, false, true})).rule, "CARROM-COUNT");
    EXPECT_EQ(judged(s, {{"type", "shot"}, {"pocketed", {{"white", 1}}}}).rule, "CARROM-COUNT");
    EXPECT_EQ(judged(begin(2, "rows"), shot({0, true})).rule, "CARROM-COUNT");
    EXPECT_EQ(judged(s, {{"type", "shot"}, {"pocketed", {{"blue", -1}}}}).rule, "MOVE");
    EXPECT_EQ(judged(s, {{"type", "shot"}, {"pocketed", {{"blue", true}}}}).rule, "MOVE")
        << "how many?";
    EXPECT_EQ(judged(s, {{"type", "shot"}, {"shot_id", 5}}).rule, "MOVE");
    EXPECT_TRUE(judged(s, {{"type", "shot"}}).legal()) << "all fields have defaults";
}

TEST(CarromRules, FreePlayListsWhatFellAndForbidsNothing) {
    State s = begin(2, "free", {{"board", "tournament"}});
    const auto done = Carrom::apply(
        s, 1, {{"type", "shot"}, {"pocketed", {{"white", 2}, {"black", 1}}}, {"shot_id", "a"}});
    EXPECT_EQ(done.state.scores[1], 3);
    EXPECT_EQ(Carrom::view(done.state).board.at("fallen").size(), 3u);
    EXPECT_TRUE(Carrom::judge(s, 0, {{"type", "shot"}, {"pocketed", {{"white", 20}}}}).legal());
}

TEST(CarromSetup, ABoardOfOnesOwnReplacesOurs) {
    const State s = begin(
        2, "",
        {{"board",
          {{"base", "to-go"}, {"name", "mine"}, {"lines", {{"near_mm", 40}, {"far_mm", 56}}}}}});
    EXPECT_TRUE(may_stand(s, 0, 152));
    EXPECT_FALSE(may_stand(s, 0, 138));
    rules::Setup setup = testing::setup_for("", 2);
    const std::vector<Json> bad = {3,
                                   Json::object(),
                                   {{"base", "moon"}},
                                   {{"base", "to-go"}, {"striker", 4}},
                                   {{"base", "tournament"}}};
    for (const Json& board : bad) {
        setup.options = Json::object();
        setup.options["board"] = board;
        EXPECT_FALSE(Carrom::start(setup)) << board;
    }
}

TEST(CarromReading, AStrokeIsReadWithItsPlacementAndWhatFell) {
    const State s = begin();
    overboard::Shot stroke;
    stroke.shot_id = "x1";
    stroke.striker_from = Point{0, 142};
    stroke.pocketed = {{7, "blue", "ne", 1.0}, {8, "queen", "nw", 1.2}};
    stroke.tracks = {{7, "blue", {{0, 34.8, 0}, {1, 185, -185}}},
                     {9, "blue", {{0, 0, 20.1}, {1, 50, 60}}}};
    const Reading r = Carrom::read_shot(s, stroke);
    ASSERT_EQ(r.choices.size(), 1u);
    const Move& m = r.choices[0].moves[0].move;
    EXPECT_EQ(m.at("pocketed"), (Json{{"blue", 1}, {"queen", true}}));
    const State next = after(s, m);
    EXPECT_EQ(next.scores[0], 1);
    EXPECT_EQ(next.queen, Queen::to_confirm);
    EXPECT_EQ(next.blue_left, 11);
    stroke.striker_from = Point{0, 0};
    EXPECT_EQ(Carrom::read_shot(s, stroke).attention->rule, "CARROM-3");
}

TEST(CarromReading, DiscsInPocketsAndBesideTheBoardDoNotStandOnIt) {
    const State s = begin();
    Observation seen = Carrom::scene_of(s);
    seen.pieces[1].x = 600 + 185;
    seen.pieces[1].y = 337.5 - 185;
    seen.pieces[2].x = 1000;
    const Reading r = Carrom::read(s, seen);
    ASSERT_EQ(r.choices.size(), 1u);
    EXPECT_EQ(r.choices[0].moves[0].move.at("pocketed").at("blue"), 2);
}

TEST(CarromReading, AnEmptyBoardIsSetUpNotScored) {
    const State s = begin();
    Observation seen = Carrom::scene_of(s);
    seen.pieces.clear();
    EXPECT_EQ(Carrom::read(s, seen).attention->rule, "CARROM-1");
    seen = Carrom::scene_of(s);
    seen.pieces.push_back(seen.pieces.back());
    EXPECT_EQ(Carrom::read(s, seen).attention->rule, "CARROM-COUNT");
}

TEST(CarromReading, OutOfATowerOnlyWhatWasSeenToFallIsScored) {
    const State s = begin(2, "tower");
    Observation seen = Carrom::scene_of(s);
    seen.pieces = {seen.pieces.back()};
    overboard::Shot stroke;
    stroke.striker_from = Point{0, 142};
    EXPECT_EQ(Carrom::read_shot(s, stroke, &seen).choices.size(), 1u);
    stroke.pocketed = {{7, "blue", "ne", 1.0}};
    EXPECT_EQ(Carrom::read_shot(s, stroke, &seen).choices.size(), 1u)
        << "eleven more may stand there";
    stroke.confidence = 0.7;
    EXPECT_EQ(Carrom::read_shot(s, stroke, &seen).attention->rule, "UNSEEN")
        << "it may lie under another";
    seen = Carrom::scene_of(s);
    stroke.confidence = 1;
    EXPECT_EQ(Carrom::read_shot(s, stroke, &seen).choices[0].moves[0].move.at("pocketed"),
              Json::object())
        << "all thirteen are in view";
    seen.pieces.pop_back(), seen.pieces.pop_back();
    stroke.pocketed.assign(3, {7, "blue", "ne", 1.0});
    EXPECT_EQ(Carrom::read_shot(s, stroke, &seen).attention->rule, "UNSEEN")
        << "more than are out of sight";
}

TEST(CarromReading, ATowerHidesItsDiscs) {
    const State s = begin(2, "tower");
    Observation seen = Carrom::scene_of(s);
    seen.pieces = {seen.pieces.back()};
    const Reading r = Carrom::read(s, seen);
    EXPECT_TRUE(r.choices.empty() && !r.attention) << "one disc on top answers for the whole stack";
}

TEST(CarromMarks, ShowTheShootersLineAndAQueenToConfirm) {
    const auto zones = [](const State& s, MarkStyle style) {
        const auto marks = Carrom::marks(s);
        return std::count_if(marks.begin(), marks.end(),
                             [&](const Mark& m) { return m.style == style; });
    };
    const State s = begin();
    EXPECT_EQ(zones(s, MarkStyle::zone), 1);
    EXPECT_EQ(zones(s, MarkStyle::warning), 0);
    EXPECT_EQ(zones(after(s, shot({0, true})), MarkStyle::warning), 1);
}

}  // namespace
}  // namespace overboard::rules::carrom
