#pragma once

#include <vector>

#include "vision/dice/die_faces.hpp"

namespace overboard::vision {

/// Faces but those that are the two halves of one domino.
std::vector<DieFace> without_dominoes(const Pyramid& pyramid, const std::vector<DieFace>& faces);

}  // namespace overboard::vision
