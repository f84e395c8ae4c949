#include "vision/discs/circle_rays.hpp"

#include <cmath>

namespace overboard::vision::rays {

const std::array<cv::Point2d, kRays>& directions() {
    static const auto all = [] {
        std::array<cv::Point2d, kRays> d;
        for (int i = 0; i < kRays; ++i)
            d[i] = {std::cos(2 * CV_PI * i / kRays), std::sin(2 * CV_PI * i / kRays)};
        return d;
    }();
    return all;
}

cv::Vec3f sample(const cv::Mat& bgr, cv::Point2d at) {
    const double x = std::clamp(at.x, 0.0, bgr.cols - 1.001),
                 y = std::clamp(at.y, 0.0, bgr.rows - 1.001);
    const int ix = int(x), iy = int(y);
    const float fx = float(x - ix), fy = float(y - iy);
    const auto* p = bgr.ptr<cv::Vec3b>(iy) + ix;
    const auto* q = bgr.ptr<cv::Vec3b>(std::min(iy + 1, bgr.rows - 1)) + ix;
    cv::Vec3f out;
    for (int c = 0; c < 3; ++c)
        out[c] = (p[0][c] * (1 - fx) + p[1][c] * fx) * (1 - fy) +
                 (q[0][c] * (1 - fx) + q[1][c] * fx) * fy;
    return out;
}

float largest(const cv::Vec3f& v) {
    return std::max({std::abs(v[0]), std::abs(v[1]), std::abs(v[2])});
}

// rho ≈ r + dr + dx·cos + dy·sin, weights fading with the residual.
Fit robust_fit(const std::array<Ray, kRays>& met, double r, double first_scale, double last_scale,
               cv::Point2d wall) {
    constexpr double kUsualWall = 0.6,
                     kSure = 0.7;  // share of it that looks like the face; in rays
    Fit fit;
    double share = kUsualWall;
    for (int pass = 0; pass < 5; ++pass) {
        const double scale = pass == 0
                                 ? 1e9
                                 : std::max(last_scale, first_scale * std::pow(0.5, pass - 1));
        cv::Matx44d A = cv::Matx44d::zeros();
        cv::Vec4d b(0, 0, 0, kSure * kUsualWall);
        fit.inliers = 0;
        for (int i = 0; i < kRays; ++i) {
            if (met[i].strength <= 0) continue;
            const cv::Vec4d row(directions()[i].x, directions()[i].y, 1,
                                wall_along(directions()[i], wall));
            const double residual = met[i].rho - r - row.dot({fit.dx, fit.dy, fit.dr, share});
            const double q = residual / scale, weight = 1 / ((1 + q * q) * (1 + q * q));
            if (std::abs(q) < 1.5) ++fit.inliers;
            A += weight * row * row.t();
            b += weight * (met[i].rho - r) * row;
        }
        A(2, 2) += 0.5;
        A(0, 0) += 0.2;
        A(1, 1) += 0.2;
        A(3, 3) += kSure;
        const cv::Vec4d s = A.solve(b, cv::DECOMP_CHOLESKY);
        fit.dx = s[0], fit.dy = s[1], fit.dr = s[2], share = s[3];
    }
    return fit;
}

}  // namespace overboard::vision::rays
