// Twins differ in a figure or a gem somewhere; all the rest of their print only dilutes that. So
// the windows in which they differ most are correlated with the crop, each on its own: a
// correlation does not care how such a small place is lit, and searching a few cells around makes
// bent cards and corners that are a little off harmless.
#include "vision/faces/face_local.hpp"

#include <algorithm>
#include <vector>

namespace overboard::vision {
namespace {

/// Chosen on rendered twins and photographs of Set cards.
struct LocalLimits {
    int places = 6;
    float differs = 12;         ///< Levels, of three channels, on average over a window.
    float of_clearest = 0.35F;  ///< A place that differs less than this part of the clearest tells
                                ///< nothing.
    float paler = 0.5F, deeper = 1.8F;  ///< Print here than elsewhere.
    float faint = 9;                    ///< Levels: print as faint as this is as good as none.
};
constexpr LocalLimits kLocally;

constexpr int kSide = 12, kAround = 3;  // cells of a window, and how far it may be off

struct DifferingPlace {
    int x = 0, y = 0;
    float differs = 0;
};

/// How much the two differ in a window, its mean brightness aside.
float differ_at(const Fine& a, const Fine& b, int x0, int y0) {
    float sum = 0;
    for (int c = 0; c < 3; ++c) {
        float mean = 0;
        for (int y = y0; y < y0 + kSide; ++y)
            for (int x = x0; x < x0 + kSide; ++x)
                mean += a.bgr[(y * kFineW + x) * 3 + c] - b.bgr[(y * kFineW + x) * 3 + c];
        mean /= kSide * kSide;
        for (int y = y0; y < y0 + kSide; ++y)
            for (int x = x0; x < x0 + kSide; ++x)
                sum += std::fabs(a.bgr[(y * kFineW + x) * 3 + c] - b.bgr[(y * kFineW + x) * 3 + c] -
                                 mean);
    }
    return sum / (kSide * kSide);
}

std::vector<DifferingPlace> places_between(const Fine& a, const Fine& b) {
    std::vector<DifferingPlace> all, out;
    for (int y = kAround; y + kSide + kAround <= kFineH; y += 3)
        for (int x = kAround; x + kSide + kAround <= kFineW; x += 3)
            all.push_back({x, y, differ_at(a, b, x, y)});
    std::sort(all.begin(), all.end(), [](const DifferingPlace& p, const DifferingPlace& q) {
        return p.differs > q.differs;
    });
    for (const DifferingPlace& p : all) {
        if (out.size() >= static_cast<std::size_t>(kLocally.places) ||
            p.differs < kLocally.differs || p.differs < kLocally.of_clearest * all[0].differs)
            break;
        if (std::none_of(out.begin(), out.end(), [&](const DifferingPlace& o) {
                return std::abs(o.x - p.x) < kSide * 2 / 3 && std::abs(o.y - p.y) < kSide * 2 / 3;
            }))
            out.push_back(p);
    }
    return out;
}

/// A window, each channel without its mean.
struct Pane {
    std::array<float, kSide * kSide * 3> v;
    float energy = 0;
};

Pane pane_at(const Fine& p, int x0, int y0) {
    Pane w;
    std::array<float, 3> mean{};
    int i = 0;
    for (int y = y0; y < y0 + kSide; ++y)
        for (int x = x0; x < x0 + kSide; ++x)
            for (int c = 0; c < 3; ++c, ++i)
                w.v[i] = p.bgr[(y * kFineW + x) * 3 + c], mean[c] += w.v[i];
    for (std::size_t k = 0; k < w.v.size(); ++k)
        w.v[k] -= mean[k % 3] / (kSide * kSide), w.energy += w.v[k] * w.v[k];
    return w;
}

/// How much deeper the crop's print is than the references', all in all.
float contrast_of(const Fine& crop, const Fine& a, const Fine& b) {
    constexpr int kRim = 4;
    std::array<double, 3> q{}, t{};
    double n = 0, qt = 0, tt = 1;
    const auto each = [&](auto&& visit) {
        for (int y = kRim; y < kFineH - kRim; y += 2)
            for (int x = kRim; x < kFineW - kRim; x += 2)
                for (int c = 0; c < 3; ++c) {
                    const int i = (y * kFineW + x) * 3 + c;
                    visit(c, crop.bgr[i], 0.5F * (a.bgr[i] + b.bgr[i]));
                }
    };
    each([&](int c, float v, float r) { q[c] += v, t[c] += r, n += 1.0 / 3; });
    each([&](int c, float v, float r) {
        const double dv = v - q[c] / n, dr = r - t[c] / n;
        qt += dv * dr, tt += dr * dr;
    });
    return static_cast<float>(std::clamp(qt / tt, 0.1, 2.0));
}

/// What a reference leaves of the crop, its print being paler or deeper within bounds.
float left_by(const Pane& crop, const Pane& reference, float contrast) {
    float both = 0;
    for (std::size_t k = 0; k < crop.v.size(); ++k) both += crop.v[k] * reference.v[k];
    const float gain = std::clamp(both / (reference.energy + 1), kLocally.paler * contrast,
                                  kLocally.deeper * contrast);
    return crop.energy - 2 * gain * both + gain * gain * reference.energy;
}

}  // namespace

double told_locally(const Fine& crop, const Fine& a, const Fine& b) {
    const float contrast = contrast_of(crop, a, b);
    constexpr float kFloor = kLocally.faint * kLocally.faint * kSide * kSide * 3;
    double told = 0, weight = 0;
    for (const DifferingPlace& p : places_between(a, b)) {
        const Pane wa = pane_at(a, p.x, p.y), wb = pane_at(b, p.x, p.y);
        float left_a = 1e12F, left_b = 1e12F;
        for (int dy = -kAround; dy <= kAround; ++dy)
            for (int dx = -kAround; dx <= kAround; ++dx) {
                const Pane q = pane_at(crop, p.x + dx, p.y + dy);
                left_a = std::min(left_a, left_by(q, wa, contrast));
                left_b = std::min(left_b, left_by(q, wb, contrast));
            }
        const float all = std::max(left_a, left_b) + kFloor +
                          0.5F * contrast * contrast * (wa.energy + wb.energy);
        told += p.differs * (left_b - left_a) / all, weight += p.differs;
    }
    return weight > 0 ? told / weight : 0;
}

}  // namespace overboard::vision
