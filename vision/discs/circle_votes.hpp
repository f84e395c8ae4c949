#pragma once

#include <opencv2/core.hpp>
#include <vector>

namespace overboard::vision {

/// A smaller or larger copy of a picture.
struct ScaledPicture {
    cv::Mat picture;
    double scale = 1;  ///< Its pixels per pixel of the picture.
    [[nodiscard]] cv::Point2d to_scaled(cv::Point2d p) const {
        return {(p.x + 0.5) * scale - 0.5, (p.y + 0.5) * scale - 0.5};
    }
    [[nodiscard]] cv::Point2d from_scaled(cv::Point2d p) const {
        return {(p.x + 0.5) / scale - 0.5, (p.y + 0.5) / scale - 0.5};
    }
};
ScaledPicture scaled_picture(const cv::Mat& bgr, double scale);

/// Where something round may be.
struct CirclePeak {
    cv::Point2f centre;
    float r, votes;  ///< Pixels; share of a full rim.
};

/// Most voted first. `min_votes`: least share of a full rim; `most`: no more peaks than that.
std::vector<CirclePeak> vote_for_circles(const cv::Mat& bgr, double r_min_px, double r_max_px,
                                         float min_votes, std::size_t most);

}  // namespace overboard::vision
