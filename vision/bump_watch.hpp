#pragma once

#include <array>
#include <opencv2/core.hpp>
#include <optional>
#include <vector>

#include "bus/table.hpp"
#include "calibration/drift.hpp"

namespace overboard::vision {

struct BumpLimits {
    double patch_change = 0.16;  ///< Mean change of a marker's picture, share of its contrast.
                                 ///< Lower: looks for markers oftener.
    int markers = 3;             ///< So many changed at once: no hand does that.
    double patience_s = 2;       ///< Without markers to measure by, seeing goes on after this.
};

/// Has the camera been bumped? Asked of every frame before anything is believed in it.
///
/// A few hundred pixels on the markers are compared; only when most markers changed at once are
/// they searched for and measured. Below the drift limit the new map is found here; above it
/// somebody must help.
class BumpWatch {
public:
    BumpWatch() = default;
    /// Watches nothing when the map has no pose or the first frame does not show enough markers.
    BumpWatch(const Table& table, const calibration::TableMap& map, BumpLimits limits = {});

    enum class Word { in_place, wait, moved, help };
    /// `moved`: map() is new. `wait` and `help`: do not believe positions in this frame. `suspect`:
    /// look at the markers whatever they look like.
    Word look(const cv::Mat& bgr, double time_s, bool suspect);
    [[nodiscard]] const calibration::TableMap& map() const { return monitor_->map(); }
    [[nodiscard]] double mm() const { return mm_; }

private:
    using Patch = std::array<float, 144>;
    [[nodiscard]] Patch patch_of(const cv::Mat& bgr, std::size_t marker) const;
    void learn(const cv::Mat& bgr);
    [[nodiscard]] int changed(const cv::Mat& bgr) const;
    Word settle(const cv::Mat& bgr, Word word);

    Table table_;
    BumpLimits limits_;
    std::optional<calibration::DriftMonitor> monitor_;
    std::vector<std::vector<cv::Point>> where_;  // sample pixels, a list a marker
    std::vector<Patch> known_;
    double mm_ = 0, seen_s_ = -1e9;
    bool suspicious_ = false;
};

}  // namespace overboard::vision
