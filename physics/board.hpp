#pragma once

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "bus/catalogue.hpp"
#include "bus/geometry.hpp"
#include "bus/json.hpp"

/// A carrom board is a data file (physics/data/<name>.json). Everything here is in the board frame:
/// millimetres, origin at the centre of the playing surface, x right, y down seen from above.
namespace overboard::physics {

/// One player's pair of lines with a circle at either end.
struct ShootingLine {
    std::string seat;              ///< "s" shoots from y > 0; then clockwise "w", "n", "e".
    Point outward;                 ///< Unit vector from the centre towards the shooter.
    Point along;                   ///< Unit vector along the lines, to the shooter's right.
    std::array<Point, 2> near;     ///< The line nearer to the shooter, from left to right.
    std::array<Point, 2> far;      ///< The line nearer to the middle.
    std::array<Point, 2> circles;  ///< Centres of the end circles, left and right.
    double circle_diameter_mm = 16;
    double line_mm = 1;
};

/// Where a disc stands at the start of a round.
struct Spot {
    std::string type;
    Point at;
};

struct Board {
    std::string name;
    double width_mm = 400;
    double height_mm = 400;
    double elevation_mm = 0;     ///< Playing surface above the table.
    double frame_mm = 0;         ///< Breadth of the frame.
    double frame_height_mm = 0;  ///< Top of the frame above the playing surface.
    double disc_diameter_mm = 20, disc_height_mm = 6, disc_mass_g = 1.7;
    double striker_diameter_mm = 26, striker_height_mm = 6, striker_mass_g = 4.6;
    std::vector<DiscKind> discs;  ///< Every type in the set, the striker last.
    std::vector<Hole> pockets;    ///< Inside the corners: each touches both walls.
    std::vector<ShootingLine> lines;
    std::vector<Spot> spots;               ///< The opening; empty on a board of rows.
    std::vector<std::vector<Point>> rows;  ///< Reverse side: five spots a row, nearest row first.
    std::vector<PrintedCircle> prints;     ///< Circles that are neither spot nor end circle.
    Rgb surface, frame, line, circle;      ///< Colours.
    std::map<std::string, Rgb> spot_colours;

    [[nodiscard]] bool knows(std::string_view type) const;
    [[nodiscard]] double diameter_of(std::string_view type) const;
    [[nodiscard]] double mass_of(std::string_view type) const;
    /// Null when nobody shoots from that seat.
    [[nodiscard]] const ShootingLine* line_of(std::string_view seat) const;
};

/// The board of that name: "to-go", "to-go-reverse", "tournament". Loaded once. Throws
/// std::runtime_error with one sentence when there is none or its file is broken.
const Board& load_board(std::string_view name);

/// A board from the JSON of such a file. Throws Json::exception when something is missing or wrong.
Board board_from(const Json& json);

/// The names load_board() knows, sorted.
std::vector<std::string> board_names();

/// What vision and the simulator need of it.
BoardKind kind_of(const Board& board);

/// May the striker be shot from `at`? CARROM-3: it covers an end circle completely, or lies over
/// both lines and touches neither circle. `open_line` is CARROM-21: touching one line is enough,
/// and the circles do not matter. `slack_mm` widens every limit by the camera's doubt.
bool striker_may_stand(const Board& board, const ShootingLine& line, Point at,
                       bool open_line = false, double slack_mm = 0);

}  // namespace overboard::physics
