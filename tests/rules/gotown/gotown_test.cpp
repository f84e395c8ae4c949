#include "rules/gotown/gotown.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "tests/rules/playing.hpp"

namespace overboard::rules {
namespace {

using testing::setup_for;
using Town = testing::Playing<Gotown>;

Move build(const char* a, const char* b) {
    return {{"type", "build"}, {"cards", {a, b}}};
}
Move steal(const char* card, const char* from, const char* take) {
    return {{"type", "steal_floor"}, {"card", card}, {"from", from}, {"take", take}};
}
Move guard(int floor) {
    return {{"type", "guard"}, {"floor", floor}};
}
Move on(const char* type, const char* target) {
    return {{"type", type}, {"target", target}};
}
Move bait(const char* target, int floor) {
    return {{"type", "bait"}, {"target", target}, {"floor", floor}};
}
Move just(const char* type) {
    return {{"type", type}};
}
const Move kEnd = {{"type", "end_turn"}};

int hand(const Town& t, const std::string& name) {
    return t.board()["players"][name]["hand"];
}
Json tower(const Town& t, const std::string& name) {
    return t.board()["players"][name]["tower"];
}

Town two(Json options = Json::object()) {
    return Town{setup_for({"Ann", "Bob"}, std::move(options))};
}
Town three(Json options = Json::object()) {
    return Town{setup_for({"Ann", "Bob", "Cem"}, std::move(options))};
}

TEST(GotownRules, GOTOWN_1_FiveCardsEachAndTheFirstPlayerBegins) {
    const Town t = two({{"first", "Bob"}});
    EXPECT_EQ(t.turn(), "Bob");
    EXPECT_EQ(hand(t, "Ann"), 5);
    EXPECT_EQ(t.board()["draw_pile"], 54 - 10 - 1);
    EXPECT_EQ(t.board()["discard_pile"], 0);
    EXPECT_EQ(t.check("Ann", kEnd).verdict, Ruling::Verdict::not_your_turn);
}

TEST(GotownRules, GOTOWN_2_ATurnStartsWithOneCardButNotWithEightInHand) {
    Town t = two();
    EXPECT_EQ(hand(t, "Ann"), 6);
    t.play("Ann", kEnd);
    EXPECT_EQ(hand(t, "Bob"), 6);
    for (int i = 0; i < 4; ++i) t.play(t.turn(), kEnd);
    EXPECT_EQ(hand(t, "Ann"), 8);
    EXPECT_EQ(hand(t, "Bob"), 8);
    const int pile = t.board()["draw_pile"];
    t.play("Bob", kEnd);
    EXPECT_EQ(hand(t, "Ann"), 8);
    EXPECT_EQ(t.board()["draw_pile"], pile);
}

TEST(GotownRules, GOTOWN_3_AnyNumberOfActionsOrNone) {
    Town t = two();
    t.play("Ann", build("3", "6"));
    t.play("Ann", build("1", "8"));
    t.play("Ann", guard(1));
    EXPECT_EQ(t.turn(), "Ann");
    t.play("Ann", kEnd);
    t.play("Bob", kEnd);
    EXPECT_EQ(t.turn(), "Ann");
}

TEST(GotownRules, GOTOWN_4_FewerThanThreeCardsAreFilledUpToThree) {
    Town t = two();
    t.play("Ann", build("3", "6"));
    t.play("Ann", build("1", "8"));
    EXPECT_EQ(hand(t, "Ann"), 2);
    t.play("Ann", kEnd);
    EXPECT_EQ(hand(t, "Ann"), 3);
    t.play("Bob", build("2", "7"));
    t.play("Bob", kEnd);
    EXPECT_EQ(hand(t, "Bob"), 4);
}

TEST(GotownRules, GOTOWN_5_AnEmptyPileIsMadeAnewFromTheDiscard) {
    // Twelve cards: ten dealt, Ann draws one, Bob the last.
    Town t = two({{"deck", {{"3", 4}, {"6", 4}, {"thief", 4}}}});
    t.play("Ann", on("thief", "Bob"));
    t.play("Ann", kEnd);
    EXPECT_EQ(t.board()["draw_pile"], 0);
    EXPECT_EQ(t.board()["discard_pile"], 1);
    t.play("Bob", kEnd);
    EXPECT_EQ(t.board()["draw_pile"], 0);
    EXPECT_EQ(t.board()["discard_pile"], 0);
    EXPECT_EQ(hand(t, "Ann") + hand(t, "Bob"), 12);
    EXPECT_EQ(gotown::unseen(t.state, gotown::Card::thief), 4);
}

TEST(GotownRules, GOTOWN_6_TheFifthFloorWinsAtOnceOrTheFourthInTheShortGame) {
    for (const int floors : {5, 4}) {
        Town t = two({{"floors", floors}});
        for (int i = 0; i < floors; ++i) {
            EXPECT_FALSE(t.view().finished);
            t.play("Ann",
                   build(std::to_string(1 + i % 4).c_str(), std::to_string(8 - i % 4).c_str()));
            if (t.view().finished) break;
            t.play("Ann", kEnd);
            t.play("Bob", kEnd);
        }
        EXPECT_TRUE(t.view().finished);
        EXPECT_EQ(t.view().winners, std::vector<int>{0});
        EXPECT_EQ(t.player("Ann")["score"], floors);
        EXPECT_EQ(t.rule("Ann", kEnd), "GOTOWN-6");
    }
}

TEST(GotownRules, GOTOWN_10_AFloorIsTwoFloorCardsThatMakeNine) {
    Town t = two();
    EXPECT_EQ(t.rule("Ann", build("3", "5")), "GOTOWN-10");
    EXPECT_EQ(t.rule("Ann", build("dog", "3")), "GOTOWN-10");
    EXPECT_EQ(t.rule("Ann", build("9", "0")), "GOTOWN-10");
    for (const Json& cards : {Json({"3"}), Json({"3", "6", "1"})})
        EXPECT_EQ(t.rule("Ann", {{"type", "build"}, {"cards", cards}}), "GOTOWN-10") << cards;
    EXPECT_EQ(t.check("Ann", {{"type", "thief"}, {"target", "Zoe"}}).message.key,
              "rules.no_such_player");
    const auto events = t.play("Ann", build("3", "6"));
    ASSERT_EQ(events.size(), 1U);
    EXPECT_EQ(events[0]["event"], "scored");
    EXPECT_EQ(tower(t, "Ann"), Json::parse(R"([{"cards":["3","6"],"values":[3,6],"dog":false}])"));
    EXPECT_EQ(hand(t, "Ann"), 4);
}

TEST(GotownRules, GOTOWN_11_AJokerTakesTheValueThatMakesNineButNeverBesideAnother) {
    Town t = two();
    EXPECT_EQ(t.rule("Ann", build("joker", "joker")), "GOTOWN-11");
    t.play("Ann", build("joker", "2"));
    EXPECT_EQ(tower(t, "Ann")[0]["values"], Json({7, 2}));
}

TEST(GotownRules, GOTOWN_12_StealingTakesOneCardOfTheTopFloorAndDiscardsTheOther) {
    Town t = two();
    EXPECT_EQ(t.rule("Ann", steal("3", "Bob", "6")), "GOTOWN-12");
    t.play("Ann", build("1", "8"));
    t.play("Ann", build("3", "6"));
    t.play("Ann", kEnd);
    EXPECT_EQ(t.rule("Bob", steal("4", "Ann", "6")), "GOTOWN-12");
    EXPECT_EQ(t.rule("Bob", steal("1", "Ann", "8")), "GOTOWN-12") << "not the top floor";
    EXPECT_EQ(t.rule("Bob", steal("3", "Bob", "6")), "GOTOWN-12");
    EXPECT_EQ(t.rule("Bob", steal("dog", "Ann", "6")), "GOTOWN-12");
    const auto events = t.play("Bob", steal("3", "Ann", "6"));
    EXPECT_EQ(events.size(), 2U);
    EXPECT_EQ(tower(t, "Ann").size(), 1U);
    EXPECT_EQ(tower(t, "Bob")[0]["cards"], Json({"3", "6"}));
    EXPECT_EQ(t.board()["discard_top"], "3");
    EXPECT_EQ(hand(t, "Bob"), 5);
}

TEST(GotownRules, GOTOWN_13_AGuardedFloorCannotBeRobbed) {
    Town t = two();
    t.play("Ann", build("3", "6"));
    t.play("Ann", guard(1));
    t.play("Ann", kEnd);
    EXPECT_EQ(t.rule("Bob", steal("3", "Ann", "6")), "GOTOWN-13");
}

TEST(GotownRules, GOTOWN_14_AJokerCannotStealButCanBeStolenAtItsValue) {
    Town t = two();
    t.play("Ann", build("3", "joker"));
    t.play("Ann", kEnd);
    EXPECT_EQ(t.rule("Bob", steal("joker", "Ann", "3")), "GOTOWN-14");
    EXPECT_EQ(t.rule("Bob", steal("4", "Ann", "joker")), "GOTOWN-12");
    t.play("Bob", steal("3", "Ann", "joker"));
    EXPECT_EQ(tower(t, "Bob")[0],
              Json::parse(R"({"cards":["3","joker"],"values":[3,6],"dog":false})"));
}

TEST(GotownRules, GOTOWN_15_ADogGuardsAnOwnFloorThatExists) {
    Town t = two();
    EXPECT_EQ(t.rule("Ann", guard(1)), "GOTOWN-15");
    t.play("Ann", build("3", "6"));
    EXPECT_EQ(t.rule("Ann", guard(0)), "GOTOWN-15");
    EXPECT_EQ(t.rule("Ann", guard(2)), "GOTOWN-15");
    EXPECT_EQ(t.rule("Ann", guard(-1000000)), "GOTOWN-15");
    t.play("Ann", guard(1));
    EXPECT_EQ(tower(t, "Ann")[0]["dog"], true);
}

TEST(GotownRules, GOTOWN_16_ABoneLuresAnOpponentsDogAway) {
    Town t = two();
    t.play("Ann", build("3", "6"));
    t.play("Ann", guard(1));
    EXPECT_EQ(t.rule("Ann", bait("Ann", 1)), "GOTOWN-16");
    t.play("Ann", kEnd);
    EXPECT_EQ(t.rule("Bob", bait("Ann", 2)), "GOTOWN-16");
    t.play("Bob", bait("Ann", 1));
    EXPECT_EQ(tower(t, "Ann")[0]["dog"], false);
    EXPECT_EQ(t.board()["discard_pile"], 2);
    EXPECT_EQ(t.board()["discard_top"], "bone");
}

TEST(GotownRules, GOTOWN_17_AHammerDestroysAnUnguardedTopFloor) {
    Town t = two();
    EXPECT_EQ(t.rule("Ann", on("hammer", "Bob")), "GOTOWN-17");
    t.play("Ann", build("3", "6"));
    EXPECT_EQ(t.rule("Ann", on("hammer", "Ann")), "GOTOWN-17");
    t.play("Ann", guard(1));
    t.play("Ann", kEnd);
    EXPECT_EQ(t.rule("Bob", on("hammer", "Ann")), "GOTOWN-17");
    t.play("Bob", bait("Ann", 1));
    t.play("Bob", on("hammer", "Ann"));
    EXPECT_EQ(tower(t, "Ann").size(), 0U);
    EXPECT_EQ(t.board()["discard_pile"], 5);
}

TEST(GotownRules, GOTOWN_18_TheWreckingBallDestroysAGuardedFloorAndItsDog) {
    Town t = two();
    EXPECT_EQ(t.rule("Ann", on("wrecking_ball", "Bob")), "GOTOWN-18");
    t.play("Ann", build("3", "6"));
    t.play("Ann", guard(1));
    t.play("Ann", kEnd);
    t.play("Bob", on("wrecking_ball", "Ann"));
    EXPECT_EQ(tower(t, "Ann").size(), 0U);
    EXPECT_EQ(t.board()["discard_pile"], 4);
}

TEST(GotownRules, GOTOWN_19_AThiefMovesOneCardFromHandToHand) {
    Town t = three();
    EXPECT_EQ(t.rule("Ann", on("thief", "Ann")), "GOTOWN-19");
    t.play("Ann", on("thief", "Cem"));
    EXPECT_EQ(hand(t, "Ann"), 6);
    EXPECT_EQ(hand(t, "Cem"), 4);
    EXPECT_EQ(hand(t, "Bob"), 5);
    EXPECT_EQ(t.board()["discard_top"], "thief");
}

TEST(GotownRules, GOTOWN_20_TheSuperThiefRobsEveryOpponent) {
    Town t = three();
    t.play("Ann", just("super_thief"));
    EXPECT_EQ(hand(t, "Ann"), 7);
    EXPECT_EQ(hand(t, "Bob"), 4);
    EXPECT_EQ(hand(t, "Cem"), 4);
}

TEST(GotownRules, GOTOWN_21_AMilkshakeMakesTheNextTurnNothingButItself) {
    Town t = two();
    EXPECT_EQ(t.rule("Ann", on("milkshake", "Ann")), "GOTOWN-21");
    EXPECT_EQ(t.rule("Ann", just("discard_milkshake")), "GOTOWN-21");
    t.play("Ann", on("milkshake", "Bob"));
    EXPECT_EQ(t.board()["players"]["Bob"]["milkshakes"], 1);
    t.play("Ann", kEnd);
    EXPECT_EQ(hand(t, "Bob"), 5) << "no card is drawn";
    EXPECT_EQ(t.view().actions, std::vector<std::string>{"discard_milkshake"});
    EXPECT_EQ(t.rule("Bob", build("3", "6")), "GOTOWN-21");
    EXPECT_EQ(t.rule("Bob", kEnd), "GOTOWN-21");
    t.play("Bob", just("discard_milkshake"));
    EXPECT_EQ(t.turn(), "Ann");
    EXPECT_EQ(t.board()["discard_top"], "milkshake");
}

TEST(GotownRules, GOTOWN_22_TheDonutTruckGivesAnotherTurn) {
    Town t = three();
    t.play("Ann", build("3", "6"));
    t.play("Ann", build("1", "8"));
    t.play("Ann", just("donut_truck"));
    EXPECT_EQ(hand(t, "Ann"), 1);
    EXPECT_EQ(t.turn(), "Ann");
    EXPECT_EQ(t.board()["discard_pile"], 0) << "the truck stays until the turn has ended";
    t.play("Ann", kEnd);
    EXPECT_EQ(t.turn(), "Ann");
    EXPECT_EQ(hand(t, "Ann"), 4) << "filled up to three, then the new turn's card";
    EXPECT_EQ(t.board()["discard_top"], "donut_truck");
    t.play("Ann", kEnd);
    EXPECT_EQ(t.turn(), "Bob");
}

TEST(GotownRules, GOTOWN_COUNT_NobodyPlaysACardThatCannotExistOrAHandThatIsTooSmall) {
    Town t = two();
    t.play("Ann", build("3", "6"));
    t.play("Ann", build("3", "6"));
    t.play("Ann", kEnd);
    t.play("Bob", build("3", "6"));
    t.play("Bob", build("3", "6"));
    EXPECT_EQ(t.rule("Bob", build("3", "6")), "GOTOWN-COUNT") << "all four are on the table";
    EXPECT_EQ(t.rule("Bob", build("3", "joker")), "GOTOWN-COUNT");
    t.play("Bob", build("1", "8"));
    EXPECT_EQ(hand(t, "Bob"), 0);
    EXPECT_EQ(t.rule("Bob", guard(1)), "GOTOWN-COUNT") << "an empty hand plays nothing";
    EXPECT_EQ(t.rule("Bob", just("donut_truck")), "GOTOWN-COUNT");
    t.play("Bob", kEnd);
    t.play("Ann", just("donut_truck"));
    EXPECT_EQ(t.rule("Ann", just("donut_truck")), "GOTOWN-COUNT") << "there is only one";
}

TEST(GotownRules, GOTOWN_R1_OneDogAFloorAnyOwnFloor) {
    Town t = two();
    t.play("Ann", build("3", "6"));
    t.play("Ann", build("1", "8"));
    t.play("Ann", guard(1));
    EXPECT_EQ(t.rule("Ann", guard(1)), "GOTOWN-R1");
    t.play("Ann", guard(2));
}

TEST(GotownRules, GOTOWN_R2_ThievesNeedAVictimWithACard) {
    Town t = three(
        {{"deck", {{"3", 20}, {"6", 20}, {"thief", 4}, {"super_thief", 4}}}, {"first", "Bob"}});
    t.play("Bob", build("3", "6"));
    t.play("Bob", build("3", "6"));
    t.play("Bob", build("3", "6"));
    t.state.town(0).hand = 0;
    t.state.town(2).hand = 0;
    t.state.town(1).hand = 2;
    EXPECT_EQ(t.rule("Bob", on("thief", "Ann")), "GOTOWN-R2");
    EXPECT_EQ(t.rule("Bob", just("super_thief")), "GOTOWN-R2");
    t.state.town(2).hand = 1;
    t.play("Bob", just("super_thief"));
    EXPECT_EQ(hand(t, "Bob"), 2);
    EXPECT_EQ(hand(t, "Ann"), 0);
}

TEST(GotownRules, GOTOWN_R3_MilkshakesCostOneTurnEachAndSurviveTheDonutTruck) {
    Town t = two();
    t.play("Ann", on("milkshake", "Bob"));
    t.play("Ann", on("milkshake", "Bob"));
    t.play("Ann", just("donut_truck"));
    t.play("Ann", kEnd);
    EXPECT_EQ(t.turn(), "Ann");
    EXPECT_EQ(t.board()["players"]["Bob"]["milkshakes"], 2);
    t.play("Ann", kEnd);
    t.play("Bob", just("discard_milkshake"));
    t.play("Ann", kEnd);
    EXPECT_EQ(t.view().actions, std::vector<std::string>{"discard_milkshake"});
    t.play("Bob", just("discard_milkshake"));
    t.play("Ann", kEnd);
    EXPECT_EQ(t.view().actions.back(), "end_turn");
}

TEST(GotownRules, GOTOWN_R4_AMilkshakeTurnDrawsNothingAtItsEnd) {
    Town t = two();
    t.state.town(1).hand = 1;
    t.play("Ann", on("milkshake", "Bob"));
    t.play("Ann", kEnd);
    t.play("Bob", just("discard_milkshake"));
    EXPECT_EQ(hand(t, "Bob"), 1);
}

TEST(GotownRules, GOTOWN_R5_DrawsWhatThereIs) {
    Town t = two({{"deck", {{"3", 6}, {"6", 6}}}});
    t.play("Ann", build("3", "6"));
    t.play("Ann", build("3", "6"));
    t.play("Ann", build("3", "6"));
    EXPECT_EQ(hand(t, "Ann"), 0);
    EXPECT_EQ(t.board()["draw_pile"], 1);
    t.play("Ann", kEnd);
    EXPECT_EQ(hand(t, "Ann"), 1);
    EXPECT_EQ(hand(t, "Bob"), 5) << "nothing left to draw";
}

TEST(GotownRules, GOTOWN_R6_ADestroyedFloorUncoversTheOneBelowAndActionsChain) {
    Town t = two();
    t.play("Ann", build("3", "6"));
    t.play("Ann", build("1", "8"));
    t.play("Ann", guard(2));
    t.play("Ann", kEnd);
    t.play("Bob", bait("Ann", 2));
    t.play("Bob", on("hammer", "Ann"));
    t.play("Bob", steal("3", "Ann", "6"));
    EXPECT_EQ(tower(t, "Ann").size(), 0U);
    EXPECT_EQ(tower(t, "Bob").size(), 1U);
}

TEST(GotownRules, GOTOWN_R6_TheUncoveredFloorKeepsItsDog) {
    Town t = two();
    t.play("Ann", build("3", "6"));
    t.play("Ann", guard(1));
    t.play("Ann", build("1", "8"));
    t.play("Ann", kEnd);
    t.play("Bob", on("hammer", "Ann"));
    EXPECT_EQ(t.rule("Bob", on("hammer", "Ann")), "GOTOWN-17");
}

TEST(GotownRules, GOTOWN_R7_ReducingATowerNeverWins) {
    Town t = two({{"floors", 2}});
    t.play("Ann", build("3", "6"));
    t.play("Ann", kEnd);
    t.play("Bob", on("hammer", "Ann"));
    EXPECT_FALSE(t.view().finished);
    t.play("Bob", build("1", "8"));
    EXPECT_FALSE(t.view().finished);
    t.play("Bob", build("2", "7"));
    EXPECT_TRUE(t.view().finished);
}

TEST(GotownRules, UnderstandsNoNonsenseAndNeverThrows) {
    const Town t = two();
    auto moves = testing::hostile_moves();
    for (const Json& bad :
         {Json(1e308), Json("Zoe"), Json(), Json::array({1, 2}), Json::object(), Json(-7)}) {
        moves.push_back({{"type", "hammer"}, {"target", bad}});
        moves.push_back({{"type", "guard"}, {"floor", bad}});
        moves.push_back({{"type", "build"}, {"cards", bad}});
        moves.push_back({{"type", "build"}, {"cards", {bad, bad}}});
        moves.push_back({{"type", "steal_floor"}, {"card", bad}, {"from", "Bob"}, {"take", bad}});
    }
    for (const Json& move : moves) EXPECT_FALSE(t.check("Ann", move).legal()) << move.dump();
    EXPECT_EQ(t.rule("Ann", Json(3)), "MOVE");
    EXPECT_EQ(t.check("Ann", Json(3)).message.key, "gotown.move_not_understood");
    EXPECT_EQ(Gotown::judge(t.state, -5, kEnd).verdict, Ruling::Verdict::not_your_turn);
    EXPECT_EQ(Gotown::judge(t.state, 77, kEnd).verdict, Ruling::Verdict::not_your_turn);
}

TEST(GotownRules, WhatAThiefTookIsNeverKept) {
    const Move told = {{"type", "thief"}, {"target", "Bob"},    {"card", "joker"},
                       {"take", "joker"}, {"cards", {"joker"}}, {"got", "joker"}};
    EXPECT_EQ(Gotown::kept(told), on("thief", "Bob"));
    EXPECT_EQ(Gotown::kept(steal("3", "Bob", "6")), steal("3", "Bob", "6"));
    Observation seen;
    Piece held;
    held.kind = PieceKind::card;
    held.face = "joker";
    held.x = 300;
    held.y = 250;
    seen.pieces.push_back(held);
    Gotown::hide(seen);
    EXPECT_FALSE(seen.pieces[0].face);
}

TEST(GotownRules, RefusesOptionsThatMakeNoSense) {
    for (const Json& options :
         {Json{{"floors", "many"}}, Json{{"floors", 0}}, Json{{"first", "Zoe"}}, Json{{"deck", 3}},
          Json{{"deck", {{"13", 4}}}}, Json{{"deck", {{"3", 2}}}}}) {
        const auto begun = Gotown::start(setup_for({"Ann", "Bob"}, options));
        ASSERT_FALSE(begun.has_value()) << options.dump();
        EXPECT_EQ(begun.error().rule, "SETUP");
    }
}

TEST(GotownRules, CardsAreNeverLostInRandomPlay) {
    std::mt19937 dice{7};
    for (int game = 0; game < 60; ++game) {
        Town t = game % 2 ? three() : two();
        for (int i = 0; i < 150 && !t.view().finished; ++i) {
            const auto moves = Gotown::legal_moves(t.state);
            ASSERT_FALSE(moves.empty());
            t.play(t.turn(), moves[dice() % moves.size()].move);
            int hidden = t.state.draw_pile, unseen = 0;
            for (const auto& town : t.state.towns) hidden += town.hand;
            for (int card = 1; card < gotown::kCards; ++card)
                unseen += gotown::unseen(t.state, static_cast<gotown::Card>(card));
            ASSERT_EQ(hidden, unseen);
        }
    }
}

std::vector<Move> read_moves(const gotown::State& state, const Observation& seen) {
    std::vector<Move> moves;
    const Reading reading = Gotown::read(state, seen);
    if (reading.choices.size() == 1)
        for (const auto& move : reading.choices[0].moves) moves.push_back(move.move);
    return moves;
}

TEST(GotownReading, FindsEveryVisibleMoveOfRandomGames) {
    std::mt19937 dice{11};
    int checked = 0;
    for (int game = 0; game < 40; ++game) {
        Town t = game % 2 ? three() : two();
        for (int i = 0; i < 80 && !t.view().finished; ++i) {
            const auto moves = Gotown::legal_moves(t.state);
            const PlayerMove& move = moves[dice() % moves.size()];
            const auto after = Gotown::apply(t.state, move.player, move.move).state;
            if (Gotown::visible(t.state, move)) {
                ASSERT_EQ(read_moves(t.state, Gotown::scene_of(after)),
                          std::vector<Move>{move.move})
                    << Gotown::to_text(t.state) << move.move.dump();
                ++checked;
            }
            t.state = after;
        }
    }
    EXPECT_GT(checked, 500);
}

TEST(GotownReading, AnUnchangedTableMeansNothing) {
    Town t = two();
    t.play("Ann", build("3", "6"));
    const Reading reading = Gotown::read(t.state, Gotown::scene_of(t.state));
    EXPECT_TRUE(reading.choices.empty());
    EXPECT_FALSE(reading.attention);
}

TEST(GotownReading, TheNextPlayersMoveEndsTheTurn) {
    Town t = two();
    const Town before = t;
    t.play("Ann", kEnd);
    t.play("Bob", on("milkshake", "Ann"));
    EXPECT_EQ(read_moves(before.state, Gotown::scene_of(t.state)),
              (std::vector<Move>{kEnd, on("milkshake", "Ann")}));
}

TEST(GotownReading, TwoActionsAtOnceAreBothFound) {
    Town t = two();
    const Town before = t;
    t.play("Ann", build("3", "6"));
    t.play("Ann", guard(1));
    EXPECT_EQ(read_moves(before.state, Gotown::scene_of(t.state)),
              (std::vector<Move>{build("3", "6"), guard(1)}));
}

TEST(GotownReading, TheTruckOnTheDiscardEndsTheTurn) {
    Town t = two();
    t.play("Ann", just("donut_truck"));
    const Town before = t;
    t.play("Ann", kEnd);
    EXPECT_EQ(t.turn(), "Ann");
    EXPECT_EQ(read_moves(before.state, Gotown::scene_of(t.state)), (std::vector<Move>{kEnd}));
}

TEST(GotownReading, WhetherSomethingWasDoneBeforeOrAfterTheTruckEndedTheTurnIsAsked) {
    Town t = two();
    t.play("Ann", build("3", "6"));
    t.play("Ann", build("4", "5"));
    t.play("Ann", just("donut_truck"));
    const Town before = t;
    t.play("Ann", guard(1));
    t.play("Ann", kEnd);
    const Reading reading = Gotown::read(before.state, Gotown::scene_of(t.state));
    EXPECT_TRUE(reading.question);
    ASSERT_EQ(reading.choices.size(), 2u);
    for (const auto& choice : reading.choices) EXPECT_EQ(choice.moves.size(), 2u);
}

TEST(GotownReading, AFloorThatDoesNotMakeNineNeedsAPerson) {
    Town t = two();
    t.state = gotown::done(
        t.state, 0, {gotown::Action::Kind::build, gotown::Card::three, gotown::Card::five, -1, 0});
    const Town before = two();
    const Reading reading = Gotown::read(before.state, Gotown::scene_of(t.state));
    ASSERT_TRUE(reading.attention);
    EXPECT_EQ(reading.attention->rule, "GOTOWN-10");
    EXPECT_TRUE(reading.attention->at);
    EXPECT_TRUE(reading.choices.empty());
}

TEST(GotownReading, AHalfBuiltFloorWaits) {
    Town t = two();
    auto scene = Gotown::scene_of(t.state);
    Town built = t;
    built.play("Ann", build("3", "6"));
    scene.pieces.push_back(Gotown::scene_of(built.state).pieces[0]);
    const Reading reading = Gotown::read(t.state, scene);
    ASSERT_TRUE(reading.attention);
    EXPECT_EQ(reading.attention->rule, "TABLE");
    EXPECT_GT(reading.patience_s, 1);
}

TEST(GotownReading, ACardThatNoMoveExplainsIsSaidAtOnce) {
    Town t = two();
    auto scene = Gotown::scene_of(t.state);
    Town built = t;
    built.play("Ann", build("3", "6"));
    scene.pieces.push_back(Gotown::scene_of(built.state).pieces[0]);
    scene.pieces.back().x += 150;
    const Reading reading = Gotown::read(t.state, scene);
    ASSERT_TRUE(reading.attention);
    EXPECT_EQ(reading.patience_s, 0);
}

TEST(GotownReading, ACardPutDownAskewIsNoMove) {
    Town t = two();
    const Town before = t;
    t.play("Ann", build("3", "6"));
    auto scene = Gotown::scene_of(t.state);
    scene.pieces[0].angle = wrapped(scene.pieces[0].angle + 0.5);
    EXPECT_TRUE(Gotown::read(before.state, scene).attention);
    scene.pieces[0].angle = wrapped(scene.pieces[0].angle - 0.5 +
                                    M_PI);  // the other way up is straight
    EXPECT_EQ(read_moves(before.state, scene), std::vector<Move>{build("3", "6")});
}

TEST(GotownReading, SeveralPossibleVictimsAreAskedAbout) {
    Town t = three();
    const Town before = t;
    t.play("Ann", on("thief", "Cem"));
    const Reading reading = Gotown::read(before.state, Gotown::scene_of(t.state));
    ASSERT_TRUE(reading.question);
    EXPECT_EQ(reading.choices.size(), 2U);
}

TEST(GotownReading, LegalityDecidesAmongAlternatives) {
    Town t = two();
    const Town before = t;
    t.play("Ann", build("3", "6"));
    auto scene = Gotown::scene_of(t.state);
    scene.pieces[0].face = "8";  // beside a 6 it can only be the 3
    scene.pieces[0].alternatives = {{"3", 0.4}, {"2", 0.3}};
    EXPECT_EQ(read_moves(before.state, scene), std::vector<Move>{build("3", "6")});
}

TEST(GotownReading, CardsLaidCarelesslyAreStillRead) {
    std::mt19937 dice{3};
    std::uniform_real_distribution<double> off{-8, 8};
    for (int i = 0; i < 200; ++i) {
        Town t = two();
        t.play("Ann", build("1", "8"));
        const Town before = t;
        t.play("Ann", build("3", "6"));
        auto scene = Gotown::scene_of(t.state);
        for (Piece& piece : scene.pieces) {
            piece.x += off(dice);
            piece.y += off(dice);
        }
        ASSERT_EQ(read_moves(before.state, scene), std::vector<Move>{build("3", "6")});
    }
}

TEST(GotownReading, CoveredCardsMayBeUnreadableOrUnseen) {
    Town t = two();
    t.play("Ann", build("1", "8"));
    t.play("Ann", build("2", "7"));
    const Town before = t;
    t.play("Ann", guard(2));
    auto scene = Gotown::scene_of(t.state);
    scene.pieces[0].face.reset();
    scene.pieces[1].face = "3";  // a strip misread
    EXPECT_EQ(read_moves(before.state, scene), std::vector<Move>{guard(2)});
    scene.pieces.erase(scene.pieces.begin());
    EXPECT_EQ(read_moves(before.state, scene), std::vector<Move>{guard(2)});
}

TEST(GotownReading, ADogUnderAnotherMayBeUnseen) {
    Town t = two();
    for (const Move& move : {build("1", "8"), guard(1), build("2", "7"), guard(2), kEnd})
        t.play("Ann", move);
    const Town before = t;
    const auto without_lower_dog = [](Observation scene) {
        scene.pieces.erase(std::find_if(scene.pieces.begin(), scene.pieces.end(),
                                        [](const Piece& p) { return p.face == "dog"; }));
        return scene;
    };
    const Reading nothing = Gotown::read(before.state,
                                         without_lower_dog(Gotown::scene_of(before.state)));
    EXPECT_FALSE(nothing.attention);
    EXPECT_TRUE(nothing.choices.empty());
    t.play("Bob", build("3", "6"));
    EXPECT_EQ(read_moves(before.state, without_lower_dog(Gotown::scene_of(t.state))),
              std::vector<Move>{build("3", "6")});
    t = before;
    t.play("Bob", bait("Ann", 1));
    EXPECT_EQ(read_moves(before.state, Gotown::scene_of(t.state)),
              std::vector<Move>{bait("Ann", 1)});
}

TEST(GotownReading, IllegalDeedsAreCalledByTheirRule) {
    using Kind = gotown::Action::Kind;
    using gotown::Card;
    // Without bones: a bone played first would explain a guarded floor's fall.
    Town t = three(
        {{"deck",
          {{"1", 4}, {"3", 4}, {"6", 4}, {"8", 4}, {"joker", 4}, {"dog", 4}, {"hammer", 4}}}});
    t.play("Ann", build("3", "6"));
    t.play("Ann", guard(1));
    t.play("Ann", kEnd);
    const auto rule_seen = [&](int player, gotown::Action action) {
        const auto scene = Gotown::scene_of(gotown::done(t.state, player, action));
        const Reading reading = Gotown::read(t.state, scene);
        EXPECT_TRUE(reading.choices.empty());
        return reading.attention ? reading.attention->rule : "";
    };
    EXPECT_EQ(rule_seen(1, {Kind::hammer, Card::none, Card::none, 0, 0}), "GOTOWN-17");
    EXPECT_EQ(rule_seen(1, {Kind::steal_floor, Card::three, Card::six, 0, 0}), "GOTOWN-13");
    EXPECT_EQ(rule_seen(1, {Kind::build, Card::joker, Card::joker, -1, 0}), "GOTOWN-11");
    EXPECT_EQ(rule_seen(0, {Kind::build, Card::one, Card::eight, -1, 0}), "TURN");
}

TEST(GotownReading, ABoneThenAHammerExplainAGuardedFloorsFall) {
    Town t = two();
    t.play("Ann", build("3", "6"));
    t.play("Ann", guard(1));
    t.play("Ann", kEnd);
    const Town before = t;
    t.play("Bob", bait("Ann", 1));
    t.play("Bob", on("hammer", "Ann"));
    EXPECT_EQ(read_moves(before.state, Gotown::scene_of(t.state)),
              (std::vector<Move>{bait("Ann", 1), on("hammer", "Ann")}));
}

TEST(GotownReading, ADogTakenOffWhileTheDiscardIsAsBeforeIsNoBoneUnderAnotherThief) {
    Town t = two();
    t.play("Ann", build("3", "6"));
    t.play("Ann", guard(1));
    t.play("Ann", kEnd);
    t.play("Bob", on("thief", "Ann"));
    auto half_way = Gotown::scene_of(t.state);
    std::erase_if(half_way.pieces, [](const Piece& p) { return p.face == "dog"; });
    const Reading reading = Gotown::read(t.state, half_way);
    EXPECT_TRUE(reading.choices.empty());
    ASSERT_TRUE(reading.attention);
    EXPECT_GT(reading.patience_s, 1) << "the bone is still in the hand";
}

TEST(GotownReading, AnOldDiscardIsNoNewThief) {
    Town t = two({{"deck", {{"3", 4}, {"6", 4}, {"thief", 4}}}});
    t.play("Ann", on("thief", "Bob"));
    t.play("Ann", kEnd);
    const auto unshuffled = Gotown::scene_of(t.state);
    // The pile is empty: shuffling the discard now, before the next card is due, changes nothing.
    auto early = unshuffled;
    early.pieces.clear();
    EXPECT_FALSE(Gotown::read(t.state, early).attention);
    t.play("Bob", kEnd);  // Ann's card is due: counted as shuffled
    const Reading reading = Gotown::read(t.state, unshuffled);
    ASSERT_TRUE(reading.attention);
    EXPECT_EQ(reading.attention->rule, "GOTOWN-5");
    EXPECT_TRUE(reading.choices.empty());
}

TEST(GotownReading, ABoneOnAPileCountedAsShuffledMayHaveLuredAHiddenDogAndIsAskedAbout) {
    Town t = two();
    for (const Move& move : {build("1", "8"), guard(1), build("2", "7"), guard(2), kEnd})
        t.play("Ann", move);
    t.state.shuffled_top = gotown::Card::bone;
    const Town before = t;
    t.play("Bob", bait("Ann", 1));
    const Reading reading = Gotown::read(before.state, Gotown::scene_of(t.state));
    EXPECT_FALSE(reading.attention);
    EXPECT_TRUE(reading.question);
    ASSERT_EQ(reading.choices.size(), 1U);
    EXPECT_EQ(reading.choices[0].moves.front().move, bait("Ann", 1));
}

TEST(GotownReading, AStrangeTableIsLookedThroughQuickly) {
    Town t = three();
    t.play("Ann", build("3", "6"));
    auto scene = Gotown::scene_of(t.state);
    scene.pieces[0].x += 300;  // a floor card astray: nothing explains it
    for (int i = 0; i < 1000; ++i) ASSERT_TRUE(Gotown::read(t.state, scene).attention);
}

TEST(GotownHints, TellWhatCanBeRobbedWhatIsGuardedAndWhoIsNearlyThere) {
    Town t = two({{"floors", 2}});
    t.play("Ann", build("3", "joker"));
    t.play("Ann", kEnd);
    const auto hints = Gotown::hints(t.state, 10);
    ASSERT_EQ(hints.size(), 3U);
    EXPECT_EQ(hints[0].move, steal("6", "Ann", "3"));
    EXPECT_EQ(hints[1].move, steal("3", "Ann", "joker"));
    EXPECT_EQ(hints[2].message.key, "gotown.hint_nearly_there");
    t.play("Bob", kEnd);
    t.play("Ann", guard(1));
    t.play("Ann", kEnd);
    const auto guarded = Gotown::hints(t.state, 10);
    EXPECT_TRUE(std::any_of(guarded.begin(), guarded.end(),
                            [](const Hint& h) { return h.message.key == "gotown.hint_guarded"; }));
    EXPECT_TRUE(std::none_of(guarded.begin(), guarded.end(),
                             [](const Hint& h) { return !h.move.is_null(); }));
    EXPECT_FALSE(Gotown::marks(t.state).empty());
}

}  // namespace
}  // namespace overboard::rules
