#include "calibration/table_map.hpp"

#include <cmath>
#include <opencv2/calib3d.hpp>
#include <stdexcept>

// A flat map is a camera without a lens whose "pose" columns are those of the homography: project()
// and to_table() then need no second code path, only heights are dropped.
namespace overboard::calibration {

cv::Point2d Intrinsics::distort(cv::Point2d p) const {
    const auto& d = distortion;
    const double r2 = p.x * p.x + p.y * p.y;
    const double radial = 1 + r2 * (d[0] + r2 * (d[1] + r2 * d[4]));
    const double x = p.x * radial + 2 * d[2] * p.x * p.y + d[3] * (r2 + 2 * p.x * p.x);
    const double y = p.y * radial + d[2] * (r2 + 2 * p.y * p.y) + 2 * d[3] * p.x * p.y;
    return {K(0, 0) * x + K(0, 1) * y + K(0, 2), K(1, 1) * y + K(1, 2)};
}

cv::Point2d Intrinsics::undistort(cv::Point2d pixel) const {
    const double y0 = (pixel.y - K(1, 2)) / K(1, 1);
    const double x0 = (pixel.x - K(0, 2) - K(0, 1) * y0) / K(0, 0);
    cv::Point2d p{x0, y0};
    const auto& d = distortion;
    if (d == cv::Vec<double, 5>{0, 0, 0, 0, 0}) return p;
    for (int i = 0; i < 25; ++i) {
        const double r2 = p.x * p.x + p.y * p.y;
        const double radial = 1 + r2 * (d[0] + r2 * (d[1] + r2 * d[4]));
        const double dx = 2 * d[2] * p.x * p.y + d[3] * (r2 + 2 * p.x * p.x);
        const double dy = d[2] * (r2 + 2 * p.y * p.y) + 2 * d[3] * p.x * p.y;
        const cv::Point2d next{(x0 - dx) / radial, (y0 - dy) / radial};
        const double step = std::hypot(next.x - p.x, next.y - p.y);
        p = next;
        if (step < 1e-12) break;
    }
    return p;
}

Intrinsics Intrinsics::scaled_to(cv::Size other) const {
    Intrinsics out = *this;
    const double sx = double(other.width) / size.width, sy = double(other.height) / size.height;
    out.size = other;
    out.K(0, 0) *= sx;
    out.K(0, 1) *= sx;
    out.K(0, 2) = (K(0, 2) + 0.5) * sx - 0.5;
    out.K(1, 1) *= sy;
    out.K(1, 2) = (K(1, 2) + 0.5) * sy - 0.5;
    return out;
}

TableMap::TableMap(Intrinsics intrinsics, const cv::Matx33d& R, const cv::Vec3d& t)
    : intrinsics_{std::move(intrinsics)}, R_{R}, t_{t}, has_pose_{true} {}

TableMap::TableMap(const cv::Matx33d& H, cv::Size size) {
    intrinsics_.size = size;
    R_ = cv::Matx33d(H(0, 0), H(0, 1), 0, H(1, 0), H(1, 1), 0, H(2, 0), H(2, 1), 0);
    t_ = {H(0, 2), H(1, 2), H(2, 2)};
}

cv::Point2d TableMap::project(Point p, double height_mm) const {
    const double z = has_pose_ ? -height_mm : 0;
    const cv::Vec3d c = R_ * cv::Vec3d(p.x, p.y, z) + t_;
    return intrinsics_.distort({c[0] / c[2], c[1] / c[2]});
}

Point TableMap::to_table(cv::Point2d pixel, double height_mm) const {
    const cv::Point2d n = intrinsics_.undistort(pixel);
    const double z = has_pose_ ? -height_mm : 0;
    // (R·(x,y,z)+t) ∥ (n.x,n.y,1): two linear equations in x and y.
    const auto row = [&](int i, double k) {
        const int c = 2;
        return cv::Vec3d(R_(i, 0) - k * R_(c, 0), R_(i, 1) - k * R_(c, 1),
                         -((R_(i, 2) - k * R_(c, 2)) * z + t_[i] - k * t_[c]));
    };
    const cv::Vec3d a = row(0, n.x), b = row(1, n.y);
    const double det = a[0] * b[1] - a[1] * b[0];
    return {(a[2] * b[1] - a[1] * b[2]) / det, (a[0] * b[2] - a[2] * b[0]) / det};
}

cv::Matx22d TableMap::jacobian(Point p, double height_mm) const {
    constexpr double h = 0.25;  // mm: far below any lens's curvature, far above rounding
    const auto x1 = project({p.x + h, p.y}, height_mm), x0 = project({p.x - h, p.y}, height_mm);
    const auto y1 = project({p.x, p.y + h}, height_mm), y0 = project({p.x, p.y - h}, height_mm);
    return {(x1.x - x0.x) / (2 * h), (y1.x - y0.x) / (2 * h), (x1.y - x0.y) / (2 * h),
            (y1.y - y0.y) / (2 * h)};
}

double TableMap::px_per_mm(Point p, double height_mm) const {
    const cv::Matx22d j = jacobian(p, height_mm);
    return std::sqrt(std::abs(j(0, 0) * j(1, 1) - j(0, 1) * j(1, 0)));
}

std::optional<cv::Vec3d> TableMap::eye() const {
    if (!has_pose_) return {};
    const cv::Vec3d e = -(R_.t() * t_);
    return cv::Vec3d(e[0], e[1], -e[2]);
}

TableMap map_from_points(const std::vector<Point>& table_mm, const std::vector<cv::Point2d>& pixels,
                         cv::Size size) {
    if (table_mm.size() != pixels.size() || table_mm.size() < 4)
        throw std::invalid_argument("a table map needs at least four points and their pixels");
    std::vector<cv::Point2d> from;
    for (const Point& p : table_mm) from.emplace_back(p.x, p.y);
    const cv::Mat H = cv::findHomography(from, pixels);
    if (H.empty()) throw std::invalid_argument("the four points lie on one line");
    return TableMap(cv::Matx33d(H.ptr<double>()), size);
}

}  // namespace overboard::calibration
