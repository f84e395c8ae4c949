#pragma once

#include <cmath>
#include <opencv2/calib3d.hpp>
#include <opencv2/imgproc.hpp>

#include "calibration/table_map.hpp"

/// A camera over a table, and pictures of flat things lying on it, drawn through that camera
/// exactly.
namespace overboard::calibration {

inline Intrinsics webcam(cv::Size size = {1280, 720}) {
    Intrinsics in;
    in.size = size;
    const double f = 0.85 * size.width;
    in.K = {f, 0, size.width / 2.0 + 6, 0, f * 1.002, size.height / 2.0 - 9, 0, 0, 1};
    in.distortion = {-0.11, 0.05, 0.0007, -0.0004, -0.01};
    return in;
}

/// A camera `height_mm` above (x, y) of the table, tilted a little.
inline TableMap overhead(const Intrinsics& in, double height_mm = 1150, Point over = {600, 337},
                         double tilt = 0.05, double turn = 0.01) {
    cv::Matx33d Rx(1, 0, 0, 0, std::cos(tilt), -std::sin(tilt), 0, std::sin(tilt), std::cos(tilt));
    cv::Matx33d Rz(std::cos(turn), -std::sin(turn), 0, std::sin(turn), std::cos(turn), 0, 0, 0, 1);
    const cv::Matx33d R = Rx * Rz;
    const cv::Vec3d t = cv::Vec3d(0, 0, height_mm) - R * cv::Vec3d(over.x, over.y, 0);
    return TableMap(in, R, t);
}

/// `flat` (px_per_mm, its top-left at `origin_mm` of the table) as the camera sees it.
inline cv::Mat picture_of(const cv::Mat& flat, double px_per_mm, Point origin_mm,
                          const TableMap& map, double background = 90) {
    cv::Mat x(map.size(), CV_32F), y(map.size(), CV_32F);
    for (int v = 0; v < x.rows; ++v)
        for (int u = 0; u < x.cols; ++u) {
            const Point p = map.to_table(cv::Point2d(u, v));
            x.at<float>(v, u) = float((p.x - origin_mm.x) * px_per_mm - 0.5);
            y.at<float>(v, u) = float((p.y - origin_mm.y) * px_per_mm - 0.5);
        }
    cv::Mat out;
    cv::remap(flat, out, x, y, cv::INTER_LINEAR, cv::BORDER_CONSTANT, cv::Scalar::all(background));
    return out;
}

inline void add_noise(cv::Mat& picture, double sigma, std::uint64_t seed) {
    cv::RNG random(seed);
    cv::Mat noise(picture.size(), CV_16SC(picture.channels())), wide;
    random.fill(noise, cv::RNG::NORMAL, 0, sigma);
    picture.convertTo(wide, CV_16S);
    wide += noise;
    wide.convertTo(picture, CV_8U);
}

}  // namespace overboard::calibration
