#include "vision/outlines.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <opencv2/imgproc.hpp>

// A contour's hull is simplified to its corners, then each side is fitted again to the contour's
// own points and the corners are where neighbouring sides meet. In the picture itself each side is
// sampled across: the place where the colour passes half way from inside to outside is the edge. A
// seam between two pieces of one colour is as wide as both their arrises: the one that faces the
// lamp is lighter than the pieces, the other one and the gap darker. Its middle is that of all that
// differs, lighter or darker; the dark part alone lies aside.

namespace overboard::vision {
namespace {

struct Line {
    cv::Point2f at, along;
};

std::optional<cv::Point2f> meet(const Line& a, const Line& b) {
    const float d = a.along.x * b.along.y - a.along.y * b.along.x;
    if (std::abs(d) < 0.05f) return {};
    const cv::Point2f w = b.at - a.at;
    return a.at + a.along * ((w.x * b.along.y - w.y * b.along.x) / d);
}

Line fitted(const std::vector<cv::Point2f>& points) {
    cv::Vec4f v;
    cv::fitLine(points, v, cv::DIST_HUBER, 0, 0.01, 0.01);
    return {{v[2], v[3]}, {v[0], v[1]}};
}

/// Corners from sides; nothing when two sides in a row are parallel or a corner runs away.
std::optional<Outline> corners_of(const std::vector<Line>& sides, const Outline& old,
                                  float may_move) {
    Outline corners(sides.size());
    for (std::size_t i = 0; i < sides.size(); ++i) {
        const auto p = meet(sides[(i + sides.size() - 1) % sides.size()], sides[i]);
        if (!p || cv::norm(*p - old[i]) > may_move) return {};
        corners[i] = *p;
    }
    return corners;
}

float distance_to(cv::Point2f p, cv::Point2f a, cv::Point2f b) {
    const cv::Point2f d = b - a;
    const float t = std::clamp((p - a).dot(d) / std::max(d.dot(d), 1e-6f), 0.f, 1.f);
    return static_cast<float>(cv::norm(p - a - d * t));
}

int nearest_side(const Outline& corners, cv::Point2f p, float& distance) {
    int best = 0;
    distance = 1e9f;
    for (std::size_t i = 0; i < corners.size(); ++i) {
        const float d = distance_to(p, corners[i], corners[(i + 1) % corners.size()]);
        if (d < distance) distance = d, best = static_cast<int>(i);
    }
    return best;
}

/// Each side fitted to the contour points that follow it, its ends left out: corners are rounded.
std::optional<Outline> refit(const std::vector<cv::Point>& contour, const Outline& corners) {
    std::vector<std::vector<cv::Point2f>> near(corners.size());
    for (const cv::Point& q : contour) {
        const cv::Point2f p(q);
        float d = 0;
        const int side = nearest_side(corners, p, d);
        const cv::Point2f a = corners[side], b = corners[(side + 1) % corners.size()];
        const float t = (p - a).dot(b - a) / std::max((b - a).dot(b - a), 1e-6f);
        if (t > 0.12f && t < 0.88f) near[side].push_back(p);
    }
    std::vector<Line> sides;
    for (const auto& points : near) {
        if (points.size() < 4) return {};
        sides.push_back(fitted(points));
    }
    return corners_of(sides, corners,
                      0.25f * static_cast<float>(std::sqrt(vision::area_of(corners))));
}

/// A sharp corner that blur took off shows as a short side: its neighbours are led on to where they
/// meet, as long as little is added.
void restore_corners(Outline& corners, double area) {
    constexpr double kShare = 0.03, kBlur_px2 = 12;  // a tip of 30 degrees blurred by two pixels
    constexpr double kSharp = 0.15;                  // cosine; blunt corners lose little
    while (corners.size() > 3) {
        const std::size_t n = corners.size();
        double least = kShare * area + kBlur_px2;
        std::size_t at = n;
        cv::Point2f tip;
        for (std::size_t i = 0; i < n; ++i) {
            const cv::Point2f a = corners[i], b = corners[(i + 1) % n],
                              before = a - corners[(i + n - 1) % n],
                              after = corners[(i + 2) % n] - b;
            const auto p = meet({a, before}, {b, after});
            if (!p || (*p - a).dot(before) <= 0 || (*p - b).dot(after) >= 0) continue;
            if ((a - *p).dot(b - *p) < kSharp * cv::norm(a - *p) * cv::norm(b - *p)) continue;
            const double added = vision::area_of({a, *p, b});
            if (added < least) least = added, at = i, tip = *p;
        }
        if (at == n) return;
        corners[at] = tip;
        corners.erase(corners.begin() + static_cast<std::ptrdiff_t>((at + 1) % n));
    }
}

/// 90 % of the contour within this distance of the polygon's sides.
float departure(const std::vector<cv::Point>& contour, const Outline& corners) {
    std::vector<float> d(contour.size());
    for (std::size_t i = 0; i < contour.size(); ++i) nearest_side(corners, contour[i], d[i]);
    const auto k = d.begin() + static_cast<std::ptrdiff_t>(d.size() * 9 / 10);
    std::nth_element(d.begin(), k, d.end());
    return *k;
}

std::vector<cv::Point> simplified(const std::vector<cv::Point>& hull, double area) {
    std::vector<cv::Point> out;
    for (double eps : {0.05, 0.08, 0.12, 0.16}) {
        cv::approxPolyDP(hull, out, eps * std::sqrt(area), true);
        if (out.size() <= 6) break;
    }
    return out;
}

cv::Vec3f sample(const cv::Mat& image, cv::Point2f p) {
    const float x = std::clamp(p.x, 0.f, image.cols - 1.001f),
                y = std::clamp(p.y, 0.f, image.rows - 1.001f);
    const int ix = static_cast<int>(x), iy = static_cast<int>(y);
    const float fx = x - ix, fy = y - iy;
    const cv::Vec3b* a = image.ptr<cv::Vec3b>(iy) + ix;
    const cv::Vec3b* b = image.ptr<cv::Vec3b>(iy + 1) + ix;
    return (cv::Vec3f(a[0]) * (1 - fx) + cv::Vec3f(a[1]) * fx) * (1 - fy) +
           (cv::Vec3f(b[0]) * (1 - fx) + cv::Vec3f(b[1]) * fx) * fy;
}

/// Five or six straight sides follow a circle well: but a hexagon fills 0.83 of the circle round
/// it, blurred a little more. Very small ones cannot be told apart and count as discs.
bool is_disc(const std::vector<cv::Point>& contour) {
    constexpr double kDisc = 0.88, kTooSmall_px = 9;
    cv::Point2f centre;
    float radius = 0;
    cv::minEnclosingCircle(contour, centre, radius);
    const double area = cv::contourArea(contour) +
                        0.5 * cv::arcLength(contour, true);  // contours run through pixel centres
    return radius < kTooSmall_px || area > kDisc * CV_PI * std::pow(radius + 0.5, 2);
}

}  // namespace

double area_of(const Outline& corners) {
    return corners.size() < 3 ? 0 : std::abs(cv::contourArea(corners));
}

cv::Point2f centroid_of(const Outline& corners) {
    double area = 0, x = 0, y = 0;
    const cv::Point2f o = corners.front();
    for (std::size_t i = 0; i < corners.size(); ++i) {
        const cv::Point2f a = corners[i] - o, b = corners[(i + 1) % corners.size()] - o;
        const double w = a.x * b.y - a.y * b.x;
        area += w;
        x += w * (a.x + b.x);
        y += w * (a.y + b.y);
    }
    if (std::abs(area) < 1e-9) return o;
    return {static_cast<float>(o.x + x / (3 * area)), static_cast<float>(o.y + y / (3 * area))};
}

std::optional<Outline> polygon_of(const std::vector<cv::Point>& contour) {
    const double area = cv::contourArea(contour);
    std::vector<cv::Point> hull;
    cv::convexHull(contour, hull);
    if (area < 0.9 * cv::contourArea(hull)) return {};
    const auto rough = simplified(hull, area);
    if (rough.size() < 3 || rough.size() > 6) return {};
    Outline first(rough.begin(), rough.end());
    restore_corners(first, area);
    auto corners = refit(contour, first);
    if (!corners || (corners->size() > 4 && is_disc(contour))) return {};
    const float scale = static_cast<float>(std::sqrt(area));
    if (!cv::isContourConvex(*corners) || departure(contour, *corners) > 0.025f * scale + 0.9f)
        return {};
    if (std::abs(vision::area_of(*corners) - area) > 0.08 * area + 2 * scale) return {};
    return corners;
}

bool step_across(const cv::Mat& bgr, cv::Point2f p, cv::Point2f outward, float reach,
                 cv::Point2f& edge, double& contrast) {
    constexpr float kStep = 0.5f;
    const int n = static_cast<int>(reach / kStep);
    std::vector<cv::Vec3f> profile(2 * n + 1);
    for (int i = -n; i <= n; ++i) profile[i + n] = sample(bgr, p + outward * (kStep * i));
    double best = 0;
    int at = -1;
    for (int i = 2; i + 2 < static_cast<int>(profile.size()); ++i) {
        const double d = cv::norm(profile[i + 2] - profile[i - 2]);
        const double weighted = d * (1 - 0.5 * std::abs(i - n) / n);  // nearer steps first
        if (weighted > best) best = weighted, at = i;
    }
    if (at < 0) return false;
    contrast = cv::norm(profile[at + 2] - profile[at - 2]);
    const cv::Vec3f in = profile[std::max(at - 4, 0)],
                    out = profile[std::min<std::size_t>(at + 4, profile.size() - 1)];
    const cv::Vec3f axis = out - in;
    const float norm2 = std::max(axis.dot(axis), 1.f);
    for (int i = std::max(at - 4, 0);
         i < std::min<int>(at + 4, static_cast<int>(profile.size()) - 1); ++i) {
        const float a = axis.dot(profile[i] - in) / norm2,
                    b = axis.dot(profile[i + 1] - in) / norm2;
        if (a <= 0.5f && b > 0.5f) {
            edge = p + outward * (kStep * (static_cast<float>(i - n) + (0.5f - a) / (b - a)));
            return true;
        }
    }
    return false;
}

Profile profile_across(const cv::Mat& bgr, cv::Point2f p, cv::Point2f outward, float reach_px) {
    const int n = static_cast<int>(reach_px / kProfileStep_px);
    Profile profile;
    for (int i = -n; i <= n; ++i)
        profile.push_back(sample(bgr, p + outward * (kProfileStep_px * static_cast<float>(i))));
    return profile;
}

bool seam_in(const Profile& profile, std::optional<float>& at_px) {
    constexpr float kSameColour = 15, kLeast = 4.5f;  // colour distances of 441
    constexpr int kEnds = 3, kHalfWidth = 4;          // samples
    const int n = static_cast<int>(profile.size());
    cv::Vec3f inner(0, 0, 0), outer(0, 0, 0);
    for (int i = 0; i < kEnds; ++i)
        inner += profile[i] / kEnds, outer += profile[n - 1 - i] / kEnds;
    if (cv::norm(inner - outer) > kSameColour) return false;
    std::vector<float> strange;  // how little each sample is of the colour of both pieces
    for (int i = 0; i < n; ++i) {
        const float t = static_cast<float>(i) / static_cast<float>(n - 1);
        const cv::Vec3f d = profile[i] - inner * (1 - t) - outer * t;
        strange.push_back(d.dot(d));
    }
    float most = 0;
    int middle = -1;
    for (int i = kHalfWidth; i + kHalfWidth < n; ++i) {
        const float sum = std::accumulate(strange.begin() + i - kHalfWidth,
                                          strange.begin() + i + kHalfWidth + 1, 0.f);
        if (sum > most) most = sum, middle = i;
    }
    if (most < kLeast * kLeast * (2 * kHalfWidth + 1)) return true;
    float sum = 0;
    for (int i = middle - kHalfWidth; i <= middle + kHalfWidth; ++i)
        sum += strange[i] * static_cast<float>(i);
    at_px = kProfileStep_px * (sum / most - static_cast<float>(n - 1) / 2);
    return true;
}

EdgeEvidence snap_to_edges(const cv::Mat& bgr, Outline& corners, float reach_px) {
    const cv::Point2f centre = centroid_of(corners);
    std::vector<Line> sides;
    std::vector<double> steps;
    int asked = 0;
    for (std::size_t i = 0; i < corners.size(); ++i) {
        const cv::Point2f a = corners[i], b = corners[(i + 1) % corners.size()], d = b - a;
        const float length = static_cast<float>(cv::norm(d));
        cv::Point2f outward(d.y / length, -d.x / length);
        if (outward.dot((a + b) * 0.5f - centre) < 0) outward = -outward;
        const int count = std::clamp(static_cast<int>(length / 3), 6, 40);
        std::vector<cv::Point2f> found;
        for (int k = 0; k < count; ++k) {
            const float t = 0.1f +
                            0.8f * (static_cast<float>(k) + 0.5f) / static_cast<float>(count);
            cv::Point2f edge;
            double contrast = 0;
            ++asked;
            if (!step_across(bgr, a + d * t, outward, reach_px, edge, contrast) || contrast < 14)
                continue;
            found.push_back(edge);
            steps.push_back(contrast);
        }
        sides.push_back(found.size() >= 4 ? fitted(found) : Line{a, d * (1 / length)});
    }
    if (auto better = corners_of(sides, corners, 2.5f * reach_px)) corners = *better;
    EdgeEvidence evidence;
    if (steps.empty()) return evidence;
    evidence.share = static_cast<double>(steps.size()) / asked;
    std::nth_element(steps.begin(), steps.begin() + static_cast<std::ptrdiff_t>(steps.size() / 2),
                     steps.end());
    evidence.contrast = steps[steps.size() / 2];
    return evidence;
}

}  // namespace overboard::vision
