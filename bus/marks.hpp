#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bus/geometry.hpp"
#include "bus/json.hpp"

/// What rules ask the table to project. Table millimetres; the theme decides how a style looks.
namespace overboard {

enum class MarkKind { text, circle, polygon, line, arrow, ghost, badge };
enum class MarkStyle { hint, warning, zone, score, replay };

struct Mark {
    MarkKind kind = MarkKind::circle;
    MarkStyle style = MarkStyle::hint;
    Point at;           ///< Centre of circle, text, badge; start of line and arrow.
    Polygon points;     ///< polygon, ghost: the outline; line, arrow: what follows `at`.
    double radius = 0;  ///< circle, and ghosts of round pieces.
    std::string text;   ///< Shown as it is (numbers, names).
    std::string key;    ///< Else: a message key the display translates, with `args`.
    Json args = Json::object();
    std::string seat;           ///< "s", "w", "n", "e": turns text towards a player.
    double size = 0;            ///< Height of text in mm; 0: the theme's.
    std::optional<double> ttl;  ///< s
    bool done = false;          ///< A ghost whose piece is back in place.
};

/// Whole lists, repeated each second: the newest replaces all before it.
struct Marks {
    std::string match;
    int seq = 0;
    std::vector<Mark> items;
};

}  // namespace overboard
