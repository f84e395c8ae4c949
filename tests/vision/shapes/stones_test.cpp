#include "vision/shapes/detect_stones.hpp"

#include <gtest/gtest.h>

#include <opencv2/imgproc.hpp>

#include "simulator/camera.hpp"
#include "tests/vision/shapes/mosaic.hpp"
#include "vision/shapes/detect_polygons.hpp"

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

TEST(DetectStones, FindsAStoneOnItsOwnColourByItsRimAndNoneOnBarePolygons) {
    const Catalogue catalogue = mosaic_catalogue();
    Observation scene;
    scene.pieces = {piece(PieceKind::polygon, "hexagon", "blue", 300, 200, 0.3),
                    piece(PieceKind::polygon, "large_square", "blue", 420, 420, 0.8),
                    piece(PieceKind::polygon, "large_square", "red", 800, 450, 0.8),
                    piece(PieceKind::polygon, "large_triangle", "red", 900, 250, 0.1),
                    piece(PieceKind::polygon, "rectangle", "red", 600, 150, 0.4)};
    const std::vector<Piece> polygons = scene.pieces;
    for (const char* light : {"easy", "cafe", "harsh"}) {
        simulator::Camera camera({}, light, 33);
        scene.pieces = polygons;
        const cv::Mat bare = camera.render(simulator::world_from(catalogue, scene), 0.1).clone();
        EXPECT_TRUE(detect_stones({bare, &camera.map(), {}}, catalogue, polygons).empty()) << light;
        if (std::string(light) == "harsh") continue;  // there most are too faint
        scene.pieces.push_back(piece(PieceKind::stone, "", "blue", 302, 199));
        scene.pieces.push_back(piece(PieceKind::stone, "", "red", 805, 446));
        const cv::Mat laid = camera.render(simulator::world_from(catalogue, scene), 0.1);
        const auto seen = detect_stones({laid, &camera.map(), {}}, catalogue, polygons);
        ASSERT_EQ(seen.size(), 2U) << light;
        for (const Piece& p : seen) {
            const Piece& truth = scene.pieces[p.colour == "blue" ? 5 : 6];
            EXPECT_LT(distance({p.x, p.y}, {truth.x, truth.y}), 2.0) << light << ' ' << p.colour;
        }
    }
}

TEST(DetectStones, AStoneAcrossANarrowTriangleDoesNotCutItInTwo) {
    const Catalogue catalogue = mosaic_catalogue();
    Observation scene;
    scene.pieces = {piece(PieceKind::polygon, "large_triangle", "red", 600, 300, 0.4),
                    piece(PieceKind::stone, "", "yellow", 602, 299)};
    for (const char* light : {"easy", "cafe", "harsh"}) {
        simulator::Camera camera({}, light, 34);
        const cv::Mat frame = camera.render(simulator::world_from(catalogue, scene), 0.1);
        const auto seen = detect_polygons({frame, &camera.map(), {}}, catalogue);
        ASSERT_EQ(seen.size(), 1U) << light;
        EXPECT_EQ(seen[0].type, "large_triangle") << light;
    }
}

TEST(DetectStones, AStoneThatBlurLeavesLittleColourOfIsToldByItsRim) {
    const Catalogue catalogue = mosaic_catalogue();
    const auto map = calibration::map_from_points(
        {{0, 0}, {1200, 0}, {1200, 675}, {0, 675}},
        {{0.0, 0.0}, {1200.0, 0.0}, {1200.0, 675.0}, {0.0, 675.0}}, {1200, 675});
    const Piece hexagon = piece(PieceKind::polygon, "hexagon", "red", 850, 450, 0.2);
    cv::Mat frame(675, 1200, CV_8UC3, cv::Scalar(150, 155, 150));
    std::vector<cv::Point> corners;
    for (const Point p : placed(catalogue.polygons.back(), {850, 450, 0.2}))
        corners.emplace_back(cvRound(p.x), cvRound(p.y));
    cv::fillConvexPoly(frame, corners, {45, 40, 200});
    EXPECT_TRUE(detect_stones({frame, &map, {}}, catalogue, {hexagon}).empty());
    cv::circle(frame, {850, 445}, 8, {70, 140, 46}, cv::FILLED);
    cv::GaussianBlur(frame, frame, {}, 2);
    const auto seen = detect_stones({frame, &map, {}}, catalogue, {hexagon});
    ASSERT_EQ(seen.size(), 1U);
    EXPECT_EQ(seen[0].colour, "green");
    EXPECT_LT(distance({seen[0].x, seen[0].y}, {850, 445}), 2);
}

TEST(DetectStones, NeedsAMapAndAPicture) {
    EXPECT_TRUE(detect_stones({cv::Mat(), nullptr, {}}, mosaic_catalogue()).empty());
    EXPECT_TRUE(detect_stones({cv::Mat(40, 40, CV_8UC3, cv::Scalar(1, 2, 3)), nullptr, {}},
                              mosaic_catalogue())
                    .empty());
}
