#include "vision/hands.hpp"

#include <gtest/gtest.h>

#include <opencv2/imgproc.hpp>

#include "simulator/camera.hpp"

namespace overboard::vision {
namespace {

const cv::Scalar kTable{90, 130, 170}, kSkin{140, 170, 220};

/// A table as the simulator's camera shows it, plain, with or without the tips of some fingers at
/// its lower edge.
struct PlainTable {
    calibration::TableMap map = simulator::Camera({}, "cafe", 7).map();
    Hands hands{map};
    cv::Mat bare{map.size(), CV_8UC3, kTable};

    [[nodiscard]] cv::Mat with(const cv::Rect& fingers) const {
        cv::Mat picture = bare.clone();
        cv::rectangle(picture, fingers, kSkin, cv::FILLED);
        return picture;
    }
    [[nodiscard]] cv::Mat everywhere() const {
        return {hands.hidden().size(), CV_8U, cv::Scalar(255)};
    }
};

TEST(Hands, TheTipsOfAHandThatComesInAreNotLearntAsTheTable) {
    PlainTable t;
    t.hands.learn(t.bare);
    const cv::Mat tips = t.with({900, t.bare.rows - 40, 60, 40});
    t.hands.find(tips, 1.0);
    EXPECT_TRUE(t.hands.outlines().empty()) << "too small for a hand";
    t.hands.learn(tips, t.everywhere());
    t.hands.find(t.bare, 1.1);
    EXPECT_EQ(cv::countNonZero(t.hands.foreground()), 0);
}

TEST(Hands, WhatLiesAtTheEdgeForAWhileIsLearntAsTheTable) {
    PlainTable t;
    t.hands.learn(t.bare);
    const cv::Mat cup = t.with({900, t.bare.rows - 40, 60, 40});
    t.hands.find(cup, 1.0);
    t.hands.find(cup, 4.0);
    t.hands.learn(cup, t.everywhere());
    t.hands.find(cup, 4.1);
    EXPECT_EQ(cv::countNonZero(t.hands.foreground()), 0);
}

TEST(Hands, ACardLaidOverTheEdgeIsNoHandForLongButAnArmThatRestsThereIs) {
    const auto seen_as_hand = [](int width_at_edge) {
        PlainTable t;
        t.hands.learn(t.bare);
        cv::Mat picture = t.bare.clone();
        const int low = t.bare.rows, half = width_at_edge / 2;
        const std::vector<cv::Point> outline{{900 - half, low},
                                             {900 + half, low},
                                             {980, low - 60},
                                             {900, low - 170},
                                             {820, low - 60}};
        cv::fillConvexPoly(picture, outline, kSkin);
        t.hands.find(picture, 1.0);
        EXPECT_EQ(t.hands.outlines().size(), 1U) << "moved just now";
        t.hands.find(picture, 1.5);
        return !t.hands.outlines().empty();
    };
    EXPECT_FALSE(seen_as_hand(8));
    EXPECT_TRUE(seen_as_hand(80));
}

}  // namespace
}  // namespace overboard::vision
