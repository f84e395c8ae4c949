#pragma once

#include <array>

#include "vision/discs/circle_rays.hpp"
#include "vision/discs/circles.hpp"

namespace overboard::vision {

/// Fills in what a fitted circle looks like: all that is about its rim and its colours. `met`:
/// where rays met the rim; `beyond`: how far beyond it a wall shows.
void look_at_circle(const cv::Mat& bgr, Circle& circle, const std::array<bool, rays::kRays>& met,
                    const std::array<double, rays::kRays>& beyond);

}  // namespace overboard::vision
