#pragma once

#include <opencv2/core.hpp>
#include <optional>
#include <vector>

#include "calibration/table_map.hpp"
#include "vision/faces/faces.hpp"

namespace overboard::vision {

/// How the table is seen, told by equal rectangles lying on it: `width_mm` along corners 0 to 1,
/// `height_mm` along 1 to 2. A few rectangles that do not fit the others are passed over. Origin
/// and turn of the table frame are arbitrary. Nothing when there are fewer than two, or they lie in
/// no common plane.
std::optional<calibration::TableMap> map_from_rectangles(const std::vector<Corners>& rectangles,
                                                         double width_mm, double height_mm,
                                                         cv::Size picture);

}  // namespace overboard::vision
