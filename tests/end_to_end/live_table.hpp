#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <fstream>
#include <regex>
#include <thread>

#include "app/house.hpp"
#include "calibration/profile.hpp"
#include "rules/games.hpp"
#include "simulator/camera.hpp"
#include "simulator/script.hpp"
#include "simulator/stream.hpp"
#include "tests/folder.hpp"
#include "tests/program.hpp"

/// A pretend table filmed at the pace of life, and the real program watching it over the network.
/// The film waits at the end of each move until it is scored, so a slow machine only makes the
/// evening longer.
namespace overboard::app::testing {

using namespace std::chrono_literals;

using overboard::testing::content_of;
using overboard::testing::Folder;
using overboard::testing::Program;

/// The film: a script, a camera, and a stream that can be pulled out of the wall.
class Film {
public:
    static constexpr double kFps = 15;

    Film(const std::string& game, std::uint64_t seed, const Folder& folder)
        : script_{*rules::find_game(game), usual_setup(*rules::find_game(game), 2, ""),
                  script_options(seed)},
          camera_{camera_setup(script_), "cafe", seed},
          lens_{folder.at("camera.yml")} {
        calibration::Profile profile;
        profile.lens = camera_.map().intrinsics();
        calibration::save_profile(lens_, profile);
        plug_in();
        next_ = script_.next();
    }

    void plug_in() { stream_.emplace(port_), port_ = port_of(stream_->url()); }
    void pull_out() { stream_.reset(); }
    [[nodiscard]] std::string url() const {
        return "http://127.0.0.1:" + std::to_string(port_) + "/table.mjpg";
    }
    [[nodiscard]] const std::string& lens() const { return lens_; }
    void lamps(bool on) { dark_ = !on; }
    /// A guest leans over the table, arms and all.
    void lean(bool over) { leaning_ = over; }
    /// A piece is gone, and back. Nothing to take away of that face: false.
    bool steal(const std::string& face) {
        const auto piece = std::find_if(next_.truth.pieces.begin(), next_.truth.pieces.end(),
                                        [&](const Piece& p) { return p.face == face; });
        stolen_ = piece == next_.truth.pieces.end() ? 0 : piece->id;
        return stolen_ != 0;
    }
    void give_back() { stolen_ = 0; }

    /// The table as it is, for so long.
    void rest(double seconds) {
        for (int i = 0; i < seconds * kFps; ++i) show();
    }
    /// On to the end of the next move, mishaps included. Nothing: the game is over.
    std::vector<simulator::TruthMove> play_on(bool seen = true) {
        while (!next_.finished) {
            next_ = script_.next();
            if (seen) show();
            if (!next_.moves.empty()) return next_.moves;
        }
        return {};
    }
    /// Until `done`, at most so long. Returns whether it was.
    bool rest_until(double seconds, const std::function<bool()>& done) {
        for (int i = 0; i < seconds * kFps; ++i) {
            show();
            if (i % 4 == 0 && done()) return true;
        }
        return done();
    }

private:
    static simulator::ScriptOptions script_options(std::uint64_t seed) {
        simulator::ScriptOptions o;
        o.seed = seed;
        o.fps = o.shot_fps = kFps;
        return o;
    }
    static simulator::CameraSetup camera_setup(const simulator::Script& script) {
        simulator::CameraSetup setup;
        setup.table = script.catalogue().table;
        return setup;
    }
    static std::uint16_t port_of(const std::string& url) {
        std::smatch found;
        std::regex_search(url, found, std::regex(":(\\d+)/"));
        return std::uint16_t(std::stoi(found[1]));
    }
    void show() {
        time_s_ += 1 / kFps;
        simulator::World world = next_.world;
        if (leaning_)
            for (const double x : {350.0, 600.0, 850.0})
                world.hands.push_back({{x, 250 + 40 * std::sin(time_s_ + x), 1.6}, 60, 1, 0, 0});
        std::erase_if(world.bodies, [&](const simulator::Body& body) {
            return stolen_ != 0 && body.id == stolen_;
        });
        cv::Mat picture = camera_.render(world, time_s_);
        if (dark_) picture *= 0.04;
        if (stream_) stream_->show(picture);
        due_ += std::chrono::duration_cast<std::chrono::steady_clock::duration>(
            std::chrono::duration<double>(1 / kFps));
        due_ = std::max(due_, std::chrono::steady_clock::now());
        std::this_thread::sleep_until(due_);
    }

    simulator::Script script_;
    simulator::Camera camera_;
    std::string lens_;
    std::uint16_t port_ = 0;
    std::optional<simulator::Stream> stream_;
    simulator::Frame next_;
    double time_s_ = 0;
    bool dark_ = false, leaning_ = false;
    int stolen_ = 0;
    std::chrono::steady_clock::time_point due_ = std::chrono::steady_clock::now();
};

/// One nobody has at the moment: the system chooses, and does not choose it again soon.
inline int free_port() {
    const int probe = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof at;
    ::bind(probe, reinterpret_cast<sockaddr*>(&at), size);
    ::getsockname(probe, reinterpret_cast<sockaddr*>(&at), &size);
    ::close(probe);
    return ntohs(at.sin_port);
}

/// `overboard play` on that film, and the one match played on it.
class LiveTable {
public:
    LiveTable(const std::string& game, std::uint64_t seed, bool split)
        : game_{game},
          film_{game, seed, folder_},
          setup_{usual_setup(*rules::find_game(game), 2, "")} {
        std::vector<std::string> arguments = {
            "play",        game,       "--camera",       film_.url(),  "--calibration",
            film_.lens(),  "--store",  store(),          "--log",      folder_.at("log"),
            "--offscreen", "--record", recording(),      "--requests", requests_,
            "--events",    events_,    "--observations", observations_};
        if (split) arguments.push_back("--split");
        for (const auto& player : setup_.players)
            arguments.insert(arguments.end(), {"--player", player.name});
        program_.emplace(arguments, folder_.at("said"));
    }

    /// Lets vision find the table before the first move. False: it never did.
    bool wait_until_seen() {
        Subscriber eyes(observations_, {"observation"}, Subscriber::Keep::latest);
        return film_.rest_until(60, [&] { return eyes.receive(milliseconds{0}).has_value(); }) &&
               film_.rest_until(20, [&] { return seq() == 0; }) && (film_.rest(2), true);
    }

    /// Plays so many moves of the script; what no camera sees is entered by touch.
    void play(int moves) {
        for (int n = 0; n < moves;)
            for (const auto& done : played(film_.play_on())) {
                if (done.touch)
                    touch(done.player, done.move);
                else
                    film_.rest_until(12, [&] { return seq() >= int(truth_.size()); });
                ++n;
            }
    }
    /// As many moves while nobody looks: the table shows them all at once.
    void play_unseen(int moves) {
        for (int n = 0; n < moves; ++n) played(film_.play_on(false));
    }
    /// What the camera could not tell is entered by touch, as the table asks for it.
    void enter_missing() {
        for (int at = seq(); at >= 0 && at < int(truth_.size()); ++at)
            touch(truth_[std::size_t(at)].at("player"), truth_[std::size_t(at)].at("move"));
    }

    /// How many moves are scored; -1: the rules do not answer.
    int seq() {
        Asker asker(requests_, milliseconds{300});
        const auto state = asker.try_ask("match.state", {{"match", "m1"}});
        return state ? state->value("seq", -1) : -1;
    }
    /// Who did what, as scored; without what was measured.
    std::vector<Json> scored() {
        Asker asker(requests_, milliseconds{5000});
        std::vector<Json> list;
        const Json log = asker.ask("match.log", {{"match", "m1"}});
        for (const Json& each : log.at("moves"))
            list.push_back({{"player", each.at("player")}, {"move", each.at("move")}});
        return list;
    }
    [[nodiscard]] const std::vector<Json>& truth() const { return truth_; }
    /// Lets the film stand until this is said on the bus.
    bool hears(const std::string& address, const std::string& topic,
               const std::function<bool(const Json&)>& is_it) {
        Subscriber ear(address, {topic}, Subscriber::Keep::all);
        return film_.rest_until(30, [&] {
            while (const auto heard = ear.receive(milliseconds{0}))
                if (is_it(Json::parse(heard->json))) return true;
            return false;
        });
    }
    bool sees(const std::string& state) {
        return hears(observations_, "camera",
                     [&](const Json& camera) { return camera.at("state") == state; });
    }

    /// The process that runs this part now; 0: none yet.
    [[nodiscard]] pid_t part(const std::string& name) const {
        const std::string log = content_of(folder_.at("log"));
        pid_t last = 0;
        const std::regex line(name + " runs as process (\\d+)");
        for (auto i = std::sregex_iterator(log.begin(), log.end(), line);
             i != std::sregex_iterator(); ++i)
            last = pid_t(std::stol((*i)[1]));
        return last;
    }
    Film& film() { return film_; }
    [[nodiscard]] pid_t pid() const { return program_->pid(); }
    void stop() { program_.reset(); }
    [[nodiscard]] std::string store() const { return folder_.at("matches.db"); }
    [[nodiscard]] std::string recording() const { return folder_.at("evening.jsonl"); }
    [[nodiscard]] std::string said() const { return content_of(folder_.at("said")); }
    [[nodiscard]] const std::string& events() const { return events_; }

private:
    struct Played {
        std::string player;
        Move move;
        bool touch;
    };
    std::vector<Played> played(const std::vector<simulator::TruthMove>& moves) {
        std::vector<Played> list;
        for (const auto& each : moves) {
            if (!each.mistake.empty()) continue;
            list.push_back(
                {setup_.players[std::size_t(each.move.player)].name, each.move.move, each.touch});
            truth_.push_back({{"player", list.back().player}, {"move", list.back().move}});
        }
        return list;
    }
    void touch(const std::string& player, const Move& move) {
        film_.rest_until(12, [&] {
            Asker asker(requests_, milliseconds{2000});
            return asker
                .try_ask("match.move", {{"match", "m1"}, {"player", player}, {"move", move}})
                .has_value();
        });
    }

    std::string game_;
    Folder folder_;
    Film film_;
    rules::Setup setup_;
    std::string requests_ = "tcp://127.0.0.1:" + std::to_string(free_port()),
                events_ = "tcp://127.0.0.1:" + std::to_string(free_port()),
                observations_ = "tcp://127.0.0.1:" + std::to_string(free_port());
    std::vector<Json> truth_;
    std::optional<Program> program_;
};

}  // namespace overboard::app::testing
