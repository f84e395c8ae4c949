#include "physics/shot.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "bus/codec.hpp"
#include "tests/physics/positions.hpp"

namespace overboard::physics {
namespace {

std::string refusal(const std::function<void()>& act) {
    try {
        act();
    } catch (const std::runtime_error& e) {
        return e.what();
    }
    return "nothing refused";
}

ShotRequest parsed(const char* text) {
    return request_from(Json::parse(text));
}

/// Every coordinate of every computed shot, byte by byte. No trigonometry on the way in.
std::uint64_t fingerprint() {
    std::uint64_t hash = 1469598103934665603u;
    const auto add = [&](double value) {
        unsigned char bytes[8];
        std::memcpy(bytes, &value, 8);
        for (unsigned char byte : bytes) hash = (hash ^ byte) * 1099511628211u;
    };
    for (const char* name : {"to-go", "tournament"}) {
        const Board& board = load_board(name);
        for (unsigned seed = 0; seed < 40; ++seed) {
            auto stroke = seed % 4 ? testing::scattered(seed, board)
                                   : testing::opening(seed, board);
            stroke.strike.velocity_mm_s = {-1500.0 + 75 * seed, -2500.0 - 40 * seed};
            Parameters p;
            p.rim_friction = seed % 3 ? 0 : 0.08;
            const Shot shot = simulate(stroke.position, stroke.strike, board, p);
            for (const Track& t : shot.tracks)
                for (const TrackPoint& at : t.points) add(at.t), add(at.x), add(at.y);
        }
    }
    return hash;
}

TEST(Simulate, GivesTheSameBytesInEveryBuild) {
    // Release, -O1 with sanitizers and -O0 must agree. A change of the physics changes this number;
    // a change of the compiler or its flags must not.
    EXPECT_EQ(fingerprint(), 12571824126913994570u);
    EXPECT_EQ(fingerprint(), fingerprint());
}

TEST(Simulate, TracksCarryFramesEventsAndTypes) {
    const Board& board = load_board("to-go");
    const Position position{{{7, "blue", {0, 0}, 0}, {8, "queen", {-150, 0}, 0}}};
    const Shot shot = simulate(position, {{0, 142}, {0, -900}}, board);
    EXPECT_EQ(shot.board, "to-go");
    EXPECT_EQ(shot.fps, 120);
    EXPECT_EQ(shot.striker_from, (Point{0, 142}));
    ASSERT_EQ(shot.tracks.size(), 3u);
    EXPECT_EQ(shot.tracks[0].id, 7);
    EXPECT_EQ(shot.tracks[2].type, "striker");
    EXPECT_EQ(shot.tracks[2].id, 9);
    EXPECT_EQ(shot.tracks[1].points.size(), 2u);  // never moved
    EXPECT_GT(shot.tracks[0].points.size(), 20u);
    for (const Track& t : shot.tracks) {
        EXPECT_EQ(t.points.front().t, 0);
        EXPECT_EQ(t.points.back().t, shot.end);
        for (std::size_t k = 1; k < t.points.size(); ++k)
            EXPECT_GT(t.points[k].t, t.points[k - 1].t);
    }
}

TEST(Simulate, ListsWhatFell) {
    const Board& board = load_board("to-go");
    const Position position{{{1, "blue", {120, -120}, 0}}};
    const double reach = (20 + 26) / 2.0 / std::sqrt(2);
    const Shot shot = simulate(position, {{120 - 3 * reach, -120 + 3 * reach}, {900, -900}}, board);
    ASSERT_GE(shot.pocketed.size(), 1u);
    EXPECT_EQ(shot.pocketed[0].type, "blue");
    EXPECT_EQ(shot.pocketed[0].pocket, "ne");
    EXPECT_EQ(shot.tracks[0].points.back().t, shot.pocketed[0].time);  // the track ends in the hole
}

TEST(Simulate, ConfidenceFadesWithEveryCollision) {
    double last = 1;
    for (int k = 0; k < 15; ++k) {
        EXPECT_LT(confidence_after(k), last);
        last = confidence_after(k);
    }
    EXPECT_GT(confidence_after(3), 0.9);
    EXPECT_LT(confidence_after(10), 0.2);
}

TEST(Simulate, BothEnginesTellTheSameStory) {
    const Board& board = load_board("to-go");
    const Position position{{{1, "blue", {30, 20}, 0}, {2, "queen", {-80, -60}, 0}}};
    const Strike strike{{0, 142}, {380, -1800}};
    const Shot exact = simulate(position, strike, board),
               box = simulate(position, strike, board, {}, Engine::box2d);
    ASSERT_EQ(exact.tracks.size(), box.tracks.size());
    for (std::size_t k = 0; k < exact.tracks.size(); ++k) {
        EXPECT_NEAR(exact.tracks[k].points.back().x, box.tracks[k].points.back().x, 2);
        EXPECT_NEAR(exact.tracks[k].points.back().y, box.tracks[k].points.back().y, 2);
    }
}

TEST(Simulate, PushesApartWhatTheCameraSawOverlapALittle) {
    const Board& board = load_board("to-go");
    const Position position{{{1, "blue", {0, 0}, 0}, {2, "blue", {19.4, 0}, 0}}};
    const Shot shot = simulate(position, {{0, 142}, {0, -100}}, board);
    EXPECT_NEAR(shot.tracks[0].points[0].x, -0.3, 1e-6);
}

TEST(Simulate, RefusesInOneSentence) {
    const Board& board = load_board("to-go");
    const Strike strike{{0, 142}, {0, -900}};
    EXPECT_EQ(refusal([&] {
                  simulate({{{1, "white", {0, 0}, 0}}}, strike, board);
              }),
              "the board \"to-go\" has no disc of type \"white\"");
    EXPECT_EQ(refusal([&] {
                  simulate({{{1, "blue", {0, 300}, 0}}}, strike, board);
              }),
              "the blue at (0.0, 300.0) is not on the playing surface");
    EXPECT_EQ(refusal([&] {
                  simulate({{{1, "blue", {0, 0}, 0}, {2, "blue", {9, 0}, 0}}}, strike, board);
              }),
              "the blue at (9.0, 0.0) overlaps the blue at (0.0, 0.0)");
    EXPECT_EQ(refusal([&] {
                  simulate({{{1, "blue", {0, 0}, 0}, {2, "blue", {0, 0}, 1}}}, strike, board);
              }),
              "the exact engine does not know stacks: use the engine box2d");
    EXPECT_EQ(refusal([&] {
                  simulate({}, {{0, 142}, {0, 1e9}}, board);
              }),
              "the striker is faster than 20000 mm/s");
}

TEST(ShotRequest, ReadsTheContractsExample) {
    const auto r = parsed(
        R"({"board":"to-go","discs":[{"type":"blue","x":1,"y":2}],"striker":{"x":0,"y":142,"vx":3,"vy":-900},
                              "physics":{"friction":0.1,"something_else":1},"unknown":0})");
    EXPECT_EQ(r.board, "to-go");
    ASSERT_EQ(r.position.discs.size(), 1u);
    EXPECT_EQ(r.position.discs[0].id, 1);
    EXPECT_EQ(r.strike.velocity_mm_s, (Point{3, -900}));
    EXPECT_EQ(r.parameters.friction, 0.1);
    EXPECT_EQ(r.parameters.restitution, Parameters{}.restitution);
}

TEST(ShotRequest, NamesTheKeyThatIsWrong) {
    EXPECT_EQ(refusal([] { parsed("[]"); }), "a shot to simulate is one JSON object");
    EXPECT_EQ(refusal([] { parsed("{}"); }), "\"striker\" is missing or no object");
    EXPECT_EQ(refusal([] { parsed(R"({"striker":{"x":0,"y":0,"vx":0}})"); }),
              "the striker lacks \"vy\"");
    EXPECT_EQ(refusal([] { parsed(R"({"striker":{"x":0,"y":0,"vx":0,"vy":"fast"}})"); }),
              "\"vy\" of the striker is not a number");
    EXPECT_EQ(refusal([] {
                  parsed(R"({"striker":{"x":0,"y":0,"vx":0,"vy":0},"physics":{"restitution":2}})");
              }),
              "\"restitution\" of \"physics\" is not between 0 and 1");
    EXPECT_EQ(refusal([] { parsed(R"({"discs":[{"x":0,"y":0}],"striker":{}})"); }),
              "a disc lacks \"type\"");
}

TEST(Parameters, GoThroughJsonAndBack) {
    Parameters p;
    p.friction = 0.123;
    p.rim_friction = 0.05;
    EXPECT_EQ(parameters_from(to_json(p)), p);
}

TEST(Shot, ADiscThatHitsTheFrameTooHardLeavesTheBoardInBothEngines) {
    const Board& board = load_board("to-go");
    Parameters p;
    p.leap_speed_mm_s = 2500;
    for (const Engine engine : {Engine::exact, Engine::box2d}) {
        const Shot held = simulate({}, {{0, 142}, {0, -2400}, 0, 1}, board, p, engine);
        EXPECT_TRUE(held.ejected.empty());
        const Shot gone = simulate({}, {{0, 142}, {0, -3500}, 0, 1}, board, p, engine);
        ASSERT_EQ(gone.ejected.size(), 1u);
        EXPECT_EQ(gone.ejected[0].type, "striker");
        EXPECT_NEAR(gone.ejected[0].time, 0.1, 0.01);
        EXPECT_TRUE(gone.pocketed.empty());
        EXPECT_TRUE(simulate({}, {{0, 142}, {0, -3500}, 0, 1}, board, {}, engine).ejected.empty())
            << "nobody leaps unless told to";
    }
}

}  // namespace
}  // namespace overboard::physics
