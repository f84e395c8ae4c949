#pragma once

#include <string>
#include <vector>

#include "bus/catalogue.hpp"
#include "vision/faces.hpp"

namespace overboard::app {

/// The faces of a set as we print them ourselves, enrolled straight from the drawings. Empty for a set
/// nobody has drawn.
vision::Faces own_art(const FaceKind& kind);

}  // namespace overboard::app
