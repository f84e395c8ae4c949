#pragma once

#include <opencv2/core.hpp>
#include <vector>

#include "vision/faces/faces.hpp"

/// Rectangles seen in perspective: where cards and tiles may lie. Knows outlines, not faces.
namespace overboard::vision {

struct Quad {
    Corners corners{};   ///< Clockwise as seen; virtual corners where the piece is rounded.
    float support = 0;   ///< Part of the outline along which there really is an edge, 0 … 1.
    float contrast = 0;  ///< Median colour difference across the outline, 0 … 255.
};

/// Chosen on labelled photographs with tests/bench/vision_cards_accuracy_bench.
struct QuadLimits {
    float min_side_px = 22;     ///< Lower: more specks looked at.
    float max_area = 0.7F;      ///< Of the picture.
    float max_aspect = 2.3F;    ///< Longer by shorter side. Higher: more shadows and table edges.
    float min_fill = 0.82F;     ///< Of the quadrilateral by its contour. Lower: torn outlines pass,
                                ///< and clutter.
    float min_support = 0.55F;  ///< Lower: weaker outlines pass.
};

/// A corner of some outline, which need not be a rectangle's: pieces that touch or cover each
/// other.
struct OutlineCorner {
    cv::Point2f at;        ///< Virtual where it is rounded.
    cv::Point2f back, on;  ///< Unit vectors along the two sides, away from the corner; the inside
                           ///< is between them.
};

/// Every quadrilateral that could be the outline of a flat rectangle, each once, best supported
/// first. `mask`: empty, or 0 where not to look. `corners`: also collects right-angled corners of
/// all outlines.
std::vector<Quad> find_quads(const cv::Mat& bgr, const cv::Mat& mask, const QuadLimits& limits = {},
                             std::vector<OutlineCorner>* corners = nullptr);

/// Moves the sides onto the strongest edges within `reach_px`; false when a side has none to
/// follow.
bool refine_outline(const cv::Mat& bgr, Corners& corners, float reach_px);

/// Fills in support and contrast.
void measure_outline(const cv::Mat& bgr, Quad& quad);

/// Part of one side, from `from` to `to` of it, along which there is an edge.
float side_support(const cv::Mat& bgr, const Corners& corners, int side, float from = 0,
                   float to = 1);

float area_of(const Corners& corners);
cv::Point2f centre_of(const Corners& corners);  ///< Where the diagonals meet.
float mean_side(const Corners& corners,
                int which);  ///< 0: first and third side, 1: second and fourth.
/// Common area, as a part of the smaller one.
float covered(const Corners& a, const Corners& b);
bool convex_clockwise(const Corners& corners);

}  // namespace overboard::vision
