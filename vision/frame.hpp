#pragma once

#include <cstdint>
#include <opencv2/core.hpp>

namespace overboard::vision {

/// One picture of a camera. Time belongs to the source.
struct Frame {
    cv::Mat bgr;
    double time_s = 0;
    std::int64_t index = 0;
};

}  // namespace overboard::vision
