// A card is never rectified: one sample a fine cell (more when cells are large, interpolated when
// they are small) is fetched through the homography, 2 × 2 of them make a grey cell, 4 × 4 a colour
// cell. Grey loses most of its local mean (lamps to one side, and what strangers share most easily),
// colour is a log-ratio to green, so that a coloured lamp adds a constant, most of which is taken out. Corners and rim weigh
// less: there the outline's error and the table under a rounded corner show.
#include "vision/face_thumb.hpp"

#include <cmath>
#include <cstring>

namespace overboard::vision {
namespace {

constexpr float kLocalTaken = 0.9F;   // of the local mean grey. Lower: large soft shapes count more, and so does bad light
constexpr int kLocal = 5;             // its window reaches this many cells either way
constexpr float kColourWeight = 0.7F;
constexpr float kColourNoise = 2.0F;  // energy of the colour of a grey card: keeps noise from being blown up
constexpr float kMeanTaken = 0.85F;   // of the mean colour: lamps go, an all-red card stays red

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
    for (int v = 0; v < 256; ++v) t.log[v] = std::log(static_cast<float>(v) + 24.0F);
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
struct Cells {
    alignas(32) std::array<float, kGray> gray;
    alignas(32) std::array<float, kColour> c1, c2;
};

void make_cells(const Thumb& thumb, Cells& cells) {
    const auto& log = tables().log;
    std::array<std::uint16_t, kW * kH * 3> half;
    for (int y = 0; y < kH; ++y) {
        const std::uint8_t* a = &thumb.bgr[static_cast<std::size_t>(2 * y) * kFineW * 3];
        const std::uint8_t* b = a + kFineW * 3;
        std::uint16_t* o = &half[static_cast<std::size_t>(y) * kW * 3];
        for (int x = 0; x < kW; ++x, a += 6, b += 6, o += 3)
            for (int c = 0; c < 3; ++c) o[c] = static_cast<std::uint16_t>(a[c] + a[c + 3] + b[c] + b[c + 3]);
    }
    for (int i = 0; i < kGray; ++i)
        cells.gray[i] = 0.114F * half[3 * i] + 0.587F * half[3 * i + 1] + 0.299F * half[3 * i + 2];
    for (int y = 0; y < kCh; ++y)
        for (int x = 0; x < kCw; ++x) {
            const std::uint16_t* a = &half[static_cast<std::size_t>((2 * y) * kW + 2 * x) * 3];
            const std::uint16_t* b = a + kW * 3;
            const auto mean = [&](int c) { return (a[c] + a[c + 3] + b[c] + b[c + 3]) >> 4; };
            const float g = log[mean(1)];
            cells.c1[y * kCw + x] = log[mean(0)] - g;
            cells.c2[y * kCw + x] = log[mean(2)] - g;
        }
}

/// Mean over the window along one line of cells; at the ends over what there is of it.
void line_means(const float* in, int stride, int n, float* out) {
    float sum = 0;
    int count = 0;
    for (int i = 0; i < kLocal; ++i) sum += in[i * stride], ++count;
    for (int i = 0; i < n; ++i) {
        if (i + kLocal < n) sum += in[(i + kLocal) * stride], ++count;
        if (i - kLocal > 0) sum -= in[(i - kLocal - 1) * stride], --count;
        out[i * stride] = sum / static_cast<float>(count);
    }
}

void take_local_mean(std::array<float, kGray>& gray) {
    std::array<float, kGray> a, b;
    std::array<float, kW> sum{};
    for (int y = 0; y < kH; ++y) line_means(&gray[y * kW], 1, kW, &a[y * kW]);
    int count = 0;
    const auto add = [&](int y, float sign) {
        for (int x = 0; x < kW; ++x) sum[x] += sign * a[y * kW + x];
        count += sign > 0 ? 1 : -1;
    };
    for (int y = 0; y < kLocal; ++y) add(y, 1);
    for (int y = 0; y < kH; ++y) {
        if (y + kLocal < kH) add(y + kLocal, 1);
        if (y - kLocal > 0) add(y - kLocal - 1, -1);
        const float k = kLocalTaken / static_cast<float>(count);
        for (int x = 0; x < kW; ++x) b[y * kW + x] = sum[x] * k;
    }
    for (int i = 0; i < kGray; ++i) gray[i] -= b[i];
}

void scale(float* v, int n, float k) {
    for (int i = 0; i < n; ++i) v[i] *= k;
}

void colour_part(const std::array<float, kColour>& c, const float* w, float* out) {
    const float total = dot(w, w, kColour);
    std::array<float, kColour> ww;
    for (int i = 0; i < kColour; ++i) ww[i] = w[i] * w[i];
    const float mean = dot(c.data(), ww.data(), kColour) / std::max(total, 1e-3F) * kMeanTaken;
    for (int i = 0; i < kColour; ++i) out[i] = (c[i] - mean) * w[i];
}

void unit_length(Feature& f) {
    const float n = dot(f.data(), f.data(), kDim);
    scale(f.data(), kDim, 1 / std::sqrt(n + 1e-12F));
}

/// Grey to unit length (a floor keeps a blank card from turning into amplified noise), colour to
/// at most kColourWeight.
void balance(Feature& f) {
    const float gray = dot(f.data(), f.data(), kGray);
    scale(f.data(), kGray, 1 / std::sqrt(gray + kGray * 16.0F));
    float* c = f.data() + kGray;
    const float colour = dot(c, c, 2 * kColour);
    scale(c, 2 * kColour, kColourWeight / std::sqrt(colour + kColourNoise));
    unit_length(f);
}

void nearest_row(const cv::Mat& bgr, const int* x, const int* y, int n, std::uint8_t* out) {
    for (int i = 0; i < n; ++i) {
        const std::uint8_t* p = bgr.data + static_cast<std::size_t>(y[i]) * bgr.step[0] + 3 * x[i];
        out[3 * i] = p[0], out[3 * i + 1] = p[1], out[3 * i + 2] = p[2];
    }
}

/// Coordinates of one row of samples, n of them.
void row_coordinates(const cv::Matx33f& h, float v, int n, float* xs, float* ys) {
    const float step = (1 - 2 * kThumbInset) / static_cast<float>(n), u0 = kThumbInset + step / 2;
    const float cx = h(0, 1) * v + h(0, 2), cy = h(1, 1) * v + h(1, 2), cw = h(2, 1) * v + h(2, 2);
    for (int i = 0; i < n; ++i) {
        const float u = u0 + step * static_cast<float>(i);
        const float w = 1 / (h(2, 0) * u + cw);
        xs[i] = (h(0, 0) * u + cx) * w;
        ys[i] = (h(1, 0) * u + cy) * w;
    }
}

float row_v(int row, int rows) {
    return kThumbInset + (1 - 2 * kThumbInset) * (static_cast<float>(row) + 0.5F) / static_cast<float>(rows);
}

constexpr int kMaxSuper = 6;

void to_pixels(const cv::Mat& bgr, const float* xs, const float* ys, int n, int* xi, int* yi) {
    const float mx = static_cast<float>(bgr.cols - 1), my = static_cast<float>(bgr.rows - 1);
    for (int i = 0; i < n; ++i) {
        xi[i] = static_cast<int>(std::min(mx, std::max(0.0F, xs[i])) + 0.5F);  // this order makes NaN 0
        yi[i] = static_cast<int>(std::min(my, std::max(0.0F, ys[i])) + 0.5F);
    }
}

/// One sample a cell, or the mean of super × super.
void sample_nearest(const cv::Mat& bgr, const cv::Matx33f& h, int super, Thumb& out) {
    std::array<float, kFineW * kMaxSuper> xs, ys;
    std::array<int, kFineW * kMaxSuper> xi, yi;
    std::array<std::uint8_t, kFineW * kMaxSuper * 3> row;
    const int n = kFineW * super;
    for (int y = 0; y < kFineH; ++y) {
        std::uint8_t* o = &out.bgr[static_cast<std::size_t>(y) * kFineW * 3];
        std::array<int, kFineW * 3> sum{};
        for (int s = 0; s < super; ++s) {
            row_coordinates(h, row_v(y * super + s, kFineH * super), n, xs.data(), ys.data());
            to_pixels(bgr, xs.data(), ys.data(), n, xi.data(), yi.data());
            nearest_row(bgr, xi.data(), yi.data(), n, super == 1 ? o : row.data());
            if (super == 1) continue;
            for (int x = 0; x < n; ++x)
                for (int c = 0; c < 3; ++c) sum[x / super * 3 + c] += row[3 * x + c];
        }
        if (super == 1) continue;
        for (int i = 0; i < kFineW * 3; ++i) o[i] = static_cast<std::uint8_t>(sum[i] / (super * super));
    }
}

/// Interpolates; where cells are far smaller than pixels, one sample serves 2 × 2 of them.
void sample_linear(const cv::Mat& bgr, const cv::Matx33f& h, bool tiny, Thumb& out) {
    std::array<float, kFineW> xs, ys;
    const int step = tiny ? 2 : 1, w = kFineW / step;
    for (int y = 0; y < kFineH; y += step) {
        row_coordinates(h, row_v(y / step, kFineH / step), w, xs.data(), ys.data());
        std::uint8_t* o = &out.bgr[static_cast<std::size_t>(y) * kFineW * 3];
        for (int x = 0; x < w; ++x) {
            const float fx = std::min(bgr.cols - 1.001F, std::max(0.0F, xs[x])), fy = std::min(bgr.rows - 1.001F, std::max(0.0F, ys[x]));
            const int x0 = static_cast<int>(fx), y0 = static_cast<int>(fy);
            const int x1 = std::min(x0 + 1, bgr.cols - 1), y1 = std::min(y0 + 1, bgr.rows - 1);
            const int ax = static_cast<int>((fx - static_cast<float>(x0)) * 256), ay = static_cast<int>((fy - static_cast<float>(y0)) * 256);
            const int w00 = (256 - ax) * (256 - ay), w01 = ax * (256 - ay), w10 = (256 - ax) * ay, w11 = ax * ay;
            const std::uint8_t *p = bgr.ptr(y0), *q = bgr.ptr(y1), *p0 = p + 3 * x0, *p1 = p + 3 * x1, *q0 = q + 3 * x0, *q1 = q + 3 * x1;
            for (int c = 0; c < 3; ++c) {
                const auto v = static_cast<std::uint8_t>((p0[c] * w00 + p1[c] * w01 + q0[c] * w10 + q1[c] * w11 + 32768) >> 16);
                for (int k = 0; k < step; ++k) o[3 * (step * x + k) + c] = v;
            }
        }
        if (tiny) std::memcpy(o + kFineW * 3, o, kFineW * 3);
    }
}

}  // namespace

cv::Matx33f square_to(const Corners& c) {
    const cv::Point2f d1 = c[1] - c[2], d2 = c[3] - c[2], s = c[0] - c[1] + c[2] - c[3];
    const float det = d1.x * d2.y - d2.x * d1.y;
    const float g = std::fabs(det) < 1e-6F ? 0 : (s.x * d2.y - d2.x * s.y) / det;
    const float k = std::fabs(det) < 1e-6F ? 0 : (d1.x * s.y - s.x * d1.y) / det;
    return {c[1].x - c[0].x + g * c[1].x, c[3].x - c[0].x + k * c[3].x, c[0].x,
            c[1].y - c[0].y + g * c[1].y, c[3].y - c[0].y + k * c[3].y, c[0].y, g, k, 1};
}

cv::Point2f through(const cv::Matx33f& h, cv::Point2f p) {
    const float w = h(2, 0) * p.x + h(2, 1) * p.y + h(2, 2);
    return {(h(0, 0) * p.x + h(0, 1) * p.y + h(0, 2)) / w, (h(1, 0) * p.x + h(1, 1) * p.y + h(1, 2)) / w};
}

void sample(const cv::Mat& bgr, const Corners& corners, Thumb& out, bool quick) {
    const cv::Matx33f h = square_to(corners);
    const auto side = [&](int a, int b) { return static_cast<float>(cv::norm(corners[a] - corners[b])); };
    const float cell = std::max(std::max(side(0, 1), side(2, 3)) / kFineW, std::max(side(1, 2), side(3, 0)) / kFineH);
    if (cell < 1.3F && !quick) return sample_linear(bgr, h, cell < 0.75F, out);
    sample_nearest(bgr, h, quick ? 1 : std::clamp(static_cast<int>(cell / 2.2F + 0.55F), 1, kMaxSuper), out);
}

void sample_sparsely(const cv::Mat& bgr, const Corners& corners, Thumb& out) {
    const cv::Matx33f h = square_to(corners);
    std::array<float, kW> xs, ys;
    std::array<int, kW> xi, yi;
    for (int y = 0; y < kH; ++y) {
        row_coordinates(h, row_v(y, kH), kW, xs.data(), ys.data());
        to_pixels(bgr, xs.data(), ys.data(), kW, xi.data(), yi.data());
        std::uint8_t* o = &out.bgr[static_cast<std::size_t>(2 * y) * kFineW * 3];
        for (int x = 0; x < kW; ++x, o += 6) {
            const std::uint8_t* p = bgr.data + static_cast<std::size_t>(yi[x]) * bgr.step[0] + 3 * xi[x];
            for (int c = 0; c < 3; ++c) o[c] = o[c + 3] = p[c];
        }
        std::memcpy(o, o - kFineW * 3, kFineW * 3);
    }
}

void describe(const Thumb& thumb, Feature& out) {
    const Tables& t = tables();
    Cells cells;
    make_cells(thumb, cells);
    take_local_mean(cells.gray);
    const float mean = dot(cells.gray.data(), t.w.data(), kGray) / t.total;
    for (int i = 0; i < kGray; ++i) out[i] = (cells.gray[i] - mean) * t.w[i];
    colour_part(cells.c1, t.wc.data(), out.data() + kGray);
    colour_part(cells.c2, t.wc.data(), out.data() + kGray + kColour);
    balance(out);
}

void describe_part(const Thumb& thumb, const std::vector<float>& visible, Feature& out) {
    const Tables& t = tables();
    Cells cells;
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
        for (int x = 0; x < kCw; ++x) w[y * kCw + x] = t.wc[y * kCw + x] * visible[2 * y * kW + 2 * x];
    colour_part(cells.c1, w.data(), out.data() + kGray);
    colour_part(cells.c2, w.data(), out.data() + kGray + kColour);
    balance(out);
}

Coarse coarse_of(const Feature& f) {
    std::array<float, kCoarse> o{};
    for (int y = 0; y < kH; ++y)
        for (int x = 0; x < kW; ++x) o[y / 4 * 8 + x / 4] += f[y * kW + x];
    for (int c = 0; c < 2; ++c)
        for (int y = 0; y < kCh; ++y)
            for (int x = 0; x < kCw; ++x) o[88 + c * 44 + y / 2 * 4 + x / 4] += f[kGray + c * kColour + y * kCw + x];
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

float dot(const float* a, const float* b, int n) {
    std::array<float, 16> s{};
    for (int i = 0; i < n; i += 16)
        for (int j = 0; j < 16; ++j) s[j] += a[i + j] * b[i + j];
    for (int w = 8; w > 0; w /= 2)
        for (int j = 0; j < w; ++j) s[j] += s[j + w];
    return s[0];
}

cv::Vec3f light_on(const Thumb& crop, const Thumb& reference, const cv::Rect& cells) {
    cv::Vec3f a(1, 1, 1), b(1, 1, 1);
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
