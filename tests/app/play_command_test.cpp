// `overboard play` called with names that lead nowhere: one sentence at once, never an endless
// wait.
#include "tests/app/command.hpp"

namespace overboard {
namespace {

struct PlayCommand : testing::CommandTest {
    void is_refused(const std::string& arguments, const std::string& because) {
        const testing::Outcome told = call("play " + arguments + " --offscreen --store " +
                                           at("matches.db") + " --log " + at("log"));
        EXPECT_EQ(told.code, 1) << arguments;
        EXPECT_TRUE(told.one_sentence()) << told.err;
        EXPECT_NE(told.err.find(because), std::string::npos) << told.err;
        EXPECT_FALSE(std::filesystem::exists(at("matches.db")));
    }
};

TEST_F(PlayCommand, RefusesAFilmThatIsNotThere) {
    is_refused("carrom --camera " + at("missing.mp4"), "missing.mp4");
}

TEST_F(PlayCommand, RefusesARecordingItCannotWrite) {
    is_refused("carrom --record " + at("no/such/evening.jsonl"), "evening.jsonl");
}

}  // namespace
}  // namespace overboard
