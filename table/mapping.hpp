#pragma once

#include <algorithm>
#include <array>

#include "bus/geometry.hpp"
#include "bus/table.hpp"

/// From the millimetres of the table to the pixels of a picture, projectively. Pixel coordinates
/// are those of OpenGL: the first pixel reaches from 0 to 1, its centre is 0.5.
namespace overboard::table {

using Matrix3 = std::array<double, 9>;  ///< Row-major.

struct Size {
    int width = 0;
    int height = 0;
    friend bool operator==(const Size&, const Size&) = default;
};

/// An upright box, in whatever unit its owner says.
struct Rect {
    double x0 = 0, y0 = 0, x1 = 0, y1 = 0;

    [[nodiscard]] double width() const { return x1 - x0; }
    [[nodiscard]] double height() const { return y1 - y0; }
    [[nodiscard]] double area() const { return empty() ? 0 : width() * height(); }
    [[nodiscard]] bool empty() const { return x1 <= x0 || y1 <= y0; }
    [[nodiscard]] Point centre() const { return {(x0 + x1) / 2, (y0 + y1) / 2}; }
    [[nodiscard]] Rect grown(double by) const { return {x0 - by, y0 - by, x1 + by, y1 + by}; }
    [[nodiscard]] bool contains(Point p) const {
        return p.x >= x0 && p.x <= x1 && p.y >= y0 && p.y <= y1;
    }
    friend bool operator==(const Rect&, const Rect&) = default;
};
inline bool touch(const Rect& a, const Rect& b) {
    return a.x0 < b.x1 && b.x0 < a.x1 && a.y0 < b.y1 && b.y0 < a.y1;
}
inline Rect united(const Rect& a, const Rect& b) {
    if (a.empty()) return b;
    if (b.empty()) return a;
    return {std::min(a.x0, b.x0), std::min(a.y0, b.y0), std::max(a.x1, b.x1), std::max(a.y1, b.y1)};
}
inline Rect clipped(const Rect& a, const Rect& to) {
    return {std::max(a.x0, to.x0), std::max(a.y0, to.y0), std::min(a.x1, to.x1),
            std::min(a.y1, to.y1)};
}
/// The smallest box round some points.
Rect box_of(const Polygon& points);

class Mapping {
public:
    Mapping() = default;
    explicit Mapping(const Matrix3& mm_to_pixel);

    /// The whole table as large as it fits, centred, straight.
    static Mapping fit(const Table& table, Size picture);
    /// A calibrated homography whose pixel centres are whole numbers (the calibration room's way).
    static Mapping from_centres(const Matrix3& mm_to_pixel_centres);

    [[nodiscard]] Point pixel(Point mm) const;
    [[nodiscard]] Point mm(Point pixel) const;
    [[nodiscard]] double px_per_mm(Point mm) const;
    /// The upright pixel box round an upright millimetre box.
    [[nodiscard]] Rect pixels(const Rect& mm) const;
    [[nodiscard]] const Matrix3& matrix() const { return forward_; }
    friend bool operator==(const Mapping&, const Mapping&) = default;

private:
    Matrix3 forward_{1, 0, 0, 0, 1, 0, 0, 0, 1};
    Matrix3 inverse_{1, 0, 0, 0, 1, 0, 0, 0, 1};
};

/// The homography that takes four points to four others. Throws std::runtime_error when three of
/// them lie on a line.
Matrix3 homography(const std::array<Point, 4>& from, const std::array<Point, 4>& to);

}  // namespace overboard::table
