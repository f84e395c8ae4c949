#include "vision/tracker.hpp"

#include <gtest/gtest.h>

#include "vision/assignment.hpp"
#include "vision/discs/shots.hpp"
#include "vision/settle_gate.hpp"

namespace overboard::vision {
namespace {

Piece blue(double x, double y) {
    Piece p;
    p.type = "blue";
    p.x = x, p.y = y;
    return p;
}

const Tracker::View kOpen{[](const Piece&) { return true; }, [](const Piece&) { return false; }};
const Tracker::View kCovered{[](const Piece&) { return true; }, [](const Piece&) { return true; }};

TEST(Tracker, KeepsAnIdThroughMotion) {
    Tracker t;
    const int id = t.update(0, {blue(100, 100)}, kOpen)[0].id;
    for (int i = 1; i <= 20; ++i) {
        const auto& seen = t.update(i / 60.0, {blue(100 + 20.0 * i, 100)}, kOpen);
        ASSERT_EQ(seen.size(), 1u);
        EXPECT_EQ(seen[0].id, id);
    }
    EXPECT_NEAR(t.pieces()[0].vx, 1200, 1);
}

TEST(Tracker, KeepsAPieceUnderAHandWithItsOldTime) {
    Tracker t;
    const int id = t.update(1.0, {blue(100, 100)}, kOpen)[0].id;
    for (int i = 1; i < 90; ++i) t.update(1 + i / 30.0, {}, kCovered);
    ASSERT_EQ(t.pieces().size(), 1u);
    EXPECT_DOUBLE_EQ(t.pieces()[0].seen, 1.0);
    EXPECT_EQ(t.update(4.1, {blue(101, 100)}, kOpen)[0].id, id);
}

TEST(Tracker, GivesACarriedPieceItsIdBack) {
    Tracker t;
    const int id = t.update(0, {blue(100, 100)}, kOpen)[0].id;
    for (int i = 1; i < 10; ++i) t.update(i / 30.0, {}, kOpen);
    EXPECT_TRUE(t.pieces().empty());
    EXPECT_EQ(t.update(1.5, {blue(400, 300)}, kOpen)[0].id, id);
}

TEST(Tracker, KeepsTheOrderOfARowPushedAlongTogether) {
    Tracker t;
    std::vector<Piece> row, later;
    for (int i = 0; i < 6; ++i)
        row.push_back(blue(100 + 20.0 * i, 100)), later.push_back(blue(112 + 20.0 * i, 100));
    const std::vector<Piece> before = t.update(0, row, kOpen);
    const std::vector<Piece> after = t.update(1 / 120.0, later, kOpen);
    for (std::size_t i = 0; i < before.size(); ++i) {
        EXPECT_EQ(after[i].id, before[i].id);
        EXPECT_NEAR(after[i].x - before[i].x, 12, 1e-9);
    }
}

TEST(Assignment, IsTheCheapestAlsoWithMoreRowsThanColumns) {
    EXPECT_EQ(cheapest_assignment({{4, 1, 3}, {2, 0, 5}, {3, 2, 2}}), (std::vector<int>{1, 0, 2}));
    EXPECT_EQ(cheapest_assignment({{5}, {1}, {3}}), (std::vector<int>{-1, 0, -1}));
    EXPECT_EQ(cheapest_assignment({{9, 2, 7}}), (std::vector<int>{1}));
    EXPECT_TRUE(cheapest_assignment({}).empty());
}

TEST(Tracker, OfSeveralThatVanishedTheNearestComesBack) {
    Tracker t;
    const auto& first = t.update(0, {blue(100, 100), blue(300, 100)}, kOpen);
    const int left = first[0].id, right = first[1].id;
    t.update(0.01, {}, kOpen);  // both missed once
    const auto& seen = t.update(0.02, {blue(340, 100)}, kOpen);
    const auto back = std::find_if(seen.begin(), seen.end(),
                                   [](const Piece& p) { return p.x == 340; });
    ASSERT_NE(back, seen.end());
    EXPECT_EQ(back->id, right);
    EXPECT_NE(back->id, left);
}

TEST(Tracker, ForgetsAPieceForGoodAfterAWhile) {
    Tracker t;
    const int id = t.update(0, {blue(100, 100)}, kOpen)[0].id;
    for (int i = 1; i < 200; ++i) t.update(i / 30.0, {}, kOpen);
    EXPECT_NE(t.update(8, {blue(100, 100)}, kOpen)[0].id, id);
}

TEST(Tracker, RemembersWhatLiesUnderAnotherPiece) {
    Tracker t({}, {"queen"});
    Piece queen = blue(200, 200);
    queen.type = "queen";
    const int id = t.update(0, {queen}, kOpen)[0].id;
    for (int i = 1; i < 30; ++i) t.update(i / 30.0, {blue(200.5, 200)}, kOpen);
    ASSERT_EQ(t.pieces().size(), 2u);
    EXPECT_EQ(t.pieces()[0].id, id);
}

TEST(Tracker, DoesNotSwapNeighboursOfDifferentType) {
    Tracker t;
    Piece red = blue(120, 100);
    red.type = "queen";
    t.update(0, {blue(100, 100), red}, kOpen);
    const auto& seen = t.update(0.03, {blue(104, 100), red}, kOpen);
    EXPECT_EQ(seen[0].type, "blue");
    EXPECT_EQ(seen[1].type, "queen");
}

Observation at(double time, std::vector<Piece> pieces) {
    Observation o;
    o.time = time;
    o.pieces = std::move(pieces);
    return o;
}

TEST(SettleGate, LetsEachRestThroughOnce) {
    SettleGate gate;
    int through = 0;
    for (int i = 0; i < 60; ++i) through += gate.push(at(i / 30.0, {blue(1, 1)})).has_value();
    EXPECT_EQ(through, 1);
    EXPECT_TRUE(gate.still());
}

TEST(SettleGate, TakesASlowCreepForMotion) {
    SettleGate gate;
    int through = 0;
    for (int i = 0; i < 120; ++i)
        through += gate.push(at(i / 30.0, {blue(0.2 * i, 0)})).has_value();
    EXPECT_EQ(through, 0);
}

TEST(SettleGate, WaitsForHandsToLeave) {
    SettleGate gate;
    for (int i = 0; i < 30; ++i) (void)gate.push(at(i / 30.0, {blue(1, 1)}));
    Observation hand = at(1.0, {blue(1, 1)});
    hand.hands = {{{0, 0}, {1, 0}, {1, 1}}};
    (void)gate.push(hand);
    EXPECT_FALSE(gate.still());
    EXPECT_FALSE(gate.push(at(1.1, {blue(1, 1)})));
    EXPECT_FALSE(gate.push(at(1.3, {blue(1, 1)})));
    EXPECT_TRUE(gate.push(at(1.6, {blue(1, 1)})));
}

TEST(SettleGate, WhatIsReadLateHasRestedSinceNothingMoved) {
    SettleGate gate;
    Observation hand = at(1.0, {});
    hand.hands = {{{0, 0}, {1, 0}, {1, 1}}};
    (void)gate.push(hand, 1.0);
    (void)gate.push(at(1.1, {}), 1.1);
    EXPECT_FALSE(gate.push(at(1.3, {blue(1, 1)}), 1.1));  // read now, moved last at 1.1
    EXPECT_FALSE(gate.push(at(1.45, {blue(1, 1)}), 1.1));
    EXPECT_TRUE(gate.push(at(1.51, {blue(1, 1)}), 1.1));
}

TEST(SettleGate, NothingRestsUnderAHandThatDoesNotMove) {
    SettleGate gate;
    Observation hand = at(3.0, {});
    hand.hands = {{{0, 0}, {1, 0}, {1, 1}}};
    (void)gate.push(hand, 1.0);
    EXPECT_FALSE(gate.push(at(3.1, {}), 1.0));
    EXPECT_FALSE(gate.push(at(3.2, {}), 1.0));
    EXPECT_TRUE(gate.push(at(3.41, {}), 1.0));
}

BoardKind small_board() {
    BoardKind b;
    b.name = "test";
    b.holes = {{"ne", {185, -185}, 30}, {"se", {185, 185}, 30}};
    return b;
}

std::vector<DiscKind> kinds() {
    return {{"blue", 20, 6, {}, 12}, {"striker", 26, 6, {}, 1}};
}

Piece piece(int id, const char* type, Point p, double time) {
    Piece q = blue(p.x, p.y);
    q.id = id;
    q.type = type;
    q.seen = time;
    return q;
}

TEST(ShotCutter, TellsWhichDiscFellWhereAndWhen) {
    ShotCutter cutter(small_board(), kinds());
    const double dt = 1.0 / 120;
    for (int i = 0; i < 240; ++i) {
        const double t = i * dt, run = std::max(0.0, t - 0.2);
        Observation seen = at(t, {piece(1, "striker", {0, 140 - std::min(80.0, 600 * run)}, t)});
        const Point flying = Point{100, -100} + Point{1, -1} * std::min(85.0, 500 * run);
        if (flying.x < 178) seen.pieces.push_back(piece(2, "blue", flying, t));
        cutter.push(seen, Pose{});
    }
    const auto shots = cutter.take();
    ASSERT_EQ(shots.size(), 1u);
    ASSERT_EQ(shots[0].pocketed.size(), 1u);
    EXPECT_EQ(shots[0].pocketed[0].pocket, "ne");
    EXPECT_EQ(shots[0].pocketed[0].id, 2);
    EXPECT_NEAR(shots[0].pocketed[0].time, 0.36, 0.03);
    EXPECT_TRUE(shots[0].ejected.empty());
    ASSERT_TRUE(shots[0].striker_from);
    EXPECT_NEAR(shots[0].striker_from->y, 140, 0.5);
    EXPECT_EQ(shots[0].fps, 120);
    EXPECT_TRUE(cutter.take().empty());
}

TEST(ShotCutter, TellsADiscThatLeftTheBoardFromOneThatFell) {
    ShotCutter cutter(small_board(), kinds());
    for (int i = 0; i < 240; ++i) {
        const double t = i / 120.0, run = std::max(0.0, t - 0.2), x = -100 - 900 * run;
        Observation seen = at(t, {piece(1, "striker", {0, 100 - std::min(60.0, 500 * run)}, t)});
        if (x > -205) seen.pieces.push_back(piece(2, "blue", {x, 0}, t));
        cutter.push(seen, Pose{});
    }
    const auto shots = cutter.take();
    ASSERT_EQ(shots.size(), 1u);
    EXPECT_TRUE(shots[0].pocketed.empty());
    ASSERT_EQ(shots[0].ejected.size(), 1u);
}

// A stroke in which a disc is out of sight for a while and comes back under another id.
std::vector<Shot> shots_with_a_lost_track(bool hand_stays) {
    ShotCutter cutter(small_board(), kinds());
    for (int i = 0; i < 360; ++i) {
        const double t = i / 120.0, run = std::max(0.0, t - 0.2);
        Observation seen = at(t, {piece(1, "striker", {0, 140 - std::min(80.0, 600 * run)}, t)});
        const Point rolling{100 - std::min(60.0, 400 * run), 0};
        if (t < 0.25) seen.pieces.push_back(piece(2, "blue", rolling, t));
        if (t > (hand_stays ? 1.5 : 0.4)) seen.pieces.push_back(piece(9, "blue", rolling, t));
        if (hand_stays && t > 0.2 && t < 1.5) seen.hands = {{{0, 0}, {1, 0}, {1, 1}}};
        cutter.push(seen, Pose{});
    }
    return cutter.take();
}

TEST(ShotCutter, ADiscThatComesBackUnderAnotherIdDidNotFall) {
    for (const bool hand_stays : {false, true}) {
        const auto shots = shots_with_a_lost_track(hand_stays);
        ASSERT_EQ(shots.size(), 1u);
        EXPECT_TRUE(shots[0].pocketed.empty());
        EXPECT_TRUE(shots[0].ejected.empty());
        EXPECT_EQ(shots[0].tracks.size(), 2u) << "one track a disc";
    }
}

// One disc falls just as another, far off, is found again: the tracker may give it the fallen one's
// id.
TEST(ShotCutter, AnIdThatLeapsFromAPocketToAnotherDiscHidesNothing) {
    ShotCutter cutter(small_board(), kinds());
    for (int i = 0; i < 300; ++i) {
        const double t = i / 120.0, run = std::max(0.0, t - 0.2);
        Observation seen = at(t, {piece(1, "striker", {0, 140 - std::min(80.0, 600 * run)}, t)});
        const Point falling = Point{100, -100} + Point{1, -1} * (500 * run),
                    rolling{-100, 100 - std::min(50.0, 300 * run)};
        if (falling.x < 178) seen.pieces.push_back(piece(2, "blue", falling, t));
        if (t < 0.3) seen.pieces.push_back(piece(3, "blue", rolling, t));
        if (t > 0.45) seen.pieces.push_back(piece(2, "blue", rolling, t));
        cutter.push(seen, Pose{});
    }
    const auto shots = cutter.take();
    ASSERT_EQ(shots.size(), 1u);
    ASSERT_EQ(shots[0].pocketed.size(), 1u);
    EXPECT_EQ(shots[0].pocketed[0].pocket, "ne");
    EXPECT_NEAR(shots[0].pocketed[0].time, 0.36, 0.03);
    EXPECT_EQ(shots[0].pocketed[0].id, 3) << "2 is the name of the one that lies there";
}

// Lost at full speed, found for two frames only, just before it falls.
TEST(ShotCutter, TwoFramesBeforeAHoleAreEnoughToKnowThePocket) {
    ShotCutter cutter(small_board(), kinds());
    for (int i = 0; i < 300; ++i) {
        const double t = i / 120.0, run = std::max(0.0, t - 0.2);
        Observation seen = at(t, {piece(1, "striker", {0, 140 - std::min(80.0, 600 * run)}, t)});
        const Point falling = Point{40, 40} + Point{1, 1} * (900 * run);
        if (t < 0.22 || (falling.x > 155 && falling.x < 172))
            seen.pieces.push_back(piece(2, "blue", falling, t));
        cutter.push(seen, Pose{});
    }
    const auto shots = cutter.take();
    ASSERT_EQ(shots.size(), 1u);
    ASSERT_EQ(shots[0].pocketed.size(), 1u);
    EXPECT_EQ(shots[0].pocketed[0].pocket, "se");
}

// Fast, into the corner, across the hole and out again: nothing fell.
TEST(ShotCutter, AReboundOffAHoleIsNoFall) {
    ShotCutter cutter(small_board(), kinds());
    for (int i = 0; i < 300; ++i) {
        const double t = i / 120.0, run = std::max(0.0, t - 0.2), turn = 0.07;
        Observation seen = at(t, {piece(1, "striker", {0, 140 - std::min(80.0, 600 * run)}, t)});
        const Point in = Point{20, -60} + Point{1, -0.7} * (2300 * std::min(run, turn));
        const Point out = Point{-0.6, 0.9} * std::min(120.0, 1500 * std::max(0.0, run - turn));
        const bool across = run > turn && run < turn + 0.012;
        if (!across) seen.pieces.push_back(piece(2, "blue", in + out, t));
        cutter.push(seen, Pose{});
    }
    const auto shots = cutter.take();
    ASSERT_EQ(shots.size(), 1u);
    EXPECT_TRUE(shots[0].pocketed.empty());
    EXPECT_EQ(shots[0].tracks.size(), 2u);
}

// Lost at full speed, and seen no more when all others lie: it may still run.
TEST(ShotCutter, WaitsForADiscThatGotLostWhileItRan) {
    ShotCutter cutter(small_board(), kinds());
    for (int i = 0; i < 300; ++i) {
        const double t = i / 120.0, run = std::max(0.0, t - 0.2);
        Observation seen = at(t, {piece(1, "striker", {0, 140 - std::min(80.0, 600 * run)}, t)});
        const Point rolling{-100, 100 - std::min(150.0, 200 * run)};
        if (t < 0.5 || t > 0.7) seen.pieces.push_back(piece(t < 0.5 ? 2 : 9, "blue", rolling, t));
        cutter.push(seen, Pose{});
        EXPECT_TRUE(t < 0.21 || t > 0.7 || cutter.running());
    }
    const auto shots = cutter.take();
    ASSERT_EQ(shots.size(), 1u);
    EXPECT_TRUE(shots[0].pocketed.empty());
}

// Its track ends where the hand lay; a moment later, at the very start of the stroke, it runs under
// another id.
TEST(ShotCutter, ADiscFirstSeenAsTheStrokeBeginsIsOneThatWasLost) {
    ShotCutter cutter(small_board(), kinds());
    for (int i = 0; i < 300; ++i) {
        const double t = i / 120.0, run = std::max(0.0, t - 0.3);
        Observation seen = at(t, {piece(1, "striker", {0, 140 - std::min(80.0, 600 * run)}, t)});
        const Point rolling{30 - std::min(100.0, 500 * run), -100};
        if (t < 0.25) seen.pieces.push_back(piece(2, "blue", rolling, t));
        if (run > 0) seen.pieces.push_back(piece(9, "blue", rolling, t));
        cutter.push(seen, Pose{});
    }
    const auto shots = cutter.take();
    ASSERT_EQ(shots.size(), 1u);
    EXPECT_TRUE(shots[0].pocketed.empty());
    EXPECT_EQ(shots[0].tracks.size(), 2u);
}

// Hidden under others when it was last seen, then taken away and put down for the next stroke.
TEST(ShotCutter, AStrikerThatWasCarriedWasNotShot) {
    ShotCutter cutter(small_board(), kinds());
    for (int i = 0; i < 120; ++i) {
        const double t = i / 60.0;
        Observation seen = at(t, {piece(2, "blue", {0, 0}, t)});
        seen.pieces.push_back(piece(1, "striker", t < 0.9 ? Point{3, -16} : Point{-13, -142},
                                    t < 0.5   ? t
                                    : t < 0.9 ? 0.5
                                              : t));
        cutter.push(seen, Pose{});
        EXPECT_FALSE(cutter.running()) << t;
    }
    EXPECT_TRUE(cutter.take().empty());
}

// Out of a stack: one disc nobody knew of falls, and the striker ends under what still stands.
TEST(ShotCutter, WhatEndsUnderAStackDidNotFall) {
    ShotCutter cutter(small_board(), kinds());
    for (int i = 0; i < 300; ++i) {
        const double t = i / 120.0, run = std::max(0.0, t - 0.2);
        Observation seen = at(t, {piece(2, "blue", {0, 0}, t)});
        const Point striker{0, 140 - 1200 * run},
            falling = Point{20, -20} + Point{1, -1} * (900 * (run - 0.1));
        if (striker.y > 20) seen.pieces.push_back(piece(1, "striker", striker, t));
        if (run > 0.1 && falling.x < 178) seen.pieces.push_back(piece(5, "blue", falling, t));
        cutter.push(seen, Pose{});
    }
    const auto shots = cutter.take();
    ASSERT_EQ(shots.size(), 1u);
    ASSERT_EQ(shots[0].pocketed.size(), 1u);
    EXPECT_EQ(shots[0].pocketed[0].type, "blue");
    EXPECT_EQ(shots[0].confidence, 1);
}

// Nothing but the striker itself gets lost, at the foot of the tower it ran into.
TEST(ShotCutter, AStrikerThatStopsUnderATowerCastsNoDoubtOnTheStroke) {
    ShotCutter cutter(small_board(), kinds());
    for (int i = 0; i < 300; ++i) {
        const double t = i / 120.0;
        Observation seen = at(t, {piece(2, "blue", {0, 0}, t)});
        const Point striker{0, 140 - 370 * std::max(0.0, t - 0.2)};
        if (striker.y > 25) seen.pieces.push_back(piece(1, "striker", striker, t));
        cutter.push(seen, Pose{});
    }
    const auto shots = cutter.take();
    ASSERT_EQ(shots.size(), 1u);
    EXPECT_TRUE(shots[0].pocketed.empty() && shots[0].ejected.empty());
    EXPECT_EQ(shots[0].confidence, 1);
}

TEST(ShotCutter, AFilmThatEndsInAStrokeStillTellsIt) {
    ShotCutter cutter(small_board(), kinds());
    for (int i = 0; i < 40; ++i) {
        const double t = i / 120.0;
        cutter.push(at(t, {piece(1, "striker", {0, 140 - 600 * std::max(0.0, t - 0.2)}, t)}),
                    Pose{});
    }
    EXPECT_TRUE(cutter.take().empty());
    cutter.end();
    const auto shots = cutter.take();
    ASSERT_EQ(shots.size(), 1u);
    EXPECT_NEAR(shots[0].end, 39 / 120.0, 1e-9) << "it still ran";
    cutter.end();
    EXPECT_TRUE(cutter.take().empty());
}

TEST(ShotCutter, WithoutAStrikerRunningThereIsNoShot) {
    ShotCutter cutter(small_board(), kinds());
    for (int i = 0; i < 240; ++i) {
        const double t = i / 120.0;
        cutter.push(
            at(t, {piece(1, "striker", {0, 140}, t),
                   piece(2, "blue", {100 + std::min(60.0, 500 * std::max(0.0, t - 0.2)), 0}, t)}),
            Pose{});
    }
    EXPECT_TRUE(cutter.take().empty());
}

}  // namespace
}  // namespace overboard::vision
