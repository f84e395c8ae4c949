#pragma once

#include <array>
#include <cstdint>
#include <opencv2/core.hpp>
#include <string>
#include <vector>

#include "bus/table.hpp"

/// Lamps, windows, table tops and the camera's own weaknesses, in three presets.
namespace overboard::simulator {

/// A lamp, or a window: a soft disc of light. Positions in the table frame, z up.
struct Lamp {
    cv::Vec3d at_mm;
    cv::Vec3f colour;  ///< Irradiance it gives a flat point straight below (or before) it, BGR.
    double radius_mm = 60;  ///< Larger: softer shadows.
};

enum class Material { cloth, wood, laminate };

struct Light {
    std::vector<Lamp> lamps;
    cv::Vec3f ambient;  ///< From everywhere; what is left in a shadow.
    Material material = Material::cloth;
    double gloss = 0;            ///< Strength of the lamps' mirror images in the table; 0: dull.
    double gloss_width_mm = 60;  ///< Larger: duller, wider glare.
    double vignette = 0.1;       ///< Light lost in the corners, 0…1.
    double psf_px = 0.6;         ///< Blur of the lens at 1920 px width.
    double noise = 1.5;          ///< Standard deviation of mid grey, 8-bit counts.
    double shutter_s = 1 / 250.0;
    double readout_s = 0.008;  ///< Rolling shutter: from the first row to the last.
    int jpeg_quality = 92;     ///< 0: uncompressed.
    double exposure_drift = 0.01, colour_drift = 0.005;  ///< Amplitude, share of the signal.
    double flicker = 0;                                  ///< Mains bands, share of the signal.
    cv::Vec3f cast{1, 1, 1};                             ///< White balance error.
    double exposure = 1;

    /// Light on a point with that normal (table frame, z up).
    [[nodiscard]] cv::Vec3f at(const cv::Vec3d& point, const cv::Vec3d& normal) const;
    [[nodiscard]] cv::Vec3f from(const Lamp& lamp, const cv::Vec3d& point,
                                 const cv::Vec3d& normal) const;
};

/// "easy", "cafe" or "harsh", varied by the seed. Throws std::invalid_argument on another name.
Light light_preset(const std::string& name, std::uint64_t seed, const Table& table);

}  // namespace overboard::simulator
