#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bus/geometry.hpp"
#include "bus/json.hpp"

namespace overboard::rules::topit {

struct Shape {
    std::string name;
    int value = 0;
    bool large = false;
    Polygon outline;       ///< About the centroid at angle 0, clockwise; side 0 on top.
    double radius_mm = 0;  ///< Of the circle round the centroid that holds it.
    double turn = 0;       ///< Looks the same when turned by this; 2π when it never does.
    std::vector<std::size_t>
        own_sides;  ///< One of each kind that a turn does not bring onto another.
};

/// The eight shapes, or those of the options; one of each a colour.
struct PieceSet {
    std::vector<Shape> shapes;
    [[nodiscard]] std::optional<int> shape_named(const std::string& name) const;
};

/// Pieces as the data file writes them: sides and corners, or vertices. Null when any is broken.
std::shared_ptr<const PieceSet> pieces_from(const Json& json);
/// Throws std::runtime_error when the data file is missing.
const std::shared_ptr<const PieceSet>& default_pieces();

}  // namespace overboard::rules::topit
