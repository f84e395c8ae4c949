#pragma once

#include <opencv2/core.hpp>
#include <vector>

/// Dice of known size, also where pips are too small and blurred to be traced one by one.
namespace overboard::vision {

struct KnownDie {
    cv::Point2f centre;      ///< Of the top face, pixels.
    float angle = 0;         ///< Of its edges.
    float edge_px = 0;
    int value = 0;           ///< 0: a body of a die's size, but no pattern of pips on it.
    double likeness = 0;     ///< Correlation with that value's pattern, −1…1.
    double second = 0;       ///< With the next best value's.
};

/// What passes for a reading.
struct KnownDieLimits {
    double min_likeness = 0.64;  ///< Lower: reads worse light, and print.
    double min_lead = 0.06;      ///< Over the next best value. Lower: more wrong values.
};

/// Square bodies of about that edge that stand out from what is around them, read by comparing with the six patterns.
std::vector<KnownDie> find_known_dice(const cv::Mat& bgr, const cv::Mat& mask, double edge_px, const KnownDieLimits& limits = {});

}  // namespace overboard::vision
