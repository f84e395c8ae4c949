#include "table/theme.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

// Legible and told apart, by numbers: contrast as WCAG 2 counts it, colour blindness as Machado,
// Oliveira and Fernandes (2009) model it.
namespace overboard::table {
namespace {

using Colour = std::array<double, 3>;

double linear(double c) {
    return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
}

Colour linear(sf::Color c) {
    return {linear(c.r / 255.0), linear(c.g / 255.0), linear(c.b / 255.0)};
}

double luminance(sf::Color c) {
    const Colour l = linear(c);
    return 0.2126 * l[0] + 0.7152 * l[1] + 0.0722 * l[2];
}

double contrast(sf::Color a, sf::Color b) {
    const double x = luminance(a) + 0.05, y = luminance(b) + 0.05;
    return std::max(x, y) / std::min(x, y);
}

using Matrix = std::array<Colour, 3>;
constexpr Matrix kAll = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
constexpr Matrix kNoRed = {{{0.152286, 1.052583, -0.204868},
                            {0.114503, 0.786281, 0.099216},
                            {-0.003882, -0.048116, 1.051998}}};
constexpr Matrix kNoGreen = {{{0.367322, 0.860646, -0.227968},
                              {0.280085, 0.672501, 0.047413},
                              {-0.011820, 0.042940, 0.968881}}};
constexpr Matrix kNoBlue = {{{1.255528, -0.076749, -0.178779},
                             {-0.078411, 0.930809, 0.147602},
                             {0.004733, 0.691367, 0.303900}}};

// CIE Lab of what such an eye sees.
Colour seen(sf::Color colour, const Matrix& eye) {
    const Colour l = linear(colour);
    Colour rgb{};
    for (std::size_t i = 0; i < 3; ++i)
        rgb[i] = std::clamp(eye[i][0] * l[0] + eye[i][1] * l[1] + eye[i][2] * l[2], 0.0, 1.0);
    const auto f = [](double t) { return t > 0.008856 ? std::cbrt(t) : 7.787 * t + 16.0 / 116; };
    const double x = f((0.4124 * rgb[0] + 0.3576 * rgb[1] + 0.1805 * rgb[2]) / 0.95047),
                 y = f(0.2126 * rgb[0] + 0.7152 * rgb[1] + 0.0722 * rgb[2]),
                 z = f((0.0193 * rgb[0] + 0.1192 * rgb[1] + 0.9505 * rgb[2]) / 1.08883);
    return {116 * y - 16, 500 * (x - y), 200 * (y - z)};
}

TEST(Theme, TextStandsOutOnItsPanelsAndButtons) {
    const Theme t;
    EXPECT_GE(contrast(t.text, t.panel), 7) << "AAA";
    EXPECT_GE(contrast(t.text, t.button), 7);
    EXPECT_GE(contrast(t.quiet, t.panel), 4.5) << "AA: those who wait";
    for (const sf::Color& c :
         {t.accent, t.hint, t.warning, t.zone, t.score, t.replay, t.good, t.what_if})
        EXPECT_GE(contrast(c, sf::Color::Black), 3) << "marks on a table left dark";
}

TEST(Theme, ColourBlindPeopleTellTheStylesOfMarksApart) {
    const Theme t;
    const std::vector<sf::Color> styles = {t.hint, t.warning, t.zone, t.score, t.replay};
    for (const Matrix& eye : {kAll, kNoRed, kNoGreen, kNoBlue})
        for (std::size_t i = 0; i < styles.size(); ++i)
            for (std::size_t j = i + 1; j < styles.size(); ++j) {
                const Colour a = seen(styles[i], eye), b = seen(styles[j], eye);
                EXPECT_GE(std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]), 15)
                    << i << " and " << j << ", eye " << eye[0][0];
            }
}

TEST(Theme, CapitalsAreReadableFromTwoMetres) {
    const Theme t;
    constexpr double kCapital = 0.73,
                     kReadable_mm = 2000 * 0.004;  // 4 mrad: twice what 20/20 eyes need
    EXPECT_GE(kCapital * t.title_mm, kReadable_mm) << "whose turn it is";
    EXPECT_GE(kCapital * t.body_mm, kReadable_mm) << "what to do now";
    EXPECT_GE(kCapital * t.least_mm, kReadable_mm) << "the smallest line of a panel";
    EXPECT_GE(kCapital * t.score_mm, 3 * kReadable_mm);
}

}  // namespace
}  // namespace overboard::table
