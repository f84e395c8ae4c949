#pragma once

#include <vector>

#include "vision/flats/flat_faces.hpp"

/// Pieces nothing is known of but, perhaps, their shape: what can be told by outlines alone.
namespace overboard::vision {

/// The pieces among `quads`, nameless, and with `longer_by_shorter` those too whose outline is one
/// with that of pieces they touch, cover or lie under. `corners`: of all outlines (find_quads).
/// `longer_by_shorter`: the sides of a piece seen from above; 0: it may have any shape.
std::vector<FlatFace> pieces_by_outline(const cv::Mat& bgr, const std::vector<Quad>& quads,
                                        const std::vector<OutlineCorner>& corners,
                                        double longer_by_shorter);

}  // namespace overboard::vision
