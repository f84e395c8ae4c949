#include "simulator/print.hpp"

#include <filesystem>
#include <opencv2/aruco/charuco.hpp>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

#include "rules/games.hpp"

namespace overboard::simulator {
namespace {

constexpr double kDpi = 200, kPxPerMm = kDpi / 25.4;

class Print : public ::testing::Test {
protected:
    void SetUp() override {
        folder_ = std::filesystem::temp_directory_path() /
                  ("overboard-print-" + std::to_string(::getpid()));
        std::filesystem::create_directories(folder_);
    }
    void TearDown() override { std::filesystem::remove_all(folder_); }

    // One page of the PDF as an independent program renders it.
    cv::Mat page(const std::string& what, int number) {
        const auto pdf = folder_ / (what + ".pdf"), png = folder_ / "page";
        print_pdf(what, pdf);
        const std::string command = "pdftoppm -png -gray -r " + std::to_string(int(kDpi)) + " -f " +
                                    std::to_string(number) + " -l " + std::to_string(number) +
                                    " -singlefile '" + pdf.string() + "' '" + png.string() + "'";
        if (std::system(command.c_str()) != 0) return {};
        return cv::imread(png.string() + ".png", cv::IMREAD_GRAYSCALE);
    }

    std::filesystem::path folder_;
};

#define NEEDS_PDFTOPPM()                                     \
    if (std::system("command -v pdftoppm > /dev/null") != 0) \
    GTEST_SKIP() << "pdftoppm is not installed: printed scale not checked"

TEST_F(Print, PutsABarOfExactly100MmOnThePage) {
    NEEDS_PDFTOPPM();
    const cv::Mat sheet = page("markers", 1);
    ASSERT_FALSE(sheet.empty());
    // The bar's ends in the row through its upper rim, 13 mm above the lower edge less half its
    // height.
    const int y = int(std::lround((297 - 13 - 1.25) * kPxPerMm));
    int first = -1, last = -1;
    for (int x = 0; x < sheet.cols; ++x)
        if (sheet.at<uchar>(y, x) < 128) last = x, first = first < 0 ? x : first;
    EXPECT_NEAR((last - first + 1) / kPxPerMm, 100, 0.15);
}

TEST_F(Print, PrintsTableMarkersOf50MmThatAreFound) {
    NEEDS_PDFTOPPM();
    const cv::Mat sheet = page("markers", 1);
    std::vector<std::vector<cv::Point2f>> corners;
    std::vector<int> ids;
    cv::aruco::detectMarkers(sheet, cv::aruco::getPredefinedDictionary(cv::aruco::DICT_4X4_50),
                             corners, ids);
    ASSERT_EQ(ids.size(), 4u);
    for (std::size_t i = 0; i < 4; ++i) {
        EXPECT_LT(ids[i], 4);
        for (int k = 0; k < 4; ++k)
            EXPECT_NEAR(
                cv::norm(corners[i][std::size_t(k)] - corners[i][std::size_t((k + 1) % 4)]) /
                    kPxPerMm,
                50, 0.3);
    }
}

TEST_F(Print, PrintsACharucoBoardThatCalibrationFinds) {
    NEEDS_PDFTOPPM();
    const cv::Mat sheet = page("calibration", 2);
    const auto dictionary = cv::aruco::getPredefinedDictionary(cv::aruco::DICT_4X4_100);
    const auto board = cv::aruco::CharucoBoard::create(8, 5, 30, 22, dictionary);
    std::vector<std::vector<cv::Point2f>> corners;
    std::vector<int> ids, found_ids;
    std::vector<cv::Point2f> found;
    cv::aruco::detectMarkers(sheet, dictionary, corners, ids);
    ASSERT_EQ(ids.size(), 20u);
    cv::aruco::interpolateCornersCharuco(corners, ids, sheet, board, found, found_ids);
    ASSERT_EQ(found.size(), 28u);
    // The first row of corners has seven, 30 mm apart.
    EXPECT_NEAR(cv::norm(found[6] - found[0]) / kPxPerMm, 6 * 30, 0.4);
}

TEST_F(Print, PrintsAChessboardOf24MmSquares) {
    NEEDS_PDFTOPPM();
    const cv::Mat sheet = page("calibration", 1);
    std::vector<cv::Point2f> corners;
    ASSERT_TRUE(cv::findChessboardCorners(sheet, {9, 6}, corners));
    EXPECT_NEAR(cv::norm(corners[8] - corners[0]) / kPxPerMm, 8 * 24, 0.5);
}

TEST_F(Print, HasSheetsForEveryGame) {
    for (const auto& game : rules::games())
        EXPECT_GT(print_pdf(game.info.id, folder_ / "game.pdf"), 1) << game.info.id;
}

TEST_F(Print, SaysWhatItCannotPrint) {
    EXPECT_THROW(print_pdf("chess", folder_ / "chess.pdf"), std::invalid_argument);
    EXPECT_THROW(print_pdf("markers", folder_ / "no such folder" / "markers.pdf"),
                 std::runtime_error);
    EXPECT_THROW(paper_named("napkin"), std::invalid_argument);
}

}  // namespace
}  // namespace overboard::simulator
