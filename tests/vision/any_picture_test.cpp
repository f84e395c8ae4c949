// Whatever picture comes, the cold way answers with pieces that lie in it, and never falls over.
#include <gtest/gtest.h>

#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

#include "simulator/camera.hpp"
#include "tests/vision/discs/disc_scenes.hpp"
#include "vision/debug_view.hpp"
#include "vision/detect.hpp"

namespace overboard::vision {
namespace {

Catalogue everything() {
    Catalogue c = scenes::board_catalogue("to-go");
    c.palette = {{"blue", {30, 90, 190}}, {"red", {205, 40, 45}}};
    c.dice = {{16, 6}};
    c.cards = {FaceKind{}};
    c.tiles = {FaceKind{"", 40, 40, 2, 2, {}, false, false}};
    c.polygons = {{"square", {{-15, -15}, {15, -15}, {15, 15}, {-15, 15}}, 4, {"blue", "red"}}};
    c.stones = {{16, 6, {"blue", "red"}}};
    c.pawns = {{16, 25, {"blue", "red"}}};
    return c;
}

FaceSets no_faces(const Catalogue& c) {
    return {std::vector<Faces>(c.cards.size()), std::vector<Faces>(c.tiles.size())};
}

// Noise, blots, lines, stripes or flat, blown up or not: what a broken file or a covered lens may
// give.
cv::Mat any_picture(cv::RNG& chance, cv::Size size) {
    cv::Mat picture(
        size, CV_8UC3,
        cv::Scalar(chance.uniform(0, 256), chance.uniform(0, 256), chance.uniform(0, 256)));
    const int kind = chance.uniform(0, 5);
    if (kind == 1) chance.fill(picture, cv::RNG::UNIFORM, 0, 256);
    if (kind == 2) chance.fill(picture, cv::RNG::NORMAL, 128, 6);
    for (int i = 0; kind >= 3 && i < 60; ++i) {
        const cv::Point a(chance.uniform(-20, size.width + 20),
                          chance.uniform(-20, size.height + 20)),
            b(chance.uniform(0, size.width), chance.uniform(0, size.height));
        const cv::Scalar colour(chance.uniform(0, 256), chance.uniform(0, 256),
                                chance.uniform(0, 256));
        if (kind == 3)
            cv::circle(picture, a, chance.uniform(0, 60), colour, chance.uniform(-1, 4));
        else
            cv::rectangle(picture, a, b, colour, chance.uniform(-1, 4));
    }
    if (chance.uniform(0, 3) == 0) cv::GaussianBlur(picture, picture, {}, 4);
    return picture;
}

void expect_sound(const Observation& seen, const cv::Mat& picture) {
    for (const Piece& p : seen.pieces) {
        ASSERT_TRUE(p.px && p.size_px);
        EXPECT_TRUE(std::isfinite(p.x) && std::isfinite(p.y) && std::isfinite(p.angle));
        EXPECT_GE(p.px->x, -0.1 * picture.cols - 20);
        EXPECT_LE(p.px->x, 1.1 * picture.cols + 20);
        EXPECT_GE(p.px->y, -0.1 * picture.rows - 20);
        EXPECT_LE(p.px->y, 1.1 * picture.rows + 20);
        EXPECT_GT(*p.size_px, 0);
        EXPECT_GE(p.confidence, 0);
        EXPECT_LE(p.confidence, 1.0001);
    }
}

TEST(AnyPicture, IsAnsweredWithPiecesInIt) {
    cv::RNG chance(20261116);
    Catalogue bare = everything();
    bare.board.reset();
    const Kinds all{true, true, true, true, true, true, true};
    const std::vector<cv::Size> sizes = {{1, 1},   {2, 300},   {300, 2},  {17, 13},
                                         {64, 64}, {200, 150}, {320, 240}};
    for (int round = 0; round < 3; ++round)
        for (const cv::Size size : sizes) {
            const cv::Mat picture = any_picture(chance, size);
            for (const Catalogue& catalogue : {Catalogue{}, bare, everything()}) {
                Observation seen = detect_cold({picture, nullptr, {}}, catalogue, all,
                                               no_faces(catalogue));
                expect_sound(seen, picture);
                (void)draw({picture, nullptr, {}}, catalogue, seen);
            }
        }
}

TEST(AnyPicture, IsAnsweredOnATableToo) {
    cv::RNG chance(7);
    simulator::CameraSetup setup;
    setup.size = {480, 270};
    const calibration::TableMap map = simulator::map_of(setup);
    for (int round = 0; round < 4; ++round) {
        const cv::Mat picture = any_picture(chance, setup.size);
        Observation seen = detect_cold({picture, &map, {}}, everything(), kinds_of(everything()),
                                       no_faces(everything()));
        expect_sound(seen, picture);
    }
}

// A file that broke off: the decoder fills the rest with grey, or gives nothing.
TEST(AnyPicture, MayBeHalfAJpeg) {
    simulator::Camera camera({}, "cafe", 5);
    const Catalogue c = scenes::board_catalogue("to-go");
    std::vector<uchar> bytes;
    cv::imencode(".jpg", scenes::picture_of(camera, c, scenes::scattered(c, 5)), bytes);
    for (const double share : {0.02, 0.4, 0.8}) {
        const std::vector<uchar> part(bytes.begin(),
                                      bytes.begin() + std::ptrdiff_t(share * double(bytes.size())));
        const cv::Mat picture = cv::imdecode(part, cv::IMREAD_COLOR);
        if (picture.empty()) continue;
        expect_sound(detect_cold({picture, nullptr, {}}, c, kinds_of(c), {}), picture);
    }
}

}  // namespace
}  // namespace overboard::vision
