#include "table/mapping.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace overboard::table {

Rect box_of(const Polygon& points) {
    if (points.empty()) return {};
    Rect box{points[0].x, points[0].y, points[0].x, points[0].y};
    for (const Point p : points) {
        box.x0 = std::min(box.x0, p.x), box.x1 = std::max(box.x1, p.x);
        box.y0 = std::min(box.y0, p.y), box.y1 = std::max(box.y1, p.y);
    }
    return box;
}

namespace {

Point applied(const Matrix3& m, Point p) {
    const double w = m[6] * p.x + m[7] * p.y + m[8];
    return {(m[0] * p.x + m[1] * p.y + m[2]) / w, (m[3] * p.x + m[4] * p.y + m[5]) / w};
}

Matrix3 inverted(const Matrix3& m) {
    const Matrix3 adjugate{
        m[4] * m[8] - m[5] * m[7], m[2] * m[7] - m[1] * m[8], m[1] * m[5] - m[2] * m[4],
        m[5] * m[6] - m[3] * m[8], m[0] * m[8] - m[2] * m[6], m[2] * m[3] - m[0] * m[5],
        m[3] * m[7] - m[4] * m[6], m[1] * m[6] - m[0] * m[7], m[0] * m[4] - m[1] * m[3]};
    const double determinant = m[0] * adjugate[0] + m[1] * adjugate[3] + m[2] * adjugate[6];
    if (std::abs(determinant) < 1e-12)
        throw std::runtime_error("the projector mapping is singular");
    Matrix3 inverse = adjugate;
    for (double& v : inverse) v /= determinant;
    return inverse;
}

// Gaussian elimination with pivoting; a is 8 x 9.
std::array<double, 8> solved(std::array<std::array<double, 9>, 8> a) {
    for (std::size_t c = 0; c < 8; ++c) {
        std::size_t pivot = c;
        for (std::size_t r = c + 1; r < 8; ++r)
            if (std::abs(a[r][c]) > std::abs(a[pivot][c])) pivot = r;
        if (std::abs(a[pivot][c]) < 1e-9)
            throw std::runtime_error(
                "no projector mapping: three of the four points lie on a line");
        std::swap(a[c], a[pivot]);
        for (std::size_t r = 0; r < 8; ++r) {
            if (r == c) continue;
            const double k = a[r][c] / a[c][c];
            for (std::size_t j = c; j < 9; ++j) a[r][j] -= k * a[c][j];
        }
    }
    std::array<double, 8> x{};
    for (std::size_t i = 0; i < 8; ++i) x[i] = a[i][8] / a[i][i];
    return x;
}

}  // namespace

Mapping::Mapping(const Matrix3& mm_to_pixel)
    : forward_{mm_to_pixel}, inverse_{inverted(mm_to_pixel)} {}

Mapping Mapping::fit(const Table& table, Size picture) {
    const double k = std::min(picture.width / table.width_mm, picture.height / table.height_mm);
    return Mapping{{k, 0, (picture.width - k * table.width_mm) / 2, 0, k,
                    (picture.height - k * table.height_mm) / 2, 0, 0, 1}};
}

Mapping Mapping::from_centres(const Matrix3& h) {
    Matrix3 shifted = h;
    for (std::size_t i = 0; i < 3; ++i) {
        shifted[i] += 0.5 * h[6 + i];
        shifted[3 + i] += 0.5 * h[6 + i];
    }
    return Mapping{shifted};
}

Point Mapping::pixel(Point mm) const {
    return applied(forward_, mm);
}
Point Mapping::mm(Point pixel) const {
    return applied(inverse_, pixel);
}

double Mapping::px_per_mm(Point at) const {
    const Point o = pixel(at), x = pixel({at.x + 1, at.y}) - o, y = pixel({at.x, at.y + 1}) - o;
    return std::sqrt(std::abs(cross(x, y)));
}

Rect Mapping::pixels(const Rect& r) const {
    const Point a = pixel({r.x0, r.y0}), b = pixel({r.x1, r.y0}), c = pixel({r.x1, r.y1}),
                d = pixel({r.x0, r.y1});
    return {std::min({a.x, b.x, c.x, d.x}), std::min({a.y, b.y, c.y, d.y}),
            std::max({a.x, b.x, c.x, d.x}), std::max({a.y, b.y, c.y, d.y})};
}

Matrix3 homography(const std::array<Point, 4>& from, const std::array<Point, 4>& to) {
    std::array<std::array<double, 9>, 8> a{};
    for (std::size_t i = 0; i < 4; ++i) {
        const auto [x, y] = from[i];
        const auto [u, v] = to[i];
        a[2 * i] = {x, y, 1, 0, 0, 0, -u * x, -u * y, u};
        a[2 * i + 1] = {0, 0, 0, x, y, 1, -v * x, -v * y, v};
    }
    const auto h = solved(a);
    return {h[0], h[1], h[2], h[3], h[4], h[5], h[6], h[7], 1};
}

}  // namespace overboard::table
