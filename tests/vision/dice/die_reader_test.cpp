#include <gtest/gtest.h>

#include "simulator/camera.hpp"
#include "vision/dice/table_dice.hpp"

namespace overboard::vision {
namespace {

constexpr double kEdge_mm = 16;

LocalCamera camera_at(const calibration::TableMap& map, Point at) {
    const cv::Matx22d plane = map.jacobian(at, kEdge_mm);
    const cv::Point2d up = (map.project(at, kEdge_mm) - map.project(at, 0)) / kEdge_mm;
    return {float(plane(0, 0)), float(plane(0, 1)), float(up.x),
            float(plane(1, 0)), float(plane(1, 1)), float(up.y)};
}

}  // namespace

TEST(DieReader, ReadsADieFromWhereverNearItTheSearchBegins) {
    Catalogue catalogue;
    catalogue.dice = {{kEdge_mm, 6}};
    int right = 0, tries = 0;
    for (int round = 0; round < 3; ++round) {
        Observation scene;
        for (int v = 1; v <= 6; ++v) {
            Piece die;
            die.kind = PieceKind::die;
            die.value = v;
            die.x = 180 + 150.0 * (v - 1) + 20 * round, die.y = 120 + 200.0 * round;
            die.angle = 0.31 * v + round;
            scene.pieces.push_back(die);
        }
        simulator::Camera camera({}, "cafe", 11 + std::uint64_t(round));
        const DieReader reader(camera.render(simulator::world_from(catalogue, scene), 0.1));
        for (const Piece& die : scene.pieces)
            for (const cv::Point2f off : {cv::Point2f(0, 0), {-3, 0}, {3, 0}, {0, -3}, {0, 3}}) {
                const Point at{die.x, die.y};
                const cv::Point2f top(camera.map().project(at, kEdge_mm));
                const DieReading seen = reader.read(top + off, camera_at(camera.map(), at),
                                                    float(kEdge_mm));
                right += seen.value == die.value && seen.outline > 0.8;
                ++tries;
            }
    }
    EXPECT_GE(right, 0.97 * tries) << right << " of " << tries;
}

}  // namespace overboard::vision
