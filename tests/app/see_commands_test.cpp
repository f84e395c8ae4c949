// `overboard track` and `overboard vision` as a user calls them, on a film of a simulated carrom
// game.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>

#include "bus/codec.hpp"
#include "bus/socket.hpp"
#include "tests/folder.hpp"

namespace overboard {
namespace {

namespace fs = std::filesystem;

using testing::content_of;

std::vector<Json> lines_of(const fs::path& file) {
    std::vector<Json> lines;
    std::ifstream in(file);
    for (std::string line; std::getline(in, line);) lines.push_back(Json::parse(line));
    return lines;
}

/// One film for all tests: it takes seconds to render.
struct SeeCommands : ::testing::Test {
    static inline fs::path folder;
    static inline std::optional<testing::Folder> kept;
    static void SetUpTestSuite() {
        folder = kept.emplace().path();
        ASSERT_EQ(
            run("simulate carrom --seed 4 --seconds 5 --fps 60 --pace 3 --out " + folder.string()),
            0)
            << content_of(folder / "err");
    }
    static void TearDownTestSuite() { kept.reset(); }
    static int run(const std::string& arguments) {
        const std::string line = std::string(OVERBOARD_PROGRAM) + " " + arguments + " >" +
                                 (folder / "out").string() + " 2>" + (folder / "err").string();
        const int status = std::system(line.c_str());
        return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    }
    static std::string film() { return (folder / "video.mp4").string(); }
};

TEST_F(SeeCommands, TrackSaysWhatLiesThereAndWhatWasShot) {
    ASSERT_EQ(run("track carrom " + film() + " --draw " + (folder / "drawn.mp4").string()), 0)
        << content_of(folder / "err");
    int shots = 0, observations = 0;
    std::map<int, std::string> first, last;
    for (const Json& line : lines_of(folder / "out")) {
        ASSERT_TRUE(line.contains("observation") != line.contains("shot"))
            << "one of the two a line";
        if (line.contains("shot")) {
            const auto shot = decode_shot(line.at("shot").dump());
            ASSERT_TRUE(shot);
            EXPECT_TRUE(shot->striker_from);
            EXPECT_GT(shot->end, shot->start);
            ++shots;
            continue;
        }
        const auto seen = decode_observation(line.at("observation").dump());
        ASSERT_TRUE(seen);
        EXPECT_TRUE(seen->board);
        last.clear();
        for (const Piece& p : seen->pieces) last[p.id] = p.type;
        if (observations++ == 10) first = last;
    }
    const auto truth = lines_of(folder / "truth.jsonl");
    EXPECT_EQ(observations, std::count_if(truth.begin(), truth.end(),
                                          [](const Json& t) { return t.contains("observation"); }))
        << "one a frame";
    EXPECT_EQ(shots, 1);
    EXPECT_EQ(first.size(), 13u);
    for (const auto& [id, type] : last)
        if (first.contains(id)) {
            EXPECT_EQ(first[id], type) << "an id is a piece for good";
        }
    EXPECT_GT(fs::file_size(folder / "drawn.mp4"), 10000u);
}

TEST_F(SeeCommands, TrackComplainsInOneSentence) {
    EXPECT_EQ(run("track carrom " + (folder / "nothing.mp4").string()), 1);
    const std::string err = content_of(folder / "err");
    EXPECT_EQ(std::count(err.begin(), err.end(), '\n'), 1) << err;
    EXPECT_EQ(run("track"), 2);
    EXPECT_EQ(run("track chess " + film()), 2);
    EXPECT_EQ(run("vision"), 2);
    EXPECT_EQ(run("vision carrom --help"), 0);
}

TEST_F(SeeCommands, VisionPublishesWhatItSeesAndStopsWhenTold) {
    const std::string address = "ipc://" + (folder / "observations").string();
    const std::string video = film();
    const pid_t pid = fork();
    if (pid == 0) {
        execl(OVERBOARD_PROGRAM, "overboard", "vision", "carrom", "--camera", video.c_str(),
              "--observations", address.c_str(), nullptr);
        _exit(127);
    }
    Subscriber ear(address, {"observation", "camera"}, Subscriber::Keep::all);
    int observations = 0, cameras = 0;
    std::size_t most = 0;
    for (int i = 0; i < 400 && (observations < 30 || cameras < 1); ++i) {
        const auto heard = ear.receive(milliseconds{500});
        if (!heard) continue;
        if (heard->topic == "camera") ++cameras;
        if (heard->topic != "observation") continue;
        const auto seen = decode_observation(heard->json);
        ASSERT_TRUE(seen);
        most = std::max(most, seen->pieces.size());
        ++observations;
    }
    kill(pid, SIGTERM);
    int status = 0;
    waitpid(pid, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
    EXPECT_GE(observations, 30);
    EXPECT_GE(cameras, 1);
    EXPECT_GE(most, 13u);
}

}  // namespace
}  // namespace overboard
