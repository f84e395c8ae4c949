// A plane seen by a camera is a homography; up to where the frame's origin lies and how it is
// turned, that is five numbers: where the horizon is (two), and how the picture without it is
// stretched (three). Every rectangle of known size gives five equations. Solved by
// Levenberg-Marquardt from the stretch of the middle one, without perspective; the horizon is held
// back a little, since small rectangles hardly tell it.
#include "vision/flats/flat_plane.hpp"

#include <algorithm>
#include <cmath>

#include "vision/flats/quads.hpp"

namespace overboard::vision {
namespace {

using Parameters = cv::Vec<double, 5>;  // horizon x, y; stretch xx, xy, yy

struct Problem {
    double width = 1, height = 1;  // of a rectangle
    double scale = 1;              // pixels of the picture's longer side
    cv::Point2d middle;            // of the picture
    double horizon_weight = 0.02;  // Higher: less perspective is believed.
};

cv::Matx33d to_table(const Problem& p, const Parameters& x) {
    const cv::Matx33d unit(1 / p.scale, 0, -p.middle.x / p.scale, 0, 1 / p.scale,
                           -p.middle.y / p.scale, 0, 0, 1);
    return cv::Matx33d(x[2], x[3], 0, 0, x[4], 0, x[0], x[1], 1) * unit;
}

cv::Point2d through_map(const cv::Matx33d& h, cv::Point2f p) {
    const cv::Vec3d q = h * cv::Vec3d(p.x, p.y, 1);
    return {q[0] / q[2], q[1] / q[2]};
}

/// How far the four corners are from those of the rectangle laid over them as well as it goes.
std::array<cv::Point2d, 4> misfit(const Problem& p, const cv::Matx33d& h, const Corners& corners) {
    std::array<cv::Point2d, 4> q;
    cv::Point2d middle;
    for (int i = 0; i < 4; ++i) q[i] = through_map(h, corners[i]), middle += q[i] * 0.25;
    const double w = p.width / 2, d = p.height / 2;
    const std::array<cv::Point2d, 4> local{{{-w, -d}, {w, -d}, {w, d}, {-w, d}}};
    double along = 0, across = 0;
    for (int i = 0; i < 4; ++i)
        along += local[i].dot(q[i] - middle), across += local[i].cross(q[i] - middle);
    const double angle = std::atan2(across, along), c = std::cos(angle), s = std::sin(angle);
    for (int i = 0; i < 4; ++i)
        q[i] -= middle +
                cv::Point2d(local[i].x * c - local[i].y * s, local[i].x * s + local[i].y * c);
    return q;
}

double rms_of(const Problem& p, const Parameters& x, const Corners& corners) {
    double sum = 0;
    for (const cv::Point2d& d : misfit(p, to_table(p, x), corners)) sum += d.dot(d);
    return std::sqrt(sum / 4) / std::min(p.width, p.height);
}

std::vector<double> residuals(const Problem& p, const Parameters& x,
                              const std::vector<Corners>& rectangles) {
    std::vector<double> out{p.horizon_weight * x[0], p.horizon_weight * x[1]};
    const cv::Matx33d h = to_table(p, x);
    for (const Corners& c : rectangles)
        for (const cv::Point2d& d : misfit(p, h, c))
            out.push_back(d.x / p.height), out.push_back(d.y / p.height);
    return out;
}

double cost_of(const std::vector<double>& r) {
    double sum = 0;
    for (const double v : r) sum += v * v;
    return std::isfinite(sum) ? sum : 1e30;
}

/// The stretch of one rectangle alone, made upper triangular: its turn does not matter.
Parameters start_from(const Problem& p, const Corners& c) {
    const cv::Point2f x = (c[1] - c[0] + c[2] - c[3]) * 0.5F,
                      y = (c[3] - c[0] + c[2] - c[1]) * 0.5F;
    const cv::Matx22d shape(x.x / p.scale / p.width, y.x / p.scale / p.height,
                            x.y / p.scale / p.width, y.y / p.scale / p.height);
    const cv::Matx22d a = shape.inv();
    const double n = std::hypot(a(0, 0), a(1, 0)), cosine = a(0, 0) / n, sine = a(1, 0) / n;
    return {0, 0, n, cosine * a(0, 1) + sine * a(1, 1), -sine * a(0, 1) + cosine * a(1, 1)};
}

void solve(const Problem& p, const std::vector<Corners>& rectangles, Parameters& x) {
    double damping = 1e-3;
    std::vector<double> r = residuals(p, x, rectangles);
    for (int round = 0; round < 30 && damping < 1e6; ++round) {
        cv::Matx<double, 5, 5> normal = cv::Matx<double, 5, 5>::zeros();
        Parameters gradient;
        std::array<std::vector<double>, 5> slope;
        for (int i = 0; i < 5; ++i) {
            const double step = i < 2 ? 1e-5 : 1e-5 * x[2];
            Parameters moved = x;
            moved[i] += step;
            slope[i] = residuals(p, moved, rectangles);
            for (std::size_t k = 0; k < r.size(); ++k)
                slope[i][k] = (slope[i][k] - r[k]) / step, gradient[i] += slope[i][k] * r[k];
            for (int j = 0; j <= i; ++j) {
                for (std::size_t k = 0; k < r.size(); ++k)
                    normal(i, j) += slope[i][k] * slope[j][k];
                normal(j, i) = normal(i, j);
            }
        }
        for (int i = 0; i < 5; ++i) normal(i, i) *= 1 + damping;
        const Parameters next = x - Parameters(
                                        (normal.inv() * cv::Matx<double, 5, 1>(gradient.val)).val);
        const std::vector<double> seen = residuals(p, next, rectangles);
        const double before = cost_of(r), after = cost_of(seen);
        damping *= after < before ? 0.2 : 8;
        if (after >= before) continue;
        x = next, r = seen;
        if (before - after < 1e-9 + 1e-4 * before) return;
    }
}

}  // namespace

std::optional<calibration::TableMap> map_from_rectangles(const std::vector<Corners>& rectangles,
                                                         double width_mm, double height_mm,
                                                         cv::Size picture) {
    // of the shorter side: worse, and it is no rectangle of this plane
    constexpr double kFits = 0.05;
    constexpr double kAgrees = 0.02;  // good outlines on a flat table
    if (rectangles.size() < 2) return {};
    std::vector<Corners> used = rectangles;
    std::sort(used.begin(), used.end(),
              [](const Corners& a, const Corners& b) { return area_of(a) < area_of(b); });
    const Problem p{width_mm,
                    height_mm,
                    static_cast<double>(std::max(picture.width, picture.height)),
                    {picture.width / 2.0, picture.height / 2.0}};
    Parameters x = start_from(p, used[used.size() / 2]);
    // The worst one goes, and everything is solved again, until all that are left agree or too few
    // would be.
    const std::size_t least = std::max<std::size_t>(
        2, rectangles.size() - (rectangles.size() + 1) / 3);
    for (;;) {
        solve(p, used, x);
        const auto worst = std::max_element(
            used.begin(), used.end(),
            [&](const Corners& u, const Corners& v) { return rms_of(p, x, u) < rms_of(p, x, v); });
        if (used.size() <= least || rms_of(p, x, *worst) < kAgrees) break;
        used.erase(worst);
    }
    const auto good = std::count_if(rectangles.begin(), rectangles.end(),
                                    [&](const Corners& c) { return rms_of(p, x, c) < kFits; });
    if (good < 2 || 2 * good < static_cast<std::ptrdiff_t>(rectangles.size())) return {};
    return calibration::TableMap{to_table(p, x).inv(), picture};
}

}  // namespace overboard::vision
