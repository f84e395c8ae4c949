#include "simulator/texture.hpp"

#include <array>
#include <cmath>
#include <opencv2/imgproc.hpp>

namespace overboard::simulator {
namespace {

const std::array<float, 256>& table() {
    static const auto all = [] {
        std::array<float, 256> t{};
        for (int i = 0; i < 256; ++i) t[i] = float(std::pow(i / 255.0, 2.2));
        return t;
    }();
    return all;
}

}  // namespace

float to_linear(std::uint8_t byte) {
    return table()[byte];
}

cv::Vec3f linear(Rgb c) {
    return {to_linear(c.b), to_linear(c.g), to_linear(c.r)};
}

Texture::Texture(const cv::Mat& bgr8) {
    cv::Mat lut(1, 256, CV_32F, const_cast<float*>(table().data())), full;
    cv::LUT(bgr8, lut, full);
    if (full.cols < 2 || full.rows < 2) cv::resize(full, full, {2, 2});
    full.convertTo(levels_.emplace_back(), CV_16U, kWhite);
    while (levels_.back().cols >= 8 && levels_.back().rows >= 8) {
        cv::Mat half;
        cv::resize(levels_.back(), half, {}, 0.5, 0.5, cv::INTER_AREA);
        levels_.push_back(half);
    }
}

const cv::Mat& Texture::level(double texels) const {
    const int wanted = int(std::floor(std::log2(std::max(texels, 1.0)) + 0.35));
    return levels_[std::min<std::size_t>(wanted, levels_.size() - 1)];
}

}  // namespace overboard::simulator
