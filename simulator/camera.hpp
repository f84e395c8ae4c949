#pragma once

#include <cstdint>
#include <memory>
#include <opencv2/core.hpp>
#include <optional>
#include <string>

#include "calibration/table_map.hpp"
#include "simulator/light.hpp"
#include "simulator/world.hpp"

namespace overboard::simulator {

/// Where the camera hangs and what it is. Without a `lens` the focal length is chosen so that the
/// whole table fits.
struct CameraSetup {
    cv::Size size{1920, 1080};
    Table table;
    double height_mm = 1500;       ///< Lens above the table. Lower: more parallax.
    Point off_centre_mm{25, -40};  ///< From the table's middle to below the lens.
    double tilt_x = 0.02, tilt_y = -0.015, roll = 0.008;  ///< rad, as a hand-mounted camera has.
    double margin = 0.03;  ///< Share of the picture left round the table.
    cv::Vec<double, 5> distortion{-0.09, 0.02, 0.0005, -0.0004, 0};  ///< k1 k2 p1 p2 k3
    std::optional<calibration::Intrinsics>
        lens;  ///< Keeps its place in the camera when that is bumped.
    cv::Vec3d projector_mm{600, 300, 1600};
    double projector_light = 0.55;     ///< A white pixel of the projector, as a share of the room's
                                       ///< light.
    std::optional<Material> material;  ///< Else the preset's.
    std::optional<double> shutter_s;   ///< Likewise; also for high frame rates.
    std::optional<double> noise;
    std::optional<int> jpeg_quality;
};

/// An overhead camera that is not there: renders what it would see of a World.
///
/// The same seed, setup, world and time give the same bytes, whatever was rendered before. Only
/// what changed since the last frame is drawn again, so feed one camera one film.
class Camera {
public:
    Camera(CameraSetup setup, const std::string& light, std::uint64_t seed);
    ~Camera();
    Camera(Camera&&) noexcept;
    Camera& operator=(Camera&&) noexcept;

    /// 8-bit BGR. `projector` is what the projector shows, aligned with the table: its corners are
    /// the table's corners (8-bit BGR, any resolution); empty: dark.
    cv::Mat render(const World& world, double time_s, const cv::Mat& projector = {});

    /// The true map of this camera: what a perfect calibration would find.
    [[nodiscard]] const calibration::TableMap& map() const;
    [[nodiscard]] const Light& light() const;

private:
    struct Eye;
    std::unique_ptr<Eye> eye_;
};

/// The map of such a camera without making one.
calibration::TableMap map_of(const CameraSetup& setup);

}  // namespace overboard::simulator
