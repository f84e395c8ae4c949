#include "vision/gate.hpp"

#include <gtest/gtest.h>

namespace overboard::vision {
namespace {

struct Quiet {
    cv::Mat bare{cv::Size(256, 192), CV_8UC3, cv::Scalar(90, 120, 140)};
    ChangeGate gate{bare.size(), cv::Rect({0, 0}, bare.size())};
    cv::RNG chance{3};

    Quiet() {
        gate.set_reference(disturbed(bare));
        gate.changed(disturbed(bare));
    }
    cv::Mat disturbed(const cv::Mat& bgr) {
        cv::Mat noise(bgr.size(), CV_16SC3), out;
        chance.fill(noise, cv::RNG::NORMAL, 0, 3);
        cv::add(bgr, noise, out, cv::noArray(), CV_8U);
        return out;
    }
};

TEST(ChangeGate, IsNotWokenByNoise) {
    Quiet q;
    for (int i = 0; i < 60; ++i)
        EXPECT_FALSE(q.gate.changed_by_fields(q.disturbed(q.bare))) << "frame " << i;
}

TEST(ChangeGate, SeesAThingSmallerThanACellInOneOfTwoFrames) {
    for (const int begin : {0, 1, 2, 7, 8, 9})
        for (int y = 96; y < 128; y += 5) {
            Quiet q;
            for (int i = 0; i < begin; ++i) q.gate.changed_by_fields(q.disturbed(q.bare));
            cv::Mat now = q.bare.clone();
            now(cv::Rect(110, y, 18, 18)).setTo(cv::Scalar(30, 30, 160));
            const bool at_once = q.gate.changed_by_fields(q.disturbed(now));
            EXPECT_TRUE(at_once || q.gate.changed_by_fields(q.disturbed(now)))
                << "row " << y << " after " << begin << " frames";
            EXPECT_GT(q.gate.changed_count(), 0);
            EXPECT_LE(q.gate.changed_count(), 4);
        }
}

TEST(ChangeGate, GoesOnSeeingWhatItSawUntilThatIsTheReference) {
    Quiet q;
    cv::Mat now = q.bare.clone();
    now(cv::Rect(110, 96, 40, 40)).setTo(cv::Scalar(30, 30, 160));
    EXPECT_TRUE(q.gate.changed_by_fields(now));
    for (int i = 0; i < 20; ++i) EXPECT_TRUE(q.gate.changed_by_fields(q.disturbed(now)));
    q.gate.set_reference(now, q.gate.cells().clone());
    EXPECT_FALSE(q.gate.changed_by_fields(q.disturbed(now)));
}

}  // namespace
}  // namespace overboard::vision
