// A card's outline shows in one picture as a step of grey, in another only of colour, in a third
// only as a thin shadow. So several cheap binary pictures are made (levels of grey, of
// colourfulness and of warmth; local thresholds; edges) and every closed contour that four straight
// lines explain is a candidate. The lines are fitted to the middle of the sides, which makes
// rounded corners harmless. Candidates are moved onto the strongest edges around, measured, and
// thinned out.
#include "vision/flats/quads.hpp"

#include <algorithm>
#include <cmath>
#include <opencv2/imgproc.hpp>

#include "vision/faces/face_thumb.hpp"

namespace overboard::vision {
namespace {

using Contour = std::vector<cv::Point>;

cv::Point2f meet(const cv::Vec4f& a, const cv::Vec4f& b) {
    const float det = a[0] * b[1] - a[1] * b[0];
    if (std::fabs(det) < 1e-4F) return {NAN, NAN};
    const float t = ((b[2] - a[2]) * b[1] - (b[3] - a[3]) * b[0]) / det;
    return {a[2] + t * a[0], a[3] + t * a[1]};
}

/// Least squares line (direction, point) through points; the worst are dropped twice.
cv::Vec4f line_through(std::vector<cv::Point2f> points, float keep) {
    cv::Vec4f line(1, 0, 0, 0);
    for (int round = 0; round < 3; ++round) {
        double n = 0, sx = 0, sy = 0, xx = 0, xy = 0, yy = 0;
        for (const auto& p : points)
            n += 1, sx += p.x, sy += p.y, xx += p.x * p.x, xy += p.x * p.y, yy += p.y * p.y;
        const double a = xx - sx * sx / n, b = xy - sx * sy / n, c = yy - sy * sy / n;
        const double angle = 0.5 * std::atan2(2 * b, a - c);
        line = {static_cast<float>(std::cos(angle)), static_cast<float>(std::sin(angle)),
                static_cast<float>(sx / n), static_cast<float>(sy / n)};
        if (round == 2) break;
        const float limit = round == 0 ? 2 * keep : keep;
        std::vector<cv::Point2f> kept;
        for (const auto& p : points)
            if (std::fabs((p.x - line[2]) * line[1] - (p.y - line[3]) * line[0]) <= limit)
                kept.push_back(p);
        if (kept.size() < points.size() / 3 || kept.size() < 4) break;
        points = std::move(kept);
    }
    return line;
}

bool sane(const Corners& c, const QuadLimits& limits) {
    for (const auto& p : c)
        if (!std::isfinite(p.x) || !std::isfinite(p.y)) return false;
    if (!convex_clockwise(c)) return false;
    for (int i = 0; i < 4; ++i) {
        const cv::Point2f a = c[(i + 1) % 4] - c[i], b = c[(i + 3) % 4] - c[i];
        const double la = cv::norm(a), lb = cv::norm(b);
        if (la < limits.min_side_px) return false;
        if (std::fabs(a.dot(b)) > 0.6 * la * lb)
            return false;  // corners between 53 and 127 degrees
    }
    const float w = mean_side(c, 0), h = mean_side(c, 1);
    const auto uneven = [&](int i) {
        const double a = cv::norm(c[i] - c[(i + 1) % 4]),
                     b = cv::norm(c[(i + 2) % 4] - c[(i + 3) % 4]);
        return std::max(a, b) > 1.6 * std::min(a, b);
    };
    return std::max(w, h) < limits.max_aspect * std::min(w, h) && !uneven(0) && !uneven(1);
}

/// Four vertices of a convex hull: the polygon's least important vertices are dropped one by one.
bool four_of(const Contour& hull, Corners& out) {
    std::vector<cv::Point2f> p(hull.begin(), hull.end());
    if (p.size() < 4) return false;
    const auto loss = [&](std::size_t i) {
        const cv::Point2f a = p[(i + p.size() - 1) % p.size()], b = p[i], c = p[(i + 1) % p.size()];
        return std::fabs((b - a).cross(c - a));
    };
    while (p.size() > 4) {
        std::size_t least = 0;
        for (std::size_t i = 1; i < p.size(); ++i)
            if (loss(i) < loss(least)) least = i;
        p.erase(p.begin() + static_cast<std::ptrdiff_t>(least));
    }
    std::copy(p.begin(), p.end(), out.begin());
    return true;
}

/// Lines through the middle parts of the contour's four sides, and where they meet.
bool fit_sides(const Contour& contour, const Corners& rough, Corners& out) {
    std::array<std::vector<cv::Point2f>, 4> along;
    const float reach = 0.06F * std::min(mean_side(rough, 0), mean_side(rough, 1)) + 2;
    const std::size_t step = 1 + contour.size() / 400;
    for (std::size_t k = 0; k < contour.size(); k += step)
        for (int i = 0; i < 4; ++i) {
            const cv::Point2f p = contour[k], a = rough[i], d = rough[(i + 1) % 4] - a, q = p - a;
            const float n = d.dot(d), t = q.dot(d) / n;
            if (t > 0.15F && t < 0.85F && std::fabs(d.cross(q)) < reach * std::sqrt(n))
                along[i].push_back(p);
        }
    std::array<cv::Vec4f, 4> lines;
    for (int i = 0; i < 4; ++i) {
        if (along[i].size() < 6) return false;
        lines[i] = line_through(along[i], 1.0F);
    }
    for (int i = 0; i < 4; ++i) out[i] = meet(lines[(i + 3) % 4], lines[i]);
    return true;
}

/// Right angles between long straight runs of a contour.
void add_corners(const Contour& contour, const QuadLimits& limits,
                 std::vector<OutlineCorner>& out) {
    Contour p;
    cv::approxPolyDP(contour, p, 2.0, true);
    const auto n = p.size();
    if (n < 4 || n > 200) return;
    std::vector<std::pair<cv::Point2f, cv::Point2f>> runs;
    for (std::size_t i = 0; i < n; ++i) {
        const cv::Point2f a = p[i], b = p[(i + 1) % n];
        if (cv::norm(b - a) > 0.5 * limits.min_side_px) runs.emplace_back(a, b);
    }
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const auto& [a, b] = runs[i];
        const auto& [c, d] = runs[(i + 1) % runs.size()];
        const cv::Point2f u = (a - b) / static_cast<float>(cv::norm(a - b)),
                          v = (d - c) / static_cast<float>(cv::norm(d - c));
        if (std::fabs(u.dot(v)) > 0.25F || cv::norm(c - b) > 0.6 * limits.min_side_px) continue;
        const cv::Point2f at = meet({u.x, u.y, b.x, b.y}, {v.x, v.y, c.x, c.y});
        if (std::isfinite(at.x) && cv::norm(at - b) < limits.min_side_px) out.push_back({at, u, v});
    }
}

void add_contours(const cv::Mat& binary, const QuadLimits& limits, std::vector<Corners>& out,
                  std::vector<OutlineCorner>* corners) {
    std::vector<Contour> contours;
    cv::findContours(binary, contours, cv::RETR_LIST, cv::CHAIN_APPROX_NONE);
    const double least = limits.min_side_px * limits.min_side_px * 0.8,
                 most = limits.max_area * static_cast<double>(binary.total());
    for (const Contour& contour : contours) {
        if (static_cast<float>(contour.size()) < 3 * limits.min_side_px) continue;
        const double area = cv::contourArea(contour);
        if (area < least || area > most) continue;
        if (corners) add_corners(contour, limits, *corners);
        Contour hull;
        cv::convexHull(contour, hull, true);
        if (area < 0.75 * cv::contourArea(hull)) continue;
        Corners rough, fine;
        if (!four_of(hull, rough)) continue;
        if (!convex_clockwise(rough)) std::reverse(rough.begin(), rough.end());
        if (!fit_sides(contour, rough, fine) || !sane(fine, limits)) continue;
        if (area < limits.min_fill * area_of(fine) || area > 1.1 * area_of(fine)) continue;
        out.push_back(fine);
    }
}

/// Grey, colourfulness, warmth: a card differs from the table in at least one.
std::array<cv::Mat, 3> channels_of(const cv::Mat& bgr) {
    std::array<cv::Mat, 3> out;
    for (auto& m : out) m.create(bgr.size(), CV_8U);
    for (int y = 0; y < bgr.rows; ++y) {
        const std::uint8_t* p = bgr.ptr(y);
        for (int x = 0; x < bgr.cols; ++x, p += 3) {
            const int high = std::max({p[0], p[1], p[2]}), low = std::min({p[0], p[1], p[2]});
            out[0].at<std::uint8_t>(
                y, x) = static_cast<std::uint8_t>((29 * p[0] + 150 * p[1] + 77 * p[2]) >> 8);
            out[1].at<std::uint8_t>(
                y, x) = static_cast<std::uint8_t>((high - low) * 255 / (high + 30));
            out[2].at<std::uint8_t>(y, x) = static_cast<std::uint8_t>(128 + (p[2] - p[0]) / 2);
        }
    }
    return out;
}

std::vector<int> levels_of(const cv::Mat& channel, int count) {
    std::array<int, 256> histogram{};
    for (int y = 0; y < channel.rows; y += 2)
        for (int x = 0; x < channel.cols; x += 2) ++histogram[channel.at<std::uint8_t>(y, x)];
    const auto quantile = [&, total = channel.total() / 4](double q) {
        std::size_t sum = 0;
        for (int v = 0; v < 256; ++v)
            if ((sum += histogram[v]) >= q * static_cast<double>(total)) return v;
        return 255;
    };
    const int low = quantile(0.02), high = quantile(0.98);
    std::vector<int> levels;
    for (int i = 1; i <= count && high - low > 12; ++i)
        levels.push_back(low + (high - low) * i / (count + 1));
    return levels;
}

void add_edges(const cv::Mat& gray, double low, double high, const QuadLimits& limits,
               std::vector<Corners>& out, std::vector<OutlineCorner>* corners) {
    cv::Mat edges;
    cv::Canny(gray, edges, low, high, 3, true);
    cv::dilate(edges, edges, cv::getStructuringElement(cv::MORPH_RECT, {3, 3}));
    add_contours(edges, limits, out, corners);
}

bool same(const Corners& a, const Corners& b) {
    const float reach = 0.05F * std::min(mean_side(a, 0), mean_side(a, 1)) + 1.5F;
    for (int k = 0; k < 4; ++k) {
        float worst = 0;
        for (int i = 0; i < 4; ++i)
            worst = std::max(worst, static_cast<float>(cv::norm(a[i] - b[(i + k) % 4])));
        if (worst < reach) return true;
    }
    return false;
}

std::vector<Quad> each_once(std::vector<Quad> quads) {
    std::sort(quads.begin(), quads.end(), [](const Quad& a, const Quad& b) {
        return a.support + a.contrast / 400 > b.support + b.contrast / 400;
    });
    std::vector<Quad> out;
    for (const Quad& q : quads) {
        const cv::Point2f c = centre_of(q.corners);
        const bool known = std::any_of(out.begin(), out.end(), [&](const Quad& o) {
            const cv::Point2f d = centre_of(o.corners) - c;
            return std::fabs(d.x) + std::fabs(d.y) < 0.2F * mean_side(q.corners, 0) + 3 &&
                   same(o.corners, q.corners);
        });
        if (!known) out.push_back(q);
    }
    return out;
}

/// A pixel as three floats; outside the picture the nearest one.
cv::Vec3f pixel(const cv::Mat& bgr, cv::Point2f p) {
    const int x = std::clamp(static_cast<int>(std::lround(p.x)), 0, bgr.cols - 1);
    const int y = std::clamp(static_cast<int>(std::lround(p.y)), 0, bgr.rows - 1);
    return bgr.at<cv::Vec3b>(y, x);
}

/// Of two convex quadrilaterals: one is clipped by the sides of the other. OpenCV's own function
/// takes two that share a side, as pieces beside each other do, for one inside the other now and
/// then.
float common_area(const Corners& a, const Corners& b) {
    std::array<cv::Point2f, 20> left, next;  // 8 when both are convex, 19 at worst
    std::size_t n = 4;
    for (std::size_t i = 0; i < 4; ++i) left[i] = a[i] - b[0];
    const float turn = (b[2] - b[0]).cross(b[3] - b[1]) < 0 ? -1.0F : 1.0F;
    for (std::size_t i = 0; i < 4 && n > 0; ++i) {
        const cv::Point2f from = b[i] - b[0], along = (b[(i + 1) % 4] - b[i]) * turn;
        const auto inside = [&](cv::Point2f p) { return along.cross(p - from); };
        std::size_t kept = 0;
        for (std::size_t k = 0; k < n; ++k) {
            const cv::Point2f p = left[k], q = left[(k + 1) % n];
            const float ip = inside(p), iq = inside(q);
            if (ip >= 0) next[kept++] = p;
            if ((ip < 0) != (iq < 0)) next[kept++] = p + (q - p) * (ip / (ip - iq));
        }
        left = next, n = kept;
    }
    float twice = 0;
    for (std::size_t k = 0; k < n; ++k) twice += left[k].cross(left[(k + 1) % n]);
    return 0.5F * std::fabs(twice);
}

constexpr int kProbes = 24;  // along a side

struct Side {
    cv::Point2f from, along, out;  // along: whole side; out: unit normal away from the centre
    [[nodiscard]] cv::Point2f at(int probe) const {
        return from + along * (0.08F + 0.84F * (static_cast<float>(probe) + 0.5F) / kProbes);
    }
};

Side side_of(const Corners& c, int i) {
    Side s;
    s.from = c[i];
    s.along = c[(i + 1) % 4] - c[i];
    const float n = static_cast<float>(cv::norm(s.along)) + 1e-6F;
    s.out = cv::Point2f(s.along.y, -s.along.x) / n;
    return s;
}

float step_at(const cv::Mat& bgr, cv::Point2f p, cv::Point2f out, float gap) {
    const cv::Vec3f d = pixel(bgr, p + out * gap) - pixel(bgr, p - out * gap);
    return std::fabs(d[0]) + std::fabs(d[1]) + std::fabs(d[2]);
}

/// The line along the strongest steps near a side; false when too few probes agree.
bool follow(const cv::Mat& bgr, const Side& side, float reach, cv::Vec4f& line) {
    std::vector<cv::Point2f> points;
    for (int k = 0; k < kProbes; ++k) {
        const cv::Point2f p = side.at(k);
        float best = 24, where = NAN;
        for (float r = -reach; r <= reach; r += 1) {
            const float s = step_at(bgr, p + side.out * r, side.out, 1.5F) *
                            (1 - 0.3F * std::fabs(r) / (reach + 1));
            if (s > best) best = s, where = r;
        }
        if (std::isfinite(where)) points.push_back(p + side.out * where);
    }
    if (static_cast<int>(points.size()) < kProbes / 3) return false;
    const float keep = std::max(1.2F, 0.25F * reach);
    line = line_through(points, keep);
    const auto on = std::count_if(points.begin(), points.end(), [&](cv::Point2f p) {
        return std::fabs((p.x - line[2]) * line[1] - (p.y - line[3]) * line[0]) <= keep;
    });
    return on >= kProbes / 3;
}

}  // namespace

float area_of(const Corners& c) {
    return 0.5F * std::fabs((c[2] - c[0]).cross(c[3] - c[1]));
}

cv::Point2f centre_of(const Corners& c) {
    return through(square_to(c), {0.5F, 0.5F});
}

float mean_side(const Corners& c, int which) {
    return static_cast<float>(
        0.5 * (cv::norm(c[which] - c[which + 1]) + cv::norm(c[which + 2] - c[(which + 3) % 4])));
}

bool convex_clockwise(const Corners& c) {
    for (int i = 0; i < 4; ++i)
        if ((c[(i + 1) % 4] - c[i]).cross(c[(i + 2) % 4] - c[(i + 1) % 4]) <= 0) return false;
    return true;
}

float covered(const Corners& a, const Corners& b) {
    const cv::Rect2f ra = cv::boundingRect(std::vector<cv::Point2f>(a.begin(), a.end()));
    const cv::Rect2f rb = cv::boundingRect(std::vector<cv::Point2f>(b.begin(), b.end()));
    if ((ra & rb).area() <= 0) return 0;
    return common_area(a, b) / (std::min(area_of(a), area_of(b)) + 1e-6F);
}

bool refine_outline(const cv::Mat& bgr, Corners& corners, float reach_px) {
    std::array<cv::Vec4f, 4> lines;
    for (int i = 0; i < 4; ++i)
        if (!follow(bgr, side_of(corners, i), reach_px, lines[i])) return false;
    Corners moved;
    for (int i = 0; i < 4; ++i) {
        moved[i] = meet(lines[(i + 3) % 4], lines[i]);
        if (!std::isfinite(moved[i].x) || cv::norm(moved[i] - corners[i]) > 2.5 * reach_px)
            return false;
    }
    if (!convex_clockwise(moved)) return false;
    corners = moved;
    return true;
}

void measure_outline(const cv::Mat& bgr, Quad& quad) {
    std::vector<float> steps;
    int edges = 0;
    for (int i = 0; i < 4; ++i) {
        const Side side = side_of(quad.corners, i);
        for (int k = 0; k < kProbes; ++k) {
            const float s = std::max(step_at(bgr, side.at(k), side.out, 1.5F),
                                     step_at(bgr, side.at(k), side.out, 3));
            steps.push_back(s / 3);
            edges += s > 30;
        }
    }
    std::nth_element(steps.begin(), steps.begin() + steps.size() / 2, steps.end());
    quad.contrast = steps[steps.size() / 2];
    quad.support = static_cast<float>(edges) / (4 * kProbes);
}

float side_support(const cv::Mat& bgr, const Corners& corners, int which, float from, float to) {
    const Side side = side_of(corners, which);
    int edges = 0;
    for (int k = 0; k < kProbes; ++k) {
        const float t = from +
                        (to - from) * (0.08F + 0.84F * (static_cast<float>(k) + 0.5F) / kProbes);
        const cv::Point2f p = side.from + side.along * t;
        float step = 0;
        for (const float off : {-1.0F, 0.0F, 1.0F})
            step = std::max(step, step_at(bgr, p + side.out * off, side.out, 1.5F));
        edges += step > 24;
    }
    return static_cast<float>(edges) / kProbes;
}

std::vector<Quad> find_quads(const cv::Mat& bgr, const cv::Mat& mask, const QuadLimits& limits,
                             std::vector<OutlineCorner>* corners) {
    cv::Mat calm;
    cv::GaussianBlur(bgr, calm, {5, 5}, 1.2);
    std::vector<Corners> found;
    const auto channels = channels_of(calm);
    cv::Mat binary;
    for (int c = 0; c < 3; ++c)
        for (const int level : levels_of(channels[c], c == 0 ? 9 : 5)) {
            cv::threshold(channels[c], binary, level, 255, cv::THRESH_BINARY);
            if (!mask.empty()) binary &= mask;
            add_contours(binary, limits, found, corners);
        }
    const int longer = std::max(bgr.cols, bgr.rows);
    for (const int block : {longer / 40 | 1, longer / 12 | 1})
        for (const double offset : {-5.0, 5.0}) {
            cv::adaptiveThreshold(channels[0], binary, 255, cv::ADAPTIVE_THRESH_MEAN_C,
                                  cv::THRESH_BINARY, std::max(block, 5), offset);
            if (!mask.empty()) binary &= mask;
            add_contours(binary, limits, found, corners);
        }
    add_edges(channels[0], 20, 50, limits, found, corners);
    add_edges(channels[0], 50, 120, limits, found, corners);
    add_edges(channels[2], 12, 30, limits, found, corners);
    std::vector<Quad> quads;
    for (const Corners& c : found) {
        Quad q{c, 0, 0};
        Corners moved = c;
        if (refine_outline(calm, moved,
                           std::max(2.5F, 0.025F * std::min(mean_side(c, 0), mean_side(c, 1)))) &&
            sane(moved, limits))
            q.corners = moved;
        measure_outline(calm, q);
        if (q.support >= limits.min_support) quads.push_back(q);
    }
    return each_once(std::move(quads));
}

}  // namespace overboard::vision
