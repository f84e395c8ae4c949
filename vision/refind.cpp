// A rigid piece of known size has four sides that move together: a shift that gains an edge on the
// left must gain one on the right. So the mean step of brightness across each side is taken at
// every offset, opposite sides are added with opposite signs, and the best shift in either
// direction and of three turns wins, with a parabola for what lies between. A frame printed inside
// the rim never wins: it would need another frame outside.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "vision/known_size.hpp"
#include "vision/many_pixels.hpp"

namespace overboard::vision {
namespace {

constexpr int kSideProbes = 12, kMostReach = 10;
constexpr double kTurn = 0.012;   // rad between the turns tried
constexpr float kLeastStep = 24;  // of three channels' sum: below it there is no outline any more

using Profile = std::array<float, 2 * kMostReach + 1>;  // mean step at offsets outwards, pixels
// offsets, rounded up to eight; a step is taken across so many pixels
constexpr int kSteps = 24, kAcross = 3;
using Line = std::array<std::uint32_t, kSteps + kAcross + 5>;
using Steps = std::array<int, kSteps>;

/// The pixels along a line through the picture, a pixel apart.
void fetch(const cv::Mat& bgr, cv::Point2f from, cv::Point2f by, int n, Line& out) {
    for (int i = 0; i < n; ++i, from += by) {
        const int x = std::clamp(static_cast<int>(from.x + 0.5F), 0, bgr.cols - 1),
                  y = std::clamp(static_cast<int>(from.y + 0.5F), 0, bgr.rows - 1);
        out[i] = 0;
        std::memcpy(&out[i], bgr.data + static_cast<std::size_t>(y) * bgr.step[0] + 3 * x, 3);
    }
}

/// Adds how much the channels differ across every place of the line; what differs very much counts
/// no more than that.
void add_steps(const Line& line, Steps& out) {
    constexpr int kMost = 240;
#ifdef __AVX2__
    for (int i = 0; i < kSteps; i += 8) {
        const __m256i a = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(&line[i])),
                      b = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(&line[i + kAcross]));
        const __m256i apart = _mm256_or_si256(_mm256_subs_epu8(a, b), _mm256_subs_epu8(b, a));
        const __m256i sums = _mm256_madd_epi16(_mm256_maddubs_epi16(apart, _mm256_set1_epi8(1)),
                                               _mm256_set1_epi16(1));
        auto* to = reinterpret_cast<__m256i*>(&out[i]);
        _mm256_storeu_si256(to, _mm256_add_epi32(_mm256_loadu_si256(to),
                                                 _mm256_min_epi32(sums, _mm256_set1_epi32(kMost))));
    }
#else
    for (int i = 0; i < kSteps; ++i) {
        int sum = 0;
        for (int bit = 0; bit < 24; bit += 8)
            sum += std::abs(static_cast<int>(line[i] >> bit & 255) -
                            static_cast<int>(line[i + kAcross] >> bit & 255));
        out[i] += std::min(sum, kMost);
    }
#endif
}

Profile profile(const cv::Mat& bgr, const Corners& c, int side, int reach) {
    const cv::Point2f from = c[side], along = c[(side + 1) % 4] - from;
    const float n = static_cast<float>(cv::norm(along)) + 1e-6F;
    const cv::Point2f normal(along.y / n, -along.x / n);
    Steps steps{};
    Line line{};
    for (int k = 0; k < kSideProbes; ++k) {
        const cv::Point2f p = from +
                              along * (0.1F + 0.8F * (static_cast<float>(k) + 0.5F) / kSideProbes);
        fetch(bgr, p - normal * (static_cast<float>(reach) + 0.5F * kAcross), normal,
              2 * reach + 1 + kAcross, line);
        add_steps(line, steps);
    }
    Profile out{};
    for (int r = -reach; r <= reach; ++r)
        out[r + kMostReach] = static_cast<float>(steps[r + reach]) / kSideProbes;
    return out;
}

struct Shift {
    float by = 0, gain = -1;
};

/// The shift towards the second side that both sides together like best.
Shift together(const Profile& first, const Profile& second, int reach) {
    const auto sum = [&](int d) { return first[kMostReach - d] + second[kMostReach + d]; };
    int best = 0;
    for (int d = -reach; d <= reach; ++d)
        if (sum(d) > sum(best)) best = d;
    Shift s{static_cast<float>(best), sum(best)};
    if (std::abs(best) < reach) {
        const float before = sum(best - 1), after = sum(best + 1),
                    curve = before - 2 * s.gain + after;
        if (curve < -1e-3F) s.by += 0.5F * (before - after) / curve;
    }
    return s;
}

struct Fit {
    Shift right, down;
    float gain = -1, weakest = 0;
};

Fit fit(const cv::Mat& bgr, const Corners& c, int reach) {
    std::array<Profile, 4> p;
    for (int i = 0; i < 4; ++i) p[i] = profile(bgr, c, i, reach);
    Fit f{together(p[3], p[1], reach), together(p[0], p[2], reach), 0, 0};
    f.gain = f.right.gain + f.down.gain;
    const auto near = [&](int i, float by) {
        return p[i][kMostReach + static_cast<int>(std::lround(by))];
    };
    f.weakest = std::min(
        {near(0, -f.down.by), near(1, f.right.by), near(2, f.down.by), near(3, -f.right.by)});
    return f;
}

}  // namespace

std::optional<Pose> refind(const View& view, const FaceKind& kind, Pose pose, double reach_mm) {
    const std::vector<FaceKind> kinds{kind};
    const KnownSizes sizes{view.map, &kinds, nullptr};
    const double px_per_mm = view.map->px_per_mm({pose.x, pose.y}, kind.thickness_mm);
    const int reach = std::clamp(static_cast<int>(std::ceil(reach_mm * px_per_mm)), 2, kMostReach);
    std::array<Fit, 3> fits;
    for (int k = 0; k < 3; ++k)
        fits[k] = fit(view.bgr,
                      corners_at(sizes, 0, {pose.x, pose.y, pose.angle + (k - 1) * kTurn}), reach);
    const int best = static_cast<int>(
        std::max_element(fits.begin(), fits.end(),
                         [](const Fit& a, const Fit& b) { return a.gain < b.gain; }) -
        fits.begin());
    if (fits[best].weakest < kLeastStep) return {};
    double turn = (best - 1) * kTurn;
    const float curve = fits[0].gain - 2 * fits[1].gain + fits[2].gain;
    if (best == 1 && curve < -1e-3F) turn = 0.5 * (fits[0].gain - fits[2].gain) / curve * kTurn;
    const double angle = pose.angle + turn;
    const Point moved = rotated({fits[best].right.by / px_per_mm, fits[best].down.by / px_per_mm},
                                angle);
    return Pose{pose.x + moved.x, pose.y + moved.y, angle};
}

}  // namespace overboard::vision
