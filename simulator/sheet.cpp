#include "simulator/sheet.hpp"

#include <cairo-pdf.h>
#include <fmt/format.h>

#include <stdexcept>

#include "simulator/pen.hpp"

namespace overboard::simulator {
namespace {

constexpr double kPointsPerMm = 72 / 25.4;

}  // namespace

Sheet::Sheet(const std::filesystem::path& file, Paper paper, std::string title)
    : file_{file}, paper_{paper}, title_{std::move(title)} {
    surface_ = cairo_pdf_surface_create(file.c_str(), paper.width_mm * kPointsPerMm,
                                        paper.height_mm * kPointsPerMm);
    if (cairo_surface_status(surface_) != CAIRO_STATUS_SUCCESS) {
        cairo_surface_destroy(surface_);
        surface_ = nullptr;
        throw std::runtime_error("cannot write '" + file.string() + "'");
    }
    cairo_pdf_surface_set_metadata(surface_, CAIRO_PDF_METADATA_TITLE, title_.c_str());
}

Sheet::~Sheet() {
    if (cr_) cairo_destroy(cr_);
    if (surface_) cairo_surface_destroy(surface_);
}

cairo_t* Sheet::page(const std::string& caption, bool landscape) {
    if (cr_) {
        cairo_show_page(cr_);
        cairo_destroy(cr_);
    }
    width_ = landscape ? paper_.height_mm : paper_.width_mm;
    height_ = landscape ? paper_.width_mm : paper_.height_mm;
    cairo_pdf_surface_set_size(surface_, width_ * kPointsPerMm, height_ * kPointsPerMm);
    cr_ = cairo_create(surface_);
    cairo_scale(cr_, kPointsPerMm, kPointsPerMm);
    ++pages_;
    furniture(caption);
    return cr_;
}

// Title above; below, the bar everybody measures before cutting.
void Sheet::furniture(const std::string& caption) {
    const double y = height_ - kMargin - 3, x = (width_ - 100) / 2;
    cairo_rectangle(cr_, x, y - 1.5, 100, 3);
    pen::fill(cr_, pen::rgb(0));
    for (int i = 1; i < 10; i += 2) cairo_rectangle(cr_, x + i * 10, y - 1, 10, 2);
    pen::fill(cr_, pen::kWhite);
    pen::text(cr_, "this bar is 100 mm: print at 100 %, not 'fit to page'", width_ / 2, y - 5, 2.2,
              pen::kInk);
    pen::text(cr_, fmt::format("{} · {} · {}", title_, caption, pages_), width_ / 2, kMargin, 2.4,
              pen::kInk, width_ - 2 * kMargin);
}

void Sheet::cut_marks(double x, double y, double w, double h) {
    constexpr double gap = 0.4, size = 1.4;
    for (int side : {0, 1})
        for (int end : {0, 1}) {
            const double cx = x + end * w, cy = y + side * h, sx = end ? 1 : -1, sy = side ? 1 : -1;
            cairo_move_to(cr_, cx + sx * gap, cy), cairo_rel_line_to(cr_, sx * size, 0);
            cairo_move_to(cr_, cx, cy + sy * gap), cairo_rel_line_to(cr_, 0, sy * size);
        }
    pen::outline(cr_, pen::rgb(0), 0.15);
}

void Sheet::close() {
    if (cr_) {
        cairo_show_page(cr_);
        cairo_destroy(cr_);
        cr_ = nullptr;
    }
    cairo_surface_finish(surface_);
    if (cairo_surface_status(surface_) != CAIRO_STATUS_SUCCESS)
        throw std::runtime_error("cannot write '" + file_.string() + "'");
}

void lay_out(Sheet& sheet, const std::string& caption, int count, double w, double h,
             const std::function<void(cairo_t*, int)>& paint,
             const std::function<void(cairo_t*, int)>& backs) {
    constexpr double gap = 4;
    int done = 0;
    while (done < count) {
        cairo_t* cr = sheet.page(caption);
        const int columns = std::max(1, int((sheet.width() + gap) / (w + gap))),
                  rows = std::max(1, int((sheet.height() + gap) / (h + gap)));
        const int here = std::min(count - done, columns * rows);
        const double x0 = sheet.left() + (sheet.width() - columns * (w + gap) + gap) / 2;
        const auto each = [&](cairo_t* to, bool mirrored,
                              const std::function<void(cairo_t*, int)>& f) {
            for (int i = 0; i < here; ++i) {
                const int column = mirrored ? columns - 1 - i % columns : i % columns;
                const double x = x0 + column * (w + gap), y = sheet.top() + i / columns * (h + gap);
                cairo_save(to);
                cairo_translate(to, x, y);
                f(to, done + i);
                cairo_restore(to);
                sheet.cut_marks(x, y, w, h);
            }
        };
        each(cr, false, paint);
        if (backs) each(sheet.page(caption + ", back"), true, backs);
        done += here;
    }
}

}  // namespace overboard::simulator
