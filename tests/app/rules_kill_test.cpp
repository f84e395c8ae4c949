// The real service, killed at random instants between any two system calls: what was answered is
// there afterwards, nothing is there twice. OVERBOARD_LONG=1 kills 200 times.
#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <iostream>
#include <map>
#include <random>
#include <thread>

#include "bus/json.hpp"
#include "bus/socket.hpp"
#include "tests/folder.hpp"
#include "tests/program.hpp"

namespace overboard {
namespace {

using namespace std::chrono_literals;

using testing::Folder;
using testing::Program;

std::string requests_in(const Folder& folder) {
    return "ipc://" + folder.at("requests");
}

std::vector<std::string> rules_in(const Folder& folder) {
    return {"rules",
            "--requests",
            requests_in(folder),
            "--events",
            "ipc://" + folder.at("events"),
            "--observations",
            "",
            "--store",
            folder.at("matches.db")};
}

std::optional<Json> ask(Client& client, const std::string& method, Json params = Json::object()) {
    const Json request = {
        {"jsonrpc", "2.0"}, {"id", 1}, {"method", method}, {"params", std::move(params)}};
    const auto reply = client.request(request.dump());
    if (!reply) return {};
    return Json::parse(*reply);
}

bool answers(const Folder& folder) {
    for (int i = 0; i < 100; ++i) {
        Client client(requests_in(folder), 300ms);
        if (const auto pong = ask(client, "service.ping"); pong && pong->contains("result"))
            return true;
    }
    return false;
}

struct Hammered {
    std::string match;
    std::vector<std::string> answered;
    std::string unanswered;  ///< The one in flight when the service died.
};

/// Sends moves until one is not answered.
Hammered hammer(const Folder& folder, int run) {
    Client client(requests_in(folder), 250ms);
    Hammered h;
    const auto started = ask(
        client, "match.start",
        {{"game", "carrom"}, {"variant", "free"}, {"players", {{{"name", "Ada"}}}}});
    if (!started) return h;
    h.match = started->at("result").at("match");
    for (int i = 0; i < 5000; ++i) {
        h.unanswered = std::to_string(run) + "-" + std::to_string(i);
        const auto done = ask(client, "match.move",
                              {{"match", h.match},
                               {"player", "Ada"},
                               {"move", {{"type", "shot"}, {"shot_id", h.unanswered}}}});
        if (!done) return h;
        EXPECT_TRUE(done->contains("result")) << *done;
        EXPECT_EQ(done->at("result").at("seq"), i + 1);
        h.answered.push_back(h.unanswered);
    }
    h.unanswered.clear();
    return h;
}

void check(const Folder& folder, const Hammered& h) {
    Client client(requests_in(folder), 2000ms);
    const auto log = ask(client, "match.log", {{"match", h.match}});
    ASSERT_TRUE(log && log->contains("result")) << (log ? log->dump() : "no answer");
    std::vector<std::string> kept;
    for (const Json& line : log->at("result").at("moves"))
        kept.push_back(line.at("move").at("shot_id"));
    auto with_last = h.answered;
    with_last.push_back(h.unanswered);
    EXPECT_TRUE(kept == h.answered || kept == with_last)
        << kept.size() << " kept, " << h.answered.size() << " answered, in flight " << h.unanswered;
    const auto state = ask(client, "match.state", {{"match", h.match}});
    EXPECT_EQ(state->at("result").at("seq"), kept.size());
}

TEST(RulesKilled, LoseNoAnsweredMoveAndDuplicateNone) {
    const char* lengthy = std::getenv("OVERBOARD_LONG");
    const int runs = lengthy ? 200 : 15;
    if (!lengthy) std::cout << "killed " << runs << " times; OVERBOARD_LONG=1 kills 200 times\n";
    const unsigned seed = std::random_device{}();
    std::cout << "seed " << seed << "\n";
    std::mt19937 random(seed);
    Folder folder;
    std::size_t moves = 0;
    for (int run = 0; run < runs; ++run) {
        Hammered h;
        {
            Program program(rules_in(folder));
            if (run % 10 == 9) {  // killed while it starts
                std::this_thread::sleep_for(std::chrono::microseconds(random() % 30000));
                program.end(SIGKILL);
                continue;
            }
            ASSERT_TRUE(answers(folder));
            const auto delay = std::chrono::microseconds(2000 + random() % 80000);
            std::jthread killer([pid = program.pid(), delay] {
                std::this_thread::sleep_for(delay);
                kill(pid, SIGKILL);
            });
            h = hammer(folder, run);
        }
        if (h.match.empty()) continue;
        moves += h.answered.size();
        Program again(rules_in(folder));
        ASSERT_TRUE(answers(folder)) << "it must start again by itself";
        check(folder, h);
        EXPECT_EQ(again.end(SIGTERM), 0) << "asked to stop, it ends well";
    }
    std::cout << moves << " answered moves, all kept\n";
    EXPECT_GT(moves, 0u);
}

TEST(RulesProgram, SaysInOneLineWhatIsWrong) {
    Folder folder;
    const auto run = [&](const std::string& arguments) {
        const std::string command = std::string(OVERBOARD_PROGRAM) + " " + arguments +
                                    " >/dev/null 2>" + folder.at("err");
        const int status = std::system(command.c_str());
        return WEXITSTATUS(status);
    };
    EXPECT_EQ(run("rules --store /proc/no/where.db --requests ipc://" + folder.at("r") +
                  " --events ipc://" + folder.at("e")),
              1);
    EXPECT_EQ(run("rules --store " + folder.at("a.db") + " --requests nonsense"), 1);
    EXPECT_EQ(run("rules --store " + folder.at("a.db") +
                  " --requests tcp://0.0.0.0:0 --events ipc://" + folder.at("e")),
              1)
        << "beyond loopback keys are required";
    EXPECT_EQ(run("rules --no-such-option"), 2);
    EXPECT_EQ(run("backup"), 2);
    EXPECT_EQ(run("backup --store " + folder.at("missing.db") + " " + folder.at("copy.db")), 1);
    EXPECT_EQ(run("rules --help"), 0);
}

}  // namespace
}  // namespace overboard
