#include "simulator/art_sets.hpp"
#include "simulator/icons.hpp"
#include "simulator/pen.hpp"

namespace overboard::simulator {

void paint_gayplay(cairo_t* cr, const std::string& face, FaceSize s) {
    const double w = s.width_mm, h = s.height_mm;
    if (face == "back") {
        pen::rounded(cr, 1.5, 1.5, w - 3, h - 3, 1.5);
        pen::fill(cr, pen::rgb(0x7c2740));
        pen::bordered_text(cr, "?", w / 2, h / 2, h * 0.4, pen::rgb(0xf5c02c), pen::kInk, 0.6);
        return;
    }
    if (!paint_icon(cr, face, w / 2, h * 0.44, w * 0.8)) paint_unknown(cr, face, s);
}

std::vector<std::string> gayplay_faces() { return {}; }

void paint_gayplay_board(cairo_t*, const BoardKind&) {}

}  // namespace overboard::simulator
