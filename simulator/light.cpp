#include "simulator/light.hpp"

#include <random>
#include <stdexcept>

namespace overboard::simulator {

cv::Vec3f Light::from(const Lamp& lamp, const cv::Vec3d& point, const cv::Vec3d& normal) const {
    const cv::Vec3d to = lamp.at_mm - point;
    const double d2 = to.dot(to), d = std::sqrt(d2);
    // An area light lights even what it only grazes.
    const double soft = std::min(0.6, lamp.radius_mm / d);
    const double cosine = std::max(0.0, (to.dot(normal) / d + soft) / (1 + soft));
    const double reference = lamp.at_mm[2] * lamp.at_mm[2];
    return lamp.colour * float(cosine * reference / d2);
}

cv::Vec3f Light::at(const cv::Vec3d& point, const cv::Vec3d& normal) const {
    cv::Vec3f sum = ambient * float(0.5 + 0.5 * normal[2]);
    for (const Lamp& lamp : lamps) sum += from(lamp, point, normal);
    return sum;
}

namespace {

// Colour of light by rough temperature: -1 warm bulb … 0 neutral … +1 sky. BGR.
cv::Vec3f tint(double warmth) {
    const auto t = float(warmth);
    return {1 + 0.35f * t, 1 + 0.04f * t, 1 - 0.22f * t};
}

struct Dice {
    std::mt19937_64 engine;
    double operator()(double from, double to) {
        return std::uniform_real_distribution<double>(from, to)(engine);
    }
};

Light easy(Dice& d, const Table& t) {
    Light l;
    l.lamps = {{{t.width_mm * 0.2, -300 + d(-50, 50), 1900}, tint(0.05) * 0.32f, 260},
               {{t.width_mm * 0.85, t.height_mm + 300, 1900 + d(-80, 80)}, tint(0) * 0.28f, 260}};
    l.ambient = tint(0.02) * 0.24f;
    l.material = Material::cloth;
    l.gloss = 0;
    l.psf_px = 0.55;
    l.noise = 1.3;
    l.jpeg_quality = 95;
    return l;
}

Light cafe(Dice& d, const Table& t) {
    Light l;
    l.lamps = {
        {{t.width_mm * d(0.15, 0.35), t.height_mm * d(0.0, 0.4), 1250}, tint(-0.55) * 0.42f, 60},
        {{t.width_mm * d(0.65, 0.9), t.height_mm * d(0.5, 1.1), 1400}, tint(-0.5) * 0.26f, 60},
        {{-1500, t.height_mm * d(0.2, 0.8), 1150}, tint(0.5) * 0.75f, 420}};
    l.ambient = tint(-0.15) * 0.13f;
    l.material = d(0, 1) < 0.7 ? Material::wood : Material::cloth;
    l.gloss = l.material == Material::wood ? 0.10 : 0;
    l.gloss_width_mm = 75;
    l.vignette = 0.22;
    l.psf_px = 0.75;
    l.noise = 2.4;
    l.shutter_s = 1 / 120.0;
    l.readout_s = 0.014;
    l.jpeg_quality = 88;
    l.exposure_drift = 0.025;
    l.colour_drift = 0.012;
    l.flicker = 0.006;
    const auto wb = tint(d(-0.12, 0.12));
    l.cast = wb;
    l.exposure = d(0.9, 1.05);
    return l;
}

Light harsh(Dice& d, const Table& t) {
    Light l;
    l.lamps = {
        {{t.width_mm * d(0.1, 0.9), t.height_mm * d(-0.5, -0.1), 1050}, tint(-0.8) * 0.55f, 22},
        {{t.width_mm + 1300, t.height_mm * d(0.1, 0.9), 800}, tint(0.7) * 1.25f, 260},
        {{t.width_mm * d(0.3, 0.6), t.height_mm * 1.4, 1600}, tint(-0.3) * 0.12f, 60}};
    l.ambient = tint(-0.2) * 0.09f;
    l.material = d(0, 1) < 0.6 ? Material::laminate : Material::wood;
    l.gloss = 0.45;
    l.gloss_width_mm = 45;
    l.vignette = 0.38;
    l.psf_px = 1.0;
    l.noise = 4.6;
    l.shutter_s = 1 / 60.0;
    l.readout_s = 0.022;
    l.jpeg_quality = 74;
    l.exposure_drift = 0.06;
    l.colour_drift = 0.03;
    l.flicker = 0.025;
    l.cast = tint(d(-0.4, 0.3));
    l.exposure = d(0.72, 1.15);
    return l;
}

}  // namespace

Light light_preset(const std::string& name, std::uint64_t seed, const Table& table) {
    Dice dice{std::mt19937_64(seed * 7919 + 17)};
    if (name == "easy") return easy(dice, table);
    if (name == "cafe") return cafe(dice, table);
    if (name == "harsh") return harsh(dice, table);
    throw std::invalid_argument("there is no light '" + name + "': easy, cafe or harsh");
}

}  // namespace overboard::simulator
