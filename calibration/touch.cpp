#include "calibration/touch.hpp"

#include <fmt/format.h>

#include <cmath>
#include <opencv2/calib3d.hpp>
#include <optional>

// Least squares over all touches. A slip is told by leaving out one touch at a time: the others
// agree without it, and it lies far from where they put it. Nine touches are too few to guess from
// samples: a homography through four fits a fifth by luck.
namespace overboard::calibration {
namespace {

constexpr double kSlip_mm = 20;  // a shaky finger stays below

using Points = std::vector<cv::Point2d>;

std::vector<cv::Point2d> points(const std::vector<Point>& from) {
    std::vector<cv::Point2d> out;
    for (const Point& p : from) out.emplace_back(p.x, p.y);
    return out;
}

cv::Mat fit(const Points& raw, const Points& table, const std::vector<uchar>& used) {
    Points from, to;
    for (std::size_t i = 0; i < raw.size(); ++i)
        if (used[i]) {
            from.push_back(raw[i]);
            to.push_back(table[i]);
        }
    return from.size() < 4 ? cv::Mat() : cv::findHomography(from, to);
}

std::vector<double> errors_mm(const cv::Mat& H, const Points& raw, const Points& table) {
    Points mapped;
    cv::perspectiveTransform(raw, mapped, H);
    std::vector<double> errors;
    for (std::size_t i = 0; i < raw.size(); ++i) errors.push_back(cv::norm(mapped[i] - table[i]));
    return errors;
}

double rms_of(const std::vector<double>& errors, const std::vector<uchar>& used) {
    double sum = 0;
    int n = 0;
    for (std::size_t i = 0; i < errors.size(); ++i)
        if (used[i]) sum += errors[i] * errors[i], ++n;
    return std::sqrt(sum / std::max(1, n));
}

/// Leaves out the touch the others agree best without, if they put it elsewhere. False: none such.
bool drop_a_slip(const Points& raw, const Points& table, std::vector<uchar>& used) {
    std::optional<std::size_t> slip;
    double best = 1e9;
    for (std::size_t i = 0; i < raw.size(); ++i) {
        if (!used[i]) continue;
        std::vector<uchar> rest = used;
        rest[i] = 0;
        const cv::Mat H = fit(raw, table, rest);
        if (H.empty()) continue;
        const auto errors = errors_mm(H, raw, table);
        const double rms = rms_of(errors, rest);
        if (errors[i] > kSlip_mm && rms < best) slip = i, best = rms;
    }
    if (!slip) return false;
    used[*slip] = 0;
    return true;
}

}  // namespace

std::vector<Point> touch_targets(const Table& table) {
    std::vector<Point> targets;
    for (const double y : {0.2, 0.5, 0.8})
        for (const double x : {0.15, 0.5, 0.85})
            targets.push_back({x * table.width_mm, y * table.height_mm});
    return targets;
}

TouchResult solve_touch(const std::vector<Point>& targets, const std::vector<Point>& touched,
                        double good_rms_mm) {
    TouchResult result;
    if (targets.size() != touched.size() || targets.size() < 4) {
        result.verdict = "At least four targets must be touched.";
        return result;
    }
    const auto raw = points(touched), table = points(targets);
    std::vector<uchar> used(raw.size(), 1);
    std::size_t left = raw.size();
    const std::size_t least = std::max<std::size_t>(5, (raw.size() * 2 + 2) / 3);
    const auto agree = [&](const cv::Mat& fitted) {
        return !fitted.empty() && rms_of(errors_mm(fitted, raw, table), used) <= good_rms_mm;
    };
    cv::Mat H = fit(raw, table, used);
    while (!agree(H) && left > least && drop_a_slip(raw, table, used)) {
        --left;
        H = fit(raw, table, used);
    }
    if (H.empty()) {
        result.verdict =
            "The touches lie on one line: is the touch frame connected the right way round?";
        return result;
    }
    result.fix.raw_to_table = cv::Matx33d(H.ptr<double>());
    result.error_mm = errors_mm(H, raw, table);
    result.fix.rms_mm = rms_of(result.error_mm, used);
    result.good = result.fix.rms_mm <= good_rms_mm;
    result.verdict =
        result.good
            ? fmt::format("Good: {:.1f} mm.", result.fix.rms_mm)
            : fmt::format(
                  "The touches miss their targets by {:.1f} mm: touch the middle of each target.",
                  result.fix.rms_mm);
    return result;
}

}  // namespace overboard::calibration
