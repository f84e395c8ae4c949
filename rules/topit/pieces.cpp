#include "rules/topit/pieces.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "bus/data.hpp"
#include "rules/topit/geometry.hpp"
#include "rules/wire.hpp"

namespace overboard::rules::topit {
namespace {

constexpr std::size_t kMostShapes = 64, kMostSides = 16;
constexpr double kClosed_mm = 0.5;  // A rounded data file may miss its own start by this.
constexpr double kClosed_rad = 0.01;
constexpr double kSame_mm = 1e-3;
constexpr double kLargest_mm = 1000;

std::optional<std::vector<double>> numbers(const Json& json) {
    if (!json.is_array() || json.size() < 3 || json.size() > kMostSides) return {};
    std::vector<double> all;
    for (const Json& each : json) {
        const auto number = number_in(each);
        if (!number || *number <= 0 || *number > kLargest_mm) return {};
        all.push_back(*number);
    }
    return all;
}

/// Walks round the piece: along each side, then turning by what its next corner leaves of 180°.
std::optional<Polygon> walked(const Json& piece) {
    const auto sides = numbers(field(piece, "sides_mm")),
               corners = numbers(field(piece, "corners_deg"));
    if (!sides || !corners || sides->size() != corners->size()) return {};
    Polygon outline;
    Point at;
    double heading = 0;
    for (std::size_t i = 0; i < sides->size(); ++i) {
        outline.push_back(at);
        at = at + rotated({(*sides)[i], 0}, heading);
        heading += (180 - (*corners)[(i + 1) % corners->size()]) * M_PI / 180;
    }
    const bool full_turn = std::abs(heading - 2 * M_PI) < kClosed_rad;
    if (length(at) > kClosed_mm || !full_turn) return {};
    return outline;
}

std::optional<Polygon> given(const Json& piece) {
    const Json& vertices = field(piece, "vertices");
    if (!vertices.is_array() || vertices.size() < 3 || vertices.size() > kMostSides) return {};
    Polygon outline;
    for (const Json& each : vertices) {
        if (!each.is_array() || each.size() != 2) return {};
        const auto x = number_in(each[0]), y = number_in(each[1]);
        if (!x || !y || std::abs(*x) > kLargest_mm || std::abs(*y) > kLargest_mm) return {};
        outline.push_back({*x, *y});
    }
    return outline;
}

bool convex_and_clockwise(const Polygon& outline) {
    for (std::size_t i = 0; i < outline.size(); ++i) {
        const Side here = side_of(outline, i), next = side_of(outline, (i + 1) % outline.size());
        if (cross(here.b - here.a, next.b - next.a) <= 0) return false;
    }
    return true;
}

bool same_after(const Polygon& outline, double turn) {
    return std::all_of(outline.begin(), outline.end(), [&](Point p) {
        return std::any_of(outline.begin(), outline.end(),
                           [&](Point q) { return distance(rotated(p, turn), q) < kSame_mm; });
    });
}

void describe(Shape& shape) {
    const Point middle = centroid(shape.outline);
    for (Point& p : shape.outline) {
        p = p - middle;
        shape.radius_mm = std::max(shape.radius_mm, length(p));
    }
    const std::size_t n = shape.outline.size();
    std::size_t period = n;  // sides until they repeat
    for (std::size_t k = n; k >= 1; --k) {
        if (n % k == 0 && same_after(shape.outline, 2 * M_PI / static_cast<double>(k))) {
            period = n / k;
            shape.turn = 2 * M_PI / static_cast<double>(k);
            break;
        }
    }
    for (std::size_t i = 0; i < period; ++i) shape.own_sides.push_back(i);
}

std::optional<Shape> shape_from(const Json& json) {
    Shape shape;
    const auto name = text_field(json, "shape");
    const auto value = int_field(json, "value");
    const auto outline = field(json, "vertices").is_null() ? walked(json) : given(json);
    if (!name || name->empty() || !value || std::abs(*value) > 1000 || !outline ||
        !convex_and_clockwise(*outline))
        return {};
    shape.name = *name;
    shape.value = *value;
    shape.large = bool_field(json, "large").value_or(false);
    shape.outline = *outline;
    describe(shape);
    return shape;
}

}  // namespace

std::optional<int> PieceSet::shape_named(const std::string& name) const {
    for (std::size_t i = 0; i < shapes.size(); ++i)
        if (shapes[i].name == name) return static_cast<int>(i);
    return {};
}

std::shared_ptr<const PieceSet> pieces_from(const Json& json) {
    if (!json.is_array() || json.empty() || json.size() > kMostShapes) return nullptr;
    auto set = std::make_shared<PieceSet>();
    for (const Json& each : json) {
        const auto shape = shape_from(each);
        if (!shape || set->shape_named(shape->name)) return nullptr;
        set->shapes.push_back(*shape);
    }
    return set;
}

const std::shared_ptr<const PieceSet>& default_pieces() {
    static const auto set = [] {
        auto loaded = pieces_from(load_data("rules/topit/data/pieces.json").at("pieces"));
        if (!loaded)
            throw std::runtime_error(
                "rules/topit/data/pieces.json describes a piece that cannot be");
        return loaded;
    }();
    return set;
}

}  // namespace overboard::rules::topit
