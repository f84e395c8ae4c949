#pragma once

#include <opencv2/core.hpp>
#include <vector>

#include "vision/dice/die_faces.hpp"

/// The patterns of two to six pips, and whether the picture shows one on a given lattice.
namespace overboard::vision::die {

struct PipPattern {
    int value;
    std::vector<cv::Point2f> at;  ///< Lattice places; the corners first, opposite ones together.
};

const std::vector<PipPattern>& patterns();

/// Pips where they belong and nowhere else, on one body. `plain` becomes the share of the body that
/// is of its own colour.
bool shows_pattern(const Pyramid& pyramid, const PipPattern& pattern, const FaceLimits& limits,
                   const DieFace& face, float& plain);

/// The body's colour, and how it changes along the face, as seen away from the pips.
void take_body_between(const Pyramid& pyramid, const std::vector<cv::Point2f>& pips_at,
                       DieFace& face);

}  // namespace overboard::vision::die
