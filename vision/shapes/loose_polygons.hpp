#pragma once

#include <string>
#include <vector>

#include "vision/outlines.hpp"
#include "vision/view.hpp"

namespace overboard::vision {

/// A straight-sided piece of one colour, found without knowing what to look for.
struct LoosePolygon {
    Outline corners;      ///< Pixels of the picture.
    cv::Vec3f colour;     ///< Median inside, B G R.
    double contrast = 0;  ///< To what lies round it.
    double fit = 0;       ///< 0…1
};

/// What passes for a piece on a bare photograph.
struct LooseLimits {
    double min_share = 0.00012;  ///< Of the picture's area. Lower: crumbs and letters pass.
    double max_share = 0.12;     ///< Higher: sheets of paper and tables pass.
    double min_contrast = 24;    ///< Colour step along the outline.
    double min_outline = 0.8;    ///< Share of the outline with a step. Lower: half-hidden pieces,
                                 ///< more chance shapes.
    double max_unevenness = 26;  ///< Spread of the colour inside. Higher: print and skin pass.
    int min_votes = 2;           ///< How many ways of cutting the picture must show it.
};

std::vector<LoosePolygon> find_loose_polygons(const cv::Mat& bgr, const cv::Mat& mask,
                                              const LooseLimits& limits = {});

/// Triangle, square, rectangle, parallelogram, rhombus, trapezoid, hexagon; empty: none of these.
std::string shape_name(const Outline& corners);

}  // namespace overboard::vision
