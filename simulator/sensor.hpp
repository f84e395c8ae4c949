#pragma once

#include <cstdint>
#include <opencv2/core.hpp>
#include <vector>

#include "simulator/light.hpp"

namespace overboard::simulator {

/// From linear light to the bytes a camera delivers: exposure, colour cast, tone curve,
/// compression, drift and noise.
class Sensor {
public:
    Sensor() = default;
    /// `white` is the light a white sheet in the middle of the table sends.
    Sensor(const Light& light, cv::Vec3f white, std::uint64_t seed);

    /// 8-bit BGR of a window of the frame, before noise.
    [[nodiscard]] cv::Mat develop(const cv::Mat& linear) const;
    /// There and back through the camera's JPEG encoder. The window should begin on a multiple
    /// of 16.
    void compress(cv::Mat& bgr) const;
    /// Drift, mains bands and noise of the frame taken at that time.
    void disturb(const cv::Mat& clean, double time_s, cv::Mat& out) const;

private:
    Light light_;
    std::uint64_t seed_ = 0;
    std::vector<uchar> curve_[3];
    cv::Mat grain_;  // CV_8SC3, unit 1/32 standard deviation
};

}  // namespace overboard::simulator
