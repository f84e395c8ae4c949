#pragma once

#include <array>
#include <opencv2/core.hpp>
#include <vector>

#include "bus/catalogue.hpp"

/// Squares made of straight lines, and how much one looks like the edge of a playing surface.
namespace overboard::vision {

using Quadrangle = std::array<cv::Point2d, 4>;  ///< Corners, clockwise in the picture.

/// Could this be a rectangle of that aspect (width / height) seen from above, up to some 30 degrees
/// off?
bool looks_square(const Quadrangle& quad, double aspect);

/// Quadrilaterals of a small picture that four of its straight lines, or its borders, enclose.
std::vector<Quadrangle> squares_of_lines(const cv::Mat& small_bgr, double aspect);

/// 0…1 and a little more: along all sides the colour of the inside ends, and something else begins.
/// Lines drawn on the surface have the same colour on both sides; a frame's outer edge does not
/// have the surface's colour inside. And where the board's holes should be, there is something else
/// than surface.
double surface_score(const cv::Mat& small_bgr, const Quadrangle& quad, const BoardKind& board);

}  // namespace overboard::vision
