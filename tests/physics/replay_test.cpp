#include "physics/replay.hpp"

#include <gtest/gtest.h>

#include "physics/what_if.hpp"
#include "tests/physics/positions.hpp"

namespace overboard::physics {
namespace {

Shot noisy(Shot shot, double sigma_mm, unsigned seed) {
    std::mt19937_64 random(seed);
    for (Track& t : shot.tracks)
        for (TrackPoint& p : t.points) {
            const double r = sigma_mm *
                             std::sqrt(-2 * std::log(testing::uniform(random, 1e-12, 1))),
                         a = testing::uniform(random, 0, 2 * M_PI);
            p.x += r * std::cos(a);
            p.y += r * std::sin(a);
        }
    return shot;
}

TEST(Replay, InterpolatesBetweenPointsAndHoldsTheEnds) {
    Shot shot;
    shot.tracks = {{3, "blue", {{1, 0, 0}, {2, 10, 20}}}};
    shot.pocketed = {{3, "blue", "ne", 2}};
    EXPECT_EQ(at(shot, 1.5)[0].at, (Point{5, 10}));
    EXPECT_EQ(at(shot, 0)[0].at, (Point{0, 0}));
    EXPECT_EQ(at(shot, 9)[0].at, (Point{10, 20}));
    EXPECT_TRUE(at(shot, 1.9)[0].on_board);
    EXPECT_FALSE(at(shot, 2)[0].on_board);
}

TEST(Replay, FindsTheMomentsOfAShotInItsTracks) {
    const Board& board = load_board("to-go");
    const Shot shot = simulate({{{1, "blue", {5, 0}, 0}}}, {{0, 142}, {0, -1500}}, board);
    for (double noise : {0.0, 0.1}) {
        const auto found = moments(noisy(shot, noise, 5), board);
        ASSERT_FALSE(found.empty());
        EXPECT_EQ(found[0].kind, Moment::Kind::impact);
        EXPECT_EQ(std::min(found[0].a, found[0].b), 1);
        EXPECT_EQ(std::max(found[0].a, found[0].b), 2);
        const double touch = (142 - std::sqrt(23.0 * 23 - 25)) /
                             1500;  // friction delays it a little
        EXPECT_NEAR(found[0].t, touch, 0.01);
        EXPECT_NEAR(found[0].at.y, 142 - 119.55 - 13 * 22.45 / 23, 2);
        EXPECT_TRUE(std::any_of(found.begin(), found.end(),
                                [](const Moment& m) { return m.kind == Moment::Kind::wall; }));
    }
}

TEST(Replay, AQuietTrackHasNoMoments) {
    const Board& board = load_board("to-go");
    Shot shot;
    shot.fps = 120;
    shot.tracks = {{1, "blue", {}}};
    for (int k = 0; k < 100; ++k) shot.tracks[0].points.push_back({k / 120.0, 0, 0});
    EXPECT_TRUE(moments(noisy(shot, 0.1, 3), board).empty());
}

TEST(PutBack, TurnsAGhostGreenWhenItsPieceIsBackWithinTwoMillimetres) {
    const Board& board = load_board("to-go");
    const Pose pose{600, 337.5, 0.1};
    const Shot shot = simulate({{{1, "blue", {20, 0}, 0}, {2, "queen", {-20, 0}, 0}}},
                               {{0, 142}, {0, -500}}, board);
    Observation seen;
    const auto put = [&](const char* type, Point at) {
        Piece piece;
        piece.type = type;
        piece.x = at.x;
        piece.y = at.y;
        seen.pieces.push_back(piece);
    };
    put("blue", place(pose, {21.5, 0}));
    put("blue", place(pose, {-20, 0}));  // wrong type for the queen's place
    const auto ghosts = put_back(shot, board, pose, &seen);
    ASSERT_EQ(ghosts.size(), 2u);
    EXPECT_TRUE(ghosts[0].done);
    EXPECT_FALSE(ghosts[1].done);
    EXPECT_EQ(ghosts[0].radius, 10);
    EXPECT_EQ(put_back(shot, board, pose, nullptr, 2, true).size(), 3u);
    seen.pieces[0].x += 1.5;
    EXPECT_FALSE(put_back(shot, board, pose, &seen)[0].done);
}

TEST(WhatIf, AnUnchangedStrokeEndsWhereItEnded) {
    const Board& board = load_board("to-go");
    const Shot shot = simulate({{{1, "blue", {8, 0}, 0}}}, {{0, 142}, {0, -900}}, board);
    for (double t : {0.0, 0.05, 0.25}) {
        const Shot again = what_if(shot, t, {}, board);
        EXPECT_EQ(again.start, t);
        for (std::size_t k = 0; k < shot.tracks.size(); ++k)
            EXPECT_NEAR(distance(at(shot, 99)[k].at, at(again, 99)[k].at), 0, 3) << t;
    }
}

TEST(WhatIf, AnotherAimGoesElsewhere) {
    const Board& board = load_board("to-go");
    const Shot shot = simulate({{{1, "blue", {8, 0}, 0}}}, {{0, 142}, {0, -900}}, board);
    const Shot turned = what_if(shot, 0, {.turn_rad = 0.5}, board),
               hard = what_if(shot, 0, {.force = 1.3}, board);
    EXPECT_GT(at(turned, 99)[1].at.x, 20);
    EXPECT_NEAR(at(turned, 99)[0].at.x, 8, 1e-9);  // missed
    EXPECT_GT(distance(at(hard, 99)[0].at, at(shot, 99)[0].at), 20);
    EXPECT_LT(*turned.confidence, 1);
}

TEST(WhatIf, TakesTheSteppedEngineWhereContactsPileUp) {
    const Board& board = load_board("to-go");
    const auto stroke = testing::opening(2, board);
    const Shot shot = simulate(stroke.position, stroke.strike, board);
    const Shot again = what_if(shot, 0, {.force = 0.9}, board);
    EXPECT_EQ(again.tracks.size(), 14u);
    EXPECT_GT(again.end, again.start);
}

}  // namespace
}  // namespace overboard::physics
