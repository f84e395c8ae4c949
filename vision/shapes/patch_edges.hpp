#pragma once

#include <opencv2/core.hpp>

#include "vision/view.hpp"

namespace overboard::vision {

/// Where one colour of the palette is, its patches filled out to their edges: blur and glare leave
/// pixels at an edge and within a patch without a class. `classes` as Palette::classify gives them.
cv::Mat filled_out(const View& view, const cv::Mat& classes, int colour);

}  // namespace overboard::vision
