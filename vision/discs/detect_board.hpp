#pragma once

#include <array>
#include <opencv2/core.hpp>
#include <optional>

#include "bus/geometry.hpp"
#include "vision/view.hpp"

namespace overboard::vision {

struct Surface {
    std::array<cv::Point2d, 4> corners_px;  ///< Clockwise from the one nearest to the top-left.
    double score = 0;  ///< Of surface_score(): 1 and more is beyond doubt, below 0.9 may be any
                       ///< rectangle.
};

/// A square or rectangular playing surface in a photograph: a quadrilateral of the board's
/// proportions, of one colour up to its edges, with holes where the board has them. `about`: where
/// it is expected, to a tenth of its size. Nothing when no such surface stands out.
std::optional<Surface> find_surface(const cv::Mat& bgr, const BoardKind& board,
                                    const std::array<cv::Point2d, 4>* about = nullptr);

/// Where the catalogue's board lies on the table (centre of its playing surface and its turn, table
/// frame). Needs a view with a map. The board's height above the table is taken into account.
std::optional<Pose> detect_board(const View& view, const Catalogue& catalogue);

}  // namespace overboard::vision
