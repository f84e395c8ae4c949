#include "calibration/intrinsics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <opencv2/aruco/charuco.hpp>
#include <opencv2/calib3d.hpp>
#include <opencv2/imgproc.hpp>
#include <sstream>
#include <stdexcept>

#include "calibration/colour.hpp"
#include "calibration/dictionary.hpp"
#include "calibration/lens_fit.hpp"

// Corners of every view → calibrate → throw out views that fit much worse than the others → again,
// until none is left to throw out. Terms the views hardly tell apart stay near what is usual
// (lens_fit).
namespace overboard::calibration {
namespace {

struct Corners {
    std::vector<cv::Point3f> board;
    std::vector<cv::Point2f> px;
};

Corners chessboard_corners(const cv::Mat& gray, const TargetBoard& board) {
    Corners found;
    std::vector<cv::Point2f> px;
    const int flags = cv::CALIB_CB_ADAPTIVE_THRESH | cv::CALIB_CB_NORMALIZE_IMAGE |
                      cv::CALIB_CB_FAST_CHECK;
    if (!cv::findChessboardCorners(gray, board.squares, px, flags) &&
        !cv::findChessboardCorners(gray, board.squares, px, flags & ~cv::CALIB_CB_FAST_CHECK))
        return found;
    const int window = std::max(3, gray.cols / 130);
    cv::cornerSubPix(gray, px, {window, window}, {-1, -1},
                     {cv::TermCriteria::EPS + cv::TermCriteria::COUNT, 40, 0.005});
    found.px = px;
    for (int y = 0; y < board.squares.height; ++y)
        for (int x = 0; x < board.squares.width; ++x)
            found.board.emplace_back(float(x * board.square_mm), float(y * board.square_mm), 0.f);
    return found;
}

/// Leaves out markers that do not lie where the others put the board: the table's own carry the
/// same numbers as the board's first ones.
void keep_the_boards_own(const cv::aruco::CharucoBoard& printed,
                         std::vector<std::vector<cv::Point2f>>& markers, std::vector<int>& ids) {
    std::vector<cv::Point2f> board, px;
    std::vector<std::size_t> known;
    for (std::size_t i = 0; i < ids.size(); ++i) {
        const auto at = std::find(printed.ids.begin(), printed.ids.end(), ids[i]);
        if (at == printed.ids.end()) continue;
        known.push_back(i);
        for (std::size_t k = 0; k < 4; ++k) {
            const cv::Point3f p = printed.objPoints[std::size_t(at - printed.ids.begin())][k];
            board.emplace_back(p.x, p.y);
            px.push_back(markers[i][k]);
        }
    }
    std::vector<uchar> agrees;
    if (known.size() < 2) return;
    const double side_px = cv::norm(px[0] - px[1]);
    if (cv::findHomography(board, px, cv::RANSAC, std::max(3.0, 0.4 * side_px), agrees).empty())
        return;
    std::vector<std::vector<cv::Point2f>> own;
    std::vector<int> own_ids;
    for (std::size_t n = 0; n < known.size(); ++n) {
        if (agrees[4 * n] + agrees[4 * n + 1] + agrees[4 * n + 2] + agrees[4 * n + 3] < 3) continue;
        own.push_back(markers[known[n]]);
        own_ids.push_back(ids[known[n]]);
    }
    markers = own;
    ids = own_ids;
}

Corners charuco_corners(const cv::Mat& gray, const TargetBoard& board) {
    const auto dictionary = dictionary_named(board.dictionary);
    const auto printed = cv::aruco::CharucoBoard::create(board.squares.width, board.squares.height,
                                                         float(board.square_mm),
                                                         float(board.marker_mm), dictionary);
    std::vector<std::vector<cv::Point2f>> markers;
    std::vector<int> ids;
    cv::aruco::detectMarkers(gray, dictionary, markers, ids);
    keep_the_boards_own(*printed, markers, ids);
    Corners found;
    if (ids.empty()) return found;
    std::vector<cv::Point2f> px;
    std::vector<int> corner_ids;
    cv::aruco::interpolateCornersCharuco(markers, ids, gray, printed, px, corner_ids);
    for (std::size_t i = 0; i < px.size(); ++i) {
        found.px.push_back(px[i]);
        found.board.push_back(printed->chessboardCorners[std::size_t(corner_ids[i])]);
    }
    return found;
}

Corners corners_of(const cv::Mat& gray, const TargetBoard& board) {
    return board.kind == TargetBoard::Kind::charuco ? charuco_corners(gray, board)
                                                    : chessboard_corners(gray, board);
}

constexpr std::size_t kViewsForAllTerms = 4;  // fewer cannot tell the higher ones: they stay zero

struct Solved {
    Intrinsics intrinsics;
    double rms_px = 0;
    std::vector<double> per_view_px;
};

Solved calibrate(const std::vector<const Corners*>& views, cv::Size size) {
    ObjectPoints object;
    ImagePoints image;
    for (const Corners* v : views) {
        object.push_back(v->board);
        image.push_back(v->px);
    }
    LensFit fit;
    cv::calibrateCamera(object, image, size, fit.K, fit.distortion, fit.r, fit.t,
                        cv::CALIB_FIX_K3 | cv::CALIB_ZERO_TANGENT_DIST);
    if (views.size() >= kViewsForAllTerms) refine(fit, object, image);
    Solved solved;
    solved.per_view_px = errors_px(fit, object, image);
    double sum = 0, corners = 0;
    for (std::size_t v = 0; v < views.size(); ++v) {
        sum += std::pow(solved.per_view_px[v], 2) * double(image[v].size());
        corners += double(image[v].size());
    }
    solved.rms_px = std::sqrt(sum / corners);
    solved.intrinsics.size = size;
    solved.intrinsics.K = cv::Matx33d(fit.K);
    for (int i = 0; i < 5; ++i) solved.intrinsics.distortion[i] = fit.distortion.at<double>(i);
    return solved;
}

/// Views that fit far worse than the rest: a bent board, a blurred picture, a wrong detection.
std::vector<std::size_t> outliers(const std::vector<double>& errors) {
    std::vector<double> sorted = errors;
    std::nth_element(sorted.begin(), sorted.begin() + std::ptrdiff_t(sorted.size() / 2),
                     sorted.end());
    const double limit = std::max(2.5 * sorted[sorted.size() / 2], 0.35);
    std::vector<std::size_t> bad;
    for (std::size_t i = 0; i < errors.size(); ++i)
        if (errors[i] > limit) bad.push_back(i);
    return bad;
}

constexpr int kCellsX = 8, kCellsY = 6;

double coverage_of(const std::vector<const Corners*>& views, cv::Size size, cv::Mat& picture) {
    cv::Mat cells = cv::Mat::zeros(kCellsY, kCellsX, CV_8U);
    for (const Corners* v : views)
        for (const cv::Point2f& p : v->px)
            cells.at<uchar>(std::clamp(int(p.y * kCellsY / float(size.height)), 0, kCellsY - 1),
                            std::clamp(int(p.x * kCellsX / float(size.width)), 0, kCellsX - 1)) = 1;
    picture = cv::Mat(size, CV_8UC3, cv::Scalar(40, 40, 40));
    for (int y = 0; y < kCellsY; ++y)
        for (int x = 0; x < kCellsX; ++x)
            if (cells.at<uchar>(y, x))
                cv::rectangle(picture, {x * size.width / kCellsX, y * size.height / kCellsY},
                              {(x + 1) * size.width / kCellsX, (y + 1) * size.height / kCellsY},
                              {60, 90, 60}, cv::FILLED);
    for (const Corners* v : views)
        for (const cv::Point2f& p : v->px)
            cv::circle(picture, p, 3, {80, 255, 80}, cv::FILLED, cv::LINE_AA);
    return cv::countNonZero(cells) / double(kCellsX * kCellsY);
}

std::string verdict_of(const LensResult& r, std::size_t used, const LensLimits& limits) {
    if (int(used) < limits.min_views)
        return fmt::format(
            "Only {} usable views of the board; show it at least {} times, tilted, near and far.",
            used, limits.min_views);
    if (r.rms_px > limits.good_rms_px)
        return fmt::format(
            "The views disagree by {:.2f} px (limit {:.2f}): glue the board to something flat, "
            "hold still, add light.",
            r.rms_px, limits.good_rms_px);
    if (r.coverage < limits.min_coverage)
        return fmt::format(
            "The board covered only {:.0f} % of the picture; show it in the corners too.",
            100 * r.coverage);
    return fmt::format("Good: {:.2f} px over {} views, {:.0f} % of the picture covered.", r.rms_px,
                       used, 100 * r.coverage);
}

std::vector<Corners> look_at(const std::vector<NamedPicture>& pictures, const TargetBoard& board,
                             LensResult& result, std::vector<std::size_t>& usable) {
    std::vector<Corners> corners;
    for (std::size_t i = 0; i < pictures.size(); ++i) {
        corners.push_back(corners_of(gray_of(pictures[i].bgr), board));
        ViewReport report{pictures[i].name, int(corners[i].px.size()), 0, false, ""};
        if (corners[i].px.size() < 8)
            report.why_not = "the board was not found";
        else if (pictures[i].bgr.size() != pictures[0].bgr.size())
            report.why_not = "another picture size";
        else
            usable.push_back(i);
        result.views.push_back(report);
    }
    return corners;
}

}  // namespace

TargetBoard parse_board(const std::string& text) {
    std::vector<std::string> parts;
    std::stringstream in(text);
    for (std::string part; std::getline(in, part, ':');) parts.push_back(part);
    TargetBoard board;
    int w = 0, h = 0;
    const bool sized = parts.size() >= 3 && std::sscanf(parts[1].c_str(), "%dx%d", &w, &h) == 2 &&
                       w > 1 && h > 1;
    try {
        if (sized && parts[0] == "chessboard") {
            board.kind = TargetBoard::Kind::chessboard;
            board.square_mm = std::stod(parts[2]);
        } else if (sized && parts[0] == "charuco" && parts.size() >= 4) {
            board.square_mm = std::stod(parts[2]);
            board.marker_mm = std::stod(parts[3]);
            if (parts.size() > 4) board.dictionary = parts[4];
            dictionary_named(board.dictionary);
        } else {
            throw std::runtime_error("");
        }
    } catch (const std::exception&) {
        throw std::runtime_error("not a board: '" + text +
                                 "' (like charuco:8x5:30:22:DICT_4X4_100 or chessboard:9x6:25)");
    }
    board.squares = {w, h};
    return board;
}

std::vector<cv::Point2f> find_board(const cv::Mat& picture, const TargetBoard& board) {
    return corners_of(gray_of(picture), board).px;
}

LensResult solve_lens(const std::vector<NamedPicture>& pictures, const TargetBoard& board,
                      const LensLimits& limits) {
    LensResult result;
    std::vector<std::size_t> used;
    const std::vector<Corners> corners = look_at(pictures, board, result, used);
    std::vector<const Corners*> views;
    while (used.size() >= 3) {
        views.clear();
        for (const std::size_t i : used) views.push_back(&corners[i]);
        const Solved solved = calibrate(views, pictures[0].bgr.size());
        result.intrinsics = solved.intrinsics;
        result.rms_px = solved.rms_px;
        for (std::size_t k = 0; k < used.size(); ++k)
            result.views[used[k]].rms_px = solved.per_view_px[k];
        const std::vector<std::size_t> bad = outliers(solved.per_view_px);
        if (bad.empty() || used.size() - bad.size() < 3) break;
        for (auto k = bad.rbegin(); k != bad.rend(); ++k) {
            result.views[used[*k]].why_not = "fits much worse than the others";
            used.erase(used.begin() + std::ptrdiff_t(*k));
        }
    }
    if (used.size() < 3) views.clear();
    for (const std::size_t i : used) result.views[i].used = used.size() >= 3;
    if (!pictures.empty())
        result.coverage = coverage_of(views, pictures[0].bgr.size(), result.coverage_picture);
    result.verdict = verdict_of(result, views.size(), limits);
    result.good = result.verdict.starts_with("Good");
    return result;
}

}  // namespace overboard::calibration
