#include "vision/discs/circle_looks.hpp"

#include <algorithm>
#include <cmath>

namespace overboard::vision {
namespace {

// Colours inside and outside (beyond the wall where that shows), and how much of the rim separates
// two colours.
void measure(const cv::Mat& bgr, Circle& c, const std::array<bool, rays::kRays>& met,
             const std::array<double, rays::kRays>& beyond) {
    cv::Vec3f rim{}, around{}, core{};
    int steps = 0, hits = 0, outside = 0;
    double contrast = 0;
    for (int i = 0; i < rays::kRays; ++i) {
        const cv::Point2d d = rays::directions()[i];
        const auto at = [&](double share) {
            const double rho = c.r * share + (share > 1 ? beyond[i] : 0);
            return rays::sample(bgr, c.centre + d * rho);
        };
        const cv::Vec3f in = (at(0.82) + at(0.9)) * 0.5f, out = (at(1.1) + at(1.2)) * 0.5f;
        rim += in;
        core += (at(0.2) + at(0.4) + at(0.55) + at(0.65)) * 0.25f;
        hits += met[i];
        if (met[i]) around += out, ++outside;
        const float difference = rays::largest(in - out);
        contrast += difference;
        steps += met[i] && difference > 9;
    }
    c.rim = rim * (1.0f / rays::kRays);
    c.core = core * (1.0f / rays::kRays);
    c.around = outside ? around * (1.0f / outside) : c.rim;
    c.contrast = contrast / rays::kRays;
    c.support = double(hits) / rays::kRays;
    c.step = double(steps) / rays::kRays;
    c.score = c.support + 0.5 * c.step;
}

float median_of(std::array<float, rays::kRays> values) {
    std::nth_element(values.begin(), values.begin() + rays::kRays / 2, values.end());
    return values[rays::kRays / 2];
}

// The face against what lies beyond the rim and its shade, direction by direction: means over so
// many pixels tell colours apart that no single edge does.
void compare_face(const cv::Mat& bgr, Circle& c, const std::array<double, rays::kRays>& beyond) {
    std::array<cv::Vec3f, rays::kRays> change;
    std::array<std::array<float, rays::kRays>, 3> channels;
    for (int i = 0; i < rays::kRays; ++i) {
        const auto at = [&](double share) {
            const double rho = c.r * share + (share > 1 ? beyond[i] : 0);
            return rays::sample(bgr, c.centre + rays::directions()[i] * rho);
        };
        change[i] = (at(0.4) + at(0.55) + at(0.7) + at(0.82)) * 0.25f -
                    (at(1.25) + at(1.4) + at(1.55)) * (1 / 3.0f);
        for (int k = 0; k < 3; ++k) channels[k][i] = change[i][k];
    }
    const cv::Vec3f usual(median_of(channels[0]), median_of(channels[1]), median_of(channels[2]));
    const auto same = std::count_if(change.begin(), change.end(), [&](const cv::Vec3f& d) {
        return d.dot(usual) > 0.5f * usual.dot(usual);
    });
    c.alike = double(same) / rays::kRays;
    c.face_step = rays::largest(usual);
}

// Turned pieces have grooves round their centre: compares change along rays with change across
// them.
void look_for_rings(const cv::Mat& bgr, Circle& c) {
    constexpr int kSteps = 11;
    constexpr double kFrom = 0.2, kStep = 0.07;
    std::array<std::array<cv::Vec3f, kSteps>, rays::kRays> polar;
    for (int i = 0; i < rays::kRays; ++i)
        for (int k = 0; k < kSteps; ++k) {
            const double rho = c.r * (kFrom + k * kStep);
            polar[i][k] = rays::sample(bgr, c.centre + rays::directions()[i] * rho);
        }
    double along = 0, across = 0;
    for (int i = 0; i < rays::kRays; ++i)
        for (int k = 1; k < kSteps; ++k) {
            const double arc = (kFrom + k * kStep) * 2 * CV_PI / rays::kRays /
                               kStep;  // of one ray step, in radial steps
            const float radial = rays::largest(polar[i][k] - polar[i][k - 1]);
            const float around = rays::largest(polar[(i + 1) % rays::kRays][k] - polar[i][k]) /
                                 float(std::max(0.4, arc));
            along += radial * radial;
            across += around * around;
        }
    const double noise = 12.0 * rays::kRays *
                         kSteps;  // what sensor noise alone would add to either
    c.rings = (along + noise) / (along + across + 2 * noise);
    c.pattern = std::sqrt(across / (rays::kRays * kSteps));
}

}  // namespace

void look_at_circle(const cv::Mat& bgr, Circle& c, const std::array<bool, rays::kRays>& met,
                    const std::array<double, rays::kRays>& beyond) {
    measure(bgr, c, met, beyond);
    compare_face(bgr, c, beyond);
    look_for_rings(bgr, c);
    c.score += 0.5 * (c.rings - 0.5);
}

void take_colours(const cv::Mat& bgr, Circle& c) {
    cv::Vec3f rim, core, around;
    for (const cv::Point2d& d : rays::directions()) {
        const auto at = [&](double share) {
            return rays::sample(bgr, c.centre + d * (c.r * share));
        };
        rim += (at(0.82) + at(0.9)) * 0.5f;
        core += (at(0.2) + at(0.4) + at(0.55) + at(0.65)) * 0.25f;
        around += (at(1.1) + at(1.2)) * 0.5f;
    }
    c.rim = rim * (1.0f / rays::kRays);
    c.core = core * (1.0f / rays::kRays);
    c.around = around * (1.0f / rays::kRays);
}

}  // namespace overboard::vision
