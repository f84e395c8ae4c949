#pragma once

#include <opencv2/core.hpp>

#include "bus/table.hpp"
#include "simulator/light.hpp"

namespace overboard::simulator {

/// The bare table top and what shows beyond its edges, 8-bit BGR: pixel (0, 0) lies `kMarginMm`
/// outside the table's top-left corner. Made once for each material and shared.
inline constexpr double kTopPxPerMm = 2, kMarginMm = 180;
cv::Mat table_top(Material material, const Table& table, unsigned variant);

/// Darkens and lightens a picture along a wood grain, running in x (or y when `upright`).
void add_grain(cv::Mat& bgr, double px_per_mm, double strength, unsigned seed,
               bool upright = false);

}  // namespace overboard::simulator
