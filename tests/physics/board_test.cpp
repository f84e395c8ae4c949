#include "physics/board.hpp"

#include <gtest/gtest.h>

namespace overboard::physics {
namespace {

TEST(Board, ToGoIsAsTheRuleSheetMeasuresIt) {
    const Board& board = load_board("to-go");
    EXPECT_EQ(board.width_mm, 400);
    EXPECT_EQ(board.disc_diameter_mm, 20);
    EXPECT_EQ(board.striker_diameter_mm, 26);
    ASSERT_EQ(board.pockets.size(), 4u);
    EXPECT_EQ(board.pockets[0].name, "ne");
    EXPECT_EQ(board.pockets[0].centre, (Point{185, -185}));
    const ShootingLine* south = board.line_of("s");
    ASSERT_TRUE(south);
    EXPECT_EQ(south->near[0], (Point{-120, 150}));
    EXPECT_EQ(south->far[1], (Point{120, 134}));
    EXPECT_EQ(south->circles[1], (Point{120, 142}));
    EXPECT_EQ(board.line_of("w")->near[0], (Point{-150, -120}));  // left of one who looks east
}

TEST(Board, OpeningDiscsStandApart) {
    for (const char* name : {"to-go", "tournament"}) {
        const Board& board = load_board(name);
        for (std::size_t i = 0; i < board.spots.size(); ++i)
            for (std::size_t k = 0; k < i; ++k)
                EXPECT_GE(distance(board.spots[i].at, board.spots[k].at), board.disc_diameter_mm)
                    << name;
    }
    EXPECT_EQ(load_board("to-go").spots.size(), 13u);
    EXPECT_EQ(load_board("tournament").spots.size(), 19u);
}

TEST(Board, ReverseSideHasFourRowsOfFiveOnAsManyLines) {
    const Board& board = load_board("to-go-reverse");
    ASSERT_EQ(board.rows.size(), 4u);
    for (std::size_t row = 0; row < 4; ++row) {
        std::map<double, int> lines;
        for (Point at : board.rows[row]) ++lines[at.y];
        EXPECT_EQ(board.rows[row].size(), 5u);
        EXPECT_EQ(lines.size(), row + 1);
    }
    EXPECT_FALSE(board.line_of("n"));
}

TEST(Board, UnknownNameIsOneSentence) {
    try {
        load_board("../secret");
        FAIL();
    } catch (const std::runtime_error& e) {
        EXPECT_STREQ(e.what(), "there is no board called \"../secret\"");
    }
}

TEST(Board, KindCarriesHolesLinesAndPrintedCircles) {
    const BoardKind kind = kind_of(load_board("to-go"));
    EXPECT_EQ(kind.holes.size(), 4u);
    EXPECT_EQ(kind.lines.size(), 8u);
    EXPECT_EQ(kind.circles.size(), 8u + 13u);
}

TEST(StrikerPlacement, Carrom3) {
    const Board& board = load_board("to-go");
    const ShootingLine& south = *board.line_of("s");
    EXPECT_TRUE(striker_may_stand(board, south, {0, 142}));
    EXPECT_TRUE(striker_may_stand(board, south, {120, 142}));
    EXPECT_TRUE(striker_may_stand(board, south, {124, 144}));
    EXPECT_FALSE(striker_may_stand(board, south, {126, 142}));  // circle shows
    EXPECT_FALSE(
        striker_may_stand(board, south, {105, 142}));  // touches the circle, does not cover it
    EXPECT_TRUE(striker_may_stand(board, south, {98, 142}));
    EXPECT_FALSE(striker_may_stand(board, south, {0, 150}));   // far line bare
    EXPECT_FALSE(striker_may_stand(board, south, {0, -142}));  // another seat's line
    EXPECT_FALSE(striker_may_stand(board, south, {0, 0}));
}

TEST(StrikerPlacement, Carrom21OpenLineAsksForOneLineOnly) {
    const Board& board = load_board("to-go");
    const ShootingLine& south = *board.line_of("s");
    EXPECT_TRUE(striker_may_stand(board, south, {0, 150}, true));
    EXPECT_TRUE(striker_may_stand(board, south, {105, 142}, true));
    EXPECT_FALSE(striker_may_stand(board, south, {0, 100}, true));
}

}  // namespace
}  // namespace overboard::physics
