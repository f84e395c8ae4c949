#pragma once

#include <opencv2/core.hpp>
#include <optional>
#include <string>
#include <vector>

#include "calibration/profile.hpp"

/// Where does a projector pixel fall on the table? Shown patterns, seen by a camera that already
/// knows the table. The table is flat, so a homography is the whole answer.
namespace overboard::calibration {

struct PointPair {
    cv::Point2d camera_px;
    cv::Point2d projector_px;
};

/// One-shot way: a ChArUco board over the whole projector picture.
cv::Mat projector_board(cv::Size projector);
/// Its corners, from three pictures of the same table: under the board, under black, under white
/// (the last two may be empty on a plain light table). Black takes the room's light away, white the
/// table's own pattern.
std::vector<PointPair> find_projector_board(const cv::Mat& lit, const cv::Mat& black,
                                            const cv::Mat& white, cv::Size projector);

/// Patient way: Gray code, every pattern followed by its inverse, then white, then black.
std::vector<cv::Mat> gray_code_patterns(cv::Size projector);
/// `captured`: one picture a pattern, in that order. Pixels the projector does not reach, and those
/// whose code is doubtful, are left out; at most `most` pairs spread over the picture.
std::vector<PointPair> decode_gray_code(const std::vector<cv::Mat>& captured, cv::Size projector,
                                        int most = 4000);

struct ProjectorResult {
    ProjectorFix fix;
    int pairs = 0;
    double inliers = 0;   ///< Share of the pairs that agree.
    double error_mm = 0;  ///< What to expect, RMS over all the projector reaches; see
                          ///< solve_projector().
    bool good = false;
    std::string verdict;
};

struct ProjectorLimits {
    double good_mm = 0.8;   ///< Expected error above: overlays sit beside their pieces.
    double outlier_mm = 6;  ///< Pairs further off than this are reflections or pieces.
};

/// `table_error_mm`: how well the camera knows the table, which no pattern can mend. The expected
/// error adds to it how much the answer depends on single parts of the picture: each part is left
/// out in turn. Points that agree with each other (small residuals) but say little about a whole
/// corner are found out that way.
ProjectorResult solve_projector(const std::vector<PointPair>& pairs, const TableMap& camera,
                                cv::Size projector, double table_error_mm = 0,
                                const ProjectorLimits& limits = {});

/// The delay between switching the projected picture and seeing it: `shown` are the instants at
/// which it went from black to white or back; `seen` are frame times with mean brightness. Nothing
/// when the flashes cannot be told from the noise.
struct Brightness {
    double time_s = 0;
    double mean = 0;
};
std::optional<double> measure_latency(const std::vector<double>& shown_s,
                                      const std::vector<Brightness>& seen);

}  // namespace overboard::calibration
