#pragma once

#include <array>
#include <opencv2/core.hpp>

#include "bus/geometry.hpp"
#include "calibration/table_map.hpp"
#include "vision/discs/disc_colours.hpp"

namespace overboard::vision {

struct RimFit {
    double share = 0;   ///< Of the rays that agree.
    double off_mm = 0;  ///< Fitted radius less the kind's.
};

/// Finds the rims of discs of known size at a known height: rays look for the step of colour, and a
/// robust fit gives the centre directly in millimetres through the local Jacobian.
class DiscRim {
public:
    static constexpr int kRays = 32;  ///< A multiple of eight: so many are looked along at once.
    static constexpr int kMostSamples = 15;  ///< Along a ray while the rim is looked for,
    static constexpr int kSamples = 9;       ///< and to measure it.

    DiscRim(const calibration::TableMap& map, double height_mm);

    /// Moves `at` to the centre of the rim found within half_mm; false when there is no rim.
    bool fit(const cv::Mat& bgr, const DiscLook& look, const Direction& way, Point& at,
             double half_mm, int rounds, RimFit& result) const;
    [[nodiscard]] const std::array<cv::Vec2f, kRays>& rays() const { return ray_; }

private:
    using Rho = std::array<float, kRays>;
    int meet(const cv::Mat& bgr, double r_mm, const Direction& way, const cv::Matx22d& J,
             cv::Point2d c, double half, int samples, bool exact, Rho& rho) const;
    [[nodiscard]] double scatter_of(const Rho& rho, double r_mm, double dx, double dy,
                                    double e) const;
    void solve(double r_mm, const Rho& rho, double half, Point& shift, RimFit& result) const;

    const calibration::TableMap* map_;
    double height_mm_;
    std::array<cv::Vec2f, kRays> ray_;
    Rho cos_, sin_, cos_cos_, cos_sin_, sin_sin_;
};

}  // namespace overboard::vision
