#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/videoio.hpp>
#include <optional>
#include <thread>

#include "app/commands.hpp"
#include "app/house.hpp"
#include "bus/codec.hpp"
#include "calibration/profile.hpp"
#include "rules/games.hpp"
#include "simulator/camera.hpp"
#include "simulator/contact_sheet.hpp"
#include "simulator/script.hpp"
#include "simulator/stream.hpp"

namespace overboard::app {
namespace {

struct Wish {
    std::string game, light = "cafe", out, sheet, size = "1920x1080", variant;
    std::uint64_t seed = 1;
    double seconds = 20, fps = 30, shot_fps = 0, pace = 1, mistakes = 0;
    int players = 2, clutter = 0, serve = -1;
};

cv::Size size_from(const std::string& text) {
    int w = 0, h = 0;
    char x = 0, rest = 0;
    if (std::sscanf(text.c_str(), "%d%c%d%c", &w, &x, &h, &rest) != 3 || x != 'x' || w < 160 ||
        h < 120 || w > 7680 || h > 4320)
        throw CLI::ValidationError("--size", "'" + text + "' is no picture size such as 1920x1080");
    return {w, h};
}

simulator::ScriptOptions options_of(const Wish& wish) {
    simulator::ScriptOptions o;
    o.seed = wish.seed;
    o.fps = wish.fps;
    o.shot_fps = wish.shot_fps > 0 ? wish.shot_fps : wish.fps;  // a video has one frame rate
    o.pace = wish.pace;
    o.clutter = wish.clutter;
    const double p = wish.mistakes;
    o.mistakes = {p, p, p, p, p, p};
    return o;
}

rules::Setup setup_of(const Wish& wish, const rules::Game& game) {
    if (wish.players < game.info.min_players || wish.players > game.info.max_players)
        throw CLI::ValidationError("--players",
                                   fmt::format("{} is for {} to {} players", game.info.id,
                                               game.info.min_players, game.info.max_players));
    rules::Setup setup;
    setup.variant = wish.variant;
    for (int i = 0; i < wish.players; ++i)
        setup.players.push_back({fmt::format("P{}", i + 1), "", Json::object()});
    return setup;
}

Json move_json(const simulator::TruthMove& m) {
    Json j{
        {"player", m.move.player}, {"move", m.move.move}, {"time", m.time_s}, {"touch", m.touch}};
    if (!m.mistake.empty()) j["mistake"] = m.mistake;
    return j;
}

cv::VideoWriter open_video(const std::filesystem::path& folder, double fps, cv::Size size) {
    cv::VideoWriter video((folder / "video.mp4").string(),
                          cv::VideoWriter::fourcc('m', 'p', '4', 'v'), fps, size);
    if (!video.isOpened())
        video.open((folder / "video.avi").string(), cv::VideoWriter::fourcc('M', 'J', 'P', 'G'),
                   fps, size);
    if (!video.isOpened())
        throw std::runtime_error("cannot write a video into '" + folder.string() + "'");
    return video;
}

/// Where the pictures go: into a film, or to whoever connects, at the pace of life.
class Screen {
public:
    Screen(const Wish& wish, cv::Size size) {
        if (wish.serve < 0)
            video_ = open_video(wish.out, wish.fps, size);
        else
            stream_.emplace(std::uint16_t(wish.serve));
        if (stream_) fmt::print(stderr, "camera: {}\n", stream_->url());
    }
    void show(const cv::Mat& picture, double time_s) {
        if (!stream_) return video_.write(picture);
        stream_->show(picture);
        std::this_thread::sleep_until(began_ + std::chrono::duration<double>(time_s));
    }

private:
    cv::VideoWriter video_;
    std::optional<simulator::Stream> stream_;
    std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

/// What calibrating this camera would have found: the lens. The table is found by its markers.
void write_lens(const simulator::Camera& camera, const std::filesystem::path& file) {
    calibration::Profile profile;
    profile.camera_id = "simulated";
    profile.lens = camera.map().intrinsics();
    calibration::save_profile(file, profile);
}

void simulate(const Wish& wish) {
    const cv::Size size = size_from(wish.size);
    const rules::Game& game = game_named(wish.game);
    simulator::Script script(game, setup_of(wish, game), options_of(wish));
    simulator::CameraSetup setup;
    setup.size = size;
    setup.table = script.catalogue().table;
    simulator::Camera camera(setup, wish.light, wish.seed);
    const std::filesystem::path out = wish.out;
    std::error_code error;
    std::filesystem::create_directories(out, error);
    if (error)
        throw std::runtime_error("cannot make the folder '" + wish.out + "': " + error.message());
    std::ofstream truth(out / "truth.jsonl");
    if (!truth) throw std::runtime_error("cannot write into the folder '" + wish.out + "'");
    write_lens(camera, out / "camera.yml");
    Screen screen(wish, size);
    int frames = 0, moves = 0;
    for (bool more = true; more; ++frames) {
        const simulator::Frame frame = script.next();
        more = frame.time_s + 1 / wish.fps < wish.seconds && !frame.finished;
        screen.show(camera.render(frame.world, frame.time_s), frame.time_s);
        truth << "{\"observation\":" << encode(frame.truth) << "}\n";
        for (const auto& m : frame.moves)
            truth << Json{{"move", move_json(m)}}.dump() << '\n' << std::flush, ++moves;
    }
    fmt::print("{} frames, {} moves in {}\n", frames, moves, wish.out);
}

void write_sheet(const Wish& wish) {
    if (!cv::imwrite(wish.sheet, simulator::contact_sheet(wish.seed),
                     {cv::IMWRITE_JPEG_QUALITY, 80}))
        throw std::runtime_error("cannot write '" + wish.sheet + "'");
}

}  // namespace

void add_simulate(CLI::App& app) {
    auto* command = app.add_subcommand("simulate", "A simulated table as video and truth");
    auto wish = std::make_shared<Wish>();
    command->add_option("GAME", wish->game, "Which game is played");
    command->add_option(
        "--out", wish->out,
        "Folder for the video, truth.jsonl and camera.yml (the lens, for --calibration)");
    command
        ->add_option(
            "--serve", wish->serve,
            "Instead of a video: a network camera on this port (0: any), at the pace of life")
        ->check(CLI::Range(0, 65535));
    command->add_option("--sheet", wish->sheet,
                        "Instead: one picture of all games in all lights, to this file");
    command->add_option("--seed", wish->seed, "The same seed gives the same film");
    command->add_option("--seconds", wish->seconds, "Length of the film")
        ->check(CLI::Range(0.001, 1e6));
    command->add_option("--light", wish->light, "easy, cafe or harsh")
        ->check(CLI::IsMember({"easy", "cafe", "harsh"}));
    command->add_option("--size", wish->size, "Picture size, e.g. 1920x1080");
    command->add_option("--fps", wish->fps, "Frames a second")->check(CLI::Range(1.0, 240.0));
    command->add_option("--players", wish->players, "How many play");
    command->add_option("--variant", wish->variant, "Variant of the game");
    command->add_option("--pace", wish->pace, "2: everybody plays twice as fast")
        ->check(CLI::Range(0.1, 20.0));
    command->add_option("--mistakes", wish->mistakes, "Chance of each kind of mishap in each move")
        ->check(CLI::Range(0.0, 1.0));
    command->add_option("--clutter", wish->clutter, "Phones, glasses and cups left on the table")
        ->check(CLI::Range(0, 12));
    command->callback([wish] {
        if (!wish->sheet.empty()) return write_sheet(*wish);
        if (wish->game.empty() || wish->out.empty())
            throw CLI::ValidationError("simulate", "which game (GAME), and where to (--out DIR)?");
        simulate(*wish);
    });
}

}  // namespace overboard::app
