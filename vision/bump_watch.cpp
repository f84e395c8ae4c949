#include "vision/bump_watch.hpp"

#include <algorithm>
#include <cmath>

// Samples of a marker are compared after taking out their mean and contrast, so that lamps and
// exposure do not count.
namespace overboard::vision {
namespace {

constexpr int kSide = 12;

cv::Point pixel_at(const calibration::TableMap& map, const Table& table, const TableMarker& marker,
                   int i) {
    const double step = 1.2 * table.marker_mm / (kSide - 1);
    const Point offset{(i % kSide - (kSide - 1) / 2.0) * step,
                       (i / kSide - (kSide - 1) / 2.0) * step};
    return map.project(marker.centre + offset);
}

}  // namespace

BumpWatch::BumpWatch(const Table& table, const calibration::TableMap& map, BumpLimits limits)
    : table_{table}, limits_{limits} {
    if (!map.has_pose() || int(table.markers.size()) < limits.markers) return;
    monitor_.emplace(table, map);
}

BumpWatch::Patch BumpWatch::patch_of(const cv::Mat& bgr, std::size_t marker) const {
    Patch patch{};
    const cv::Rect all({}, bgr.size());
    float low = 255, high = 0;
    for (std::size_t i = 0; i < patch.size(); ++i) {
        const cv::Point p = where_[marker][i];
        patch[i] = all.contains(p) ? float(bgr.at<cv::Vec3b>(p)[1]) : 0;
        low = std::min(low, patch[i]);
        high = std::max(high, patch[i]);
    }
    const float contrast = std::max(20.0f, high - low);
    for (float& v : patch) v = (v - low) / contrast;
    return patch;
}

void BumpWatch::learn(const cv::Mat& bgr) {
    where_.clear();
    known_.clear();
    for (const TableMarker& marker : table_.markers) {
        auto& pixels = where_.emplace_back();
        for (int i = 0; i < kSide * kSide; ++i)
            pixels.push_back(pixel_at(map(), table_, marker, i));
        known_.push_back(patch_of(bgr, where_.size() - 1));
    }
}

int BumpWatch::changed(const cv::Mat& bgr) const {
    int count = 0;
    for (std::size_t m = 0; m < known_.size(); ++m) {
        const Patch now = patch_of(bgr, m);
        float sum = 0;
        for (std::size_t i = 0; i < now.size(); ++i) sum += std::abs(now[i] - known_[m][i]);
        count += sum / float(now.size()) > limits_.patch_change;
    }
    return count;
}

BumpWatch::Word BumpWatch::settle(const cv::Mat& bgr, Word word) {
    suspicious_ = false;
    learn(bgr);
    return word;
}

BumpWatch::Word BumpWatch::look(const cv::Mat& bgr, double time_s, bool suspect) {
    if (!monitor_) return Word::in_place;
    if (known_.empty()) {
        if (int(calibration::find_markers(bgr, table_).size()) < limits_.markers)
            monitor_.reset();
        else
            learn(bgr);
        return Word::in_place;
    }
    if (!suspicious_ && !suspect && changed(bgr) < limits_.markers) return Word::in_place;
    if (!suspicious_) seen_s_ = time_s;
    suspicious_ = true;
    const auto report = monitor_->look(bgr);
    using State = calibration::DriftMonitor::State;
    if (report.state != State::blind) mm_ = report.mm, seen_s_ = time_s;
    if (report.state == State::steady) return settle(bgr, Word::in_place);
    if (report.state == State::moved) return settle(bgr, Word::moved);
    if (report.state == State::needs_help) return Word::help;
    if (report.state == State::blind && time_s - seen_s_ > limits_.patience_s)
        return settle(bgr, Word::in_place);
    return Word::wait;
}

}  // namespace overboard::vision
