#include "vision/gate.hpp"

#include <algorithm>
#include <cstring>
#ifdef __AVX2__
#include <immintrin.h>
#endif

namespace overboard::vision {
namespace {

constexpr int kNoiseEvery = 9;  // frames; odd, so that every field has its turn

// Sum of absolute differences of 96 bytes: 32 pixels.
std::uint32_t difference96(const std::uint8_t* a, const std::uint8_t* b) {
#ifdef __AVX2__
    const auto apart = [&](int i) {
        return _mm256_sad_epu8(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(a + i)),
                               _mm256_loadu_si256(reinterpret_cast<const __m256i*>(b + i)));
    };
    const __m256i sums = _mm256_add_epi64(_mm256_add_epi64(apart(0), apart(32)), apart(64));
    const __m128i two = _mm_add_epi64(_mm256_castsi256_si128(sums),
                                      _mm256_extracti128_si256(sums, 1));
    return std::uint32_t(_mm_cvtsi128_si32(two) + _mm_cvtsi128_si32(_mm_srli_si128(two, 8)));
#else
    std::uint32_t sum = 0;
    for (int i = 0; i < 96; ++i) sum += std::uint32_t(std::abs(a[i] - b[i]));
    return sum;
#endif
}

// Asks the memory for 96 bytes that will be compared a little later.
void fetch96(const std::uint8_t* p) {
    __builtin_prefetch(p);
    __builtin_prefetch(p + 64);
}

}  // namespace

ChangeGate::ChangeGate(cv::Size size, cv::Rect region, GateLimits limits) : limits_{limits} {
    region &= cv::Rect({0, 0}, size);
    const int x0 = region.x / kCell, y0 = region.y / kCell;
    region_ = cv::Rect(x0, y0, std::max(0, region.br().x / kCell - x0),
                       std::max(0, region.br().y / kCell - y0));
    cells_ = cv::Mat::zeros(size.height / kCell, size.width / kCell, CV_8U);
    means_.assign(std::size_t(region_.area()), 0);
}

void ChangeGate::set_reference(const cv::Mat& bgr, const cv::Mat& only) {
    const int per_cell = kCell / limits_.row_step, width = region_.width * kCell * 3;
    const bool whole = only.empty() || reference_.empty();
    if (reference_.empty()) reference_.create(region_.height * per_cell, std::max(1, width), CV_8U);
    for (int row = 0; row < region_.height * per_cell; ++row) {
        const int cy = region_.y + row / per_cell,
                  y = cy * kCell + (row % per_cell) * limits_.row_step + limits_.row_step / 2;
        const std::uint8_t* from = bgr.ptr(y) + 3 * region_.x * kCell;
        if (whole) {
            std::memcpy(reference_.ptr(row), from, std::size_t(width));
            continue;
        }
        for (int c = 0; c < region_.width; ++c)
            if (only.at<std::uint8_t>(cy, region_.x + c))
                std::memcpy(reference_.ptr(row) + 96 * c, from + 96 * c, 96);
    }
}

void ChangeGate::watch(const cv::Mat& bgr, std::vector<cv::Point> rims) {
    offsets_.clear();
    rim_reference_.clear();
    for (const cv::Point& p : rims) {
        const int x = std::clamp(p.x, 0, bgr.cols - 1), y = std::clamp(p.y, 0, bgr.rows - 1);
        offsets_.push_back(std::size_t(y) * bgr.step + 3 * std::size_t(x));
        const std::uint8_t* v = bgr.data + offsets_.back();
        rim_reference_.insert(rim_reference_.end(), v, v + 3);
    }
}

void ChangeGate::compare_cells(const cv::Mat& bgr) {
    const int per_cell = kCell / limits_.row_step;
    const float scale = 1.0f / float(96 * per_cell), most = limit(limits_.cell_limit);
    const std::size_t next_row = std::size_t(limits_.row_step) * bgr.step;
    changed_count_ = 0;
    for (int cy = 0; cy < region_.height; ++cy) {
        std::uint8_t* out = cells_.ptr(region_.y + cy) + region_.x;
        float* mean = means_.data() + std::size_t(cy) * region_.width;
        std::fill(mean, mean + region_.width, 0.0f);
        for (int k = 0; k < per_cell; ++k) {
            const std::uint8_t *now = bgr.ptr(row_of(cy, k)) + 3 * region_.x * kCell,
                               *then = reference_.ptr(cy * per_cell + k);
            // Along a row the processor guesses well what is read next, from row to row it does
            // not.
            for (int c = 0; c < region_.width; ++c) {
                fetch96(now + next_row + 96 * c);
                mean[c] += float(difference96(now + 96 * c, then + 96 * c));
            }
        }
        for (int c = 0; c < region_.width; ++c) {
            mean[c] *= scale;
            out[c] = mean[c] > most ? 255 : 0;
            changed_count_ += mean[c] > most;
        }
    }
}

bool ChangeGate::field_changed(const cv::Mat& bgr, int k) const {
    const auto most = std::uint32_t(limit(limits_.cell_limit) * 96);
    const int per_cell = kCell / limits_.row_step;
    for (int cy = 0; cy < region_.height; ++cy) {
        const std::uint8_t *now = bgr.ptr(row_of(cy, k)) + 3 * region_.x * kCell,
                           *then = reference_.ptr(cy * per_cell + k);
        std::uint32_t largest = 0;
        for (int c = 0; c < region_.width; ++c) {
            fetch96(now + kCell * bgr.step + 96 * c);
            largest = std::max(largest, difference96(now + 96 * c, then + 96 * c));
        }
        if (largest > most) return true;
    }
    return false;
}

void ChangeGate::compare_rims(const cv::Mat& bgr) {
    const float most = limit(limits_.rim_limit);
    rims_changed_ = false;
    for (std::size_t piece = 0; piece + kRimPoints <= offsets_.size(); piece += kRimPoints) {
        int sum = 0;
        for (std::size_t i = piece; i < piece + kRimPoints; ++i) {
            const std::uint8_t *now = bgr.data + offsets_[i], *then = &rim_reference_[3 * i];
            sum += std::abs(now[0] - then[0]) + std::abs(now[1] - then[1]) +
                   std::abs(now[2] - then[2]);
        }
        rims_changed_ |= float(sum) > most * 3 * kRimPoints;
    }
}

// The middle of all cells is noise: most of a table is at rest.
void ChangeGate::learn_noise() {
    if (means_.empty() || frames_++ % kNoiseEvery != 0) return;
    std::vector<float> sorted = means_;
    std::nth_element(sorted.begin(), sorted.begin() + std::ptrdiff_t(sorted.size() / 2),
                     sorted.end());
    noise_ = std::min(sorted[sorted.size() / 2], 12.0f);
}

bool ChangeGate::changed_by_fields(const cv::Mat& bgr) {
    const bool quiet = changed_count_ == 0 && !rims_changed_;
    if (!quiet || means_.empty() || frames_ % kNoiseEvery == 0) return changed(bgr);
    compare_rims(bgr);
    if (rims_changed_ || field_changed(bgr, frames_ % (kCell / limits_.row_step)))
        return changed(bgr);
    ++frames_;
    return false;
}

bool ChangeGate::changed(const cv::Mat& bgr) {
    compare_cells(bgr);
    compare_rims(bgr);
    learn_noise();
    return changed_count_ > 0 || rims_changed_;
}

}  // namespace overboard::vision
