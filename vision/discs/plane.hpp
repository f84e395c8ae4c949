#pragma once

#include <opencv2/core.hpp>

#include "bus/geometry.hpp"
#include "vision/view.hpp"

namespace overboard::vision {

/// Where a homography puts a point.
[[nodiscard]] inline cv::Point2d through(const cv::Matx33d& h, cv::Point2d p) {
    const cv::Vec3d v = h * cv::Vec3d(p.x, p.y, 1);
    return {v[0] / v[2], v[1] / v[2]};
}

/// A flat map with heights: the camera's place guessed from how aslant the plane looks, for a
/// picture that is whole and a lens of usual width. The plane itself stays exactly where it was. A
/// map with a pose, one seen nearly from above, or one no camera could have, is given back as it
/// is.
calibration::TableMap with_heights(const calibration::TableMap& map);

/// A rectangle of some plane above the table, drawn straight: for the cold way only (it costs ten
/// times a copy of the frame). Millimetres are those of `frame`, a pose in the map's frame.
struct Plane {
    cv::Mat bgr;
    Pose frame;    ///< Its local frame, e.g. the board's.
    Point corner;  ///< Local millimetres of pixel (0, 0).
    double px_per_mm = 1;
    double height_mm = 0;  ///< Above the table.

    [[nodiscard]] Point local(cv::Point2d px) const {
        return {corner.x + px.x / px_per_mm, corner.y + px.y / px_per_mm};
    }
    [[nodiscard]] cv::Point2d pixel(Point p) const {
        return {(p.x - corner.x) * px_per_mm, (p.y - corner.y) * px_per_mm};
    }
};

/// Draws the rectangle from `corner` to `corner + size` (local mm).
Plane straighten(const View& view, Pose frame, Point corner, Point size, double px_per_mm,
                 double height_mm);

}  // namespace overboard::vision
