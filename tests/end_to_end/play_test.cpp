// `overboard play` as a guest meets it: a camera on the network, the real program, a match.
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>

#include "tests/end_to_end/live_table.hpp"

namespace overboard::app {
namespace {

using testing::LiveTable;

/// The most memory a process ever held, in MB.
double most_memory_mb(pid_t pid) {
    std::ifstream status("/proc/" + std::to_string(pid) + "/status");
    for (std::string line; std::getline(status, line);)
        if (line.rfind("VmHWM:", 0) == 0) return std::stod(line.substr(6)) / 1024;
    return 0;
}

/// What the program prints.
std::string output_of(const std::string& arguments) {
    std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe(
        popen((OVERBOARD_PROGRAM " " + arguments + " 2>/dev/null").c_str(), "r"), pclose);
    std::string text;
    for (int c; (c = std::fgetc(pipe.get())) != EOF;) text += char(c);
    return text;
}

// A sanitizer's own memory is several times what it watches.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kMemoryIsOurs = false;
#else
constexpr bool kMemoryIsOurs = true;
#endif

TEST(Play, ThreadsAndProcessesScoreTheSameAndSoDoesTheRecording) {
    std::vector<Json> scored[2];
    for (const bool split : {false, true}) {
        LiveTable table("gotown", 3, split);
        ASSERT_TRUE(table.wait_until_seen()) << table.said();
        table.play(6);
        scored[split] = table.scored();
        EXPECT_EQ(scored[split], table.truth()) << table.said();
        if (split) continue;
        const double memory_mb = most_memory_mb(table.pid());
        std::printf("all rooms in one process at 1080p: %.0f MB\n", memory_mb);
        EXPECT_GT(memory_mb, 20);
        if (kMemoryIsOurs) {
            EXPECT_LT(memory_mb, 500);
        }
        table.stop();
        const std::string again = output_of("rerun --quiet " + table.recording());
        EXPECT_NE(again.find("gotown after 6 moves"), std::string::npos) << again;
    }
    EXPECT_EQ(scored[0], scored[1]);
}

}  // namespace
}  // namespace overboard::app
