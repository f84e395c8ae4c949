#pragma once

#include <opencv2/core.hpp>
#include <optional>
#include <vector>

#include "bus/geometry.hpp"

/// Between the pixels of one camera and the millimetres of the table. Transform points with it,
/// never pictures: rectifying a frame costs more than everything done with it afterwards.
namespace overboard::calibration {

/// A pinhole camera with OpenCV's five-coefficient lens (k1 k2 p1 p2 k3). Pixel centres are whole
/// numbers.
struct Intrinsics {
    cv::Size size;
    cv::Matx33d K = cv::Matx33d::eye();
    cv::Vec<double, 5> distortion{0, 0, 0, 0, 0};

    [[nodiscard]] cv::Point2d distort(cv::Point2d ideal) const;    ///< Normalised → pixels.
    [[nodiscard]] cv::Point2d undistort(cv::Point2d pixel) const;  ///< Pixels → normalised.
    [[nodiscard]] Intrinsics scaled_to(cv::Size other) const;
};

/// How a camera sees the table. Table z is up: a point h mm above the table has height h.
class TableMap {
public:
    TableMap() = default;
    /// Full: intrinsics and the pose of the table (x_camera = R · (x, y, −height) + t, mm).
    TableMap(Intrinsics intrinsics, const cv::Matx33d& R, const cv::Vec3d& t);
    /// Flat: only a homography table mm → undistorted pixels is known; heights are ignored.
    explicit TableMap(const cv::Matx33d& table_to_pixels, cv::Size size);

    [[nodiscard]] cv::Point2d project(Point table_mm, double height_mm = 0) const;
    /// Where the ray through the pixel meets the plane `height_mm` above the table.
    [[nodiscard]] Point to_table(cv::Point2d pixel, double height_mm = 0) const;
    /// Pixels per millimetre around a point (geometric mean over directions).
    [[nodiscard]] double px_per_mm(Point table_mm, double height_mm = 0) const;
    /// d(pixel)/d(table) at a point, for sub-pixel fits done directly in millimetres.
    [[nodiscard]] cv::Matx22d jacobian(Point table_mm, double height_mm = 0) const;
    /// The camera's centre, table frame, height positive; nothing when only a homography is known.
    [[nodiscard]] std::optional<cv::Vec3d> eye() const;
    [[nodiscard]] bool has_pose() const { return has_pose_; }
    [[nodiscard]] const Intrinsics& intrinsics() const { return intrinsics_; }
    [[nodiscard]] const cv::Matx33d& rotation() const { return R_; }
    [[nodiscard]] const cv::Vec3d& translation() const { return t_; }
    [[nodiscard]] cv::Size size() const { return intrinsics_.size; }

private:
    Intrinsics intrinsics_;
    cv::Matx33d R_ = cv::Matx33d::eye();
    cv::Vec3d t_{0, 0, 1};
    bool has_pose_ = false;
};

/// Flat map from four table points and their pixels (or more: least squares).
TableMap map_from_points(const std::vector<Point>& table_mm, const std::vector<cv::Point2d>& pixels,
                         cv::Size size);

}  // namespace overboard::calibration
