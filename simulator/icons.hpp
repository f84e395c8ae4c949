#pragma once

#include <cairo.h>

#include <string>

namespace overboard::simulator {

/// Draws an icon of simulator/data/icons.txt centred on (x, y), `size_mm` square. False, and
/// nothing drawn, when there is none of that name. Throws std::runtime_error on a broken icon file.
bool paint_icon(cairo_t* cr, const std::string& name, double x, double y, double size_mm);
bool has_icon(const std::string& name);

}  // namespace overboard::simulator
