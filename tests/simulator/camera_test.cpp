#include "simulator/camera.hpp"

#include <opencv2/aruco.hpp>
#include <opencv2/imgproc.hpp>

#include "simulator/world.hpp"

namespace overboard::simulator {
namespace {

Catalogue discs() {
    Catalogue c;
    c.discs = {{"blue", 40, 8, {30, 70, 190}, 4}, {"red", 40, 30, {200, 30, 30}, 4}};
    return c;
}

Piece disc(const char* type, double x, double y) {
    Piece p;
    p.kind = PieceKind::disc;
    p.type = type;
    p.x = x, p.y = y;
    return p;
}

World two_discs() {
    Observation scene;
    scene.pieces = {disc("blue", 300, 200), disc("red", 900, 480)};
    return world_from(discs(), scene);
}

cv::Vec3d mean_at(const cv::Mat& frame, cv::Point2d px, int half = 3) {
    const cv::Scalar m = cv::mean(
        frame(cv::Rect(int(px.x) - half, int(px.y) - half, 2 * half + 1, 2 * half + 1)));
    return {m[0], m[1], m[2]};
}

TEST(Camera, ShowsEachPieceWhereItsTruthProjects) {
    for (const char* light : {"easy", "cafe", "harsh"}) {
        Camera camera({}, light, 5);
        const cv::Mat frame = camera.render(two_discs(), 0);
        const auto blue = mean_at(frame, camera.map().project({300, 200}, 8));
        const auto red = mean_at(frame, camera.map().project({900, 480}, 30));
        EXPECT_GT(blue[0], blue[2] * 1.3) << light;
        EXPECT_GT(red[2], red[0] * 1.3) << light;
    }
}

// Where the disc's red top is in the frame, by its colour alone.
cv::Point2d centre_of_red(const cv::Mat& frame) {
    double sx = 0, sy = 0, n = 0;
    for (int y = 0; y < frame.rows; ++y)
        for (int x = 0; x < frame.cols; ++x) {
            const auto& p = frame.at<cv::Vec3b>(y, x);
            if (p[2] > 90 && p[2] > 2 * p[0] && p[2] > 2 * p[1]) sx += x, sy += y, ++n;
        }
    return {sx / n, sy / n};
}

World one_disc(double height_mm, double vx = 0) {
    Catalogue c;
    c.discs = {{"red", 40, height_mm, {200, 30, 30}, 1}};
    Observation scene;
    scene.pieces = {disc("red", 1000, 120)};
    World w = world_from(c, scene);
    w.bodies.back().vx = vx;
    return w;
}

CameraSetup plain_camera(cv::Size size = {1280, 720}) {
    CameraSetup s;
    s.size = size;
    s.noise = 0;
    return s;
}

TEST(Camera, LeansTallPiecesAwayFromItself) {
    Camera camera(plain_camera(), "easy", 1);
    const cv::Point2d low = centre_of_red(camera.render(one_disc(2), 0)),
                      high = centre_of_red(camera.render(one_disc(60), 0));
    const cv::Point2d expected = camera.map().project({1000, 120}, 60) -
                                 camera.map().project({1000, 120}, 2);
    // Sides are red as well, so the centre of all red lags a little behind the top's.
    EXPECT_GT(high.x - low.x, 0.4 * expected.x);
    EXPECT_LT(high.x - low.x, 1.1 * expected.x);
    EXPECT_GT(expected.x, 5);
    EXPECT_LT(high.y, low.y);
}

TEST(Camera, PutsAFlatPieceWithinAThirdOfAPixelOfItsTruth) {
    Camera camera(plain_camera(), "easy", 1);
    const cv::Point2d seen = centre_of_red(camera.render(one_disc(2), 0)),
                      truth = camera.map().project({1000, 120}, 2);
    EXPECT_NEAR(seen.x, truth.x, 0.34);
    EXPECT_NEAR(seen.y, truth.y, 0.34);
}

// Length of the red streak along its middle row, at half its strength.
int streak(const cv::Mat& frame, cv::Point2d middle) {
    const cv::Mat bare = frame.row(int(middle.y));
    int n = 0;
    for (int x = 0; x < bare.cols; ++x) {
        const auto& p = bare.at<cv::Vec3b>(0, x);
        n += p[2] > 1.35 * p[1];
    }
    return n;
}

TEST(Camera, SmearsWhatMovesByTheShutter) {
    int last = 0;
    for (const double shutter : {1 / 1000.0, 1 / 250.0, 1 / 100.0, 1 / 50.0}) {
        CameraSetup setup = plain_camera();
        setup.shutter_s = shutter;
        Camera camera(setup, "easy", 1);
        const int length = streak(camera.render(one_disc(4, 2000), 0),
                                  camera.map().project({1000, 120}, 4));
        EXPECT_GT(length, last);
        last = length;
    }
    EXPECT_GT(last, 60);
}

TEST(Camera, SkewsWhatMovesByItsRollingShutter) {
    Camera camera(plain_camera(), "harsh", 1);
    // Rows read later see a disc that has gone further: below the middle it has moved on, above it
    // has not come yet.
    World moving = one_disc(4, 2500);
    const cv::Point2d truth = camera.map().project({1000, 120}, 4);
    const cv::Point2d seen = centre_of_red(camera.render(moving, 0));
    const double late_s = camera.light().readout_s * (truth.y / 720 - 0.5);
    EXPECT_NEAR(seen.x - truth.x, 2500 * late_s * camera.map().px_per_mm({1000, 120}), 6);
}

TEST(Camera, MakesTheSameBytesFromTheSameSeed) {
    for (const char* light : {"easy", "harsh"}) {
        Camera a({}, light, 7), b({}, light, 7), other({}, light, 8);
        const cv::Mat first = a.render(two_discs(), 1.5), second = b.render(two_discs(), 1.5);
        EXPECT_EQ(cv::norm(first, second, cv::NORM_INF), 0);
        EXPECT_GT(cv::norm(first, other.render(two_discs(), 1.5), cv::NORM_INF), 0);
        EXPECT_GT(cv::norm(first, a.render(two_discs(), 1.6), cv::NORM_INF), 0)
            << "noise must differ from frame to frame";
    }
}

TEST(Camera, LeavesFramesAloneThatSomebodyStillHolds) {
    Camera camera(plain_camera({640, 480}), "cafe", 2);
    std::vector<cv::Mat> held, copies;
    for (int i = 0; i < 9; ++i) {
        held.push_back(camera.render(two_discs(), i / 30.0));
        copies.push_back(held.back().clone());
    }
    for (std::size_t i = 0; i < held.size(); ++i)
        EXPECT_EQ(cv::norm(held[i], copies[i], cv::NORM_INF), 0);
}

// Only what changed is drawn again, so the past must leave nothing behind.
TEST(Camera, ForgetsWhatItHasSeenBefore) {
    CameraSetup setup = plain_camera();
    Camera used(setup, "cafe", 3), fresh(setup, "cafe", 3);
    World busy = two_discs();
    for (int i = 0; i < 12; ++i) {
        busy.bodies.back().at.x = 300 + 50 * i;
        busy.bodies.back().vx = 1500;
        Hand hand;
        hand.at = {200.0 + 60 * i, 300, 1.4};
        hand.vx = 600;
        busy.hands = {hand};
        used.render(busy, 0.03 * i);
    }
    const cv::Mat a = used.render(two_discs(), 1), b = fresh.render(two_discs(), 1);
    cv::Mat difference;
    cv::absdiff(a, b, difference);
    EXPECT_LE(cv::norm(difference, cv::NORM_INF), 3);
    EXPECT_LT(cv::mean(difference)[0], 0.01);
}

TEST(Camera, IsAsNoisyAsItsPresetSays) {
    for (const double wanted : {1.0, 3.0, 6.0}) {
        CameraSetup setup;
        setup.noise = wanted;
        setup.material = Material::laminate;
        Camera camera(setup, "easy", 2);
        World empty;
        std::vector<cv::Mat> frames;
        for (int i = 0; i < 12; ++i)
            frames.push_back(camera.render(empty, i / 30.0)(cv::Rect(700, 400, 300, 200)).clone());
        cv::Mat sum = cv::Mat::zeros(frames[0].size(), CV_64FC3), squares = sum.clone();
        for (const cv::Mat& f : frames) {
            cv::Mat d;
            f.convertTo(d, CV_64F);
            sum += d, squares += d.mul(d);
        }
        const cv::Mat variance = squares / 12 - (sum / 12).mul(sum / 12);
        const double sigma = std::sqrt(cv::mean(variance)[1] * 12 / 11);
        EXPECT_NEAR(sigma, wanted, 0.35 * wanted) << wanted;
    }
}

TEST(Camera, ThrowsShadowsAwayFromTheLamps) {
    CameraSetup setup = plain_camera();
    Camera camera(setup, "harsh", 6);
    World with = one_disc(30), without = with;
    without.bodies.pop_back();
    const cv::Mat bare = camera.render(without, 0), shadowed = camera.render(with, 0);
    const Lamp& lamp = camera.light().lamps[0];
    const double k = 30 / (lamp.at_mm[2] - 30);
    Point away{(1000 - lamp.at_mm[0]) * k, (120 - lamp.at_mm[1]) * k};
    const Point tip = Point{1000, 120} + away * ((20 + length(away) - 3) / length(away));
    const auto before = mean_at(bare, camera.map().project(tip), 1),
               after = mean_at(shadowed, camera.map().project(tip), 1);
    EXPECT_LT(after[1], 0.92 * before[1]);
}

TEST(Camera, LetsTheProjectorLightTableAndPieces) {
    Camera camera({}, "cafe", 4);
    cv::Mat picture(675, 1200, CV_8UC3, cv::Scalar::all(0));
    cv::circle(picture, {600, 340}, 60, cv::Scalar(0, 255, 0), cv::FILLED);
    cv::circle(picture, {300, 200}, 60, cv::Scalar(255, 255, 255), cv::FILLED);
    const World world = two_discs();
    const cv::Mat dark = camera.render(world, 0), lit = camera.render(world, 0, picture),
                  dark_again = camera.render(world, 0);
    const auto table = camera.map().project({600, 340}),
               piece = camera.map().project({300, 200}, 8),
               elsewhere = camera.map().project({800, 150});
    EXPECT_GT(mean_at(lit, table)[1], mean_at(dark, table)[1] + 15);
    EXPECT_LT(mean_at(lit, table)[2], mean_at(dark, table)[2] + 12);
    EXPECT_GT(mean_at(lit, piece)[0], mean_at(dark, piece)[0] + 15);
    EXPECT_NEAR(mean_at(lit, elsewhere)[1], mean_at(dark, elsewhere)[1], 4);
    EXPECT_EQ(cv::norm(dark, dark_again, cv::NORM_INF), 0);
}

// Only the part of the table that the new picture lights is drawn again; the rest must not be
// stale.
TEST(Camera, FollowsAProjectorPictureThatChangesInParts) {
    CameraSetup setup = plain_camera();
    Camera used(setup, "cafe", 4), fresh(setup, "cafe", 4);
    const World world = two_discs();
    cv::Mat picture(675, 1200, CV_8UC3, cv::Scalar::all(0));
    used.render(world, 0, picture);
    for (int x = 100; x < 1100; x += 200) {
        cv::circle(picture, {x, 250}, 50, cv::Scalar(x % 255, 200, 80), cv::FILLED);
        used.render(world, 0, picture);
    }
    cv::Mat difference;
    cv::absdiff(used.render(world, 1, picture), fresh.render(world, 1, picture), difference);
    EXPECT_LE(cv::norm(difference, cv::NORM_INF), 3);
}

TEST(Camera, ShowsTheTableMarkersInEveryLight) {
    for (const char* light : {"easy", "cafe", "harsh"})
        for (const cv::Size size :
             {cv::Size(640, 480), cv::Size(1280, 720), cv::Size(3840, 2160)}) {
            CameraSetup setup;
            setup.size = size;
            Camera camera(setup, light, 11);
            const cv::Mat frame = camera.render(two_discs(), 0);
            std::vector<std::vector<cv::Point2f>> corners;
            std::vector<int> ids;
            cv::aruco::detectMarkers(
                frame, cv::aruco::getPredefinedDictionary(cv::aruco::DICT_4X4_50), corners, ids);
            ASSERT_EQ(ids.size(), 4u) << light << " " << size;
            const Table table;
            for (std::size_t i = 0; i < 4; ++i) {
                const cv::Point2f middle = (corners[i][0] + corners[i][1] + corners[i][2] +
                                            corners[i][3]) *
                                           0.25f;
                const cv::Point2d truth = camera.map().project(
                    table.markers[std::size_t(ids[i])].centre);
                EXPECT_LT(std::hypot(middle.x - truth.x, middle.y - truth.y),
                          0.8 * size.width / 1280 + 0.4)
                    << light << " " << size;
            }
        }
}

TEST(Camera, KnowsItsPresetsOnly) {
    EXPECT_THROW(Camera({}, "disco", 1), std::invalid_argument);
}

}  // namespace
}  // namespace overboard::simulator
