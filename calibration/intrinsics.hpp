#pragma once

#include <opencv2/core.hpp>
#include <string>
#include <vector>

#include "calibration/table_map.hpp"

/// The lens, from several views of a printed board. Bad views are found and left out by themselves.
namespace overboard::calibration {

/// What was printed. `squares`: ChArUco squares across and down; for a chessboard the inner
/// corners.
struct TargetBoard {
    enum class Kind { charuco, chessboard } kind = Kind::charuco;
    cv::Size squares{8, 5};
    double square_mm = 30;
    double marker_mm = 22;
    std::string dictionary = "DICT_4X4_100";
};

/// "charuco:8x5:30:22:DICT_4X4_100" or "chessboard:9x6:25". Throws std::runtime_error.
TargetBoard parse_board(const std::string& text);

struct NamedPicture {
    std::string name;
    cv::Mat bgr;
};

struct ViewReport {
    std::string name;
    int corners = 0;
    double rms_px = 0;
    bool used = false;
    std::string why_not;  ///< Empty when used.
};

struct LensLimits {
    double good_rms_px = 0.5;    ///< Above: the verdict is no. Printed boards on card reach 0.3.
    double min_coverage = 0.35;  ///< Of the picture's 8 × 6 cells that must have held a corner.
    int min_views = 4;
};

struct LensResult {
    Intrinsics intrinsics;
    double rms_px = 0;
    double coverage = 0;
    std::vector<ViewReport> views;
    bool good = false;
    std::string verdict;  ///< One sentence: what is wrong and what to do, or that it is good.
    cv::Mat coverage_picture;
};

/// The board's corners in a picture; empty when it is not there.
std::vector<cv::Point2f> find_board(const cv::Mat& picture, const TargetBoard& board);

LensResult solve_lens(const std::vector<NamedPicture>& pictures, const TargetBoard& board,
                      const LensLimits& limits = {});

}  // namespace overboard::calibration
