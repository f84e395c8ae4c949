#include "vision/faces/face_details.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <opencv2/imgproc.hpp>

namespace overboard::vision {
namespace {

constexpr int kWide = 126, kHigh = 176;
const cv::Scalar kPaper(225, 232, 235);

/// Art in the middle of white paper, another for every number.
cv::Mat art(int number) {
    cv::Mat face(kHigh, kWide, CV_8UC3, kPaper);
    cv::RNG random(100 + number);
    for (int i = 0; i < 12; ++i) {
        const cv::Point at(random.uniform(25, kWide - 25), random.uniform(25, kHigh - 25));
        const cv::Scalar ink(random.uniform(0, 200), random.uniform(0, 200),
                             random.uniform(0, 200));
        const cv::Size half(random.uniform(4, 16), random.uniform(4, 16));
        if (i % 2 == 0)
            cv::ellipse(face, at, half, 0, 0, 360, ink, -1, cv::LINE_AA);
        else
            cv::rectangle(face, cv::Rect(at - cv::Point(half), cv::Size(2 * half.width, 8)), ink,
                          -1);
    }
    return face;
}

Faces enrolled(int count) {
    Faces faces;
    for (int i = 0; i < count; ++i) faces.enrol(std::to_string(i), art(i));
    return faces;
}

/// Lays the picture there and says where its middle is.
cv::Point2f lay(cv::Mat& table, const cv::Mat& face, cv::Point2f middle, double degrees) {
    cv::Mat turn = cv::getRotationMatrix2D({(kWide - 1) / 2.0F, (kHigh - 1) / 2.0F}, degrees, 1);
    turn.at<double>(0, 2) += middle.x - (kWide - 1) / 2.0;
    turn.at<double>(1, 2) += middle.y - (kHigh - 1) / 2.0;
    cv::warpAffine(face, table, turn, table.size(), cv::INTER_LINEAR, cv::BORDER_TRANSPARENT);
    return middle;
}

/// Cards on dark cloth, and on the right half white paper like their own: no outline shows there.
cv::Mat half_white_table() {
    cv::Mat table(500, 900, CV_8UC3, cv::Scalar(60, 70, 45));
    table.colRange(450, 900).setTo(kPaper);
    lay(table, art(0), {120, 240}, 10);
    lay(table, art(1), {300, 250}, -15);
    return table;
}

std::vector<FlatFace> seen_on(cv::Mat table, const Faces& faces) {
    cv::Mat noise(table.size(), CV_16SC3);
    cv::RNG(3).fill(noise, cv::RNG::NORMAL, 0, 3);
    cv::GaussianBlur(table, table, {}, 0.7);
    cv::add(table, noise, table, cv::noArray(), CV_8U);
    return find_flat_faces(table, {}, {faces});
}

const FlatFace* at(const std::vector<FlatFace>& seen, cv::Point2f place) {
    for (const FlatFace& f : seen)
        if (f.named() && cv::norm(centre_of(f.quad.corners) - place) < 40) return &f;
    return nullptr;
}

TEST(FaceDetails, TellACardWhoseOutlineDoesNotShow) {
    cv::Mat table = half_white_table();
    const cv::Point2f there = lay(table, art(2), {680, 250}, 35);
    const std::vector<FlatFace> seen = seen_on(table, enrolled(6));
    const FlatFace* card = at(seen, there);
    ASSERT_TRUE(card);
    EXPECT_EQ(card->match.face, "2");
    EXPECT_LT(cv::norm(centre_of(card->quad.corners) - there), 3);
}

TEST(FaceDetails, GiveNoNameToACardNobodyHasEnrolled) {
    cv::Mat table = half_white_table();
    const cv::Point2f there = lay(table, art(9), {680, 250}, 35);
    EXPECT_FALSE(at(seen_on(table, enrolled(6)), there));
}

TEST(FaceDetails, TellACardBetweenTwoThatHideAllItsCorners) {
    cv::Mat table(500, 900, CV_8UC3, cv::Scalar(60, 70, 45));
    lay(table, art(0), {150, 240}, 10);
    const cv::Point2f there = lay(table, art(2), {560, 250}, 90);
    lay(table, art(1), {490, 245}, 2);
    lay(table, art(3), {660, 255}, -3);
    const std::vector<FlatFace> seen = seen_on(table, enrolled(6));
    for (const char* above : {"1", "3"})
        EXPECT_TRUE(std::any_of(seen.begin(), seen.end(),
                                [&](const FlatFace& f) { return f.match.face == above; }));
    EXPECT_TRUE(std::any_of(seen.begin(), seen.end(), [&](const FlatFace& f) {
        return f.match.face == "2" && cv::norm(centre_of(f.quad.corners) - there) < 4;
    }));
}

}  // namespace
}  // namespace overboard::vision
