#include "vision/flats/flat_plane.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "vision/flats/quads.hpp"

namespace overboard::vision {
namespace {

const cv::Size kPicture(1600, 1200);
constexpr double kWidth = 63, kHeight = 88;

/// A camera looking at a slant: millimetres to pixels.
calibration::TableMap slanted() {
    return calibration::TableMap{cv::Matx33d(2.1, -0.4, 300, 0.3, 1.4, 200, 1e-4, 5e-4, 1),
                                 kPicture};
}

Corners card_at(const calibration::TableMap& map, double x, double y, double angle,
                double size = 1) {
    const double w = size * kWidth / 2, h = size * kHeight / 2;
    const Point local[4] = {{-w, -h}, {w, -h}, {w, h}, {-w, h}};
    Corners c;
    for (int i = 0; i < 4; ++i) c[i] = map.project(place({x, y, angle}, local[i]));
    return c;
}

double side_mm(const calibration::TableMap& map, const Corners& c, int i) {
    return distance(map.to_table(c[i]), map.to_table(c[(i + 1) % 4]));
}

TEST(Quads, PiecesSideBySideCoverNothingOfEachOther) {
    const auto rectangle = [](double angle, cv::Point2d at, double from, double to) {
        Corners c;
        const double xs[] = {from, to, to, from}, ys[] = {0, 0, 91, 91};
        for (int i = 0; i < 4; ++i)
            c[i] = cv::Point2d(at.x + xs[i] * std::cos(angle) - ys[i] * std::sin(angle),
                               at.y + xs[i] * std::sin(angle) + ys[i] * std::cos(angle));
        return c;
    };
    for (int k = 0; k < 2000; ++k) {
        const double angle = 0.0137 * k;
        const cv::Point2d at(700 + 0.37 * k, 300 + 0.11 * k);
        const Corners piece = rectangle(angle, at, 0, 66);
        EXPECT_LT(covered(piece, rectangle(angle, at, 66, 75)), 0.001F) << k;
        EXPECT_NEAR(covered(piece, rectangle(angle, at, 33, 99)), 0.5F, 0.001F) << k;
        EXPECT_NEAR(covered(piece, rectangle(angle, at, 10, 20)), 1, 0.001F) << k;
    }
}

TEST(FlatPlane, EqualCardsTellHowTheTableIsSeen) {
    const auto truth = slanted();
    const std::vector<Corners> cards = {card_at(truth, 100, 100, 0.3),
                                        card_at(truth, 400, 120, 1.9),
                                        card_at(truth, 250, 350, -0.7)};
    const auto map = map_from_rectangles(cards, kWidth, kHeight, kPicture);
    ASSERT_TRUE(map);
    const Corners elsewhere = card_at(truth, 480, 420, 2.5);
    EXPECT_NEAR(side_mm(*map, elsewhere, 0), kWidth, 1);
    EXPECT_NEAR(side_mm(*map, elsewhere, 1), kHeight, 1);
}

TEST(FlatPlane, PassesOverACardThatDoesNotFit) {
    const auto truth = slanted();
    std::vector<Corners> cards = {card_at(truth, 100, 100, 0.3), card_at(truth, 400, 120, 1.9),
                                  card_at(truth, 250, 350, -0.7), card_at(truth, 420, 380, 0)};
    cards.push_back(card_at(truth, 150, 300, 0, 1.5));
    const auto map = map_from_rectangles(cards, kWidth, kHeight, kPicture);
    ASSERT_TRUE(map);
    EXPECT_NEAR(side_mm(*map, cards[1], 0), kWidth, 1.5);
}

TEST(FlatPlane, CardsThatShareNoPlaneTellNothing) {
    const auto truth = slanted();
    const std::vector<Corners> cards = {
        card_at(truth, 100, 100, 0.3), card_at(truth, 400, 120, 1.9, 1.4),
        card_at(truth, 250, 350, -0.7, 0.6), card_at(truth, 130, 360, 0.5, 2)};
    EXPECT_FALSE(map_from_rectangles(cards, kWidth, kHeight, kPicture));
    EXPECT_FALSE(map_from_rectangles({cards[0]}, kWidth, kHeight, kPicture));
}

}  // namespace
}  // namespace overboard::vision
