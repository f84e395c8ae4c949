#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bus/geometry.hpp"

namespace overboard {

enum class PieceKind { disc, die, card, tile, polygon, stone, pawn };

/// Another thing this piece could be: a face, a value, a colour or a type, as text.
struct Alternative {
    std::string what;
    double confidence = 0;
};

/// One object on the table. (x, y) is where its centre stands on the table plane: its height is
/// corrected for. Which of type, colour, face and value mean something depends on the kind.
struct Piece {
    int id = 0;  ///< Stable while the piece stays on the table. 0: not tracked.
    PieceKind kind = PieceKind::disc;
    std::string type;                 ///< disc: its type; polygon: its shape.
    std::string colour;               ///< polygon, stone, pawn.
    std::optional<int> value;         ///< die; empty: cocked or unreadable.
    std::optional<std::string> face;  ///< card, tile; empty: unknown; "back": face down.
    double x = 0;
    double y = 0;
    double angle = 0;
    double vx = 0;  ///< mm/s
    double vy = 0;
    double confidence = 1;
    double seen = 0;                        ///< Source time when it was last really seen, s.
    std::vector<Alternative> alternatives;  ///< Best first, without the one reported.
    std::optional<Point> px;                ///< Centre in the image; `detect` and `track` only.
    std::optional<double> size_px;          ///< Diameter or edge in the image; likewise.
    Polygon corners_px;  ///< Cards and tiles in the image, from their own top-left; likewise.
};

/// All that is on the table in one frame.
struct Observation {
    std::string source;
    std::int64_t frame = 0;
    double time = 0;     ///< Source time of the exposure, s.
    bool still = false;  ///< Nothing moved and no hand was over the table for 0.4 s.
    std::vector<Piece> pieces;
    std::vector<Polygon> hands;
    std::optional<Pose> board;
    /// The camera state it was seen in; anything but "ok": do not score.
    std::string sight = "ok";
};

/// What the camera itself is worth at the moment (topic `camera`).
struct CameraState {
    std::string source;
    double time = 0;
    std::string state = "ok";  ///< ok, lost, dark, overexposed, blurred, blocked, moved.
    double figure = 0;         ///< The measurement behind it; its unit is in `unit`.
    std::string unit;
    double fps = 0;
};

}  // namespace overboard
