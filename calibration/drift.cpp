#include "calibration/drift.hpp"

#include <algorithm>

namespace overboard::calibration {

double disagreement_mm(const TableMap& a, const TableMap& b, const Table& table) {
    double worst = 0;
    const double w = table.width_mm, h = table.height_mm;
    for (const Point p : {Point{0, 0}, {w, 0}, {w, h}, {0, h}, {w / 2, h / 2}})
        worst = std::max(worst, distance(a.to_table(b.project(p)), p));
    return worst;
}

DriftMonitor::DriftMonitor(Table table, TableMap map, std::optional<Intrinsics> lens,
                           DriftLimits limits)
    : table_{std::move(table)}, map_{std::move(map)}, lens_{std::move(lens)}, limits_{limits} {
    // Without a calibrated lens keep the one the first map was fixed with: a new guess each frame
    // would look like motion.
    if (!lens_ && map_.has_pose()) lens_ = map_.intrinsics();
}

DriftMonitor::Report DriftMonitor::look(const cv::Mat& bgr) {
    return look(find_markers(bgr, table_), bgr.size());
}

DriftMonitor::Report DriftMonitor::look(const std::vector<SeenMarker>& markers, cv::Size size) {
    const auto fix = fix_table(markers, table_, size, lens_ ? &*lens_ : nullptr);
    if (!fix) return {State::blind, 0};
    const double mm = disagreement_mm(map_, fix->map, table_);
    if (mm <= limits_.ignore_mm) {
        candidate_.reset();
        return {State::steady, mm};
    }
    const bool agrees = candidate_ &&
                        disagreement_mm(*candidate_, fix->map, table_) <= limits_.agreement_mm;
    if (!agrees) {
        candidate_ = fix->map;
        agreeing_ = 1;
        return {State::moving, mm};
    }
    if (++agreeing_ < limits_.agreeing_frames) return {State::moving, mm};
    if (mm > limits_.help_mm) return {State::needs_help, mm};
    map_ = *candidate_;
    candidate_.reset();
    return {State::moved, mm};
}

}  // namespace overboard::calibration
