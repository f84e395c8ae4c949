// Lamps warm up, the sun sets, the camera's white balance wanders: pieces keep what they are.
#include <gtest/gtest.h>

#include "tests/vision/film.hpp"
#include "tests/vision/live_table.hpp"

namespace overboard {
namespace {

// From neutral to the light of a warm lamp; blue light is what goes.
cv::Scalar warm(double share) {
    return {1 - 0.32 * share, 1 - 0.1 * share, 1 + 0.06 * share};
}

TEST(ColouredLight, DiscsKeepTheirTypesWhileItTurnsWarm) {
    scenes::Film film;
    const auto before = scenes::ids_of(film.steps(20));
    ASSERT_EQ(before.size(), film.scene.pieces.size());
    for (int i = 1; i <= 60; ++i) {
        film.tint = warm(i / 60.0);
        for (const auto& [id, type] : scenes::ids_of(film.step()))
            EXPECT_TRUE(before.contains(id) && before.at(id) == type)
                << "disc " << id << " became " << type << " in frame " << i;
    }
    EXPECT_EQ(scenes::ids_of(film.steps(20)), before);
}

TEST(ColouredLight, PiecesLaidBeforeAndAfterItTurnedHaveTheirOwnColours) {
    test::LiveTable table("cafe", 83);
    const auto pieces = test::random_mosaic(table.catalogue, 8, 5, 25);
    ASSERT_GE(pieces.size(), 6u);
    for (std::size_t i = 0; i < 3; ++i) table.lay(pieces[i]);
    for (int i = 1; i <= 45; ++i) {
        table.tint = warm(i / 45.0);
        for (const Piece& p : table.look(1).pieces)
            EXPECT_TRUE(test::has(table.scene, p, 3))
                << "frame " << i << ": a " << p.colour << ' ' << p.type;
    }
    for (std::size_t i = 3; i < pieces.size(); ++i)
        test::expect_scene(table.scene, table.lay(pieces[i]),
                           "in warm light, the " + pieces[i].colour + ' ' + pieces[i].type);
}

}  // namespace
}  // namespace overboard
