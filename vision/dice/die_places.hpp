#pragma once

#include <opencv2/core.hpp>
#include <vector>

namespace overboard::vision {

/// Places lighter or darker than what is round them over the width of a die, where one of this size
/// may lie: strongest first. `mask`: 0 = do not look.
std::vector<cv::Point2f> die_places(const cv::Mat& bgr, const cv::Mat& mask, double edge_px);

}  // namespace overboard::vision
