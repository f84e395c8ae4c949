// The whole system without hardware: a simulated table is filmed, seen, judged, and lit by what the
// table room draws, frame by frame. With a display it runs at the pace of life in a window; without
// one it runs as fast as it can and leaves a film and a transcript.
#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <opencv2/imgproc.hpp>
#include <opencv2/videoio.hpp>

#include "app/commands.hpp"
#include "app/house.hpp"
#include "app/projection.hpp"
#include "app/rig.hpp"
#include "app/shot_what_if.hpp"
#include "app/stop.hpp"
#include "rules/games.hpp"
#include "table/outputs.hpp"
#include "table/virtual_display.hpp"

namespace overboard::app {
namespace {

namespace fs = std::filesystem;

struct DemoOptions {
    std::string game = "carrom", variant, light = "cafe", out = ".", language = "en", store,
                recording;
    int players = 0;
    std::uint64_t seed = 1;
    double seconds = 75, fps = 30, meter_s = 0;
    double projector_light = simulator::CameraSetup{}.projector_light;
    bool headless = false, mistakes = true, film = true, again = false;
};

/// What the process holds now: memory in MB and open files, sockets included.
struct Holdings {
    double memory_mb = 0;
    long handles = 0;
};
Holdings holdings() {
    std::ifstream statm("/proc/self/statm");
    long pages = 0, resident = 0;
    statm >> pages >> resident;
    return {double(resident) * double(sysconf(_SC_PAGESIZE)) / (1 << 20),
            std::distance(fs::directory_iterator("/proc/self/fd"), fs::directory_iterator())};
}

/// The overlay beside the camera's view, 30 pictures a second of table time.
class Film {
public:
    Film(const fs::path& file, double fps) : step_s_{1 / fps} {
        writer_.open(file.string(), cv::VideoWriter::fourcc('a', 'v', 'c', '1'), fps, kSize);
        if (!writer_.isOpened())
            writer_.open(file.string(), cv::VideoWriter::fourcc('m', 'p', '4', 'v'), fps, kSize);
        if (!writer_.isOpened()) throw std::runtime_error("cannot write the film " + file.string());
    }
    void add(double time_s, const cv::Mat& camera, const cv::Mat& overlay) {
        time_s += 1e-3 * step_s_;  // clocks of the same rate may differ in the last digit
        if (time_s < next_s_) return;
        if (next_s_ < 0) next_s_ = time_s;
        cv::Mat both(kSize, CV_8UC3, cv::Scalar(0, 0, 0));
        const cv::Size half{kSize.width / 2, kSize.height};
        cv::resize(camera, both(cv::Rect({}, half)), half, 0, 0, cv::INTER_AREA);
        if (!overlay.empty())
            cv::resize(overlay, both(cv::Rect({half.width, 0}, half)), half, 0, 0, cv::INTER_AREA);
        // As often as it was on the table: of a slower camera a picture stands longer.
        for (; next_s_ <= time_s; next_s_ += step_s_) writer_.write(both);
    }

private:
    inline static const cv::Size kSize{1920, 540};
    cv::VideoWriter writer_;
    double step_s_, next_s_ = -1;
};

class Demo {
public:
    explicit Demo(const DemoOptions& options)
        : o_{options},
          game_{game_named(options.game)},
          setup_{usual_setup(game_, options.players, options.variant)},
          headless_{options.headless || !table::display_present()} {
        if (o_.store.empty()) {
            own_store_ = fs::temp_directory_path() / fmt::format("overboard-demo-{}", getpid());
            fs::create_directories(own_store_);
        }
        if (headless_) display_.emplace();
    }
    ~Demo() {
        if (!own_store_.empty()) fs::remove_all(own_store_);
    }

    void run() {
        Eyes eyes(addresses_.observations, o_.recording);
        const RulesRoom rules(addresses_,
                              o_.store.empty() ? own_store_ / "matches.db" : fs::path(o_.store));
        Asker asker(addresses_.requests);
        Subscriber events(addresses_.events, {"match"}, Subscriber::Keep::all);
        table::TableApp table(table_options());
        do {
            rig_.emplace(game_, setup_, rig_options());
            began_s_ = now_s_;
            touches_.clear();
            match_ = start_match(asker, o_.game, setup_);
            if (matches_ == 0) open_files();
            play(eyes, asker, events, table);
            if (o_.again)
                asker.try_ask("match.end", {{"match", match_}, {"reason", "the next one begins"}});
            ++matches_;
        } while (o_.again && !stop_asked && now_s_ < o_.seconds);
        if (o_.again) return;
        replay(eyes, table);
        finish(asker);
    }

private:
    /// Only once a match has begun: a demo that cannot begin leaves nothing behind.
    void open_files() {
        fs::create_directories(o_.out);
        if (headless_ && o_.film) film_.emplace(fs::path(o_.out) / "demo.mp4", 30);
        transcript_.open(fs::path(o_.out) / "transcript.txt");
        if (!transcript_) throw std::runtime_error("cannot write into the folder " + o_.out);
    }

    RigOptions rig_options() const {
        RigOptions rig;
        rig.light = o_.light;
        rig.camera.projector_light = o_.projector_light;
        rig.seed = rig.script.seed = o_.seed + std::uint64_t(matches_);
        rig.script.clutter = 2;
        rig.script.fps = o_.fps;
        if (o_.mistakes) rig.script.mistakes = {0.05, 0.03, 0.02, 0.03, 0.03, 0.05};
        return rig;
    }

    table::TableOptions table_options() {
        table::TableOptions options;
        options.addresses = {addresses_.requests, addresses_.events, addresses_.observations};
        options.canvas.offscreen = headless_;
        options.canvas.size = headless_ ? table::Size{960, 540} : table::Size{1280, 720};
        options.language = o_.language;
        options.what_if = fitted_what_if();
        options.on_overlay = [this](const table::OverlayChange&) { overlay_new_ = true; };
        return options;
    }

    void play(Eyes& eyes, Asker& asker, Subscriber& events, table::TableApp& table) {
        const auto began = std::chrono::steady_clock::now();
        int frames = 0;
        for (bool over = false; !over && !stop_asked;) {
            RigFrame frame = rig_->next(overlay_);
            now_s_ = began_s_ + frame.time_s;
            frame.seen.time = now_s_;
            meter();
            eyes.show(rig_->evidence(frame));
            eyes.say(frame.seen, frame.shots, frame.sight);
            enter_touches(frame, asker);
            if (!show(table, frame.picture)) return;
            listen(eyes, events);
            over = frame.finished || now_s_ > o_.seconds;
            keep_pace(began);
            if (++frames % 300 == 0 && headless_ && o_.meter_s <= 0)
                fmt::print(stderr, "\rdemo: {:.0f} of at most {:.0f} s of play filmed ", now_s_,
                           o_.seconds);
            last_picture_ = frame.picture;
        }
        for (int i = 0; i < 40; ++i) {  // what is still on its way
            std::this_thread::sleep_for(std::chrono::milliseconds{10});
            listen(eyes, events);
        }
    }

    /// Moves no camera can see are tapped by the players, a moment after the hand is gone.
    void enter_touches(const RigFrame& frame, Asker& asker) {
        for (const auto& move : frame.moves)
            if (move.touch && move.mistake.empty()) touches_.push_back({move.move, now_s_ + 0.8});
        if (touches_.empty() || touches_.front().second > now_s_) return;
        const auto& [move, due] = touches_.front();
        const bool done = asker
                              .try_ask("match.move",
                                       {{"match", match_},
                                        {"player", setup_.players[std::size_t(move.player)].name},
                                        {"move", move.move}})
                              .has_value();
        if (done || now_s_ > due + 5)
            touches_.pop_front();
        else
            touches_.front().second = now_s_ + 0.3;
    }

    bool show(table::TableApp& table, const cv::Mat& camera) {
        overlay_new_ = false;
        const auto before = table.draws();
        if (!table.step(now_s_)) return false;
        if (headless_ && (table.draws() != before || overlay_.empty()))
            overlay_ = as_bgr(table.picture());
        if (overlay_new_) rig_->overlay_changed();
        if (film_) film_->add(now_s_, camera, overlay_);
        return true;
    }

    void listen(Eyes& eyes, Subscriber& events) {
        while (const auto heard = events.receive(milliseconds{0})) {
            eyes.keep(now_s_, *heard);
            const Json event = Json::parse(heard->json, nullptr, false);
            if (!event.is_object() || event.value("match", "") != match_) continue;
            const std::string line = transcript_line(event, o_.language);
            if (line.empty()) continue;
            transcript_ << fmt::format("{:7.2f}  {}\n", now_s_, line) << std::flush;
            if (!headless_) fmt::print("{:7.2f}  {}\n", now_s_, line);
        }
    }

    void keep_pace(std::chrono::steady_clock::time_point began) const {
        if (!headless_)
            std::this_thread::sleep_until(began + std::chrono::duration<double>(now_s_));
    }

    /// For long runs: does anything grow?
    void meter() {
        if (o_.meter_s <= 0 || now_s_ < metered_s_) return;
        metered_s_ = now_s_ + o_.meter_s;
        const Holdings now = holdings();
        fmt::print("{:.0f} s: {:.1f} MB, {} handles, match {}\n", now_s_, now.memory_mb,
                   now.handles, matches_ + 1);
        std::fflush(stdout);
    }

    /// The last stroke once more, on the board itself.
    void replay(Eyes& eyes, table::TableApp& table) {
        if (stop_asked || !tap(table, "menu.open") || !tap(table, "replay.last")) return;
        const double end = now_s_ + 6;
        while (now_s_ < end && !stop_asked && table.scene().replay) {
            const RigFrame frame = rig_->next(overlay_);
            now_s_ = std::max(now_s_ + 1e-3, frame.time_s);
            eyes.say(frame.seen, {}, frame.sight);
            if (!show(table, frame.picture)) return;
        }
    }

    bool tap(table::TableApp& table, const std::string& verb) {
        for (const table::Target& target : table.targets())
            if (target.action.verb == verb) {
                table.tap(target.centre());
                for (int i = 0; i < 5; ++i)
                    show(table, last_picture_.empty() ? cv::Mat(540, 960, CV_8UC3) : last_picture_),
                        now_s_ += 0.05;
                return true;
            }
        return false;
    }

    void finish(Asker& asker) {
        const Json state = asker.ask("match.state", {{"match", match_}});
        std::string scores;
        for (const Json& player : state.at("players"))
            scores += fmt::format("{}{} {}", scores.empty() ? "" : ", ", player.value("name", ""),
                                  player.value("score", Json(0)).dump());
        transcript_ << "score: " << scores << "\n";
        fmt::print(stderr, "\r{:60}\r", "");  // over what was said on the way
        fmt::print("{}: {}\n", game_.info.name, scores);
        if (film_) fmt::print("film: {}\n", (fs::path(o_.out) / "demo.mp4").string());
        fmt::print("transcript: {}\n", (fs::path(o_.out) / "transcript.txt").string());
    }

    const DemoOptions& o_;
    const rules::Game& game_;
    rules::Setup setup_;
    bool headless_;
    std::optional<Rig> rig_;
    HouseAddresses addresses_;
    std::optional<table::VirtualDisplay> display_;
    fs::path own_store_;
    std::string match_;
    std::optional<Film> film_;
    std::ofstream transcript_;
    cv::Mat overlay_, last_picture_;
    std::deque<std::pair<rules::PlayerMove, double>> touches_;
    bool overlay_new_ = false;
    int matches_ = 0;
    double now_s_ = 0, began_s_ = 0, metered_s_ = 0;
};

}  // namespace

void add_demo(CLI::App& app) {
    auto* command = app.add_subcommand(
        "demo", "The whole system on the simulated camera: no hardware needed");
    auto o = std::make_shared<DemoOptions>();
    command->add_option("GAME", o->game, "Which game; carrom unless said otherwise")
        ->capture_default_str();
    command->add_option("--variant", o->variant, "The game's variant");
    command->add_option("--players", o->players, "How many players");
    command->add_option("--light", o->light, "easy, cafe or harsh")
        ->capture_default_str()
        ->check(CLI::IsMember({"easy", "cafe", "harsh"}));
    command
        ->add_option("--projector-light", o->projector_light,
                     "White of the projector, in shares of the room's light")
        ->capture_default_str()
        ->check(CLI::Range(0.0, 10.0));
    command->add_option("--seed", o->seed, "Another seed, another evening")->capture_default_str();
    command
        ->add_option("--seconds", o->seconds,
                     "How much of the game to play, in seconds at the table")
        ->capture_default_str()
        ->check(CLI::Range(0.001, 1e6));
    command->add_option("--out", o->out, "Folder for film and transcript")->capture_default_str();
    command->add_option("--lang", o->language, "Language of the table: en, fr")
        ->capture_default_str();
    command->add_option("--store", o->store, "Keep the match in this file");
    command->add_option("--record", o->recording,
                        "Record what crosses the bus to this file, for overboard rerun");
    command->add_flag("--headless", o->headless, "No window, even with a display");
    command->add_flag("!--no-film", o->film, "Leave no film");
    command->add_option("--fps", o->fps, "Pictures a second while no disc runs")
        ->capture_default_str()
        ->check(CLI::Range(5.0, 60.0));
    command->add_flag("--again", o->again, "Begin another match when one is over, until --seconds");
    command->add_option("--meter", o->meter_s,
                        "Say every so many seconds of play what memory and handles are held");
    command->add_flag("!--no-mistakes", o->mistakes, "The players make no mistakes");
    command->callback([o] {
        require_language(o->language);
        stop_on_signals();
        Demo(*o).run();
    });
}

}  // namespace overboard::app
