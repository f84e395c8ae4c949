#include "vision/known_dice.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <opencv2/imgproc.hpp>

// A body is found as what differs from its surroundings over just a die's width. Its face is then
// sampled on a grid, turned and shifted until one of the six patterns fits best: correlation
// does not care which of body and pips is the lighter, and averages over noise that hides single pips.
namespace overboard::vision {
namespace {

constexpr int kGrid = 15;               // samples across a face
constexpr float kInside = 0.90f;        // share of the edge they span: rounded edges are left out
constexpr float kPlace = 0.25f;         // corner pips from the centre, of the edge
constexpr float kPip = 0.115f;          // radius of a pip, blur included, of the edge
constexpr double kStandsOut = 22;       // grey levels between body and surroundings

using Patch = std::array<float, kGrid * kGrid>;

cv::Point2f place_of(int k) {  // grid index → share of the edge
    const auto along = [](int i) { return kInside * (static_cast<float>(i) / (kGrid - 1) - 0.5f); };
    return {along(k % kGrid), along(k / kGrid)};
}

/// Takes away the mean and any slope of light, and makes the length one.
bool normalise(Patch& p) {
    float mean = 0, sx = 0, sy = 0, norm = 0;
    for (float v : p) mean += v;
    mean /= static_cast<float>(p.size());
    for (int k = 0; k < kGrid * kGrid; ++k) {
        const cv::Point2f at = place_of(k);
        p[k] -= mean;
        sx += p[k] * at.x, sy += p[k] * at.y, norm += at.x * at.x;
    }
    float length = 0;
    for (int k = 0; k < kGrid * kGrid; ++k) {
        const cv::Point2f at = place_of(k);
        p[k] -= (sx * at.x + sy * at.y) / norm;
        length += p[k] * p[k];
    }
    length = std::sqrt(length);
    for (float& v : p) v /= std::max(length, 1e-6f);
    return length > 3 * kGrid;  // grey levels: a plain face has nothing to read
}

Patch pattern(const std::vector<cv::Point2f>& pips) {
    Patch p;
    for (int k = 0; k < kGrid * kGrid; ++k) {
        float ink = 0;
        for (const cv::Point2f& pip : pips) {
            const float d = static_cast<float>(cv::norm(place_of(k) - pip * kPlace)) / kPip;
            ink = std::max(ink, 1 / (1 + std::exp(5 * (d - 1))));
        }
        p[k] = -100 * ink;
    }
    normalise(p);
    return p;
}

struct Face {
    int value;
    Patch patch;
};

// Two, three and six look different when turned by a quarter.
const std::vector<Face>& faces() {
    static const std::vector<Face> all = {
        {1, pattern({{0, 0}})},
        {2, pattern({{-1, -1}, {1, 1}})},
        {2, pattern({{-1, 1}, {1, -1}})},
        {3, pattern({{-1, -1}, {0, 0}, {1, 1}})},
        {3, pattern({{-1, 1}, {0, 0}, {1, -1}})},
        {4, pattern({{-1, -1}, {1, 1}, {-1, 1}, {1, -1}})},
        {5, pattern({{-1, -1}, {1, 1}, {-1, 1}, {1, -1}, {0, 0}})},
        {6, pattern({{-1, -1}, {1, 1}, {-1, 1}, {1, -1}, {-1, 0}, {1, 0}})},
        {6, pattern({{-1, -1}, {1, 1}, {-1, 1}, {1, -1}, {0, -1}, {0, 1}})},
    };
    return all;
}

float grey_at(const cv::Mat& grey, cv::Point2f p) {
    const float x = std::clamp(p.x, 0.f, grey.cols - 1.001f), y = std::clamp(p.y, 0.f, grey.rows - 1.001f);
    const int ix = static_cast<int>(x), iy = static_cast<int>(y);
    const uchar* top = grey.ptr(iy) + ix;
    const uchar* low = grey.ptr(std::min(iy + 1, grey.rows - 1)) + ix;
    const float fx = x - static_cast<float>(ix), fy = y - static_cast<float>(iy);
    return (top[0] * (1 - fx) + top[1] * fx) * (1 - fy) + (low[0] * (1 - fx) + low[1] * fx) * fy;
}

bool sample(const cv::Mat& grey, cv::Point2f centre, cv::Size2f edges, float angle, Patch& out) {
    const cv::Point2f u = cv::Point2f(std::cos(angle), std::sin(angle)) * edges.width, v = cv::Point2f(-std::sin(angle), std::cos(angle)) * edges.height;
    for (int k = 0; k < kGrid * kGrid; ++k) {
        const cv::Point2f at = place_of(k);
        out[k] = grey_at(grey, centre + u * at.x + v * at.y);
    }
    return normalise(out);
}

/// The best of all values at one place, angle and size; better ones replace what `best` holds.
void try_pose(const cv::Mat& grey, cv::Point2f centre, float edge, float angle, std::array<double, 7>& by_value, KnownDie& best) {
    Patch patch;
    if (!sample(grey, centre, {edge, edge}, angle, patch)) return;
    for (const Face& face : faces()) {
        double likeness = 0;
        for (int k = 0; k < kGrid * kGrid; ++k) likeness += patch[k] * face.patch[k];
        likeness = std::abs(likeness);
        by_value[face.value] = std::max(by_value[face.value], likeness);
        if (likeness > best.likeness) {
            best.centre = centre, best.angle = angle, best.edge_px = edge;
            best.value = face.value, best.likeness = likeness;
        }
    }
}

/// Does the pattern fit clearly better when it is seen aslant, by some 35 degrees?
bool leans(const cv::Mat& grey, const KnownDie& die) {
    const float edge = die.edge_px, flat = 0.8f * edge;
    for (const cv::Size2f edges : {cv::Size2f(flat, edge), cv::Size2f(edge, flat)}) {
        Patch patch;
        if (!sample(grey, die.centre, edges, die.angle, patch)) continue;
        for (const Face& face : faces()) {
            double likeness = 0;
            for (int k = 0; k < kGrid * kGrid; ++k) likeness += patch[k] * face.patch[k];
            if (face.value == die.value && std::abs(likeness) > die.likeness + 0.05) return true;
        }
    }
    return false;
}

KnownDie read_near(const cv::Mat& grey, cv::Point2f centre, float edge) {
    std::array<double, 7> by_value{};
    KnownDie best;
    best.centre = centre;
    best.edge_px = edge;
    const float step = 0.075f * edge;
    for (int turn = 0; turn < 10; ++turn)
        for (int y = -3; y <= 3; ++y)
            for (int x = -3; x <= 3; ++x)
                try_pose(grey, centre + cv::Point2f(static_cast<float>(x), static_cast<float>(y)) * step, edge, static_cast<float>(turn * M_PI / 20), by_value, best);
    const KnownDie coarse = best;
    for (const float scale : {0.92f, 1.f, 1.08f})
        for (int turn = -1; turn <= 1; ++turn)
            for (int y = -1; y <= 1; ++y)
                for (int x = -1; x <= 1; ++x)
                    try_pose(grey, coarse.centre + cv::Point2f(static_cast<float>(x), static_cast<float>(y)) * (0.4f * step), edge * scale,
                             coarse.angle + 0.07f * static_cast<float>(turn), by_value, best);
    for (int v = 1; v <= 6; ++v)
        if (v != best.value) best.second = std::max(best.second, by_value[v]);
    return best;
}

bool is_sure(const KnownDie& die, const KnownDieLimits& limits) {
    return die.likeness > limits.min_likeness && die.likeness - die.second > limits.min_lead;
}

/// Places that differ from their surroundings over a die's width, strongest first.
std::vector<cv::Point2f> bodies(const cv::Mat& bgr, const cv::Mat& mask, double edge) {
    const double scale = std::min(1.0, 10 / edge);  // a die ten pixels wide is enough to be found
    cv::Mat small, inner, outer, difference;
    cv::resize(bgr, small, {}, scale, scale, cv::INTER_AREA);
    const double e = edge * scale;
    const int in = std::max(3, cvRound(0.7 * e)) | 1, out = std::max(7, cvRound(2.2 * e)) | 1;
    cv::blur(small, inner, {in, in});
    cv::blur(small, outer, {out, out});
    cv::absdiff(inner, outer, difference);
    cv::Mat strength, highest;
    std::vector<cv::Mat> channels;
    cv::split(difference, channels);
    strength = cv::max(channels[0], cv::max(channels[1], channels[2]));
    cv::dilate(strength, highest, cv::getStructuringElement(cv::MORPH_ELLIPSE, {cvRound(0.8 * e) | 1, cvRound(0.8 * e) | 1}));
    std::vector<std::pair<int, cv::Point2f>> found;
    for (int y = 0; y < strength.rows; ++y)
        for (int x = 0; x < strength.cols; ++x) {
            const int s = strength.at<uchar>(y, x);
            if (s < kStandsOut || s < highest.at<uchar>(y, x)) continue;
            const cv::Point2f at((static_cast<float>(x) + 0.5f) / static_cast<float>(scale) - 0.5f, (static_cast<float>(y) + 0.5f) / static_cast<float>(scale) - 0.5f);
            if (!mask.empty() && !mask.at<uchar>(std::clamp(cvRound(at.y), 0, mask.rows - 1), std::clamp(cvRound(at.x), 0, mask.cols - 1))) continue;
            found.emplace_back(s, at);
        }
    std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    std::vector<cv::Point2f> places;
    for (const auto& f : found) {
        const bool known = std::any_of(places.begin(), places.end(), [&](const cv::Point2f& p) { return cv::norm(p - f.second) < 0.4 * edge; });
        if (!known) places.push_back(f.second);
        if (places.size() >= 120) break;
    }
    return places;
}

/// The colour channel in which most is to be seen on a body: pips may be of any colour.
const cv::Mat& clearest(const std::vector<cv::Mat>& channels, cv::Point2f at, double edge) {
    const int half = cvRound(0.4 * edge);
    const cv::Rect box = cv::Rect(cvRound(at.x) - half, cvRound(at.y) - half, 2 * half + 1, 2 * half + 1) & cv::Rect({0, 0}, channels[0].size());
    double most = -1;
    std::size_t best = 0;
    for (std::size_t c = 0; c < channels.size(); ++c) {
        cv::Scalar mean, deviation;
        cv::meanStdDev(channels[c](box), mean, deviation);
        if (deviation[0] > most) most = deviation[0], best = c;
    }
    return channels[best];
}

}  // namespace

std::vector<KnownDie> find_known_dice(const cv::Mat& bgr, const cv::Mat& mask, double edge_px, const KnownDieLimits& limits) {
    if (bgr.empty() || edge_px < 8 || std::min(bgr.cols, bgr.rows) < 2 * edge_px) return {};
    std::vector<cv::Mat> channels;
    cv::split(bgr, channels);
    std::vector<KnownDie> dice;
    for (const cv::Point2f& at : bodies(bgr, mask, edge_px)) dice.push_back(read_near(clearest(channels, at, edge_px), at, static_cast<float>(edge_px)));
    std::stable_sort(dice.begin(), dice.end(), [](const KnownDie& a, const KnownDie& b) { return a.likeness > b.likeness; });
    std::vector<KnownDie> kept;
    for (KnownDie& die : dice) {
        const bool taken = std::any_of(kept.begin(), kept.end(), [&](const KnownDie& k) { return cv::norm(k.centre - die.centre) < 0.7 * edge_px; });
        if (taken) continue;
        if (!is_sure(die, limits) || leans(channels[1], die)) die.value = 0;
        kept.push_back(die);
    }
    return kept;
}

}  // namespace overboard::vision
