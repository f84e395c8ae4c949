#include "simulator/table_top.hpp"

#include <fmt/format.h>

#include <mutex>
#include <opencv2/imgproc.hpp>

// Textures are sums of smooth noise: random grids of a few sizes, stretched to the picture. Wood is
// noise much longer than wide, bent by slower noise; cloth is two crossed sets of threads.
namespace overboard::simulator {
namespace {

// Smooth noise, mean 0, about ±1; features fx × fy pixels large.
cv::Mat smooth_noise(cv::Size size, double fx, double fy, cv::RNG& rng) {
    cv::Mat grid(int(size.height / fy) + 3, int(size.width / fx) + 3, CV_32F), out;
    rng.fill(grid, cv::RNG::NORMAL, 0, 0.6);
    cv::resize(grid, out, size, 0, 0, cv::INTER_CUBIC);
    return out;
}

void shade(cv::Mat& bgr, const cv::Mat& amount, cv::Vec3f per_channel) {
    for (int y = 0; y < bgr.rows; ++y) {
        auto* row = bgr.ptr<cv::Vec3b>(y);
        const float* a = amount.ptr<float>(y);
        for (int x = 0; x < bgr.cols; ++x)
            for (int c = 0; c < 3; ++c)
                row[x][c] = cv::saturate_cast<uchar>(row[x][c] * (1 + per_channel[c] * a[x]));
    }
}

cv::Mat grain(cv::Size size, double px_per_mm, cv::RNG& rng) {
    const double p = px_per_mm;
    cv::Mat rings = smooth_noise(size, 420 * p, 26 * p, rng) * 3.0;
    cv::Mat waves(size, CV_32F);
    for (int y = 0; y < size.height; ++y) {
        const float* r = rings.ptr<float>(y);
        float* w = waves.ptr<float>(y);
        for (int x = 0; x < size.width; ++x) {
            const float phase = r[x] + float(y / (34 * p));
            const float t = phase -
                            std::floor(phase);  // saw tooth: slow rise, quick fall, as year rings
            w[x] = t < 0.8f ? t / 0.8f - 0.5f : (1 - t) / 0.2f - 0.5f;
        }
    }
    cv::Mat fibres = smooth_noise(size, 45 * p, 0.9 * p, rng),
            pores = smooth_noise(size, 9 * p, 0.6 * p, rng);
    return waves * 0.75 + fibres * 0.45 + pores * 0.25 +
           smooth_noise(size, 300 * p, 90 * p, rng) * 0.5;
}

cv::Mat wood(cv::Size size, cv::RNG& rng, bool dark) {
    cv::Mat top(size, CV_8UC3, dark ? cv::Scalar(48, 78, 122) : cv::Scalar(104, 150, 190));
    const int plank = int(115 * kTopPxPerMm);
    for (int y = 0; y < size.height; y += plank) {
        cv::Mat board = top(cv::Rect(0, y, size.width, std::min(plank, size.height - y)));
        board *= rng.uniform(0.9, 1.08);
        shade(board, grain(board.size(), kTopPxPerMm, rng),
              dark ? cv::Vec3f(0.24f, 0.21f, 0.18f) : cv::Vec3f(0.15f, 0.12f, 0.09f));
        board.row(0) *= 0.45;
        if (board.rows > 2) board.row(1) *= 0.7;
    }
    return top;
}

cv::Mat cloth(cv::Size size, cv::RNG& rng, unsigned variant) {
    static const cv::Scalar colours[] = {
        {84, 92, 70}, {96, 82, 74}, {120, 124, 122}, {62, 74, 104}};
    cv::Mat top(size, CV_8UC3, colours[variant % 4]);
    cv::Mat across = smooth_noise(size, 14, 1.4, rng), along = smooth_noise(size, 1.4, 14, rng);
    cv::Mat folds = smooth_noise(size, 500, 350, rng), lint = smooth_noise(size, 2.2, 2.2, rng);
    shade(top, across * 0.6 + along * 0.6 + lint * 0.5 + folds * 0.55, {0.13f, 0.13f, 0.13f});
    return top;
}

cv::Mat laminate(cv::Size size, cv::RNG& rng, unsigned variant) {
    static const cv::Scalar colours[] = {
        {188, 196, 200}, {60, 58, 62}, {170, 182, 176}, {130, 152, 172}};
    cv::Mat top(size, CV_8UC3, colours[variant % 4]);
    cv::Mat clouds = smooth_noise(size, 160, 120, rng), specks = smooth_noise(size, 3, 3, rng);
    cv::Mat sparse = cv::max(specks - 0.9, 0);
    shade(top, clouds * 0.35 + specks * 0.25 - sparse * 2.5, {0.10f, 0.10f, 0.10f});
    for (int i = 0; i < 60; ++i) {  // scratches of years
        const cv::Point a{rng.uniform(0, size.width), rng.uniform(0, size.height)};
        const cv::Point b = a + cv::Point(rng.uniform(-160, 160), rng.uniform(-160, 160));
        cv::line(top, a, b, colours[variant % 4] * rng.uniform(0.9, 1.12), 1, cv::LINE_AA);
    }
    return top;
}

// What shows beyond the table's edges: far below the focus, darker where the table shades it.
cv::Mat floor_round(const cv::Mat& top, const Table& table, cv::RNG& rng) {
    constexpr int coarse = 8;  // it is blurred anyway
    cv::Mat small(top.rows / coarse, top.cols / coarse, CV_8UC3, cv::Scalar(58, 66, 74)), all;
    shade(
        small,
        smooth_noise(small.size(), 28, 8, rng) * 0.7 + smooth_noise(small.size(), 4, 4, rng) * 0.5,
        {0.25f, 0.25f, 0.25f});
    const int m = int(kMarginMm * kTopPxPerMm);
    const cv::Rect on(m, m, int(table.width_mm * kTopPxPerMm), int(table.height_mm * kTopPxPerMm));
    cv::Mat shadow(small.size(), CV_32F, cv::Scalar(0));
    cv::rectangle(shadow,
                  cv::Rect(on.x / coarse - 1, on.y / coarse - 1, on.width / coarse + 6,
                           on.height / coarse + 6),
                  cv::Scalar(1), cv::FILLED);
    cv::GaussianBlur(shadow, shadow, {}, 3);
    shade(small, shadow, {-0.55f, -0.55f, -0.55f});
    cv::resize(small, all, top.size(), 0, 0, cv::INTER_CUBIC);
    // A rounded edge catches less light than the top.
    const cv::Rect edge = on + cv::Size(8, 8) - cv::Point(4, 4);
    cv::Mat(top(edge) * 0.72).copyTo(all(edge));
    top(on).copyTo(all(on));
    return all;
}

}  // namespace

void add_grain(cv::Mat& bgr, double px_per_mm, double strength, unsigned seed, bool upright) {
    cv::RNG rng(seed * 977 + 5);
    cv::Mat g = grain(upright ? cv::Size(bgr.rows, bgr.cols) : bgr.size(), px_per_mm, rng);
    if (upright) g = g.t();
    const auto s = float(strength);
    shade(bgr, g, {0.10f * s, 0.085f * s, 0.065f * s});
}

cv::Mat table_top(Material material, const Table& table, unsigned variant) {
    static std::mutex mutex;
    static std::string newest_key;  // Only the newest is kept: one is 20 MB.
    static cv::Mat newest;
    variant %= 4;
    const std::string key = fmt::format("{} {} {} {}", int(material), variant, table.width_mm,
                                        table.height_mm);
    const std::scoped_lock lock(mutex);
    if (key == newest_key) return newest;
    cv::RNG rng(variant * 131 + unsigned(material) * 17 + 1);
    const cv::Size size(int((table.width_mm + 2 * kMarginMm) * kTopPxPerMm),
                        int((table.height_mm + 2 * kMarginMm) * kTopPxPerMm));
    cv::Mat top;
    switch (material) {
        case Material::cloth: top = cloth(size, rng, variant); break;
        case Material::wood: top = wood(size, rng, variant % 2); break;
        case Material::laminate: top = laminate(size, rng, variant); break;
    }
    newest = floor_round(top, table, rng);
    newest_key = key;
    return newest;
}

}  // namespace overboard::simulator
