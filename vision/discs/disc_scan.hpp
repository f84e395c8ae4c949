#pragma once

#include <cstdint>
#include <functional>
#include <opencv2/core.hpp>
#include <vector>

#include "vision/discs/disc_colours.hpp"

namespace overboard::vision {

/// Neighbouring scanned pixels of one class. Numbers are in steps of the grid.
struct Blob {
    int n = 0, sx = 0, sy = 0, x0 = 0, x1 = 0, y0 = 0, y1 = 0, type = 0, parent = 0;
};

/// Every so-manieth pixel of every so-manieth row, inside an outline, sorted by class and joined to
/// blobs.
class DiscScan {
public:
    DiscScan(cv::Size size, int stride_px, const std::vector<cv::Point2d>& outline);

    void run(const cv::Mat& bgr, const DiscColours& colours);

    [[nodiscard]] const std::vector<Blob>& blobs() const { return blobs_; }
    [[nodiscard]] int stride() const { return stride_; }
    [[nodiscard]] cv::Point2d pixel(double column, double row) const {
        return {column * stride_ + stride_ / 2, row * stride_ + stride_ / 2};
    }
    /// Median of each channel over the scanned pixels: discs and print cover less than half of a
    /// board.
    [[nodiscard]] cv::Vec3f median_colour(const cv::Mat& bgr) const;
    /// Calls for every scanned pixel of a blob, with its place in the picture.
    void for_each(int blob, const std::function<void(double x, double y)>& call);

private:
    void sort_by_class(const cv::Mat& bgr, const DiscColours& colours);
    void find_blobs();
    void add_run(int row, int from, int to, std::uint8_t cls);
    int root(int a);
    int join(int a, int b);

    int stride_, columns_, rows_;
    std::vector<int> first_, count_;  // of each row
    std::vector<std::uint8_t> grid_;
    std::vector<std::uint16_t> label_;
    std::vector<Blob> blobs_;
};

}  // namespace overboard::vision
