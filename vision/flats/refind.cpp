// A rigid piece of known size has four sides that move together: a shift that gains an edge on the
// left must gain one on the right. So the mean step of brightness across each side is taken at
// every offset, opposite sides are added with opposite signs, and the best shift in either
// direction and of three turns wins, with a parabola for what lies between. A frame printed inside
// the rim never wins: it would need another frame outside.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "vision/flats/known_size.hpp"
#include "vision/many_pixels.hpp"

namespace overboard::vision {
namespace {

constexpr int kSideProbes = 12, kMostReach = 10;
constexpr double kTurn = 0.012;   // rad between the turns tried
constexpr float kLeastStep = 24;  // of three channels' sum: below it there is no outline any more

using Profile = std::array<float, 2 * kMostReach + 1>;  // mean step at offsets outwards, pixels
// offsets, one more either way, rounded up to eight; a step is taken across so many pixels
constexpr int kSteps = 24, kAcross = 3;
static_assert(kSteps >= 2 * kMostReach + 3);
using Line = std::array<std::uint32_t, kSteps + kAcross + 5>;

/// The pixels along lines across a side, a pixel apart; the fourth byte means nothing.
struct Fetch {
    const cv::Mat& bgr;
    bool roomy;  // none of them lies beyond the picture, nor at its very end

    Fetch(const cv::Mat& picture, const Corners& c, int reach) : bgr{picture} {
        const auto beyond = static_cast<float>(reach + kAcross + 2);
        roomy = std::all_of(c.begin(), c.end(), [&](cv::Point2f p) {
            return p.x > beyond && p.y > beyond && p.x < static_cast<float>(bgr.cols) - beyond &&
                   p.y < static_cast<float>(bgr.rows) - beyond;
        });
    }
    void operator()(cv::Point2f from, cv::Point2f by, int n, Line& out) const {
        if (!roomy) return slowly(from, by, n, out);
        constexpr float kFine = 65536;
        int x = static_cast<int>((from.x + 0.5F) * kFine),
            y = static_cast<int>((from.y + 0.5F) * kFine);
        const int dx = static_cast<int>(by.x * kFine), dy = static_cast<int>(by.y * kFine);
        const auto row = static_cast<int>(bgr.step[0]);
        for (int i = 0; i < n; ++i, x += dx, y += dy)
            std::memcpy(&out[i], bgr.data + (y >> 16) * row + 3 * (x >> 16), 4);
    }

private:
    void slowly(cv::Point2f from, cv::Point2f by, int n, Line& out) const {
        for (int i = 0; i < n; ++i, from += by) {
            const int x = std::clamp(static_cast<int>(from.x + 0.5F), 0, bgr.cols - 1),
                      y = std::clamp(static_cast<int>(from.y + 0.5F), 0, bgr.rows - 1);
            out[i] = 0;
            std::memcpy(&out[i], bgr.data + static_cast<std::size_t>(y) * bgr.step[0] + 3 * x, 3);
        }
    }
};

/// How much the channels differ across every place of the lines across a side, summed; and the same
/// weighted by how far a turn moves the side there, and by the square of that.
struct Steps {
    using All = std::array<float, kSteps>;
    alignas(32) All sum{}, moved{}, moved2{};

    /// What differs very much counts no more than that.
    void add(const Line& line, float by) {
        constexpr int kMost = 240;
        alignas(32) std::array<int, kSteps> step;
#ifdef __AVX2__
        for (int i = 0; i < kSteps; i += 8) {
            const auto load = [&](int k) {
                return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(&line[k]));
            };
            const __m256i a = load(i), b = load(i + kAcross);
            const __m256i apart = _mm256_or_si256(_mm256_subs_epu8(a, b), _mm256_subs_epu8(b, a));
            const __m256i sums = _mm256_madd_epi16(
                _mm256_maddubs_epi16(apart, _mm256_set1_epi32(0x00010101)), _mm256_set1_epi16(1));
            _mm256_store_si256(reinterpret_cast<__m256i*>(&step[i]),
                               _mm256_min_epi32(sums, _mm256_set1_epi32(kMost)));
        }
#else
        for (int i = 0; i < kSteps; ++i) {
            step[i] = 0;
            for (int bit = 0; bit < 24; bit += 8)
                step[i] += std::abs(static_cast<int>(line[i] >> bit & 255) -
                                    static_cast<int>(line[i + kAcross] >> bit & 255));
            step[i] = std::min(step[i], kMost);
        }
#endif
        for (int i = 0; i < kSteps; ++i) {
            const auto s = static_cast<float>(step[i]);
            sum[i] += s, moved[i] += by * s, moved2[i] += by * by * s;
        }
    }
    /// The mean step at `reach` offsets either way when turned once that way, once back or not:
    /// every line moved by its own part of a pixel, a parabola through three offsets saying what
    /// lies between.
    [[nodiscard]] Profile profile(int turn, int reach) const {
        Profile out{};
        const auto way = static_cast<float>(turn);
        for (int r = -reach; r <= reach; ++r) {
            const int i = r + reach + 1;
            const float bend = moved2[i + 1] - 2 * moved2[i] + moved2[i - 1],
                        slope = moved[i + 1] - moved[i - 1];
            out[r + kMostReach] = (sum[i] + 0.5F * (way * slope + way * way * bend)) / kSideProbes;
        }
        return out;
    }
};

/// `turned`: the same corners after a turn.
Steps steps_across(const Fetch& fetch, const Corners& c, const Corners& turned, int side,
                   int reach) {
    const cv::Point2f from = c[side], along = c[(side + 1) % 4] - from;
    const float n = static_cast<float>(cv::norm(along)) + 1e-6F;
    const cv::Point2f normal(along.y / n, -along.x / n);
    const float first = (turned[side] - from).dot(normal),
                last = (turned[(side + 1) % 4] - c[(side + 1) % 4]).dot(normal);
    std::array<Line, kSideProbes> lines{};
    const auto share = [](int k) {
        return 0.1F + 0.8F * (static_cast<float>(k) + 0.5F) / kSideProbes;
    };
    for (int k = 0; k < kSideProbes; ++k)
        fetch(from + along * share(k) - normal * (static_cast<float>(reach + 1) + 0.5F * kAcross),
              normal, 2 * reach + 3 + kAcross, lines[k]);
    Steps steps;
    for (int k = 0; k < kSideProbes; ++k) steps.add(lines[k], first + (last - first) * share(k));
    return steps;
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

Fit fit(const std::array<Steps, 4>& steps, int turn, int reach) {
    std::array<Profile, 4> p;
    for (int i = 0; i < 4; ++i) p[i] = steps[i].profile(turn, reach);
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
    const double px_per_mm = view.map->px_per_mm({pose.x, pose.y}, kind.thickness_mm);
    const int reach = std::clamp(static_cast<int>(std::ceil(reach_mm * px_per_mm)), 2, kMostReach);
    const Corners corners = corners_at(*view.map, kind, pose),
                  turned = corners_at(*view.map, kind, {pose.x, pose.y, pose.angle + kTurn});
    const Fetch fetch{view.bgr, corners, reach};
    std::array<Steps, 4> steps;
    for (int i = 0; i < 4; ++i) steps[i] = steps_across(fetch, corners, turned, i, reach);
    std::array<Fit, 3> fits;
    for (int k = 0; k < 3; ++k) fits[k] = fit(steps, k - 1, reach);
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
