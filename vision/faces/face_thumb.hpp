#pragma once

#include <array>
#include <cstdint>
#include <opencv2/core.hpp>
#include <vector>

#include "vision/faces/faces.hpp"

/// What a face is compared by: a small picture sampled straight through the homography, and a
/// vector made of it that bad light hardly changes.
namespace overboard::vision {

inline constexpr int kFineW = 64,
                     kFineH = 88;         ///< Sampled grid; the face's longer side is the height.
inline constexpr int kW = 32, kH = 44;    ///< Grey cells compared.
inline constexpr int kCw = 16, kCh = 22;  ///< Colour cells compared, two numbers each.
inline constexpr int kGray = kW * kH;
inline constexpr int kColour = kCw * kCh;
inline constexpr int kDim = kGray + 2 * kColour;
/// Of either side: keeps the table out of the rim cells.
inline constexpr float kThumbInset = 0.015F;
inline constexpr int kCoarse = 176;  ///< Block means: what the shortlist is made with.

struct Thumb {
    alignas(32) std::array<std::uint8_t, kFineW * kFineH * 3> bgr;
};
/// One sample for every grey cell: blue, green, red and a fourth byte that means nothing.
struct SparseThumb {
    alignas(32) std::array<std::uint32_t, kGray> bgr;
};
using Feature = std::array<float, kDim>;
using Coarse = std::array<std::int16_t, kCoarse>;
using Short = std::array<std::int8_t, kDim>;

/// From the unit square to a quadrilateral; corners in the order (0,0), (1,0), (1,1), (0,1).
cv::Matx33f square_to(const Corners& corners);
cv::Point2f through(const cv::Matx33f& h, cv::Point2f p);

/// Samples the quadrilateral; corner 0 becomes the top-left. Pixels outside the picture repeat its
/// border. `quick`: never interpolates.
void sample(const cv::Mat& bgr, const Corners& corners, Thumb& out, bool quick = false);

/// A quarter of the samples, one for every grey cell: enough to see whether a known face is still
/// there.
void sample_sparsely(const cv::Mat& bgr, const Corners& corners, SparseThumb& out);

/// Paints the hidden grey cells in the usual colour of the others.
void cover(const std::vector<std::uint8_t>& hidden, Thumb& thumb);

/// Grey with most of its local mean taken out, and log-ratios of colour with most of their mean
/// taken out, weighted towards the inside. Unit length.
void describe(const Thumb& thumb, Feature& out);
void describe(const SparseThumb& thumb, Feature& out);

/// `visible` (one weight a grey cell): the same on a part of the face only, for covered cards.
void describe_part(const Thumb& thumb, const std::vector<float>& visible, Feature& out);

Coarse coarse_of(const Feature& feature);
int dot(const Coarse& a, const Coarse& b);
/// A feature in eight bits: a quarter of the memory to fetch, and products right to a thousandth.
Short short_of(const Feature& feature);
float dot(const Short& a, const Short& b);
float dot(const float* a, const float* b, int n);  ///< n: a multiple of 16.

/// Mean colour of the crop by that of the reference, over `cells` (of the grey grid).
cv::Vec3f light_on(const Thumb& crop, const Thumb& reference,
                   const cv::Rect& cells = {0, 0, kW, kH});

}  // namespace overboard::vision
