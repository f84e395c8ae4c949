#include "vision/faces/face_compare.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "vision/faces/face_picture.hpp"

namespace overboard::vision {
namespace {

constexpr int kBlocks = 4, kBw = kW / kBlocks, kBh = kH / kBlocks, kReach = 2,
              kSpan = 2 * kReach + 1;

constexpr std::size_t kMostCells = 400;  // enough to tell twins apart; more costs time only

struct Shift {
    float left = 0;    // squared difference that remains
    float energy = 0;  // of the reference's block
    float dx = 0, dy = 0;
};

float difference(const float* q, const float* r) {
    std::array<float, kBw> acc{};
    for (int y = 0; y < kBh; ++y)
        for (int x = 0; x < kBw; ++x) {
            const float d = q[y * kW + x] - r[y * kW + x];
            acc[x] += d * d;
        }
    return ((acc[0] + acc[4]) + (acc[1] + acc[5])) + ((acc[2] + acc[6]) + (acc[3] + acc[7]));
}

/// Where between three equally spaced samples the parabola through them is lowest, -0.5 … 0.5.
float lowest(float before, float at, float after) {
    const float curve = before - 2 * at + after;
    return curve < 1e-9F ? 0 : std::clamp(0.5F * (before - after) / curve, -0.5F, 0.5F);
}

Shift best_shift(const float* q, const float* r, int bx, int by) {
    std::array<float, kSpan * kSpan> left;
    left.fill(1e9F);
    const float* block = r + by * kBh * kW + bx * kBw;
    int best = 0;
    float best_cost = 1e9F;
    for (int dy = -kReach; dy <= kReach; ++dy)
        for (int dx = -kReach; dx <= kReach; ++dx) {
            const int x = bx * kBw + dx, y = by * kBh + dy;
            if (x < 0 || y < 0 || x + kBw > kW || y + kBh > kH) continue;
            const int i = (dy + kReach) * kSpan + dx + kReach;
            left[i] = difference(q + y * kW + x, block);
            const float cost = left[i] * (1 + 0.02F * static_cast<float>(dx * dx + dy * dy));
            if (cost < best_cost) best_cost = cost, best = i;
        }
    Shift s;
    for (int y = 0; y < kBh; ++y)
        for (int x = 0; x < kBw; ++x) s.energy += block[y * kW + x] * block[y * kW + x];
    const int bi = best % kSpan, bj = best / kSpan;
    const auto at = [&](int i, int j) { return left[j * kSpan + i]; };
    const bool room_x = bi > 0 && bi < kSpan - 1 && at(bi - 1, bj) < 1e8F && at(bi + 1, bj) < 1e8F;
    const bool room_y = bj > 0 && bj < kSpan - 1 && at(bi, bj - 1) < 1e8F && at(bi, bj + 1) < 1e8F;
    s.dx = static_cast<float>(bi - kReach) +
           (room_x ? lowest(at(bi - 1, bj), at(bi, bj), at(bi + 1, bj)) : 0);
    s.dy = static_cast<float>(bj - kReach) +
           (room_y ? lowest(at(bi, bj - 1), at(bi, bj), at(bi, bj + 1)) : 0);
    s.left = std::min(best_cost, s.energy + 0.02F);
    return s;
}

/// Weighted least squares of one coordinate of the shifts over 1, x, y; mildly held at zero slope.
cv::Vec3f fit(const std::array<Shift, kBlocks * kBlocks>& shifts, bool vertical) {
    cv::Matx33f a = cv::Matx33f::zeros();
    cv::Vec3f b(0, 0, 0);
    float total = 1e-6F;
    for (int i = 0; i < kBlocks * kBlocks; ++i) {
        const Shift& s = shifts[i];
        const float w = std::max(0.0F, s.energy - s.left);
        const float x = (static_cast<float>(i % kBlocks) + 0.5F) / kBlocks,
                    y = (static_cast<float>(i / kBlocks) + 0.5F) / kBlocks;
        const cv::Vec3f row(1, x - 0.5F, y - 0.5F);
        a += w * (row * row.t());
        b += w * (vertical ? s.dy : s.dx) * row;
        total += w;
    }
    a(0, 0) += 0.02F * total, a(1, 1) += 0.01F * total, a(2, 2) += 0.01F * total;
    return a.solve(b, cv::DECOMP_CHOLESKY);
}

/// Cells of two references that differ clearly, away from the rim (every n-th of very many), and
/// cells that do not.
template <int W, int H>
struct Differing {
    std::vector<int> cells;
    std::array<std::uint8_t, W * H> differ{};
};

template <int W, int H>
Differing<W, H> differing(const Picture<W, H>& a, const Picture<W, H>& b, float least) {
    constexpr int kRim = W / 20;
    std::array<float, W * H> d{};
    float sum = 0;
    for (int y = kRim; y < H - kRim; ++y)
        for (int x = kRim; x < W - kRim; ++x) {
            const int i = y * W + x;
            for (int c = 0; c < 3; ++c) d[i] += std::fabs(a.bgr[3 * i + c] - b.bgr[3 * i + c]);
            sum += d[i];
        }
    const float limit = std::max(least, 2 * sum / (W * H));
    Differing<W, H> out;
    for (int i = 0; i < W * H; ++i)
        if ((out.differ[i] = d[i] > limit)) out.cells.push_back(i);
    auto& cells = out.cells;
    const std::size_t step = 1 + cells.size() / kMostCells;
    for (std::size_t k = 0; k * step < cells.size(); ++k) cells[k] = cells[k * step];
    cells.resize((cells.size() + step - 1) / step);
    return out;
}

/// What brings the crop to the references where these agree: a gain, and an offset that may rise to
/// one side, for lamps stand to one side of the crop and stood to one side of the references. A
/// channel each.
struct Light {
    std::array<float, 3> gain{1, 1, 1};
    std::array<cv::Vec3f, 3> offset;  // in the middle, and its rise along either side

    [[nodiscard]] float operator()(float value, int c, float u, float v) const {
        return gain[c] * value + offset[c][0] + offset[c][1] * u + offset[c][2] * v;
    }
};

/// Of the cells where the references agree: how many, where they lie, and of each channel the
/// crop's value q and the references' t.
struct LightSums {
    double n = 1e-6, u = 0, v = 0, uu = 0, uv = 0, vv = 0;
    std::array<double, 3> q{}, t{}, qq{}, qt{}, qu{}, qv{}, tu{}, tv{};
};

template <int W, int H>
LightSums light_sums(const Picture<W, H>& crop, const Picture<W, H>& a, const Picture<W, H>& b,
                     const std::array<std::uint8_t, W * H>& differ) {
    LightSums s;
    for (int i = 0; i < W * H; i += W == kW ? 1 : 3) {
        if (differ[i]) continue;
        const cv::Vec2f m = from_middle<W>(i);
        const double u = m[0], v = m[1];
        s.n += 1, s.u += u, s.v += v, s.uu += u * u, s.uv += u * v, s.vv += v * v;
        for (int c = 0; c < 3; ++c) {
            const double q = crop.bgr[3 * i + c], t = 0.5 * (a.bgr[3 * i + c] + b.bgr[3 * i + c]);
            s.q[c] += q, s.t[c] += t, s.qq[c] += q * q, s.qt[c] += q * t;
            s.qu[c] += q * u, s.qv[c] += q * v, s.tu[c] += t * u, s.tv[c] += t * v;
        }
    }
    return s;
}

template <int W, int H>
Light fit_light(const Picture<W, H>& crop, const Picture<W, H>& a, const Picture<W, H>& b,
                const std::array<std::uint8_t, W * H>& differ) {
    const LightSums s = light_sums(crop, a, b, differ);
    const double held = 1e-3 * s.n;
    const cv::Matx33d squares(s.n + held, s.u, s.v, s.u, s.uu + held, s.uv, s.v, s.uv, s.vv + held);
    Light light;
    for (int c = 0; c < 3; ++c) {
        const double var = s.qq[c] / s.n - s.q[c] / s.n * (s.q[c] / s.n),
                     cov = s.qt[c] / s.n - s.q[c] / s.n * (s.t[c] / s.n);
        const double gain = var > 25 ? std::clamp(cov / var, 0.5, 2.5)
                                     : std::clamp(s.t[c] / std::max(s.q[c], 1.0), 0.5, 2.5);
        light.gain[c] = static_cast<float>(gain);
        light.offset[c] = cv::Vec3f(squares.solve(
            cv::Vec3d(s.t[c] - gain * s.q[c], s.tu[c] - gain * s.qu[c], s.tv[c] - gain * s.qv[c]),
            cv::DECOMP_CHOLESKY));
    }
    return light;
}

/// As if taken under the lamp of `like`: references are photographs too, and not all of one
/// evening.
template <int W, int H>
Picture<W, H> relit(Picture<W, H> picture, const Picture<W, H>& like) {
    constexpr int kLanes = 24;  // eight pixels
    static_assert(W * H * 3 % kLanes == 0);
    std::array<float, kLanes> both{}, own{}, gain;
    for (int i = 0; i < W * H * 3; i += kLanes)
        for (int k = 0; k < kLanes; ++k)
            both[k] += picture.bgr[i + k] * like.bgr[i + k],
                own[k] += picture.bgr[i + k] * picture.bgr[i + k];
    const auto sum = [](const std::array<float, kLanes>& lanes, int c) {
        double all = 0;
        for (int k = c; k < kLanes; k += 3) all += lanes[k];
        return all;
    };
    for (int k = 0; k < kLanes; ++k)
        gain[k] = static_cast<float>(
            std::clamp(sum(both, k % 3) / (1e-3 + sum(own, k % 3)), 0.7, 1.4));
    for (int i = 0; i < W * H * 3; i += kLanes)
        for (int k = 0; k < kLanes; ++k) picture.bgr[i + k] *= gain[k];
    return picture;
}

/// One cell in which the two differ, made ready for every shift of the crop: both errors and the
/// vote are sums over the channels of the crop as it was taken, the light being linear.
struct Voter {
    int at = 0;                                 // in the crop
    std::array<float, 3> gain, from_a, from_b;  // relit crop - a: gain · value + from_a
    std::array<float, 3> leans;
    float bias = 0;  // vote: Σ leans · value + bias
};

template <int W, int H>
std::vector<Voter> voters(const Picture<W, H>& a, const Picture<W, H>& b,
                          const std::vector<int>& cells, const Light& light) {
    std::vector<Voter> list(cells.size());
    for (std::size_t k = 0; k < cells.size(); ++k) {
        Voter& v = list[k];
        v.at = 3 * cells[k];
        v.gain = light.gain;
        const cv::Vec2f m = from_middle<W>(cells[k]);
        float apart = 1e-3F;
        for (int c = 0; c < 3; ++c) {
            const float offset = light(0, c, m[0], m[1]), d = a.bgr[v.at + c] - b.bgr[v.at + c];
            v.from_a[c] = offset - a.bgr[v.at + c], v.from_b[c] = offset - b.bgr[v.at + c];
            apart += d * d;
            // (q - b)² - (q - a)² = d · (2 q - a - b)
            v.leans[c] = 2 * d * v.gain[c];
            v.bias += d * (v.from_a[c] + v.from_b[c]);
        }
        for (float& lean : v.leans) lean /= apart;
        v.bias /= apart;
    }
    return list;
}

/// 1: a, -1: b, by a vote of the cells where the two differ; the crop may be off by one cell. Every
/// cell has one vote, however large the difference: a thick outline that is slightly off in one of
/// the references must not outvote a pale filling.
template <int W, int H>
double nearer(const Picture<W, H>& crop, const Picture<W, H>& a, const Picture<W, H>& b_as_taken,
              float least) {
    const Picture<W, H> b = relit(b_as_taken, a);
    const Differing<W, H> where = differing(a, b, least);
    if (where.cells.size() < 6) return 0;
    const std::vector<Voter> all = voters(a, b, where.cells, fit_light(crop, a, b, where.differ));
    float least_error = 1e12F, vote = 0;
    for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx) {
            float from_a = 1, from_b = 1, votes = 0;
            for (const Voter& v : all) {
                const float* q = &crop.bgr[v.at + 3 * (dy * W + dx)];
                float leaning = v.bias;
                for (int c = 0; c < 3; ++c) {
                    const float lit = v.gain[c] * q[c], ea = lit + v.from_a[c],
                                eb = lit + v.from_b[c];
                    from_a += ea * ea, from_b += eb * eb, leaning += v.leans[c] * q[c];
                }
                votes += std::clamp(leaning, -1.0F, 1.0F);
            }
            if (std::min(from_a, from_b) < least_error)
                least_error = std::min(from_a, from_b),
                vote = votes / static_cast<float>(all.size());
        }
    return vote;
}

double nearer_ink(const cv::Vec2d& q, const cv::Vec2d& ia, const cv::Vec2d& ib) {
    const double apart = cv::norm(ia - ib);
    if (apart < 0.12) return 0;
    return std::clamp((cv::norm(q - ib) - cv::norm(q - ia)) / apart, -1.0, 1.0) *
           std::min(1.0, apart / 0.3);
}

}  // namespace

Deformation deform(const Feature& query, const Feature& reference) {
    std::array<Shift, kBlocks * kBlocks> shifts;
    float left = 0, energy = 1e-9F;
    for (int i = 0; i < kBlocks * kBlocks; ++i) {
        shifts[i] = best_shift(query.data(), reference.data(), i % kBlocks, i / kBlocks);
        left += shifts[i].left, energy += shifts[i].energy;
    }
    Deformation d;
    d.score = 1 - left / energy;
    const cv::Vec3f x = fit(shifts, false) * (1.0F / kW), y = fit(shifts, true) * (1.0F / kH);
    d.to_query = {1 + x[1], x[2],     x[0] - 0.5F * (x[1] + x[2]),
                  y[1],     1 + y[2], y[0] - 0.5F * (y[1] + y[2])};
    return d;
}

Deformation nudge(const Feature& query, const Feature& reference) {
    // Grey at a cell moved by dx, dy changes by its slopes times these. How far every cell is moved
    // has four unknowns: all of them aside and down, rows aside and columns down by where they lie.
    constexpr int kUnknown = 4, kLanes = 8;
    using Lanes = std::array<float, kLanes>;
    alignas(32) std::array<std::array<Lanes, kUnknown + 1>, kUnknown> sums{};
    static const auto kColumns = [] {
        std::array<std::array<float, kW>, 2> columns{};  // how much each counts; where it lies
        for (int x = 1; x + 1 < kW; ++x)
            columns[0][x] = 1, columns[1][x] = (static_cast<float>(x) + 0.5F) / kW - 0.5F;
        return columns;
    }();
    alignas(32) std::array<Lanes, kUnknown + 1> terms;  // four slopes, and what they shall explain
    for (int y = 1; y + 1 < kH; y += 2) {  // every other row tells nearly as much as all
        const float v = (static_cast<float>(y) + 0.5F) / kH - 0.5F;
        for (int x = 0; x < kW; x += kLanes) {
            const float *r = &reference[y * kW + x], *q = &query[y * kW + x];
            for (int k = 0; k < kLanes; ++k) {
                const float counts = 0.5F * kColumns[0][x + k];
                terms[0][k] = counts * (r[k + 1] - r[k - 1]);
                terms[1][k] = counts * (r[k + kW] - r[k - kW]);
                terms[2][k] = terms[0][k] * v;
                terms[3][k] = terms[1][k] * kColumns[1][x + k];
                terms[4][k] = r[k] - q[k];
            }
            for (int a = 0; a < kUnknown; ++a)
                for (int b = a; b <= kUnknown; ++b)
                    for (int k = 0; k < kLanes; ++k) sums[a][b][k] += terms[a][k] * terms[b][k];
        }
    }
    cv::Matx44f squares;
    cv::Vec4f by;
    const auto sum = [&](int a, int b) {
        return std::accumulate(sums[a][b].begin(), sums[a][b].end(), 0.0F);
    };
    for (int a = 0; a < kUnknown; ++a) {
        for (int b = a; b < kUnknown; ++b) squares(a, b) = squares(b, a) = sum(a, b);
        by[a] = sum(a, kUnknown);
    }
    const float held = 1e-3F * squares(0, 0) + 1e-6F;  // where there is hardly any print
    for (int a = 0; a < kUnknown; ++a) squares(a, a) += held;
    const cv::Vec4f moved = squares.solve(by, cv::DECOMP_CHOLESKY);
    const float dx = moved[0] / kW, dy = moved[1] / kH, lean = moved[2] / kW, rise = moved[3] / kH;
    Deformation d;
    d.to_query = {1, lean, dx - 0.5F * lean, rise, 1, dy - 0.5F * rise};
    return d;
}

float worst_block(const Feature& query, const Feature& reference) {
    constexpr float kPlain = 0.006F;  // energy of a block with hardly any print, the whole being 1
    const auto energy = [](const float* block) {
        static constexpr std::array<float, kGray> kNothing{};
        return difference(block, kNothing.data());
    };
    float worst = 0;
    for (int y = 0; y + kBh <= kH; y += kBh / 2)
        for (int x = 0; x + kBw <= kW; x += kBw / 2) {
            const float *q = query.data() + y * kW + x, *r = reference.data() + y * kW + x;
            const float print = std::max(energy(q), energy(r)) + kPlain;
            float least = difference(r, q);
            // Only the worst counts: a block that is explained better already needs no search.
            for (int dy = std::max(-kReach, -y);
                 least > worst * print && dy <= std::min(kReach, kH - kBh - y); ++dy)
                for (int dx = std::max(-kReach, -x); dx <= std::min(kReach, kW - kBw - x); ++dx)
                    least = std::min(least, difference(r + dy * kW + dx, q));
            worst = std::max(worst, least / print);
        }
    return worst;
}

Corners corrected(const Corners& corners, const Deformation& d) {
    const cv::Matx33f h = square_to(corners);
    Corners out;
    for (int i = 0; i < 4; ++i) {
        const cv::Vec3f u(i == 1 || i == 2 ? 1.0F : 0.0F, i >= 2 ? 1.0F : 0.0F, 1);
        const cv::Vec2f q = d.to_query * u;
        out[i] = through(h, {q[0], q[1]});
    }
    return out;
}

Looks looks_of(const Thumb& thumb) {
    Looks looks{fine_of(thumb), soft_of(thumb), {}};
    looks.ink = ink_of(looks.soft);
    return looks;
}

double tell_apart(const Looks& crop, const Looks& a, const Looks& b) {
    return 0.4 * nearer(crop.fine, a.fine, b.fine, 40) +
           0.6 * nearer(crop.soft, a.soft, b.soft, 18) + 0.6 * nearer_ink(crop.ink, a.ink, b.ink);
}

}  // namespace overboard::vision
