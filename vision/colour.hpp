#pragma once

#include <opencv2/core.hpp>

#include "bus/catalogue.hpp"

/// Colours as people tell them apart. CIE Lab, D65: L 0…100, a and b about ±100.
namespace overboard::vision {

cv::Vec3f lab_of(const cv::Vec3f& bgr);  ///< From 0…255.
inline cv::Vec3f bgr_of(const Rgb& c) {
    return {float(c.b), float(c.g), float(c.r)};
}

/// How a colour stands out from the surface it lies on, whatever the tint of the light: the
/// surface's own tint, scaled to the colour's lightness, is taken away. L stays.
cv::Vec3f against(const cv::Vec3f& lab, const cv::Vec3f& surface_lab);

inline float chroma(const cv::Vec3f& lab) {
    return std::hypot(lab[1], lab[2]);
}

}  // namespace overboard::vision
