#pragma once

#include <opencv2/core.hpp>
#include <vector>

#include "vision/palette.hpp"
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
    double min_inside = 0.93;   ///< Share of a piece that must lie within its patch of colour. Lower: hidden parts forgiven.
    double min_outline = 0.30;   ///< Share of its outline along the patch's outline, before the rest is taken away.
    double one_piece = 0.85;    ///< Of a patch and a piece together, what they must share for the piece to be the patch …
    double rim_mm = 1.0;        ///< … but blur and shade may take so much off all its sides: a small piece loses more of itself.
    double max_left_over = 0.07; ///< Of a patch that no piece explains.
    int max_tries = 250;         ///< Placements tried for one patch. Higher: larger same-coloured mosaics, slower.
};

/// `classes` as Palette::classify gives them. `lying`: pieces known already, none of which is to be found again.
std::vector<LaidPolygon> find_laid_polygons(const View& view, const Catalogue& catalogue, const cv::Mat& classes,
                                            const MosaicLimits& limits = {}, const std::vector<LaidPolygon>& lying = {});

/// Moves a pose until the piece's projected sides lie on the picture's colour steps. Returns the share of the outline
/// with a step; the pose is left alone where too little is seen.
double settle_pose(const View& view, const PolygonKind& kind, double base_mm, Pose& pose);

}  // namespace overboard::vision
