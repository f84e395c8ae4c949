#pragma once

#include <opencv2/core.hpp>

#include "bus/observation.hpp"
#include "vision/view.hpp"

namespace overboard::vision {

/// The picture with everything that was seen drawn over it: pieces (by px and size_px, else through
/// the map), their names and confidence, hands, the board.
cv::Mat draw(const View& view, const Catalogue& catalogue, const Observation& seen);

}  // namespace overboard::vision
