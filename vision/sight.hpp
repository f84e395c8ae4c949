#pragma once

#include <opencv2/core.hpp>
#include <optional>

#include "bus/observation.hpp"
#include "bus/table.hpp"
#include "calibration/table_map.hpp"

namespace overboard::vision {

struct SightLimits {
    double dark_grey = 22;        ///< Mean brightness below: too dark.
    double bright_share = 0.35;   ///< Share of burnt-out pixels above: overexposed.
    double sharp_share = 0.35;    ///< Sharpness below this share of the usual: blurred.
    double blocked_share = 0.55;  ///< Share of the picture under hands or things above: blocked.
    /// Drift of the table's markers above: the camera or the table was moved.
    double moved_px = 3.0;
    double check_s = 0.25;  ///< How often brightness and sharpness are looked at.
    double drift_s = 2.0;   ///< How often the markers are looked for.
};

/// Says when the camera cannot be trusted, and with what figure.
class Sight {
public:
    Sight() = default;
    Sight(const Table& table, const calibration::TableMap& map, SightLimits limits = {});

    /// Looks at a frame when it is time to. `covered`: share of the picture under hands; `quiet`:
    /// nothing moves, so that the markers may be measured.
    const CameraState& look(const cv::Mat& bgr, double time_s, double covered, bool quiet);
    [[nodiscard]] const CameraState& state() const { return state_; }

private:
    void judge(const cv::Mat& bgr, double covered);
    void measure_drift(const cv::Mat& bgr);

    Table table_;
    calibration::TableMap map_;
    SightLimits limits_;
    CameraState state_;
    double checked_s_ = -1e9, drift_checked_s_ = -1e9, usual_sharpness_ = 0;
    std::optional<double> drift_px_;
};

}  // namespace overboard::vision
