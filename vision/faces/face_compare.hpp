#pragma once

#include "vision/faces/face_picture.hpp"

namespace overboard::vision {

/// How a crop has to be bent to lie on a reference.
struct Deformation {
    int index = 0;    ///< Whose reference it is; the caller's.
    float score = 0;  ///< 1: no grey left unexplained.
    cv::Matx23f to_query{1, 0, 0, 0,
                         1, 0};  ///< Reference fractions (0 … 1 of either side) → crop fractions.
};

/// Sixteen blocks of grey, each free to shift by two cells.
Deformation deform(const Feature& query, const Feature& reference);

/// The same where the crop lies within a cell or so of the reference, for a tenth of the cost: one
/// step down the slopes of the reference. The score is left out.
Deformation nudge(const Feature& query, const Feature& reference);

/// How much of the print is left unexplained in the block where most is, each block free to shift
/// by two cells: 0 … 1, of the block's own print. Strangers that share the frame and the corners
/// with a face differ in one place.
float worst_block(const Feature& query, const Feature& reference);

/// The corners moved by what a deformation says.
Corners corrected(const Corners& corners, const Deformation& deformation);

/// A thumb as rivals are told apart by it; made once for many of them.
struct Looks {
    Fine fine;
    Soft soft;
    cv::Vec2d ink;
};
Looks looks_of(const Thumb& thumb);

/// Is the crop rather `a` than `b`? Looks only where the two differ, sharply and softly, with the
/// light fitted where they agree, and at the colour of the ink. Positive: a, negative: b, at
/// most 1.6.
double tell_apart(const Looks& crop, const Looks& a, const Looks& b);

}  // namespace overboard::vision
