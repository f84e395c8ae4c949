#include "vision/crops.hpp"

#include <gtest/gtest.h>

#include <opencv2/imgcodecs.hpp>

namespace overboard::vision {
namespace {

/// A table of 400 x 300 mm that fills the middle of a white room, one pixel a millimetre.
struct Room {
    Table table = [] {
        Table t;
        t.width_mm = 400;
        t.height_mm = 300;
        return t;
    }();
    cv::Mat picture = cv::Mat(500, 600, CV_8UC3, cv::Scalar(255, 255, 255));
    calibration::TableMap map{cv::Matx33d(1, 0, 100, 0, 1, 100, 0, 0, 1), cv::Size(600, 500)};
    Room() { picture(cv::Rect(100, 100, 400, 300)).setTo(cv::Scalar(0, 90, 0)); }
    static Observation seen(std::vector<Point> places, bool still = true) {
        Observation o;
        o.still = still;
        for (const Point& at : places) {
            Piece p;
            p.x = at.x;
            p.y = at.y;
            o.pieces.push_back(p);
        }
        return o;
    }
};

TEST(Crops, ShowWhatCameAndWhatWent) {
    Room room;
    Crops crops(room.table);
    EXPECT_TRUE(crops.take(room.picture, room.map, Room::seen({{100, 100}})).empty())
        << "nothing to compare with";
    EXPECT_TRUE(crops.take(room.picture, room.map, Room::seen({{101, 100}})).empty())
        << "the same piece";
    EXPECT_TRUE(crops.take(room.picture, room.map, Room::seen({{200, 200}}, false)).empty())
        << "not at rest";
    const auto moved = crops.take(room.picture, room.map, Room::seen({{200, 200}}));
    ASSERT_EQ(moved.size(), 2U);
    EXPECT_EQ(moved[0].what, "came");
    EXPECT_EQ(moved[0].at, (Point{200, 200}));
    EXPECT_EQ(moved[1].what, "went");
    const cv::Mat picture = cv::imdecode(moved[0].jpeg, cv::IMREAD_COLOR);
    EXPECT_NEAR(picture.at<cv::Vec3b>(picture.rows / 2, picture.cols / 2)[1], 90, 4);
    EXPECT_NE(crops_json(moved).find("\"what\":\"went\",\"jpeg\":\"/9j/"), std::string::npos)
        << "a JPEG in base64";
}

TEST(Crops, NeverShowWhatLiesBeyondTheTable) {
    Room room;
    Crops crops(room.table);
    (void)crops.take(room.picture, room.map, Room::seen({}));
    for (const Crop& crop :
         crops.take(room.picture, room.map, Room::seen({{2, 2}, {398, 299}, {390, 10}}))) {
        const cv::Mat picture = cv::imdecode(crop.jpeg, cv::IMREAD_COLOR);
        double brightest = 0;
        cv::minMaxLoc(picture.reshape(1), nullptr, &brightest);
        EXPECT_LT(brightest, 150) << "the white room shows at " << crop.at.x;
    }
}

}  // namespace
}  // namespace overboard::vision
