#include "vision/plane.hpp"

#include <opencv2/imgproc.hpp>

namespace overboard::vision {

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
