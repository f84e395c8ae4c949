#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bus/geometry.hpp"
#include "bus/table.hpp"

/// What a game hands to vision (and to the simulator): the objects it is played with, by shape,
/// size and colour. Nothing here knows a rule.
namespace overboard {

struct Rgb {
    std::uint8_t r = 0, g = 0, b = 0;
    friend bool operator==(const Rgb&, const Rgb&) = default;
};

struct NamedColour {
    std::string name;  ///< As it appears in Piece::colour.
    Rgb rgb;           ///< In good light; vision expects bad light.
};

struct DiscKind {
    std::string type;  ///< "blue", "queen", "striker", "white", "black".
    double diameter_mm = 20;
    double height_mm = 6;
    Rgb colour;
    int count = 1;  ///< How many may be on the table.
};

struct DieKind {
    double edge_mm = 16;
    int count = 1;
};

/// Cards and tiles: flat, printed, rectangular; told apart by their faces.
struct FaceKind {
    std::string set;  ///< Names the folder of reference faces.
    double width_mm = 63;
    double height_mm = 88;
    double thickness_mm = 0.3;
    double corner_radius_mm = 3;
    std::vector<std::string> faces;  ///< Without the back.
    bool has_back = true;            ///< Face down shows a common back.
    bool point_symmetric = false;    ///< Looks the same turned by 180 degrees.
};

struct PolygonKind {
    std::string type;
    Polygon outline_mm;  ///< Vertices about the centroid at angle 0, clockwise.
    double height_mm = 4;
    std::vector<std::string> colours;  ///< Names from the palette.
};

/// Round things told apart by colour only: stones lie flat on other pieces, pawns stand up.
struct RoundKind {
    double diameter_mm = 16;
    double height_mm = 6;
    std::vector<std::string> colours;
};

struct Hole {
    std::string name;  ///< "ne", "se", "sw", "nw".
    Point centre;      ///< Board frame.
    double diameter_mm = 30;
};

/// What is printed on a board: things that look like pieces and are none.
struct PrintedCircle {
    Point centre;
    double diameter_mm = 16;
    double line_mm = 0;  ///< 0: filled.
    Rgb colour;
};
struct PrintedLine {
    Point from, to;
    double line_mm = 1;
    Rgb colour;
};

/// A board lying on the table. Board frame: mm, origin at the centre of the playing surface.
struct BoardKind {
    std::string name;
    double width_mm = 400;
    double height_mm = 400;
    double elevation_mm = 0;     ///< Playing surface above the table.
    double frame_mm = 0;         ///< Breadth of the frame round the surface; 0: none.
    double frame_height_mm = 0;  ///< Top of the frame above the playing surface.
    Rgb surface{222, 190, 140};
    Rgb frame{90, 50, 30};
    std::vector<Hole> holes;
    std::vector<PrintedCircle> circles;
    std::vector<PrintedLine> lines;
    std::string
        art;  ///< Name of the drawn board in the simulator's art; empty: from the lists above.
    Pose at{600, 337.5, 0};  ///< Where it lies unless seen elsewhere; table frame.
};

struct Catalogue {
    Table table;
    std::vector<NamedColour> palette;
    std::vector<DiscKind> discs;
    std::vector<DieKind> dice;
    std::vector<FaceKind> cards;
    std::vector<FaceKind> tiles;
    std::vector<PolygonKind> polygons;
    std::vector<RoundKind> stones;
    std::vector<RoundKind> pawns;
    std::optional<BoardKind> board;
};

}  // namespace overboard
