// The camera is bumped while it watches: nothing wrong may be said meanwhile, and it finds its place.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/vision/disc_scenes.hpp"
#include "vision/pipeline.hpp"

namespace overboard::vision {
namespace {

using namespace scenes;

struct Bumped {
    Catalogue catalogue = board_catalogue("to-go");
    simulator::CameraSetup setup;
    simulator::Camera camera{setup, "cafe", 7};
    Observation scene = scattered(catalogue, 21);
    simulator::World world = simulator::world_from(catalogue, scene);
    Pipeline pipeline{catalogue, camera.map()};
    double time_s = 0;
    std::int64_t index = 0;

    Observation step() {
        time_s += 1.0 / 30;
        return pipeline.push({camera.render(world, time_s), time_s, index++});
    }
    void bump(double dx_mm, double dy_mm, double turn = 0) {
        setup.lens = camera.map().intrinsics();
        setup.off_centre_mm = setup.off_centre_mm + Point{dx_mm, dy_mm};
        setup.roll += turn;
        camera = simulator::Camera(setup, "cafe", 7);
    }
    /// How far the worst disc is reported from where one of its type lies.
    [[nodiscard]] double worst_mm(const Observation& seen) const {
        double worst = 0;
        for (const Piece& p : seen.pieces) {
            double nearest = 1e9;
            for (const Piece& q : scene.pieces)
                if (q.type == p.type) nearest = std::min(nearest, distance({p.x, p.y}, {q.x, q.y}));
            worst = std::max(worst, nearest);
        }
        return worst;
    }
};

TEST(Bump, TwentyMillimetresAreFoundOutAndNothingWrongIsSaidMeanwhile) {
    Bumped table;
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
        EXPECT_TRUE(std::any_of(seen.pieces.begin(), seen.pieces.end(), [&](const Piece& q) { return q.id == p.id && q.type == p.type; })) << p.id;
}

TEST(Bump, TooFarAsksForHelpUntilItIsPutBack) {
    Bumped table;
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
