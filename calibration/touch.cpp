#include "calibration/touch.hpp"

#include <fmt/format.h>

#include <cmath>
#include <opencv2/calib3d.hpp>

namespace overboard::calibration {
namespace {

std::vector<cv::Point2d> points(const std::vector<Point>& from) {
    std::vector<cv::Point2d> out;
    for (const Point& p : from) out.emplace_back(p.x, p.y);
    return out;
}

double measure(TouchResult& result, const std::vector<cv::Point2d>& raw, const std::vector<cv::Point2d>& table,
               const std::vector<uchar>& used) {
    std::vector<cv::Point2d> mapped;
    cv::perspectiveTransform(raw, mapped, cv::Mat(result.fix.raw_to_table));
    double sum = 0;
    int n = 0;
    for (std::size_t i = 0; i < raw.size(); ++i) {
        result.error_mm.push_back(cv::norm(mapped[i] - table[i]));
        if (!used[i]) continue;
        sum += result.error_mm.back() * result.error_mm.back();
        ++n;
    }
    return std::sqrt(sum / std::max(1, n));
}

}  // namespace

std::vector<Point> touch_targets(const Table& table) {
    std::vector<Point> targets;
    for (const double y : {0.2, 0.5, 0.8})
        for (const double x : {0.15, 0.5, 0.85}) targets.push_back({x * table.width_mm, y * table.height_mm});
    return targets;
}

TouchResult solve_touch(const std::vector<Point>& targets, const std::vector<Point>& touched, double good_rms_mm) {
    TouchResult result;
    if (targets.size() != touched.size() || targets.size() < 4) {
        result.verdict = "At least four targets must be touched.";
        return result;
    }
    const auto raw = points(touched), table = points(targets);
    std::vector<uchar> used(raw.size(), 1);
    // Outliers are told in the units of the destination: 20 mm is a slip of the finger.
    cv::Mat H = cv::findHomography(raw, table, raw.size() > 5 ? cv::LMEDS : 0, 20, used);
    if (H.empty()) {
        result.verdict = "The touches lie on one line: is the touch frame connected the right way round?";
        return result;
    }
    std::vector<cv::Point2d> raw_used, table_used;
    for (std::size_t i = 0; i < raw.size(); ++i)
        if (used[i]) {
            raw_used.push_back(raw[i]);
            table_used.push_back(table[i]);
        }
    if (raw_used.size() >= 4)
        if (const cv::Mat refit = cv::findHomography(raw_used, table_used); !refit.empty()) H = refit;
    result.fix.raw_to_table = cv::Matx33d(H.ptr<double>());
    result.fix.rms_mm = measure(result, raw, table, used);
    const bool enough = raw_used.size() >= std::max<std::size_t>(4, raw.size() * 2 / 3);
    result.good = enough && result.fix.rms_mm <= good_rms_mm;
    result.verdict = result.good ? fmt::format("Good: {:.1f} mm.", result.fix.rms_mm)
                                 : fmt::format("The touches miss their targets by {:.1f} mm: touch the middle of each target.", result.fix.rms_mm);
    return result;
}

}  // namespace overboard::calibration
