// A game goes on while somebody knocks against the camera.
#include <gtest/gtest.h>

#include "app/evening.hpp"
#include "app/house.hpp"
#include "rules/games.hpp"

namespace overboard::app {
namespace {

/// A few moves; after the first, perhaps, a knock of 20 mm.
EveningReport evening(const char* name, bool knock, bool& knocked, int most_moves = 4) {
    EveningOptions options;
    options.game = name;
    options.setup = usual_setup(*rules::find_game(name), 2, "");
    options.rig.seed = 3;
    options.most_moves = most_moves;
    options.most_s = 90;
    int moves = 0;
    options.watch = [&](Rig& rig, const RigFrame& frame) {
        moves += int(frame.moves.size());
        if (knock && !knocked && moves >= 1) {
            rig.bump(16, 12);
            knocked = true;
        }
        return true;
    };
    return play_evening(options);
}

TEST(Evening, ABumpBetweenStrokesCostsNoWrongScore) {
    bool knocked = false;
    const EveningReport bumped = evening("carrom", true, knocked);
    EXPECT_TRUE(knocked);
    EXPECT_GE(bumped.right, 2);
    EXPECT_EQ(bumped.wrong, 0) << (bumped.faults.empty() ? "" : bumped.faults[0]);
}

TEST(Evening, ABumpOfTwentyMillimetresCostsNoWrongScore) {
    bool knocked = false, never = false;
    const EveningReport calm = evening("topit", false, never),
                        bumped = evening("topit", true, knocked);
    std::printf("calm %d right, %d wrong, %d missed; bumped %d, %d, %d\n", calm.right, calm.wrong,
                calm.missed, bumped.right, bumped.wrong, bumped.missed);
    EXPECT_TRUE(knocked);
    ASSERT_GE(calm.right, 2) << "else this says nothing";
    EXPECT_EQ(bumped.wrong, 0) << (bumped.faults.empty() ? "" : bumped.faults[0]);
    EXPECT_GE(bumped.right, calm.right);
}

// Discs are small, and the board is found again apart from the table.
TEST(Evening, ABumpOfTwentyMillimetresInTheMiddleOfCarromCostsNoWrongScore) {
    bool knocked = false;
    const EveningReport bumped = evening("carrom", true, knocked, 3);
    std::printf("carrom, bumped: %d right, %d wrong, %d missed\n", bumped.right, bumped.wrong,
                bumped.missed);
    EXPECT_TRUE(knocked);
    EXPECT_EQ(bumped.wrong, 0) << (bumped.faults.empty() ? "" : bumped.faults[0]);
    EXPECT_GE(bumped.right, 2) << "scores after the knock, too";
}

}  // namespace
}  // namespace overboard::app
