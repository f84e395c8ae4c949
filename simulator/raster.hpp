#pragma once

#include <opencv2/core.hpp>
#include <vector>

namespace overboard::simulator {

/// How much of each pixel a polygon covers, exactly (signed areas, no samples). Pixel centres are
/// whole numbers. Reuse one object: it keeps its buffer.
class Coverage {
public:
    /// Of the polygon's part inside `clip`. The box is empty when nothing is covered.
    void fill(const std::vector<cv::Point2f>& polygon, cv::Rect clip);
    [[nodiscard]] cv::Rect box() const { return box_; }
    /// Values 0…1 of one row of the box; y in image coordinates.
    [[nodiscard]] const float* row(int y) const {
        return &cells_[std::size_t(y - box_.y) * stride_];
    }

private:
    void edge(cv::Point2f a, cv::Point2f b);
    void span(float* line, float x, float next, float d);

    cv::Rect box_;
    std::size_t stride_ = 0;
    std::vector<float> cells_;
};

/// Convex hull of a few points; clockwise or not, as it comes.
std::vector<cv::Point2f> hull_of(std::vector<cv::Point2f> points);

cv::Rect bounds_of(const std::vector<cv::Point2f>& points);

}  // namespace overboard::simulator
