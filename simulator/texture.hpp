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
    static constexpr float kWhite = 65535;

    /// The level to sample when one pixel of the frame covers `texels` texels of the full picture.
    [[nodiscard]] const cv::Mat& level(double texels) const;
    [[nodiscard]] cv::Size size() const { return levels_[0].size(); }

private:
    std::vector<cv::Mat> levels_;  // CV_16UC3, 0…kWhite: a game has a hundred faces in memory
};

/// Bilinear, (u, v) in 0…1 across the picture, clamped; linear light 0…1.
inline cv::Vec3f sample(const cv::Mat& level, float u, float v) {
    const float x = std::min(std::max(u * level.cols - 0.5f, 0.f), level.cols - 1.001f);
    const float y = std::min(std::max(v * level.rows - 0.5f, 0.f), level.rows - 1.001f);
    const int xi = int(x), yi = int(y);
    const float fx = x - xi, fy = y - yi;
    const auto* a = level.ptr<cv::Vec3w>(yi) + xi;
    const auto* b = level.ptr<cv::Vec3w>(yi + 1) + xi;
    const float k = 1 / Texture::kWhite, a0 = (1 - fx) * (1 - fy) * k, a1 = fx * (1 - fy) * k,
                b0 = (1 - fx) * fy * k, b1 = fx * fy * k;
    cv::Vec3f light;
    for (int i = 0; i < 3; ++i)
        light[i] = a0 * a[0][i] + a1 * a[1][i] + b0 * b[0][i] + b1 * b[1][i];
    return light;
}

using TexturePtr = std::shared_ptr<const Texture>;

}  // namespace overboard::simulator
