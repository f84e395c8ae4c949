#pragma once

#include <opencv2/core.hpp>
#include <vector>

#include "bus/catalogue.hpp"
#include "bus/observation.hpp"
#include "calibration/table_map.hpp"

namespace overboard::vision {

class Palette;

/// The table when it was last understood, beside the picture of now. What lies untouched is still
/// what it was and is reported as such; only changed places have to be explained.
struct Known {
    cv::Mat changed;  ///< 8 bit, the picture's size: not 0 where it no longer looks as it did.
    cv::Mat unlike;   ///< 8 bit: by how much, light drift taken out; empty: not known.
    std::vector<Piece> pieces;  ///< What lay there; px in the picture's pixels.
    /// What lay there until it was covered or pushed away; it may be back.
    std::vector<Piece> lost = {};
    /// A hand was over the table since. Without one nothing comes or goes: what changed faintly is
    /// light.
    bool touched = true;
};

/// One picture and what is known about it. Every detector takes a View and a Catalogue and returns
/// pieces: with a map in table millimetres, without one in pixels ("frame":"image"). Either way
/// Piece::px and size_px are filled in.
struct View {
    cv::Mat bgr;                                 ///< 8 bit, three channels; shared, not copied.
    const calibration::TableMap* map = nullptr;  ///< Null: a bare photograph.
    cv::Mat mask;                                ///< 8 bit, same size or empty: 0 = do not look.
    const Known* before = nullptr;               ///< Null: the cold way.
    const Palette* colours = nullptr;  ///< Learnt from a larger picture; null: learn from this one.
};

}  // namespace overboard::vision
