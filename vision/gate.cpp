#include "vision/gate.hpp"

#include <algorithm>
#include <cstring>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace overboard::vision {
namespace {

// Sum of absolute differences of 96 bytes: 32 pixels.
std::uint32_t difference96(const std::uint8_t* a, const std::uint8_t* b) {
#ifdef __SSE2__
    __m128i sum = _mm_setzero_si128();
    for (int i = 0; i < 96; i += 16)
        sum = _mm_add_epi64(sum, _mm_sad_epu8(_mm_loadu_si128(reinterpret_cast<const __m128i*>(a + i)),
                                              _mm_loadu_si128(reinterpret_cast<const __m128i*>(b + i))));
    return std::uint32_t(_mm_cvtsi128_si32(sum) + _mm_cvtsi128_si32(_mm_srli_si128(sum, 8)));
#else
    std::uint32_t sum = 0;
    for (int i = 0; i < 96; ++i) sum += std::uint32_t(std::abs(a[i] - b[i]));
    return sum;
#endif
}

}  // namespace

ChangeGate::ChangeGate(cv::Size size, cv::Rect region, GateLimits limits) : limits_{limits} {
    region &= cv::Rect({0, 0}, size);
    const int x0 = region.x / kCell, y0 = region.y / kCell;
    region_ = cv::Rect(x0, y0, std::max(0, region.br().x / kCell - x0), std::max(0, region.br().y / kCell - y0));
    cells_ = cv::Mat::zeros(size.height / kCell, size.width / kCell, CV_8U);
    means_.assign(std::size_t(region_.area()), 0);
}

void ChangeGate::set_reference(const cv::Mat& bgr, const cv::Mat& only) {
    const int per_cell = kCell / limits_.row_step, width = region_.width * kCell * 3;
    const bool whole = only.empty() || reference_.empty();
    if (reference_.empty()) reference_.create(region_.height * per_cell, std::max(1, width), CV_8U);
    for (int row = 0; row < region_.height * per_cell; ++row) {
        const int cy = region_.y + row / per_cell, y = cy * kCell + (row % per_cell) * limits_.row_step + limits_.row_step / 2;
        const std::uint8_t* from = bgr.ptr(y) + 3 * region_.x * kCell;
        if (whole) {
            std::memcpy(reference_.ptr(row), from, std::size_t(width));
            continue;
        }
        for (int c = 0; c < region_.width; ++c)
            if (only.at<std::uint8_t>(cy, region_.x + c)) std::memcpy(reference_.ptr(row) + 96 * c, from + 96 * c, 96);
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
    const float scale = 1.0f / float(96 * per_cell), limit = std::max(limits_.cell_limit, limits_.noise_factor * noise_ + 1.5f);
    changed_count_ = 0;
    for (int cy = 0; cy < region_.height; ++cy) {
        std::uint8_t* out = cells_.ptr(region_.y + cy) + region_.x;
        float* mean = means_.data() + std::size_t(cy) * region_.width;
        std::fill(mean, mean + region_.width, 0.0f);
        for (int k = 0; k < per_cell; ++k) {
            const int y = (region_.y + cy) * kCell + k * limits_.row_step + limits_.row_step / 2;
            const std::uint8_t *now = bgr.ptr(y) + 3 * region_.x * kCell, *then = reference_.ptr(cy * per_cell + k);
            for (int c = 0; c < region_.width; ++c) mean[c] += float(difference96(now + 96 * c, then + 96 * c));
        }
        for (int c = 0; c < region_.width; ++c) {
            mean[c] *= scale;
            out[c] = mean[c] > limit ? 255 : 0;
            changed_count_ += mean[c] > limit;
        }
    }
}

void ChangeGate::compare_rims(const cv::Mat& bgr) {
    const float limit = std::max(limits_.rim_limit, limits_.noise_factor * noise_ + 1.5f);
    rims_changed_ = false;
    for (std::size_t piece = 0; piece + kRimPoints <= offsets_.size(); piece += kRimPoints) {
        int sum = 0;
        for (std::size_t i = piece; i < piece + kRimPoints; ++i) {
            const std::uint8_t *now = bgr.data + offsets_[i], *then = &rim_reference_[3 * i];
            sum += std::abs(now[0] - then[0]) + std::abs(now[1] - then[1]) + std::abs(now[2] - then[2]);
        }
        rims_changed_ |= float(sum) > limit * 3 * kRimPoints;
    }
}

// The middle of all cells is noise: most of a table is at rest.
void ChangeGate::learn_noise() {
    if (means_.empty() || frames_++ % 8 != 0) return;
    std::vector<float> sorted = means_;
    std::nth_element(sorted.begin(), sorted.begin() + std::ptrdiff_t(sorted.size() / 2), sorted.end());
    noise_ = std::min(sorted[sorted.size() / 2], 12.0f);
}

bool ChangeGate::changed(const cv::Mat& bgr) {
    compare_cells(bgr);
    compare_rims(bgr);
    learn_noise();
    return changed_count_ > 0 || rims_changed_;
}

}  // namespace overboard::vision
