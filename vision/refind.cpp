// A rigid piece of known size has four sides that move together: a shift that gains an edge on the left
// must gain one on the right. So the mean step of brightness across each side is taken at every offset,
// opposite sides are added with opposite signs, and the best shift in either direction and of three
// turns wins, with a parabola for what lies between. A frame printed inside the rim never wins: it
// would need another frame outside.
#include <array>
#include <cmath>

#include "vision/known_size.hpp"

namespace overboard::vision {
namespace {

constexpr int kProbes = 12, kMostReach = 10;
constexpr double kTurn = 0.012;      // rad between the turns tried
constexpr float kLeastStep = 24;     // of three channels' sum: below it there is no outline any more

using Profile = std::array<float, 2 * kMostReach + 1>;  // mean step at offsets outwards, pixels

float step_across(const cv::Mat& bgr, cv::Point2f p, cv::Point2f out) {
    const cv::Point2f a = p + out * 1.5F, b = p - out * 1.5F;
    const auto at = [&](cv::Point2f q) {
        const int x = std::clamp(static_cast<int>(q.x + 0.5F), 0, bgr.cols - 1), y = std::clamp(static_cast<int>(q.y + 0.5F), 0, bgr.rows - 1);
        return bgr.ptr(y) + 3 * x;
    };
    const std::uint8_t *u = at(a), *v = at(b);
    return static_cast<float>(std::abs(u[0] - v[0]) + std::abs(u[1] - v[1]) + std::abs(u[2] - v[2]));
}

Profile profile(const cv::Mat& bgr, const Corners& c, int side, int reach) {
    Profile out{};
    const cv::Point2f from = c[side], along = c[(side + 1) % 4] - from;
    const float n = static_cast<float>(cv::norm(along)) + 1e-6F;
    const cv::Point2f normal(along.y / n, -along.x / n);
    for (int k = 0; k < kProbes; ++k) {
        const cv::Point2f p = from + along * (0.1F + 0.8F * (static_cast<float>(k) + 0.5F) / kProbes);
        for (int r = -reach; r <= reach; ++r) out[r + kMostReach] += std::min(step_across(bgr, p + normal * static_cast<float>(r), normal), 240.0F) / kProbes;
    }
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
        const float before = sum(best - 1), after = sum(best + 1), curve = before - 2 * s.gain + after;
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
    const auto near = [&](int i, float by) { return p[i][kMostReach + static_cast<int>(std::lround(by))]; };
    f.weakest = std::min({near(0, -f.down.by), near(1, f.right.by), near(2, f.down.by), near(3, -f.right.by)});
    return f;
}

}  // namespace

std::optional<Pose> refind(const View& view, const FaceKind& kind, Pose pose, double reach_mm) {
    const std::vector<FaceKind> kinds{kind};
    const KnownSizes sizes{view.map, &kinds, nullptr};
    const double px_per_mm = view.map->px_per_mm({pose.x, pose.y}, kind.thickness_mm);
    const int reach = std::clamp(static_cast<int>(std::ceil(reach_mm * px_per_mm)), 2, kMostReach);
    std::array<Fit, 3> fits;
    for (int k = 0; k < 3; ++k) fits[k] = fit(view.bgr, corners_at(sizes, 0, {pose.x, pose.y, pose.angle + (k - 1) * kTurn}), reach);
    const int best = static_cast<int>(std::max_element(fits.begin(), fits.end(), [](const Fit& a, const Fit& b) { return a.gain < b.gain; }) - fits.begin());
    if (fits[best].weakest < kLeastStep) return {};
    double turn = (best - 1) * kTurn;
    const float curve = fits[0].gain - 2 * fits[1].gain + fits[2].gain;
    if (best == 1 && curve < -1e-3F) turn = 0.5 * (fits[0].gain - fits[2].gain) / curve * kTurn;
    const double angle = pose.angle + turn;
    const Point moved = rotated({fits[best].right.by / px_per_mm, fits[best].down.by / px_per_mm}, angle);
    return Pose{pose.x + moved.x, pose.y + moved.y, angle};
}

}  // namespace overboard::vision
