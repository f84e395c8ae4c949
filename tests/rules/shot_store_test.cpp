#include "rules/shot_store.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "physics/shot.hpp"
#include "rules/service.hpp"

namespace overboard::rules {
namespace {

namespace fs = std::filesystem;

struct ShotStoreTest : ::testing::Test {
    fs::path file = fs::path(::testing::TempDir()) /
                    ("shots_" +
                     std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()) +
                     ".sqlite");
    void SetUp() override { fs::remove(file); }
    void TearDown() override { fs::remove(file); }
};

Shot a_shot(double vx = 300) {
    const auto& board = physics::load_board("to-go");
    physics::Position position;
    for (const auto& spot : board.spots)
        position.discs.push_back(
            {static_cast<int>(position.discs.size()) + 1, spot.type, spot.at, 0});
    return physics::simulate(position, {{0, 142}, {vx, -4000}}, board);
}

void expect_close(const Shot& a, const Shot& b) {
    EXPECT_EQ(a.shot_id, b.shot_id);
    EXPECT_EQ(a.board, b.board);
    EXPECT_EQ(a.end, b.end);
    EXPECT_EQ(a.striker_from, b.striker_from);
    EXPECT_EQ(a.confidence, b.confidence);
    ASSERT_EQ(a.pocketed.size(), b.pocketed.size());
    for (std::size_t k = 0; k < a.pocketed.size(); ++k)
        EXPECT_EQ(a.pocketed[k].pocket, b.pocketed[k].pocket);
    ASSERT_EQ(a.tracks.size(), b.tracks.size());
    for (std::size_t k = 0; k < a.tracks.size(); ++k) {
        EXPECT_EQ(a.tracks[k].type, b.tracks[k].type);
        ASSERT_EQ(a.tracks[k].points.size(), b.tracks[k].points.size());
        for (std::size_t i = 0; i < a.tracks[k].points.size(); ++i) {
            EXPECT_NEAR(a.tracks[k].points[i].t, b.tracks[k].points[i].t, 0.6e-6);
            EXPECT_NEAR(a.tracks[k].points[i].x, b.tracks[k].points[i].x, 0.6e-3);
            EXPECT_NEAR(a.tracks[k].points[i].y, b.tracks[k].points[i].y, 0.6e-3);
        }
    }
}

TEST_F(ShotStoreTest, GivesBackWhatItWasGivenEvenAfterReopening) {
    const Shot shot = a_shot();
    ShotStore(file).put(shot, "m1", 4, "2026-11-16T12:00:00Z");
    const ShotStore store(file);
    const auto back = store.get(shot.shot_id);
    ASSERT_TRUE(back);
    expect_close(shot, *back);
    EXPECT_FALSE(store.get("nobody"));
    const auto list = store.list();
    ASSERT_EQ(list.size(), 1u);
    EXPECT_EQ(list[0].match, "m1");
    EXPECT_EQ(list[0].seq, 4);
    EXPECT_EQ(list[0].tracks, 14);
}

TEST_F(ShotStoreTest, ListsByMatchOldestFirst) {
    ShotStore store(file);
    store.put(a_shot(1), "a", 1, "2026-11-16T12:00:01Z");
    store.put(a_shot(2), "b", 1, "2026-11-16T12:00:00Z");
    store.put(a_shot(3), "a", 2, "2026-11-16T12:00:02Z");
    EXPECT_EQ(store.list().size(), 3u);
    ASSERT_EQ(store.list("a").size(), 2u);
    EXPECT_EQ(store.list("a")[1].seq, 2);
    EXPECT_EQ(store.latest()->shot_id, a_shot(3).shot_id);
    EXPECT_EQ(store.latest("b")->shot_id, a_shot(2).shot_id);
    EXPECT_TRUE(store.remove(a_shot(2).shot_id));
    EXPECT_FALSE(store.latest("b"));
}

TEST_F(ShotStoreTest, TheServiceKeepsWatchedShotsWithTheirMatch) {
    const fs::path shots = shots_beside(file);
    fs::remove(shots);
    {
        Service service({file, {}, {}, {}});
        service.observe(a_shot(1));  // nobody plays yet
        const Json started = Json::parse(service.handle(
            R"({"jsonrpc":"2.0","id":1,"method":"match.start","params":{"game":"carrom","players":[{"name":"A"},{"name":"B"}]}})"));
        ASSERT_TRUE(started.contains("result")) << started.dump();
        service.observe(a_shot(2));
    }
    const auto list = ShotStore(shots).list();
    ASSERT_EQ(list.size(), 2u);
    EXPECT_EQ(list[0].match, "");
    EXPECT_NE(list[1].match, "");
    fs::remove(shots);
}

TEST(ShotStore, LiesBesideTheMatches) {
    EXPECT_EQ(shots_beside("/a/matches.db"), "/a/matches.shots.db");
    EXPECT_EQ(shots_beside("/a/matches.shots.db"), "/a/matches.shots.db");
}

TEST(PackedTracks, AreSmall) {
    const Shot shot = a_shot();
    std::size_t points = 0;
    for (const Track& t : shot.tracks) points += t.points.size();
    EXPECT_LT(packed(shot.tracks).size(), 7 * points);  // three doubles would be 24
}

TEST(PackedTracks, BrokenBytesAreRefusedNotRead) {
    const std::string good = packed(a_shot().tracks);
    EXPECT_THROW(unpacked(good.substr(0, good.size() / 2)), std::runtime_error);
    EXPECT_THROW(unpacked(""), std::runtime_error);
    EXPECT_THROW(unpacked("\x07"), std::runtime_error);
    std::string wild = good;
    for (std::size_t k = 1; k < wild.size(); k += 3) {
        wild[k] = static_cast<char>(wild[k] ^ 0x5a);
        try {
            unpacked(wild);
        } catch (const std::runtime_error&) {
        }
    }
}

TEST_F(ShotStoreTest, AFileThatIsNoStoreIsOneSentence) {
    std::ofstream(file) << "this is not a database, and long enough to be looked at by sqlite, "
                           "which reads a header of one hundred bytes";
    EXPECT_THROW(ShotStore{file}, std::runtime_error);
}

}  // namespace
}  // namespace overboard::rules
