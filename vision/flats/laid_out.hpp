#pragma once

#include <vector>

#include "vision/flats/flat_faces.hpp"

namespace overboard::vision {

/// Tiles laid out on a board under an overhead camera all lie one way and are seen equally large.
/// When enough of a kind's named pieces in `list` do, all of them are read again by their print at
/// that size, and so are the places beside them, since outlines of touching tiles merge. False:
/// they do not lie like that.
bool read_laid_out(const cv::Mat& bgr, const Faces& deck, int kind, std::vector<FlatFace>& list);

}  // namespace overboard::vision
