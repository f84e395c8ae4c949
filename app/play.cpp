// All rooms on one table. Usually in one process: rules and vision in threads, the table on the
// main thread. With --split each room is a process of its own, watched and started again if it
// dies.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spdlog/sinks/rotating_file_sink.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <map>

#include "app/commands.hpp"
#include "app/house.hpp"
#include "app/shot_what_if.hpp"
#include "app/station.hpp"
#include "app/stop.hpp"
#include "bus/recording.hpp"
#include "calibration/profile.hpp"
#include "rules/games.hpp"
#include "table/outputs.hpp"
#include "table/virtual_display.hpp"
#include "vision/frame_source.hpp"

namespace overboard::app {
namespace {

namespace fs = std::filesystem;

struct PlayOptions {
    VisionOptions vision;
    std::string store, output, language = "en", requests, events, log, recording;
    std::vector<std::string> players;
    std::string tuio_out, touch_device;
    int tuio_in = -1;
    double seconds = 0;
    bool split = false, offscreen = false, voice = false, touch_screen = false;
};

double now_s() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

void open_log(const std::string& file) {
    const fs::path path = file.empty() ? rules::default_store().parent_path() / "overboard.log"
                                       : fs::path(file);
    fs::create_directories(path.parent_path().empty() ? fs::path(".") : path.parent_path());
    auto disk = std::make_shared<spdlog::sinks::rotating_file_sink_mt>(path.string(), 2 << 20, 5);
    auto screen = std::make_shared<spdlog::sinks::stderr_color_sink_mt>();
    spdlog::set_default_logger(
        std::make_shared<spdlog::logger>("overboard", spdlog::sinks_init_list{disk, screen}));
    spdlog::flush_on(spdlog::level::info);
}

table::Matrix3 matrix_of(const cv::Matx33d& from) {
    table::Matrix3 m{};
    for (int i = 0; i < 9; ++i) m[std::size_t(i)] = from.val[i];
    return m;
}

table::TableOptions table_options(const PlayOptions& o, const HouseAddresses& at) {
    table::TableOptions t;
    t.addresses = {at.requests, at.events, at.observations};
    t.overlay = at.overlay;
    t.canvas.output = o.output;
    t.canvas.offscreen = o.offscreen;
    if (const std::string& file = o.vision.seeing.calibration; !file.empty()) {
        const auto profile = calibration::load_profile(file);
        if (profile.projector) t.projector = matrix_of(profile.projector->table_to_projector);
        if (profile.touch) t.touch = matrix_of(profile.touch->raw_to_table);
    }
    if (o.tuio_in >= 0) t.tuio_in = o.tuio_in;
    t.tuio_out = o.tuio_out;
    if (o.touch_screen || !o.touch_device.empty()) t.evdev = o.touch_device;
    t.language = o.language;
    t.voice = o.voice;
    t.what_if = fitted_what_if();
    return t;
}

void begin_match(const PlayOptions& o, const HouseAddresses& at) {
    if (o.players.empty()) return;  // players choose everything at the table
    rules::Setup setup;
    for (const std::string& name : o.players) setup.players.push_back({name, "", Json::object()});
    setup.variant = o.vision.seeing.variant;
    Asker asker(at.requests);
    start_match(asker, o.vision.seeing.game, setup);
}

/// What runs beside the table until it ends, started again if it falls over.
class Beside {
public:
    Beside(std::string name, const std::function<void(const std::atomic<bool>&)>& work)
        : thread_{[this, name = std::move(name), work] {
              while (!stop_) {
                  try {
                      return work(stop_);  // over: a film that ended
                  } catch (const std::exception& e) {
                      spdlog::error("{} fell over and is started again: {}", name, e.what());
                      for (int i = 0; i < 10 && !stop_; ++i)
                          std::this_thread::sleep_for(milliseconds{100});
                  }
              }
          }} {}
    ~Beside() {
        stop_ = true;
        thread_.join();
    }

private:
    std::atomic<bool> stop_{false};
    std::thread thread_;
};

/// Returns once it listens, so that it hears the match begin.
std::unique_ptr<Beside> start_recording(const std::string& file, const HouseAddresses& at) {
    if (file.empty()) return nullptr;
    auto listens = std::make_shared<std::atomic<bool>>(false);
    auto recorder = std::make_unique<Beside>("the recording", [=](const auto& stop) {
        record_bus(file, at, stop, [=](int, double) { *listens = true; });
    });
    while (!*listens && !stop_asked) std::this_thread::sleep_for(milliseconds{10});
    std::this_thread::sleep_for(
        milliseconds{200});  // a subscription takes its time to reach the publisher
    return recorder;
}

void run_threads(const PlayOptions& o, const HouseAddresses& at) {
    const RulesRoom rules(at, o.store);
    const auto recorder = start_recording(o.recording, at);
    std::optional<Beside> eyes;
    begin_match(o, at);
    VisionOptions vision = o.vision;
    vision.address = at.observations;
    vision.overlay = at.overlay;
    eyes.emplace("vision", [&](const auto& stop) { watch_table(vision, stop); });
    std::optional<table::VirtualDisplay> display;
    if (o.offscreen && !table::display_present()) display.emplace();
    table::TableApp shown(table_options(o, at));
    const double end = o.seconds > 0 ? now_s() + o.seconds : 1e300;
    while (!stop_asked && now_s() < end && shown.step(now_s()))
        std::this_thread::sleep_for(milliseconds{4});
}

/// The parts as processes. One that dies is started again, at once the first time, then after a
/// growing pause; all end together.
class Supervisor {
public:
    ~Supervisor() {
        for (auto& [name, part] : parts_)
            if (part.pid > 0) ::kill(part.pid, SIGTERM);
        for (auto& [name, part] : parts_)
            if (part.pid > 0) ::waitpid(part.pid, nullptr, 0);
    }

    void start(const std::string& name, std::vector<std::string> arguments) {
        Part& part = parts_[name] = {std::move(arguments), -1, 0, 0};
        start(name, part);
    }

    void run(double seconds) {
        for (const double end = seconds > 0 ? now_s() + seconds : 1e300;
             !stop_asked && now_s() < end;) {
            look_after_all();
            std::this_thread::sleep_for(milliseconds{50});
        }
    }

private:
    struct Part {
        std::vector<std::string> arguments;
        pid_t pid = -1;
        int falls = 0;
        double again_s = 0;
    };

    static void start(const std::string& name, Part& part) {
        std::vector<char*> argv;
        for (std::string& a : part.arguments) argv.push_back(a.data());
        argv.push_back(nullptr);
        part.pid = ::fork();
        if (part.pid == 0) {
            ::execv("/proc/self/exe", argv.data());
            ::_exit(127);
        }
        spdlog::info("{} runs as process {}", name, part.pid);
    }

    void look_after_all() {
        for (auto& [name, part] : parts_) {
            int status = 0;
            if (part.pid > 0 && ::waitpid(part.pid, &status, WNOHANG) == part.pid) {
                if (name == "table" && WIFEXITED(status) && WEXITSTATUS(status) == 0)
                    stop_asked = true;  // closed by hand
                const double pause_s = std::min(5.0, 0.2 * part.falls++);
                spdlog::error("{} ended ({}), started again in {:.1f} s", name, status, pause_s);
                part.pid = -1;
                part.again_s = now_s() + pause_s;
            }
            if (part.pid < 0 && now_s() >= part.again_s && !stop_asked) start(name, part);
        }
    }

    std::map<std::string, Part> parts_;
};

void run_split(const PlayOptions& o, const HouseAddresses& at) {
    const std::string store = o.store.empty() ? rules::default_store().string() : o.store;
    const std::vector<std::string> addresses = {"--requests", at.requests,      "--events",
                                                at.events,    "--observations", at.observations};
    const auto with = [](std::vector<std::string> list, const std::vector<std::string>& more) {
        list.insert(list.end(), more.begin(), more.end());
        return list;
    };
    Supervisor supervisor;
    supervisor.start("rules", with(with({"overboard", "rules"}, addresses), {"--store", store}));
    const auto recorder = start_recording(o.recording, at);
    begin_match(o, at);
    const SeeingOptions& seeing = o.vision.seeing;
    std::vector<std::string> vision = {"overboard",     "vision",        seeing.game,
                                       "--camera",      o.vision.camera, "--observations",
                                       at.observations, "--overlay",     at.overlay};
    for (const auto& [option, value] : {std::pair{"--calibration", seeing.calibration},
                                        {"--faces", seeing.faces},
                                        {"--variant", seeing.variant},
                                        {"--board", seeing.board},
                                        {"--corners", seeing.corners}})
        if (!value.empty()) vision = with(vision, {option, value});
    supervisor.start("vision", std::move(vision));
    std::vector<std::string> table = with(with({"overboard", "table"}, addresses),
                                          {"--overlay", at.overlay, "--lang", o.language});
    const table::TableOptions wanted = table_options(o, at);
    if (wanted.projector)
        table = with(table, {"--projector", fmt::format("{}", fmt::join(*wanted.projector, " "))});
    if (wanted.touch)
        table = with(table, {"--touch-map", fmt::format("{}", fmt::join(*wanted.touch, " "))});
    if (o.tuio_in >= 0) table = with(table, {"--tuio-in", std::to_string(o.tuio_in)});
    if (!o.tuio_out.empty()) table = with(table, {"--tuio-out", o.tuio_out});
    if (!o.touch_device.empty()) table = with(table, {"--touch-device", o.touch_device});
    if (o.touch_screen) table.push_back("--touch-screen");
    if (!o.output.empty()) table = with(table, {"--output", o.output});
    if (o.offscreen) table.push_back("--offscreen");
    if (o.voice) table.push_back("--voice");
    supervisor.start("table", std::move(table));
    supervisor.run(o.seconds);
}

void run(PlayOptions& o) {
    game_named(o.vision.seeing.game);
    require_language(o.language);
    // Wrong names are told at once: what runs beside the table would try them again for ever.
    o.vision.seeing.check_files();
    if (!vision::is_camera(o.vision.camera)) vision::open_source(o.vision.camera);
    if (!o.recording.empty()) Recorder{o.recording};
    open_log(o.log);
    stop_on_signals();
    HouseAddresses at;
    if (o.split) {
        const std::string place = "ipc://" + (fs::temp_directory_path() /
                                              fmt::format("overboard-{}", getpid()))
                                                 .string();
        at = {place + "-requests", place + "-events", place + "-observations", place + "-overlay"};
    }
    if (!o.requests.empty()) at.requests = o.requests;
    if (!o.events.empty()) at.events = o.events;
    if (!o.vision.address.empty()) at.observations = o.vision.address;
    if (!o.vision.overlay.empty()) at.overlay = o.vision.overlay;
    o.split ? run_split(o, at) : run_threads(o, at);
}

}  // namespace

void add_play(CLI::App& app) {
    auto* command = app.add_subcommand("play", "All parts in one process on a real camera");
    auto o = std::make_shared<PlayOptions>();
    o->vision.address.clear();
    o->vision.add_to(*command);
    command->add_option("--store", o->store, "The file matches are kept in");
    command->add_option("--requests", o->requests,
                        "Answer requests here, e.g. tcp://127.0.0.1:7400");
    command->add_option("--events", o->events, "Publish events here, e.g. tcp://127.0.0.1:7401");
    command->add_option("--output", o->output,
                        "Projector output by its connector name, e.g. HDMI-1");
    command->add_option("--lang", o->language, "Language of the table: en, fr")
        ->capture_default_str();
    command->add_option("--player", o->players,
                        "Begin at once with these players; else they choose at the table");
    command->add_option("--record", o->recording,
                        "Record what crosses the bus to this file, for overboard rerun");
    command->add_option("--seconds", o->seconds, "Stop after this long; 0: until closed")
        ->capture_default_str()
        ->check(CLI::Range(0.0, 1e6));
    command->add_option("--log", o->log, "Log file; rotates at 2 MB, five are kept");
    command->add_flag("--split", o->split, "Each part its own process, started again if it dies");
    command->add_flag("--offscreen", o->offscreen, "No window");
    command
        ->add_option("--tuio-in", o->tuio_in,
                     "Listen for TUIO cursors on this UDP port (usually 3333)")
        ->check(CLI::Range(0, 65535));
    command->add_option("--tuio-out", o->tuio_out, "Send the pieces as TUIO objects to HOST:PORT");
    command->add_option("--touch-device", o->touch_device,
                        "Multi-touch device, e.g. /dev/input/event5");
    command->add_flag("--touch-screen", o->touch_screen, "Use the first multi-touch device found");
    command->add_flag("--voice", o->voice, "Say score and turn aloud (espeak-ng)");
    command->callback([o] { run(*o); });
}

}  // namespace overboard::app
