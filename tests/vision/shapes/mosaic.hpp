#pragma once

#include <opencv2/imgproc.hpp>
#include <random>
#include <string>
#include <vector>

#include "bus/catalogue.hpp"
#include "bus/observation.hpp"

/// Mosaics of polygons laid side against side, for tests: truth on one hand, a scene to render on
/// the other.
namespace overboard::test {

inline constexpr double kSmall_mm = 30, kLarge_mm = 60;

/// Vertices by walking the sides: lengths and turns (degrees, clockwise) after each side.
inline Polygon walked(const std::vector<double>& sides, const std::vector<double>& turns) {
    Polygon points;
    Point at{0, 0};
    double heading = 0;
    for (std::size_t i = 0; i < sides.size(); ++i) {
        points.push_back(at);
        at = at + rotated({sides[i], 0}, heading);
        heading += turns[i] * M_PI / 180;
    }
    double area = 0;
    Point centre{0, 0};
    for (std::size_t i = 0; i < points.size(); ++i) {
        const Point a = points[i], b = points[(i + 1) % points.size()];
        const double w = cross(a, b);
        area += w;
        centre = centre + (a + b) * w;
    }
    for (Point& p : points) p = p - centre * (1 / (3 * area));
    return points;
}

inline Catalogue mosaic_catalogue() {
    Catalogue c;
    c.palette = {{"blue", {30, 90, 190}},
                 {"red", {205, 40, 45}},
                 {"green", {40, 150, 70}},
                 {"yellow", {240, 200, 40}}};
    const std::vector<std::string> colours = {"blue", "red", "green", "yellow"};
    const double S = kSmall_mm, L = kLarge_mm;
    const double base = std::acos(S / 2 / L) * 180 / M_PI;  // base angles of the tall triangle
    const auto add = [&](const char* type, std::vector<double> sides, std::vector<double> turns) {
        c.polygons.push_back({type, walked(sides, turns), 4, colours});
    };
    add("small_triangle", {S, S, S}, {120, 120, 120});
    add("large_triangle", {S, L, L}, {180 - base, 2 * base, 180 - base});
    add("small_square", {S, S, S, S}, {90, 90, 90, 90});
    add("large_square", {L, L, L, L}, {90, 90, 90, 90});
    add("rhombus", {S, S, S, S}, {60, 120, 60, 120});
    add("trapezoid", {L, S, S, S}, {120, 60, 60, 120});
    add("rectangle", {L, S, L, S}, {90, 90, 90, 90});
    add("hexagon", {S, S, S, S, S, S}, {60, 60, 60, 60, 60, 60});
    c.stones.push_back({16, 6, colours});
    return c;
}

inline Polygon placed(const PolygonKind& kind, Pose at) {
    Polygon out;
    for (Point p : kind.outline_mm) out.push_back(place(at, p));
    return out;
}

inline std::vector<cv::Point2f> as_floats(const Polygon& p) {
    std::vector<cv::Point2f> out;
    for (Point q : p) out.emplace_back(static_cast<float>(q.x), static_cast<float>(q.y));
    return out;
}

inline double overlap_mm2(const Polygon& a, const Polygon& b) {
    std::vector<cv::Point2f> common;
    return cv::intersectConvexConvex(as_floats(a), as_floats(b), common);
}

/// Up to `count` pieces, each laid with a side against a side of one before it, `gap_mm` apart.
inline std::vector<Piece> random_mosaic(const Catalogue& catalogue, int count, std::uint64_t seed,
                                        double gap_mm, bool one_colour = false) {
    std::mt19937_64 rng{seed};
    const auto below = [&](std::size_t n) { return static_cast<std::size_t>(rng() % n); };
    std::vector<Piece> pieces;
    std::vector<Polygon> outlines;
    for (int tries = 0; tries < 4000 && static_cast<int>(pieces.size()) < count; ++tries) {
        const PolygonKind& kind = catalogue.polygons[below(catalogue.polygons.size())];
        Piece piece;
        piece.kind = PieceKind::polygon;
        piece.type = kind.type;
        piece.colour = kind.colours[one_colour ? 0 : below(kind.colours.size())];
        const bool twice = std::any_of(pieces.begin(), pieces.end(), [&](const Piece& p) {
            return p.type == piece.type && p.colour == piece.colour;
        });
        if (twice) continue;
        Pose at{600, 340, static_cast<double>(below(6283)) / 1000};
        if (!pieces.empty()) {
            const Polygon& other = outlines[below(outlines.size())];
            const std::size_t i = below(other.size()), j = below(kind.outline_mm.size()),
                              n = kind.outline_mm.size();
            const Point a = other[i], b = other[(i + 1) % other.size()];
            const Point c = kind.outline_mm[j], d = kind.outline_mm[(j + 1) % n];
            if (std::abs(distance(a, b) - distance(c, d)) > 0.5) continue;
            const Point along = (b - a) * (1 / distance(a, b)), outward{along.y, -along.x};
            at.angle = std::atan2(a.y - b.y, a.x - b.x) - std::atan2(d.y - c.y, d.x - c.x);
            const Point c_at = b + outward * gap_mm - rotated(c, at.angle);
            at.x = c_at.x, at.y = c_at.y;
        }
        const Polygon outline = placed(kind, at);
        if (std::any_of(outlines.begin(), outlines.end(),
                        [&](const Polygon& o) { return overlap_mm2(o, outline) > 1; }))
            continue;
        if (std::any_of(outline.begin(), outline.end(),
                        [](Point p) { return p.x < 130 || p.x > 1070 || p.y < 110 || p.y > 565; }))
            continue;
        piece.x = at.x, piece.y = at.y, piece.angle = wrapped(at.angle);
        pieces.push_back(piece);
        outlines.push_back(outline);
    }
    return pieces;
}

}  // namespace overboard::test
