#include "vision/discs/disc_rim.hpp"

#include <algorithm>
#include <cmath>

#include "vision/many_pixels.hpp"

namespace overboard::vision {
namespace {

using Lane = std::array<int, DiscRim::kRays>;  // one number for each ray
using Values = std::array<float, DiscRim::kRays>;

#ifdef __AVX2__

/// The scalar at a place on every ray: interpolated, or at the nearest pixel, which is good enough
/// to find a rim but not to measure it.
void look(const cv::Mat& bgr, const Lane& x, const Lane& y, const Direction& way, bool exact,
          Values& out) {
    const FourPixels weights = four_weights(way.wb, way.wg, way.wr);
    const __m256 scale = _mm256_set1_ps(exact ? 1.0f / (64 * 256) : 1.0f / 256);
    for (std::size_t i = 0; i < x.size(); i += 8) {
        const auto four = [&](std::size_t k) {
            return exact ? four_between(bgr.data, bgr.step, &x[k], &y[k])
                         : four_nearest(bgr.data, bgr.step, &x[k], &y[k]);
        };
        _mm256_storeu_ps(
            &out[i],
            _mm256_mul_ps(_mm256_cvtepi32_ps(weighed(four(i), four(i + 4), weights)), scale));
    }
}

#else

float roughly(const cv::Mat& bgr, int x, int y, const Direction& way) {
    return float(way.of(bgr.data + std::size_t((y + 32768) >> 16) * bgr.step +
                        3 * ((x + 32768) >> 16))) *
           (1.0f / 256);
}

float exactly(const cv::Mat& bgr, int x, int y, const Direction& way) {
    const std::uint8_t* p = bgr.data + std::size_t(y >> 16) * bgr.step + 3 * (x >> 16);
    const std::uint8_t* q = p + bgr.step;
    const int fx = (x >> 10) & 63, fy = (y >> 10) & 63;
    const int top = way.of(p) * (64 - fx) + way.of(p + 3) * fx,
              bottom = way.of(q) * (64 - fx) + way.of(q + 3) * fx;
    return float((top >> 6) * (64 - fy) + (bottom >> 6) * fy) * (1.0f / (64 * 256));
}

void look(const cv::Mat& bgr, const Lane& x, const Lane& y, const Direction& way, bool exact,
          Values& out) {
    for (std::size_t i = 0; i < x.size(); ++i)
        out[i] = exact ? exactly(bgr, x[i], y[i], way) : roughly(bgr, x[i], y[i], way);
}

#endif

float product(const Values& a, const Values& b) {
    std::array<float, 8> sum{};
    for (std::size_t i = 0; i < a.size(); i += 8)
        for (std::size_t k = 0; k < 8; ++k) sum[k] += a[i + k] * b[i + k];
    return ((sum[0] + sum[4]) + (sum[1] + sum[5])) + ((sum[2] + sum[6]) + (sum[3] + sum[7]));
}

}  // namespace

DiscRim::DiscRim(const calibration::TableMap& map, double height_mm)
    : map_{&map}, height_mm_{height_mm} {
    for (int i = 0; i < kRays; ++i) {
        cos_[i] = float(std::cos(2 * M_PI * i / kRays)),
        sin_[i] = float(std::sin(2 * M_PI * i / kRays));
        cos_cos_[i] = cos_[i] * cos_[i], cos_sin_[i] = cos_[i] * sin_[i],
        sin_sin_[i] = sin_[i] * sin_[i];
        ray_[i] = {cos_[i], sin_[i]};
    }
}

bool DiscRim::fit(const cv::Mat& bgr, const DiscLook& look, const Direction& way, Point& at,
                  double half_mm, int rounds, RimFit& result) const {
    double half = half_mm;
    for (int round = 0; round < rounds; ++round) {
        const cv::Matx22d J = map_->jacobian(at, height_mm_);
        const cv::Point2d c = map_->project(at, height_mm_);
        const double reach = (look.r_mm + half) *
                                 (std::abs(J(0, 0)) + std::abs(J(0, 1)) + std::abs(J(1, 0)) +
                                  std::abs(J(1, 1))) *
                                 0.6 +
                             2;
        if (c.x < reach || c.y < reach || c.x > bgr.cols - 2 - reach || c.y > bgr.rows - 2 - reach)
            return false;
        Rho rho;
        const bool last = round + 1 == rounds;
        const int met = meet(bgr, look.r_mm, way, J, c, half, last ? kSamples : kMostSamples, last,
                             rho);
        if (met < kRays / 4) return false;
        Point shift;
        solve(look.r_mm, rho, half, shift, result);
        if (length(shift) > half * 1.2) return false;
        at = at + shift;
        half = std::max(0.13 * look.r_mm, half * 0.5);
    }
    return true;
}

int DiscRim::meet(const cv::Mat& bgr, double r_mm, const Direction& way, const cv::Matx22d& J,
                  cv::Point2d c, double half, int samples, bool exact, Rho& rho) const {
    const float step = float(2 * half / (samples - 1)), from = float(r_mm - half);
    // Over a pixel or so a blurred rim shows only part of the contrast.
    const double scale = std::sqrt(std::abs(J(0, 0) * J(1, 1) - J(0, 1) * J(1, 0)));
    const float weak = way.contrast * float(std::clamp(0.15 * 2 * step * scale, 0.05, 0.28));
    alignas(32) Lane x, y, dx, dy;  // in 1/65536 of a pixel
    const cv::Matx22f J16 = J * 65536.0;
    for (int i = 0; i < kRays; ++i) {
        const float ux = J16(0, 0) * cos_[i] + J16(0, 1) * sin_[i],
                    uy = J16(1, 0) * cos_[i] + J16(1, 1) * sin_[i];
        x[i] = int(c.x * 65536 + double(ux * from)), y[i] = int(c.y * 65536 + double(uy * from));
        dx[i] = int(ux * step), dy[i] = int(uy * step);
    }
    // All rays at once, one step outwards at a time; the steepest fall so far is kept of each.
    alignas(32) std::array<Values, kMostSamples> value;
    alignas(32) Values best{};
    alignas(32) Lane at{};
    for (int k = 0; k < samples; ++k) {
        look(bgr, x, y, way, exact, value[k]);
        for (int i = 0; i < kRays; ++i) x[i] += dx[i], y[i] += dy[i];
        if (k < 2) continue;
        for (int i = 0; i < kRays; ++i) {
            const float fall = value[k - 2][i] - value[k][i];
            at[i] = fall > best[i] ? k - 1 : at[i];
            best[i] = fall > best[i] ? fall : best[i];
        }
    }
    int met = 0;
    for (int i = 0; i < kRays; ++i) {
        const int k = at[i];
        rho[i] = -1;
        if (k < 2 || k > samples - 3 || best[i] < weak) continue;
        const float before = value[k - 2][i] - value[k][i], after = value[k][i] - value[k + 2][i],
                    bend = before - 2 * best[i] + after;
        const float off = bend < 0 ? std::clamp(0.5f * (before - after) / bend, -1.0f, 1.0f) : 0;
        rho[i] = from + (float(k) + off) * step;
        ++met;
    }
    return met;
}

// The median distance of the rim points from the circle.
double DiscRim::scatter_of(const Rho& rho, double r_mm, double dx, double dy, double e) const {
    Rho apart;
    int n = 0;
    for (int i = 0; i < kRays; ++i)
        if (rho[i] >= 0)
            apart[n++] = float(std::abs(rho[i] - r_mm - e - dx * ray_[i][0] - dy * ray_[i][1]));
    if (n == 0) return 0;
    std::nth_element(apart.begin(), apart.begin() + n / 2, apart.begin() + n);
    return apart[n / 2];
}

// rho = r + e + dx·cos + dy·sin, with the radius pulled to the known one.
void DiscRim::solve(double r_mm, const Rho& rho, double half, Point& shift, RimFit& result) const {
    alignas(32) Rho met, off;  // 1 or 0; how far beyond the known radius
    for (int i = 0; i < kRays; ++i)
        met[i] = rho[i] < 0 ? 0.0f : 1.0f, off[i] = rho[i] < 0 ? 0.0f : rho[i] - float(r_mm);
    double dx = 0, dy = 0, e = 0, scatter = 0;
    for (int pass = 0; pass < 3; ++pass) {
        // A noisy picture scatters the rim: a limit far below that would follow the few rays that
        // agree by chance.
        const double fine = std::clamp(scatter, std::max(0.02 * r_mm, half * 0.15), 0.06 * r_mm);
        const double limit = pass == 0   ? 1e9
                             : pass == 1 ? std::max(0.04 * r_mm, half * 0.35)
                                         : fine;
        alignas(32) Rho w, wv;
        int agree = 0;
        const float fdx = float(dx), fdy = float(dy), fe = float(e), per_limit = float(1 / limit);
        for (int i = 0; i < kRays; ++i) {
            const float q = (off[i] - fe - fdx * cos_[i] - fdy * sin_[i]) * per_limit,
                        k = 1 + q * q;
            w[i] = met[i] / (k * k);
            wv[i] = w[i] * off[i];
            agree += std::abs(q) < 1.5f && met[i] > 0;
        }
        const double a00 = 1e-9 + product(w, cos_cos_), a01 = product(w, cos_sin_),
                     a02 = product(w, cos_), a11 = 1e-9 + product(w, sin_sin_),
                     a12 = product(w, sin_);
        const double a22 = 4 + product(w, met), b0 = product(wv, cos_), b1 = product(wv, sin_),
                     b2 = product(wv, met);
        const double det = cv::determinant(
            cv::Matx33d(a00, a01, a02, a01, a11, a12, a02, a12, a22));
        if (std::abs(det) < 1e-12) break;
        dx = cv::determinant(cv::Matx33d(b0, a01, a02, b1, a11, a12, b2, a12, a22)) / det;
        dy = cv::determinant(cv::Matx33d(a00, b0, a02, a01, b1, a12, a02, b2, a22)) / det;
        e = cv::determinant(cv::Matx33d(a00, a01, b0, a01, a11, b1, a02, a12, b2)) / det;
        result.share = double(agree) / kRays;
        if (pass == 1) scatter = 1.5 * scatter_of(rho, r_mm, dx, dy, e);
    }
    shift = {dx, dy};
    result.off_mm = e;
}

}  // namespace overboard::vision
