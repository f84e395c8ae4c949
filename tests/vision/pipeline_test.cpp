#include "vision/pipeline.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "rules/games.hpp"
#include "simulator/script.hpp"
#include "tests/vision/film.hpp"

namespace overboard::vision {
namespace {

using namespace scenes;

TEST(Pipeline, SettlesOnAQuietTableAndKeepsItsIds) {
    Film film;
    const auto first = ids_of(film.steps(2));
    const Observation later = film.steps(16);
    EXPECT_TRUE(later.still);
    EXPECT_EQ(ids_of(later), first);
    Score score;
    compare(film.scene.pieces, later.pieces, score);
    EXPECT_EQ(score.missed, 0);
    EXPECT_EQ(score.extra, 0);
    EXPECT_EQ(score.right, score.found);
    EXPECT_LT(score.at(0.95), 1.2);
    for (const Piece& p : later.pieces) EXPECT_DOUBLE_EQ(p.seen, later.time);
}

TEST(Pipeline, FollowsAMovingDiscUnderOneId) {
    Film film;
    const auto first = ids_of(film.steps(16));
    simulator::Body& body = film.body(film.free_to_move());
    Observation seen;
    for (int i = 0; i < 12; ++i) {
        body.at.x += 3.5;
        seen = film.step();
    }
    EXPECT_FALSE(seen.still);
    EXPECT_EQ(ids_of(seen), first);
    double nearest = 1e9;
    for (const Piece& p : seen.pieces)
        nearest = std::min(nearest, distance({p.x, p.y}, {body.at.x, body.at.y}));
    EXPECT_LT(nearest, 1.5);
    EXPECT_TRUE(film.steps(20).still);
}

TEST(Pipeline, ReportsNothingNewFromUnderAHandAndKeepsWhatItKnew) {
    Film film;
    const auto first = ids_of(film.steps(16));
    simulator::Hand hand;
    hand.at = {film.scene.pieces[0].x, film.scene.pieces[0].y, M_PI / 2};
    Observation seen;
    for (int i = 0; i < 25; ++i) {
        hand.at.x += i % 2 ? 3 : -3;
        film.world.hands.assign(1, hand);
        seen = film.step();
        EXPECT_EQ(ids_of(seen), first) << "frame " << i;
    }
    EXPECT_FALSE(seen.hands.empty());
    EXPECT_FALSE(seen.still);
    const auto old = std::count_if(seen.pieces.begin(), seen.pieces.end(),
                                   [&](const Piece& p) { return p.seen < seen.time - 0.1; });
    EXPECT_GE(old, 1);
    film.world.hands.clear();
    seen = film.steps(25);
    EXPECT_TRUE(seen.still);
    EXPECT_TRUE(seen.hands.empty());
    EXPECT_EQ(ids_of(seen), first);
}

TEST(Pipeline, ForgetsADiscThatWasTakenAway) {
    Film film;
    const auto first = ids_of(film.steps(16));
    film.body(2).at = {-500, -500, 0};
    const Observation seen = film.steps(20);
    EXPECT_EQ(seen.pieces.size(), first.size() - 1);
    EXPECT_TRUE(seen.still);
}

TEST(Pipeline, SaysWhenItIsDark) {
    Film film;
    film.steps(3);
    cv::Mat dark = cv::Mat::zeros(1080, 1920, CV_8UC3);
    Observation seen;
    for (int i = 0; i < 12; ++i)
        seen = film.pipeline.push({dark, film.time_s += 0.05, film.index++});
    EXPECT_EQ(film.pipeline.camera_state().state, "dark");
    EXPECT_EQ(seen.sight, "dark");
    EXPECT_FALSE(seen.still);
}

TEST(Pipeline, SurvivesFramesOfAnyKind) {
    Film film;
    cv::RNG chance(5);
    for (const cv::Size size :
         {cv::Size(1920, 1080), cv::Size(64, 48), cv::Size(1, 1), cv::Size(1920, 1080)}) {
        cv::Mat noise(size, CV_8UC3);
        chance.fill(noise, cv::RNG::UNIFORM, 0, 256);
        film.pipeline.push({noise, film.time_s += 0.1, film.index++});
    }
    film.pipeline.push({cv::Mat(), film.time_s += 0.1, film.index++});
    EXPECT_EQ(film.pipeline.camera_state().state, "lost");
    film.pipeline.push({cv::Mat(1080, 1920, CV_8U), film.time_s += 0.1, film.index++});
    SUCCEED();
}

TEST(Pipeline, CutsShotsOutOfASimulatedGame) {
    if (!std::getenv("OVERBOARD_LONG"))
        GTEST_SKIP() << "renders a minute of film; set OVERBOARD_LONG=1 to run it";
    const rules::Game* game = rules::find_game("carrom");
    ASSERT_NE(game, nullptr);
    rules::Setup setup;
    for (const char* name : {"a", "b"}) setup.players.emplace_back().name = name;
    simulator::ScriptOptions options;
    options.seed = 5;
    options.pace = 3;
    options.rest_s = 0.7;
    simulator::Script script(*game, setup, options);
    simulator::Camera camera({}, "cafe", 9);
    Pipeline pipeline(script.catalogue(), camera.map());
    std::vector<Shot> shots;
    std::vector<simulator::TruthMove> moves;
    std::int64_t index = 0;
    while (moves.size() < 2 && index < 1500) {
        const simulator::Frame frame = script.next();
        pipeline.push({camera.render(frame.world, frame.time_s), frame.time_s, index++});
        for (const auto& m : frame.moves)
            if (m.move.move.value("type", "") == "shot") moves.push_back(m);
        for (Shot& s : pipeline.take_shots()) shots.push_back(std::move(s));
    }
    std::printf("%zu shots seen, %zu made, %lld frames\n", shots.size(), moves.size(),
                static_cast<long long>(index));
    ASSERT_GE(shots.size(), moves.size());
    for (std::size_t i = 0; i < moves.size(); ++i) {
        const Json& truth = moves[i].move.move["pocketed"];
        const auto blues = std::count_if(shots[i].pocketed.begin(), shots[i].pocketed.end(),
                                         [](const Fallen& f) { return f.type == "blue"; });
        EXPECT_EQ(blues, truth.value("blue", 0)) << "shot " << i;
        EXPECT_TRUE(shots[i].striker_from.has_value());
    }
}

}  // namespace
}  // namespace overboard::vision
