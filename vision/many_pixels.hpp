#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <opencv2/core.hpp>

#ifdef __AVX2__
#include <immintrin.h>
#endif

/// Pixels fetched and weighed several at a time. Places are in 1/65536 of a pixel, so that stepping
/// along a line needs no conversions. Whoever asks sees to it that the places lie inside the
/// picture, with a pixel to the right of and a row below each and two bytes more.
namespace overboard::vision {

/// Fetches a part of the picture into the cache, all of it at once: going through it row by row
/// would wait for every row.
inline void touch(const cv::Mat& bgr, const cv::Rect& part, int row_step) {
    unsigned sum = 0;
    for (int y = part.y; y < part.br().y; y += row_step) {
        const std::uint8_t* p = bgr.ptr(y) + 3 * part.x;
        for (int byte = 0; byte < 3 * part.width; byte += 64) sum += p[byte];
        sum += p[3 * part.width - 1];
    }
    asm volatile("" : : "r"(sum));  // or it would be optimised away
}

#ifdef __AVX2__

/// Four pixels at once: blue, green, red and a fourth that means nothing, sixteen bits each.
using FourPixels = __m256i;

namespace detail {

inline long long eight_bytes(const std::uint8_t* p) {
    long long v;
    std::memcpy(&v, p, 8);
    return v;
}
inline int four_bytes(const std::uint8_t* p) {
    int v;
    std::memcpy(&v, p, 4);
    return v;
}
/// Four numbers below 2^16 spread over the sixteen-bit fields of four pixels.
inline __m256i spread(__m128i numbers) {
    const __m256i order = _mm256_setr_epi8(0, 1, 0, 1, 0, 1, 0, 1, 8, 9, 8, 9, 8, 9, 8, 9, 0, 1, 0,
                                           1, 0, 1, 0, 1, 8, 9, 8, 9, 8, 9, 8, 9);
    return _mm256_shuffle_epi8(_mm256_cvtepu32_epi64(numbers), order);
}

}  // namespace detail

/// Interpolated, 64 times as large. (Plain loads: gathering instructions are slower on most
/// processors.)
inline FourPixels four_between(const std::uint8_t* data, std::size_t step, const int* x,
                               const int* y) {
    using namespace detail;
    const __m128i xs = _mm_loadu_si128(reinterpret_cast<const __m128i*>(x)),
                  ys = _mm_loadu_si128(reinterpret_cast<const __m128i*>(y));
    const __m128i px = _mm_srai_epi32(xs, 16);
    const __m128i at = _mm_add_epi32(
        _mm_mullo_epi32(_mm_srai_epi32(ys, 16), _mm_set1_epi32(static_cast<int>(step))),
        _mm_add_epi32(px, _mm_slli_epi32(px, 1)));
    alignas(16) std::array<int, 4> o;
    _mm_store_si128(reinterpret_cast<__m128i*>(o.data()), at);
    const std::uint8_t* below = data + step;
    const __m256i upper = _mm256_set_epi64x(eight_bytes(data + o[3]), eight_bytes(data + o[2]),
                                            eight_bytes(data + o[1]), eight_bytes(data + o[0]));
    const __m256i lower = _mm256_set_epi64x(eight_bytes(below + o[3]), eight_bytes(below + o[2]),
                                            eight_bytes(below + o[1]), eight_bytes(below + o[0]));
    const __m128i low6 = _mm_set1_epi32(63), fx = _mm_and_si128(_mm_srli_epi32(xs, 10), low6),
                  fy = _mm_and_si128(_mm_srli_epi32(ys, 10), low6);
    const __m128i left_right = _mm_add_epi32(
        _mm_set1_epi32(64), _mm_sub_epi32(_mm_slli_epi32(fx, 8), fx));  // bytes 64 - fx, fx
    const __m256i pairs = _mm256_setr_epi8(0, 3, 1, 4, 2, 5, -1, -1, 8, 11, 9, 12, 10, 13, -1, -1,
                                           0, 3, 1, 4, 2, 5, -1, -1, 8, 11, 9, 12, 10, 13, -1, -1);
    const __m256i weights = spread(left_right);
    const __m256i top = _mm256_maddubs_epi16(_mm256_shuffle_epi8(upper, pairs), weights);
    const __m256i bottom = _mm256_maddubs_epi16(_mm256_shuffle_epi8(lower, pairs), weights);
    return _mm256_add_epi16(
        top, _mm256_mulhrs_epi16(_mm256_sub_epi16(bottom, top), spread(_mm_slli_epi32(fy, 9))));
}

/// The nearest ones.
inline FourPixels four_nearest(const std::uint8_t* data, std::size_t step, const int* x,
                               const int* y) {
    using namespace detail;
    const __m128i half = _mm_set1_epi32(32768);
    const __m128i px = _mm_srai_epi32(
        _mm_add_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(x)), half), 16);
    const __m128i py = _mm_srai_epi32(
        _mm_add_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(y)), half), 16);
    alignas(16) std::array<int, 4> o;
    _mm_store_si128(reinterpret_cast<__m128i*>(o.data()),
                    _mm_add_epi32(_mm_mullo_epi32(py, _mm_set1_epi32(static_cast<int>(step))),
                                  _mm_add_epi32(px, _mm_slli_epi32(px, 1))));
    return _mm256_cvtepu8_epi16(_mm_set_epi32(four_bytes(data + o[3]), four_bytes(data + o[2]),
                                              four_bytes(data + o[1]), four_bytes(data + o[0])));
}

/// Four neighbours of one row; reads four bytes more.
inline FourPixels four_in_a_row(const std::uint8_t* p) {
    const __m128i apart = _mm_setr_epi8(0, 1, 2, -1, 3, 4, 5, -1, 6, 7, 8, -1, 9, 10, 11, -1);
    return _mm256_cvtepu8_epi16(
        _mm_shuffle_epi8(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)), apart));
}

/// The first of every two neighbours of one row, four of them; reads four bytes more.
inline FourPixels every_other(const std::uint8_t* p) {
    const __m128i apart = _mm_setr_epi8(0, 1, 2, -1, 6, 7, 8, -1, -1, -1, -1, -1, -1, -1, -1, -1);
    const auto two = [&](const std::uint8_t* q) {
        return _mm_shuffle_epi8(_mm_loadu_si128(reinterpret_cast<const __m128i*>(q)), apart);
    };
    return _mm256_cvtepu8_epi16(_mm_unpacklo_epi64(two(p), two(p + 12)));
}

/// Weights for weighed().
inline FourPixels four_weights(int b, int g, int r) {
    const long long w = static_cast<long long>(static_cast<std::uint16_t>(b)) |
                        static_cast<long long>(static_cast<std::uint16_t>(g)) << 16 |
                        static_cast<long long>(static_cast<std::uint16_t>(r)) << 32;
    return _mm256_set1_epi64x(w);
}

/// The weighted sums of the channels of eight pixels.
inline __m256i weighed(FourPixels first, FourPixels second, FourPixels weights) {
    const auto sums = [&](__m256i v) {
        const __m256i s = _mm256_madd_epi16(v, weights);
        return _mm256_castsi256_ps(_mm256_add_epi32(s, _mm256_srli_epi64(s, 32)));
    };
    const __m256i mixed = _mm256_castps_si256(_mm256_shuffle_ps(sums(first), sums(second), 0x88));
    return _mm256_permute4x64_epi64(mixed, 0xD8);
}

#endif

}  // namespace overboard::vision
