#include <gtest/gtest.h>

#include <filesystem>
#include <opencv2/aruco/charuco.hpp>
#include <opencv2/imgcodecs.hpp>

#include "calibration/dictionary.hpp"
#include "calibration/intrinsics.hpp"
#include "calibration/lens_fit.hpp"
#include "tests/calibration/synthetic.hpp"

namespace overboard::calibration {
namespace {
namespace fs = std::filesystem;

const fs::path kReal = fs::path(OVERBOARD_SHARED) / "real" / "calibration";

std::vector<NamedPicture> photographs(const std::string& folder, const std::string& prefix) {
    std::vector<NamedPicture> pictures;
    for (const auto& entry : fs::directory_iterator(kReal / folder / "images"))
        if (const std::string name = entry.path().filename().string(); name.starts_with(prefix))
            pictures.push_back({name, cv::imread(entry.path().string())});
    std::sort(pictures.begin(), pictures.end(), [](auto& a, auto& b) { return a.name < b.name; });
    return pictures;
}

TEST(Lens, ChessboardPhotographsAgreeWithOpenCvsPublishedCamera) {
    if (!fs::exists(kReal)) GTEST_SKIP() << "the calibration photographs are not here: " << kReal;
    const auto pictures = photographs("opencv_stereo_chessboard", "left");
    const LensResult r = solve_lens(pictures, parse_board("chessboard:9x6:25"));
    EXPECT_TRUE(r.good) << r.verdict;
    EXPECT_LE(r.rms_px, 0.39) << "published 0.3926, OpenCV 4.6 reaches 0.183 with all views";
    EXPECT_NEAR(r.intrinsics.K(0, 0), 535.9, 8);
    EXPECT_NEAR(r.intrinsics.K(0, 2), 342.3, 4);
    EXPECT_NEAR(r.intrinsics.distortion[0], -0.27, 0.05);
    RecordProperty("rms_px", std::to_string(r.rms_px));
}

TEST(Lens, CharucoPhotographsAgreeWithOpenCvsPublishedCamera) {
    if (!fs::exists(kReal)) GTEST_SKIP() << "the calibration photographs are not here: " << kReal;
    const LensResult r = solve_lens(photographs("opencv_charuco_tutorial", "img"),
                                    parse_board("charuco:5x7:40:20:DICT_6X6_250"));
    EXPECT_LE(r.rms_px, 0.3) << r.verdict;
    EXPECT_NEAR(r.intrinsics.K(0, 0), 452.5, 15);
}

cv::Mat drawn_board(const TargetBoard& board, double px_per_mm) {
    cv::Mat drawn;
    cv::aruco::CharucoBoard::create(board.squares.width, board.squares.height,
                                    float(board.square_mm), float(board.marker_mm),
                                    dictionary_named(board.dictionary))
        ->draw({int(board.squares.width * board.square_mm * px_per_mm),
                int(board.squares.height * board.square_mm * px_per_mm)},
               drawn, 0, 1);
    return drawn;
}

std::vector<NamedPicture> synthetic_views(const Intrinsics& in, const TargetBoard& board) {
    std::vector<NamedPicture> views;
    const cv::Mat drawn = drawn_board(board, 4);
    int n = 0;
    for (const double tilt : {-0.45, 0.0, 0.5})
        for (const Point over : {Point{40, 30}, {220, 130}, {40, 130}, {220, 30}}) {
            cv::Mat view = picture_of(drawn, 4, {0, 0}, overhead(in, 330, over, tilt, 0.4 * n),
                                      200);
            cv::GaussianBlur(view, view, {}, 0.7);
            add_noise(view, 3, std::uint64_t(++n));
            views.push_back({"view" + std::to_string(n), view});
        }
    return views;
}

TEST(Lens, FindsAKnownLensAndThrowsOutABadView) {
    const Intrinsics truth = webcam();
    const TargetBoard board;
    auto views = synthetic_views(truth, board);
    // A board that was bent: one view drawn through a very different lens.
    Intrinsics bent = truth;
    bent.distortion = {0.5, -0.9, 0.02, 0.02, 0};
    views[3].bgr = picture_of(drawn_board(board, 4), 4, {0, 0},
                              overhead(bent, 330, {120, 75}, 0.2, 0.3), 200);
    views.push_back({"nothing", cv::Mat(720, 1280, CV_8U, cv::Scalar(120))});
    const LensResult r = solve_lens(views, board);
    EXPECT_TRUE(r.good) << r.verdict;
    EXPECT_LE(r.rms_px, 0.3);
    EXPECT_FALSE(r.views[3].used);
    EXPECT_EQ(r.views.back().why_not, "the board was not found");
    EXPECT_NEAR(r.intrinsics.K(0, 0) / truth.K(0, 0), 1, 0.004);
    EXPECT_FALSE(r.coverage_picture.empty());
}

// Twelve boards in the middle of the picture, their corners a little off.
TEST(Lens, TermsTheViewsHardlyTellApartStayNearWhatIsUsual) {
    const Intrinsics truth = webcam();
    ObjectPoints object;
    ImagePoints image;
    cv::RNG random(5);
    for (int v = 0; v < 12; ++v) {
        const TableMap map = overhead(truth, 700, {105 + 40.0 * (v % 3 - 1), 60 + 30.0 * (v / 6)},
                                      0.05 * (v % 4), 0.5 * v);
        object.emplace_back();
        image.emplace_back();
        for (int i = 0; i < 28; ++i) {
            const Point at{30.0 * (i % 7), 30.0 * (i / 7)};
            const cv::Point2d px = map.project(at);
            object.back().emplace_back(float(at.x), float(at.y), 0.f);
            image.back().emplace_back(float(px.x + random.gaussian(0.15)),
                                      float(px.y + random.gaussian(0.15)));
        }
    }
    const auto off = [&](const LensFit& fit) {
        return std::hypot(fit.distortion.at<double>(2) - truth.distortion[2],
                          fit.distortion.at<double>(3) - truth.distortion[3]);
    };
    LensFit alone, usual;
    cv::calibrateCamera(object, image, truth.size, alone.K, alone.distortion, alone.r, alone.t);
    cv::calibrateCamera(object, image, truth.size, usual.K, usual.distortion, usual.r, usual.t,
                        cv::CALIB_FIX_K3 | cv::CALIB_ZERO_TANGENT_DIST);
    refine(usual, object, image);
    EXPECT_LE(off(usual), 2e-3);
    EXPECT_LT(off(usual), off(alone));
    for (const double px : errors_px(usual, object, image))
        EXPECT_LE(px, 0.4) << "and the corners still fit";
}

TEST(Lens, SaysWhatToDoWhenThereIsTooLittle) {
    const LensResult none = solve_lens({}, TargetBoard{});
    EXPECT_FALSE(none.good);
    EXPECT_NE(none.verdict.find("usable views"), std::string::npos);
}

TEST(Lens, ABoardIsNamedOrRefused) {
    EXPECT_EQ(parse_board("charuco:5x7:40:20:DICT_6X6_250").squares, cv::Size(5, 7));
    EXPECT_EQ(parse_board("chessboard:9x6:25").square_mm, 25);
    for (const char* bad : {"", "charuco", "charuco:5:1:1", "charuco:5x7:40:20:DICT_NONE",
                            "chess:9x6:25", "chessboard:9x6:wide"})
        EXPECT_THROW(parse_board(bad), std::runtime_error) << bad;
}

}  // namespace
}  // namespace overboard::calibration
