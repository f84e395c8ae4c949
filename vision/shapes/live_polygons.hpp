#pragma once

#include <optional>
#include <vector>

#include "vision/shapes/mosaic.hpp"
#include "vision/view.hpp"

namespace overboard::vision {

/// A polygon of the catalogue as a piece; nothing when the catalogue has no such type or colour.
std::optional<LaidPolygon> laid_from(const Catalogue& catalogue, const Piece& piece);

/// Has a known polygon neither moved nor been taken away, by what has changed round its sides?
bool lies_untouched(const View& view, const PolygonKind& kind, Pose pose);

/// The polygons on a table that was understood before (`view.before` must be set): those that still
/// lie where they lay, as they were; those pushed a little, where they lie now; and what came anew.
std::vector<LaidPolygon> follow_polygons(const View& view, const Catalogue& catalogue,
                                         cv::Mat classes);

}  // namespace overboard::vision
