#pragma once

#include <opencv2/core.hpp>
#include <vector>

#include "calibration/table_map.hpp"
#include "simulator/light.hpp"
#include "simulator/raster.hpp"
#include "simulator/world.hpp"

/// A body as the camera sees it: flat faces and shadows in pixels, ready to be filled.
namespace overboard::simulator {

/// When and how the frame is exposed.
struct Exposure {
    double readout_s = 0;  ///< First row to last row: each point is drawn where it is when its row
                           ///< is read.
};

struct Face {
    std::vector<cv::Point2f> outline;  ///< px
    const Texture* texture = nullptr;  ///< Null: plain.
    cv::Matx33f to_uv;                 ///< Pixel → texture.
    double texels = 1;                 ///< Texels a pixel.
    cv::Vec3f albedo{1, 1, 1};         ///< Of a plain face; multiplies a texture.
    cv::Vec3f light{1, 1, 1};
    cv::Vec3f shine{0, 0, 0};  ///< Mirrored light, on top.
    cv::Vec3f shine_dx{0, 0, 0}, shine_dy{0, 0, 0}, light_dx{0, 0, 0},
        light_dy{0, 0, 0};  ///< Per pixel from `centre`; large faces.
    float opacity = 1;
    bool graded = false;
    bool round = false;  ///< Light by direction from the centre, below.
    cv::Point2f centre;
    static constexpr int kAround = 16;
    std::array<cv::Vec3f, kAround> around;  ///< Light by diamond angle in the picture.
};

/// A stand-in for the angle of a direction that needs no arctangent: 0…4 once round.
inline float diamond_angle(float x, float y) {
    const float s = std::abs(x) + std::abs(y);
    if (s == 0) return 0;
    if (y >= 0) return x >= 0 ? y / s : 1 - x / s;
    return x < 0 ? 2 - y / s : 3 + x / s;
}
inline cv::Point2f diamond_direction(float angle) {
    if (angle < 1) return {1 - angle, angle};
    if (angle < 2) return {1 - angle, 2 - angle};
    if (angle < 3) return {angle - 3, 2 - angle};
    return {angle - 3, angle - 4};
}

struct Shadow {
    int lamp = 0;
    std::vector<cv::Point2f> outline;  ///< px
    float soft_px = 0;
    float strength = 1;
};

struct Drawing {
    std::vector<Face> faces;  ///< In drawing order.
    std::vector<Shadow> shadows;
    cv::Rect bounds;    ///< Faces and shadows.
    cv::Point2f where;  ///< Centre, px.
    int layer = 0;      ///< Lower ones are drawn first and receive the shadows of higher ones.
    double order = 0;   ///< Within a layer.
    cv::Point2f
        projector_shift;  ///< px from a point of its top to where that light would reach the table.
};

/// What drawing a body needs to know of the scene.
struct Stage {
    const calibration::TableMap& map;
    const Light& light;
    cv::Vec3d projector_mm{600, 337, 1500};
};

/// In the middle of the exposure.
Drawing draw(const Body& body, const Stage& stage, const Exposure& exposure);

/// The same drawing so many pixels further.
Drawing shifted(Drawing drawing, cv::Point2f by_px);

/// Mirror light of the lamps towards the camera from a flat point, per unit of gloss.
cv::Vec3f glare_at(const Light& light, const cv::Vec3d& eye, const cv::Vec3d& point,
                   double width_mm);

/// Light left by the lens at this pixel, 0…1.
double vignette_at(const Light& light, cv::Size size, cv::Point2d px);

}  // namespace overboard::simulator
