#include "vision/dice/pips.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <opencv2/imgproc.hpp>

// Each level of the pyramid is searched for spots of two to four pixels radius: extrema of a
// difference of Gaussians, dark or light. Each extremum is then measured on its own: the line
// between the colour inside and the colour round it gives a signal from 0 (spot) to 1 (ground);
// rays from the centre find where the signal crosses one half for good (a highlight inside a pip
// crosses, but not for good); the area moments of that outline give the ellipse. Two passes, the
// second from the centre and the colours the first has found. A light pip drilled into a dark body
// is half in its own shade when the light is hard; shade is a factor, so all is looked for once
// more on a scale of ratios, where the shaded half is still nearer to the pip than to the body.

namespace overboard::vision {
namespace {

constexpr int kRays = 24;

const std::array<cv::Point2f, kRays>& directions() {
    static const auto table = [] {
        std::array<cv::Point2f, kRays> d;
        for (int i = 0; i < kRays; ++i) {
            const double a = 2 * M_PI * i / kRays;
            d[i] = {static_cast<float>(std::cos(a)), static_cast<float>(std::sin(a))};
        }
        return d;
    }();
    return table;
}

cv::Vec3f sample(const cv::Mat& image, float x, float y) {
    x = std::clamp(x, 0.f, image.cols - 1.001f);
    y = std::clamp(y, 0.f, image.rows - 1.001f);
    const int ix = static_cast<int>(x), iy = static_cast<int>(y);
    const float fx = x - ix, fy = y - iy;
    const cv::Vec3b* top = image.ptr<cv::Vec3b>(iy) + ix;
    const cv::Vec3b* low = image.ptr<cv::Vec3b>(iy + 1) + ix;
    cv::Vec3f out;
    for (int c = 0; c < 3; ++c) {
        const float a = top[0][c] + fx * (top[1][c] - top[0][c]);
        const float b = low[0][c] + fx * (low[1][c] - low[0][c]);
        out[c] = a + fy * (b - a);
    }
    return out;
}

cv::Vec3f median_colour(std::array<cv::Vec3f, kRays>& samples) {
    cv::Vec3f out;
    std::array<float, kRays> values;
    for (int c = 0; c < 3; ++c) {
        for (int i = 0; i < kRays; ++i) values[i] = samples[i][c];
        std::nth_element(values.begin(), values.begin() + kRays / 2, values.end());
        out[c] = values[kRays / 2];
    }
    return out;
}

/// A spot being measured, in pixels of its level.
struct Spot {
    cv::Point2f centre;
    cv::Matx22f shape;
    cv::Vec3f inside, ground;
    float roughness = 1;
    int found = 0;  ///< Rays that met an outline.

    [[nodiscard]] cv::Point2f on(cv::Point2f unit, float k) const {
        return {centre.x + k * (shape(0, 0) * unit.x + shape(0, 1) * unit.y),
                centre.y + k * (shape(1, 0) * unit.x + shape(1, 1) * unit.y)};
    }
};

cv::Vec3f ring_colour(const cv::Mat& image, const Spot& spot, float k) {
    std::array<cv::Vec3f, kRays> ring;
    for (int i = 0; i < kRays; ++i) {
        const auto p = spot.on(directions()[i], k);
        ring[i] = sample(image, p.x, p.y);
    }
    return median_colour(ring);
}

/// Symmetric square root of a 2×2 covariance, doubled: the ellipse with these area moments.
cv::Matx22f ellipse_of(double xx, double xy, double yy) {
    const double det = std::sqrt(std::max(xx * yy - xy * xy, 1e-9));
    const double scale = 2 / std::sqrt(std::max(xx + yy + 2 * det, 1e-9));
    return {static_cast<float>(scale * (xx + det)), static_cast<float>(scale * xy),
            static_cast<float>(scale * xy), static_cast<float>(scale * (yy + det))};
}

/// Where the signal along a ray rises through one half for good; negative: nowhere.
float crossing(const std::array<float, 40>& signal, int count, float step, float hold) {
    const int keep = std::max(2, static_cast<int>(hold / step));
    for (int i = 1; i < count; ++i) {
        if (signal[i - 1] >= 0.5f || signal[i] < 0.5f) continue;
        bool stays = true;
        for (int j = i + 1; j < std::min(count, i + keep); ++j) stays = stays && signal[j] >= 0.5f;
        if (!stays) continue;
        return step * (i - 1 + (0.5f - signal[i - 1]) / (signal[i] - signal[i - 1]));
    }
    return -1;
}

void median_of_five(std::array<float, kRays>& reach) {
    const auto old = reach;
    for (int i = 0; i < kRays; ++i) {
        std::array<float, 5> near;
        for (int k = 0; k < 5; ++k) near[k] = old[(i + k - 2 + kRays) % kRays];
        std::sort(near.begin(), near.end());
        // Only outliers are replaced: smoothing all would shrink ellipses.
        if (std::abs(old[i] - near[2]) > 0.3f * near[2]) reach[i] = near[2];
    }
}

void moments_of(const std::array<cv::Point2f, kRays>& outline, Spot& spot) {
    double area = 0, sx = 0, sy = 0, sxx = 0, sxy = 0, syy = 0;
    const cv::Point2f o = spot.centre;
    for (int i = 0; i < kRays; ++i) {
        const cv::Point2f a = outline[i] - o, b = outline[(i + 1) % kRays] - o;
        const double w = a.x * b.y - a.y * b.x;
        area += w;
        sx += w * (a.x + b.x);
        sy += w * (a.y + b.y);
        sxx += w * (a.x * a.x + a.x * b.x + b.x * b.x);
        syy += w * (a.y * a.y + a.y * b.y + b.y * b.y);
        sxy += w * (2 * a.x * a.y + a.x * b.y + b.x * a.y + 2 * b.x * b.y);
    }
    if (area < 1e-3) return;
    const double mx = sx / (3 * area), my = sy / (3 * area);
    spot.shape = ellipse_of(sxx / (6 * area) - mx * mx, sxy / (12 * area) - mx * my,
                            syy / (6 * area) - my * my);
    spot.centre = {static_cast<float>(o.x + mx), static_cast<float>(o.y + my)};
}

/// One pass: outline by rays, ellipse by moments.
bool trace(const cv::Mat& image, Spot& spot, float reach_px) {
    const cv::Vec3f axis = spot.ground - spot.inside;
    const float norm2 = axis.dot(axis);
    if (norm2 < 100) return false;
    const float step = std::max(0.3f, reach_px / 38);
    const int count = std::min(40, static_cast<int>(reach_px / step));
    std::array<float, kRays> reach;
    float known = 0;
    spot.found = 0;
    for (int i = 0; i < kRays; ++i) {
        std::array<float, 40> signal;
        for (int k = 0; k < count; ++k) {
            const auto p = spot.centre + directions()[i] * (step * k);
            signal[k] = axis.dot(sample(image, p.x, p.y) - spot.inside) / norm2;
        }
        reach[i] = crossing(signal, count, step, 0.25f * reach_px);
        if (reach[i] > 0) ++spot.found, known += reach[i];
    }
    if (spot.found < kRays * 3 / 4) return false;
    known /= spot.found;
    for (float& r : reach)
        if (r <= 0) r = known;
    median_of_five(reach);
    std::array<cv::Point2f, kRays> outline;
    for (int i = 0; i < kRays; ++i) outline[i] = spot.centre + directions()[i] * reach[i];
    moments_of(outline, spot);
    const cv::Matx22f inverse = spot.shape.inv();
    float sum = 0;
    for (const auto& p : outline) {
        const cv::Vec2f local = inverse * cv::Vec2f{p.x - spot.centre.x, p.y - spot.centre.y};
        sum += std::pow(static_cast<float>(cv::norm(local)) - 1, 2.f);
    }
    spot.roughness = std::sqrt(sum / kRays);
    return true;
}

float radius_of(const Spot& spot) {
    return std::sqrt(std::abs(static_cast<float>(cv::determinant(spot.shape))));
}

/// Plain ground round the spot, over most of the ring?
bool ground_is_plain(const cv::Mat& image, const Spot& spot) {
    const cv::Vec3f axis = spot.ground - spot.inside;
    const float norm = static_cast<float>(cv::norm(axis));
    int plain = 0;
    for (const auto& d : directions()) {
        const auto p = spot.on(d, 1.45f);
        const cv::Vec3f off = sample(image, p.x, p.y) - spot.ground;
        if (cv::norm(off) < 0.38f * norm + 4) ++plain;
    }
    return plain >= kRays * 2 / 3;
}

/// Where, in radii, a spot's own colour is taken. A highlight may sit anywhere in a glossy pip:
/// what fails with one choice may pass with another.
constexpr std::array<float, 2> kCores = {0.35f, 0.60f};

bool measure(const cv::Mat& image, cv::Point2f at, float radius, float core,
             const PipLimits& limits, Spot& spot) {
    spot.centre = at;
    spot.shape = cv::Matx22f::eye() * radius;
    spot.inside = ring_colour(image, spot, core);
    spot.ground = ring_colour(image, spot, 1.9f);
    if (cv::norm(spot.ground - spot.inside) < 0.7 * limits.min_contrast) return false;
    if (!trace(image, spot, 2.7f * radius)) return false;
    for (int pass = 0; pass < 2; ++pass) {
        spot.inside = ring_colour(image, spot, core + 0.15f);
        spot.ground = ring_colour(image, spot, 1.5f);
        const float major = static_cast<float>(cv::norm(spot.shape, cv::NORM_L2));
        if (!trace(image, spot, 2.0f * major + 0.8f)) return false;
    }
    if (cv::norm(spot.ground - spot.inside) < limits.min_contrast) return false;
    const float slack = 0.10f / std::max(radius_of(spot), 0.5f);
    return spot.roughness < limits.max_roughness + slack && ground_is_plain(image, spot);
}

float aspect_of(const cv::Matx22f& shape) {
    const float mean = 0.5f * (shape(0, 0) + shape(1, 1));
    const float half = std::hypot(0.5f * (shape(0, 0) - shape(1, 1)), shape(0, 1));
    return std::max(0.f, mean - half) / (mean + half);
}

/// Local extrema of `difference`, both signs.
std::vector<cv::Point> extrema(const cv::Mat& difference, float threshold) {
    std::vector<cv::Point> found;
    for (int y = 2; y < difference.rows - 2; ++y) {
        const float* row = difference.ptr<float>(y);
        const float* up = difference.ptr<float>(y - 1);
        const float* down = difference.ptr<float>(y + 1);
        for (int x = 2; x < difference.cols - 2; ++x) {
            const float v = row[x];
            if (std::abs(v) < threshold) continue;
            const float s = v > 0 ? 1.f : -1.f, m = s * v;
            if (m >= s * row[x - 1] && m > s * row[x + 1] && m >= s * up[x] && m > s * down[x] &&
                m >= s * up[x - 1] && m >= s * up[x + 1] && m > s * down[x - 1] &&
                m > s * down[x + 1])
                found.emplace_back(x, y);
        }
    }
    return found;
}

cv::Mat brightness(const cv::Mat& bgr) {
    cv::Mat mean;
    cv::transform(bgr, mean, cv::Matx13f{1 / 3.f, 1 / 3.f, 1 / 3.f});
    mean.convertTo(mean, CV_32F);
    return mean;
}

void keep_best(std::vector<Pip>& pips) {
    std::sort(pips.begin(), pips.end(),
              [](const Pip& a, const Pip& b) { return a.roughness < b.roughness; });
    std::vector<Pip> kept;
    for (const Pip& pip : pips) {
        const bool known = std::any_of(kept.begin(), kept.end(), [&](const Pip& other) {
            const float r = std::max(pip.radius, other.radius),
                        s = std::min(pip.radius, other.radius);
            return s > 0.6f * r && cv::norm(pip.centre - other.centre) < 0.7f * r;
        });
        if (!known) kept.push_back(pip);
    }
    pips = std::move(kept);
}

enum class Seek { light, both };

void search_level(const cv::Mat& image, int level, const cv::Mat& mask, const PipLimits& limits,
                  Seek seek, std::vector<Pip>& out) {
    const float unit = static_cast<float>(1 << level);
    const cv::Mat grey = brightness(image);
    const std::array<float, 3> radii = {1.6f, 2.4f, 3.4f};
    for (std::size_t k = level == 0 ? 0 : 1; k < radii.size(); ++k) {
        const float sigma = radii[k] / 1.55f;
        if (radii[k] * unit < 0.7 * limits.min_radius_px ||
            radii[k] * unit > 1.4 * limits.max_radius_px)
            continue;
        cv::Mat narrow, wide;
        cv::GaussianBlur(grey, narrow, {}, sigma);
        cv::GaussianBlur(grey, wide, {}, 1.6 * sigma);
        const cv::Mat difference = narrow - wide;
        for (const cv::Point& at :
             extrema(difference, 0.12f * static_cast<float>(limits.min_contrast))) {
            if (seek == Seek::light && difference.at<float>(at) < 0) continue;
            const cv::Point first(static_cast<int>((at.x + 0.5f) * unit),
                                  static_cast<int>((at.y + 0.5f) * unit));
            if (!mask.empty() &&
                !mask.at<uchar>(std::min(first.y, mask.rows - 1), std::min(first.x, mask.cols - 1)))
                continue;
            Spot spot;
            if (!measure(image, at, radii[k], kCores[0], limits, spot) &&
                !measure(image, at, radii[k], kCores[1], limits, spot))
                continue;
            Pip pip;
            // Pixel centres are whole numbers on every level.
            pip.centre = spot.centre * unit + cv::Point2f(0.5f, 0.5f) * (unit - 1);
            pip.shape = spot.shape * unit;
            pip.radius = radius_of(spot) * unit;
            pip.aspect = aspect_of(spot.shape);
            pip.inside = spot.inside;
            pip.ground = spot.ground;
            pip.roughness = spot.roughness;
            if (pip.radius < limits.min_radius_px || pip.radius > limits.max_radius_px) continue;
            if (pip.aspect < limits.min_aspect) continue;
            out.push_back(pip);
        }
    }
}

constexpr float kDarkest = 8;  // grey levels below which differences are noise

float ratio_scale(float grey) {
    return 255 * std::log1p(grey / kDarkest) / std::log1p(255 / kDarkest);
}
float from_ratio_scale(float v) {
    return kDarkest * std::expm1(v / 255 * std::log1p(255 / kDarkest));
}

cv::Mat on_ratio_scale(const cv::Mat& image) {
    cv::Mat table(1, 256, CV_8U), out;
    for (int i = 0; i < 256; ++i)
        table.at<uchar>(i) = cv::saturate_cast<uchar>(ratio_scale(static_cast<float>(i)));
    cv::LUT(image, table, out);
    return out;
}

/// Pips found on the scale of ratios, with their colours as the picture has them.
void search_ratios(const cv::Mat& image, int level, const cv::Mat& mask, const PipLimits& limits,
                   std::vector<Pip>& out) {
    std::vector<Pip> pips;
    search_level(on_ratio_scale(image), level, mask, limits, Seek::light, pips);
    for (Pip& pip : pips) {
        for (int c = 0; c < 3; ++c)
            pip.inside[c] = from_ratio_scale(pip.inside[c]),
            pip.ground[c] = from_ratio_scale(pip.ground[c]);
        if (cv::norm(pip.inside - pip.ground) >= limits.min_contrast &&
            cv::norm(pip.inside) > cv::norm(pip.ground))
            out.push_back(pip);
    }
}

}  // namespace

Pyramid::Pyramid(const cv::Mat& bgr, int smallest_side_px) {
    images_.push_back(bgr);
    while (std::min(images_.back().rows, images_.back().cols) / 2 >= smallest_side_px) {
        cv::Mat half;
        cv::resize(images_.back(), half, {}, 0.5, 0.5, cv::INTER_AREA);
        images_.push_back(half);
    }
}

int Pyramid::level_for(double size_px, double target_px) const {
    const int level = static_cast<int>(
        std::floor(std::log2(std::max(size_px / target_px, 1.0)) + 0.3));
    return std::clamp(level, 0, levels() - 1);
}

cv::Vec3f Pyramid::at(int level, cv::Point2f p) const {
    const float unit = static_cast<float>(1 << level);
    return sample(images_[level], (p.x + 0.5f) / unit - 0.5f, (p.y + 0.5f) / unit - 0.5f);
}

std::optional<float> fine_roughness(const Pyramid& pyramid, const Pip& pip) {
    constexpr double kFine_px = 7;
    const int level = pyramid.level_for(pip.radius, kFine_px);
    const float unit = static_cast<float>(1 << level);
    std::optional<float> least;
    for (const float core : kCores) {
        Spot spot;
        spot.centre = (pip.centre - cv::Point2f(0.5f, 0.5f) * (unit - 1)) * (1 / unit);
        spot.shape = pip.shape * (1 / unit);
        spot.inside = ring_colour(pyramid.image(level), spot, core);
        spot.ground = ring_colour(pyramid.image(level), spot, 1.5f);
        const float longest = radius_of(spot) / std::sqrt(std::max(pip.aspect, 0.2f));
        if (trace(pyramid.image(level), spot, 2 * longest + 0.8f))
            least = std::min(least.value_or(spot.roughness), spot.roughness);
    }
    return least;
}

std::vector<Pip> find_pips(const Pyramid& pyramid, const cv::Mat& mask, const PipLimits& limits) {
    std::vector<Pip> pips;
    for (int level = 0; level < pyramid.levels(); ++level) {
        search_level(pyramid.image(level), level, mask, limits, Seek::both, pips);
        if (limits.half_shaded) search_ratios(pyramid.image(level), level, mask, limits, pips);
    }
    keep_best(pips);
    return pips;
}

}  // namespace overboard::vision
