#pragma once

#include <opencv2/core.hpp>
#include <optional>
#include <vector>

/// Straight-sided outlines in a picture: from a mask's contour to corners good to a fraction of a
/// pixel.
namespace overboard::vision {

using Outline = std::vector<cv::Point2f>;  ///< In order round the outline, not closed.

/// The convex polygon a contour follows, three to six corners; nothing when it follows none.
std::optional<Outline> polygon_of(const std::vector<cv::Point>& contour);

/// How an outline stands in the picture.
struct EdgeEvidence {
    double share = 0;     ///< Of the outline that has a step in colour.
    double contrast = 0;  ///< Median step, as a colour distance of 441.
};

/// Moves every side onto the step in colour it follows, within `reach_px`.
EdgeEvidence snap_to_edges(const cv::Mat& bgr, Outline& corners, float reach_px = 4);

/// Where, across a side at `p`, the colour passes half way from one side to the other: the steepest
/// place within `reach_px`, nearer ones first. False: no step at all.
bool step_across(const cv::Mat& bgr, cv::Point2f p, cv::Point2f outward, float reach_px,
                 cv::Point2f& edge, double& contrast);

/// Colours across a side, every half pixel from `reach_px` inside to as far outside.
using Profile = std::vector<cv::Vec3f>;
inline constexpr float kProfileStep_px = 0.5f;
Profile profile_across(const cv::Mat& bgr, cv::Point2f p, cv::Point2f outward, float reach_px);

/// Where two pieces of one colour meet there is no step but a fine line. True when the profile has
/// one colour at both ends; `at_px` then is how far outward of its middle the line lies, or nothing
/// where it is not clear.
bool seam_in(const Profile& profile, std::optional<float>& at_px);

double area_of(const Outline& corners);  ///< Positive.
cv::Point2f centroid_of(const Outline& corners);

}  // namespace overboard::vision
