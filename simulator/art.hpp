#pragma once

#include <opencv2/core.hpp>
#include <string>
#include <vector>

#include "bus/catalogue.hpp"

typedef struct _cairo cairo_t;

/// The artwork of all games, drawn by code. One set of functions draws what the simulated camera
/// sees, what the printer prints and what the faces are enrolled from.
namespace overboard::simulator {

/// Size of one face of a set, from the game that plays with it (63 × 88 mm when none does).
struct FaceSize {
    double width_mm = 63;
    double height_mm = 88;
    double corner_mm = 3;
};
FaceSize face_size(const std::string& set);

/// Every face of a set, "back" last where the set has one. Empty for an unknown set.
std::vector<std::string> face_names(const std::string& set);

/// 8-bit BGR, upright, edge to edge. A face nobody has drawn gets a pattern made from its name.
cv::Mat draw_face(const std::string& set, const std::string& face, double px_per_mm);

/// 8-bit BGR of the playing surface (without the frame), from `art` or from the lists of the kind.
cv::Mat draw_board(const BoardKind& board, double px_per_mm);

/// One face of a die with its pips; 8-bit BGR, `size_px` square.
cv::Mat draw_die_face(int value, int size_px, Rgb body, Rgb pips);

/// The same pictures onto any cairo surface. The context's unit must be the millimetre, the face's
/// top-left corner (the board's centre) its origin.
void paint_face(cairo_t* cr, const std::string& set, const std::string& face, FaceSize size);
void paint_board(cairo_t* cr, const BoardKind& board);

}  // namespace overboard::simulator
