#include "simulator/pen.hpp"

#include <cmath>

namespace overboard::simulator::pen {

void ink(cairo_t* cr, Rgb c, double alpha) {
    cairo_set_source_rgba(cr, c.r / 255.0, c.g / 255.0, c.b / 255.0, alpha);
}

void fill(cairo_t* cr, Rgb c, double alpha) {
    ink(cr, c, alpha);
    cairo_fill(cr);
}

void outline(cairo_t* cr, Rgb c, double line_mm) {
    ink(cr, c);
    cairo_set_line_width(cr, line_mm);
    cairo_stroke(cr);
}

void circle(cairo_t* cr, double x, double y, double r) {
    cairo_new_sub_path(cr);
    cairo_arc(cr, x, y, r, 0, 2 * M_PI);
    cairo_close_path(cr);
}

void rounded(cairo_t* cr, double x, double y, double w, double h, double r) {
    r = std::min({r, w / 2, h / 2});
    cairo_new_sub_path(cr);
    cairo_arc(cr, x + w - r, y + r, r, -M_PI / 2, 0);
    cairo_arc(cr, x + w - r, y + h - r, r, 0, M_PI / 2);
    cairo_arc(cr, x + r, y + h - r, r, M_PI / 2, M_PI);
    cairo_arc(cr, x + r, y + r, r, M_PI, 1.5 * M_PI);
    cairo_close_path(cr);
}

namespace {

// DejaVu's capitals are 0.73 em tall.
constexpr double kCapitalsPerEm = 0.73;

void text_path(cairo_t* cr, const std::string& s, double x, double y, double height_mm,
               double max_width_mm) {
    cairo_select_font_face(cr, "DejaVu Sans", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_BOLD);
    cairo_set_font_size(cr, height_mm / kCapitalsPerEm);
    cairo_text_extents_t box;
    cairo_text_extents(cr, s.c_str(), &box);
    if (max_width_mm > 0 && box.width > max_width_mm) {
        cairo_set_font_size(cr, height_mm / kCapitalsPerEm * max_width_mm / box.width);
        cairo_text_extents(cr, s.c_str(), &box);
        height_mm *= max_width_mm / box.width;
    }
    cairo_new_path(cr);
    cairo_move_to(cr, x - box.width / 2 - box.x_bearing, y + height_mm / 2);
    cairo_text_path(cr, s.c_str());
}

}  // namespace

void text(cairo_t* cr, const std::string& s, double x, double y, double height_mm, Rgb colour,
          double max_width_mm) {
    text_path(cr, s, x, y, height_mm, max_width_mm);
    fill(cr, colour);
}

void bordered_text(cairo_t* cr, const std::string& s, double x, double y, double height_mm,
                   Rgb colour, Rgb border, double border_mm) {
    text_path(cr, s, x, y, height_mm, 0);
    cairo_set_line_join(cr, CAIRO_LINE_JOIN_ROUND);
    ink(cr, border);
    cairo_set_line_width(cr, 2 * border_mm);
    cairo_stroke_preserve(cr);
    fill(cr, colour);
}

}  // namespace overboard::simulator::pen
