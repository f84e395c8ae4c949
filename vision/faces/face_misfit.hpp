#pragma once

#include "vision/faces/face_thumb.hpp"

namespace overboard::vision {

/// What of a crop its reference does not explain once the light is taken out, print being free to
/// lie a cell beside its place. The crop must lie on the reference to within a cell.
struct Misfit {
    std::array<float, kGray>
        off{};        ///< Of every grey cell, levels of 255; print may be a little paler or deeper.
    float mean = 0;   ///< Of these.
    float worst = 0;  ///< In the worst place, of the print that is there: 0 … 1, and more when
                      ///< there is none.
    float ink = 0;    ///< Between the colours of the ink.
};
Misfit misfit(const Thumb& crop, const Thumb& reference);

/// Does `a` explain the crop better than `b`? 1: wherever they differ, -1: nowhere.
double better_explained(const Misfit& a, const Misfit& b);

/// Over 1: a stranger, however much it looks like the reference. `m`: what misfit() says of the
/// two.
double strangeness(const Misfit& m, const Thumb& crop, const Thumb& reference);

}  // namespace overboard::vision
