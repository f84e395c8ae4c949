#pragma once

#include <opencv2/core.hpp>
#include <vector>

#include "bus/geometry.hpp"
#include "calibration/table_map.hpp"

namespace overboard::vision {

struct HandLimits {
    double difference = 26;      ///< From the background, grey levels. Lower: shadows become hands.
    double min_area_mm2 = 2500;  ///< Smaller things are pieces.
    double rest_s = 2.0;   ///< What has not moved for so long is no hand but a thing on the table.
    double wrist_mm = 30;  ///< What meets the picture's edge in less than this, as the corner of a
                           ///< card laid over the table's edge, …
    double brief_s = 0.3;  ///< … only has to rest for so long. Higher: such cards are scored later.
    double margin_mm = 14;  ///< Kept clear round a hand.
};

/// Hands and arms: large, unlike the background, reaching in over the picture's edge, and moving.
///
/// Works on one pixel for each 8×8. Nothing may be reported from where hidden() is not 0.
class Hands {
public:
    Hands() = default;
    Hands(const calibration::TableMap& map, HandLimits limits = {});

    /// The background is what the table looks like without hands. `only` (one value for each 8×8
    /// pixels) restricts the update to where it is not 0. The tips of a hand that is only just
    /// coming in are never learnt as the table.
    void learn(const cv::Mat& bgr, const cv::Mat& only = {});
    void find(const cv::Mat& bgr, double time_s);
    void clear();  ///< Nothing changed: no hands.
    /// What differs from the frame before is no motion: the projector shows something else.
    void overlook(const cv::Mat& bgr);

    [[nodiscard]] const cv::Mat& hidden() const {
        return hidden_;
    }  ///< One value for each 8×8 pixels.
    [[nodiscard]] const cv::Mat& foreground() const {
        return foreground_;
    }  ///< Likewise: unlike the background.
    [[nodiscard]] const cv::Mat& moving() const {
        return moving_;
    }  ///< Likewise: unlike the frame before.
    [[nodiscard]] const std::vector<Polygon>& outlines() const {
        return outlines_;
    }                                                          ///< Table frame.
    [[nodiscard]] double covered() const { return covered_; }  ///< Share of the picture.
    [[nodiscard]] bool ready() const { return !background_.empty(); }

private:
    calibration::TableMap map_;
    HandLimits limits_;
    cv::Mat background_, now_, before_, foreground_, moving_, hidden_, last_motion_;
    cv::Mat reaching_;  // what moved a moment ago and reaches in over the edge, however small
    std::vector<Polygon> outlines_;
    double px_per_mm_ = 1, covered_ = 0;
};

}  // namespace overboard::vision
