#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <string>

#include "bus/table.hpp"
#include "calibration/table_map.hpp"

/// One table's calibration, in a file OpenCV reads too (FileStorage YAML, its usual keys).
namespace overboard::calibration {

/// Table millimetres → projector pixels, and what measuring it said.
struct ProjectorFix {
    cv::Matx33d table_to_projector = cv::Matx33d::eye();
    cv::Size size{1920, 1080};
    double rms_mm = 0;
    double latency_s = 0;  ///< From display to the camera's frame time.
};

/// Raw touch coordinates → table millimetres.
struct TouchFix {
    cv::Matx33d raw_to_table = cv::Matx33d::eye();
    double rms_mm = 0;
};

struct Profile {
    int version = 1;
    std::string created;    ///< RFC 3339, UTC.
    std::string camera_id;  ///< As under /dev/v4l/by-id, or what the user called it.
    std::optional<Intrinsics> lens;
    double lens_rms_px = 0;
    std::optional<TableMap> table;  ///< Pose of the table when it was last fixed.
    double table_rms_mm = 0;
    std::optional<ProjectorFix> projector;
    std::optional<TouchFix> touch;
};

/// Reads a profile, a plain OpenCV calibration or a ROS camera_info file (then only the lens is
/// set). Throws std::runtime_error with one sentence.
Profile load_profile(const std::filesystem::path& file);

/// Writes atomically. A file already there is kept beside it with its date in the name; returns
/// that name, or an empty path.
std::filesystem::path save_profile(const std::filesystem::path& file, Profile profile);

/// The lens alone, for ROS tools.
void save_ros_camera_info(const std::filesystem::path& file, const Intrinsics& lens,
                          const std::string& camera_name);

}  // namespace overboard::calibration
