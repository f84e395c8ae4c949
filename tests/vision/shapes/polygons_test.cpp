#include "vision/shapes/detect_polygons.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

#include "bus/json.hpp"
#include "simulator/camera.hpp"
#include "tests/vision/shapes/mosaic.hpp"

using namespace overboard;
using namespace overboard::vision;
using namespace overboard::test;

namespace {

void draw(cv::Mat& picture, std::vector<cv::Point2f> corners, cv::Scalar colour) {
    std::vector<cv::Point> fixed;
    for (auto c : corners) fixed.emplace_back(cvRound(c.x * 256), cvRound(c.y * 256));
    cv::fillConvexPoly(picture, fixed, colour, cv::LINE_AA, 8);
}

/// Angles that look the same.
double symmetry(const std::string& type) {
    if (type == "small_triangle") return 2 * M_PI / 3;
    if (type == "small_square" || type == "large_square") return M_PI / 2;
    if (type == "rhombus" || type == "rectangle") return M_PI;
    if (type == "hexagon") return M_PI / 3;
    return 2 * M_PI;
}

std::string shared(const std::string& file) {
    return std::string(OVERBOARD_SHARED) + "/real/polygons/" + file;
}

/// Every kind once, apart from each other.
Observation spread_out(const Catalogue& catalogue) {
    Observation scene;
    for (std::size_t k = 0; k < catalogue.polygons.size(); ++k) {
        Piece p;
        p.kind = PieceKind::polygon;
        p.type = catalogue.polygons[k].type;
        p.colour = catalogue.polygons[k].colours[k % 4];
        p.x = 220 + 240.0 * static_cast<double>(k % 4);
        p.y = k < 4 ? 220 : 440;
        p.angle = 0.37 * static_cast<double>(k);
        scene.pieces.push_back(p);
    }
    return scene;
}

}  // namespace

TEST(DetectPolygons, PiecesPaleUnderGlareAreOfTheirColourAndThePaleTableIsNone) {
    const Catalogue catalogue = mosaic_catalogue();
    const auto map = calibration::map_from_points(
        {{0, 0}, {1200, 0}, {1200, 675}, {0, 675}},
        {{0.0, 0.0}, {1800.0, 0.0}, {1800.0, 1012.5}, {0.0, 1012.5}}, {1800, 1013});
    cv::Mat frame(1013, 1800, CV_8UC3, cv::Scalar(190, 205, 215));  // a beige table
    const Observation scene = spread_out(catalogue);
    for (const Piece& p : scene.pieces) {
        const auto kind = std::find_if(catalogue.polygons.begin(), catalogue.polygons.end(),
                                       [&](const PolygonKind& k) { return k.type == p.type; });
        const auto colour = std::find_if(catalogue.palette.begin(), catalogue.palette.end(),
                                         [&](const NamedColour& c) { return c.name == p.colour; });
        std::vector<cv::Point2f> corners;
        for (const Point q : placed(*kind, {p.x, p.y, p.angle}))
            corners.emplace_back(map.project(q));
        const auto veiled = [](std::uint8_t v) { return 0.55 * v + 0.45 * 210; };
        draw(frame, corners, {veiled(colour->rgb.b), veiled(colour->rgb.g), veiled(colour->rgb.r)});
    }
    const auto seen = detect_polygons({frame, &map, {}}, catalogue);
    EXPECT_EQ(seen.size(), scene.pieces.size());
    for (const Piece& truth : scene.pieces)
        EXPECT_TRUE(std::any_of(seen.begin(), seen.end(),
                                [&](const Piece& p) {
                                    return p.type == truth.type && p.colour == truth.colour &&
                                           distance({p.x, p.y}, {truth.x, truth.y}) < 1;
                                }))
            << truth.colour << ' ' << truth.type;
}

TEST(DetectPolygons, TheGrainOfWoodIsNoSeam) {
    const Catalogue catalogue = mosaic_catalogue();
    const auto map = calibration::map_from_points(
        {{0, 0}, {1200, 0}, {1200, 675}, {0, 675}},
        {{0.0, 0.0}, {1800.0, 0.0}, {1800.0, 1012.5}, {0.0, 1012.5}}, {1800, 1013});
    cv::Mat frame(1013, 1800, CV_8UC3, cv::Scalar(140, 145, 140)),
        piece = cv::Mat::zeros(frame.size(), CV_8U);
    const PolygonKind& hexagon = catalogue.polygons.back();
    std::vector<cv::Point2f> corners;
    for (const Point q : placed(hexagon, {600, 340, M_PI / 2}))
        corners.emplace_back(map.project(q));
    draw(piece, corners, cv::Scalar(255));
    for (int x = 0; x < frame.cols; ++x) {  // dark stripes 9 mm apart, one from corner to corner
        const double stripe = std::exp(-std::pow(std::remainder(x - 900, 13.5) / 2.5, 2));
        const cv::Scalar wood = cv::Scalar(50, 45, 205) * (1 - 0.12 * stripe);
        frame.col(x).setTo(wood, piece.col(x));
    }
    cv::GaussianBlur(frame, frame, {}, 0.7);
    cv::Mat noise(frame.size(), CV_16SC3);
    cv::theRNG().state = 7;
    cv::randn(noise, 0, 2);
    cv::add(frame, noise, frame, {}, CV_8U);
    const auto seen = detect_polygons({frame, &map, {}}, catalogue);
    ASSERT_EQ(seen.size(), 1U);
    EXPECT_EQ(seen[0].type, "hexagon");
}

TEST(DetectPolygons, NamesShapesAndColoursOnABarePhotograph) {
    cv::Mat picture(600, 900, CV_8UC3, cv::Scalar(205, 210, 208));
    draw(picture, {{100, 100}, {220, 130}, {130, 210}}, {30, 30, 200});
    draw(picture, {{350, 90}, {450, 110}, {430, 210}, {330, 190}}, {190, 90, 30});
    draw(picture, {{600, 100}, {760, 100}, {760, 170}, {600, 170}}, {40, 200, 240});
    draw(picture, {{120, 350}, {260, 350}, {320, 430}, {180, 430}}, {60, 150, 40});
    draw(picture, {{480, 350}, {540, 350}, {570, 402}, {540, 454}, {480, 454}, {450, 402}},
         {15, 15, 15});
    const auto seen = detect_polygons({picture, nullptr, {}}, {});
    const std::vector<std::tuple<double, double, std::string, std::string>> truth = {
        {150, 147, "triangle", "red"},
        {390, 150, "square", "blue"},
        {680, 135, "rectangle", "yellow"},
        {220, 390, "parallelogram", "green"},
        {510, 402, "hexagon", "black"}};
    ASSERT_EQ(seen.size(), truth.size());
    for (const auto& [x, y, type, colour] : truth) {
        const auto it = std::find_if(seen.begin(), seen.end(), [&](const Piece& p) {
            return std::hypot(p.px->x - x, p.px->y - y) < 3;
        });
        ASSERT_NE(it, seen.end()) << type;
        EXPECT_EQ(it->type, type);
        EXPECT_EQ(it->colour, colour);
    }
}

TEST(DetectPolygons, ATriangleWhoseCornersAreBlurredAwayIsStillOne) {
    const Catalogue catalogue = mosaic_catalogue();
    const std::vector<Pose> poses = {{150, 150, 0.4}, {350, 150, 1.4}, {500, 150, 0.3}};
    cv::Mat picture(300, 650, CV_8UC3, cv::Scalar(205, 210, 208));
    for (std::size_t i = 0; i < poses.size(); ++i) {
        std::vector<cv::Point2f> corners;
        for (const Point p : placed(catalogue.polygons[i < 2], poses[i]))
            corners.emplace_back(p.x, p.y);
        draw(picture, corners, {170, 84, 38});
    }
    for (const double blur_px : {0.8, 1.5, 2.5}) {
        cv::Mat blurred;
        cv::GaussianBlur(picture, blurred, {}, blur_px);
        const auto seen = detect_polygons({blurred, nullptr, {}}, {});
        EXPECT_EQ(seen.size(), poses.size()) << blur_px;
        for (const Piece& p : seen) EXPECT_EQ(p.type, "triangle") << blur_px;
    }
}

TEST(DetectPolygons, FindsNothingInNoiseNorInNothing) {
    cv::Mat noise(480, 640, CV_8UC3);
    cv::theRNG().state = 3;
    cv::randu(noise, 0, 255);
    EXPECT_TRUE(detect_polygons({noise, nullptr, {}}, {}).empty());
    EXPECT_TRUE(detect_polygons({cv::Mat(), nullptr, {}}, {}).empty());
    EXPECT_TRUE(
        detect_polygons({cv::Mat(2, 2, CV_8UC3, cv::Scalar(5, 5, 5)), nullptr, {}}, {}).empty());
}

TEST(DetectPolygons, LiesWithinAMillimetreAndADegree) {
    const Catalogue catalogue = mosaic_catalogue();
    const Observation scene = spread_out(catalogue);
    for (const char* light : {"easy", "cafe"}) {
        simulator::Camera camera({}, light, 21);
        simulator::World world = simulator::world_from(catalogue, scene);
        world.hands.push_back({{1090, 330, 0.0}, 30, 0});
        const cv::Mat frame = camera.render(world, 0.1);
        const auto seen = detect_polygons({frame, &camera.map(), {}}, catalogue);
        EXPECT_EQ(seen.size(), scene.pieces.size()) << light;
        for (const Piece& truth : scene.pieces) {
            const auto it = std::find_if(seen.begin(), seen.end(), [&](const Piece& p) {
                return p.type == truth.type && p.colour == truth.colour;
            });
            if (it == seen.end()) {
                ADD_FAILURE() << light << " lost " << truth.type << ' ' << truth.colour;
                continue;
            }
            EXPECT_LT(std::hypot(it->x - truth.x, it->y - truth.y), 1.0)
                << light << ' ' << truth.type;
            EXPECT_LT(std::abs(std::remainder(it->angle - truth.angle, symmetry(truth.type))) *
                          180 / M_PI,
                      1.0)
                << light << ' ' << truth.type;
        }
    }
}

TEST(DetectPolygons, FindsMostPiecesInHarshLight) {
    const Catalogue catalogue = mosaic_catalogue();
    const Observation scene = spread_out(catalogue);
    simulator::Camera camera({}, "harsh", 21);
    const cv::Mat frame = camera.render(simulator::world_from(catalogue, scene), 0.1);
    const auto seen = detect_polygons({frame, &camera.map(), {}}, catalogue);
    EXPECT_GE(seen.size(), 6U);
    EXPECT_LE(seen.size(), scene.pieces.size());
}

TEST(DetectPolygons, TellsSameColouredNeighboursApartInAnyLight) {
    const Catalogue catalogue = mosaic_catalogue();
    for (const char* light : {"easy", "cafe", "harsh"})
        for (const std::uint64_t seed : {1000, 1001, 1002}) {
            Observation scene;
            scene.pieces = random_mosaic(catalogue, 8, seed, 0.3, true);
            simulator::Camera camera({}, light, seed + 500);
            const cv::Mat frame = camera.render(simulator::world_from(catalogue, scene), 0.1);
            const auto seen = detect_polygons({frame, &camera.map(), {}}, catalogue);
            EXPECT_EQ(seen.size(), scene.pieces.size()) << light << ' ' << seed;
            for (const Piece& truth : scene.pieces) {
                const auto it = std::find_if(seen.begin(), seen.end(),
                                             [&](const Piece& p) { return p.type == truth.type; });
                ASSERT_NE(it, seen.end()) << light << ' ' << seed << ' ' << truth.type;
                EXPECT_LT(std::hypot(it->x - truth.x, it->y - truth.y), 3.0)
                    << light << ' ' << seed << ' ' << truth.type;
                EXPECT_LT(std::abs(std::remainder(it->angle - truth.angle, symmetry(truth.type))) *
                              180 / M_PI,
                          4.0)
                    << light << ' ' << seed << ' ' << truth.type;
            }
        }
}

TEST(DetectPolygons, ReadsRealPhotographsWithHandsInView) {
    std::ifstream file(shared("labels.json"));
    if (!file) GTEST_SKIP() << "no photographs at " << shared("");
    const Json labels = Json::parse(file);
    int pieces = 0, right = 0, strange = 0;
    for (const Json& image : labels.at("images")) {
        const auto seen = detect_polygons({cv::imread(shared(image.at("file"))), nullptr, {}}, {});
        std::vector<bool> taken(seen.size(), false);
        for (const Json& label : image.at("labels")) {
            cv::Point2d sum;
            for (const Json& v : label.at("vertices")) sum += cv::Point2d(v[0], v[1]);
            sum *= 1.0 / static_cast<double>(label.at("vertices").size());
            ++pieces;
            for (std::size_t i = 0; i < seen.size(); ++i) {
                if (taken[i] || std::hypot(seen[i].px->x - sum.x, seen[i].px->y - sum.y) >
                                    0.3 * *seen[i].size_px)
                    continue;
                taken[i] = true;
                right += seen[i].type == label.at("shape") && seen[i].colour == label.at("colour");
                break;
            }
        }
        for (std::size_t i = 0; i < seen.size(); ++i) {
            bool excused = taken[i];
            for (const Json& box : image.value("ignore", Json::array()))
                excused = excused || (seen[i].px->x >= box[0] && seen[i].px->x <= box[2] &&
                                      seen[i].px->y >= box[1] && seen[i].px->y <= box[3]);
            strange += !excused;
        }
    }
    EXPECT_GE(right, 0.97 * pieces);
    EXPECT_LE(strange, 0.02 * pieces);
}
