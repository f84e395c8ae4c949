// A card is never rectified: one sample a fine cell (more when cells are large, interpolated when
// they are small) is fetched through the homography, 2 × 2 of them make a grey cell, 4 × 4 a colour
// cell. Grey loses most of its local mean (lamps to one side, and what strangers share most
// easily), colour is a log-ratio to green, so that a coloured lamp adds a constant, most of which
// is taken out. Corners and rim weigh less: there the outline's error and the table under a rounded
// corner show.
#include "vision/faces/face_thumb.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "vision/many_pixels.hpp"

namespace overboard::vision {
namespace {

constexpr float kLocalTaken = 0.9F;  // of the local mean grey. Lower: large soft shapes count more,
                                     // and so does bad light
constexpr int kLocal = 5;            // its window reaches this many cells either way
constexpr float kColourWeight = 0.7F;
// energy of the colour of a grey card: keeps noise from being blown up
constexpr float kColourNoise = 2.0F;
constexpr float kVeil = 24.0F;       // levels; what is darker than this tells no colour
constexpr float kMeanTaken = 0.85F;  // of the mean colour: lamps go, an all-red card stays red

struct Tables {
    std::array<float, kGray> w{};
    float total = 0;  // of w
    std::array<float, kColour> wc{};
    std::array<float, 256> log{};
};

float rim_weight(int x, int y, int w, int h) {
    const float dx = std::min(x, w - 1 - x) + 0.5F, dy = std::min(y, h - 1 - y) + 0.5F;
    const float rim = std::min(dx / w * 2, dy / h * 2) < 0.05F ? 0.6F : 1.0F;
    const float corner = (dx / w + dy / w) < 0.09F ? 0.0F : 1.0F;
    return rim * corner;
}

Tables make_tables() {
    Tables t;
    for (int v = 0; v < 256; ++v) t.log[v] = std::log(static_cast<float>(v) + kVeil);
    for (int y = 0; y < kH; ++y)
        for (int x = 0; x < kW; ++x) t.w[y * kW + x] = rim_weight(x, y, kW, kH);
    for (int y = 0; y < kCh; ++y)
        for (int x = 0; x < kCw; ++x) t.wc[y * kCw + x] = rim_weight(x, y, kCw, kCh);
    for (const float w : t.w) t.total += w;
    return t;
}

const Tables& tables() {
    static const Tables t = make_tables();
    return t;
}

/// Mean grey (×4) and mean colour of the cells.
struct ThumbCells {
    alignas(32) std::array<float, kGray> gray;
    alignas(32) std::array<float, kColour> c1, c2;
};

/// Sums over the 2 × 2 samples of a row of grey cells: blue, green, red and 0 each.
using CellRow = std::array<std::array<std::uint16_t, 4>, kW>;

void sum_cells(const std::uint8_t* a, CellRow& out) {
    const std::uint8_t* b = a + kFineW * 3;
#ifdef __AVX2__
    // Eight samples of either row make four cells; the second load ends with the last of them.
    const __m256i order = _mm256_setr_epi8(0, 3, 1, 4, 2, 5, -1, -1, 6, 9, 7, 10, 8, 11, -1, -1, 4,
                                           7, 5, 8, 6, 9, -1, -1, 10, 13, 11, 14, 12, 15, -1, -1);
    const auto pairs = [&](const std::uint8_t* p) {
        const auto load = [](const std::uint8_t* q) {
            return _mm_loadu_si128(reinterpret_cast<const __m128i*>(q));
        };
        return _mm256_maddubs_epi16(
            _mm256_shuffle_epi8(_mm256_set_m128i(load(p + 8), load(p)), order),
            _mm256_set1_epi8(1));
    };
    for (int x = 0; x < kW; x += 4, a += 24, b += 24)
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(&out[x]),
                            _mm256_add_epi16(pairs(a), pairs(b)));
#else
    for (int x = 0; x < kW; ++x, a += 6, b += 6)
        for (int c = 0; c < 3; ++c)
            out[x][c] = static_cast<std::uint16_t>(a[c] + a[c + 3] + b[c] + b[c + 3]);
#endif
}

void gray_of(const CellRow& cells, float* out) {
#ifdef __AVX2__
    const FourPixels weights = four_weights(1868, 9617, 4899);  // 0.114, 0.587, 0.299 of 2^14
    const auto load = [&](int x) {
        return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(&cells[x]));
    };
    for (int x = 0; x < kW; x += 8)
        _mm256_storeu_ps(out + x,
                         _mm256_mul_ps(_mm256_cvtepi32_ps(weighed(load(x), load(x + 4), weights)),
                                       _mm256_set1_ps(1.0F / 16384)));
#else
    for (int x = 0; x < kW; ++x)
        out[x] = 0.114F * cells[x][0] + 0.587F * cells[x][1] + 0.299F * cells[x][2];
#endif
}

void sum_cells(const Thumb& thumb, int row, CellRow& out) {
    sum_cells(&thumb.bgr[static_cast<std::size_t>(2 * row) * kFineW * 3], out);
}

/// One sample stands for all four.
void sum_cells(const SparseThumb& thumb, int row, CellRow& out) {
    const std::uint32_t* from = &thumb.bgr[static_cast<std::size_t>(row) * kW];
#ifdef __AVX2__
    for (int x = 0; x < kW; x += 4)
        _mm256_storeu_si256(
            reinterpret_cast<__m256i*>(&out[x]),
            _mm256_slli_epi16(
                _mm256_cvtepu8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from + x))),
                2));
#else
    for (int x = 0; x < kW; ++x)
        for (int c = 0; c < 4; ++c)
            out[x][c] = static_cast<std::uint16_t>((from[x] >> 8 * c & 255) * 4);
#endif
}

template <class AnyThumb>
void make_cells(const AnyThumb& thumb, ThumbCells& cells) {
    const auto& log = tables().log;
    for (int y = 0; y < kCh; ++y) {
        CellRow a, b;
        sum_cells(thumb, 2 * y, a);
        sum_cells(thumb, 2 * y + 1, b);
        gray_of(a, &cells.gray[2 * y * kW]);
        gray_of(b, &cells.gray[(2 * y + 1) * kW]);
        for (int x = 0; x < kCw; ++x) {
            const auto mean = [&](int c) {
                return (a[2 * x][c] + a[2 * x + 1][c] + b[2 * x][c] + b[2 * x + 1][c]) >> 4;
            };
            const float g = log[mean(1)];
            cells.c1[y * kCw + x] = log[mean(0)] - g;
            cells.c2[y * kCw + x] = log[mean(2)] - g;
        }
    }
}

/// How many of n cells the window round each holds: at the ends it is cut off.
template <int N>
std::array<float, N> per_window() {
    std::array<float, N> out{};
    for (int i = 0; i < N; ++i)
        out[i] = 1.0F / static_cast<float>(std::min(i, kLocal) + std::min(N - 1 - i, kLocal) + 1);
    return out;
}

/// Takes most of the mean over the window out of every cell. Columns first, all of them in one go:
/// a sum that was just stored cannot be read again shifted by one without waiting for it.
void take_local_mean(std::array<float, kGray>& gray) {
    static const std::array<float, kW> kPerRow = per_window<kW>();
    static const std::array<float, kH> kPerColumn = per_window<kH>();
    constexpr int kBeside = 8;  // at either end of a row nothing is added
    constexpr int kWide = kW + 2 * kBeside;
    static_assert(kLocal <= kBeside);
    alignas(32) std::array<float, kH * kWide> columns;
    alignas(32) std::array<float, kW> sum{};
    for (int y = 0; y < kLocal; ++y)
        for (int x = 0; x < kW; ++x) sum[x] += gray[y * kW + x];
    for (int y = 0; y < kH; ++y) {
        if (y + kLocal < kH)
            for (int x = 0; x < kW; ++x) sum[x] += gray[(y + kLocal) * kW + x];
        if (y > kLocal)
            for (int x = 0; x < kW; ++x) sum[x] -= gray[(y - kLocal - 1) * kW + x];
        float* row = &columns[y * kWide];
        for (int x = 0; x < kBeside; ++x) row[x] = row[kBeside + kW + x] = 0;
        for (int x = 0; x < kW; ++x) row[kBeside + x] = sum[x] * (kLocalTaken * kPerColumn[y]);
    }
    for (int y = 0; y < kH; ++y) {
        const float* row = &columns[y * kWide + kBeside];
        for (int x = 0; x < kW; ++x) {
            float all = row[x];
            for (int d = 1; d <= kLocal; ++d) all += row[x - d] + row[x + d];
            gray[y * kW + x] -= all * kPerRow[x];
        }
    }
}

void scale(float* v, int n, float k) {
    for (int i = 0; i < n; ++i) v[i] *= k;
}

/// Weights of colour cells, and what a weighted mean needs of them.
struct ColourWeights {
    std::array<float, kColour> w{}, squares{};
    float total = 0;  // of the squares

    explicit ColourWeights(const std::array<float, kColour>& weights) : w{weights} {
        for (int i = 0; i < kColour; ++i) squares[i] = w[i] * w[i];
        total = std::max(dot(w.data(), w.data(), kColour), 1e-3F);
    }
};

void colour_part(const std::array<float, kColour>& c, const ColourWeights& by, float* out) {
    const float mean = dot(c.data(), by.squares.data(), kColour) / by.total * kMeanTaken;
    for (int i = 0; i < kColour; ++i) out[i] = (c[i] - mean) * by.w[i];
}

/// Grey to unit length (a floor keeps a blank card from turning into amplified noise), colour to
/// at most kColourWeight; the whole of it to unit length.
void balance(Feature& f) {
    float* c = f.data() + kGray;
    const float gray = dot(f.data(), f.data(), kGray), colour = dot(c, c, 2 * kColour);
    const float g = 1 / std::sqrt(gray + kGray * 16.0F),
                k = kColourWeight / std::sqrt(colour + kColourNoise);
    const float unit = 1 / std::sqrt(gray * g * g + colour * k * k + 1e-12F);
    scale(f.data(), kGray, g * unit);
    scale(c, 2 * kColour, k * unit);
}

/// Coordinates of one row of samples, n of them.
void row_coordinates(const cv::Matx33f& h, float v, int n, float* __restrict xs,
                     float* __restrict ys) {
    const float step = (1 - 2 * kThumbInset) / static_cast<float>(n), u0 = kThumbInset + step / 2;
    const float cx = h(0, 1) * v + h(0, 2), cy = h(1, 1) * v + h(1, 2), cw = h(2, 1) * v + h(2, 2),
                ax = h(0, 0), ay = h(1, 0), aw = h(2, 0);
    for (int i = 0; i < n; ++i) {
        const float u = u0 + step * static_cast<float>(i);
        const float w = 1 / (aw * u + cw);
        xs[i] = (ax * u + cx) * w;
        ys[i] = (ay * u + cy) * w;
    }
}

float row_v(int row, int rows) {
    return kThumbInset +
           (1 - 2 * kThumbInset) * (static_cast<float>(row) + 0.5F) / static_cast<float>(rows);
}

constexpr int kMaxSuper = 6;

/// A picture and how its pixels are fetched.
struct Source {
    const std::uint8_t* data;
    int step, cols, rows;
    bool roomy;  // every pixel asked for has a row below it, as long as the corners are those of a
                 // quadrilateral

    Source(const cv::Mat& bgr, const Corners& corners)
        : data{bgr.data},
          step{static_cast<int>(bgr.step[0])},
          cols{bgr.cols},
          rows{bgr.rows},
          roomy{std::all_of(corners.begin(), corners.end(), [&](cv::Point2f p) {
              return p.y < static_cast<float>(bgr.rows) - 3;
          })} {}

    /// Where the nearest pixels are, in bytes.
    void nearest(const float* xs, const float* ys, int n, int* __restrict at) const {
        const float mx = static_cast<float>(cols - 1), my = static_cast<float>(rows - 1);
        const int by = step;
        for (int i = 0; i < n; ++i) {
            const int x = static_cast<int>(std::min(mx, std::max(0.0F, xs[i])) +
                                           0.5F);  // this order makes NaN 0
            const int y = static_cast<int>(std::min(my, std::max(0.0F, ys[i])) + 0.5F);
            at[i] = y * by + 3 * x;
        }
    }
    /// The fourth byte means nothing.
    void fetch(const int* at, int n, std::uint32_t* out) const {
        const int last = (rows - 1) * step + 3 * (cols - 1);
        for (int i = 0; i < n; ++i)
            if (roomy)
                std::memcpy(out + i, data + at[i], 4);
            else
                out[i] = 0, std::memcpy(out + i, data + at[i], at[i] < last ? 4 : 3);
    }
    void fetch(const int* at, int n, std::uint8_t* out) const {
        // Four bytes at once are quicker than three; but the last pixel of all has no fourth.
        const int last = (rows - 1) * step + 3 * (cols - 1);
        for (int i = 0; i + 1 < n; ++i)
            if (at[i] < last)
                std::memcpy(out + 3 * i, data + at[i], 4);
            else
                std::memcpy(out + 3 * i, data + at[i], 3);
        std::memcpy(out + 3 * (n - 1), data + at[n - 1], 3);
    }
};

/// One sample a cell, or the mean of super × super.
void sample_nearest(const Source& from, const cv::Matx33f& h, int super, Thumb& out) {
    std::array<float, kFineW * kMaxSuper> xs, ys;
    std::array<int, kFineW * kMaxSuper> at;
    std::array<std::uint8_t, kFineW * kMaxSuper * 3> row;
    const int n = kFineW * super;
    for (int y = 0; y < kFineH; ++y) {
        std::uint8_t* o = &out.bgr[static_cast<std::size_t>(y) * kFineW * 3];
        const auto take_row = [&](int s, std::uint8_t* to) {
            row_coordinates(h, row_v(y * super + s, kFineH * super), n, xs.data(), ys.data());
            from.nearest(xs.data(), ys.data(), n, at.data());
            from.fetch(at.data(), n, to);
        };
        if (super == 1) {
            take_row(0, o);
            continue;
        }
        std::array<int, kFineW * 3> sum{};
        for (int s = 0; s < super; ++s) {
            take_row(s, row.data());
            for (int x = 0; x < n; ++x)
                for (int c = 0; c < 3; ++c) sum[x / super * 3 + c] += row[3 * x + c];
        }
        for (int i = 0; i < kFineW * 3; ++i)
            o[i] = static_cast<std::uint8_t>(sum[i] / (super * super));
    }
}

void between(const Source& from, const float* xs, const float* ys, int n, std::uint8_t* out) {
    for (int x = 0; x < n; ++x, out += 3) {
        const float fx = std::min(static_cast<float>(from.cols) - 1.001F, std::max(0.0F, xs[x])),
                    fy = std::min(static_cast<float>(from.rows) - 1.001F, std::max(0.0F, ys[x]));
        const int x0 = static_cast<int>(fx), y0 = static_cast<int>(fy);
        const int x1 = std::min(x0 + 1, from.cols - 1), y1 = std::min(y0 + 1, from.rows - 1);
        const int ax = static_cast<int>((fx - static_cast<float>(x0)) * 256),
                  ay = static_cast<int>((fy - static_cast<float>(y0)) * 256);
        const int w00 = (256 - ax) * (256 - ay), w01 = ax * (256 - ay), w10 = (256 - ax) * ay,
                  w11 = ax * ay;
        const std::uint8_t *p = from.data + static_cast<std::ptrdiff_t>(y0) * from.step,
                           *q = from.data + static_cast<std::ptrdiff_t>(y1) * from.step;
        for (int c = 0; c < 3; ++c)
            out[c] = static_cast<std::uint8_t>((p[3 * x0 + c] * w00 + p[3 * x1 + c] * w01 +
                                                q[3 * x0 + c] * w10 + q[3 * x1 + c] * w11 +
                                                32768) >>
                                               16);
    }
}

#ifdef __AVX2__
/// The same, four at a time, where there is room.
void between_quickly(const Source& from, const float* xs, const float* ys, int n,
                     std::uint8_t* out) {
    const float mx = static_cast<float>(from.cols) - 1.001F,
                my = static_cast<float>(from.rows) - 2.001F;
    std::array<int, kFineW> x, y;
    for (int i = 0; i < n; ++i) {
        x[i] = static_cast<int>(std::min(mx, std::max(0.0F, xs[i])) * 65536);
        y[i] = static_cast<int>(std::min(my, std::max(0.0F, ys[i])) * 65536);
    }
    const __m256i bytes = _mm256_setr_epi8(0, 2, 4, 8, 10, 12, -1, -1, -1, -1, -1, -1, -1, -1, -1,
                                           -1, 0, 2, 4, 8, 10, 12, -1, -1, -1, -1, -1, -1, -1, -1,
                                           -1, -1);
    for (int i = 0; i < n; i += 4, out += 12) {
        const __m256i v = _mm256_srli_epi16(
            _mm256_add_epi16(
                four_between(from.data, static_cast<std::size_t>(from.step), &x[i], &y[i]),
                _mm256_set1_epi16(32)),
            6);
        const __m256i packed = _mm256_shuffle_epi8(v, bytes);
        const long long first = _mm256_extract_epi64(packed, 0),
                        second = _mm256_extract_epi64(packed, 2);
        std::memcpy(out, &first, 6);
        std::memcpy(out + 6, &second, 6);
    }
}
#endif

/// A row of samples one to a grey cell, as the two rows of samples two to a cell.
void twice(const std::uint8_t* row, std::uint8_t* out) {
    std::uint8_t* o = out;
    for (int x = 0; x < kW; ++x, o += 6)
        std::memcpy(o, row + 3 * x, 3), std::memcpy(o + 3, row + 3 * x, 3);
    std::memcpy(out + kFineW * 3, out, kFineW * 3);
}

/// Interpolates; where cells are far smaller than pixels, one sample serves 2 × 2 of them.
void sample_linear(const Source& from, const cv::Matx33f& h, bool tiny, Thumb& out) {
    std::array<float, kFineW> xs, ys;
    std::array<std::uint8_t, kFineW * 3> row;
    const int step = tiny ? 2 : 1, w = kFineW / step;
    for (int y = 0; y < kFineH; y += step) {
        row_coordinates(h, row_v(y / step, kFineH / step), w, xs.data(), ys.data());
        std::uint8_t* o = &out.bgr[static_cast<std::size_t>(y) * kFineW * 3];
        std::uint8_t* line = tiny ? row.data() : o;
#ifdef __AVX2__
        if (from.roomy)
            between_quickly(from, xs.data(), ys.data(), w, line);
        else
#endif
            between(from, xs.data(), ys.data(), w, line);
        if (tiny) twice(line, o);
    }
}

}  // namespace

cv::Matx33f square_to(const Corners& c) {
    const cv::Point2f d1 = c[1] - c[2], d2 = c[3] - c[2], s = c[0] - c[1] + c[2] - c[3];
    const float det = d1.x * d2.y - d2.x * d1.y;
    const float g = std::fabs(det) < 1e-6F ? 0 : (s.x * d2.y - d2.x * s.y) / det;
    const float k = std::fabs(det) < 1e-6F ? 0 : (d1.x * s.y - s.x * d1.y) / det;
    return {c[1].x - c[0].x + g * c[1].x,
            c[3].x - c[0].x + k * c[3].x,
            c[0].x,
            c[1].y - c[0].y + g * c[1].y,
            c[3].y - c[0].y + k * c[3].y,
            c[0].y,
            g,
            k,
            1};
}

cv::Point2f through(const cv::Matx33f& h, cv::Point2f p) {
    const float w = h(2, 0) * p.x + h(2, 1) * p.y + h(2, 2);
    return {(h(0, 0) * p.x + h(0, 1) * p.y + h(0, 2)) / w,
            (h(1, 0) * p.x + h(1, 1) * p.y + h(1, 2)) / w};
}

void sample(const cv::Mat& bgr, const Corners& corners, Thumb& out, bool quick) {
    const cv::Matx33f h = square_to(corners);
    const auto side = [&](int a, int b) {
        return static_cast<float>(cv::norm(corners[a] - corners[b]));
    };
    const float cell = std::max(std::max(side(0, 1), side(2, 3)) / kFineW,
                                std::max(side(1, 2), side(3, 0)) / kFineH);
    const Source from{bgr, corners};
    if (cell < 1.3F && !quick) return sample_linear(from, h, cell < 0.75F, out);
    sample_nearest(
        from, h, quick ? 1 : std::clamp(static_cast<int>(cell / 2.2F + 0.55F), 1, kMaxSuper), out);
}

void sample_sparsely(const cv::Mat& bgr, const Corners& corners, SparseThumb& out) {
    constexpr int kAhead = 4;  // rows asked for before they are needed,
    constexpr int kEvery = 4;  // by every so many of their samples: pixels, not cells, must be few
    const cv::Matx33f h = square_to(corners);
    const Source from{bgr, corners};
    const cv::Point2f down = (corners[3] - corners[0] + corners[2] - corners[1]) *
                             (0.5F * kAhead / kH);
    const std::ptrdiff_t ahead = cvRound(down.y) * std::ptrdiff_t{from.step} + 3 * cvRound(down.x);
    std::array<float, kW> xs, ys;
    std::array<int, kW> at;
    for (int y = 0; y < kH; ++y) {
        row_coordinates(h, row_v(y, kH), kW, xs.data(), ys.data());
        from.nearest(xs.data(), ys.data(), kW, at.data());
        for (int x = 0; x < kW; x += kEvery) __builtin_prefetch(bgr.data + at[x] + ahead);
        from.fetch(at.data(), kW, &out.bgr[static_cast<std::size_t>(y) * kW]);
    }
}

void cover(const std::vector<std::uint8_t>& hidden, Thumb& thumb) {
    const auto is_hidden = [&](int x, int y) { return hidden[y / 2 * kW + x / 2] != 0; };
    std::array<std::uint8_t, 3> usual{};
    for (int c = 0; c < 3; ++c) {
        std::array<int, 256> count{};
        int n = 0;
        for (int y = 0; y < kFineH; ++y)
            for (int x = 0; x < kFineW; ++x)
                if (!is_hidden(x, y)) ++count[thumb.bgr[(y * kFineW + x) * 3 + c]], ++n;
        for (int v = 0, below = 0; v < 256 && 2 * below <= n; below += count[v++])
            usual[c] = static_cast<std::uint8_t>(v);
    }
    for (int y = 0; y < kFineH; ++y)
        for (int x = 0; x < kFineW; ++x)
            if (is_hidden(x, y))
                std::copy(usual.begin(), usual.end(), &thumb.bgr[(y * kFineW + x) * 3]);
}

namespace {

template <class AnyThumb>
void describe_any(const AnyThumb& thumb, Feature& out) {
    const Tables& t = tables();
    ThumbCells cells;
    make_cells(thumb, cells);
    take_local_mean(cells.gray);
    const float mean = dot(cells.gray.data(), t.w.data(), kGray) / t.total;
    static const ColourWeights whole{t.wc};
    for (int i = 0; i < kGray; ++i) out[i] = (cells.gray[i] - mean) * t.w[i];
    colour_part(cells.c1, whole, out.data() + kGray);
    colour_part(cells.c2, whole, out.data() + kGray + kColour);
    balance(out);
}

}  // namespace

void describe(const Thumb& thumb, Feature& out) {
    describe_any(thumb, out);
}

void describe(const SparseThumb& thumb, Feature& out) {
    describe_any(thumb, out);
}

void describe_part(const Thumb& thumb, const std::vector<float>& visible, Feature& out) {
    const Tables& t = tables();
    ThumbCells cells;
    make_cells(thumb, cells);
    take_local_mean(cells.gray);
    float sum = 0, total = 1e-3F;
    for (int i = 0; i < kGray; ++i) {
        const float w = t.w[i] * visible[i];
        sum += w * cells.gray[i], total += w;
    }
    for (int i = 0; i < kGray; ++i) out[i] = (cells.gray[i] - sum / total) * t.w[i] * visible[i];
    std::array<float, kColour> w;
    for (int y = 0; y < kCh; ++y)
        for (int x = 0; x < kCw; ++x)
            w[y * kCw + x] = t.wc[y * kCw + x] * visible[2 * y * kW + 2 * x];
    const ColourWeights shown{w};
    colour_part(cells.c1, shown, out.data() + kGray);
    colour_part(cells.c2, shown, out.data() + kGray + kColour);
    balance(out);
}

Coarse coarse_of(const Feature& f) {
    std::array<float, kCoarse> o{};
    for (int y = 0; y < kH; ++y)
        for (int x = 0; x < kW; ++x) o[y / 4 * 8 + x / 4] += f[y * kW + x];
    for (int c = 0; c < 2; ++c)
        for (int y = 0; y < kCh; ++y)
            for (int x = 0; x < kCw; ++x)
                o[88 + c * 44 + y / 2 * 4 + x / 4] += f[kGray + c * kColour + y * kCw + x];
    const float k = 20000 / std::sqrt(dot(o.data(), o.data(), kCoarse) + 1e-12F);
    Coarse out;
    for (int i = 0; i < kCoarse; ++i) out[i] = static_cast<std::int16_t>(o[i] * k);
    return out;
}

int dot(const Coarse& a, const Coarse& b) {
    int sum = 0;
    for (int i = 0; i < kCoarse; ++i) sum += a[i] * b[i];
    return sum;
}

constexpr float kShort = 800;  // steps of eight bits to 1: no cell of a face comes near 127 / 800

Short short_of(const Feature& f) {
    Short out;
    for (int i = 0; i < kDim; ++i)
        out[i] = static_cast<std::int8_t>(
            static_cast<int>(std::min(254.5F, std::max(0.5F, f[i] * kShort + 127.5F))) - 127);
    return out;
}

float dot(const Short& a, const Short& b) {
    int sum = 0;
#ifdef __AVX2__
    __m256i sums = _mm256_setzero_si256();
    const auto load = [](const std::int8_t* p) {
        return _mm256_cvtepi8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
    };
    static_assert(kDim % 16 == 0);
    for (int i = 0; i < kDim; i += 16)
        sums = _mm256_add_epi32(sums, _mm256_madd_epi16(load(&a[i]), load(&b[i])));
    alignas(32) std::array<int, 8> lane;
    _mm256_store_si256(reinterpret_cast<__m256i*>(lane.data()), sums);
    for (const int v : lane) sum += v;
#else
    for (int i = 0; i < kDim; ++i) sum += a[i] * b[i];
#endif
    return static_cast<float>(sum) * (1 / (kShort * kShort));
}

float dot(const float* a, const float* b, int n) {
    std::array<float, 16> s{};
    for (int i = 0; i < n; i += 16)
        for (int j = 0; j < 16; ++j) s[j] += a[i + j] * b[i + j];
    for (int w = 8; w > 0; w /= 2)
        for (int j = 0; j < w; ++j) s[j] += s[j + w];
    return s[0];
}

cv::Vec3f light_on(const Thumb& crop, const Thumb& reference, const cv::Rect& cells) {
    // A veil of stray light is a large part of what is dark: such channels tell little of the lamp.
    const auto veil = kVeil * static_cast<float>(cells.area());
    cv::Vec3f a(veil, veil, veil), b = a;
    for (int y = 2 * cells.y + 1; y < 2 * cells.br().y; y += 2)
        for (int x = 2 * cells.x + 1; x < 2 * cells.br().x; x += 2) {
            const std::size_t i = static_cast<std::size_t>(y * kFineW + x) * 3;
            for (int c = 0; c < 3; ++c) {
                a[c] += static_cast<float>(crop.bgr[i + static_cast<std::size_t>(c)]);
                b[c] += static_cast<float>(reference.bgr[i + static_cast<std::size_t>(c)]);
            }
        }
    return {a[0] / b[0], a[1] / b[1], a[2] / b[2]};
}

}  // namespace overboard::vision
