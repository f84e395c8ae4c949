#pragma once

#include <opencv2/core.hpp>
#include <optional>
#include <vector>

#include "bus/catalogue.hpp"
#include "vision/discs/circles.hpp"

namespace overboard::vision {

/// Where a board lies, told by the circles printed on it.
struct PrintFit {
    cv::Matx33d board_to_px;
    std::vector<cv::Point2d> seen_px;  ///< Printed circles that were seen where they belong.
};

/// Looks among the circles of a photograph for the board's ring of like printed circles (at least
/// six of them in the catalogue). Holds for any turn and a view some 35 degrees off the vertical,
/// with several of the circles covered. Nothing when too few are seen to be sure.
std::optional<PrintFit> find_print(const std::vector<Circle>& circles, const BoardKind& board);

}  // namespace overboard::vision
