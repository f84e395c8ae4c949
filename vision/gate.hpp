#pragma once

#include <algorithm>
#include <cstdint>
#include <opencv2/core.hpp>
#include <vector>

namespace overboard::vision {

struct GateLimits {
    int row_step = 16;  ///< Every so many rows one is compared. Lower: dearer, sees smaller things.
    float cell_limit = 6.0f;    ///< Mean difference of a cell, grey levels. Lower: noise wakes the
                                ///< detectors.
    float rim_limit = 6.0f;     ///< Likewise for the rims of known discs.
    float noise_factor = 1.7f;  ///< Limits are at least this many times the usual difference of a
                                ///< cell.
};

/// Did anything change since the reference? The price of a quiet table: one row in sixteen is
/// compared, and a few points on the rims of known pieces, which see a move of half a millimetre.
class ChangeGate {
public:
    static constexpr int kCell = 32;  ///< Pixels, both ways.
    /// Watched on each piece: every one is a cache line to fetch.
    static constexpr int kRimPoints = 16;

    ChangeGate() = default;
    ChangeGate(cv::Size size, cv::Rect region, GateLimits limits = {});

    /// Everything, or only the cells that are not 0 (CV_8U, as cells()).
    void set_reference(const cv::Mat& bgr, const cv::Mat& only = {});
    /// Points on rims, kRimPoints for each piece. Their present colours become the reference.
    void watch(const cv::Mat& bgr, std::vector<cv::Point> rims);

    /// Compares; afterwards cells() says where.
    bool changed(const cv::Mat& bgr);
    /// The same for less: as long as nothing changes, every call compares one of the two rows of
    /// each cell, in turn. A change that only the other row shows, smaller than a cell then, is
    /// seen in the next frame. Rims are compared every time.
    bool changed_by_fields(const cv::Mat& bgr);
    [[nodiscard]] const cv::Mat& cells() const {
        return cells_;
    }  ///< 255: changed. One for each 32×32 pixels.
    [[nodiscard]] bool rims_changed() const { return rims_changed_; }
    [[nodiscard]] bool ready() const { return !reference_.empty(); }
    [[nodiscard]] int changed_count() const { return changed_count_; }
    [[nodiscard]] float noise() const { return noise_; }

private:
    [[nodiscard]] float limit(float least) const {
        return std::max(least, limits_.noise_factor * noise_ + 1.5f);
    }
    [[nodiscard]] int row_of(int cell_row, int k) const {
        return (region_.y + cell_row) * kCell + k * limits_.row_step + limits_.row_step / 2;
    }
    [[nodiscard]] bool field_changed(const cv::Mat& bgr, int k) const;
    void compare_cells(const cv::Mat& bgr);
    void compare_rims(const cv::Mat& bgr);
    void learn_noise();

    GateLimits limits_;
    cv::Rect region_;  // in cells
    cv::Mat reference_, cells_;
    std::vector<float> means_;          // of every cell in the region
    std::vector<std::size_t> offsets_;  // of rim points in a frame
    std::vector<std::uint8_t> rim_reference_;
    bool rims_changed_ = false;
    int changed_count_ = 0, frames_ = 0;
    float noise_ = 0;
};

}  // namespace overboard::vision
