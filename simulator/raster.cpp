#include "simulator/raster.hpp"

#include <algorithm>
#include <cmath>
#include <opencv2/imgproc.hpp>

// Every edge adds, row by row, the signed area it cuts off to the right; a running sum along the
// row then gives the covered area of each pixel.
namespace overboard::simulator {

std::vector<cv::Point2f> hull_of(std::vector<cv::Point2f> points) {
    std::vector<cv::Point2f> hull;
    if (points.size() < 3) return points;
    cv::convexHull(points, hull);
    return hull;
}

cv::Rect bounds_of(const std::vector<cv::Point2f>& points) {
    if (points.empty()) return {};
    float x0 = 1e9f, y0 = 1e9f, x1 = -1e9f, y1 = -1e9f;
    for (const auto& p : points) {
        x0 = std::min(x0, p.x), x1 = std::max(x1, p.x);
        y0 = std::min(y0, p.y), y1 = std::max(y1, p.y);
    }
    const auto bound = [](float v) { return std::clamp(v, -20000.f, 20000.f); };
    const int x = int(std::floor(bound(x0))), y = int(std::floor(bound(y0)));
    return {x, y, int(std::ceil(bound(x1))) + 1 - x, int(std::ceil(bound(y1))) + 1 - y};
}

void Coverage::span(float* line, float x, float next, float d) {
    const float width = float(box_.width);
    const float x0 = std::clamp(std::min(x, next), 0.f, width),
                x1 = std::clamp(std::max(x, next), 0.f, width);
    const float x0floor = std::floor(x0), x1ceil = std::ceil(x1);
    const int x0i = int(x0floor), x1i = int(x1ceil);
    if (x1i <= x0i + 1) {
        const float middle = 0.5f * (x0 + x1) - x0floor;
        line[x0i] += d - d * middle;
        line[x0i + 1] += d * middle;
        return;
    }
    const float s = 1 / (x1 - x0), x0f = x0 - x0floor, x1f = x1 - x1ceil + 1;
    const float first = 0.5f * s * (1 - x0f) * (1 - x0f), last = 0.5f * s * x1f * x1f;
    line[x0i] += d * first;
    if (x1i == x0i + 2) {
        line[x0i + 1] += d * (1 - first - last);
    } else {
        const float second = s * (1.5f - x0f);
        line[x0i + 1] += d * (second - first);
        for (int i = x0i + 2; i < x1i - 1; ++i) line[i] += d * s;
        line[x1i - 1] += d * (1 - (second + (x1i - x0i - 3) * s) - last);
    }
    line[x1i] += d * last;
}

void Coverage::edge(cv::Point2f a, cv::Point2f b) {
    if (a.y == b.y) return;
    const float direction = a.y < b.y ? 1.f : -1.f;
    if (a.y > b.y) std::swap(a, b);
    const float slope = (b.x - a.x) / (b.y - a.y);
    float x = a.y < 0 ? a.x - a.y * slope : a.x;
    const int from = std::max(0, int(std::floor(a.y))),
              to = std::min(box_.height, int(std::ceil(b.y)));
    for (int y = from; y < to; ++y) {
        const float dy = std::min(float(y + 1), b.y) - std::max(float(y), a.y);
        const float next = x + slope * dy;
        span(&cells_[std::size_t(y) * stride_], x, next, dy * direction);
        x = next;
    }
}

void Coverage::fill(const std::vector<cv::Point2f>& polygon, cv::Rect clip) {
    box_ = bounds_of(polygon) & clip;
    if (box_.empty() || polygon.size() < 3) {
        box_ = {};
        return;
    }
    stride_ = std::size_t(box_.width) + 2;
    cells_.assign(stride_ * box_.height, 0.f);
    const cv::Point2f origin{box_.x - 0.5f, box_.y - 0.5f};
    for (std::size_t i = 0; i < polygon.size(); ++i)
        edge(polygon[i] - origin, polygon[(i + 1) % polygon.size()] - origin);
    for (int y = 0; y < box_.height; ++y) {
        float sum = 0;
        float* line = &cells_[std::size_t(y) * stride_];
        for (int x = 0; x < box_.width; ++x) {
            sum += line[x];
            line[x] = std::min(std::abs(sum), 1.f);
        }
    }
}

}  // namespace overboard::simulator
