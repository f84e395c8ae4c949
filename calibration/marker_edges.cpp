#include "calibration/marker_edges.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <opencv2/imgproc.hpp>
#include <optional>

// Across each side, at places along its middle, brightness falls from paper to ink: the steepest
// step of that fall, to a fraction of a pixel, is a point of the side. A robust line through those
// points is the side.
namespace overboard::calibration {
namespace {

constexpr int kPlaces = 16;     // along one side
constexpr double kFrom = 0.12;  // of the side stay out at either end, where corners are round
// of the side, to either side of it: less than half a module of the marker
constexpr double kReach = 0.075;
constexpr float kLeastStep = 4;  // grey levels from one sample to the next

float sample(const cv::Mat& gray, cv::Point2f p) {
    const int x = std::clamp(int(p.x), 0, gray.cols - 2),
              y = std::clamp(int(p.y), 0, gray.rows - 2);
    const float fx = std::clamp(p.x - float(x), 0.f, 1.f),
                fy = std::clamp(p.y - float(y), 0.f, 1.f);
    const uchar *a = gray.ptr(y) + x, *b = gray.ptr(y + 1) + x;
    return (1 - fy) * ((1 - fx) * a[0] + fx * a[1]) + fy * ((1 - fx) * b[0] + fx * b[1]);
}

/// How far along `inwards` from `at` the edge lies; nothing when none is clear.
std::optional<float> edge_at(const cv::Mat& gray, cv::Point2f at, cv::Point2f inwards,
                             float reach) {
    constexpr float kStep = 0.5f;
    const int n = std::max(4, int(std::ceil(reach / kStep)));
    const auto fall = [&](int i) {
        return sample(gray, at + inwards * (kStep * float(i) - 0.5f)) -
               sample(gray, at + inwards * (kStep * float(i) + 0.5f));
    };
    int best = 0;
    float most = 0;
    for (int i = -n; i <= n; ++i)
        if (const float step = fall(i); step > most) most = step, best = i;
    if (most < kLeastStep || std::abs(best) == n) return {};
    const float before = fall(best - 1), after = fall(best + 1), bend = before - 2 * most + after;
    return kStep * (float(best) + (bend < 0 ? 0.5f * (before - after) / bend : 0.f));
}

/// The side from a to b as a point and a direction.
std::optional<cv::Vec4f> side_of(const cv::Mat& gray, cv::Point2f a, cv::Point2f b) {
    const cv::Point2f along = b - a;
    const float length = float(cv::norm(along));
    const cv::Point2f inwards = cv::Point2f(-along.y, along.x) /
                                length;  // corners run clockwise, y down
    std::vector<cv::Point2f> points;
    for (int i = 0; i < kPlaces; ++i) {
        const cv::Point2f at = a + along * float(kFrom + (1 - 2 * kFrom) * i / (kPlaces - 1));
        if (const auto edge = edge_at(gray, at, inwards, std::max(2.f, float(kReach) * length)))
            points.push_back(at + inwards * *edge);
    }
    if (points.size() < kPlaces / 2) return {};
    cv::Vec4f line;
    cv::fitLine(points, line, cv::DIST_HUBER, 0, 0.01, 0.01);
    return line;
}

std::optional<cv::Point2f> meeting(const cv::Vec4f& p, const cv::Vec4f& q) {
    const float across = p[0] * q[1] - p[1] * q[0];
    if (std::abs(across) < 0.2f) return {};
    const float t = ((q[2] - p[2]) * q[1] - (q[3] - p[3]) * q[0]) / across;
    return cv::Point2f(p[2] + t * p[0], p[3] + t * p[1]);
}

}  // namespace

std::vector<cv::Point2f> corners_by_edges(const cv::Mat& gray,
                                          const std::vector<cv::Point2f>& corners_px) {
    std::vector<cv::Point2f> refined;
    std::array<std::optional<cv::Vec4f>, 4> sides;
    for (std::size_t i = 0; i < 4; ++i)
        sides[i] = side_of(gray, corners_px[i], corners_px[(i + 1) % 4]);
    for (std::size_t i = 0; i < 4; ++i) {
        const auto &before = sides[(i + 3) % 4], &after = sides[i];
        const auto corner = before && after ? meeting(*before, *after) : std::nullopt;
        if (!corner) return corners_px;
        refined.push_back(*corner);
    }
    return refined;
}

}  // namespace overboard::calibration
