#include <opencv2/imgproc.hpp>

#include "simulator/art_sets.hpp"
#include "simulator/pen.hpp"

// A board is its surface colour, its printed lines and circles, and dark holes. A board with `art`
// has a painter of its own.
namespace overboard::simulator {
namespace {

struct BoardArt {
    const char* name;
    void (*paint)(cairo_t*, const BoardKind&);
};
constexpr BoardArt kBoards[] = {{"gayplay", paint_gayplay_board}};

void printed(cairo_t* cr, const PrintedLine& l) {
    cairo_move_to(cr, l.from.x, l.from.y);
    cairo_line_to(cr, l.to.x, l.to.y);
    pen::outline(cr, l.colour, l.line_mm);
}

void printed(cairo_t* cr, const PrintedCircle& c) {
    pen::circle(cr, c.centre.x, c.centre.y, c.diameter_mm / 2);
    c.line_mm > 0 ? pen::outline(cr, c.colour, c.line_mm) : pen::fill(cr, c.colour);
}

}  // namespace

void paint_board(cairo_t* cr, const BoardKind& board) {
    const double w = board.width_mm, h = board.height_mm;
    cairo_save(cr);
    cairo_rectangle(cr, -w / 2, -h / 2, w, h);
    pen::fill(cr, board.surface);
    for (const BoardArt& art : kBoards)
        if (board.art == art.name || board.name == art.name) art.paint(cr, board);
    for (const PrintedLine& l : board.lines) printed(cr, l);
    for (const PrintedCircle& c : board.circles) printed(cr, c);
    for (const Hole& hole : board.holes) {
        pen::circle(cr, hole.centre.x, hole.centre.y, hole.diameter_mm / 2);
        pen::fill(cr, pen::rgb(0x0e0b09));
    }
    cairo_restore(cr);
}

cv::Mat draw_board(const BoardKind& board, double px_per_mm) {
    return pen::picture(board.width_mm, board.height_mm, px_per_mm, [&](cairo_t* cr) {
        cairo_translate(cr, board.width_mm / 2, board.height_mm / 2);
        paint_board(cr, board);
    });
}

}  // namespace overboard::simulator
