#pragma once

#include <memory>
#include <opencv2/core.hpp>
#include <vector>

#include "bus/catalogue.hpp"

namespace overboard::simulator {

/// sRGB-like byte → linear light 0…1, and a whole colour (BGR order, as everything here).
float to_linear(std::uint8_t byte);
cv::Vec3f linear(Rgb colour);

/// A picture in linear light with its halvings, so that small pieces neither flicker nor alias.
class Texture {
public:
    explicit Texture(const cv::Mat& bgr8);

    /// The level to sample when one pixel of the frame covers `texels` texels of the full picture.
    [[nodiscard]] const cv::Mat& level(double texels) const;
    [[nodiscard]] cv::Size size() const { return levels_[0].size(); }

private:
    std::vector<cv::Mat> levels_;  // CV_32FC3
};

/// Bilinear, (u, v) in 0…1 across the picture, clamped.
inline cv::Vec3f sample(const cv::Mat& level, float u, float v) {
    const float x = std::min(std::max(u * level.cols - 0.5f, 0.f), level.cols - 1.001f);
    const float y = std::min(std::max(v * level.rows - 0.5f, 0.f), level.rows - 1.001f);
    const int xi = int(x), yi = int(y);
    const float fx = x - xi, fy = y - yi;
    const auto* a = level.ptr<cv::Vec3f>(yi) + xi;
    const auto* b = level.ptr<cv::Vec3f>(yi + 1) + xi;
    return (a[0] * (1 - fx) + a[1] * fx) * (1 - fy) + (b[0] * (1 - fx) + b[1] * fx) * fy;
}

using TexturePtr = std::shared_ptr<const Texture>;

}  // namespace overboard::simulator
