#pragma once

#include <map>
#include <string>
#include <vector>

#include "bus/geometry.hpp"
#include "rules/jouets/jouets.hpp"

/// Where shops, market and pile lie on the table (data/layout.json). Each shop is turned towards
/// its player; its register lies at the shop's origin.
namespace overboard::rules::jouets {

struct Layout {
    double tile_mm = 45;
    std::map<std::string, Point> shops;   ///< Seat → centre of the register.
    std::map<std::string, Point> scores;  ///< Seat → where its coins are told, beside the shop.
    std::vector<Point> market;
    Point pile;
    double market_reach_x_mm = 0, market_reach_y_mm = 0;  ///< Half the market's area.

    [[nodiscard]] Pose shop(const std::string& seat) const;
    [[nodiscard]] Pose place(const std::string& seat, Cell cell) const;
    [[nodiscard]] bool in_market(Point p) const;
    /// Whether `p` lies where this seat's shop can grow.
    [[nodiscard]] bool in_shop(const std::string& seat, Point p) const;
    [[nodiscard]] Polygon outline(Pose tile) const;
};

/// Throws std::runtime_error when the data file is missing or broken.
const Layout& layout();

}  // namespace overboard::rules::jouets
