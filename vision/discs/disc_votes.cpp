#include "vision/discs/disc_votes.hpp"

#include <algorithm>

// Votes are counted on places two pixels apart and smoothed over five by five of them.
namespace overboard::vision {
namespace {

constexpr int kAtOnce = 16;  // places looked at together
constexpr std::size_t kMostStarts = 80;

}  // namespace

const std::vector<DiscStart>& DiscVotes::cast(const cv::Mat& bgr, const cv::Rect& part,
                                              const DiscLook& look, float radius_px) {
    const int w = part.width / 2 + 3, h = part.height / 2 + 3;
    votes_.assign(std::size_t(w) * h, 0);
    const float weak = 0.2f * look.plain.contrast;
    const int n = (part.width + 1) / 2;
    for (auto* row : {&row_above_, &row_here_, &row_below_}) row->resize(std::size_t(n + 16));
    const std::size_t ahead = 4 * bgr.step;
    // Beside a place of this row its left and right are needed, of the rows above and below it what
    // is right there.
    scalars(bgr.ptr(part.y - 1) + 3 * part.x, n, look.plain, ahead, row_above_.data());
    for (int y = part.y; y < part.br().y; y += 2, row_above_.swap(row_below_)) {
        scalars(bgr.ptr(y) + 3 * (part.x - 1), n + 1, look.plain, ahead, row_here_.data());
        scalars(bgr.ptr(y + 1) + 3 * part.x, n, look.plain, ahead, row_below_.data());
        // The scalar rises towards the disc.
        const Pointers to_centre{row_above_.data(), row_here_.data(),  row_below_.data(),
                                 radius_px,         float(y - part.y), weak * weak};
        to_centre.each(n, [&](int ax, int ay) {
            if (ax >= 1 && ay >= 1 && ax < w - 1 && ay < h - 1) ++votes_[std::size_t(ay) * w + ax];
        });
    }
    smooth(w, h);
    pick_peaks(w, h, part.tl(), radius_px);
    return starts_;
}

void DiscVotes::smooth(int w, int h) {
    // Sums of 16 bits are enough: a window of 5 × 5 places holds less than half a rim's votes.
    smooth_rows_.assign(std::size_t(w) * h, 0);
    smooth_.assign(std::size_t(w) * h + kAtOnce, 0);
    for (int j = 0; j < h; ++j) {
        const std::uint16_t* a = &votes_[std::size_t(j) * w];
        std::uint16_t* __restrict out = &smooth_rows_[std::size_t(j) * w];
        for (int i = 2; i < w - 2; ++i)
            out[i] = std::uint16_t(a[i - 2] + 2 * a[i - 1] + 3 * a[i] + 2 * a[i + 1] + a[i + 2]);
    }
    for (int j = 2; j < h - 2; ++j) {
        const std::uint16_t* a = &smooth_rows_[std::size_t(j) * w];
        std::uint16_t* __restrict out = &smooth_[std::size_t(j) * w];
        for (int i = 2; i < w - 2; ++i)
            out[i] = std::uint16_t(a[i - 2 * w] + 2 * a[i - w] + 3 * a[i] + 2 * a[i + w] +
                                   a[i + 2 * w]);
    }
}

void DiscVotes::pick_peaks(int w, int h, cv::Point from, double r) {
    starts_.clear();
    const int needed = int(2 * M_PI * r / 4 * 0.8);
    for (int j = 3; j < h - 3; ++j) {
        const std::uint16_t* row = &smooth_[std::size_t(j) * w];
        for (int first = 3; first < w - 3; first += kAtOnce) {
            std::uint16_t most = 0;
            for (int k = 0; k < kAtOnce; ++k) most = row[first + k] > most ? row[first + k] : most;
            const int last = most < needed ? first : std::min(first + kAtOnce, w - 3);
            for (int i = first; i < last; ++i)
                if (row[i] >= needed && is_peak(w, i, j, row[i]))
                    starts_.push_back(
                        {float(row[i]),
                         {float((i - 0.5) * 2 + from.x), float((j - 0.5) * 2 + from.y)}});
        }
    }
    std::sort(starts_.begin(), starts_.end(),
              [](const DiscStart& a, const DiscStart& b) { return a.votes > b.votes; });
    if (starts_.size() > kMostStarts) starts_.resize(kMostStarts);
}

bool DiscVotes::is_peak(int w, int i, int j, int v) const {
    for (int dy = -3; dy <= 3; ++dy)
        for (int dx = -3; dx <= 3; ++dx) {
            const int other = smooth_[std::size_t(j + dy) * w + i + dx];
            if (other > v || (other == v && (dy < 0 || (dy == 0 && dx < 0)))) return false;
        }
    return true;
}

}  // namespace overboard::vision
