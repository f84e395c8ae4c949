#include "vision/colour.hpp"

#include <cmath>

namespace overboard::vision {
namespace {

float linear(float v) {
    v /= 255;
    return v <= 0.04045f ? v / 12.92f : std::pow((v + 0.055f) / 1.055f, 2.4f);
}

float lab_curve(float t) {
    return t > 0.008856f ? std::cbrt(t) : 7.787f * t + 16.0f / 116;
}

}  // namespace

cv::Vec3f lab_of(const cv::Vec3f& bgr) {
    const float b = linear(bgr[0]), g = linear(bgr[1]), r = linear(bgr[2]);
    const float x = lab_curve((0.4124f * r + 0.3576f * g + 0.1805f * b) / 0.9505f);
    const float y = lab_curve(0.2126f * r + 0.7152f * g + 0.0722f * b);
    const float z = lab_curve((0.0193f * r + 0.1192f * g + 0.9505f * b) / 1.089f);
    return {116 * y - 16, 500 * (x - y), 200 * (y - z)};
}

cv::Vec3f against(const cv::Vec3f& lab, const cv::Vec3f& surface_lab) {
    const float k = lab[0] / std::max(10.0f, surface_lab[0]);
    return {lab[0], lab[1] - k * surface_lab[1], lab[2] - k * surface_lab[2]};
}

}  // namespace overboard::vision
