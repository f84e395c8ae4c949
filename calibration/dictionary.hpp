#pragma once

#include <opencv2/aruco.hpp>
#include <string>

namespace overboard::calibration {
/// An ArUco dictionary by its OpenCV name. Throws std::runtime_error for an unknown one.
cv::Ptr<cv::aruco::Dictionary> dictionary_named(const std::string& name);
}  // namespace overboard::calibration
