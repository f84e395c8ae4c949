#pragma once

#include <functional>

namespace overboard::table {

/// Shows a part (px, y from the bottom) of the current window's back buffer, which stays as it is.
using PartCopy = std::function<void(int x, int y, int width, int height)>;

/// Empty unless the current OpenGL context is a software one that can: there a swap copies the
/// whole window, at more than the cost of drawing a few pieces. A graphics card swaps for nothing,
/// in step with the picture.
PartCopy part_copy();

}  // namespace overboard::table
