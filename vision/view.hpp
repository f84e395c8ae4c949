#pragma once

#include <opencv2/core.hpp>

#include "bus/catalogue.hpp"
#include "calibration/table_map.hpp"

namespace overboard::vision {

/// One picture and what is known about it. Every detector takes a View and a Catalogue and returns
/// pieces: with a map in table millimetres, without one in pixels ("frame":"image"). Either way
/// Piece::px and size_px are filled in.
struct View {
    cv::Mat bgr;                                    ///< 8 bit, three channels; shared, not copied.
    const calibration::TableMap* map = nullptr;     ///< Null: a bare photograph.
    cv::Mat mask;                                   ///< 8 bit, same size or empty: 0 = do not look.
};

}  // namespace overboard::vision
