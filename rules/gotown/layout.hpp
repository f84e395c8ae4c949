#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bus/geometry.hpp"

/// Where the cards lie on the table (data/layout.json): towers grow from each seat towards the
/// middle, every floor leaving a strip of the one below in sight; dogs to the right of their floor,
/// milkshakes to the left of the tower; the piles in the middle.
namespace overboard::rules::gotown {

/// A place where a card can lie.
struct Slot {
    enum class What { left, right, dog, milkshake, draw_pile, discard, truck };
    What what = What::left;
    int level = 0;  ///< Floor from 0, or the how-many-th milkshake or truck.
};

struct Layout {
    double table_width_mm, table_height_mm;
    double card_width_mm, card_height_mm;
    double first_floor_mm;  ///< Centre of the lowest floor from the table's edge.
    double strip_mm;        ///< From floor to floor.
    double column_mm;       ///< Centres of a floor's two cards from the tower's middle line.
    double dog_mm;
    std::vector<double> milkshake_mm;
    Point draw_pile, discard, truck;
    double reach_along_mm;  ///< How far from its place a card still belongs there, up the tower.
    double reach_across_mm;
    double reach_pile_mm;

    [[nodiscard]] Pose seat(
        const std::string& seat) const;  ///< Middle of the edge; y towards the player.
    [[nodiscard]] Pose place(const std::string& seat, Slot slot) const;
    /// Whose slot a card at `p` lies in; seat is empty for the middle of the table.
    [[nodiscard]] std::optional<Slot> slot_at(const std::string& seat, Point p) const;
    [[nodiscard]] Polygon outline(Pose card) const;
};

/// Throws std::runtime_error when the data file is missing or broken.
const Layout& layout();

}  // namespace overboard::rules::gotown
