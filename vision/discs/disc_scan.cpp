#include "vision/discs/disc_scan.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

namespace overboard::vision {

DiscScan::DiscScan(cv::Size size, int stride_px, const std::vector<cv::Point2d>& outline)
    : stride_{stride_px}, columns_{size.width / stride_px}, rows_{size.height / stride_px} {
    first_.assign(std::size_t(rows_), 0);
    count_.assign(std::size_t(rows_), 0);
    grid_.assign(std::size_t(columns_) * std::size_t(rows_) + 64, 0);
    label_.assign(grid_.size(), 0);
    for (int j = 0; j < rows_; ++j) {
        const double y = pixel(0, j).y;
        double low = 1e9, high = -1e9;
        for (std::size_t i = 0; i < outline.size(); ++i) {
            const cv::Point2d a = outline[i], b = outline[(i + 1) % outline.size()];
            if ((a.y <= y) == (b.y <= y)) continue;
            const double x = a.x + (b.x - a.x) * (y - a.y) / (b.y - a.y);
            low = std::min(low, x);
            high = std::max(high, x);
        }
        const int from = std::max(1, int(std::ceil((low - stride_ / 2) / stride_))),
                  to = std::min(columns_ - 2, int((high - stride_ / 2) / stride_));
        if (low < high && to > from)
            first_[std::size_t(j)] = from, count_[std::size_t(j)] = to - from + 1;
    }
}

void DiscScan::run(const cv::Mat& bgr, const DiscColours& colours) {
    sort_by_class(bgr, colours);
    find_blobs();
}

void DiscScan::sort_by_class(const cv::Mat& bgr, const DiscColours& colours) {
    const int step = 3 * stride_;
    const std::size_t next_row = std::size_t(stride_) *
                                 bgr.step;  // along a row the processor guesses well what is read
                                            // next, from row to row it does not
    for (int j = 0; j < rows_; ++j) {
        const int n = count_[std::size_t(j)], from = first_[std::size_t(j)];
        if (!n) continue;
        const std::uint8_t* p = bgr.ptr(j * stride_ + stride_ / 2) +
                                3 * (from * stride_ + stride_ / 2);
        std::uint8_t* out = &grid_[std::size_t(j) * std::size_t(columns_) + std::size_t(from)];
        // The last column is never scanned.
        for (int i = 0; i < n; ++i, p += step) {
            __builtin_prefetch(p + next_row);
            out[i] = colours.class_within(p);
        }
    }
}

cv::Vec3f DiscScan::median_colour(const cv::Mat& bgr) const {
    std::array<std::array<int, 256>, 3> histogram{};
    int n = 0;
    for (int j = 0; j < rows_; j += 2)
        for (int i = first_[std::size_t(j)]; i < first_[std::size_t(j)] + count_[std::size_t(j)];
             i += 2) {
            const cv::Vec3b v = bgr.at<cv::Vec3b>(cv::Point(pixel(i, j)));
            for (int c = 0; c < 3; ++c) ++histogram[std::size_t(c)][v[c]];
            ++n;
        }
    cv::Vec3f median{};
    for (int c = 0; c < 3 && n; ++c) {
        int sum = 0, v = 0;
        while (v < 255 && (sum += histogram[std::size_t(c)][std::size_t(v)]) * 2 < n) ++v;
        median[c] = float(v);
    }
    return median;
}

int DiscScan::root(int a) {
    const auto parent = [&](int i) -> int& { return blobs_[std::size_t(i)].parent; };
    while (parent(a) != a) a = parent(a) = parent(parent(a));
    return a;
}

int DiscScan::join(int a, int b) {
    if (a == b) return a;
    Blob &A = blobs_[std::size_t(a)], &B = blobs_[std::size_t(b)];
    A.n += B.n, A.sx += B.sx, A.sy += B.sy;
    A.x0 = std::min(A.x0, B.x0), A.x1 = std::max(A.x1, B.x1), A.y0 = std::min(A.y0, B.y0),
    A.y1 = std::max(A.y1, B.y1);
    B.parent = a;
    B.n = 0;
    return a;
}

void DiscScan::add_run(int row, int from, int to, std::uint8_t cls) {
    int id = -1;
    const std::size_t here = std::size_t(row) * std::size_t(columns_),
                      above = here - std::size_t(columns_);
    if (row > 0 && count_[std::size_t(row - 1)] > 0) {
        const int first = first_[std::size_t(row - 1)];
        const int a = std::max(from - 1, first),
                  e = std::min(to + 1, first + count_[std::size_t(row - 1)]);
        for (int k = a; k < e; ++k)
            if (grid_[above + std::size_t(k)] == cls) {
                const int other = root(label_[above + std::size_t(k)]);
                id = id < 0 ? other : join(id, other);
            }
    }
    if (id < 0) {
        id = int(blobs_.size());
        blobs_.push_back({0, 0, 0, from, from, row, row, cls - 1, id});
    }
    Blob& b = blobs_[std::size_t(id)];
    const int n = to - from;
    b.n += n, b.sx += (from + to - 1) * n / 2, b.sy += row * n;
    b.x0 = std::min(b.x0, from), b.x1 = std::max(b.x1, to - 1), b.y1 = std::max(b.y1, row);
    for (int k = from; k < to; ++k) label_[here + std::size_t(k)] = std::uint16_t(id);
}

void DiscScan::find_blobs() {
    blobs_.clear();
    for (int j = 0; j < rows_; ++j) {
        const std::uint8_t* g = &grid_[std::size_t(j) * std::size_t(columns_)];
        const int end = first_[std::size_t(j)] + count_[std::size_t(j)];
        for (int i = first_[std::size_t(j)]; i < end;) {
            std::uint64_t eight;
            std::memcpy(&eight, g + i, 8);
            if (i + 8 <= end && !eight) {
                i += 8;
                continue;
            }
            const std::uint8_t cls = g[i];
            if (!cls) {
                ++i;
                continue;
            }
            const int from = i;
            while (i < end && g[i] == cls) ++i;
            if (blobs_.size() < 60000) add_run(j, from, i, cls);
        }
    }
}

void DiscScan::for_each(int blob, const std::function<void(double x, double y)>& call) {
    const Blob b = blobs_[std::size_t(blob)];
    for (int j = b.y0; j <= b.y1; ++j) {
        const int first = first_[std::size_t(j)], last = first + count_[std::size_t(j)] - 1;
        for (int i = std::max(b.x0, first); i <= std::min(b.x1, last); ++i) {
            const std::size_t cell = std::size_t(j) * std::size_t(columns_) + std::size_t(i);
            if (grid_[cell] == b.type + 1 && root(label_[cell]) == blob)
                call(pixel(i, j).x, pixel(i, j).y);
        }
    }
}

}  // namespace overboard::vision
