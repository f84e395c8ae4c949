#pragma once

#include <array>
#include <cmath>

#include "vision/faces/face_thumb.hpp"

/// Thumbs as pictures of three float channels, at the two scales they are compared at.
namespace overboard::vision {

/// A picture at one of the two scales at which rivals are compared; three channels, 0 … 255.
template <int W, int H>
struct Picture {
    static constexpr int kCells = W * H;
    std::array<float, kCells * 3> bgr;
};
using Fine = Picture<kFineW, kFineH>;  // as sampled: small symbols
using Soft = Picture<kW,
                     kH>;  // means of 6 × 6 samples: tints and fillings, whatever their lines do

inline Fine fine_of(const Thumb& thumb) {
    Fine out;
    for (std::size_t i = 0; i < thumb.bgr.size(); ++i) out.bgr[i] = thumb.bgr[i];
    return out;
}

/// Every cell the mean of the nine around it.
template <int W, int H>
Picture<W, H> smoothed(const Picture<W, H>& p) {
    Picture<W, H> rows, out;
    const auto mean3 = [](const float* q, int before, int after) {
        return (q[before] + q[0] + q[after]) / 3;
    };
    for (int y = 0; y < H; ++y)
        for (int x = 0; x < W * 3; ++x)
            rows.bgr[y * W * 3 + x] = mean3(&p.bgr[y * W * 3 + x], x < 3 ? 0 : -3,
                                            x >= (W - 1) * 3 ? 0 : 3);
    for (int y = 0; y < H; ++y)
        for (int x = 0; x < W * 3; ++x)
            out.bgr[y * W * 3 + x] = mean3(&rows.bgr[y * W * 3 + x], y == 0 ? 0 : -W * 3,
                                           y == H - 1 ? 0 : W * 3);
    return out;
}

inline Soft soft_of(const Thumb& thumb) {
    Soft half;
    for (int y = 0; y < kH; ++y)
        for (int x = 0; x < kW; ++x)
            for (int c = 0; c < 3; ++c) {
                const std::uint8_t*
                    p = &thumb.bgr[static_cast<std::size_t>(2 * y * kFineW + 2 * x) * 3 + c];
                half.bgr[(y * kW + x) * 3 + c] = 0.25F *
                                                 static_cast<float>(p[0] + p[3] + p[kFineW * 3] +
                                                                    p[kFineW * 3 + 3]);
            }
    return smoothed(half);
}

template <int W>
cv::Vec2f from_middle(int i) {
    return {static_cast<float>(i % W) / W - 0.5F, static_cast<float>(i / W) / W - 0.5F};
}

/// The colour of the ink: how blue and red change, against green, as the picture gets darker. The
/// slope does not care how thin the lines are nor what colour the lamp has.
inline cv::Vec2d ink_of(const Soft& p) {
    Soft logs;
    cv::Mat all(1, Soft::kCells * 3, CV_32F, logs.bgr.data());
    cv::add(cv::Mat(all.size(), CV_32F, const_cast<float*>(p.bgr.data())), 24, all);
    cv::log(all, all);
    double n = 0, sy = 0, syy = 0, sb = 0, sr = 0, syb = 0, syr = 0;
    for (int y = 2; y < kH - 2; ++y)
        for (int x = 2; x < kW - 2; ++x) {
            const float* v = &logs.bgr[(y * kW + x) * 3];
            const double b = v[0], g = v[1], r = v[2], dark = (b + g + r) / 3;
            n += 1, sy += dark, syy += dark * dark, sb += b - g, sr += r - g, syb += dark * (b - g),
                syr += dark * (r - g);
        }
    const double var = syy - sy * sy / n + 0.05;
    return {(syb - sy * sb / n) / var, (syr - sy * sr / n) / var};
}

}  // namespace overboard::vision
