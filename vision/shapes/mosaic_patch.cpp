#include "vision/shapes/mosaic_patch.hpp"

#include <algorithm>
#include <cmath>
#include <opencv2/imgproc.hpp>

// Where two pieces of one colour meet there is a fine line: a shadow, a lit edge, the table showing
// through. How much a line stands out is compared with what the patch shows at places chosen by
// chance, so that grain and noise of any light set their own limit.

namespace overboard::vision {
namespace {

constexpr double kMargin_mm = 6;
constexpr double kBeside_mm = 1.7;  // a line is compared with the colour so far to either side
constexpr float kAlong_mm = 1.1f;   // a line is followed over eight times this
// a line shows so much of itself when looked at 15 degrees aslant
constexpr double kOtherWay = 0.72;
constexpr double kBesideLine_mm = 2;  // … or this far beside it
constexpr double kEdge_mm = 2.4;
constexpr double kShortest_side_mm = 7;  // of an outline worth laying a piece against
constexpr double kStraight_mm = 1.3;     // an outline may wander so far from straight
constexpr double kAside_mm = 1.2;        // a line may run so far beside where it is looked for

cv::Vec3f colour_at(const cv::Mat& image, cv::Point2f p) {
    const float x = std::clamp(p.x, 0.f, static_cast<float>(image.cols) - 1.001f),
                y = std::clamp(p.y, 0.f, static_cast<float>(image.rows) - 1.001f);
    const int ix = static_cast<int>(x), iy = static_cast<int>(y);
    const float fx = x - static_cast<float>(ix), fy = y - static_cast<float>(iy);
    const cv::Vec3f *top = image.ptr<cv::Vec3f>(iy) + ix, *low = image.ptr<cv::Vec3f>(iy + 1) + ix;
    return (top[0] * (1 - fx) + top[1] * fx) * (1 - fy) + (low[0] * (1 - fx) + low[1] * fx) * fy;
}

/// The straight line through a part of a contour, the surroundings of its ends left out.
PatchSide side_through(const std::vector<cv::Point>& contour, int from, int count,
                       const Patch& patch) {
    const int n = static_cast<int>(contour.size());
    const Point a = patch.table(contour[from]), b = patch.table(contour[(from + count) % n]);
    PatchSide side{a, (b - a) * (1 / std::max(distance(a, b), 1e-6)), distance(a, b)};
    std::vector<cv::Point2f> points;
    for (int k = count / 6; k <= count - count / 6; ++k)
        points.emplace_back(contour[(from + k) % n]);
    if (points.size() < 5) return side;
    cv::Vec4f l;
    cv::fitLine(points, l, cv::DIST_HUBER, 0, 0.01, 0.01);
    Point d{l[0], l[1]};
    if (dot(d, side.along) < 0) d = d * -1;
    const Point on = patch.table({l[2], l[3]});
    return {on + d * dot(a - on, d), d, side.length_mm};
}

}  // namespace

Patch::Patch(const View& view, const std::vector<std::vector<cv::Point>>& contours,
             double height_mm) {
    draw(view, contours, height_mm);
    cv::Mat outside;
    cv::distanceTransform(mask_, depth_, cv::DIST_L2, 3);
    cv::distanceTransform(mask_ == 0, outside, cv::DIST_L2, 3);
    depth_ -= outside;
    area_mm2_ = cv::countNonZero(mask_) / (kCells_per_mm * kCells_per_mm);
    find_sides();
    find_lines();
    learn_grain();
}

void Patch::draw(const View& view, const std::vector<std::vector<cv::Point>>& contours,
                 double height_mm) {
    // The side wall is seen too on the side of the camera: between foot and top errs least all
    // round.
    std::vector<std::vector<Point>> rings;
    Point low{1e9, 1e9}, high{-1e9, -1e9};
    for (const auto& contour : contours) {
        auto& ring = rings.emplace_back();
        for (const cv::Point& c : contour) {
            const Point p = ring.emplace_back(view.map->to_table(c, 0.6 * height_mm));
            low = {std::min(low.x, p.x), std::min(low.y, p.y)};
            high = {std::max(high.x, p.x), std::max(high.y, p.y)};
        }
    }
    corner_ = low - Point{kMargin_mm, kMargin_mm};
    const Point span = high - low + Point{2 * kMargin_mm, 2 * kMargin_mm};
    mask_ = cv::Mat::zeros(static_cast<int>(span.y * kCells_per_mm) + 1,
                           static_cast<int>(span.x * kCells_per_mm) + 1, CV_8U);
    std::vector<std::vector<cv::Point>> cells;
    for (const auto& ring : rings) {
        auto& drawn = cells.emplace_back();
        for (const Point p : ring) drawn.emplace_back(cell(p));
    }
    cv::fillPoly(mask_, cells, 255);
    cv::Mat x(mask_.size(), CV_32F), y(mask_.size(), CV_32F), seen;
    for (int r = 0; r < mask_.rows; ++r)
        for (int c = 0; c < mask_.cols; ++c) {
            const cv::Point2d px = view.map->project(
                table(cv::Point2f(static_cast<float>(c), static_cast<float>(r))), height_mm);
            x.at<float>(r, c) = static_cast<float>(px.x),
                           y.at<float>(r, c) = static_cast<float>(px.y);
        }
    cv::remap(view.bgr, seen, x, y, cv::INTER_LINEAR, cv::BORDER_REPLICATE);
    seen.convertTo(colours_, CV_32F);
}

void Patch::find_sides() {
    std::vector<std::vector<cv::Point>> contours;
    std::vector<cv::Vec4i> family;
    cv::findContours(mask_, contours, family, cv::RETR_CCOMP, cv::CHAIN_APPROX_NONE);
    for (std::size_t i = 0; i < contours.size(); ++i) {
        auto& contour = contours[i];
        const bool hole = family[i][3] >= 0;
        if ((cv::contourArea(contour, true) < 0) != hole)
            std::reverse(contour.begin(), contour.end());
        std::vector<cv::Point> rough;
        cv::approxPolyDP(contour, rough, kStraight_mm * kCells_per_mm, true);
        const int n = static_cast<int>(contour.size());
        const auto index = [&](cv::Point p) {
            return static_cast<int>(std::find(contour.begin(), contour.end(), p) - contour.begin());
        };
        for (std::size_t k = 0; k < rough.size(); ++k) {
            const int from = index(rough[k]),
                      count = (index(rough[(k + 1) % rough.size()]) - from + n) % n;
            const PatchSide side = side_through(contour, from, count, *this);
            if (side.length_mm > kShortest_side_mm) sides_.push_back(side);
        }
    }
}

void Patch::find_lines() {
    cv::Mat near;
    cv::dilate(mask_, near, cv::Mat(), {-1, -1}, cvCeil(kAside_mm * kCells_per_mm));
    clearest_ = cv::Mat::zeros(mask_.size(), CV_32F);
    for (int way = 0; way < kWays; ++way) {
        find_lines(way, near);
        cv::max(clearest_, lines_[way], clearest_);
    }
    clearest_.setTo(0, depth_ < kEdge_mm * kCells_per_mm);  // the patch's own edge is no line
    const int reach = 2 * cvRound(kBesideLine_mm * kCells_per_mm) + 1;
    cv::dilate(clearest_, clearest_, cv::getStructuringElement(cv::MORPH_ELLIPSE, {reach, reach}));
}

void Patch::find_lines(int way, const cv::Mat& cells) {
    const double angle = M_PI * way / kWays;
    const cv::Point2f along(static_cast<float>(std::cos(angle)),
                            static_cast<float>(std::sin(angle))),
        aside(along.y, -along.x);
    const auto mm = static_cast<float>(kCells_per_mm);
    cv::Mat lone = cv::Mat::zeros(mask_.size(), CV_32FC3),
            mean = cv::Mat::zeros(mask_.size(), CV_32F);
    const auto each = [&](auto&& at) {
        for (int y = 0; y < mask_.rows; ++y)
            for (int x = 0; x < mask_.cols; ++x)
                if (cells.at<uchar>(y, x))
                    at(y, x, cv::Point2f(static_cast<float>(x), static_cast<float>(y)));
    };
    const cv::Point2f beside = aside * (static_cast<float>(kBeside_mm) * mm);
    each([&](int y, int x, cv::Point2f p) {
        lone.at<cv::Vec3f>(
            y, x) = colours_.at<cv::Vec3f>(y, x) -
                    0.5f * (colour_at(colours_, p + beside) + colour_at(colours_, p - beside));
    });
    each([&](int y, int x, cv::Point2f p) {
        cv::Vec3f sum(0, 0, 0);
        for (int k = -4; k <= 4; ++k)
            sum += colour_at(lone, p + along * (static_cast<float>(k) * kAlong_mm * mm));
        mean.at<float>(y, x) = static_cast<float>(cv::norm(sum)) / 9;
    });
    lines_[way] = cv::Mat::zeros(mask_.size(), CV_32F);
    const cv::Rect all({0, 0}, mask_.size());
    each([&](int y, int x, cv::Point2f p) {
        float best = 0;
        for (int k = -2; k <= 2; ++k) {
            const cv::Point q(p + aside * (static_cast<float>(k * 0.5 * kAside_mm) * mm));
            if (all.contains(q))
                best = std::max(best,
                                mean.at<float>(q) * (1 - 0.1f * static_cast<float>(std::abs(k))));
        }
        lines_[way].at<float>(y, x) = best;
    });
}

namespace {

/// What a place without a line hardly ever shows.
double usual(std::vector<float>& seen) {
    if (seen.size() < 20) return 1;
    const auto most = seen.begin() + static_cast<std::ptrdiff_t>(seen.size() * 6 / 10);
    std::nth_element(seen.begin(), most, seen.end());
    return std::max(0.6f, *most);
}

}  // namespace

// Wood is striped: a line along its grain must stand out of that, one across it only of the rest.
void Patch::learn_grain() {
    std::vector<float> any;
    std::array<std::vector<float>, kWays> along;
    for (int y = 0; y < mask_.rows; y += 2)
        for (int x = 0; x < mask_.cols; x += 2) {
            if (depth_.at<float>(y, x) <= 3 * kCells_per_mm) continue;
            any.push_back(lines_[static_cast<std::size_t>(y * 7 + x * 3) % kWays].at<float>(y, x));
            for (std::size_t way = 0; way < kWays; ++way)
                along[way].push_back(lines_[way].at<float>(y, x));
        }
    const double all = usual(any);
    for (std::size_t way = 0; way < kWays; ++way) grain_[way] = std::max(all, usual(along[way]));
}

cv::Point2f Patch::cell(Point p) const {
    return {static_cast<float>((p.x - corner_.x) * kCells_per_mm),
            static_cast<float>((p.y - corner_.y) * kCells_per_mm)};
}

Point Patch::table(cv::Point2f c) const {
    return {corner_.x + c.x / kCells_per_mm, corner_.y + c.y / kCells_per_mm};
}

double Patch::depth_mm(Point p) const {
    const cv::Point2f c = cell(p);
    const int x = cvRound(c.x), y = cvRound(c.y);
    return x >= 0 && y >= 0 && x < mask_.cols && y < mask_.rows
               ? depth_.at<float>(y, x) / kCells_per_mm
               : -kMargin_mm;
}

Point Patch::centre() const {
    const cv::Moments m = cv::moments(mask_, true);
    return table({static_cast<float>(m.m10 / std::max(m.m00, 1.0)),
                  static_cast<float>(m.m01 / std::max(m.m00, 1.0))});
}

int Patch::way_of(Point along) {
    return (cvRound(std::atan2(along.y, along.x) / M_PI * kWays) + 2 * kWays) % kWays;
}

double Patch::line(Point p, int way) const {
    const cv::Point2f c = cell(p);
    const int x = cvRound(c.x), y = cvRound(c.y);
    if (x < 0 || y < 0 || x >= mask_.cols || y >= mask_.rows) return -1;
    const double seen = lines_[way].at<float>(y, x);
    const double clear = std::clamp(seen / grain_[static_cast<std::size_t>(way)] - 1.6, -1.0, 1.0),
                 straight = (seen / std::max(clearest_.at<float>(y, x), 1e-3f) - kOtherWay) /
                            (0.95 - kOtherWay);
    return std::min(clear, std::clamp(straight, -1.0, 1.0));
}

}  // namespace overboard::vision
