// The camera is bumped while it watches: nothing wrong may be said meanwhile, and it finds its
// place.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/vision/film.hpp"

namespace overboard::vision {
namespace {

using namespace scenes;

TEST(Bump, TwentyMillimetresAreFoundOutAndNothingWrongIsSaidMeanwhile) {
    Film table;
    Observation before;
    for (int i = 0; i < 20; ++i) before = table.step();
    ASSERT_TRUE(before.still);
    ASSERT_EQ(before.sight, "ok");
    table.bump(16, -12, 0.004);
    int blind = 0;
    Observation seen;
    for (int i = 0; i < 45; ++i) {
        seen = table.step();
        if (seen.sight != "ok") {
            EXPECT_FALSE(seen.still);
            ++blind;
            continue;
        }
        EXPECT_LT(table.worst_mm(seen), 3) << "frame " << i;
    }
    EXPECT_GE(blind, 1);
    EXPECT_LE(blind, 15) << "half a second";
    EXPECT_EQ(seen.sight, "ok");
    EXPECT_TRUE(seen.still);
    EXPECT_EQ(seen.pieces.size(), before.pieces.size());
    EXPECT_LT(table.worst_mm(seen), 1.5);
    for (const Piece& p : before.pieces)
        EXPECT_TRUE(std::any_of(seen.pieces.begin(), seen.pieces.end(), [&](const Piece& q) {
            return q.id == p.id && q.type == p.type;
        })) << p.id;
}

TEST(Bump, TooFarAsksForHelpUntilItIsPutBack) {
    Film table;
    table.bump(0, 0);
    for (int i = 0; i < 20; ++i) table.step();
    const auto home = table.setup;
    table.setup.height_mm += 130;  // everything stays in sight
    table.bump(-5, 0);
    for (int i = 0; i < 20; ++i) EXPECT_FALSE(table.step().still);
    EXPECT_EQ(table.pipeline.camera_state().state, "moved");
    EXPECT_GT(table.pipeline.camera_state().figure, 40);
    table.setup = home;
    table.bump(0, 0);
    Observation seen;
    for (int i = 0; i < 30; ++i) seen = table.step();
    EXPECT_EQ(seen.sight, "ok");
    EXPECT_TRUE(seen.still);
    EXPECT_LT(table.worst_mm(seen), 1.5);
}

}  // namespace
}  // namespace overboard::vision
