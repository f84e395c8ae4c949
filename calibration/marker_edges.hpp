#pragma once

#include <opencv2/core.hpp>
#include <vector>

namespace overboard::calibration {

/// Corners of a marker where its four black sides meet, each side fitted to its edge along most of
/// its length. Steadier than a corner by itself, and without its bias: blur rounds a corner and
/// pulls it inwards, but leaves a side in place. `corners_px`: clockwise, within about a tenth of
/// the marker. What shows no clear edge keeps the corners it came with.
std::vector<cv::Point2f> corners_by_edges(const cv::Mat& gray,
                                          const std::vector<cv::Point2f>& corners_px);

}  // namespace overboard::calibration
