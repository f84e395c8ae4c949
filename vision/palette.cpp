#include "vision/palette.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <opencv2/imgproc.hpp>

#include "calibration/colour.hpp"

// A colour's tint is where it lies in the triangle of its red, green and blue shares, after the
// light's own tint was divided out: brightness and most of the room drop out of it. Each pixel goes
// to the nearest of the palette's tints, grey, and the tints the table itself is made of. The 32768
// answers are worked out once, a frame is then one look-up a pixel.

namespace overboard::vision {
namespace {

constexpr float kReach = 0.13f;        ///< Farthest a piece's tint may lie from its palette entry.
constexpr float kTintLeft = 0.45f;     ///< Of a palette entry's tint, in shade and blur …
constexpr float kTintWashed = 0.22f;   ///< … and under a veil of glare, which leaves the hue:
constexpr float kHueWashed = 0.035f;   ///< so far off its ray may such a tint lie,
constexpr float kTableWashed = 0.09f;  ///< and no nearer to what is common on the table.
constexpr float kCommonShare = 0.06f;  ///< A tint this common on the table belongs to the table.

cv::Vec2f tint(const cv::Vec3f& bgr) {
    const float sum = bgr[0] + bgr[1] + bgr[2] + 12.f;  // dark colours have no tint worth believing
    return {(bgr[2] - bgr[1]) / sum, (0.5f * (bgr[2] + bgr[1]) - bgr[0]) / sum};
}

cv::Vec3f balanced(const cv::Vec3f& bgr, const cv::Vec3f& white) {
    cv::Vec3f out;
    const float top = std::max({white[0], white[1], white[2], 1.f});
    for (int c = 0; c < 3; ++c) out[c] = bgr[c] * top / std::max(white[c], 1.f);
    return out;
}

float distance(const cv::Vec2f& a, const cv::Vec2f& b) {
    return std::hypot(a[0] - b[0], a[1] - b[1]);
}

/// The surest white there is: the markers' paper.
std::optional<cv::Vec3f> white_of_markers(const View& view, const Table& table) {
    if (!view.map) return {};
    const auto level = calibration::measure_white(view.bgr, *view.map, table);
    if (!level) return {};
    return cv::Vec3f(level->bgr);
}

/// Tints that cover much of the picture: the table, its cloth, its board. Coarse cells of the tint
/// plane.
std::vector<cv::Vec2f> common_tints(const cv::Mat& bgr, const cv::Vec3f& white) {
    constexpr int kCells = 48;
    std::vector<int> count(kCells * kCells, 0);
    int all = 0;
    const int step = std::max(1, bgr.cols / 240);
    for (int y = 0; y < bgr.rows; y += step)
        for (int x = 0; x < bgr.cols; x += step) {
            const cv::Vec2f t = tint(balanced(cv::Vec3f(bgr.at<cv::Vec3b>(y, x)), white));
            const int i = std::clamp(static_cast<int>((t[0] + 1.2f) / 2.4f * kCells), 0,
                                     kCells - 1);
            const int j = std::clamp(static_cast<int>((t[1] + 1.2f) / 2.4f * kCells), 0,
                                     kCells - 1);
            ++count[i * kCells + j];
            ++all;
        }
    std::vector<cv::Vec2f> out;
    for (int k = 0; k < kCells * kCells; ++k)
        if (count[k] > kCommonShare * static_cast<float>(all))
            out.emplace_back((static_cast<float>(k / kCells) + 0.5f) * 2.4f / kCells - 1.2f,
                             (static_cast<float>(k % kCells) + 0.5f) * 2.4f / kCells - 1.2f);
    return out;
}

}  // namespace

cv::Vec3f bright_reference(const cv::Mat& bgr) {
    std::vector<cv::Vec3f> seen;
    std::vector<float> highs;
    const int step = std::max(1, bgr.cols / 160);
    for (int y = 0; y < bgr.rows; y += step)
        for (int x = 0; x < bgr.cols; x += step) {
            const cv::Vec3f p(bgr.at<cv::Vec3b>(y, x));
            const float high = std::max({p[0], p[1], p[2]}), low = std::min({p[0], p[1], p[2]});
            highs.push_back(high);
            if (low > 0.6f * high) seen.push_back(p);  // near grey: a tinted lamp, not a red sheet
        }
    if (seen.size() < 20) return {255, 255, 255};
    const auto share = [](auto& v, const auto& less) {
        const auto k = v.begin() + static_cast<std::ptrdiff_t>(v.size() * 95 / 100);
        std::nth_element(v.begin(), k, v.end(), less);
        return *k;
    };
    const cv::Vec3f white = share(
        seen, [](const cv::Vec3f& a, const cv::Vec3f& b) { return cv::norm(a) < cv::norm(b); });
    // White is no darker than what is coloured: black pieces on red cloth are not the white.
    const float bright = share(highs, std::less<>{});
    return white * std::max(1.f, bright / std::max({white[0], white[1], white[2], 1.f}));
}

Palette::Palette(const View& view, const Catalogue& catalogue) {
    white_ = white_of_markers(view, catalogue.table).value_or(bright_reference(view.bgr));
    for (const NamedColour& colour : catalogue.palette) {
        const cv::Vec3f bgr(colour.rgb.b, colour.rgb.g, colour.rgb.r);
        names_.push_back(colour.name);
        tints_.push_back(tint(bgr));
        grey_.push_back(distance(tints_.back(), {0, 0}) < 0.1f);
        lightness_.push_back(static_cast<float>(cv::norm(bgr) / std::sqrt(3.0) / 255));
    }
    common_ = common_tints(view.bgr, white_);
    decide_all();
}

void Palette::relight(const cv::Vec3f& white_bgr) {
    white_ = white_bgr;
    decide_all();
}

void Palette::decide_all() {
    table_.resize(32 * 32 * 32);
    glare_table_.resize(table_.size());
    for (int b = 0; b < 32; ++b)
        for (int g = 0; g < 32; ++g)
            for (int r = 0; r < 32; ++r) {
                const cv::Vec3f bgr(b * 8 + 4.f, g * 8 + 4.f, r * 8 + 4.f);
                const int i = (b * 32 + g) * 32 + r;
                table_[i] = decide(bgr, Glare::none);
                glare_table_[i] = decide(bgr, Glare::washes_out);
            }
}

std::uint8_t Palette::decide(const cv::Vec3f& bgr, Glare glare) const {
    const cv::Vec2f t = tint(balanced(bgr, white_));
    int best = -1;
    bool washed = false;
    float near = kReach * 3, grey = distance(t, {0, 0});
    for (std::size_t i = 0; i < tints_.size(); ++i) {
        if (grey_[i]) continue;
        // Washed-out and shaded colours lie nearer to grey on the same ray: they count as the
        // colour.
        const float length = std::hypot(tints_[i][0], tints_[i][1]);
        const float along = (t[0] * tints_[i][0] + t[1] * tints_[i][1]) / length;
        const float aside = std::abs(t[0] * tints_[i][1] - t[1] * tints_[i][0]) / length;
        if (along < kTintWashed * length || along > 1.5f * length) continue;
        const bool pale = along < kTintLeft * length;
        if (pale && (glare == Glare::none || aside > kHueWashed)) continue;
        const float d = aside + 0.25f * std::abs(along - length);
        if (d < near) near = d, best = static_cast<int>(i), washed = pale;
    }
    if (best < 0 || near > kReach * 1.2f) return kNone;
    const float to_piece = distance(t, tints_[best]);
    for (const cv::Vec2f& c : common_) {
        const float reach = washed ? kTableWashed : std::min(0.07f, 0.6f * to_piece + 0.02f);
        if (distance(t, c) < reach && distance(c, tints_[best]) > 0.08f) return kNone;
    }
    return grey < 0.08f ? kNone : static_cast<std::uint8_t>(best);
}

std::uint8_t Palette::class_of(const cv::Vec3f& bgr) const {
    return decide(bgr, Glare::none);
}

cv::Mat Palette::classify(const cv::Mat& bgr, cv::Rect area, Glare glare) const {
    const auto& table = glare == Glare::none ? table_ : glare_table_;
    cv::Mat out(bgr.size(), CV_8U, cv::Scalar(kNone));
    area &= cv::Rect({0, 0}, bgr.size());
    for (int y = area.y; y < area.br().y; ++y) {
        const cv::Vec3b* in = bgr.ptr<cv::Vec3b>(y);
        std::uint8_t* to = out.ptr(y);
        for (int x = area.x; x < area.br().x; ++x)
            to[x] = table[((in[x][0] >> 3) * 32 + (in[x][1] >> 3)) * 32 + (in[x][2] >> 3)];
    }
    return out;
}

cv::Mat colour_classes(const View& view, const Catalogue& catalogue, Glare glare) {
    const cv::Rect all({0, 0}, view.bgr.size());
    cv::Mat calm = view.bgr;
    if (glare == Glare::washes_out)  // noise alone speckles what is pale
        cv::GaussianBlur(view.bgr, calm, {3, 3}, 0);
    cv::Mat classes = view.colours ? view.colours->classify(calm, all, glare)
                                   : Palette{view, catalogue}.classify(calm, all, glare);
    if (!view.mask.empty()) classes.setTo(Palette::kNone, view.mask == 0);
    return classes;
}

std::string likest_colour(const std::vector<NamedColour>& palette, const cv::Vec3f& bgr,
                          const cv::Vec3f& white) {
    const cv::Vec2f seen = tint(balanced(bgr, white));
    std::string best;
    float most = -2;
    for (const NamedColour& colour : palette) {
        const cv::Vec2f own = tint({float(colour.rgb.b), float(colour.rgb.g), float(colour.rgb.r)});
        const float like = seen.dot(own) /
                           std::max(1e-6f, distance(seen, {0, 0}) * distance(own, {0, 0}));
        if (like > most) most = like, best = colour.name;
    }
    return best;
}

std::string colour_name(const cv::Vec3f& bgr, const cv::Vec3f& white) {
    const cv::Vec3f c = balanced(bgr, white) *
                        (255.f / std::max({white[0], white[1], white[2], 1.f}));
    const float high = std::max({c[0], c[1], c[2]}), low = std::min({c[0], c[1], c[2]}),
                chroma = high - low;
    if (high < 62 || (high < 90 && chroma < 24)) return "black";
    if (chroma < 0.2f * high) return high > 175 ? "white" : "grey";
    float hue = high == c[2]   ? (c[1] - c[0]) / chroma
                : high == c[1] ? 2 + (c[0] - c[2]) / chroma
                               : 4 + (c[2] - c[1]) / chroma;
    hue = std::fmod(hue * 60 + 360, 360.f);
    const bool wooden = chroma < 0.65f * high;  // however bright; orange paint is purer
    if (hue < 42 && hue > 12 && (high < 140 || wooden)) return "brown";
    if (hue < 13 || hue > 342) return chroma < 0.45f * high && high > 170 ? "pink" : "red";
    if (hue < 40) return "orange";
    if (hue < 70) return "yellow";
    if (hue < 165) return "green";
    if (hue < 255) return "blue";
    if (hue < 300) return "purple";
    return "pink";
}

}  // namespace overboard::vision
