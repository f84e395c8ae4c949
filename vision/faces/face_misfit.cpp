// Print that is there in one picture and not in the other is what tells two faces apart, and
// strangers from acquaintances. The crop is put under the lamp of the reference first: a lamp
// multiplies, and stands to one side; haze takes contrast from all colours alike. The colour of the
// ink is left as it is: were every channel free, a red card would explain a green one.
#include "vision/faces/face_misfit.hpp"

#include <algorithm>

#include "vision/faces/face_picture.hpp"

namespace overboard::vision {
namespace {

/// What a face may be off by and still be that face. Chosen with `vision_cards_accuracy_bench
/// crops`; higher: more strangers are named, lower: more faces in bad light are not.
struct StrangeLimits {
    /// In the worst place, of the print there, at half size: fillings and tints.
    float soft = 0.6F;
    float sharp = 1.0F;  ///< The same at full size: small symbols. They suffer from blur and bad
                         ///< corners.
    float ink = 0.9F;    ///< Between the colours of the ink.
};
constexpr StrangeLimits kStrange;

/// How much paler or deeper print may be than its reference, of its own depth, before it speaks for
/// another face. Crops of Set cards (`vision_cards_accuracy_bench crops`): 86.4 % right at 0, 88.3
/// at 0.25, 87.0 at 0.4; wrong from 0.5.
constexpr float kPaler = 0.25F;

template <int W, int H>
using Cells = std::array<float, W * H>;

/// The crop times a plane, a channel each, that brings it nearest to the reference: another lamp,
/// to one side.
template <int W, int H>
void relight(const Picture<W, H>& crop, const Picture<W, H>& reference, const Cells<W, H>& weight,
             Picture<W, H>& out) {
    for (int c = 0; c < 3; ++c) {
        cv::Matx33d squares = cv::Matx33d::eye() * 1e-2;
        cv::Vec3d sums;
        for (int i = 0; i < W * H; ++i) {
            const cv::Vec2f m = from_middle<W>(i);
            const cv::Vec3d x = cv::Vec3d(1, m[0], m[1]) * (crop.bgr[3 * i + c] / 64.0);
            squares += weight[i] * (x * x.t());
            sums += weight[i] * x * double{reference.bgr[3 * i + c]};
        }
        const cv::Vec3f fit = squares.solve(sums, cv::DECOMP_CHOLESKY) / 64;
        for (int i = 0; i < W * H; ++i) {
            const cv::Vec2f m = from_middle<W>(i);
            out.bgr[3 * i + c] = crop.bgr[3 * i + c] * (fit[0] + fit[1] * m[0] + fit[2] * m[1]);
        }
    }
}

/// Haze and blur take contrast from all channels alike: one gain and one offset for all.
template <int W, int H>
void give_contrast(const Picture<W, H>& reference, const Cells<W, H>& weight,
                   Picture<W, H>& picture) {
    double n = 1e-6, sq = 0, st = 0, sqq = 0, sqt = 0;
    for (int i = 0; i < 3 * W * H; ++i) {
        const double w = weight[i / 3], q = picture.bgr[i], t = reference.bgr[i];
        n += w, sq += w * q, st += w * t, sqq += w * q * q, sqt += w * q * t;
    }
    const double var = sqq / n - sq / n * (sq / n), cov = sqt / n - sq / n * (st / n);
    const double gain = std::clamp(cov / (var + 1), 0.6, 1.8), offset = st / n - gain * sq / n;
    for (float& v : picture.bgr) v = static_cast<float>(gain * v + offset);
}

/// How far every cell is from the colour most of the face has: the paper.
template <int W, int H>
Cells<W, H> print_of(const Picture<W, H>& p) {
    Cells<W, H> out{}, values;
    for (int c = 0; c < 3; ++c) {
        for (int i = 0; i < W * H; ++i) values[i] = p.bgr[3 * i + c];
        std::nth_element(values.begin(), values.begin() + W * H / 2, values.end());
        for (int i = 0; i < W * H; ++i)
            out[i] += std::fabs(p.bgr[3 * i + c] - values[W * H / 2]) / 3;
    }
    return out;
}

/// Somebody's shadow, the reflection of a lamp: how bright the paper is from place to place,
/// against the reference's. Print is darker than paper, so of every window the brighter cells tell;
/// a symbol too many is no shadow.
template <int W, int H>
void take_out_shadows(const Picture<W, H>& reference, const Cells<W, H>& print,
                      Picture<W, H>& picture) {
    constexpr int kStep = W / 8, kFar = W / 6, kCols = W / kStep + 1, kRows = H / kStep + 1;
    constexpr float kPaper = 16;      // levels from the paper's
    constexpr float kWhite = 200;     // its own level, about
    constexpr float kUneven = 1.08F;  // brightest to darkest place; less is the lamp's own, and
                                      // strangers keep their strangeness
    if (std::count_if(print.begin(), print.end(), [](float p) { return p < kPaper; }) <
        W * H * 6 / 10)
        return;
    std::array<float, kCols * kRows> field;
    std::vector<float> ratios;
    const auto level = [](const Picture<W, H>& p, int i) {
        return p.bgr[3 * i] + p.bgr[3 * i + 1] + p.bgr[3 * i + 2] + 24;
    };
    for (int k = 0; k < kCols * kRows; ++k) {
        const int cx = k % kCols * kStep, cy = k / kCols * kStep;
        ratios.clear();
        for (int y = std::max(0, cy - kFar); y <= std::min(H - 1, cy + kFar); ++y)
            for (int x = std::max(0, cx - kFar); x <= std::min(W - 1, cx + kFar); ++x)
                if (print[y * W + x] < kPaper)
                    ratios.push_back(level(picture, y * W + x) / level(reference, y * W + x));
        field[k] = 1;
        if (ratios.size() < 12) continue;
        const auto bright = ratios.begin() + static_cast<std::ptrdiff_t>(ratios.size() * 7 / 10);
        std::nth_element(ratios.begin(), bright, ratios.end());
        field[k] = std::clamp(*bright, 0.7F, 1.3F);
    }
    const auto [darkest, brightest] = std::minmax_element(field.begin(), field.end());
    if (*brightest < kUneven * *darkest) return;
    for (int i = 0; i < W * H; ++i) {
        const float x = static_cast<float>(i % W) / kStep, y = static_cast<float>(i / W) / kStep;
        const int x0 = std::min(static_cast<int>(x), kCols - 2),
                  y0 = std::min(static_cast<int>(y), kRows - 2);
        const float u = x - static_cast<float>(x0), v = y - static_cast<float>(y0);
        const float* f = &field[y0 * kCols + x0];
        const float bright = (f[0] * (1 - u) + f[1] * u) * (1 - v) +
                             (f[kCols] * (1 - u) + f[kCols + 1] * u) * v;
        // A shadow takes a share of the light, a reflection adds some.
        for (float* p = &picture.bgr[3 * i]; p != &picture.bgr[3 * i] + 3; ++p)
            *p = bright < 1 ? *p / bright : *p - (bright - 1) * kWhite;
    }
}

/// The crop as it would look under the lamp of the reference, fitted to the cells that fit.
template <int W, int H>
Picture<W, H> under_its_lamp(const Picture<W, H>& crop, const Picture<W, H>& reference) {
    constexpr float kFar = 24;  // levels, of three channels
    Picture<W, H> out = crop;
    Cells<W, H> weight;
    weight.fill(1);
    for (int round = 0; round < 3; ++round) {
        relight(crop, reference, weight, out);
        give_contrast(reference, weight, out);
        for (int i = 0; i < W * H; ++i) {
            float off = 0;
            for (int c = 0; c < 3; ++c)
                off += std::fabs(out.bgr[3 * i + c] - reference.bgr[3 * i + c]);
            weight[i] = 1 / (1 + off * off / (kFar * kFar));
        }
    }
    take_out_shadows(reference, print_of(reference), out);
    return out;
}

/// How far cell `i` of `a` is from the nearest of the nine cells of `b` around it.
template <int W, int H>
float nearest_cell(const Picture<W, H>& a, const Picture<W, H>& b, int i) {
    float least = 1e9F;
    for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx) {
            const float *p = &a.bgr[3 * i], *q = &b.bgr[3 * (i + dy * W + dx)];
            least = std::min(
                least, std::fabs(p[0] - q[0]) + std::fabs(p[1] - q[1]) + std::fabs(p[2] - q[2]));
        }
    return least / 3;
}

/// What is unexplained in each cell away from the rim.
template <int W, int H>
Cells<W, H> unexplained(const Picture<W, H>& here, const Picture<W, H>& there) {
    constexpr int kMargin = W / 16;
    Cells<W, H> off{};
    for (int y = kMargin; y < H - kMargin; ++y)
        for (int x = kMargin; x < W - kMargin; ++x)
            off[y * W + x] = std::max(nearest_cell(here, there, y * W + x),
                                      nearest_cell(there, here, y * W + x));
    return off;
}

/// The most that is unexplained in any window, of the print that is there.
template <int W, int H>
float worst_window(const Cells<W, H>& off, const Cells<W, H>& print) {
    constexpr int kWindow = 5;
    constexpr float kFaint = 12;  // levels a cell: print as faint as this is as good as none
    float worst = 0;
    for (int y = 0; y + kWindow <= H; ++y)
        for (int x = 0; x + kWindow <= W; ++x) {
            float window = 0, there_is = kFaint * kWindow * kWindow;
            for (int j = 0; j < kWindow; ++j)
                for (int i = 0; i < kWindow; ++i)
                    window += off[(y + j) * W + x + i], there_is += print[(y + j) * W + x + i];
            worst = std::max(worst, window / there_is);
        }
    return worst;
}

/// Print that is hardly darker than its ground has a slope as steep as one likes, and one that
/// changes with every lamp: only which way it leads says something. Of printers' inks and of paper
/// it is below 1.7.
cv::Vec2d colour_of_ink(const Soft& p) {
    constexpr double kSteep = 2;
    const cv::Vec2d slope = ink_of(p);
    return slope / std::max(1.0, cv::norm(slope) / kSteep);
}

}  // namespace

double better_explained(const Misfit& a, const Misfit& b) {
    constexpr float kNoise = 2;    // levels
    constexpr float kLittle = 40;  // levels times cells: less in all is no evidence
    float to_a = 0, to_b = 0;
    for (int i = 0; i < kGray; ++i) {
        const float d = b.off[i] - a.off[i];
        if (d > kNoise) to_a += d - kNoise;
        if (d < -kNoise) to_b -= d + kNoise;
    }
    return (to_a - to_b) / (to_a + to_b + kLittle);
}

Misfit misfit(const Thumb& crop, const Thumb& reference) {
    const Soft there = soft_of(reference), here = under_its_lamp(soft_of(crop), there);
    const Cells<kW, kH> print = print_of(there);
    Misfit m;
    m.off = unexplained(here, there);
    m.worst = worst_window<kW, kH>(m.off, print);
    // Too much light, blur and ink make print paler or deeper; they never put print on bare paper.
    for (int i = 0; i < kGray; ++i) m.off[i] = std::max(0.0F, m.off[i] - kPaler * print[i]);
    for (const float off : m.off) m.mean += off / kGray;
    m.ink = static_cast<float>(cv::norm(colour_of_ink(here) - colour_of_ink(there)));
    return m;
}

double strangeness(const Misfit& m, const Thumb& crop, const Thumb& reference) {
    const Fine there = smoothed(fine_of(reference)),
               here = under_its_lamp(smoothed(fine_of(crop)), there);
    const float sharp = worst_window<kFineW, kFineH>(unexplained(here, there), print_of(there));
    return std::max({m.worst / kStrange.soft, sharp / kStrange.sharp, m.ink / kStrange.ink});
}

}  // namespace overboard::vision
