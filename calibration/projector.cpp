#include "calibration/projector.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <opencv2/aruco/charuco.hpp>
#include <opencv2/calib3d.hpp>
#include <opencv2/imgproc.hpp>
#include <opencv2/structured_light.hpp>

#include "calibration/colour.hpp"
#include "calibration/dictionary.hpp"

namespace overboard::calibration {
namespace {

constexpr int kSquaresX = 16, kSquaresY = 9;
constexpr double kMarkerShare = 0.72;
constexpr double kCaution = 1.6;  // a doubt is a standard deviation: luck may be worse than it

cv::Ptr<cv::aruco::CharucoBoard> board() {
    return cv::aruco::CharucoBoard::create(kSquaresX, kSquaresY, 1.f, float(kMarkerShare),
                                           dictionary_named("DICT_4X4_100"));
}

double square_px(cv::Size projector) {
    return std::floor(
        std::min(projector.width / double(kSquaresX), projector.height / double(kSquaresY)));
}

cv::Ptr<cv::structured_light::GrayCodePattern> pattern_for(cv::Size projector) {
    return cv::structured_light::GrayCodePattern::create(projector.width, projector.height);
}

/// The pattern alone: what it adds to the black picture, as a share of what white adds.
cv::Mat pattern_light(const cv::Mat& lit, const cv::Mat& black, const cv::Mat& white) {
    cv::Mat light, most;
    gray_of(lit).convertTo(light, CV_32F);
    if (!black.empty()) cv::subtract(light, gray_of(black), light, {}, CV_32F);
    if (!white.empty()) {
        cv::subtract(gray_of(white),
                     black.empty() ? cv::Mat::zeros(white.size(), CV_8U) : gray_of(black), most, {},
                     CV_32F);
        light /= cv::max(most,
                         6.0);  // below: the projector does not reach there, only noise would grow
    }
    cv::GaussianBlur(light, light, {}, 0.8);
    cv::normalize(cv::min(light, white.empty() ? 255.0 : 1.2), light, 0, 255, cv::NORM_MINMAX,
                  CV_8U);
    return light;
}

std::vector<PointPair> thinned(std::vector<PointPair> pairs, int most) {
    if (int(pairs.size()) <= most) return pairs;
    std::vector<PointPair> few;
    const double step = double(pairs.size()) / most;
    for (double i = 0; i < double(pairs.size()); i += step) few.push_back(pairs[std::size_t(i)]);
    return few;
}

/// Places all over the projector's picture, through a map to the table.
std::vector<cv::Point2d> spread(const cv::Mat& shown_to_table, cv::Size projector) {
    std::vector<cv::Point2d> places, mapped;
    for (int y = 0; y <= 4; ++y)
        for (int x = 0; x <= 8; ++x)
            places.emplace_back(projector.width * x / 8.0, projector.height * y / 4.0);
    cv::perspectiveTransform(places, mapped, shown_to_table);
    return mapped;
}

/// How far the answer moves when a part of the picture is left out (a jackknife over 3 x 2 parts),
/// RMS in mm.
double doubt_mm(const std::vector<cv::Point2d>& shown, const std::vector<cv::Point2d>& table,
                const cv::Mat& whole, cv::Size projector) {
    constexpr int kColumns = 3, kRows = 2, kParts = kColumns * kRows;
    const auto part_of = [&](cv::Point2d p) {
        const int x = std::clamp(int(kColumns * p.x / projector.width), 0, kColumns - 1),
                  y = std::clamp(int(kRows * p.y / projector.height), 0, kRows - 1);
        return y * kColumns + x;
    };
    const auto all = spread(whole, projector);
    double sum = 0;
    for (int part = 0; part < kParts; ++part) {
        std::vector<cv::Point2d> from, to;
        for (std::size_t i = 0; i < shown.size(); ++i)
            if (part_of(shown[i]) != part) from.push_back(shown[i]), to.push_back(table[i]);
        const cv::Mat without = from.size() < 6 ? cv::Mat() : cv::findHomography(from, to);
        if (without.empty()) return 1e3;  // everything hangs on one part
        const auto other = spread(without, projector);
        double square = 0;
        for (std::size_t i = 0; i < all.size(); ++i)
            square += (other[i] - all[i]).dot(other[i] - all[i]);
        sum += square / double(all.size());
    }
    return std::sqrt(sum * (kParts - 1) / kParts);
}

}  // namespace

cv::Mat projector_board(cv::Size projector) {
    const double square = square_px(projector);
    const cv::Size drawn{int(square * kSquaresX), int(square * kSquaresY)};
    cv::Mat picture(projector, CV_8U, cv::Scalar(255)), inner;
    board()->draw(drawn, inner, 0, 1);
    inner.copyTo(picture({(projector.width - drawn.width) / 2,
                          (projector.height - drawn.height) / 2, drawn.width, drawn.height}));
    return picture;
}

std::vector<PointPair> find_projector_board(const cv::Mat& lit, const cv::Mat& black,
                                            const cv::Mat& white, cv::Size projector) {
    const cv::Mat light = pattern_light(lit, black, white);
    const auto printed = board();
    std::vector<std::vector<cv::Point2f>> markers;
    std::vector<int> ids, corner_ids;
    std::vector<cv::Point2f> corners;
    cv::aruco::detectMarkers(light, printed->dictionary, markers, ids);
    std::vector<PointPair> pairs;
    if (ids.empty()) return pairs;
    cv::aruco::interpolateCornersCharuco(markers, ids, light, printed, corners, corner_ids);
    if (corners.empty()) return pairs;
    // Its own refinement leaves corners at whole pixels where its window is too small.
    cv::cornerSubPix(light, corners, {5, 5}, {-1, -1},
                     {cv::TermCriteria::EPS + cv::TermCriteria::COUNT, 40, 0.005});
    const double square = square_px(projector);
    const cv::Point2d origin((projector.width - square * kSquaresX) / 2 - 0.5,
                             (projector.height - square * kSquaresY) / 2 - 0.5);
    // The board is drawn with its first row at the top, its own y axis points the other way round
    // in this OpenCV: take the row from the corner's number, not from its coordinates.
    for (std::size_t i = 0; i < corners.size(); ++i) {
        const int column = corner_ids[i] % (kSquaresX - 1), row = corner_ids[i] / (kSquaresX - 1);
        pairs.push_back(
            {corners[i], origin + cv::Point2d((column + 1) * square, (row + 1) * square)});
    }
    return pairs;
}

std::vector<cv::Mat> gray_code_patterns(cv::Size projector) {
    std::vector<cv::Mat> patterns;
    pattern_for(projector)->generate(patterns);
    patterns.push_back(cv::Mat(projector, CV_8U, cv::Scalar(255)));
    patterns.push_back(cv::Mat(projector, CV_8U, cv::Scalar(0)));
    return patterns;
}

std::vector<PointPair> decode_gray_code(const std::vector<cv::Mat>& captured, cv::Size projector,
                                        int most) {
    std::vector<PointPair> pairs;
    if (captured.size() < 4) return pairs;
    std::vector<cv::Mat> codes;
    for (const cv::Mat& picture : captured) codes.push_back(gray_of(picture));
    const cv::Mat white = codes[codes.size() - 2], black = codes.back();
    codes.resize(codes.size() - 2);
    const auto pattern = pattern_for(projector);
    if (codes.size() != pattern->getNumberOfPatternImages()) return pairs;
    pattern->setWhiteThreshold(8);
    const int step = std::max(1, int(std::sqrt(white.total() / double(8 * most))));
    for (int y = 0; y < white.rows; y += step)
        for (int x = 0; x < white.cols; x += step) {
            if (white.at<uchar>(y, x) - black.at<uchar>(y, x) < 15) continue;
            cv::Point at;
            if (!pattern->getProjPixel(codes, x, y, at))
                pairs.push_back({cv::Point2d(x, y), cv::Point2d(at)});
        }
    return thinned(std::move(pairs), most);
}

ProjectorResult solve_projector(const std::vector<PointPair>& pairs, const TableMap& camera,
                                cv::Size projector, double table_error_mm,
                                const ProjectorLimits& limits) {
    ProjectorResult result;
    result.pairs = int(pairs.size());
    result.fix.size = projector;
    if (pairs.size() < 12) {
        result.verdict = fmt::format(
            "The camera saw only {} points of the pattern: darken the room or clear the table.",
            pairs.size());
        return result;
    }
    std::vector<cv::Point2d> table, shown;
    for (const PointPair& p : pairs) {
        const Point on_table = camera.to_table(p.camera_px);
        table.emplace_back(on_table.x, on_table.y);
        shown.push_back(p.projector_px);
    }
    std::vector<uchar> agrees;
    const cv::Mat H = cv::findHomography(shown, table, cv::RANSAC, limits.outlier_mm, agrees, 4000,
                                         0.999);
    if (H.empty()) {
        result.verdict = "The points of the pattern make no sense together: was the table moved?";
        return result;
    }
    std::vector<cv::Point2d> mapped;
    cv::perspectiveTransform(shown, mapped, H);
    double sum = 0;
    std::vector<cv::Point2d> good_shown, good_table;
    for (std::size_t i = 0; i < table.size(); ++i)
        if (agrees[i]) {
            const cv::Point2d d = mapped[i] - table[i];
            sum += d.dot(d);
            good_shown.push_back(shown[i]);
            good_table.push_back(table[i]);
        }
    const auto n = int(good_shown.size());
    result.fix.table_to_projector = cv::Matx33d(H.ptr<double>()).inv();
    result.fix.rms_mm = std::sqrt(sum / std::max(1, n));
    result.inliers = double(n) / double(table.size());
    result.error_mm = std::hypot(kCaution * doubt_mm(good_shown, good_table, H, projector),
                                 table_error_mm);
    result.good = result.error_mm <= limits.good_mm && result.inliers > 0.6;
    result.verdict = result.good
                         ? fmt::format("Good: to {:.2f} mm, by {} points.", result.error_mm, n)
                         : fmt::format(
                               "Light would fall {:.1f} mm beside its place ({} points, {:.0f} % "
                               "usable, {:.1f} mm apart): darken the room, "
                               "clear the table, fix the projector's mount, try again.",
                               std::min(result.error_mm, 999.0), n, 100 * result.inliers,
                               result.fix.rms_mm);
    return result;
}

std::optional<double> measure_latency(const std::vector<double>& shown_s,
                                      const std::vector<Brightness>& seen) {
    if (shown_s.empty() || seen.size() < 4) return {};
    const auto [low, high] = std::minmax_element(seen.begin(), seen.end(),
                                                 [](auto& a, auto& b) { return a.mean < b.mean; });
    const double middle = (low->mean + high->mean) / 2;
    if (high->mean - low->mean < 4) return {};
    std::vector<double> delays;
    for (std::size_t i = 1, next = 0; i < seen.size() && next < shown_s.size(); ++i) {
        if ((seen[i - 1].mean < middle) == (seen[i].mean < middle)) continue;
        // Between the two frames, where the brightness would have crossed the middle.
        const double share = (middle - seen[i - 1].mean) / (seen[i].mean - seen[i - 1].mean);
        const double when = seen[i - 1].time_s + share * (seen[i].time_s - seen[i - 1].time_s);
        while (next + 1 < shown_s.size() && shown_s[next + 1] <= when) ++next;
        if (when >= shown_s[next]) delays.push_back(when - shown_s[next++]);
    }
    if (delays.size() * 2 < shown_s.size()) return {};
    std::nth_element(delays.begin(), delays.begin() + std::ptrdiff_t(delays.size() / 2),
                     delays.end());
    return delays[delays.size() / 2];
}

}  // namespace overboard::calibration
