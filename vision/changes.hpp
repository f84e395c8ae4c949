#pragma once

#include <opencv2/core.hpp>
#include <vector>

#include "vision/view.hpp"

/// What one fixed camera sees changed, and which known pieces that leaves untouched.
namespace overboard::vision {

struct ChangeLimits {
    double least = 11;  ///< Grey levels, after light drift is taken out. Lower: noise counts as
                        ///< change.
    double noise_factor = 5;  ///< … and at least so many times the usual difference.
    double die = 0.06;   ///< Share of its area that may differ of an untouched die (another value
                         ///< differs more) …
    double round = 0.2;  ///< … stone or pawn.
};

/// Where two pictures of one size differ by more than noise and a common change of light; without
/// pieces.
Known compared(const cv::Mat& now, const cv::Mat& then, const ChangeLimits& limits = {});

/// Where a piece is seen in the picture, with its height: a closed outline of pixels.
std::vector<cv::Point> footprint(const View& view, const Catalogue& catalogue, const Piece& piece);

/// Known dice, stones or pawns that nobody touched. Polygons: live_polygons; cards and tiles:
/// live_flats.
std::vector<Piece> untouched(const View& view, const Catalogue& catalogue, PieceKind kind,
                             const ChangeLimits& limits = {});

/// The same view, restricted to changed places and `margin_px` round them.
View only_changed(const View& view, int margin_px);

}  // namespace overboard::vision
