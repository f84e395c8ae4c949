#pragma once

#include <array>
#include <opencv2/core.hpp>
#include <optional>

#include "bus/geometry.hpp"
#include "vision/view.hpp"

namespace overboard::vision {

/// Corners of a square or rectangular playing surface in a photograph, clockwise from the one
/// nearest to the top-left: the largest quadrilateral of even colour that a frame or a dark gap
/// surrounds. `aspect`: width / height of the surface. Nothing when no such surface stands out.
std::optional<std::array<cv::Point2d, 4>> find_surface(const cv::Mat& bgr, double aspect = 1);

/// Where the catalogue's board lies on the table (centre of its playing surface and its turn, table
/// frame). Needs a view with a map. The board's height above the table is taken into account.
std::optional<Pose> detect_board(const View& view, const Catalogue& catalogue);

}  // namespace overboard::vision
