#pragma once

#include <array>
#include <opencv2/core.hpp>
#include <optional>
#include <vector>

#include "bus/catalogue.hpp"
#include "vision/discs/circles.hpp"

/// Where a board lies in a photograph of which nothing is known.
namespace overboard::vision {

/// A bare photograph at a size worth searching, and its circles of all sizes.
struct BareSearch {
    cv::Mat picture;
    double shrink = 1;   ///< Pixels of `picture` per pixel of the photograph, …
    double stretch = 1;  ///< … and so many times as many of its height: a table seen aslant looks
                         ///< squeezed.
    std::vector<Circle> circles;
    [[nodiscard]] cv::Point2d in_photograph(cv::Point2d p) const {
        return {(p.x + 0.5) / shrink - 0.5, (p.y + 0.5) / (shrink * stretch) - 0.5};
    }
};
BareSearch search_bare(const cv::Mat& bgr, double stretch = 1);

struct BoardInPicture {
    std::array<cv::Point2d, 4>
        corners_px;  ///< Of the playing surface, clockwise; which one comes first is not known.
    std::vector<cv::Point2d> print_px;  ///< Its printed circles, where they were recognised; empty:
                                        ///< only a square was found.
};

/// The playing surface by its printed circles, or else by its edges. Nothing when there is neither.
std::optional<BoardInPicture> find_board(const BareSearch& bare, const BoardKind& board);

}  // namespace overboard::vision
