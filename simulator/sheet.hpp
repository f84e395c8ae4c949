#pragma once

#include <cairo.h>

#include <filesystem>
#include <functional>
#include <string>

#include "bus/geometry.hpp"
#include "simulator/print.hpp"

namespace overboard::simulator {

/// A PDF of pages in millimetres. The bar, the title and the page's number are put on by itself.
class Sheet {
public:
    Sheet(const std::filesystem::path& file, Paper paper, std::string title);
    ~Sheet();
    Sheet(const Sheet&) = delete;
    Sheet& operator=(const Sheet&) = delete;

    /// Begins a page and returns its context; unit mm, origin at the page's top-left corner.
    cairo_t* page(const std::string& caption, bool landscape = false);
    /// What is left inside the margins, above the bar, on the present page.
    [[nodiscard]] double left() const { return kMargin; }
    [[nodiscard]] double top() const { return kMargin + 6; }
    [[nodiscard]] double width() const { return width_ - 2 * kMargin; }
    [[nodiscard]] double height() const { return height_ - 2 * kMargin - 6 - 12; }
    [[nodiscard]] int pages() const { return pages_; }
    /// Ends the last page and the file. Throws std::runtime_error when it could not be written.
    void close();

    /// Hair lines at the corners of a rectangle, outside it.
    void cut_marks(double x, double y, double w, double h);

private:
    static constexpr double kMargin = 10;
    void furniture(const std::string& caption);

    std::filesystem::path file_;
    Paper paper_;
    std::string title_;
    cairo_surface_t* surface_ = nullptr;
    cairo_t* cr_ = nullptr;
    double width_ = 0, height_ = 0;
    int pages_ = 0;
};

/// Places boxes of one size row by row, page after page, with cut marks. `paint` gets the context
/// with its origin at the box's top-left corner. `backs` (may be empty) paints the page behind,
/// mirrored so that it fits when the sheet is turned over its long edge.
void lay_out(Sheet& sheet, const std::string& caption, int count, double w_mm, double h_mm,
             const std::function<void(cairo_t*, int)>& paint,
             const std::function<void(cairo_t*, int)>& backs = {});

}  // namespace overboard::simulator
