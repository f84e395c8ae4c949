#pragma once

#include "table/stage.hpp"

/// Marks of any game, and the dark over pieces and markers.
namespace overboard::table {

/// Zones, circles, polygons, lines, arrows and ghosts, in that order of depth.
void paint_shapes(Stage& stage);
/// Texts and badges, each beside the pieces it would fall on.
void paint_words(Stage& stage);
/// The soft dark over pieces and markers; over everything painted before it.
void paint_dark(Stage& stage);
/// What needs a person: a ring round the place and the reason beside it, in the language and
/// direction of the player to move.
void paint_attention(Stage& stage);

/// How a mark's text reads for its seat.
std::string text_of(const Stage& stage, const Mark& mark);

}  // namespace overboard::table
