#include "vision/disc_rim.hpp"

#include <algorithm>
#include <cmath>

namespace overboard::vision {
namespace {

// A place in the picture in 1/65536 of a pixel: stepping along a ray needs no conversions.
struct Place {
    int x, y;
    Place(double px, double py) : x{int(px * 65536)}, y{int(py * 65536)} {}
    void step(const Place& by) { x += by.x, y += by.y; }
};

// At the nearest pixel: good enough to find a rim, not to measure it.
float roughly(const cv::Mat& bgr, const Place& at, const Direction& way) {
    return float(way.of(bgr.data + std::size_t((at.y + 32768) >> 16) * bgr.step + 3 * ((at.x + 32768) >> 16))) * (1.0f / 256);
}

float exactly(const cv::Mat& bgr, const Place& at, const Direction& way) {
    const std::uint8_t* p = bgr.data + std::size_t(at.y >> 16) * bgr.step + 3 * (at.x >> 16);
    const std::uint8_t* q = p + bgr.step;
    const int fx = (at.x >> 10) & 63, fy = (at.y >> 10) & 63;
    const int top = way.of(p) * (64 - fx) + way.of(p + 3) * fx, bottom = way.of(q) * (64 - fx) + way.of(q + 3) * fx;
    return float((top >> 6) * (64 - fy) + (bottom >> 6) * fy) * (1.0f / (64 * 256));
}

}  // namespace

DiscRim::DiscRim(const calibration::TableMap& map, double height_mm) : map_{&map}, height_mm_{height_mm} {
    for (int i = 0; i < kRays; ++i) ray_[i] = {float(std::cos(2 * M_PI * i / kRays)), float(std::sin(2 * M_PI * i / kRays))};
}

bool DiscRim::fit(const cv::Mat& bgr, const DiscLook& look, const Direction& way, Point& at, double half_mm, int rounds, RimFit& result) const {
    double half = half_mm;
    for (int round = 0; round < rounds; ++round) {
        const cv::Matx22d J = map_->jacobian(at, height_mm_);
        const cv::Point2d c = map_->project(at, height_mm_);
        const double reach = (look.r_mm + half) * (std::abs(J(0, 0)) + std::abs(J(0, 1)) + std::abs(J(1, 0)) + std::abs(J(1, 1))) * 0.6 + 2;
        if (c.x < reach || c.y < reach || c.x > bgr.cols - 2 - reach || c.y > bgr.rows - 2 - reach) return false;
        Rho rho;
        const bool last = round + 1 == rounds;
        const int met = meet(bgr, look.r_mm, way, J, c, half, last ? 9 : 15, last, rho);
        if (met < kRays / 4) return false;
        Point shift;
        solve(look.r_mm, rho, half, shift, result);
        if (length(shift) > half * 1.2) return false;
        at = at + shift;
        half = std::max(0.13 * look.r_mm, half * 0.5);
    }
    return true;
}

int DiscRim::meet(const cv::Mat& bgr, double r_mm, const Direction& way, const cv::Matx22d& J, cv::Point2d c, double half, int samples, bool exact,
                  Rho& rho) const {
    const float step = float(2 * half / (samples - 1)), from = float(r_mm - half);
    // Over a pixel or so a blurred rim shows only part of the contrast.
    const double scale = std::sqrt(std::abs(J(0, 0) * J(1, 1) - J(0, 1) * J(1, 0)));
    const float weak = way.contrast * float(std::clamp(0.15 * 2 * step * scale, 0.05, 0.28));
    int met = 0;
    std::array<float, 16> value{}, edge{};
    for (int i = 0; i < kRays; ++i) {
        const float dx = float(J(0, 0) * ray_[i][0] + J(0, 1) * ray_[i][1]), dy = float(J(1, 0) * ray_[i][0] + J(1, 1) * ray_[i][1]);
        Place at_px{c.x + dx * from, c.y + dy * from};
        const Place by{dx * step, dy * step};
        for (int k = 0; k < samples; ++k, at_px.step(by)) value[k] = exact ? exactly(bgr, at_px, way) : roughly(bgr, at_px, way);
        float best = 0;
        int at = -1;
        for (int k = 1; k < samples - 1; ++k) {
            edge[k] = value[k - 1] - value[k + 1];
            if (edge[k] > best) best = edge[k], at = k;
        }
        rho[i] = -1;
        if (at < 2 || at > samples - 3 || best < weak) continue;
        const float bend = edge[at - 1] - 2 * edge[at] + edge[at + 1];
        const float off = bend < 0 ? std::clamp(0.5f * (edge[at - 1] - edge[at + 1]) / bend, -1.0f, 1.0f) : 0;
        rho[i] = from + (float(at) + off) * step;
        ++met;
    }
    return met;
}

// The median distance of the rim points from the circle.
double DiscRim::scatter_of(const Rho& rho, double r_mm, double dx, double dy, double e) const {
    Rho apart;
    int n = 0;
    for (int i = 0; i < kRays; ++i)
        if (rho[i] >= 0) apart[n++] = float(std::abs(rho[i] - r_mm - e - dx * ray_[i][0] - dy * ray_[i][1]));
    if (n == 0) return 0;
    std::nth_element(apart.begin(), apart.begin() + n / 2, apart.begin() + n);
    return apart[n / 2];
}

// rho = r + e + dx·cos + dy·sin, with the radius pulled to the known one.
void DiscRim::solve(double r_mm, const Rho& rho, double half, Point& shift, RimFit& result) const {
    double dx = 0, dy = 0, e = 0, scatter = 0;
    for (int pass = 0; pass < 3; ++pass) {
        // A noisy picture scatters the rim: a limit far below that would follow the few rays that agree by chance.
        const double fine = std::clamp(scatter, std::max(0.02 * r_mm, half * 0.15), 0.06 * r_mm);
        const double limit = pass == 0 ? 1e9 : pass == 1 ? std::max(0.04 * r_mm, half * 0.35) : fine;
        double a00 = 1e-9, a01 = 0, a02 = 0, a11 = 1e-9, a12 = 0, a22 = 4, b0 = 0, b1 = 0, b2 = 0;
        int agree = 0;
        for (int i = 0; i < kRays; ++i) {
            if (rho[i] < 0) continue;
            const double c = ray_[i][0], s = ray_[i][1], v = rho[i] - r_mm;
            const double q = (v - e - dx * c - dy * s) / limit;
            double w = 1 / (1 + q * q);
            w *= w;
            agree += std::abs(q) < 1.5;
            a00 += w * c * c, a01 += w * c * s, a02 += w * c, a11 += w * s * s, a12 += w * s, a22 += w;
            b0 += w * c * v, b1 += w * s * v, b2 += w * v;
        }
        const cv::Matx33d A(a00, a01, a02, a01, a11, a12, a02, a12, a22);
        const double det = cv::determinant(A);
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
