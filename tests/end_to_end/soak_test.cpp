// Hours of play in accelerated time hold no more memory and no more handles than the first minutes.
// Three minutes here; the eight hours are run by hand: overboard demo GAME --headless --no-film
// --again --fps 10 --meter 600 --seconds 28800
#include <gtest/gtest.h>

#include <sstream>

#include "tests/end_to_end/live_table.hpp"

namespace overboard::app {
namespace {

struct Reading {
    double time_s = 0, memory_mb = 0;
    int handles = 0;
};

std::vector<Reading> soak(const std::string& game, double seconds) {
    const testing::Folder folder;
    testing::Program program(
        {"demo", game, "--headless", "--no-film", "--again", "--fps", "10", "--meter", "20",
         "--seconds", std::to_string(seconds), "--out", folder.at("out")},
        folder.at("said"));
    EXPECT_EQ(program.wait(), 0);
    std::istringstream said(testing::content_of(folder.at("said")));
    std::vector<Reading> list;
    for (std::string line; std::getline(said, line);) {
        Reading r;
        if (std::sscanf(line.c_str(), "%lf s: %lf MB, %d handles", &r.time_s, &r.memory_mb,
                        &r.handles) == 3)
            list.push_back(r);
    }
    return list;
}

TEST(Soak, ThreeMinutesHoldNoMoreThanTheFirst) {
    const std::vector<Reading> readings = soak("gotown", 180);
    ASSERT_GE(readings.size(), 8U);
    // The first minute fills caches; what is held goes up and down with the pictures in flight, so
    // peaks are compared.
    const auto most = [&](std::size_t from, std::size_t to) {
        Reading peak;
        for (std::size_t i = from; i < to; ++i)
            peak = {readings[i].time_s, std::max(peak.memory_mb, readings[i].memory_mb),
                    std::max(peak.handles, readings[i].handles)};
        return peak;
    };
    const std::size_t half = readings.size() / 2 + 1;
    const Reading early = most(2, half), late = most(half, readings.size());
    std::printf("at most %.1f MB and %d handles until %.0f s, %.1f MB and %d until %.0f s\n",
                early.memory_mb, early.handles, early.time_s, late.memory_mb, late.handles,
                late.time_s);
    EXPECT_LE(late.memory_mb, early.memory_mb + 30);
    EXPECT_LE(late.handles, early.handles + 2);
}

}  // namespace
}  // namespace overboard::app
