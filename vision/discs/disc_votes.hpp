#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "vision/discs/disc_colours.hpp"
#include "vision/many_pixels.hpp"

/// Votes for the centres of touching discs, and what they are cast by.
namespace overboard::vision {

/// The scalars of n pixels of a row, two pixels apart, rounded up to eight; reads some bytes more.
/// `ahead`: how far on it will be read soon.
inline void scalars(const std::uint8_t* p, int n, const Direction& way, std::size_t ahead,
                    int* out) {
#ifdef __AVX2__
    const FourPixels weights = four_weights(way.wb, way.wg, way.wr);
    for (int i = 0; i < n; i += 8, p += 48) {
        __builtin_prefetch(p + ahead);
        _mm256_storeu_si256(
            reinterpret_cast<__m256i*>(out + i),
            _mm256_srai_epi32(weighed(every_other(p), every_other(p + 24), weights), 8));
    }
#else
    for (int i = 0; i < n; ++i, p += 6) out[i] = way.of(p) >> 8;
    (void)ahead;
#endif
}

/// Where rims are steep along a row of places two pixels apart, and where a disc's centre lies
/// then.
struct Pointers {
    const int *above, *sides, *below;  // `sides`: left of every place, and right of the last
    float radius, row, weak2;

    /// Calls vote(x, y), in places from the first.
    template <class Vote>
    void each(int n, const Vote& vote) const {
#ifdef __AVX2__
        const auto apart = [](const int* a, const int* b) {
            return _mm256_cvtepi32_ps(
                _mm256_sub_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(a)),
                                 _mm256_loadu_si256(reinterpret_cast<const __m256i*>(b))));
        };
        const __m256 half = _mm256_set1_ps(0.5F * radius), limit = _mm256_set1_ps(weak2),
                     down = _mm256_set1_ps(0.5F * row + 1);
        alignas(32) std::array<int, 8> x, y;
        for (int i = 0; i < n; i += 8) {
            const __m256 gx = apart(sides + i + 1, sides + i), gy = apart(below + i, above + i);
            const __m256 g2 = _mm256_add_ps(_mm256_mul_ps(gx, gx), _mm256_mul_ps(gy, gy));
            auto steep = unsigned(_mm256_movemask_ps(_mm256_cmp_ps(g2, limit, _CMP_GE_OQ)));
            if (n - i < 8) steep &= (1U << (n - i)) - 1;
            if (!steep) continue;
            const __m256 k = _mm256_div_ps(half, _mm256_sqrt_ps(g2)),
                         across = _mm256_add_ps(_mm256_set1_ps(float(i + 1)),
                                                _mm256_setr_ps(0, 1, 2, 3, 4, 5, 6, 7));
            const auto store = [](std::array<int, 8>& to, __m256 v) {
                _mm256_store_si256(reinterpret_cast<__m256i*>(to.data()), _mm256_cvttps_epi32(v));
            };
            store(x, _mm256_add_ps(across, _mm256_mul_ps(gx, k)));
            store(y, _mm256_add_ps(down, _mm256_mul_ps(gy, k)));
            for (; steep; steep &= steep - 1) {
                const auto lane = std::size_t(__builtin_ctz(steep));
                vote(x[lane], y[lane]);
            }
        }
#else
        for (int i = 0; i < n; ++i) {
            const float gx = float(sides[i + 1] - sides[i]), gy = float(below[i] - above[i]),
                        g2 = gx * gx + gy * gy;
            if (g2 < weak2) continue;
            const float k = 0.5F * radius / std::sqrt(g2);
            vote(int(float(i + 1) + gx * k), int(0.5F * row + 1 + gy * k));
        }
#endif
    }
};

/// A place where the centre of a disc may be.
struct DiscStart {
    float votes;
    cv::Point2f px;
};

/// Edge pixels vote for the centres of discs of one radius.
class DiscVotes {
public:
    /// In that part of the picture, at least four pixels from its borders; most voted first. Valid
    /// until the next call.
    const std::vector<DiscStart>& cast(const cv::Mat& bgr, const cv::Rect& part,
                                       const DiscLook& look, float radius_px);

private:
    void smooth(int w, int h);
    void pick_peaks(int w, int h, cv::Point from, double r);
    [[nodiscard]] bool is_peak(int w, int i, int j, int v) const;

    std::vector<std::uint16_t> votes_, smooth_rows_, smooth_;
    std::vector<int> row_above_, row_here_, row_below_;  // scalars
    std::vector<DiscStart> starts_;
};

}  // namespace overboard::vision
