#pragma once

#include <optional>
#include <vector>

#include "bus/observation.hpp"
#include "bus/table.hpp"
#include "table/mapping.hpp"

/// Where no light may fall: on pieces and on the table's markers.
namespace overboard::table {

/// How far light stays away. Sizes are of the largest piece of a kind: rules know exact ones, the
/// table only has to spare them.
struct KeepoutLimits {
    double soft_mm = 9;  ///< Over which the dark fades out. Larger: safer for vision, hints further
                         ///< away.
    double disc_mm = 15;  ///< Radius, like the ones below.
    double die_mm = 15;
    double polygon_mm = 34;
    double stone_mm = 12;
    double pawn_mm = 14;
    double card_width_mm = 65, card_height_mm = 90;
    double tile_mm = 47;          ///< Side.
    double marker_quiet_mm = 12;  ///< White round a marker that detection needs.
};

/// A shape to be left dark, table frame, convex.
struct Dark {
    Polygon outline;
    Point centre;
    double reach = 0;  ///< Radius of the circle round it.
    Rect box;
    bool round = false;
};

std::vector<Dark> dark_places(const std::vector<Piece>& pieces, const Table& table,
                              const KeepoutLimits& limits = {});

/// The place for a w x h box (angle: how it is turned) nearest to `wanted` that touches none of the
/// dark places nor the boxes, and lies on the table; `wanted` itself when there is none.
struct Clearance {
    const std::vector<Dark>* dark = nullptr;
    std::vector<Rect> boxes;
    Rect table;
    [[nodiscard]] bool free(const Rect& box) const;
    [[nodiscard]] double covered(const Rect& box) const;  ///< How many dark places it touches.
};
Point free_place(Point wanted, double w, double h, double angle, const Clearance& clearance);
/// The upright box round a turned one.
Rect turned_box(Point centre, double w, double h, double angle);

}  // namespace overboard::table
