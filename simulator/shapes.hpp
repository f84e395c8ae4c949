#pragma once

#include "bus/catalogue.hpp"
#include "bus/observation.hpp"
#include "simulator/world.hpp"

/// Shapes of all pieces a catalogue knows. Each is made once in a process and shared.
namespace overboard::simulator {

ShapePtr shape_of(const Catalogue& catalogue, const Piece& piece);
ShapePtr marker_shape(const Table& table, int id);
/// The board as bodies: its slab and the four bars of its frame, at `pose`.
std::vector<Body> board_bodies(const BoardKind& board, Pose pose);

Polygon rectangle_mm(double width, double height, double corner_radius);
Polygon circle_mm(double radius, int corners);

/// The die turned so that `value` is on top.
cv::Matx33d die_turn(int value);

}  // namespace overboard::simulator
