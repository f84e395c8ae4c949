#include "calibration/table_frame.hpp"

#include <algorithm>
#include <cmath>
#include <opencv2/aruco.hpp>
#include <opencv2/calib3d.hpp>
#include <opencv2/core/optim.hpp>
#include <opencv2/imgproc.hpp>

#include "calibration/colour.hpp"
#include "calibration/dictionary.hpp"
#include "calibration/marker_edges.hpp"

// Markers → corner pairs → pose, by Levenberg–Marquardt on all corners. A lens that is not known is
// solved for together with the pose: how much it bends, and its focal length as far as it shows.
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

// Square pixels, centred, and hanging as docs/set-up-a-table.md says: somewhat higher than the
// table is wide. Never wider than 90 nor narrower than 35 degrees.
Intrinsics usual_intrinsics(const Pairs& pairs, const Table& table, cv::Size size) {
    const std::size_t far = pairs.px.size() / 2;  // on another marker, or the opposite corner
    const double px_per_mm = cv::norm(pairs.px[far] - pairs.px[0]) /
                             std::max(1.0, distance(pairs.table[far], pairs.table[0]));
    const double f = std::clamp(px_per_mm * 1.15 * table.width_mm, 0.5 * size.width,
                                1.6 * size.width);
    Intrinsics in;
    in.size = size;
    in.K = cv::Matx33d(f, 0, (size.width - 1) / 2.0, 0, f, (size.height - 1) / 2.0, 0, 0, 1);
    return in;
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

double residual_px2(const Pairs& pairs, const TableMap& map) {
    double sum = 0;
    for (std::size_t i = 0; i < pairs.px.size(); ++i) {
        const cv::Point2d d = map.project(pairs.table[i]) - pairs.px[i];
        sum += d.dot(d);
    }
    return sum;
}

// An unknown lens: the markers stand in the corners of the picture, where a lens bends most, and
// show by their shape how much. The focal length shows only in a slanted view; where it does not, a
// usual camera's is as good as any.
class UnknownLens : public cv::MinProblemSolver::Function {
public:
    UnknownLens(const Pairs& pairs, const Intrinsics& start) : pairs_{pairs}, start_{start} {}
    [[nodiscard]] int getDims() const override { return 2; }
    // x: log of the focal length over the first guess; k1 of a lens of that first focal length.
    [[nodiscard]] double calc(const double* x) const override {
        // How far each usually is off; corners by what this lens model leaves out, tangential terms
        // above all, which look like a slant and would be taken for a focal length.
        constexpr double kCorner_px = 2.5, kFocal = 0.15, kBend = 0.12;
        const double corner = kCorner_px * std::max(1.0, start_.size.width / 1920.0);
        return residual_px2(pairs_, solve_pose(pairs_, lens(x))) / (corner * corner) +
               std::pow(x[0] / kFocal, 2) + std::pow(x[1] / kBend, 2);
    }
    [[nodiscard]] Intrinsics lens(const double* x) const {
        Intrinsics in = start_;
        const double f = std::exp(std::clamp(x[0], -1.5, 1.5));
        in.K(0, 0) *= f;
        in.K(1, 1) *= f;
        in.distortion[0] = std::clamp(x[1], -0.5, 0.5) * f *
                           f;  // the same bend in pixels, whatever the focal length
        return in;
    }

private:
    const Pairs& pairs_;
    Intrinsics start_;
};

Intrinsics guess_lens(const Pairs& pairs, const Table& table, cv::Size size) {
    const auto problem = cv::makePtr<UnknownLens>(pairs, usual_intrinsics(pairs, table, size));
    const cv::TermCriteria enough(cv::TermCriteria::MAX_ITER + cv::TermCriteria::EPS, 120, 1e-4);
    const cv::Mat first_step = (cv::Mat_<double>(1, 2) << 0.2, 0.05);
    cv::Mat x = (cv::Mat_<double>(1, 2) << 0.0, 0.0);
    cv::DownhillSolver::create(problem, first_step, enough)->minimize(x);
    return problem->lens(x.ptr<double>());
}

void measure(TableFix& fix, const Pairs& pairs) {
    double mm2 = 0;
    for (std::size_t i = 0; i < pairs.px.size(); ++i)
        mm2 += std::pow(distance(fix.map.to_table(pairs.px[i]), pairs.table[i]), 2);
    fix.rms_px = std::sqrt(residual_px2(pairs, fix.map) / double(pairs.px.size()));
    fix.rms_mm = std::sqrt(mm2 / double(pairs.px.size()));
}

}  // namespace

std::vector<Point> marker_corners(const Table& table, const TableMarker& marker) {
    const double h = table.marker_mm / 2;
    const Point c = marker.centre;
    return {{c.x - h, c.y - h}, {c.x + h, c.y - h}, {c.x + h, c.y + h}, {c.x - h, c.y + h}};
}

std::vector<SeenMarker> find_markers_near(const cv::Mat& picture, const Table& table,
                                          const TableMap& map) {
    constexpr double kRoom = 0.6;  // round a marker, of its side
    std::vector<SeenMarker> seen;
    for (const TableMarker& marker : table.markers) {
        std::vector<cv::Point2f> reach;
        for (const Point& corner : marker_corners(table, marker))
            reach.emplace_back(map.project(corner + (corner - marker.centre) * (2 * kRoom)));
        const cv::Rect part = cv::boundingRect(reach) & cv::Rect({}, picture.size());
        if (part.empty()) continue;
        for (SeenMarker& found : find_markers(picture(part), table)) {
            if (found.id != marker.id) continue;
            for (cv::Point2f& corner : found.corners_px) corner += cv::Point2f(part.tl());
            seen.push_back(std::move(found));
        }
    }
    return seen;
}

std::vector<SeenMarker> find_markers(const cv::Mat& picture, const Table& table) {
    if (picture.empty()) return {};
    const cv::Mat gray = gray_of(picture);
    cv::Mat small;
    // A marker needs no more pixels than this to be read; its corners are then refined in the full
    // picture.
    const double scale = std::min(1.0, 2000.0 / std::max(gray.cols, gray.rows));
    if (scale < 1) cv::resize(gray, small, {}, scale, scale, cv::INTER_AREA);
    auto parameters = cv::aruco::DetectorParameters::create();
    // Paper cut close to the marker is a second square around it: both are candidates, only one can
    // be read. OpenCV's own 0.05 takes the larger of squares that near, and on a dark table no
    // marker was found.
    parameters->minMarkerDistanceRate = 0.01;
    std::vector<std::vector<cv::Point2f>> corners;
    std::vector<int> ids;
    cv::aruco::detectMarkers(scale < 1 ? small : gray, dictionary_named(table.dictionary), corners,
                             ids, parameters);
    for (auto& marker : corners) {
        for (auto& c : marker)
            c = (c + cv::Point2f(0.5f, 0.5f)) * (1 / scale) - cv::Point2f(0.5f, 0.5f);
        marker = corners_by_edges(gray, marker);
    }
    std::vector<SeenMarker> seen;
    for (std::size_t i = 0; i < ids.size(); ++i) {
        const auto is = [&](const auto& m) { return m.id == ids[i]; };
        if (std::none_of(table.markers.begin(), table.markers.end(), is)) continue;
        // Read twice: the larger reached the marker's edge, the other stopped inside it.
        const auto known = std::find_if(seen.begin(), seen.end(), is);
        if (known == seen.end())
            seen.push_back({ids[i], corners[i]});
        else if (cv::contourArea(corners[i]) > cv::contourArea(known->corners_px))
            known->corners_px = corners[i];
    }
    return seen;
}

std::optional<TableFix> fix_table(const std::vector<SeenMarker>& seen, const Table& table,
                                  cv::Size size, const Intrinsics* intrinsics) {
    const Pairs pairs = pairs_of(seen, table);
    if (pairs.markers < std::min<int>(3, int(table.markers.size()))) return {};
    TableFix fix;
    fix.markers = pairs.markers;
    if (intrinsics) {
        fix.map = solve_pose(pairs,
                             intrinsics->size == size ? *intrinsics : intrinsics->scaled_to(size));
    } else {
        fix.map = solve_pose(pairs, guess_lens(pairs, table, size));
    }
    measure(fix, pairs);
    return fix;
}

TableFix fix_table_by_corners(const std::vector<cv::Point2d>& corners_px, const Table& table,
                              cv::Size size, const Intrinsics* intrinsics) {
    const double w = table.width_mm, h = table.height_mm;
    const Pairs pairs{{{0, 0}, {w, 0}, {w, h}, {0, h}}, corners_px, 0};
    TableFix fix;
    const Intrinsics lens = intrinsics ? intrinsics->scaled_to(size)
                                       : guess_lens(pairs, table, size);
    fix.map = solve_pose(pairs, lens);
    measure(fix, pairs);
    return fix;
}

std::optional<TableMap> find_table(const cv::Mat& picture, const Table& table,
                                   const Intrinsics* intrinsics) {
    const auto fix = fix_table(find_markers(picture, table), table, picture.size(), intrinsics);
    if (!fix) return {};
    return fix->map;
}

}  // namespace overboard::calibration
