#pragma once

#include <SFML/Graphics/Color.hpp>
#include <SFML/Graphics/Vertex.hpp>
#include <string_view>
#include <vector>

#include "table/mapping.hpp"
#include "table/text.hpp"
#include "table/theme.hpp"

/// Shapes and text as vertices in table millimetres, with edges softened over one pixel.
namespace overboard::table {

enum class Anchor { left, centre, right };

struct TextStyle {
    double size_mm = 12;
    sf::Color colour = sf::Color::White;
    Weight weight = Weight::regular;
    Anchor anchor = Anchor::left;
    double wrap_mm = 0;  ///< 0: one line.
};

/// The size a text will have, mm.
struct TextSize {
    double width = 0;
    double height = 0;
    int lines = 1;
};

/// Appends to one strip of triangles: every primitive begins and ends doubled, so strips can be
/// joined freely. Coordinates are local to `frame` (the table itself at first).
class Pen {
public:
    Pen(std::vector<sf::Vertex>& out, TextAtlas& atlas, double px_per_mm)
        : out_{&out}, atlas_{&atlas}, px_per_mm_{px_per_mm} {}

    Pose frame;  ///< Where local (0, 0) lies on the table and how local x runs.

    void disc(Point centre, double radius, sf::Color colour);
    void ring(Point centre, double radius, double width, sf::Color colour);
    /// Opaque within the radius, nothing `reach` further out.
    void soft_disc(Point centre, double radius, double reach, sf::Color colour);
    void polygon(const Polygon& points, sf::Color colour);
    void outline(const Polygon& points, double width, sf::Color colour);
    void line(const Polygon& points, double width, sf::Color colour);
    void dashes(const Polygon& points, bool closed, double width, double dash, sf::Color colour);
    void arrow(const Polygon& points, double width, sf::Color colour);
    void box(const Rect& rect, double corner, sf::Color colour);
    void box_outline(const Rect& rect, double corner, double width, sf::Color colour);
    /// A rectangle that goes from one colour at its top to another at its bottom.
    void shade(const Rect& rect, sf::Color top, sf::Color bottom);
    /// A soft-edged polygon: opaque inside, nothing `reach` outside.
    void halo(const Polygon& convex, double reach, sf::Color colour);
    /// `at`: middle of the text's height; left end, centre or right end by the anchor.
    void text(std::string_view utf8, Point at, const TextStyle& style);
    [[nodiscard]] TextSize measure(std::string_view utf8, const TextStyle& style) const;
    /// The largest size up to `style.size_mm` at which it fits the width (and lines, when wrapped),
    /// or `least_mm` where it fits at none.
    [[nodiscard]] TextStyle fitted(std::string_view utf8, TextStyle style, double width,
                                   int lines = 1, double least_mm = 6) const;

    [[nodiscard]] double pixel_mm() const { return 1 / px_per_mm_; }
    [[nodiscard]] static Polygon circle(Point centre, double radius, int corners);
    [[nodiscard]] static Polygon rounded(const Rect& rect, double corner);

private:
    struct Band {
        double offset;  ///< Outwards (clockwise polygons), mm.
        sf::Color colour;
    };
    [[nodiscard]] int corners(double radius) const;
    [[nodiscard]] sf::Vertex vertex(Point local, sf::Color colour) const;
    void strip(const std::vector<sf::Vertex>& vertices);
    void bands(const Polygon& path, bool closed, const std::vector<Band>& across);
    bool quad(const Sprite& sprite, Point centre, sf::Color colour);
    void fan(const Polygon& convex, sf::Color colour);
    void fill(const Polygon& any, sf::Color colour);

    std::vector<sf::Vertex>* out_;
    TextAtlas* atlas_;
    double px_per_mm_;
};

bool is_convex(const Polygon& points);

}  // namespace overboard::table
