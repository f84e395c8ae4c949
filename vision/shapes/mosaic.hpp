#pragma once

#include <opencv2/core.hpp>
#include <vector>

#include "vision/palette.hpp"
#include "vision/shapes/mosaic_cover.hpp"
#include "vision/view.hpp"

/// Polygons of known outlines on a table whose map is known.
namespace overboard::vision {

struct LaidPolygon {
    int kind = 0;    ///< Index into catalogue.polygons.
    int colour = 0;  ///< Index into catalogue.palette.
    Pose pose;       ///< Table mm.
    double fit = 0;  ///< 0…1: share of its outline seen in the picture.
};

struct MosaicLimits {
    PlaceLimits places;
    CoverLimits cover;
    /// Of a patch that no piece explains: more makes all of it less sure …
    double left_over = 0.07;
    double hopeless = 0.32;  ///< … and this much leaves it unexplained.
};

/// `classes` as Palette::classify gives them. `lying`: pieces known already, none of which is to be
/// found again.
std::vector<LaidPolygon> find_laid_polygons(const View& view, const Catalogue& catalogue,
                                            const cv::Mat& classes, const MosaicLimits& limits = {},
                                            const std::vector<LaidPolygon>& lying = {});

/// Moves a pose until the piece's projected sides lie on the picture's colour steps. Returns the
/// share of the outline with a step; the pose is left alone where too little is seen.
double settle_pose(const View& view, const PolygonKind& kind, double base_mm, Pose& pose);

}  // namespace overboard::vision
