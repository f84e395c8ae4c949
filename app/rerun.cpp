// Plays a recording through fresh rules: the same eyes, the same touches, the same result.
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <map>

#include "app/commands.hpp"
#include "app/house.hpp"
#include "rules/service.hpp"

namespace overboard::app {
namespace {

namespace fs = std::filesystem;

struct RerunOptions {
    std::string file;
    double speed = 0;
    bool quiet = false;
};

class Rerun {
public:
    explicit Rerun(const RerunOptions& o) : o_{o} {
        fs::create_directories(folder_);
        rules::ServiceOptions options;
        options.store = folder_ / "matches.db";
        options.publish = [this](std::string_view topic, const std::string& json) {
            if (topic != "match" || o_.quiet) return;
            const std::string line = transcript_line(Json::parse(json), "en");
            if (!line.empty()) fmt::print("{}\n", line);
        };
        options.live.watches_strokes = true;
        service_.emplace(std::move(options));
    }
    ~Rerun() {
        service_.reset();
        fs::remove_all(folder_);
    }

    void run() {
        const PlaybackResult result = play_back(o_.file, o_.speed, [this](const Recorded& message) {
            hear(message);
            return true;
        });
        if (result.messages == 0)
            throw std::runtime_error(o_.file + " is no recording: it holds no message");
        for (const auto& [then, now] : matches_) print_scores(now);
        fmt::print(stderr, "rerun: {} messages, {} broken lines, {} matches\n", result.messages,
                   result.broken_lines, matches_.size());
    }

private:
    void hear(const Recorded& message) {
        if (message.topic == "observation") {
            if (const auto seen = decode_observation(message.json)) service_->observe(*seen);
        } else if (message.topic == "shot") {
            if (const auto shot = decode_shot(message.json)) service_->observe(*shot);
        } else if (message.topic == "camera") {
            if (const auto camera = decode_camera_state(message.json)) service_->observe(*camera);
        } else if (message.topic == "match") {
            hear_match(Json::parse(message.json, nullptr, false));
        }
    }

    /// Only what people did: the start, pauses, and what was entered by touch. The rest must come
    /// out by itself.
    void hear_match(const Json& event) {
        if (!event.is_object()) return;
        const std::string name = event.value("event", ""), match = event.value("match", "");
        if (name == "match.started") {
            const Json answer = call("match.start",
                                     {{"game", event.value("game", "")},
                                      {"variant", event.value("variant", "")},
                                      {"players", event.value("players", Json::array())},
                                      {"options", event.value("options", Json::object())}});
            if (answer.contains("result"))
                matches_[match] = answer.at("result").at("match");
            else
                fmt::print(stderr, "rerun: a match could not be started: {}\n", answer.dump());
        } else if (matches_.contains(match) && name == "move.applied" &&
                   event.value("by", "") == "request") {
            call("match.move", {{"match", matches_[match]},
                                {"player", event.value("player", "")},
                                {"move", event.value("move", Json())}});
        } else if (!matches_.contains(match)) {
            return;
        } else if (name == "move.applied" && event.contains("corrected")) {
            call("match.correct", {{"match", matches_[match]},
                                   {"seq", event.at("corrected")},
                                   {"player", event.value("player", "")},
                                   {"move", event.value("move", Json())}});
        } else if (name == "match.undone") {
            call("match.undo", {{"match", matches_[match]}});
        } else if (name == "match.paused") {
            call("match.pause", {{"match", matches_[match]}});
        } else if (name == "match.resumed") {
            call("match.resume", {{"match", matches_[match]}});
        }
    }

    Json call(const std::string& method, const Json& params) {
        return Json::parse(service_->handle(
            Json{{"jsonrpc", "2.0"}, {"id", 1}, {"method", method}, {"params", params}}.dump()));
    }

    void print_scores(const std::string& match) {
        const Json state = call("match.state", {{"match", match}}).at("result");
        std::string scores;
        for (const Json& player : state.at("players"))
            scores += fmt::format("{}{} {}", scores.empty() ? "" : ", ", player.value("name", ""),
                                  player.value("score", Json(0)).dump());
        fmt::print("{} {} after {} moves: {}\n", match, state.value("game", ""),
                   state.value("seq", 0), scores);
    }

    const RerunOptions& o_;
    fs::path folder_ = fs::temp_directory_path() / fmt::format("overboard-rerun-{}", getpid());
    std::optional<rules::Service> service_;
    std::map<std::string, std::string> matches_;  ///< Then → now.
};

}  // namespace

void add_rerun(CLI::App& app) {
    auto* command = app.add_subcommand("rerun", "Play a recording through the rules again");
    auto o = std::make_shared<RerunOptions>();
    command->add_option("FILE", o->file, "A recording")->required()->check(CLI::ExistingFile);
    command
        ->add_option("--speed", o->speed, "0: as fast as possible; 1: at the pace it was recorded")
        ->capture_default_str();
    command->add_flag("--quiet", o->quiet, "Only the scores");
    command->callback([o] { Rerun(*o).run(); });
}

}  // namespace overboard::app
