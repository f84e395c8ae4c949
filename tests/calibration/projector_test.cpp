#include "calibration/projector.hpp"

#include <gtest/gtest.h>

#include <fmt/format.h>
#include <filesystem>
#include <opencv2/imgcodecs.hpp>

#include "calibration/touch.hpp"
#include "tests/calibration/synthetic.hpp"

namespace overboard::calibration {
namespace {
namespace fs = std::filesystem;

const cv::Size kProjector{1280, 720};

/// A projector hung askew: keystone and some rotation.
cv::Matx33d askew() {
    const std::vector<cv::Point2f> corners = {{0, 0}, {1279, 0}, {1279, 719}, {0, 719}};
    const std::vector<cv::Point2f> on_table = {{30, 60}, {1150, -10}, {1190, 660}, {-20, 640}};
    return cv::Matx33d(cv::getPerspectiveTransform(corners, on_table));
}

/// What the camera sees of a dark patterned table under the projected picture.
cv::Mat lit_table(const cv::Mat& shown, const cv::Matx33d& projector_to_table,
                  const TableMap& camera, std::uint64_t seed) {
    constexpr double kPxPerMm = 1.6;
    cv::Mat light;
    const cv::Matx33d scale(kPxPerMm, 0, 0, 0, kPxPerMm, 0, 0, 0, 1);
    cv::warpPerspective(shown, light, scale * projector_to_table,
                        {int(1200 * kPxPerMm), int(675 * kPxPerMm)});
    cv::Mat wood(light.size(), CV_8U, cv::Scalar(55));
    for (int x = 0; x < wood.cols; x += 14)
        cv::line(wood, {x, 0}, {x + 60, wood.rows}, cv::Scalar(25), 4);
    cv::Mat flat;
    cv::multiply(wood, light, flat, 0.9 / 255, CV_8U);
    flat += wood * 0.6;
    cv::Mat seen = picture_of(flat, kPxPerMm, {0, 0}, camera, 20);
    cv::GaussianBlur(seen, seen, {}, 0.8);
    add_noise(seen, 2, seed);
    return seen;
}

double error_mm(const ProjectorFix& fix, const cv::Matx33d& truth) {
    std::vector<cv::Point2d> px, table;
    for (int y = 40; y < kProjector.height; y += 80)
        for (int x = 40; x < kProjector.width; x += 80) px.emplace_back(x, y);
    cv::perspectiveTransform(px, table, cv::Mat(truth));
    double sum = 0;
    for (std::size_t i = 0; i < px.size(); ++i) {
        std::vector<cv::Point2d> back;
        cv::perspectiveTransform(std::vector<cv::Point2d>{px[i]}, back,
                                 cv::Mat(fix.table_to_projector.inv()));
        sum += std::pow(cv::norm(back[0] - table[i]), 2);
    }
    return std::sqrt(sum / double(px.size()));
}

TEST(Projector, TheOneShotBoardIsWhereItWasDrawn) {
    const auto pairs = find_projector_board(projector_board(kProjector), {}, {}, kProjector);
    ASSERT_GT(pairs.size(), 80u);
    double worst = 0;
    for (const PointPair& p : pairs)
        worst = std::max(worst, cv::norm(p.camera_px - p.projector_px));
    EXPECT_LT(worst, 0.3) << pairs[0].camera_px << pairs[0].projector_px;
}

TEST(Projector, OneShotMapsADarkPatternedTable) {
    const TableMap camera = overhead(webcam({1920, 1080}));
    const cv::Mat lit = lit_table(projector_board(kProjector), askew(), camera, 1);
    const cv::Mat black = lit_table(cv::Mat::zeros(kProjector, CV_8U), askew(), camera, 2);
    const cv::Mat white = lit_table(cv::Mat(kProjector, CV_8U, cv::Scalar(255)), askew(), camera,
                                    3);
    const auto result = solve_projector(find_projector_board(lit, black, white, kProjector), camera,
                                        kProjector);
    EXPECT_TRUE(result.good) << result.verdict;
    EXPECT_LT(error_mm(result.fix, askew()), 0.8);
    RecordProperty("rms_mm", std::to_string(error_mm(result.fix, askew())));
}

TEST(Projector, GrayCodeMapsADarkPatternedTable) {
    const TableMap camera = overhead(webcam({1280, 720}));
    std::vector<cv::Mat> captured;
    for (const cv::Mat& pattern : gray_code_patterns(kProjector))
        captured.push_back(lit_table(pattern, askew(), camera, captured.size()));
    const auto result = solve_projector(decode_gray_code(captured, kProjector), camera, kProjector);
    EXPECT_TRUE(result.good) << result.verdict;
    EXPECT_LT(error_mm(result.fix, askew()), 0.8);
}

TEST(Projector, PointsThatAgreeInOneCornerOnlyAreNotCalledGood) {
    const TableMap camera = overhead(webcam({1920, 1080}));
    const cv::Mat lit = lit_table(projector_board(kProjector), askew(), camera, 1);
    const cv::Mat black = lit_table(cv::Mat::zeros(kProjector, CV_8U), askew(), camera, 2);
    const cv::Mat white = lit_table(cv::Mat(kProjector, CV_8U, cv::Scalar(255)), askew(), camera,
                                    3);
    auto pairs = find_projector_board(lit, black, white, kProjector);
    std::erase_if(pairs, [](const PointPair& p) {
        return p.projector_px.x > 0.45 * kProjector.width ||
               p.projector_px.y > 0.6 * kProjector.height;
    });
    ASSERT_GE(pairs.size(), 12u);
    cv::RNG random(4);
    for (PointPair& p : pairs)
        p.camera_px += cv::Point2d(random.gaussian(0.5), random.gaussian(0.5));
    const auto result = solve_projector(pairs, camera, kProjector);
    EXPECT_LT(result.fix.rms_mm, 0.8) << "they agree among each other";
    EXPECT_GT(error_mm(result.fix, askew()), 0.8) << "and are wrong elsewhere";
    EXPECT_GE(result.error_mm, 0.8);
    EXPECT_FALSE(result.good) << result.verdict;
}

TEST(Projector, TheExpectedErrorDoesNotUnderstate) {
    const TableMap camera = overhead(webcam({1920, 1080}));
    const cv::Mat lit = lit_table(projector_board(kProjector), askew(), camera, 1);
    const cv::Mat black = lit_table(cv::Mat::zeros(kProjector, CV_8U), askew(), camera, 2);
    const cv::Mat white = lit_table(cv::Mat(kProjector, CV_8U, cv::Scalar(255)), askew(), camera,
                                    3);
    const auto pairs = find_projector_board(lit, black, white, kProjector);
    cv::RNG random(9);
    int understated = 0;
    for (int round = 0; round < 20; ++round) {
        auto noisy = pairs;
        const double noise = random.uniform(0.1, 3.0);
        for (PointPair& p : noisy)
            p.camera_px += cv::Point2d(random.gaussian(noise), random.gaussian(noise));
        const auto result = solve_projector(noisy, camera, kProjector);
        understated += result.error_mm < 0.7 * error_mm(result.fix, askew());
        EXPECT_FALSE(result.good && error_mm(result.fix, askew()) > 0.8) << result.verdict;
    }
    EXPECT_LE(understated, 3) << "of 20";
}

TEST(Projector, TooLittleLightIsSaidAndNothingIsMade) {
    const TableMap camera = overhead(webcam());
    const auto result = solve_projector(
        find_projector_board(cv::Mat(720, 1280, CV_8U, cv::Scalar(9)), {}, {}, kProjector), camera,
        kProjector);
    EXPECT_FALSE(result.good);
    EXPECT_NE(result.verdict.find("only 0 points"), std::string::npos);
}

TEST(Projector, ARealGrayCodeScanOfAPlaneIsAPlane) {
    const fs::path images = fs::path(OVERBOARD_SHARED) /
                            "real/calibration/opencv_structured_light/images";
    if (!fs::exists(images)) GTEST_SKIP() << "not here: " << images;
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(images))
        if (entry.path().filename().string().find("cam1") != std::string::npos)
            files.push_back(entry.path());
    const auto number = [](const fs::path& p) {
        return std::stoi(p.stem().string().substr(p.stem().string().rfind("im") + 2));
    };
    std::sort(files.begin(), files.end(), [&](auto& a, auto& b) { return number(a) < number(b); });
    ASSERT_EQ(files.size(), 44u) << "one camera's scan";
    std::vector<cv::Mat> captured;
    for (const fs::path& file : files)
        captured.push_back(cv::imread(file.string(), cv::IMREAD_GRAYSCALE));
    const auto pairs = decode_gray_code(captured, {1280, 800});
    ASSERT_GT(pairs.size(), 500u);
    // A plane seen by a camera and lit by a projector: one homography must explain all of it, in
    // pixels.
    const TableMap pixels(cv::Matx33d::eye(), captured[0].size());
    const auto result = solve_projector(pairs, pixels, {1280, 800});
    EXPECT_GT(result.inliers, 0.65) << "the plane does not fill the picture";
    EXPECT_LT(result.fix.rms_mm, 2.5) << "camera pixels here, lens not corrected";
    RecordProperty("rms_px", std::to_string(result.fix.rms_mm));
}

TEST(Projector, LatencyIsMeasuredToAFractionOfAFrame) {
    std::vector<double> shown = {1, 1.5, 2, 2.5, 3, 3.5};
    std::vector<Brightness> seen;
    for (double t = 0.8; t < 4.2; t += 1 / 30.0) {
        int switches = 0;
        for (const double s : shown) switches += t - 0.0665 >= s;
        seen.push_back({t, switches % 2 ? 140.0 : 60.0});
    }
    const auto latency = measure_latency(shown, seen);
    ASSERT_TRUE(latency);
    EXPECT_NEAR(*latency, 0.0665, 0.02);
    for (Brightness& b : seen) b.mean = 60;
    EXPECT_FALSE(measure_latency(shown, seen));
}

TEST(Touch, NineTargetsGiveAMapWithinTwoMillimetres) {
    const auto targets = touch_targets(Table{});
    cv::RNG random(5);
    std::vector<Point> raw;
    for (const Point& t : targets)
        raw.push_back(
            {(t.x + random.gaussian(1)) / 1300 + 0.02, 1 - (t.y + random.gaussian(1)) / 720});
    const auto result = solve_touch(targets, raw);
    EXPECT_TRUE(result.good) << result.verdict;
    EXPECT_LT(result.fix.rms_mm, 2);
    raw[4].x += 0.2;
    const auto slipped = solve_touch(targets, raw);
    EXPECT_TRUE(slipped.good) << slipped.verdict;
    EXPECT_GT(slipped.error_mm[4], 100);
    EXPECT_FALSE(solve_touch(targets, std::vector<Point>(9)).good);
    EXPECT_FALSE(solve_touch({}, {}).good);
}

}  // namespace
}  // namespace overboard::calibration
