#pragma once

#include <cairo.h>

#include <functional>
#include <string>
#include <vector>

#include "simulator/art.hpp"

/// One painter a set of faces; art.cpp holds the visible list.
namespace overboard::simulator {

void paint_gotown(cairo_t* cr, const std::string& face, FaceSize size);
std::vector<std::string> gotown_faces();
int gotown_copies(const std::string& face);  ///< In a full set of cards.
void paint_jouets(cairo_t* cr, const std::string& face, FaceSize size);
std::vector<std::string> jouets_faces();
void paint_gayplay(cairo_t* cr, const std::string& face, FaceSize size);
std::vector<std::string> gayplay_faces();
void paint_gayplay_board(cairo_t* cr, const BoardKind& board);

/// What a game needs besides the pieces on the table: lists for the players.
class Sheet;
void print_extras(Sheet& sheet, const std::string& game);

/// A face nobody has drawn: colours and shapes from the letters of its name, and the name.
void paint_unknown(cairo_t* cr, const std::string& face, FaceSize size);

}  // namespace overboard::simulator
