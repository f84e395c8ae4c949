#include "bus/recording.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <fstream>

namespace overboard {
namespace {

namespace fs = std::filesystem;

fs::path fresh_file(const char* name) {
    const fs::path file = fs::temp_directory_path() /
                          (std::string(name) + std::to_string(getpid()));
    fs::remove(file);
    return file;
}

TEST(Recording, PlaysBackWhatWasWrittenInOrder) {
    const fs::path file = fresh_file("rec");
    {
        Recorder recorder(file);
        recorder.write(1.0, "observation", R"({"frame":1})");
        recorder.write(1.5, "match", R"({"event":"scored"})");
    }
    std::vector<std::string> seen;
    const auto result = play_back(file, 0, [&](const Recorded& r) {
        seen.push_back(r.topic + r.json);
        return true;
    });
    EXPECT_EQ(seen, (std::vector<std::string>{R"(observation{"frame":1})",
                                              R"(match{"event":"scored"})"}));
    EXPECT_EQ(result.broken_lines, 0);
    fs::remove(file);
}

TEST(Recording, PassesOverALineCutByThePlug) {
    const fs::path file = fresh_file("cut");
    { Recorder(file).write(1, "a", "{}"); }
    std::ofstream(file, std::ios::app) << R"({"t":2,"topic":"b","mess)";
    const auto result = play_back(file, 0, [](const Recorded&) { return true; });
    EXPECT_EQ(result.messages, 1);
    EXPECT_EQ(result.broken_lines, 1);
    fs::remove(file);
}

TEST(Recording, KeepsThePaceWhenAsked) {
    const fs::path file = fresh_file("pace");
    {
        Recorder recorder(file);
        recorder.write(10, "a", "{}");
        recorder.write(10.2, "a", "{}");
    }
    const auto begin = std::chrono::steady_clock::now();
    play_back(file, 2, [](const Recorded&) { return true; });
    EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(99));
    fs::remove(file);
}

TEST(Recording, SaysWhenTheFileIsNotThere) {
    EXPECT_THROW(play_back("/nowhere/at/all", 0, [](const Recorded&) { return true; }),
                 std::runtime_error);
    EXPECT_THROW(Recorder("/nowhere/at/all"), std::runtime_error);
}

}  // namespace
}  // namespace overboard
