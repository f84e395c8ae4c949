#include "vision/discs/disc_colours.hpp"

#include <algorithm>
#include <cmath>

#include "vision/colour.hpp"

namespace overboard::vision {
namespace {

constexpr int kSide = 32;  // levels a channel in the colour table

Direction along(const cv::Vec3f& way, const cv::Vec3f& difference) {
    const float sum = std::abs(way[0]) + std::abs(way[1]) + std::abs(way[2]),
                k = sum > 1 ? 256 / sum : 0;
    Direction d{int(way[0] * k), int(way[1] * k), int(way[2] * k), 20};
    d.contrast = std::max(
        8.0f, (difference[0] * d.wb + difference[1] * d.wg + difference[2] * d.wr) / 256);
    return d;
}

}  // namespace

DiscColours::DiscColours(const Catalogue& catalogue) : catalogue_{&catalogue} {
    for (const DiscKind& d : catalogue.discs)
        looks_.push_back({d.type, d.diameter_mm / 2, bgr_of(d.colour), {}, {}});
    surface_ = catalogue.board ? bgr_of(catalogue.board->surface) : cv::Vec3f(180, 180, 180);
    build();
}

void DiscColours::learn(const cv::Vec3f& surface,
                        const std::vector<std::optional<cv::Vec3f>>& seen) {
    surface_ = surface;
    for (std::size_t i = 0; i < looks_.size(); ++i)
        looks_[i].bgr = seen[i] ? *seen[i] : in_this_light(catalogue_->discs[i].colour);
    build();
}

void DiscColours::relight(const cv::Vec3f& times) {
    const auto lit = [&](const cv::Vec3f& c) {
        return cv::Vec3f(std::min(255.f, c[0] * times[0]), std::min(255.f, c[1] * times[1]),
                         std::min(255.f, c[2] * times[2]));
    };
    surface_ = lit(surface_);
    for (DiscLook& look : looks_) look.bgr = lit(look.bgr);
    build();
}

cv::Vec3f DiscColours::in_this_light(const Rgb& colour) const {
    cv::Vec3f v = bgr_of(colour);
    const cv::Vec3f plain = catalogue_->board ? bgr_of(catalogue_->board->surface) : surface_;
    for (int i = 0; i < 3; ++i)
        v[i] = std::min(255.0f, v[i] * surface_[i] / std::max(8.0f, plain[i]));
    return v;
}

int DiscColours::type_like(const Rgb& printed) const {
    constexpr double kLike = 45;  // wide: print fades, and a wrong suspicion costs only a look
    const cv::Vec3f lab = lab_of(in_this_light(printed));
    int type = -1;
    double best = kLike;
    for (std::size_t i = 0; i < looks_.size(); ++i)
        if (const double apart = cv::norm(lab_of(looks_[i].bgr) - lab); apart < best)
            best = apart, type = int(i);
    return type;
}

void DiscColours::set_directions(DiscLook& look) const {
    const cv::Vec3f difference = look.bgr - surface_,
                    shade = surface_ * float(1 / std::max(1.0, cv::norm(surface_)));
    const cv::Vec3f tint = difference - shade * difference.dot(shade);
    look.plain = along(difference, difference);
    look.shadowless = cv::norm(tint) > 0.35 * cv::norm(difference) ? along(tint, difference)
                                                                   : look.plain;
}

// Colours of the board that are no disc's.
std::vector<cv::Vec3f> DiscColours::negatives() const {
    std::vector<cv::Vec3f> list = {lab_of(surface_), lab_of(surface_ * 0.75f)};
    if (!catalogue_->board) return list;
    list.push_back(lab_of(in_this_light(catalogue_->board->frame)));
    for (const PrintedCircle& p : catalogue_->board->circles) {
        const cv::Vec3f lab = lab_of(in_this_light(p.colour));
        if (std::none_of(looks_.begin(), looks_.end(),
                         [&](const DiscLook& t) { return cv::norm(lab_of(t.bgr) - lab) < 14; }))
            list.push_back(lab);
    }
    return list;
}

void DiscColours::build() {
    for (DiscLook& look : looks_) set_directions(look);
    classes_.assign(kSide * kSide * kSide, 0);
    const std::vector<cv::Vec3f> none = negatives();
    std::vector<cv::Vec3f> types;
    for (const DiscLook& look : looks_) types.push_back(lab_of(look.bgr));
    for (int r = 0; r < kSide; ++r)
        for (int g = 0; g < kSide; ++g)
            for (int b = 0; b < kSide; ++b)
                classes_[std::size_t(b | g << 5 | r << 10)] = nearest(
                    lab_of({b * 8.0f + 4, g * 8.0f + 4, r * 8.0f + 4}), types, none);
}

// The nearest type, unless something that is no disc is nearer. Hue counts more than lightness:
// discs have grooves and gloss.
std::uint8_t DiscColours::nearest(const cv::Vec3f& lab, const std::vector<cv::Vec3f>& types,
                                  const std::vector<cv::Vec3f>& negatives) {
    const auto apart = [&](const cv::Vec3f& other) {
        const cv::Vec3f d = lab - other;
        return 0.5f * d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    };
    float best = 40 * 40;
    int type = -1;
    for (std::size_t i = 0; i < types.size(); ++i) {
        const float d = apart(types[i]);
        if (d < best) best = d, type = int(i);
    }
    for (const cv::Vec3f& n : negatives)
        if (apart(n) < best) return 0;
    return std::uint8_t(type + 1);
}

}  // namespace overboard::vision
