#include "calibration/table_frame.hpp"

#include <algorithm>
#include <cmath>
#include <opencv2/aruco.hpp>
#include <opencv2/calib3d.hpp>
#include <opencv2/imgproc.hpp>

#include "calibration/dictionary.hpp"

// Markers → corner pairs → homography → pose. The homography gives the pose's start, Levenberg–
// Marquardt on all corners the rest. Lens first: with intrinsics, everything happens on undistorted
// points.
namespace overboard::calibration {
namespace {

struct Pairs {
    std::vector<Point> table;
    std::vector<cv::Point2d> px;
    int markers = 0;
};

Pairs pairs_of(const std::vector<SeenMarker>& seen, const Table& table) {
    Pairs pairs;
    for (const SeenMarker& marker : seen) {
        const auto known = std::find_if(table.markers.begin(), table.markers.end(),
                                        [&](const TableMarker& m) { return m.id == marker.id; });
        if (known == table.markers.end()) continue;
        const std::vector<Point> corners = marker_corners(table, *known);
        for (std::size_t i = 0; i < 4; ++i) {
            pairs.table.push_back(corners[i]);
            pairs.px.emplace_back(marker.corners_px[i]);
        }
        ++pairs.markers;
    }
    return pairs;
}

cv::Matx33d homography(const std::vector<Point>& table, const std::vector<cv::Point2d>& px) {
    std::vector<cv::Point2d> from;
    for (const Point& p : table) from.emplace_back(p.x, p.y);
    const cv::Mat H = cv::findHomography(from, px);
    return H.empty() ? cv::Matx33d::eye() : cv::Matx33d(H.ptr<double>());
}

TableMap solve_pose(const Pairs& pairs, const Intrinsics& in) {
    std::vector<cv::Point3d> object;
    for (const Point& p : pairs.table) object.emplace_back(p.x, p.y, 0);
    cv::Vec3d r, t;
    cv::solvePnP(object, pairs.px, in.K, in.distortion, r, t, false, cv::SOLVEPNP_IPPE);
    cv::solvePnPRefineLM(object, pairs.px, in.K, in.distortion, r, t);
    cv::Matx33d R;
    cv::Rodrigues(r, R);
    return TableMap(in, R, t);
}

void measure(TableFix& fix, const Pairs& pairs) {
    double px2 = 0, mm2 = 0;
    for (std::size_t i = 0; i < pairs.px.size(); ++i) {
        const cv::Point2d d = fix.map.project(pairs.table[i]) - pairs.px[i];
        px2 += d.dot(d);
        mm2 += std::pow(distance(fix.map.to_table(pairs.px[i]), pairs.table[i]), 2);
    }
    fix.rms_px = std::sqrt(px2 / double(pairs.px.size()));
    fix.rms_mm = std::sqrt(mm2 / double(pairs.px.size()));
}

}  // namespace

std::vector<Point> marker_corners(const Table& table, const TableMarker& marker) {
    const double h = table.marker_mm / 2;
    const Point c = marker.centre;
    return {{c.x - h, c.y - h}, {c.x + h, c.y - h}, {c.x + h, c.y + h}, {c.x - h, c.y + h}};
}

std::vector<SeenMarker> find_markers(const cv::Mat& picture, const Table& table) {
    cv::Mat gray = picture;
    if (picture.channels() == 3) cv::cvtColor(picture, gray, cv::COLOR_BGR2GRAY);
    auto parameters = cv::aruco::DetectorParameters::create();
    parameters->cornerRefinementMethod = cv::aruco::CORNER_REFINE_SUBPIX;
    parameters->cornerRefinementWinSize = std::clamp(gray.cols / 400, 3, 8);
    std::vector<std::vector<cv::Point2f>> corners;
    std::vector<int> ids;
    cv::aruco::detectMarkers(gray, dictionary_named(table.dictionary), corners, ids, parameters);
    std::vector<SeenMarker> seen;
    for (std::size_t i = 0; i < ids.size(); ++i) {
        const auto is = [&](const auto& m) { return m.id == ids[i]; };
        const bool ours = std::any_of(table.markers.begin(), table.markers.end(), is);
        const bool twice = std::any_of(seen.begin(), seen.end(), is);
        if (ours && !twice) seen.push_back({ids[i], corners[i]});
    }
    return seen;
}

Intrinsics guess_intrinsics(const cv::Matx33d& H, cv::Size size) {
    const double cx = (size.width - 1) / 2.0, cy = (size.height - 1) / 2.0;
    const cv::Matx33d centre(1, 0, -cx, 0, 1, -cy, 0, 0, 1);
    const cv::Matx33d G = centre * H;
    // Columns of the pose are orthogonal and equally long: two equations for 1/f².
    const double a1 = G(2, 0) * G(2, 1), b1 = G(0, 0) * G(0, 1) + G(1, 0) * G(1, 1);
    const double a2 = G(2, 0) * G(2, 0) - G(2, 1) * G(2, 1);
    const double b2 = G(0, 0) * G(0, 0) + G(1, 0) * G(1, 0) - G(0, 1) * G(0, 1) - G(1, 1) * G(1, 1);
    const double f2 = -(a1 * b1 + a2 * b2) / (a1 * a1 + a2 * a2);
    const double usual = size.width / (2 * std::tan(65.0 / 2 * CV_PI / 180));
    const double f = f2 > 0 ? std::sqrt(f2) : usual;
    Intrinsics guess;
    guess.size = size;
    const bool believable = f > 0.5 * usual && f < 3 * usual;
    guess.K = cv::Matx33d(believable ? f : usual, 0, cx, 0, believable ? f : usual, cy, 0, 0, 1);
    return guess;
}

std::optional<TableFix> fix_table(const std::vector<SeenMarker>& seen, const Table& table, cv::Size size,
                                  const Intrinsics* intrinsics) {
    const Pairs pairs = pairs_of(seen, table);
    if (pairs.markers < std::min<int>(3, int(table.markers.size()))) return {};
    TableFix fix;
    fix.markers = pairs.markers;
    if (intrinsics) {
        fix.map = solve_pose(pairs, intrinsics->size == size ? *intrinsics : intrinsics->scaled_to(size));
    } else {
        fix.map = solve_pose(pairs, guess_intrinsics(homography(pairs.table, pairs.px), size));
    }
    measure(fix, pairs);
    return fix;
}

TableFix fix_table_by_corners(const std::vector<cv::Point2d>& corners_px, const Table& table, cv::Size size,
                              const Intrinsics* intrinsics) {
    const double w = table.width_mm, h = table.height_mm;
    const Pairs pairs{{{0, 0}, {w, 0}, {w, h}, {0, h}}, corners_px, 0};
    TableFix fix;
    const Intrinsics lens = intrinsics ? intrinsics->scaled_to(size) : guess_intrinsics(homography(pairs.table, pairs.px), size);
    fix.map = solve_pose(pairs, lens);
    measure(fix, pairs);
    return fix;
}

std::optional<TableMap> find_table(const cv::Mat& picture, const Table& table, const Intrinsics* intrinsics) {
    const auto fix = fix_table(find_markers(picture, table), table, picture.size(), intrinsics);
    if (!fix) return {};
    return fix->map;
}

}  // namespace overboard::calibration
