#pragma once

#include <opencv2/core.hpp>
#include <optional>

#include "bus/table.hpp"
#include "calibration/table_map.hpp"

/// White balance and exposure, measured on the white paper round the table's markers.
namespace overboard::calibration {

/// One channel; the picture itself where it has but one.
[[nodiscard]] cv::Mat gray_of(const cv::Mat& picture);

struct WhiteLevel {
    cv::Vec3d bgr{230, 230, 230};  ///< What paper white looks like now.
    double black = 20;             ///< What the markers' black looks like now.

    /// Per-channel gain that makes paper a neutral 230.
    [[nodiscard]] cv::Vec3d gain() const;
};

/// Nothing when the paper is hidden, burnt out in all markers, or darker than its own print.
std::optional<WhiteLevel> measure_white(const cv::Mat& bgr, const TableMap& map,
                                        const Table& table);

}  // namespace overboard::calibration
