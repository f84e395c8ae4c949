#include "vision/disc_types.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

// Size first: a kind that is clearly larger than the others is told by its diameter. Then colour,
// always relative to the surface, because sets differ more than kinds do: "white" men may be brown
// and a queen pink. A coloured kind (red, blue) is told by how far a disc leans towards its hue; light and dark kinds
// by lightness, where a little colour counts as light, for dark men are nearly grey. Each threshold
// is put into the widest gap of the discs at hand within a band.
namespace overboard::vision {
namespace {

constexpr float kColouredChroma = 38;      // catalogue colours above it are told by hue
constexpr float kLeanLow = 17, kLeanHigh = 30;        // how far a disc leans to the hue: the band of the threshold
constexpr float kDarkLow = 0.45f, kDarkHigh = 0.68f;  // lightness over the surface's: likewise
constexpr float kOddChroma = 30, kOddLean = 8;        // so much colour, and none of it towards any small kind: a striker's
constexpr double kDarkLarge = 0.06;                   // a dark disc is only taken for a large kind when so much larger
constexpr float kHueFree_rad = 0.65f;      // hues this near to the kind's count in full

// The threshold in the widest gap of the values between low and high.
float widest_gap(std::vector<float> values, float low, float high) {
    values.erase(std::remove_if(values.begin(), values.end(), [&](float v) { return v <= low || v >= high; }), values.end());
    values.push_back(low);
    values.push_back(high);
    std::sort(values.begin(), values.end());
    float best = 0, at = (low + high) / 2;
    for (std::size_t i = 1; i < values.size(); ++i)
        if (values[i] - values[i - 1] > best) best = values[i] - values[i - 1], at = (values[i] + values[i - 1]) / 2;
    return at;
}

// How far the colour leans towards the kind's hue.
float lean(const cv::Vec3f& tint, const cv::Vec3f& kind) {
    const float apart = std::abs(std::remainder(std::atan2(tint[2], tint[1]) - std::atan2(kind[2], kind[1]), float(2 * M_PI)));
    return chroma(tint) * std::cos(std::min(float(M_PI), std::max(0.0f, apart - kHueFree_rad)));
}

// Dark men are nearly grey, light ones have at least a colour. In what is nearly black colour is chance.
float light(const cv::Vec3f& lab, const cv::Vec3f& surface) {
    const float colour = std::min({chroma(lab), chroma(against(lab, surface)), lab[0]});
    return (lab[0] + 2 * colour) / std::max(10.0f, surface[0]);
}

struct Kind {
    const DiscKind* kind;
    cv::Vec3f tint;  // catalogue colour against the catalogue's surface
    double size;
};

std::vector<Kind> kinds_in(const Catalogue& c) {
    const cv::Vec3f surface = lab_of(c.board ? bgr_of(c.board->surface) : cv::Vec3f(200, 200, 200));
    double smallest = 1e9;
    for (const DiscKind& d : c.discs) smallest = std::min(smallest, d.diameter_mm);
    std::vector<Kind> kinds;
    for (const DiscKind& d : c.discs) kinds.push_back({&d, against(lab_of(bgr_of(d.colour)), surface), d.diameter_mm / smallest});
    return kinds;
}

double sure(float value, float threshold, float width) {
    return 0.5 + 0.5 * std::min(1.0f, std::abs(value - threshold) / width);
}

class Namer {
public:
    Namer(const std::vector<DiscLook>& looks, const Catalogue& catalogue) : looks_{looks}, names_(looks.size()) {
        for (const DiscLook& l : looks) tints_.push_back(against(l.lab, l.surface));
        for (const Kind& k : kinds_in(catalogue)) (k.size > 1.1 ? large_ : chroma(k.tint) > kColouredChroma ? coloured_ : grey_).push_back(k);
    }
    std::vector<DiscName> names() {
        by_size();
        by_hue();
        by_lightness();
        return std::move(names_);
    }

private:
    void give(std::size_t i, const Kind& k, double confidence) {
        if (names_[i].type.empty()) names_[i] = {k.kind->type, confidence, {}};
    }
    // Discs larger than half way to the large kind; among more than it has, those nearest to its size and best seen.
    void by_size() {
        if (large_.empty()) return;
        const double between = std::max(1.13, 0.45 + 0.55 * large_.front().size);
        std::vector<std::size_t> order(looks_.size());
        std::iota(order.begin(), order.end(), 0);
        const auto off = [&](std::size_t i) {
            return std::abs(looks_[i].size - large_.front().size) + 0.5 * (1 - looks_[i].rim) - (has_odd_colour(i) ? 0.15 : 0);
        };
        std::sort(order.begin(), order.end(), [&](auto a, auto b) { return off(a) < off(b); });
        int left = 0;
        for (const Kind& k : large_) left += std::max(1, k.kind->count);
        for (std::size_t i : order) {
            if (looks_[i].size < least_large(i, between)) continue;
            if (left-- <= 0) break;
            const Kind* best = &large_.front();
            for (const Kind& k : large_)
                if (cv::norm(tints_[i] - k.tint) < cv::norm(tints_[i] - best->tint)) best = &k;
            give(i, *best, sure(float(looks_[i].size), float(between), 0.08f));
        }
    }
    // Sizes alone are not always clear: a colour that no small kind has, or that of a dark one, helps.
    [[nodiscard]] double least_large(std::size_t i, double between) const {
        if (has_odd_colour(i)) return between - 0.08;
        const bool dark = light(looks_[i].lab, looks_[i].surface) < kDarkLow && !grey_.empty();
        return dark ? between + kDarkLarge : between;
    }
    [[nodiscard]] bool has_odd_colour(std::size_t i) const {
        return chroma(tints_[i]) > kOddChroma && std::all_of(coloured_.begin(), coloured_.end(), [&](const Kind& k) { return lean(tints_[i], k.tint) < kOddLean; });
    }
    void by_hue() {
        for (const Kind& k : coloured_) {
            std::vector<float> leans;
            for (std::size_t i = 0; i < looks_.size(); ++i) leans.push_back(names_[i].type.empty() ? lean(tints_[i], k.tint) : 0);
            const float threshold = widest_gap(leans, kLeanLow, kLeanHigh);
            for (std::size_t i = 0; i < looks_.size(); ++i) {
                const bool too_dark = !grey_.empty() && looks_[i].lab[0] < 0.19f * looks_[i].surface[0];
                if (leans[i] > threshold && !too_dark && is_best_hue(i, k)) give(i, k, sure(leans[i], threshold, 10));
            }
        }
    }
    bool is_best_hue(std::size_t i, const Kind& k) const {
        return std::none_of(coloured_.begin(), coloured_.end(), [&](const Kind& other) {
            return lean(tints_[i], other.tint) > lean(tints_[i], k.tint) + 0.01f;
        });
    }
    void by_lightness() {
        if (grey_.empty()) return by_nearest_hue();
        std::sort(grey_.begin(), grey_.end(), [](const Kind& a, const Kind& b) { return a.tint[0] < b.tint[0]; });
        std::vector<float> lights;
        for (std::size_t i = 0; i < looks_.size(); ++i)
            if (names_[i].type.empty()) lights.push_back(light(looks_[i].lab, looks_[i].surface));
        const float threshold = widest_gap(lights, kDarkLow, kDarkHigh);
        for (std::size_t i = 0; i < looks_.size(); ++i) {
            const float value = light(looks_[i].lab, looks_[i].surface);
            give(i, value < threshold ? grey_.front() : grey_.back(), sure(value, threshold, 0.12f));
        }
    }
    // Only coloured kinds exist: whatever is left is the one it leans to most.
    void by_nearest_hue() {
        std::vector<Kind> all = coloured_;
        if (all.empty()) all = large_;
        if (all.empty()) return;
        for (std::size_t i = 0; i < looks_.size(); ++i) {
            const auto best = std::max_element(all.begin(), all.end(), [&](const Kind& a, const Kind& b) {
                return lean(tints_[i], a.tint) < lean(tints_[i], b.tint);
            });
            give(i, *best, 0.5);
        }
    }

    const std::vector<DiscLook>& looks_;
    std::vector<DiscName> names_;
    std::vector<cv::Vec3f> tints_;
    std::vector<Kind> large_, coloured_, grey_;
};

DiscName nearest_colour(const DiscLook& look, const std::vector<NamedColour>& palette) {
    DiscName name;
    double best = 1e9, second = 1e9;
    const cv::Vec3f tint = against(look.lab, look.surface * 0.6f);
    for (const NamedColour& c : palette) {
        cv::Vec3f difference = tint - lab_of(bgr_of(c.rgb));
        difference[0] *= 0.7f;
        const double d = cv::norm(difference);
        if (d < best) second = best, name.other = name.type, best = d, name.type = c.name;
        else if (d < second) second = d, name.other = c.name;
    }
    name.confidence = 0.5 + 0.5 * (second - best) / std::max(1.0, second);
    return name;
}

}  // namespace

std::vector<DiscName> name_discs(const std::vector<DiscLook>& looks, const Catalogue& catalogue) {
    if (!catalogue.discs.empty()) return Namer(looks, catalogue).names();
    std::vector<DiscName> names;
    for (const DiscLook& l : looks) names.push_back(nearest_colour(l, catalogue.palette));
    return names;
}

}  // namespace overboard::vision
