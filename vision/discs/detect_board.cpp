#include "vision/discs/detect_board.hpp"

#include <algorithm>
#include <cmath>
#include <opencv2/imgproc.hpp>

#include "vision/discs/board_print.hpp"
#include "vision/discs/plane.hpp"
#include "vision/discs/surface_lines.hpp"

// Proposals come from straight lines (surface_lines) and from regions of even colour: on a small,
// median-filtered copy (lines and discs vanish) regions are flooded from a few seeds with several
// tolerances, and each region's sides are fitted with straight lines, away from the corners where
// holes are. The proposal wins along whose sides the surface's colour ends most evenly. Its sides
// are then moved to the strongest edge nearby in a finer copy.
namespace overboard::vision {
namespace {

constexpr int kSmallSide = 300;
constexpr double kLeastArea = 0.08;  // of the picture
constexpr double kNear = 0.12;  // of the side: how far corners may be from where they are expected
constexpr double kOffCentre = 6;  // what a side's length off the expected middle costs, in scores
constexpr double kLeastScore = 0.45;
constexpr double kLeastFill = 0.80;  // how much of region and quadrilateral must be common to both

struct Line {
    cv::Point2d at, along;
};

cv::Point2d crossing(const Line& a, const Line& b) {
    const double det = a.along.cross(b.along);
    if (std::abs(det) < 1e-6) return a.at;
    return a.at + a.along * ((b.at - a.at).cross(b.along) / det);
}

// A straight line through most of the points.
std::optional<Line> fit_side(std::vector<cv::Point2f> points) {
    if (points.size() < 12) return {};
    Line line;
    for (int pass = 0; pass < 4; ++pass) {
        cv::Vec4f v;
        cv::fitLine(points, v, pass < 2 ? cv::DIST_HUBER : cv::DIST_L2, 0, 0.01, 0.01);
        line = {{v[2], v[3]}, {v[0], v[1]}};
        std::vector<double> away;
        for (const auto& p : points)
            away.push_back(std::abs((cv::Point2d(p) - line.at).cross(line.along)));
        std::vector<double> sorted = away;
        std::nth_element(sorted.begin(), sorted.begin() + sorted.size() / 2, sorted.end());
        const double limit = std::max(1.0, 2.5 * sorted[sorted.size() / 2]);
        std::vector<cv::Point2f> kept;
        for (std::size_t i = 0; i < points.size(); ++i)
            if (away[i] <= limit) kept.push_back(points[i]);
        if (kept.size() < 12) break;
        points = std::move(kept);
    }
    return line;
}

// Contour points go to the side of the enclosing rectangle they are nearest to; corners are left
// out.
std::optional<Quadrangle> fit_quad(const std::vector<cv::Point>& contour) {
    cv::RotatedRect box = cv::minAreaRect(contour);
    float angle = box.angle;
    while (angle > 45) angle -= 90, std::swap(box.size.width, box.size.height);
    while (angle < -45) angle += 90, std::swap(box.size.width, box.size.height);
    const double c = std::cos(angle * CV_PI / 180), s = std::sin(angle * CV_PI / 180);
    const double w = box.size.width / 2, h = box.size.height / 2;
    if (w < 8 || h < 8) return {};
    std::array<std::vector<cv::Point2f>, 4> sides;  // top, right, bottom, left
    for (const cv::Point& p : contour) {
        const cv::Point2d d = cv::Point2d(p) - cv::Point2d(box.center);
        const double x = (c * d.x + s * d.y) / w, y = (-s * d.x + c * d.y) / h;
        if (std::abs(x) > 0.8 && std::abs(y) > 0.8) continue;
        const int side = std::abs(x) > std::abs(y) ? (x > 0 ? 1 : 3) : (y > 0 ? 2 : 0);
        if (std::max(std::abs(x), std::abs(y)) > 0.6) sides[side].emplace_back(p);
    }
    std::array<Line, 4> lines;
    for (int i = 0; i < 4; ++i) {
        const auto line = fit_side(sides[i]);
        if (!line) return {};
        lines[i] = *line;
    }
    return Quadrangle{crossing(lines[3], lines[0]), crossing(lines[0], lines[1]),
                      crossing(lines[1], lines[2]), crossing(lines[2], lines[3])};
}

cv::Mat filled(const std::vector<cv::Point>& contour, cv::Size size) {
    cv::Mat mask = cv::Mat::zeros(size, CV_8U);
    cv::fillPoly(mask, std::vector<std::vector<cv::Point>>{contour}, 255);
    return mask;
}

double fill_share(const cv::Mat& region, const Quadrangle& q) {
    std::vector<cv::Point> outline;
    for (const auto& p : q) outline.emplace_back(cvRound(p.x), cvRound(p.y));
    const cv::Mat quad = filled(outline, region.size());
    const double both = cv::countNonZero(region & quad), either = cv::countNonZero(region | quad);
    return either > 0 ? both / either : 0;
}

std::vector<cv::Mat> regions_from(const cv::Mat& small, cv::Point seed) {
    std::vector<cv::Mat> regions;
    for (const int tolerance :
         {1, 2, 3, 5}) {  // from pixel to pixel: follows slow changes of light
        cv::Mat mask = cv::Mat::zeros(small.rows + 2, small.cols + 2, CV_8U);
        cv::Mat copy = small.clone();
        cv::floodFill(copy, mask, seed, {}, nullptr, cv::Scalar::all(tolerance),
                      cv::Scalar::all(tolerance), 4 | cv::FLOODFILL_MASK_ONLY | (255 << 8));
        regions.push_back(mask(cv::Rect(1, 1, small.cols, small.rows)).clone());
    }
    for (const int tolerance : {14, 22, 32, 45}) {  // from the seed: stops at slow edges, too
        cv::Mat mask = cv::Mat::zeros(small.rows + 2, small.cols + 2, CV_8U);
        cv::Mat copy = small.clone();
        cv::floodFill(copy, mask, seed, {}, nullptr, cv::Scalar::all(tolerance),
                      cv::Scalar::all(tolerance),
                      4 | cv::FLOODFILL_MASK_ONLY | cv::FLOODFILL_FIXED_RANGE | (255 << 8));
        regions.push_back(mask(cv::Rect(1, 1, small.cols, small.rows)).clone());
    }
    return regions;
}

std::optional<Quadrangle> quad_of_region(cv::Mat region, const cv::Mat& small, double aspect) {
    const int close = std::max(3, small.cols / 40) | 1;
    cv::morphologyEx(region, region, cv::MORPH_CLOSE,
                     cv::getStructuringElement(cv::MORPH_ELLIPSE, {close, close}));
    cv::morphologyEx(region, region, cv::MORPH_OPEN,
                     cv::getStructuringElement(cv::MORPH_ELLIPSE, {close, close}));
    std::vector<std::vector<cv::Point>> contours;
    cv::findContours(region, contours, cv::RETR_EXTERNAL, cv::CHAIN_APPROX_NONE);
    if (contours.empty()) return {};
    const auto largest = std::max_element(
        contours.begin(), contours.end(),
        [](const auto& a, const auto& b) { return cv::contourArea(a) < cv::contourArea(b); });
    const double area = cv::contourArea(*largest) / small.total();
    if (area < kLeastArea) return {};
    const auto quad = fit_quad(*largest);
    if (!quad || !looks_square(*quad, aspect)) return {};
    if (fill_share(filled(*largest, small.size()), *quad) < kLeastFill) return {};
    return quad;
}

// Strength of the edge along a shifted side of the quadrilateral.
double side_strength(const cv::Mat& gx, const cv::Mat& gy, cv::Point2d a, cv::Point2d b,
                     cv::Point2d normal) {
    double sum = 0;
    for (int k = 3; k <= 37; ++k) {
        const cv::Point2d p = a + (b - a) * (k / 40.0);
        const int x = cvRound(p.x), y = cvRound(p.y);
        if (x < 0 || y < 0 || x >= gx.cols || y >= gx.rows) continue;
        const double g = std::abs(gx.at<short>(y, x) * normal.x + gy.at<short>(y, x) * normal.y);
        sum += std::min(g, 120.0);
    }
    return sum;
}

// Moves each side to the strongest straight edge within a few pixels of the finer copy.
Quadrangle sharpen(const cv::Mat& gray, const Quadrangle& q, double reach) {
    cv::Mat gx, gy;
    cv::Sobel(gray, gx, CV_16S, 1, 0);
    cv::Sobel(gray, gy, CV_16S, 0, 1);
    std::array<Line, 4> lines;
    for (int i = 0; i < 4; ++i) {
        const cv::Point2d a = q[i], b = q[(i + 1) % 4], along = (b - a) / cv::norm(b - a),
                          normal{-along.y, along.x};
        double best = -1;
        lines[i] = {a, along};
        for (double s = -reach; s <= reach; s += 1)
            for (double t = -reach; t <= reach; t += 1) {
                if (std::abs(s - t) > 0.6 * reach) continue;
                const double nearness = 1 - 0.35 * (std::abs(s) + std::abs(t)) / (2 * reach);
                const double strength = side_strength(gx, gy, a + normal * s, b + normal * t,
                                                      normal) *
                                        nearness;
                if (strength > best) {
                    best = strength;
                    const cv::Point2d from = a + normal * s, to = b + normal * t;
                    lines[i] = {from, (to - from) / cv::norm(to - from)};
                }
            }
    }
    return {crossing(lines[3], lines[0]), crossing(lines[0], lines[1]),
            crossing(lines[1], lines[2]), crossing(lines[2], lines[3])};
}

void add_regions(const cv::Mat& small, double aspect, std::vector<Quadrangle>& proposals) {
    for (const cv::Point2d at : {cv::Point2d{0.5, 0.5},
                                 {0.5, 0.3},
                                 {0.5, 0.7},
                                 {0.3, 0.5},
                                 {0.7, 0.5},
                                 {0.4, 0.4},
                                 {0.6, 0.6}})
        for (const cv::Mat& region :
             regions_from(small, {int(at.x * small.cols), int(at.y * small.rows)}))
            if (const auto quad = quad_of_region(region, small, aspect)) proposals.push_back(*quad);
}

Quadrangle rescaled(Quadrangle quad, double factor) {
    for (auto& p : quad) p = {(p.x + 0.5) * factor - 0.5, (p.y + 0.5) * factor - 0.5};
    return quad;
}

// The same square made larger or smaller about its middle.
Quadrangle grown(const Quadrangle& quad, double factor) {
    const cv::Point2d middle = (quad[0] + quad[1] + quad[2] + quad[3]) * 0.25;
    Quadrangle other;
    for (std::size_t i = 0; i < 4; ++i) other[i] = middle + (quad[i] - middle) * factor;
    return other;
}

// Where the corner next to each of its corners lies, at most, in parts of its side; corners in any
// order.
double worst_corner(const Quadrangle& quad, const Quadrangle& other) {
    double worst = 0;
    for (const cv::Point2d& p : quad) {
        double nearest = 1e9;
        for (const cv::Point2d& q : other) nearest = std::min(nearest, cv::norm(p - q));
        worst = std::max(worst, nearest);
    }
    return worst / std::max(1.0, cv::norm(other[1] - other[0]));
}

// Print is drawn in the middle of a board: how far a square is from being just a larger or smaller
// one about the same middle.
double off_centre(const Quadrangle& quad, const Quadrangle& about) {
    double size = 0, about_size = 0;
    for (std::size_t i = 0; i < 4; ++i)
        size += cv::norm(quad[(i + 1) % 4] - quad[i]),
            about_size += cv::norm(about[(i + 1) % 4] - about[i]);
    return worst_corner(quad, grown(about, size / about_size));
}

void keep_near(const Quadrangle& about, std::vector<Quadrangle>& proposals) {
    std::erase_if(proposals, [&](const Quadrangle& q) { return worst_corner(q, about) > kNear; });
    for (double factor = 0.92; factor < 1.13; factor += 0.01)
        proposals.push_back(grown(about, factor));
}

}  // namespace

std::optional<Surface> find_surface(const cv::Mat& bgr, const BoardKind& board,
                                    const std::array<cv::Point2d, 4>* about) {
    if (bgr.empty() || std::min(bgr.cols, bgr.rows) < 64) return {};
    const double scale = std::min(1.0, double(kSmallSide) / std::max(bgr.cols, bgr.rows));
    cv::Mat small;
    cv::resize(bgr, small, {}, scale, scale, cv::INTER_AREA);
    cv::medianBlur(small, small, 7);
    const double aspect = board.width_mm / board.height_mm;
    std::vector<Quadrangle> proposals = squares_of_lines(small, aspect);
    add_regions(small, aspect, proposals);
    if (about) keep_near(rescaled(*about, scale), proposals);
    std::optional<Quadrangle> best;
    double best_score = kLeastScore;
    for (const Quadrangle& quad : proposals) {
        const double score = surface_score(small, quad, board) -
                             (about ? kOffCentre * off_centre(quad, rescaled(*about, scale)) : 0);
        if (score > best_score) best = quad, best_score = score;
    }
    if (!best) return {};
    const double fine = std::min(1.0, 800.0 / std::max(bgr.cols, bgr.rows));
    cv::Mat gray;
    cv::resize(bgr, gray, {}, fine, fine, cv::INTER_AREA);
    cv::cvtColor(gray, gray, cv::COLOR_BGR2GRAY);
    return Surface{rescaled(sharpen(gray, rescaled(*best, fine / scale), 10), 1 / fine),
                   best_score};
}

namespace {

// The pose of a rectangle of known size, given its corners in mm; nothing when they are not such a
// rectangle.
std::optional<Pose> pose_of(const std::array<Point, 4>& corners, const BoardKind& board) {
    constexpr double kSlack = 0.06;
    const auto side = [&](int i) {
        return corners[std::size_t((i + 1) % 4)] - corners[std::size_t(i)];
    };
    const double wide = (length(side(0)) + length(side(2))) / 2,
                 high = (length(side(1)) + length(side(3))) / 2;
    const bool fits = std::abs(wide / board.width_mm - 1) < kSlack &&
                      std::abs(high / board.height_mm - 1) < kSlack;
    const bool turned = std::abs(wide / board.height_mm - 1) < kSlack &&
                        std::abs(high / board.width_mm - 1) < kSlack;
    if (!fits && !turned) return {};
    const Point along = side(0) - side(2);
    double angle = std::atan2(along.y, along.x);
    // A square looks the same four ways, an oblong two: the one nearest to where it usually lies.
    const double step = fits && turned ? M_PI / 2 : M_PI;
    if (!fits) angle += M_PI / 2;
    angle = board.at.angle + std::remainder(angle - board.at.angle, step);
    const Point sum = corners[0] + corners[1] + corners[2] + corners[3];
    return Pose{sum.x / 4, sum.y / 4, wrapped(angle)};
}

}  // namespace

// The plane of the surface is drawn straight, so that only squares of the right size count. Edges
// in shade may be millimetres off, what is printed is not.
std::optional<Pose> detect_board(const View& view, const Catalogue& catalogue) {
    const BoardKind& board = *catalogue.board;
    const Point size{catalogue.table.width_mm, catalogue.table.height_mm};
    const double scale = 900 / std::max(size.x, size.y);
    const Plane plane = straighten(view, Pose{}, {0, 0}, size, scale, board.elevation_mm);
    std::vector<Pose> starts;
    if (const auto found = find_surface(plane.bgr, board)) {
        std::array<Point, 4> corners;
        for (std::size_t i = 0; i < 4; ++i) corners[i] = plane.local(found->corners_px[i]);
        if (const auto pose = pose_of(corners, board)) starts.push_back(*pose);
    }
    starts.push_back(board.at);
    return refine_board(view, board, starts);
}

}  // namespace overboard::vision
