#pragma once

#include <algorithm>
#include <array>
#include <opencv2/core.hpp>

/// Rays from about the middle of something round, and the circle through where they meet its rim.
namespace overboard::vision::rays {

constexpr int kRays = 48;
constexpr float kRimStrength = 6;  ///< Grey levels across a rim that count as an edge.

/// Their directions, all round.
const std::array<cv::Point2d, kRays>& directions();

/// The colour (BGR) there, between pixels.
cv::Vec3f sample(const cv::Mat& bgr, cv::Point2d at);

/// The channel that differs most.
float largest(const cv::Vec3f& difference);
inline float any_edge(const cv::Vec3f& inner, const cv::Vec3f& outer) {
    return largest(outer - inner);
}

struct Ray {
    float rho = 0;       ///< Where the rim was met.
    float strength = 0;  ///< 0: not met.
};

/// How far beyond the rim the lower edge of a wall is, in that direction.
inline double wall_along(cv::Point2d direction, cv::Point2d wall) {
    return std::max(0.0, direction.dot(wall));
}

/// Colours along one ray about the expected rim, `half` either way. `across`: how much of an edge
/// there is between two colours, inner one first.
template <class Across>
Ray meet_rim(const cv::Mat& bgr, cv::Point2d centre, cv::Point2d direction, double r, double half,
             double step, const Across& across) {
    constexpr int kMost = 64;
    const int n = std::min(kMost, std::max(5, int(2 * half / step) + 1));
    std::array<cv::Vec3f, kMost> line;
    for (int k = 0; k < n; ++k) line[k] = sample(bgr, centre + direction * (r - half + k * step));
    std::array<float, kMost> edge{};
    int best = -1;
    float best_value = 0;
    for (int k = 1; k + 1 < n; ++k) {
        edge[k] = across(line[k - 1], line[k + 1]);
        const double off = (r - half + k * step - r) / half;
        const float value = edge[k] * float(1 - 0.5 * off * off);
        if (value > best_value) best_value = value, best = k;
    }
    if (best < 1 || edge[best] < kRimStrength) return {};
    const float a = best > 1 ? edge[best - 1] : 0, b = edge[best],
                c = best + 2 < n ? edge[best + 1] : 0;
    const float bend = a - 2 * b + c;
    const float shift = bend < 0 ? std::clamp(0.5f * (a - c) / bend, -1.0f, 1.0f) : 0;
    return {float(r - half + (best + shift) * step), edge[best]};
}

struct Fit {
    double dx = 0, dy = 0, dr = 0;
    int inliers = 0;
};

/// The circle about r through where the rays met a rim; what is off by more than a scale counts
/// little, and the scale is halved from the first to the last. Where a wall shows below the rim,
/// towards `wall`, as much of it as it takes is added on that side.
Fit robust_fit(const std::array<Ray, kRays>& met, double r, double first_scale, double last_scale,
               cv::Point2d wall = {});

}  // namespace overboard::vision::rays
