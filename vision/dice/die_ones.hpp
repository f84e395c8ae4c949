#pragma once

#include <vector>

#include "vision/dice/die_faces.hpp"

namespace overboard::vision::die {

/// Adds the faces that a lone pip on its body makes.
void faces_of_one(const Pyramid& pyramid, const std::vector<Pip>& pips, const FaceLimits& limits,
                  std::vector<DieFace>& out);

}  // namespace overboard::vision::die
