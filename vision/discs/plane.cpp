#include "vision/discs/plane.hpp"

#include <algorithm>
#include <cmath>
#include <opencv2/imgproc.hpp>

namespace overboard::vision {
namespace {

// The columns of a homography as a camera of that focal length would have them.
struct Columns {
    cv::Vec3d x, y, shift;
    [[nodiscard]] double out_of_square() const {
        const double skew = x.dot(y) / (cv::norm(x) * cv::norm(y)),
                     aspect = std::log(cv::norm(x) / cv::norm(y));
        return skew * skew + aspect * aspect;
    }
};

Columns columns_for(const calibration::TableMap& flat, const cv::Matx33d& lens) {
    const cv::Matx33d h = flat.rotation(), inverse = lens.inv();
    const auto column = [&](int i) { return inverse * cv::Vec3d(h(0, i), h(1, i), h(2, i)); };
    Columns c{column(0), column(1), inverse * flat.translation()};
    const double scale = 2 / (cv::norm(c.x) + cv::norm(c.y)) * (c.shift[2] < 0 ? -1 : 1);
    c.x *= scale, c.y *= scale, c.shift *= scale;
    return c;
}

cv::Matx33d lens_of(double focal_px, cv::Size size) {
    return {focal_px, 0, (size.width - 1) / 2.0, 0, focal_px, (size.height - 1) / 2.0, 0, 0, 1};
}

// The focal length with which x and y look square and alike, as far as told corners say; near
// straight from above they say nothing.
double likely_focal_px(const calibration::TableMap& flat) {
    constexpr double kUsual = 0.95, kSpread = 0.35;  // of the longer side: phones, webcams; log
    constexpr double kCorners = 0.015;               // what told corners are worth
    const double side = std::max(flat.size().width, flat.size().height);
    double best = kUsual, least = 1e9;
    for (double f = 0.5 * kUsual; f < 2.5 * kUsual; f *= 1.03) {
        const double off = std::log(f / kUsual) / kSpread;
        const double cost = columns_for(flat, lens_of(f * side, flat.size())).out_of_square() /
                                (kCorners * kCorners) +
                            off * off;
        if (cost < least) least = cost, best = f;
    }
    return best * side;
}

}  // namespace

calibration::TableMap with_heights(const calibration::TableMap& map) {
    constexpr double kNoCamera = 0.15;   // out of square
    constexpr double kAslant_rad = 0.3;  // less says too little of where the camera is
    if (map.has_pose()) return map;
    const cv::Matx33d lens = lens_of(likely_focal_px(map), map.size());
    const Columns c = columns_for(map, lens);
    const cv::Vec3d across = c.x.cross(c.y), down = across * (1 / cv::norm(across));
    if (c.out_of_square() > kNoCamera * kNoCamera || down.dot(c.shift) <= 0 ||
        down[2] > std::cos(kAslant_rad))
        return map;
    calibration::Intrinsics camera;
    camera.size = map.size(), camera.K = lens;
    return {camera,
            {c.x[0], c.y[0], down[0], c.x[1], c.y[1], down[1], c.x[2], c.y[2], down[2]},
            c.shift};
}

Plane straighten(const View& view, Pose frame, Point corner, Point size, double px_per_mm,
                 double height_mm) {
    Plane plane{{}, frame, corner, px_per_mm, height_mm};
    // A picture much finer than the plane is made coarser first: remap alone would skip pixels.
    const Point middle = place(frame, corner + size * 0.5);
    const double finer = view.map->px_per_mm(middle, height_mm) / px_per_mm;
    cv::Mat source = view.bgr;
    const double scale = finer > 1.5 ? 1.15 / finer : 1;
    if (scale < 1) cv::resize(view.bgr, source, {}, scale, scale, cv::INTER_AREA);

    const cv::Size out(std::max(1, cvRound(size.x * px_per_mm)),
                       std::max(1, cvRound(size.y * px_per_mm)));
    cv::Mat where(out, CV_32FC2);
    for (int y = 0; y < out.height; ++y) {
        auto* row = where.ptr<cv::Vec2f>(y);
        for (int x = 0; x < out.width; ++x) {
            const cv::Point2d p = view.map->project(
                place(frame, plane.local({double(x), double(y)})), height_mm);
            row[x] = {float((p.x + 0.5) * scale - 0.5), float((p.y + 0.5) * scale - 0.5)};
        }
    }
    cv::remap(source, plane.bgr, where, cv::noArray(), cv::INTER_LINEAR, cv::BORDER_REPLICATE);
    return plane;
}

}  // namespace overboard::vision
