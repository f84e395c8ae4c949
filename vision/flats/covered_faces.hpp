#pragma once

#include <vector>

#include "vision/flats/flat_faces.hpp"

namespace overboard::vision {

/// Adds pieces that lie partly under the known ones, at any angle, and the ones under those: in
/// towers, fans and heaps; and whole ones without an outline, told by their details. `corners`: of
/// all outlines (find_quads). `sizes`: how the table is seen, and the kinds the decks belong to.
void add_partly_covered(const cv::Mat& bgr, const std::vector<Faces>& decks,
                        const std::vector<OutlineCorner>& corners, const KnownSizes& sizes,
                        std::vector<FlatFace>& list);

}  // namespace overboard::vision
