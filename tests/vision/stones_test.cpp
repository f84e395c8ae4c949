#include "vision/detect_stones.hpp"

#include <gtest/gtest.h>

#include "simulator/camera.hpp"
#include "tests/vision/mosaic.hpp"

using namespace overboard;
using namespace overboard::vision;
using namespace overboard::test;

namespace {

Piece piece(PieceKind kind, const std::string& type, const std::string& colour, double x, double y,
            double angle = 0) {
    Piece p;
    p.kind = kind;
    p.type = type;
    p.colour = colour;
    p.x = x, p.y = y, p.angle = angle;
    return p;
}

}  // namespace

TEST(DetectStones, FindsStonesOnPiecesAndNoneAmongThePieces) {
    const Catalogue catalogue = mosaic_catalogue();
    Observation scene;
    scene.pieces = {piece(PieceKind::polygon, "hexagon", "blue", 300, 200, 0.3),
                    piece(PieceKind::polygon, "large_square", "yellow", 800, 450, 0.8),
                    piece(PieceKind::polygon, "small_triangle", "red", 500, 450, 0.1),
                    piece(PieceKind::stone, "", "red", 300, 200),
                    piece(PieceKind::stone, "", "green", 805, 446)};
    for (const char* light : {"easy", "cafe", "harsh"}) {
        simulator::Camera camera({}, light, 31);
        const cv::Mat frame = camera.render(simulator::world_from(catalogue, scene), 0.1);
        const auto seen = detect_stones({frame, &camera.map(), {}}, catalogue);
        ASSERT_EQ(seen.size(), 2U) << light;
        for (std::size_t i : {3U, 4U}) {
            const Piece& truth = scene.pieces[i];
            const auto it = std::find_if(seen.begin(), seen.end(),
                                         [&](const Piece& p) { return p.colour == truth.colour; });
            ASSERT_NE(it, seen.end()) << light << ' ' << truth.colour;
            EXPECT_LT(std::hypot(it->x - truth.x, it->y - truth.y), 1.5) << light;
        }
    }
}

TEST(DetectStones, NeedsAMapAndAPicture) {
    EXPECT_TRUE(detect_stones({cv::Mat(), nullptr, {}}, mosaic_catalogue()).empty());
    EXPECT_TRUE(detect_stones({cv::Mat(40, 40, CV_8UC3, cv::Scalar(1, 2, 3)), nullptr, {}},
                              mosaic_catalogue())
                    .empty());
}
