#pragma once

#include <opencv2/core.hpp>
#include <vector>

#include "vision/view.hpp"

/// Stones on polygons, by their rims alone: on their own colour no other colour tells of them.
namespace overboard::vision {

struct RimLimits {
    /// Squared step all round the rim, as a multiple of what is usual on polygons of this colour.
    /// Higher: faint stones are missed. Lower: grain and noise make stones up.
    double clear = 7;
    /// As much more for a rim none of which could be seen: what is left of it may be the rounded
    /// sides of a small polygon.
    double clear_if_hidden = 15;
    float least_step = 4;      ///< Grey levels, however even the polygons are.
    double most_hidden = 0.4;  ///< Share of the rim that may lie too near to the polygon's sides to
                               ///< be looked at.
    double all_round = 0.74;   ///< Share of the directions in which a step is clear. Lower: corners
                               ///< and the edges of shadows pass.
};

struct StoneRim {
    std::size_t polygon = 0;  ///< Which of those asked about it lies on.
    cv::Point2d centre_px;
    double clear = 0;  ///< As above.
};

/// At most one rim on each of these polygons. What is grain and noise is learnt from all of one
/// colour together.
std::vector<StoneRim> stone_rims(const View& view, const Catalogue& catalogue,
                                 const std::vector<Piece>& polygons, const RimLimits& limits = {});

}  // namespace overboard::vision
