#include "vision/discs/streaks.hpp"

#include <gtest/gtest.h>

#include <opencv2/imgproc.hpp>

namespace overboard::vision {
namespace {

constexpr double kPxPerMm = 1.5;
const cv::Scalar kWood(140, 190, 222), kBlue(170, 84, 32), kCream(210, 232, 240);

// A board of 400 mm in the middle of a table of 1200 mm, seen from straight above.
Catalogue small_game() {
    Catalogue c;
    c.board = BoardKind{};
    c.board->width_mm = c.board->height_mm = 400;
    c.board->at = {600, 337.5, 0};
    c.board->holes = {{"ne", {185, -185}, 30}};
    c.discs = {{"blue", 20, 6, {}, 12}, {"striker", 26, 6, {}, 1}};
    return c;
}

calibration::TableMap from_above() {
    return calibration::TableMap(cv::Matx33d(kPxPerMm, 0, 0, 0, kPxPerMm, 0, 0, 0, 1),
                                 {1800, 1013});
}

void put(cv::Mat& picture, Point at, double r_mm, const cv::Scalar& colour) {
    cv::circle(picture, cv::Point(cvRound(at.x * kPxPerMm * 16), cvRound(at.y * kPxPerMm * 16)),
               cvRound(r_mm * kPxPerMm * 16), colour, cv::FILLED, cv::LINE_AA, 4);
}

Piece lying(const char* type, Point at) {
    Piece p;
    p.kind = PieceKind::disc;
    p.type = type;
    p.x = at.x, p.y = at.y;
    return p;
}

struct Racing : ::testing::Test {
    const Point blue_at{500, 300}, striker_at{600, 480};
    cv::Mat still{1013, 1800, CV_8UC3, kWood};
    Streaks streaks{small_game(), from_above(), {600, 337.5, 0}};
    std::vector<Piece> rest{lying("blue", blue_at), lying("striker", striker_at)};

    Racing() {
        put(still, blue_at, 10, kBlue);
        put(still, striker_at, 13, kCream);
        streaks.learn(still, rest);
    }

    // What the shutter makes of a disc that runs from a to b while it is open.
    [[nodiscard]] cv::Mat blurred(Point a, Point b, double r_mm, const cv::Scalar& colour) const {
        constexpr int kMoments = 32;
        cv::Mat sum = cv::Mat::zeros(still.size(), CV_32FC3);
        for (int i = 0; i < kMoments; ++i) {
            cv::Mat moment = still.clone();
            put(moment, a + (b - a) * (double(i) / (kMoments - 1)), r_mm, colour);
            cv::accumulate(moment, sum);
        }
        cv::Mat picture;
        sum.convertTo(picture, CV_8UC3, 1.0 / kMoments);
        return picture;
    }
};

TEST_F(Racing, ADiscIsFoundInTheMiddleOfItsBlur) {
    for (const double way_mm : {15.0, 25.0, 40.0}) {
        const Point a{650, 250}, b = a + Point{0.8, 0.6} * way_mm;
        const auto found = streaks.find(blurred(a, b, 10, kBlue), {}, rest);
        ASSERT_EQ(found.size(), 1u) << way_mm;
        EXPECT_EQ(found[0].type, "blue");
        EXPECT_LT(distance({found[0].x, found[0].y}, (a + b) * 0.5), 1.0) << way_mm;
    }
}

TEST_F(Racing, TheStrikerIsToldFromTheOthers) {
    const auto found = streaks.find(blurred({650, 250}, {670, 250}, 13, kCream), {}, rest);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].type, "striker");
}

TEST_F(Racing, NothingRunsOnAStillTableNorWhereADiscIsKnown) {
    EXPECT_TRUE(streaks.find(still, {}, rest).empty());
    auto known = rest;
    known.push_back(lying("blue", {655, 250}));
    EXPECT_TRUE(streaks.find(blurred({650, 250}, {660, 250}, 10, kBlue), {}, known).empty());
}

TEST_F(Racing, AShadowIsNoDisc) {
    cv::Mat shaded = still.clone();
    put(shaded, {680, 300}, 12, kWood * 0.6);
    EXPECT_TRUE(streaks.find(shaded, {}, rest).empty());
}

TEST_F(Racing, NothingIsReportedFromUnderAHand) {
    const cv::Mat everywhere(still.rows / 8 + 1, still.cols / 8 + 1, CV_8U, cv::Scalar(255));
    EXPECT_TRUE(streaks.find(blurred({650, 250}, {670, 250}, 10, kBlue), everywhere, rest).empty());
}

}  // namespace
}  // namespace overboard::vision
