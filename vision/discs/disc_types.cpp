#include "vision/discs/disc_types.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

// Size first: a kind that is clearly larger than the others is told by its diameter. Then colour,
// relative to the surface and to the other discs, because sets differ more than kinds do: "white"
// men may be brown and a queen pink. A surface of wood tells the tint of the light, one of green
// cloth or blue paint only its own: so a disc has a colour only as far as it has it both as it is
// and against the surface. A coloured kind (red, blue) is told by how far a disc leans towards its
// hue; light and dark kinds by lightness, where a little colour counts as light, for dark men are
// nearly grey. Each threshold is put into the widest gap of the discs at hand within a band.
namespace overboard::vision {
namespace {

constexpr float kColouredChroma = 38;  // catalogue colours above it are told by hue
// how far a disc leans to the hue: the band of the threshold
constexpr float kLeanLow = 17, kLeanHigh = 30;
// of more discs than the kind has: those leaning so far, or the first by so much
constexpr float kFullLean = 45, kLeanGap = 6;
// lightness over that of the surface or the lightest disc: likewise
constexpr float kDarkLow = 0.45f, kDarkHigh = 0.68f;
constexpr float kUsualLight = 62;  // L of the lightest man or board in dim photographs; others more
// of its lightness: the colour of what is dark says no more than so much about it being light
constexpr float kColourOfDark = 0.4f;
// a gap so wide lies between two kinds when what is below it may be dark, …
constexpr float kTwoKinds = 0.2f;
// … and one so wide also when glare lies on the dark ones, up to so light
constexpr float kClearlyTwoKinds = 0.25f, kDarkInGlare = 0.9f;
// so much colour, and none of it towards any small kind: a striker's
constexpr float kOddChroma = 30, kOddLean = 8;
// a dark disc is only taken for a large kind when so much larger
constexpr double kDarkLarge = 0.06;
// more of a kind than its set has, as far as print and other things may be among them
constexpr int kSpareMen = 2;
// a gap so wide parts them then, of the lightest
constexpr float kDullGap = 0.1f;
constexpr float kLeastLean = 4;  // where all kinds are coloured, what leans to none is no disc
constexpr float kHueFree_rad = 0.65f;     // hues this near to the kind's count in full, beside a
                                          // surface that may be tinted
constexpr float kOwnHueFree_rad = 0.35f;  // likewise of the hue as it is, and beyond it twice as
                                          // strictly: brown is no red on green cloth

// The threshold in the widest gap of the values between low and high.
float widest_gap(std::vector<float> values, float low, float high) {
    values.erase(std::remove_if(values.begin(), values.end(),
                                [&](float v) { return v <= low || v >= high; }),
                 values.end());
    values.push_back(low);
    values.push_back(high);
    std::sort(values.begin(), values.end());
    float best = 0, at = (low + high) / 2;
    for (std::size_t i = 1; i < values.size(); ++i)
        if (values[i] - values[i - 1] > best)
            best = values[i] - values[i - 1], at = (values[i] + values[i - 1]) / 2;
    return at;
}

// How far the colour leans towards the kind's hue.
float lean(const cv::Vec3f& tint, const cv::Vec3f& kind, float free_rad = kHueFree_rad,
           float strict = 1) {
    const float apart = std::abs(std::remainder(
        std::atan2(tint[2], tint[1]) - std::atan2(kind[2], kind[1]), float(2 * M_PI)));
    return chroma(tint) *
           std::cos(std::min(float(M_PI), strict * std::max(0.0f, apart - free_rad)));
}

// Does a gap between these two part dark from light?
bool parts_two_kinds(float below, float above) {
    const float gap = above - below;
    return (gap > kTwoKinds && below < kDarkHigh && above > kDarkLow) ||
           (gap > kClearlyTwoKinds && below < kDarkInGlare && above > kDarkHigh);
}

// Between light and dark: in the widest gap that is wide enough for two kinds, else within the
// band.
float between_light_and_dark(std::vector<float> lights) {
    std::sort(lights.begin(), lights.end());
    float best = 0, at = 0;
    for (std::size_t i = 1; i < lights.size(); ++i) {
        const float below = lights[i - 1], above = lights[i];
        if (parts_two_kinds(below, above) && above - below > best)
            best = above - below, at = (below + above) / 2;
    }
    return best > 0 ? at : widest_gap(lights, kDarkLow, kDarkHigh);
}

struct Split {
    float gap = 0, at = 0;
};

// The widest gap that leaves so many values on either side.
Split widest_split(std::vector<float> values, std::size_t least, std::size_t most) {
    std::sort(values.begin(), values.end());
    Split best;
    for (std::size_t i = 1; i < values.size(); ++i)
        if (const float gap = values[i] - values[i - 1]; std::min(i, values.size() - i) >= least &&
                                                         std::max(i, values.size() - i) <= most &&
                                                         gap > best.gap)
            best = {gap, (values[i] + values[i - 1]) / 2};
    return best;
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
    for (const DiscKind& d : c.discs)
        kinds.push_back({&d, against(lab_of(bgr_of(d.colour)), surface), d.diameter_mm / smallest});
    return kinds;
}

double sure(float value, float threshold, float width) {
    return 0.5 + 0.5 * std::min(1.0f, std::abs(value - threshold) / width);
}

class Namer {
public:
    Namer(const std::vector<SeenDisc>& looks, const Catalogue& catalogue)
        : looks_{looks}, names_(looks.size()) {
        for (const SeenDisc& l : looks) tints_.push_back(against(l.lab, l.surface));
        for (const SeenDisc& l : looks) lightest_ = std::max(lightest_, l.surface[0]);
        for (const Kind& k : kinds_in(catalogue))
            (k.size > 1.1                       ? large_
             : chroma(k.tint) > kColouredChroma ? coloured_
                                                : grey_)
                .push_back(k);
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
    // Discs larger than half way to the large kind; among more than it has, those nearest to its
    // size and best seen.
    void by_size() {
        if (large_.empty()) return;
        const double between = std::max(1.13, 0.45 + 0.55 * large_.front().size);
        std::vector<std::size_t> order(looks_.size());
        std::iota(order.begin(), order.end(), 0);
        const auto off = [&](std::size_t i) {
            return std::abs(looks_[i].size - large_.front().size) + 0.5 * (1 - looks_[i].rim) -
                   (has_odd_colour(i) ? 0.15 : 0);
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
    // Sizes alone are not always clear: a colour that no small kind has, or that of a dark one,
    // helps.
    [[nodiscard]] double least_large(std::size_t i, double between) const {
        if (has_odd_colour(i)) return between - 0.08;
        const bool dark = light(i) < kDarkLow && !grey_.empty();
        return dark ? between + kDarkLarge : between;
    }
    [[nodiscard]] float colour(std::size_t i) const {
        return std::min(chroma(looks_[i].lab), chroma(tints_[i]));
    }
    [[nodiscard]] float leaning(std::size_t i, const Kind& k) const {
        const float own = lean(looks_[i].lab, k.tint, kOwnHueFree_rad, 2);
        return well_lit() *
               (is_paint(looks_[i].surface) ? own : std::min(own, lean(tints_[i], k.tint)));
    }
    // No light has so much of such a colour: what it tints is the surface, not the discs.
    [[nodiscard]] static bool is_paint(const cv::Vec3f& surface) {
        constexpr float kColour = 25, kReddestWood_rad = 0.65f, kGreenestWood_rad = 2.0f;
        const float hue = std::atan2(surface[2], surface[1]);
        return chroma(surface) > kColour && (hue < kReddestWood_rad || hue > kGreenestWood_rad);
    }
    // Less light makes all of Lab smaller alike: as if the lightest thing were as light as usual.
    [[nodiscard]] float well_lit() const { return std::clamp(kUsualLight / lightest_, 1.f, 1.5f); }
    // Dark men are nearly grey, light ones have at least a colour. In what is nearly black colour
    // is chance.
    [[nodiscard]] float light(std::size_t i) const {
        return (looks_[i].lab[0] + 2 * std::min(colour(i), kColourOfDark * looks_[i].lab[0])) /
               lightest_;
    }
    [[nodiscard]] bool has_odd_colour(std::size_t i) const {
        return colour(i) > kOddChroma &&
               std::all_of(coloured_.begin(), coloured_.end(),
                           [&](const Kind& k) { return leaning(i, k) < kOddLean; });
    }
    // Light and dark men are of wood, ivory or grey: blue and green ones belong to another set.
    [[nodiscard]] bool is_unlike_wood(std::size_t i) const {
        constexpr float kColour = 14, kReddest_rad = 0.2f, kGreenest_rad = 2.2f;
        const float hue = std::atan2(tints_[i][2], tints_[i][1]);
        const float own_hue = std::atan2(looks_[i].lab[2], looks_[i].lab[1]);
        const auto outside = [&](float h) { return h < kReddest_rad || h > kGreenest_rad; };
        return colour(i) > kColour && outside(hue) && outside(own_hue);
    }
    void by_hue() {
        for (const Kind& k : coloured_) {
            std::vector<float> leans;
            for (std::size_t i = 0; i < looks_.size(); ++i)
                leans.push_back(names_[i].type.empty() ? leaning(i, k) : 0);
            const float threshold = least_lean(leans, k);
            for (std::size_t i = 0; i < looks_.size(); ++i) {
                const bool too_dark = !grey_.empty() &&
                                      looks_[i].lab[0] < 0.19f * looks_[i].surface[0];
                if (leans[i] > threshold && !too_dark && is_best_hue(i, k))
                    give(i, k, sure(leans[i], threshold, 10));
            }
        }
    }
    // Brown men in bad light lean to red all alike: of more than there can be, only those that
    // stand out from the rest.
    [[nodiscard]] float least_lean(std::vector<float> leans, const Kind& k) const {
        const float threshold = widest_gap(leans, kLeanLow, kLeanHigh);
        const auto count = std::size_t(std::max(1, k.kind->count));
        std::sort(leans.rbegin(), leans.rend());
        if (grey_.empty() || leans.size() <= count || leans[count] <= threshold) return threshold;
        if (leans[count - 1] - leans[count] > kLeanGap)
            return (leans[count - 1] + leans[count]) / 2;
        const bool crowd = leans.size() > count + 2 && leans[count + 2] > threshold;
        return crowd ? std::max(threshold, kFullLean) : threshold;
    }
    bool is_best_hue(std::size_t i, const Kind& k) const {
        return std::none_of(coloured_.begin(), coloured_.end(), [&](const Kind& other) {
            return lean(tints_[i], other.tint) > lean(tints_[i], k.tint) + 0.01f;
        });
    }
    void by_lightness() {
        if (grey_.empty()) return by_nearest_hue();
        std::sort(grey_.begin(), grey_.end(),
                  [](const Kind& a, const Kind& b) { return a.tint[0] < b.tint[0]; });
        for (std::size_t i = 0; i < looks_.size(); ++i)
            if (names_[i].type.empty()) lightest_ = std::max(lightest_, looks_[i].lab[0]);
        std::vector<float> lights;
        std::vector<float> plain;  // without what little colour there is
        for (std::size_t i = 0; i < looks_.size(); ++i) {
            const bool of_another_set = has_odd_colour(i) || is_unlike_wood(i);
            if (!names_[i].type.empty() || of_another_set) continue;
            lights.push_back(light(i)), plain.push_back(looks_[i].lab[0] / lightest_);
        }
        float threshold = between_light_and_dark(lights);
        const Split all_dull = crowd_of_one_kind(lights, threshold) ? among_dull(plain) : Split{};
        if (all_dull.gap > 0) threshold = all_dull.at;
        for (std::size_t i = 0; i < looks_.size(); ++i) {
            const float value = all_dull.gap > 0 ? looks_[i].lab[0] / lightest_ : light(i);
            give(i, value < threshold ? grey_.front() : grey_.back(),
                 has_odd_colour(i) || is_unlike_wood(i) ? 0.5 : sure(value, threshold, 0.12f));
        }
    }
    // More of one kind than its set has, and none of the other: glare makes dark men as light as
    // light ones are elsewhere.
    [[nodiscard]] bool crowd_of_one_kind(const std::vector<float>& lights, float threshold) const {
        const auto dark = std::count_if(lights.begin(), lights.end(),
                                        [&](float v) { return v < threshold; });
        const auto light = std::ptrdiff_t(lights.size()) - dark;
        return grey_.size() > 1 && std::max(dark, light) > grey_.front().kind->count + kSpareMen;
    }
    // Glare takes colour, too.
    [[nodiscard]] Split among_dull(const std::vector<float>& plain) const {
        const Split s = widest_split(plain, kSpareMen + 1,
                                     std::size_t(grey_.front().kind->count + kSpareMen));
        return s.gap > kDullGap ? s : Split{};
    }
    // Only coloured kinds exist: whatever is left is the one it leans to most.
    void by_nearest_hue() {
        std::vector<Kind> all = coloured_;
        if (all.empty()) all = large_;
        if (all.empty()) return;
        for (std::size_t i = 0; i < looks_.size(); ++i) {
            const auto best = std::max_element(
                all.begin(), all.end(), [&](const Kind& a, const Kind& b) {
                    return lean(tints_[i], a.tint) < lean(tints_[i], b.tint);
                });
            if (leaning(i, *best) > kLeastLean) give(i, *best, 0.5);
        }
    }

    const std::vector<SeenDisc>& looks_;
    std::vector<DiscName> names_;
    std::vector<cv::Vec3f> tints_;
    float lightest_ = 10;  // lightness of the surface, or of the lightest man on a dark one
    std::vector<Kind> large_, coloured_, grey_;
};

DiscName nearest_colour(const SeenDisc& look, const std::vector<NamedColour>& palette) {
    DiscName name;
    double best = 1e9, second = 1e9;
    const cv::Vec3f tint = against(look.lab, look.surface * 0.6f);
    for (const NamedColour& c : palette) {
        cv::Vec3f difference = tint - lab_of(bgr_of(c.rgb));
        difference[0] *= 0.7f;
        const double d = cv::norm(difference);
        if (d < best)
            second = best, name.other = name.type, best = d, name.type = c.name;
        else if (d < second)
            second = d, name.other = c.name;
    }
    name.confidence = 0.5 + 0.5 * (second - best) / std::max(1.0, second);
    return name;
}

}  // namespace

std::vector<DiscName> name_discs(const std::vector<SeenDisc>& looks, const Catalogue& catalogue) {
    if (!catalogue.discs.empty()) return Namer(looks, catalogue).names();
    std::vector<DiscName> names;
    for (const SeenDisc& l : looks) names.push_back(nearest_colour(l, catalogue.palette));
    return names;
}

}  // namespace overboard::vision
