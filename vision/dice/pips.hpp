#pragma once

#include <opencv2/core.hpp>
#include <optional>
#include <vector>

/// Round spots of one colour on a ground of another, at any scale and of any two colours: the pips
/// of dice, seen straight or foreshortened.
namespace overboard::vision {

/// A picture and its halvings. Positions are always given in pixels of the first level.
class Pyramid {
public:
    explicit Pyramid(const cv::Mat& bgr, int smallest_side_px = 24);
    [[nodiscard]] int levels() const { return static_cast<int>(images_.size()); }
    [[nodiscard]] const cv::Mat& image(int level) const { return images_[level]; }
    /// The level where something of this size spans about `target_px` pixels.
    [[nodiscard]] int level_for(double size_px, double target_px) const;
    /// Colour (B, G, R) between the pixels; the border repeats.
    [[nodiscard]] cv::Vec3f at(int level, cv::Point2f p) const;

private:
    std::vector<cv::Mat> images_;
};

struct Pip {
    cv::Point2f centre;
    cv::Matx22f shape;    ///< Takes the unit circle to the spot's outline (symmetric).
    float radius = 0;     ///< Of the circle of equal area.
    float aspect = 1;     ///< Short axis by long axis: 1 seen straight on.
    cv::Vec3f inside;     ///< Colour of the spot.
    cv::Vec3f ground;     ///< Colour round it.
    float roughness = 0;  ///< How far the outline departs from an ellipse, in radii.
};

/// What passes for a pip.
struct PipLimits {
    double min_radius_px = 1.4;  ///< Lower: smaller dice, many more false spots.
    double max_radius_px = 1e9;
    double min_contrast = 55;     ///< Colour distance spot to ground, of 441. Lower: dimmer rooms,
                                  ///< more grain.
    double max_roughness = 0.08;  ///< Higher: worn and glossy pips pass, and so do letters.
    double min_aspect = 0.30;     ///< Lower: flatter side faces.
    bool half_shaded = true;      ///< Also light pips half in their own shade; takes twice as long.
};

/// How far the outline departs from an ellipse where it is looked at more finely than to find it:
/// a heart, a diamond or a figure does by more than nearly all pips. Nothing where it is not met.
std::optional<float> fine_roughness(const Pyramid& pyramid, const Pip& pip);

std::vector<Pip> find_pips(const Pyramid& pyramid, const cv::Mat& mask,
                           const PipLimits& limits = {});

}  // namespace overboard::vision
