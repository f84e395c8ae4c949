#include <gtest/gtest.h>

#include <opencv2/imgcodecs.hpp>

#include "tests/vision/discs/disc_scenes.hpp"
#include "vision/debug_view.hpp"
#include "vision/discs/detect_discs.hpp"
#include "vision/discs/live_discs.hpp"

namespace overboard::vision {
namespace {

using namespace scenes;

void check(const std::string& what, Score& score, double median_mm, double p95_mm) {
    std::printf(
        "%s: found %d missed %d extra %d right type %d, error median %.3f mm p95 %.3f mm bias %.2f "
        "%.2f\n",
        what.c_str(), score.found, score.missed, score.extra, score.right, score.at(0.5),
        score.at(0.95), score.bias.x / std::max(1, score.found),
        score.bias.y / std::max(1, score.found));
    EXPECT_LE(score.missed, 0.05 * (score.found + score.missed)) << what;
    EXPECT_LE(score.extra, 0.03 * score.found) << what;
    EXPECT_GE(score.right, 0.98 * score.found) << what;
    EXPECT_LT(score.at(0.5), median_mm) << what;
    EXPECT_LT(score.at(0.95), p95_mm) << what;
}

// A picture of a failure says more than its numbers.
void keep(const char* name, const View& view, const Catalogue& c, const std::vector<Piece>& seen) {
    if (const char* folder = std::getenv("OVERBOARD_PICTURES")) {
        Observation o;
        o.pieces = seen;
        cv::imwrite(std::string(folder) + "/" + name + ".png", draw(view, c, o));
    }
}

TEST(ColdDiscs, AreFoundOnBothBoardsInCafeLight) {
    for (const char* name : {"to-go", "tournament"}) {
        Catalogue c = board_catalogue(name);
        simulator::CameraSetup setup;
        if (std::string(name) == "tournament")
            setup.table.height_mm = c.table.height_mm = 900, c.board->at = {600, 450, 0};
        Score score;
        for (unsigned seed = 1; seed <= 3; ++seed) {
            simulator::Camera camera(setup, "cafe", seed);
            Observation scene = scattered(c, seed);
            if (seed == 1) {
                scene = opening(name);
                for (Piece& p : scene.pieces)
                    p.x += c.board->at.x - scene.board->x, p.y += c.board->at.y - scene.board->y;
                scene.board = c.board->at;
            }
            const cv::Mat picture = picture_of(camera, c, scene);
            const View view{picture, &camera.map(), {}};
            const auto seen = detect_discs(view, c, scene.board);
            compare(scene.pieces, seen, score);
            keep((std::string("cold-") + name + std::to_string(seed)).c_str(), view, c, seen);
        }
        check(std::string("cold ") + name, score, 0.35, 0.8);
    }
}

// The spots of the opening are smaller than the discs, and often of their colour.
TEST(ColdDiscs, ThePrintedMiddleIsToldFromTheQueenOnIt) {
    const Catalogue c = board_catalogue("to-go");
    for (unsigned seed = 1; seed <= 2; ++seed) {
        simulator::Camera camera({}, "easy", seed);
        for (const bool queen : {true, false}) {
            Observation scene = opening("to-go");
            std::erase_if(scene.pieces, [&](const Piece& p) {
                const Point at = local_to(*scene.board, {p.x, p.y});
                return p.type == "queen" ? !queen : queen || p.type == "striker" || at.x > 5;
            });
            const cv::Mat picture = picture_of(camera, c, scene);
            Score score;
            compare(scene.pieces, detect_discs({picture, &camera.map(), {}}, c, scene.board),
                    score);
            EXPECT_EQ(score.right, int(scene.pieces.size())) << seed << queen;
            EXPECT_EQ(score.extra, 0) << seed << queen;
        }
    }
}

TEST(LiveDiscs, AreFoundTouchingAndScattered) {
    const Catalogue c = board_catalogue("to-go");
    Score touching, apart;
    for (unsigned seed = 1; seed <= 4; ++seed) {
        simulator::Camera camera({}, "cafe", seed);
        const Observation first = opening("to-go");
        const cv::Mat picture = picture_of(camera, c, first);
        LiveDiscs live(c, camera.map(), *first.board);
        live.learn(picture, first.pieces);
        compare(first.pieces, live.detect(picture), touching);
        const Observation later = scattered(c, seed + 10);
        const cv::Mat next = picture_of(camera, c, later);
        compare(later.pieces, live.detect(next), apart);
        keep(("live-" + std::to_string(seed)).c_str(), {next, &camera.map(), {}}, c,
             live.detect(next));
    }
    check("live touching", touching, 0.4, 1.0);
    check("live scattered", apart, 0.22, 0.7);
}

TEST(LiveDiscs, AreNotReportedFromUnderAHand) {
    const Catalogue c = board_catalogue("to-go");
    simulator::Camera camera({}, "cafe", 3);
    const Observation scene = scattered(c, 5);
    const cv::Mat picture = picture_of(camera, c, scene);
    LiveDiscs live(c, camera.map(), *scene.board);
    live.learn(picture, scene.pieces);
    const cv::Mat hidden(picture.rows / 8, picture.cols / 8, CV_8U, cv::Scalar(255));
    EXPECT_TRUE(live.detect(picture, hidden).empty());
}

TEST(LiveDiscs, AreFollowedByTheirRims) {
    const Catalogue c = board_catalogue("to-go");
    simulator::Camera camera({}, "cafe", 4);
    const Observation scene = scattered(c, 6);
    const cv::Mat picture = picture_of(camera, c, scene);
    LiveDiscs live(c, camera.map(), *scene.board);
    live.learn(picture, scene.pieces);
    for (const Piece& truth : scene.pieces) {
        Piece guess = truth;
        guess.x += 1.2, guess.y -= 0.8;
        ASSERT_TRUE(live.follow(picture, guess)) << truth.type;
        EXPECT_LT(distance({guess.x, guess.y}, {truth.x, truth.y}), 0.8) << truth.type;
    }
}

}  // namespace
}  // namespace overboard::vision
