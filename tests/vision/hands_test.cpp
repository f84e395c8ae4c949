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

}  // namespace
}  // namespace overboard::vision
