#pragma once

#include <vector>

#include "vision/shapes/mosaic_places.hpp"

/// Which of the places in a patch of colour are taken: pieces lie side by side and cover all of it.
namespace overboard::vision {

struct Cover {
    std::vector<Placement> pieces;
    double left_over = 1;  ///< Share of the patch that no piece covers.
};

struct CoverLimits {
    double cell_mm = 2;  ///< Areas are counted in squares this wide.
    /// Of the smaller of two pieces. Higher: less exact places are forgiven.
    double overlap = 0.05;
    double cost_per_mm2 = 0.25;  ///< Of patch left over or covered twice, in mm of fine line.
    double cost_of_twin = 12;    ///< Of a second piece of a kind in one colour, likewise: it is the
                                 ///< exception.
    double cost_of_piece = 2;    ///< Fewer pieces are the better reading of the same lines.
    int most_tries = 20000;      ///< Higher: larger mosaics of one colour, slower.
};

/// `lying`: by kind, how many of this colour lie elsewhere.
Cover best_cover(const Patch& patch, const Catalogue& catalogue,
                 const std::vector<Placement>& places, const std::vector<int>& lying,
                 const CoverLimits& limits);

}  // namespace overboard::vision
