#pragma once

#include "vision/faces/face_picture.hpp"

namespace overboard::vision {

/// Is the crop rather `a` than `b`, by the few places where the two differ most? Each place is laid
/// onto the crop by itself, so it may be off by some cells and lit otherwise than the rest. 1 … -1;
/// 0 too when they differ nowhere.
double told_locally(const Fine& crop, const Fine& a, const Fine& b);

}  // namespace overboard::vision
