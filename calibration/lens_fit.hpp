#pragma once

#include <opencv2/core.hpp>
#include <vector>

/// The likeliest lens for the corners of several views.
namespace overboard::calibration {

/// What lenses and sensors are usually like. Views of a flat board hardly tell some terms apart: a
/// tangential one from a turned board and a shifted centre, the third radial one from the second,
/// the height of a pixel from a tilt. Left alone they grow huge, cancel out where corners were
/// seen, and are wrong between and beyond.
struct LensPrior {
    double tangential = 1e-3;  ///< Usual size of p1 and p2. Smaller: nearer to none at all.
    double third_radial = 0.3;
    double oblong = 0.002;  ///< Pixels are square to this share.
    double noise_px = 0.1;  ///< Of a corner. Larger: corners count less against what is usual.
};

/// A lens and where the board was in each view.
struct LensFit {
    cv::Mat K, distortion;  ///< k1 k2 p1 p2 k3
    std::vector<cv::Mat> r, t;
};

using ObjectPoints = std::vector<std::vector<cv::Point3f>>;
using ImagePoints = std::vector<std::vector<cv::Point2f>>;

/// Least squares from the given start, corners and prior together.
void refine(LensFit& fit, const ObjectPoints& object, const ImagePoints& image,
            const LensPrior& prior = {});

/// RMS of the corners of each view, px.
std::vector<double> errors_px(const LensFit& fit, const ObjectPoints& object,
                              const ImagePoints& image);

}  // namespace overboard::calibration
