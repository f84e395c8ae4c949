#pragma once

#include <optional>
#include <vector>

#include "bus/observation.hpp"
#include "vision/view.hpp"

namespace overboard::vision {

/// Round flat stones lying on other pieces. `seen`: what was found before; on a polygon of its own
/// colour a stone is only looked for when the polygon is among them.
std::vector<Piece> detect_stones(const View& view, const Catalogue& catalogue,
                                 const std::vector<Piece>& seen = {});

/// Gives the places of stones the colour of the polygon they lie on: on a narrow one they would
/// cut it in two. `classes` as Palette::classify gives them.
void look_through_stones(const View& view, const Catalogue& catalogue, cv::Mat& classes);

}  // namespace overboard::vision
