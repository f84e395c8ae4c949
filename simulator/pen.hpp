#pragma once

#include <cairo.h>

#include <opencv2/core.hpp>
#include <string>

#include "bus/catalogue.hpp"

/// Small drawing words over cairo, in the unit of the context (millimetres everywhere here).
namespace overboard::simulator::pen {

/// 0xRRGGBB
constexpr Rgb rgb(unsigned hex) {
    return {std::uint8_t(hex >> 16), std::uint8_t(hex >> 8), std::uint8_t(hex)};
}
constexpr Rgb mixed(Rgb a, Rgb b, double t) {
    const auto m = [t](int x, int y) { return std::uint8_t(x + (y - x) * t); };
    return {m(a.r, b.r), m(a.g, b.g), m(a.b, b.b)};
}

inline constexpr Rgb kInk{24, 22, 30}, kPaper{250, 248, 242}, kWhite{255, 255, 255};

void ink(cairo_t* cr, Rgb colour, double alpha = 1);
void fill(cairo_t* cr, Rgb colour, double alpha = 1);
void outline(cairo_t* cr, Rgb colour, double line_mm);
void circle(cairo_t* cr, double x, double y, double r);
void rounded(cairo_t* cr, double x, double y, double w, double h, double r);

/// Bold text centred on (x, y), `height_mm` tall capitals; squeezed to `max_width_mm` when given.
void text(cairo_t* cr, const std::string& s, double x, double y, double height_mm, Rgb colour,
          double max_width_mm = 0);
/// The same with an outline of another colour behind it.
void bordered_text(cairo_t* cr, const std::string& s, double x, double y, double height_mm,
                   Rgb colour, Rgb border, double border_mm);

/// Draws with cairo into an 8-bit BGR picture; `paint` gets a context whose unit is the millimetre.
template <class F>
cv::Mat picture(double width_mm, double height_mm, double px_per_mm, F&& paint) {
    const cv::Size size{std::max(1, int(std::lround(width_mm * px_per_mm))),
                        std::max(1, int(std::lround(height_mm * px_per_mm)))};
    cv::Mat bgra(size, CV_8UC4, cv::Scalar::all(255));
    cairo_surface_t* surface = cairo_image_surface_create_for_data(
        bgra.data, CAIRO_FORMAT_RGB24, size.width, size.height, int(bgra.step));
    cairo_t* cr = cairo_create(surface);
    cairo_scale(cr, size.width / width_mm, size.height / height_mm);
    paint(cr);
    cairo_destroy(cr);
    cairo_surface_flush(surface);
    cairo_surface_destroy(surface);
    cv::Mat bgr(size, CV_8UC3);
    const int channels[] = {0, 0, 1, 1, 2, 2};
    cv::mixChannels(&bgra, 1, &bgr, 1, channels, 3);
    return bgr;
}

}  // namespace overboard::simulator::pen
