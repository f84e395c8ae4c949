#include "vision/shapes/loose_polygons.hpp"

#include <algorithm>
#include <cmath>
#include <opencv2/imgproc.hpp>

// The picture is cut in many ways: at many grey levels, at levels of colourfulness, between red and
// green, between yellow and blue, and along its own edges. A piece of one colour shows as the same
// polygon in several of them; skin, shadows and grain do not. What is found is moved onto the
// colour steps of the picture itself and kept when they run nearly all round and the inside is
// even.

namespace overboard::vision {
namespace {

constexpr int kWorkingSide_px = 1500;

struct Candidate {
    Outline corners;
    double area = 0;
    cv::Point2f centre;
    int votes = 1;
};

bool same(const Candidate& a, const Candidate& b) {
    return cv::norm(a.centre - b.centre) < 0.12 * std::sqrt(a.area) && a.area < 1.3 * b.area &&
           b.area < 1.3 * a.area;
}

class Collector {
public:
    Collector(cv::Size size, const LooseLimits& limits) : size_{size}, limits_{limits} {}

    /// Every polygon among the mask's regions, and among the holes in them.
    void take(const cv::Mat& cut) {
        std::vector<std::vector<cv::Point>> contours;
        cv::findContours(cut, contours, cv::RETR_LIST, cv::CHAIN_APPROX_NONE);
        for (const auto& contour : contours) consider(contour);
    }
    [[nodiscard]] const std::vector<Candidate>& found() const { return found_; }

private:
    void consider(const std::vector<cv::Point>& contour) {
        const double whole = size_.area(), area = cv::contourArea(contour);
        if (area < std::max(120.0, limits_.min_share * whole) || area > limits_.max_share * whole)
            return;
        const cv::Rect box = cv::boundingRect(contour);
        if (box.x < 2 || box.y < 2 || box.br().x > size_.width - 2 || box.br().y > size_.height - 2)
            return;
        auto corners = polygon_of(contour);
        if (!corners) return;
        Candidate candidate{*corners, area, centroid_of(*corners)};
        for (Candidate& known : found_)
            if (same(known, candidate)) {
                ++known.votes;
                if (corners->size() < known.corners.size())
                    std::swap(known.corners, candidate.corners);
                return;
            }
        found_.push_back(std::move(candidate));
    }

    cv::Size size_;
    LooseLimits limits_;
    std::vector<Candidate> found_;
};

cv::Mat colourfulness(const cv::Mat& bgr) {
    std::vector<cv::Mat> c;
    cv::split(bgr, c);
    cv::Mat high, low, out;
    cv::max(c[0], c[1], high);
    cv::max(high, c[2], high);
    cv::min(c[0], c[1], low);
    cv::min(low, c[2], low);
    cv::subtract(high, low, out);
    return out;
}

/// Largest step over the three channels.
cv::Mat steepness(const cv::Mat& bgr) {
    std::vector<cv::Mat> channels;
    cv::split(bgr, channels);
    cv::Mat out = cv::Mat::zeros(bgr.size(), CV_8U),
            element = cv::getStructuringElement(cv::MORPH_RECT, {3, 3}), step;
    for (const cv::Mat& c : channels) {
        cv::morphologyEx(c, step, cv::MORPH_GRADIENT, element);
        cv::max(out, step, out);
    }
    return out;
}

void cut_every_way(const cv::Mat& bgr, Collector& collector) {
    cv::Mat soft, grey, cut;
    cv::GaussianBlur(bgr, soft, {3, 3}, 0);
    cv::cvtColor(soft, grey, cv::COLOR_BGR2GRAY);
    for (int level = 28; level <= 220; level += 16) {
        cv::threshold(grey, cut, level, 255, cv::THRESH_BINARY);
        collector.take(cut);
    }
    const cv::Mat colour = colourfulness(soft);
    for (int level = 30; level <= 150; level += 24) {
        cv::threshold(colour, cut, level, 255, cv::THRESH_BINARY);
        collector.take(cut);
    }
    // Pieces that lie side by side are often as light and as colourful as each other.
    cv::Mat lab, opponent;
    cv::cvtColor(soft, lab, cv::COLOR_BGR2Lab);
    for (const int channel : {1, 2}) {
        cv::extractChannel(lab, opponent, channel);
        for (int level = 88; level <= 192; level += 8) {
            cv::threshold(opponent, cut, level, 255, cv::THRESH_BINARY);
            collector.take(cut);
        }
    }
    const cv::Mat steep = steepness(soft);
    for (int level : {12, 18, 26, 36}) {
        cv::threshold(steep, cut, level, 255, cv::THRESH_BINARY_INV);
        collector.take(cut);
    }
}

/// Median colour inside, and how far the middle half of the inside strays from it.
std::pair<cv::Vec3f, double> inside_of(const cv::Mat& bgr, const Outline& corners) {
    const cv::Point2f centre = centroid_of(corners);
    std::vector<cv::Vec3f> seen;
    for (std::size_t i = 0; i < corners.size(); ++i)
        for (float along = 0.1f; along < 1; along += 0.2f)
            for (float out : {0.15f, 0.4f, 0.65f, 0.8f}) {
                const cv::Point2f rim = corners[i] +
                                        (corners[(i + 1) % corners.size()] - corners[i]) * along;
                const cv::Point p = centre + (rim - centre) * out;
                if (cv::Rect({0, 0}, bgr.size()).contains(p))
                    seen.emplace_back(bgr.at<cv::Vec3b>(p));
            }
    if (seen.empty()) return {{}, 1e9};
    cv::Vec3f median;
    std::vector<float> values(seen.size());
    for (int c = 0; c < 3; ++c) {
        for (std::size_t i = 0; i < seen.size(); ++i) values[i] = seen[i][c];
        std::nth_element(values.begin(),
                         values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2),
                         values.end());
        median[c] = values[values.size() / 2];
    }
    for (std::size_t i = 0; i < seen.size(); ++i)
        values[i] = static_cast<float>(cv::norm(seen[i] - median));
    const auto k = values.begin() + static_cast<std::ptrdiff_t>(values.size() * 3 / 4);
    std::nth_element(values.begin(), k, values.end());
    return {median, *k};
}

double angle_between(cv::Point2f a, cv::Point2f b) {
    return std::abs(std::atan2(a.x * b.y - a.y * b.x, a.x * b.x + a.y * b.y)) * 180 / M_PI;
}

/// No corner sharper than a thin triangle's, no side far shorter than the others.
bool sound(const Outline& corners) {
    double shortest = 1e9, longest = 0;
    for (std::size_t i = 0; i < corners.size(); ++i) {
        const cv::Point2f a = corners[i], b = corners[(i + 1) % corners.size()],
                          c = corners[(i + 2) % corners.size()];
        const double turn = angle_between(b - a, c - b);
        if (turn > 158 || turn < 20) return false;
        shortest = std::min(shortest, cv::norm(b - a));
        longest = std::max(longest, cv::norm(b - a));
    }
    return shortest > 0.2 * longest;
}

std::string quad_name(const Outline& q) {
    const cv::Point2f s[4] = {q[1] - q[0], q[2] - q[1], q[3] - q[2], q[0] - q[3]};
    const auto parallel = [](cv::Point2f a, cv::Point2f b) {
        return std::abs(180 - angle_between(a, b)) < 13;
    };
    const bool first = parallel(s[0], s[2]), second = parallel(s[1], s[3]);
    if (!first && !second) return {};
    if (first != second) return "trapezoid";
    const double a = (cv::norm(s[0]) + cv::norm(s[2])) / 2,
                 b = (cv::norm(s[1]) + cv::norm(s[3])) / 2;
    const bool right = std::abs(90 - angle_between(s[0], s[1])) < 16,
               equal = std::max(a, b) < 1.22 * std::min(a, b);
    if (right) return equal ? "square" : "rectangle";
    return equal ? "rhombus" : "parallelogram";
}

/// Rough outlines inside better ones, and the same piece twice.
void keep_best(std::vector<LoosePolygon>& all) {
    std::sort(all.begin(), all.end(),
              [](const LoosePolygon& a, const LoosePolygon& b) { return a.fit > b.fit; });
    std::vector<LoosePolygon> kept;
    for (LoosePolygon& p : all) {
        const cv::Point2f centre = centroid_of(p.corners);
        const double area = area_of(p.corners);
        const bool known = std::any_of(kept.begin(), kept.end(), [&](const LoosePolygon& k) {
            const bool inside = cv::pointPolygonTest(k.corners, centre, false) > 0;
            return inside || (cv::pointPolygonTest(p.corners, centroid_of(k.corners), false) > 0 &&
                              area < 4 * area_of(k.corners));
        });
        if (!known) kept.push_back(std::move(p));
    }
    all = std::move(kept);
}

/// Pieces of one set are of one order of size.
void drop_strangers(std::vector<LoosePolygon>& all) {
    if (all.size() < 3) return;
    std::vector<double> areas;
    for (const auto& p : all) areas.push_back(area_of(p.corners));
    std::nth_element(areas.begin(), areas.begin() + static_cast<std::ptrdiff_t>(areas.size() / 2),
                     areas.end());
    const double typical = areas[areas.size() / 2];
    std::erase_if(all, [&](const LoosePolygon& p) {
        return area_of(p.corners) < typical / 10 || area_of(p.corners) > typical * 10;
    });
}

}  // namespace

std::string shape_name(const Outline& corners) {
    switch (corners.size()) {
        case 3: return "triangle";
        case 4: return quad_name(corners);
        case 6: return "hexagon";
        default: return {};
    }
}

std::vector<LoosePolygon> find_loose_polygons(const cv::Mat& bgr, const cv::Mat& mask,
                                              const LooseLimits& limits) {
    cv::Mat image = bgr;
    double scale = 1;
    if (const int side = std::max(bgr.cols, bgr.rows); side > kWorkingSide_px) {
        scale = static_cast<double>(side) / kWorkingSide_px;
        cv::resize(bgr, image, {}, 1 / scale, 1 / scale, cv::INTER_AREA);
    }
    Collector collector{image.size(), limits};
    cut_every_way(image, collector);
    std::vector<LoosePolygon> out;
    for (const Candidate& candidate : collector.found()) {
        if (candidate.votes < limits.min_votes) continue;
        LoosePolygon p{candidate.corners, {}, 0, 0};
        const EdgeEvidence edges = snap_to_edges(image, p.corners);
        const auto [colour, uneven] = inside_of(image, p.corners);
        if (edges.share < limits.min_outline || edges.contrast < limits.min_contrast) continue;
        if (uneven > limits.max_unevenness || !sound(p.corners) || shape_name(p.corners).empty())
            continue;
        p.colour = colour;
        p.contrast = edges.contrast;
        p.fit = edges.share * (1 - 0.5 * uneven / limits.max_unevenness) *
                std::min(1.0, 0.5 + 0.1 * candidate.votes);
        for (auto& c : p.corners)
            c = (c + cv::Point2f(0.5f, 0.5f)) * static_cast<float>(scale) - cv::Point2f(0.5f, 0.5f);
        const cv::Point centre = centroid_of(p.corners);
        if (!mask.empty() && !mask.at<uchar>(std::clamp(centre.y, 0, mask.rows - 1),
                                             std::clamp(centre.x, 0, mask.cols - 1)))
            continue;
        out.push_back(std::move(p));
    }
    keep_best(out);
    drop_strangers(out);
    return out;
}

}  // namespace overboard::vision
