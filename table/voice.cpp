#include "table/voice.hpp"

#include <signal.h>
#include <spawn.h>
#include <spdlog/spdlog.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <sstream>
#include <thread>

#include "bus/messages.hpp"

extern char** environ;

namespace overboard::table {
namespace {

bool on_path(const std::string& program) {
    if (program.find('/') != std::string::npos) return ::access(program.c_str(), X_OK) == 0;
    const char* path = std::getenv("PATH");
    std::istringstream folders{path ? path : ""};
    for (std::string folder; std::getline(folders, folder, ':');)
        if (::access((folder + "/" + program).c_str(), X_OK) == 0) return true;
    return false;
}

Json score_of(const MatchState& state, const std::string& name) {
    for (const Json& player : state.players)
        if (player.value("name", "") == name) return player.value("score", Json{});
    return nullptr;
}

}  // namespace

std::string announcement(const std::optional<MatchState>& before, const MatchState& now,
                         const std::string& language) {
    std::string said;
    const auto say = [&](const char* key, const Json& args) {
        said += (said.empty() ? "" : " ") + Messages::shared().text(language, key, args);
    };
    if (before && before->match == now.match)
        for (const Json& player : now.players) {
            const std::string name = player.value("name", "");
            if (const Json score = player.value("score", Json{}); score != score_of(*before, name))
                say("table.voice_score", {{"player", name}, {"score", score}});
        }
    if (now.finished) {
        if (!before || !before->finished)
            for (const std::string& winner : now.winners) say("table.wins", {{"player", winner}});
    } else if (!before || before->turn_player != now.turn_player) {
        say("table.voice_turn", {{"player", now.turn_player}});
    }
    return said;
}

Voice::Voice(std::string program) : program_{std::move(program)}, available_{on_path(program_)} {
    if (!available_)
        spdlog::warn("{} is not installed: nobody calls the score (apt install espeak-ng)",
                     program_);
}

// A caller that does not end when asked must not keep the table from ending.
Voice::~Voice() {
    if (speaking_ > 0) {
        ::kill(speaking_, SIGTERM);
        bool over = false;
        for (int i = 0; i < 100 && !over; ++i) {
            over = ::waitpid(speaking_, nullptr, WNOHANG) != 0;
            if (!over) std::this_thread::sleep_for(std::chrono::milliseconds{10});
        }
        if (!over) ::kill(speaking_, SIGKILL), ::waitpid(speaking_, nullptr, 0);
    }
    if (complaints_ >= 0) ::close(complaints_);
}

// What it complains about goes to a nameless file: nine lines for every announcement without a
// sound device.
void Voice::start(const std::string& language, const std::string& text) {
    std::string voice = "-v" + language, words = text;
    std::string end = "--";
    char* arguments[] = {program_.data(), voice.data(), end.data(), words.data(), nullptr};
    if (complaints_ < 0) complaints_ = ::memfd_create("voice", MFD_CLOEXEC);
    posix_spawn_file_actions_t files;
    ::posix_spawn_file_actions_init(&files);
    if (complaints_ >= 0) ::posix_spawn_file_actions_adddup2(&files, complaints_, STDERR_FILENO);
    pid_t child = -1;
    speaking_ = ::posix_spawnp(&child, program_.c_str(), &files, nullptr, arguments, environ) == 0
                    ? child
                    : -1;
    ::posix_spawn_file_actions_destroy(&files);
}

// Without a sound device the caller ends as if all were well: only its complaints tell.
void Voice::ended(int status) {
    std::array<char, 200> said{};
    const auto length = complaints_ < 0 ? 0 : ::pread(complaints_, said.data(), said.size() - 1, 0);
    if (complaints_ >= 0) ::close(std::exchange(complaints_, -1));
    if (warned_ || (status == 0 && length <= 0)) return;
    warned_ = true;
    const std::string all = said.data();
    spdlog::warn("{} could not speak, nobody hears the score: {}", program_,
                 all.empty() ? "it ended with an error" : all.substr(0, all.find('\n')));
}

void Voice::say(const std::string& language, const std::string& text) {
    if (!available_ || text.empty()) return;
    waiting_.emplace(language, text);
    poll();
}

void Voice::poll() {
    int status = 0;
    if (speaking_ > 0 && ::waitpid(speaking_, &status, WNOHANG) != 0) speaking_ = -1, ended(status);
    if (speaking_ > 0 || !waiting_) return;
    const auto [language, text] = *waiting_;
    waiting_.reset();
    start(language, text);
}

}  // namespace overboard::table
