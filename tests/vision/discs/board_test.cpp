#include "vision/discs/detect_board.hpp"

#include <gtest/gtest.h>

#include <opencv2/imgproc.hpp>

#include "tests/vision/discs/disc_scenes.hpp"
#include "vision/discs/board_print.hpp"
#include "vision/discs/find_board.hpp"
#include "vision/discs/plane.hpp"

namespace overboard::vision {
namespace {

using namespace scenes;

TEST(Board, IsFoundWhereverItLies) {
    Catalogue c = board_catalogue("to-go");
    for (const Pose at : {Pose{600, 337.5, 0}, Pose{520, 330, 0.08}, Pose{700, 345, -0.12}}) {
        Catalogue moved = c;
        moved.board->at = at;
        Observation scene = scattered(moved, 3);
        simulator::Camera camera({}, "cafe", 11);
        const cv::Mat picture = picture_of(camera, moved, scene);
        const auto seen = detect_board({picture, &camera.map(), {}}, c);
        ASSERT_TRUE(seen);
        EXPECT_LT(distance({seen->x, seen->y}, {at.x, at.y}), 0.5) << at.x;
        EXPECT_NEAR(seen->angle, at.angle, 0.003);
        const Pose fine = refine_board({picture, &camera.map(), {}}, *c.board, *seen, scene.pieces);
        EXPECT_LT(distance({fine.x, fine.y}, {at.x, at.y}), 0.4) << at.x;
        EXPECT_NEAR(fine.angle, at.angle, 0.002);
    }
}

TEST(Board, IsFoundByItsPrintACentimetreFromWhereItWasThoughtToBe) {
    const Catalogue c = board_catalogue("to-go");
    const Pose at = c.board->at;
    simulator::Camera camera({}, "cafe", 11);
    const cv::Mat picture = picture_of(camera, c, scattered(c, 3));
    const auto seen = refine_board({picture, &camera.map(), {}}, *c.board,
                                   {Pose{at.x + 3, at.y - 10, at.angle}});
    EXPECT_LT(distance({seen.x, seen.y}, {at.x, at.y}), 0.5);
}

TEST(Board, StaysWhereItWasGivenWhenItsPrintIsNotThere) {
    const Catalogue c = board_catalogue("to-go");
    simulator::Camera camera({}, "cafe", 11);
    const cv::Mat blank(camera.map().size(), CV_8UC3, cv::Scalar(140, 190, 222));
    const Pose at{590, 330, 0.02};
    EXPECT_EQ(refine_board({blank, &camera.map(), {}}, *c.board, at, {}), at);
}

// A camera that looks down at 35 degrees, and what is left of it when only four corners are told.
TEST(Board, ItsHeightsAreGuessedFromHowAslantItLooks) {
    const double tilt = 35 * CV_PI / 180, c = std::cos(tilt), s = std::sin(tilt);
    calibration::Intrinsics lens;
    lens.size = {1280, 960}, lens.K = {1150, 0, 639.5, 0, 1150, 479.5, 0, 0, 1};
    const calibration::TableMap camera(lens, {1, 0, 0, 0, c, -s, 0, s, c}, {0, 0, 1400});
    const std::vector<Point> corners = {{-370, -370}, {370, -370}, {370, 370}, {-370, 370}};
    std::vector<cv::Point2d> pixels;
    for (const Point& p : corners) pixels.push_back(camera.project(p));
    const auto flat = calibration::map_from_points(corners, pixels, lens.size);
    const auto guessed = with_heights(flat);
    for (const Point p : {Point{0, 0}, {300, -200}, {-250, 320}}) {
        EXPECT_LT(cv::norm(guessed.project(p, 0) - camera.project(p, 0)), 0.05);
        EXPECT_LT(cv::norm(guessed.project(p, 8) - camera.project(p, 8)), 0.4);
        EXPECT_GT(cv::norm(flat.project(p, 8) - camera.project(p, 8)), 2);
    }
}

BoardKind plain_square() {
    BoardKind board;
    board.width_mm = board.height_mm = 400;
    return board;
}

// In hard light its frame throws a shadow on the surface, and the edge of that is straight, too.
TEST(Board, ShadeAlongItsFrameDoesNotMoveIt) {
    const BoardKind board = *board_catalogue("tournament").board;
    const double scale = 1.1, half = board.width_mm / 2, shade_mm = 45;
    const auto px = [&](Point p) { return cv::Point2d(500 + p.x * scale, 470 + p.y * scale); };
    const auto circle = [&](cv::Mat& picture, Point at, double d_mm, const cv::Scalar& ink) {
        cv::circle(picture, px(at), cvRound(d_mm / 2 * scale), ink, -1, cv::LINE_AA);
    };
    cv::Mat picture(940, 1000, CV_8UC3, cv::Scalar(30, 35, 60)), grain(picture.size(), CV_8UC3);
    cv::rectangle(picture, px({-half, -half}), px({half, half}), {140, 188, 222}, cv::FILLED);
    bool red = false;
    for (const PrintedCircle& c : board.circles)
        if (c.line_mm <= 0 && length(c.centre) > 100)
            circle(picture, c.centre, c.diameter_mm,
                   (red = !red) ? cv::Scalar(50, 40, 190) : cv::Scalar(60, 120, 40));
    cv::Mat strip = picture(cv::Rect(px({-half, -half}), px({half, -half + shade_mm})));
    strip *= 0.24;
    for (const Hole& h : board.holes) circle(picture, h.centre, h.diameter_mm, {12, 12, 14});
    cv::GaussianBlur(picture, picture, {}, 0.8);
    cv::RNG(7).fill(grain, cv::RNG::UNIFORM, 0, 9);
    const auto found = find_board(search_bare(picture + grain), board);
    ASSERT_TRUE(found);
    for (const Point p : {Point{-half, -half}, {half, -half}, {half, half}, {-half, half}}) {
        double nearest = 1e9;
        for (const cv::Point2d& c : found->corners_px)
            nearest = std::min(nearest, cv::norm(c - px(p)));
        EXPECT_LT(nearest, 10) << p.x << ' ' << p.y;
    }
}

TEST(Board, SurfaceOfADrawnSquareIsFoundToAPixelOrTwo) {
    cv::Mat picture(700, 900, CV_8UC3, cv::Scalar(40, 60, 90));
    const std::vector<cv::Point> corners = {{180, 90}, {705, 110}, {690, 620}, {165, 600}};
    cv::fillConvexPoly(picture, corners, {140, 190, 222}, cv::LINE_AA);
    const auto found = find_surface(picture, plain_square());
    ASSERT_TRUE(found);
    for (std::size_t i = 0; i < 4; ++i)
        EXPECT_LT(cv::norm(found->corners_px[i] - cv::Point2d(corners[i])), 4);
}

TEST(Board, SurvivesPicturesWithoutABoard) {
    EXPECT_FALSE(find_surface(cv::Mat(), plain_square()));
    EXPECT_FALSE(find_surface(cv::Mat(20, 20, CV_8UC3), plain_square()));
    for (int seed = 0; seed < 4; ++seed) {
        cv::Mat noise(120 + 90 * seed, 200 + 30 * seed, CV_8UC3);
        cv::RNG(std::uint64_t(seed) + 3).fill(noise, cv::RNG::UNIFORM, 0, 256);
        if (seed > 1) cv::GaussianBlur(noise, noise, {0, 0}, 9.0 * seed);
        (void)find_surface(noise, plain_square());
    }
}

}  // namespace
}  // namespace overboard::vision
