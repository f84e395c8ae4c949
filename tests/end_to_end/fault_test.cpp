// What goes wrong in a café, done to the real program: nothing is lost, nothing is scored wrong,
// and the table says what it needs.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include "tests/end_to_end/live_table.hpp"

namespace overboard::app {
namespace {

using testing::LiveTable;

/// Everything that was played is in the log, in order, and nothing else.
void expect_all_scored(LiveTable& table) {
    EXPECT_EQ(table.scored(), table.truth()) << table.said();
}

class Fault : public ::testing::Test {
protected:
    void SetUp() override { ASSERT_TRUE(table.wait_until_seen()) << table.said(); }
    bool calls(const std::string& rule) {
        return table.hears(table.events(), "match", [&](const Json& e) {
            return e.value("event", "") == "attention" && e.value("rule", "") == rule;
        });
    }
    LiveTable table{"gotown", 3, true};
};

TEST_F(Fault, EveryPartKilledComesBackAndTheGameGoesOn) {
    table.play(1);
    for (const std::string name : {"vision", "rules", "table"}) {
        const pid_t before = table.part(name);
        ASSERT_GT(before, 0);
        ASSERT_EQ(kill(before, SIGKILL), 0);
        ASSERT_TRUE(table.film().rest_until(20, [&] { return table.part(name) != before; }))
            << name << "\n"
            << table.said();
        ASSERT_TRUE(table.sees("ok")) << name;
        ASSERT_TRUE(table.film().rest_until(20, [&] { return table.seq() >= 0; })) << name;
        table.film().rest(2);
        table.play(1);
    }
    expect_all_scored(table);
}

TEST_F(Fault, TheCameraIsUnpluggedAndComesBack) {
    table.play(1);
    table.film().pull_out();
    EXPECT_TRUE(table.sees("lost")) << table.said();
    EXPECT_EQ(table.seq(), 1);
    table.film().plug_in();
    EXPECT_TRUE(table.sees("ok")) << table.said();
    table.film().rest(1);
    table.play(2);
    expect_all_scored(table);
}

TEST_F(Fault, TheLampGoesOffAndOn) {
    table.play(1);
    table.film().lamps(false);
    EXPECT_TRUE(table.sees("dark")) << table.said();
    EXPECT_EQ(table.seq(), 1);
    table.film().lamps(true);
    EXPECT_TRUE(table.sees("ok")) << table.said();
    table.film().rest(1);
    table.play(2);
    expect_all_scored(table);
}

TEST_F(Fault, AGuestLeansOverTheTable) {
    table.play(1);
    table.film().lean(true);
    table.film().rest(std::getenv("OVERBOARD_LONG") ? 30 : 6);
    EXPECT_EQ(table.seq(), 1);
    table.film().lean(false);
    table.film().rest(1);
    table.play(2);
    expect_all_scored(table);
}

TEST_F(Fault, AStolenPieceIsAskedBack) {
    table.play(3);  // a floor of two cards stands
    ASSERT_EQ(table.seq(), 3);
    ASSERT_TRUE(table.film().steal("7"));
    EXPECT_TRUE(calls("TABLE")) << table.said();
    EXPECT_EQ(table.seq(), 3);
    table.film().give_back();
    table.film().rest(2);
    table.play(1);
    expect_all_scored(table);
}

/// In whatever order: two moves that came at once have none.
TEST_F(Fault, TwoMovesAtOnceAreBothScoredOrAskedFor) {
    table.play_unseen(2);
    table.film().rest(4);
    const std::vector<Json> scored = table.scored(), truth = table.truth();
    for (const Json& move : scored)
        EXPECT_EQ(std::count(scored.begin(), scored.end(), move),
                  std::count(truth.begin(), truth.end(), move))
            << move;
    if (scored.empty()) table.enter_missing();
    table.play(1);
    const std::vector<Json> all = table.scored();
    ASSERT_GE(all.size(), truth.size());
    EXPECT_TRUE(std::is_permutation(truth.begin(), truth.end(), all.begin()));
    EXPECT_EQ(table.seq(), 3);
}

TEST_F(Fault, AFullDiskIsSaidAndNothingIsLost) {
    table.play(1);
    const rlimit none{0, RLIM_INFINITY}, all{RLIM_INFINITY, RLIM_INFINITY};
    ASSERT_EQ(prlimit(table.part("rules"), RLIMIT_FSIZE, &none, nullptr), 0);
    table.play_unseen(1);
    EXPECT_TRUE(calls("STORE")) << table.said();
    EXPECT_EQ(table.seq(), 1);
    ASSERT_EQ(prlimit(table.part("rules"), RLIMIT_FSIZE, &all, nullptr), 0);
    EXPECT_TRUE(table.film().rest_until(20, [&] { return table.seq() == 2; })) << table.said();
    table.play(1);
    expect_all_scored(table);
}

}  // namespace
}  // namespace overboard::app
