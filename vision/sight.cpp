#include "vision/sight.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "calibration/table_frame.hpp"

namespace overboard::vision {
namespace {

struct Light {
    double mean = 0, burnt = 0, sharpness = 0;
};

// A sparse grid of pixels; sharpness is the upper end of neighbour differences, in parts of the
// mean brightness.
Light measure(const cv::Mat& bgr) {
    Light light;
    std::array<int, 256> edges{};
    int n = 0;
    const int step = std::max(4, bgr.rows / 90);
    for (int y = step / 2; y < bgr.rows; y += step) {
        const auto* row = bgr.ptr<cv::Vec3b>(y);
        for (int x = 2; x + 3 < bgr.cols; x += 3) {
            const int grey = (row[x][0] + 2 * row[x][1] + row[x][2]) / 4;
            light.mean += grey;
            light.burnt += row[x][0] > 250 && row[x][1] > 250 && row[x][2] > 250;
            ++edges[std::abs(row[x + 2][1] - row[x - 1][1])];
            ++n;
        }
    }
    if (n == 0) return light;
    light.mean /= n;
    light.burnt /= n;
    int above = 0, level = 255;
    while (level > 0 && (above += edges[std::size_t(level)]) < n / 50) --level;
    light.sharpness = level / std::max(8.0, light.mean);
    return light;
}

}  // namespace

Sight::Sight(const Table& table, const calibration::TableMap& map, SightLimits limits)
    : table_{table}, map_{map}, limits_{limits} {}

void Sight::measure_drift(const cv::Mat& bgr) {
    auto seen = calibration::find_markers_near(bgr, table_, map_);
    if (seen.size() < 2) seen = calibration::find_markers(bgr, table_);
    std::vector<double> apart;
    for (const auto& marker : seen)
        for (const TableMarker& known : table_.markers) {
            if (known.id != marker.id) continue;
            const auto corners = calibration::marker_corners(table_, known);
            for (std::size_t i = 0; i < corners.size() && i < marker.corners_px.size(); ++i)
                apart.push_back(
                    cv::norm(map_.project(corners[i]) - cv::Point2d(marker.corners_px[i])));
        }
    drift_px_.reset();
    if (apart.size() < 8) return;
    std::nth_element(apart.begin(), apart.begin() + std::ptrdiff_t(apart.size() / 2), apart.end());
    drift_px_ = apart[apart.size() / 2];
}

void Sight::judge(const cv::Mat& bgr, double covered) {
    const Light light = measure(bgr);
    const auto say = [&](const char* what, double figure, const char* unit) {
        state_.state = what;
        state_.figure = figure;
        state_.unit = unit;
    };
    if (light.mean < limits_.dark_grey) return say("dark", light.mean, "mean grey level of 255");
    if (light.burnt > limits_.bright_share)
        return say("overexposed", light.burnt, "share of burnt-out pixels");
    if (covered > limits_.blocked_share)
        return say("blocked", covered, "share of the picture covered");
    if (usual_sharpness_ > 0 && light.sharpness < limits_.sharp_share * usual_sharpness_)
        return say("blurred", light.sharpness / usual_sharpness_, "sharpness over the usual");
    if (drift_px_ && *drift_px_ > limits_.moved_px)
        return say("moved", *drift_px_, "drift of the markers in pixels");
    usual_sharpness_ = usual_sharpness_ > 0 ? 0.95 * usual_sharpness_ + 0.05 * light.sharpness
                                            : light.sharpness;
    say("ok", drift_px_.value_or(0), "drift of the markers in pixels");
}

const CameraState& Sight::look(const cv::Mat& bgr, double time_s, double covered, bool quiet) {
    const bool due = time_s - checked_s_ >= limits_.check_s || time_s < checked_s_;
    if (!due) return state_;
    if (quiet && (time_s - drift_checked_s_ >= limits_.drift_s || time_s < drift_checked_s_)) {
        drift_checked_s_ = time_s;
        measure_drift(bgr);
    }
    checked_s_ = time_s;
    state_.time = time_s;
    judge(bgr, covered);
    return state_;
}

}  // namespace overboard::vision
