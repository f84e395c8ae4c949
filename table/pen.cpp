#include "table/pen.hpp"

#include <algorithm>
#include <cmath>

// Everything is strips. A stroke or a rim is a path swept with "bands": offsets across the path
// with a colour each; the outermost one is transparent and one pixel away, which is all the
// smoothing there is. Round shapes small enough are one textured quad. Filled shapes are a fan or,
// when not convex, clipped ears, plus such a rim.
namespace overboard::table {

sf::Vertex Pen::vertex(Point local, sf::Color colour) const {
    const Point p = place(frame, local);
    return {{static_cast<float>(p.x), static_cast<float>(p.y)},
            colour,
            {atlas_->white_u(), atlas_->white_v()}};
}

void Pen::strip(const std::vector<sf::Vertex>& vertices) {
    if (vertices.size() < 3) return;
    out_->push_back(vertices.front());
    out_->insert(out_->end(), vertices.begin(), vertices.end());
    out_->push_back(vertices.back());
}

int Pen::corners(double radius) const {
    const double px = std::max(1.0, radius * px_per_mm_);
    return std::clamp(static_cast<int>(std::ceil(M_PI / std::acos(1 - std::min(0.5, 0.2 / px)))),
                      10, 128);
}

Polygon Pen::circle(Point centre, double radius, int corners) {
    Polygon points;
    points.reserve(static_cast<std::size_t>(corners));
    for (int i = 0; i < corners; ++i) {
        const double a = 2 * M_PI * i / corners;
        points.push_back({centre.x + radius * std::cos(a), centre.y + radius * std::sin(a)});
    }
    return points;
}

Polygon Pen::rounded(const Rect& r, double corner) {
    corner = std::min({corner, r.width() / 2, r.height() / 2});
    Polygon points;
    const Point centres[] = {{r.x1 - corner, r.y1 - corner},
                             {r.x0 + corner, r.y1 - corner},
                             {r.x0 + corner, r.y0 + corner},
                             {r.x1 - corner, r.y0 + corner}};
    for (int q = 0; q < 4; ++q)
        for (int i = 0; i <= 6; ++i) {
            const double a = M_PI / 2 * (q + i / 6.0);
            points.push_back(centres[q] + Point{corner * std::cos(a), corner * std::sin(a)});
        }
    return points;
}

namespace {

Point direction(Point from, Point to) {
    const double d = distance(from, to);
    return d > 1e-9 ? (to - from) * (1 / d) : Point{0, 0};
}

// The outward offset of 1 mm at a corner between two directions: mitred, at most doubled.
Point mitre(Point before, Point after) {
    const Point n1{before.y, -before.x}, n2{after.y, -after.x};
    Point sum = n1 + n2;
    const double square = dot(sum, sum);
    if (square < 1e-6) return n1 == Point{} ? n2 : n1;
    sum = sum * (2 / square);
    const double size = length(sum);
    return size > 2 ? sum * (2 / size) : sum;
}

std::vector<Point> offsets(const Polygon& path, bool closed) {
    const std::size_t n = path.size();
    std::vector<Point> out(n);
    for (std::size_t i = 0; i < n; ++i) {
        const bool first = !closed && i == 0, last = !closed && i + 1 == n;
        const Point before = first ? direction(path[i], path[i + 1])
                                   : direction(path[(i + n - 1) % n], path[i]);
        const Point after = last ? before : direction(path[i], path[(i + 1) % n]);
        out[i] = mitre(before, after);
    }
    return out;
}

Polygon without_repeats(const Polygon& path, bool closed) {
    Polygon out;
    for (const Point p : path)
        if (out.empty() || distance(out.back(), p) > 1e-6) out.push_back(p);
    while (closed && out.size() > 1 && distance(out.front(), out.back()) < 1e-6) out.pop_back();
    return out;
}

double signed_area(const Polygon& p) {
    double sum = 0;
    for (std::size_t i = 0; i < p.size(); ++i) sum += cross(p[i], p[(i + 1) % p.size()]);
    return sum / 2;
}

bool inside(Point p, Point a, Point b, Point c) {
    return cross(b - a, p - a) >= 0 && cross(c - b, p - b) >= 0 && cross(a - c, p - c) >= 0;
}

}  // namespace

bool is_convex(const Polygon& p) {
    bool left = false, right = false;
    for (std::size_t i = 0; i < p.size(); ++i) {
        const double turn = cross(p[(i + 1) % p.size()] - p[i],
                                  p[(i + 2) % p.size()] - p[(i + 1) % p.size()]);
        left |= turn < -1e-9;
        right |= turn > 1e-9;
    }
    return !(left && right);
}

void Pen::bands(const Polygon& raw, bool closed, const std::vector<Band>& across) {
    const Polygon path = without_repeats(raw, closed);
    if (path.size() < 2) return;
    const auto out = offsets(path, closed);
    std::vector<sf::Vertex> vertices;
    const std::size_t n = path.size() + (closed ? 1 : 0);
    for (std::size_t b = 0; b + 1 < across.size(); ++b) {
        vertices.clear();
        for (std::size_t i = 0; i < n; ++i) {
            const std::size_t k = i % path.size();
            vertices.push_back(vertex(path[k] + out[k] * across[b].offset, across[b].colour));
            vertices.push_back(
                vertex(path[k] + out[k] * across[b + 1].offset, across[b + 1].colour));
        }
        strip(vertices);
    }
}

void Pen::fan(const Polygon& convex, sf::Color colour) {
    std::vector<sf::Vertex> vertices;
    for (std::size_t low = 0, high = convex.size(); low < high;) {  // zigzag over the polygon
        vertices.push_back(vertex(convex[low++], colour));
        if (low < high) vertices.push_back(vertex(convex[--high], colour));
    }
    strip(vertices);
}

void Pen::fill(const Polygon& any, sf::Color colour) {
    if (any.size() < 3) return;
    if (is_convex(any) || any.size() > 400) return fan(any, colour);
    Polygon left = any;
    if (signed_area(left) < 0) std::reverse(left.begin(), left.end());
    for (std::size_t i = 0, misses = 0; left.size() > 3 && misses <= left.size();) {
        const std::size_t n = left.size();
        const Point a = left[(i + n - 1) % n], b = left[i % n], c = left[(i + 1) % n];
        const bool ear = cross(b - a, c - b) > 0 &&
                         std::none_of(left.begin(), left.end(), [&](Point p) {
                             return p != a && p != b && p != c && inside(p, a, b, c);
                         });
        if (ear) {
            strip({vertex(a, colour), vertex(b, colour), vertex(c, colour)});
            left.erase(left.begin() + static_cast<std::ptrdiff_t>(i % n));
            misses = 0;
        } else {
            ++misses;
        }
        i = left.empty() ? 0 : (i + (ear ? 0 : 1)) % left.size();
    }
    if (left.size() == 3) fan(left, colour);
}

bool Pen::quad(const Sprite& sprite, Point centre, sf::Color colour) {
    if (sprite.empty()) return false;
    const double half = sprite.half_px / px_per_mm_;
    const auto corner = [&](double x, double y, float u, float v) {
        const Point p = place(frame, centre + Point{x * half, y * half});
        return sf::Vertex{{static_cast<float>(p.x), static_cast<float>(p.y)}, colour, {u, v}};
    };
    strip({corner(-1, -1, sprite.u0, sprite.v0), corner(1, -1, sprite.u1, sprite.v0),
           corner(-1, 1, sprite.u0, sprite.v1), corner(1, 1, sprite.u1, sprite.v1)});
    return true;
}

void Pen::disc(Point centre, double radius, sf::Color colour) {
    if (radius <= 0 || quad(atlas_->ring(radius * px_per_mm_, 0), centre, colour)) return;
    polygon(circle(centre, radius, corners(radius)), colour);
}

void Pen::ring(Point centre, double radius, double width, sf::Color colour) {
    if (radius <= 0 || quad(atlas_->ring(radius * px_per_mm_, width * px_per_mm_), centre, colour))
        return;
    outline(circle(centre, radius, corners(radius)), width, colour);
}

void Pen::soft_disc(Point centre, double radius, double reach, sf::Color colour) {
    if (quad(atlas_->soft_disc(radius * px_per_mm_, reach * px_per_mm_), centre, colour)) return;
    halo(circle(centre, radius, corners(radius)), reach, colour);
}

void Pen::polygon(const Polygon& points, sf::Color colour) {
    fill(points, colour);
    const double outwards = signed_area(points) >= 0 ? 1 : -1;
    bands(points, true, {{0, colour}, {outwards * pixel_mm(), faded(colour, 0)}});
}

void Pen::outline(const Polygon& points, double width, sf::Color colour) {
    const double half = width / 2, soft = half + pixel_mm();
    bands(points, true,
          {{-soft, faded(colour, 0)}, {-half, colour}, {half, colour}, {soft, faded(colour, 0)}});
}

void Pen::line(const Polygon& points, double width, sf::Color colour) {
    const double half = width / 2, soft = half + pixel_mm();
    bands(points, false,
          {{-soft, faded(colour, 0)}, {-half, colour}, {half, colour}, {soft, faded(colour, 0)}});
}

void Pen::dashes(const Polygon& points, bool closed, double width, double dash, sf::Color colour) {
    Polygon path = points, part;
    if (closed && !points.empty()) path.push_back(points.front());
    double left = dash;  // of the present dash or gap
    bool on = true;
    for (std::size_t i = 0; i + 1 < path.size(); ++i) {
        Point from = path[i];
        if (on) part.push_back(from);
        for (double rest = distance(from, path[i + 1]); rest > left;
             rest = distance(from, path[i + 1])) {
            from = from + direction(from, path[i + 1]) * left;
            if (on) part.push_back(from), line(part, width, colour), part.clear();
            on = !on;
            if (on) part.push_back(from);
            left = on ? dash : dash * 0.7;
        }
        left -= distance(from, path[i + 1]);
    }
    if (on && !part.empty()) part.push_back(path.back()), line(part, width, colour);
}

void Pen::arrow(const Polygon& points, double width, sf::Color colour) {
    if (points.size() < 2) return;
    const Point tip = points.back(), along = direction(points[points.size() - 2], tip),
                side{-along.y, along.x};
    const double head = std::min(4.5 * width,
                                 0.7 * distance(points[points.size() - 2], tip) + width);
    Polygon shaft = points;
    shaft.back() = tip - along * (head * 0.9);
    line(shaft, width, colour);
    polygon(
        {tip, tip - along * head + side * (head * 0.55), tip - along * head - side * (head * 0.55)},
        colour);
}

void Pen::box(const Rect& rect, double corner, sf::Color colour) {
    polygon(rounded(rect, corner), colour);
}

void Pen::box_outline(const Rect& rect, double corner, double width, sf::Color colour) {
    outline(rounded(rect, corner), width, colour);
}

void Pen::shade(const Rect& r, sf::Color top, sf::Color bottom) {
    strip({vertex({r.x0, r.y0}, top), vertex({r.x1, r.y0}, top), vertex({r.x0, r.y1}, bottom),
           vertex({r.x1, r.y1}, bottom)});
}

void Pen::halo(const Polygon& convex, double reach, sf::Color colour) {
    fan(convex, colour);
    bands(convex, true,
          {{0, colour}, {reach * 0.45, faded(colour, 0.7)}, {reach, faded(colour, 0)}});
}

TextSize Pen::measure(std::string_view utf8, const TextStyle& style) const {
    const auto run = atlas_->run(utf8, style.weight, style.size_mm * px_per_mm_,
                                 style.wrap_mm / style.size_mm, style.anchor == Anchor::centre);
    return {run->width * style.size_mm, run->height * style.size_mm, run->lines};
}

TextStyle Pen::fitted(std::string_view utf8, TextStyle style, double width, int lines,
                      double least_mm) const {
    style.wrap_mm = lines > 1 ? width : 0;
    for (;; style.size_mm = std::max(least_mm, 0.92 * style.size_mm)) {
        const TextSize size = measure(utf8, style);
        if ((size.width <= width && size.lines <= lines) || style.size_mm <= least_mm) return style;
    }
}

void Pen::text(std::string_view utf8, Point at, const TextStyle& style) {
    if (utf8.empty()) return;
    const double k = style.size_mm;
    const auto run = atlas_->run(utf8, style.weight, k * px_per_mm_, style.wrap_mm / k,
                                 style.anchor == Anchor::centre);
    const double shift = style.anchor == Anchor::left     ? 0
                         : style.anchor == Anchor::centre ? run->width / 2
                                                          : run->width;
    const Point origin{at.x - shift * k, at.y - run->height * k / 2};
    const auto corner = [&](float x, float y, float u, float v) {
        const Point p = place(frame, origin + Point{x * k, y * k});
        return sf::Vertex{{static_cast<float>(p.x), static_cast<float>(p.y)}, style.colour, {u, v}};
    };
    for (const GlyphQuad& g : run->glyphs)
        strip({corner(g.x0, g.y0, g.u0, g.v0), corner(g.x1, g.y0, g.u1, g.v0),
               corner(g.x0, g.y1, g.u0, g.v1), corner(g.x1, g.y1, g.u1, g.v1)});
}

}  // namespace overboard::table
