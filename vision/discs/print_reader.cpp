// The crop is sampled once, with room around it, and every reference is slid over it: first over a
// grid of half the resolution, then the best few over the full one. What is compared is the
// correlation of all three colours together, each channel's mean taken out: a lamp's tint goes, the
// ink's colour stays.
#include "vision/discs/print_reader.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <opencv2/imgproc.hpp>

#include "vision/flats/quads.hpp"

namespace overboard::vision {
namespace {

constexpr float kRoom = 1.6F;            // the crop's sides by the piece's
constexpr int kTileW = 40, kTileH = 55;  // the piece on the crop's grid of kFineW × kFineH
constexpr int kPrintW = 36,
              kPrintH = 48;              // the part that is compared: the rim may be a neighbour's
constexpr int kReachX = 5, kReachY = 7;  // how far it may be off, cells of the coarse grid
constexpr float kVeil = 24;  // levels: stray light is a large part of what is dark, and no tint
constexpr std::size_t kRefined = 8;  // how many references are slid over the full grid

/// Chosen with tests/bench/vision_cards_accuracy_bench; run it again when you change them.
struct PrintLimits {
    float sure = 0.6F;          ///< Correlation. Lower: print of another kind is taken for a piece.
    float min_margin = 0.1F;    ///< Of the difference between two faces, half of which is on either
                                ///< side. Lower: more guesses.
    float unexplained = 0.38F;  ///< Of the print in any one place. Higher: strangers that lack a
                                ///< stroke.
};
constexpr PrintLimits kPrint;

/// One grid of a crop: colours, and what is needed for the length of any window of it.
struct Grid {
    int w = 0, h = 0;
    cv::Mat bgr;            // CV_32FC3, one row more
    cv::Mat sums, squares;  // integrals, CV_64FC3
    explicit Grid(const cv::Mat& picture) : w{picture.cols}, h{picture.rows} {
        cv::integral(picture, sums, squares, CV_64F, CV_64F);
        cv::copyMakeBorder(picture, bgr, 0, 1, 0, 0,
                           cv::BORDER_CONSTANT);  // whole vectors reach past the last row
    }

    [[nodiscard]] cv::Vec3d sum(const cv::Mat& of, const cv::Rect& r) const {
        return of.at<cv::Vec3d>(r.y, r.x) + of.at<cv::Vec3d>(r.br().y, r.br().x) -
               of.at<cv::Vec3d>(r.y, r.br().x) - of.at<cv::Vec3d>(r.br().y, r.x);
    }
    [[nodiscard]] float length(const cv::Rect& r) const {
        const cv::Vec3d s = sum(sums, r), q = sum(squares, r);
        double out = 0;
        for (int c = 0; c < 3; ++c) out += q[c] - s[c] * s[c] / r.area();
        return static_cast<float>(
            std::sqrt(std::max(out, 0.0) + 9.0 * r.area()));  // sensor noise is no print
    }
};

constexpr int kLanes = 8;
constexpr int padded(int n) {
    return (n + kLanes - 1) / kLanes * kLanes;
}

/// Rows of the print are padded with zeros, so that whole vectors can be taken.
float slide(const Grid& grid, const std::vector<float>& print, const cv::Rect& at) {
    std::array<float, kLanes> sum{};
    const int n = padded(at.width * 3);
    for (int y = 0; y < at.height; ++y) {
        const float *p = grid.bgr.ptr<float>(at.y + y) + 3 * at.x,
                    *q = &print[static_cast<std::size_t>(y) * n];
        for (int i = 0; i < n; i += kLanes)
            for (int k = 0; k < kLanes; ++k) sum[k] += p[i + k] * q[i + k];
    }
    return ((sum[0] + sum[4]) + (sum[1] + sum[5]) + (sum[2] + sum[6]) + (sum[3] + sum[7])) /
           grid.length(at);
}

struct Found {
    float score = -1;
    int print = 0;
    cv::Point at;  // top-left of the print on the grid
};

/// The best place of one print within `reach` of `middle`.
Found best_place(const Grid& grid, const std::vector<float>& print, cv::Size size, cv::Point middle,
                 cv::Point reach) {
    Found best;
    for (int y = std::max(0, middle.y - reach.y);
         y <= std::min(grid.h - size.height, middle.y + reach.y); ++y)
        for (int x = std::max(0, middle.x - reach.x);
             x <= std::min(grid.w - size.width, middle.x + reach.x); ++x) {
            const float s = slide(grid, print, {{x, y}, size});
            if (s > best.score) best.score = s, best.at = {x, y};
        }
    return best;
}

Found best_place(const Grid& coarse, const std::vector<float>& print) {
    const cv::Size half(kPrintW / 2, kPrintH / 2);
    return best_place(coarse, print, half,
                      {(coarse.w - half.width) / 2, (coarse.h - half.height) / 2},
                      {kReachX, kReachY});
}

std::vector<float> normalised(const cv::Mat& bgr) {
    const cv::Scalar mean = cv::mean(bgr);
    const int n = padded(bgr.cols * 3);
    std::vector<float> out(static_cast<std::size_t>(bgr.rows) * n);
    for (int y = 0; y < bgr.rows; ++y)
        for (int x = 0; x < bgr.cols * 3; ++x)
            out[y * n + x] = bgr.ptr<float>(y)[x] - static_cast<float>(mean[x % 3]);
    const auto length = static_cast<float>(cv::norm(out)) + 1e-3F;
    for (float& v : out) v /= length;
    return out;
}

/// Correlation of two prints where they were found. If the crop shows the first, it is this much
/// less like the second.
float alike(const std::vector<float>& a, cv::Point at_a, const std::vector<float>& b,
            cv::Point at_b) {
    const cv::Rect place_a(at_a, cv::Size(kPrintW, kPrintH)),
        place_b(at_b, cv::Size(kPrintW, kPrintH)), both = place_a & place_b;
    float sum = 0;
    for (int y = both.y; y < both.br().y; ++y) {
        const float* p = &a[(y - at_a.y) * padded(kPrintW * 3) + 3 * (both.x - at_a.x)];
        const float* q = &b[(y - at_b.y) * padded(kPrintW * 3) + 3 * (both.x - at_b.x)];
        for (int i = 0; i < both.width * 3; ++i) sum += p[i] * q[i];
    }
    return std::min(sum, 0.995F);
}

/// How much of the print is left unexplained in the block where most is, 0 … 1. A missing stroke
/// makes one face of another.
float worst_block(const Grid& grid, const std::vector<float>& print, const cv::Rect& at,
                  float score) {
    constexpr int kW = kPrintW / 4, kH = kPrintH / 4;
    const cv::Vec3d mean = grid.sum(grid.sums, at) * (1.0 / at.area());
    const float length = grid.length(at);
    const auto value = [&](int x, int y, int c) {
        return (grid.bgr.ptr<float>(at.y + y)[3 * (at.x + x) + c] - static_cast<float>(mean[c])) /
               length;
    };
    float worst = 0;
    for (int y0 = 0; y0 + kH <= kPrintH; y0 += kH / 2)
        for (int x0 = 0; x0 + kW <= kPrintW; x0 += kW / 2) {
            float left = 0, seen = 0, told = 0;
            for (int y = y0; y < y0 + kH; ++y)
                for (int x = x0; x < x0 + kW; ++x)
                    for (int c = 0; c < 3; ++c) {
                        const float v = value(x, y, c),
                                    t = score * print[y * padded(kPrintW * 3) + 3 * x + c];
                        left += (v - t) * (v - t), seen += v * v, told += t * t;
                    }
            worst = std::max(worst, left / (std::max(seen, told) + 0.02F));
        }
    return worst;
}

cv::Mat floats_of(const Thumb& thumb) {
    cv::Mat out;
    cv::Mat(kFineH, kFineW, CV_8UC3, const_cast<std::uint8_t*>(thumb.bgr.data()))
        .convertTo(out, CV_32F);
    return out;
}

cv::Mat halved(const cv::Mat& bgr) {
    cv::Mat out;
    cv::resize(bgr, out, {bgr.cols / 2, bgr.rows / 2}, 0, 0, cv::INTER_AREA);
    return out;
}

/// The reference as it shows on the crop's grid.
cv::Mat print_of(const Thumb& thumb) {
    cv::Mat soft, out;
    cv::GaussianBlur(floats_of(thumb), soft, {}, 0.6);
    const double kx = kFineW / (1 - 2 * kThumbInset) / kTileW,
                 ky = kFineH / (1 - 2 * kThumbInset) / kTileH;
    const cv::Matx23d to_thumb(kx, 0, 0.5 * (kFineW - 1 - kx * (kPrintW - 1)), 0, ky,
                               0.5 * (kFineH - 1 - ky * (kPrintH - 1)));
    cv::warpAffine(soft, out, to_thumb, {kPrintW, kPrintH}, cv::INTER_LINEAR | cv::WARP_INVERSE_MAP,
                   cv::BORDER_REPLICATE);
    return out;
}

/// The piece with room around it.
cv::Mat crop(const cv::Mat& bgr, cv::Point2f centre, const Shape& shape) {
    constexpr float kWide = kRoom / (1 - 2 * kThumbInset);
    Thumb thumb;
    sample(bgr, placed(centre, {shape.x * kWide, shape.y * kWide}), thumb);
    return floats_of(thumb);
}

}  // namespace

Shape shape_of(const Corners& c) {
    return {(c[1] - c[0] + c[2] - c[3]) * 0.5F, (c[3] - c[0] + c[2] - c[1]) * 0.5F};
}

Corners placed(cv::Point2f centre, const Shape& s) {
    const cv::Point2f x = s.x * 0.5F, y = s.y * 0.5F;
    return {centre - x - y, centre + x - y, centre + x + y, centre - x + y};
}

PrintReader::PrintReader(const Faces& deck, const Shape& shape, bool upright)
    : shape_{shape}, names_{deck.names()} {
    const bool square = std::fabs(std::log(deck.aspect())) < 0.1;
    for (int face = 0; face < static_cast<int>(deck.size()); ++face)
        for (int turn = 0; turn < 4; turn += upright ? 4 : square ? 1 : 2) {
            const cv::Mat bgr = print_of(deck.reference(static_cast<std::size_t>(face), turn));
            const cv::Scalar mean = cv::mean(bgr);
            prints_.push_back({face,
                               turn,
                               normalised(halved(bgr)),
                               normalised(bgr),
                               {static_cast<float>(mean[0]), static_cast<float>(mean[1]),
                                static_cast<float>(mean[2])}});
        }
}

float PrintReader::likeness(const cv::Mat& bgr, cv::Point2f centre, const std::string& face) const {
    const Grid coarse(halved(crop(bgr, centre, shape_)));
    float best = -1;
    for (const Print& print : prints_)
        if (names_[print.face] == face)
            best = std::max(best, best_place(coarse, print.coarse).score);
    return best;
}

FaceMatch PrintReader::read(const cv::Mat& bgr, cv::Point2f centre) const {
    const cv::Mat picture = crop(bgr, centre, shape_);
    const Grid fine(picture), coarse(halved(picture));
    const cv::Size size(kPrintW, kPrintH);
    std::vector<Found> list;
    for (int k = 0; k < static_cast<int>(prints_.size()); ++k) {
        list.push_back(best_place(coarse, prints_[k].coarse));
        list.back().print = k;
    }
    const auto better = [](const Found& a, const Found& b) { return a.score > b.score; };
    std::sort(list.begin(), list.end(), better);
    list.resize(std::min(list.size(), kRefined));
    for (Found& f : list) {
        const int print = f.print;
        f = best_place(fine, prints_[print].fine, size, f.at * 2, {2, 2});
        f.print = print;
    }
    std::sort(list.begin(), list.end(), better);
    FaceMatch match;
    if (list.empty()) return match;
    const Found& best = list[0];
    const Print& print = prints_[best.print];
    match.best = names_[print.face];
    match.score = match.likeness = best.score;
    match.margin = 1;
    for (const Found& f : list)
        if (prints_[f.print].face != print.face)
            match.margin = std::min(
                match.margin,
                double{(best.score - f.score) /
                       (1 - alike(print.fine, best.at, prints_[f.print].fine, f.at))});
    const cv::Point2f off(static_cast<float>(best.at.x - (kFineW - kPrintW) / 2) / kTileW,
                          static_cast<float>(best.at.y - (kFineH - kPrintH) / 2) / kTileH);
    match.corners = placed(centre + shape_.x * off.x + shape_.y * off.y, shape_);
    std::rotate(match.corners.begin(), match.corners.begin() + (4 - print.turn) % 4,
                match.corners.end());
    match.quarter_turns = print.turn;
    const cv::Vec3d sum = fine.sum(fine.sums, {best.at, size});
    for (int c = 0; c < 3; ++c)
        match.light[c] = static_cast<float>(sum[c] / size.area() + kVeil) / (print.mean[c] + kVeil);
    match.worst = worst_block(fine, print.fine, {best.at, size}, best.score);
    if (best.score >= kPrint.sure && match.margin >= kPrint.min_margin &&
        match.worst < kPrint.unexplained)
        match.face = match.best;
    match.confidence = match.face
                           ? 0.5 + 0.5 * std::sqrt(std::clamp((best.score - 0.5) / 0.4, 0.0, 1.0) *
                                                   std::clamp(match.margin / 0.2, 0.0, 1.0))
                           : std::clamp(0.5 * best.score, 0.0, 0.49);
    std::vector<int> told{match.face ? print.face : -1};
    for (const Found& f : list) {
        const int face = prints_[f.print].face;
        if (std::find(told.begin(), told.end(), face) != told.end()) continue;
        told.push_back(face);
        match.alternatives.push_back({names_[face], std::clamp(0.5 * f.score, 0.0, 0.5)});
    }
    return match;
}

}  // namespace overboard::vision
