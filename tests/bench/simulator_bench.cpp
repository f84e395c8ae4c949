#include <benchmark/benchmark.h>

#include <cstring>

#include "rules/games.hpp"
#include "simulator/art.hpp"
#include "simulator/camera.hpp"
#include "simulator/script.hpp"

// How fast the simulated camera delivers at "cafe", 1080p, one core: frames a second, and as a
// multiple of copying one frame (the floor, measured in the same run).
namespace overboard::simulator {
namespace {

double copy_frame_s() {
    static const double seconds = [] {
        std::vector<cv::Mat> from, to;
        for (int i = 0; i < 8; ++i)
            from.emplace_back(1080, 1920, CV_8UC3, cv::Scalar::all(i)),
                to.emplace_back(1080, 1920, CV_8UC3);
        double best = 1;
        for (int i = 0; i < 64; ++i) {
            const double t = double(cv::getTickCount());
            std::memcpy(to[i % 8].data, from[i % 8].data, 1920 * 1080 * 3);
            best = std::min(best, (double(cv::getTickCount()) - t) / cv::getTickFrequency());
        }
        return best;
    }();
    return seconds;
}

void report(benchmark::State& state, double seconds) {
    const double per_frame = seconds / double(state.iterations());
    state.counters["fps"] = 1 / per_frame;
    state.counters["x_memcpy"] = per_frame / copy_frame_s();
}

rules::Setup players(int n) {
    rules::Setup setup;
    for (int i = 0; i < n; ++i)
        setup.players.push_back({"P" + std::to_string(i + 1), "", Json::object()});
    return setup;
}

// Only the rendering is timed: the script's own work is paid for outside.
void film(benchmark::State& state, const char* game, int count, double skip_s,
          const std::function<bool(const Frame&)>& wanted) {
    cv::setNumThreads(1);
    const rules::Game* g = rules::find_game(game);
    if (!g) return state.SkipWithError("no such game yet");
    ScriptOptions options;
    options.seed = 4;
    auto script = std::make_unique<Script>(*g, players(count), options);
    CameraSetup setup;
    setup.table = script->catalogue().table;
    Camera camera(setup, "cafe", 4);
    double seconds = 0;
    const auto next = [&] {
        Frame f = script->next();
        if (f.finished)
            script = std::make_unique<Script>(*g, players(count), options), f = script->next();
        return f;
    };
    for (Frame f = next(); f.time_s < skip_s;) f = next();
    for (auto _ : state) {
        Frame f = next();
        while (!wanted(f)) {
            camera.render(f.world, f.time_s);
            f = next();
        }
        const double t = double(cv::getTickCount());
        benchmark::DoNotOptimize(camera.render(f.world, f.time_s).data);
        const double took = (double(cv::getTickCount()) - t) / cv::getTickFrequency();
        state.SetIterationTime(took);
        seconds += took;
    }
    report(state, seconds);
}

bool any(const Frame&) {
    return true;
}
bool hand(const Frame& f) {
    return !f.world.hands.empty();
}
bool running(const Frame& f) {
    return std::count_if(f.world.bodies.begin(), f.world.bodies.end(),
                         [](const Body& b) { return b.vx != 0 || b.vy != 0; }) >= 3;
}

void carrom_film(benchmark::State& s) {
    film(s, "carrom", 2, 2, any);
}
void carrom_shot(benchmark::State& s) {
    film(s, "carrom", 2, 2, running);
}
void gotown_film(benchmark::State& s) {
    film(s, "gotown", 4, 2, any);
}
void gotown_hand(benchmark::State& s) {
    film(s, "gotown", 4, 2, hand);
}

struct FullTable {
    World empty, full;
};

// Forty-eight cards: more than the towers, dogs, milkshakes and piles of four players.
FullTable full_table() {
    Catalogue c;
    FaceKind kind;
    kind.set = "gotown";
    kind.faces = face_names("gotown");
    c.cards = {kind};
    Observation scene;
    for (int i = 0; i < 48; ++i) {
        Piece p;
        p.kind = PieceKind::card;
        p.face = kind.faces[std::size_t(i) % 17];
        p.x = 110 + (i % 12) * 88, p.y = 120 + (i / 12) * 115, p.angle = 0.05 * (i % 7 - 3);
        scene.pieces.push_back(p);
    }
    return {world_from(c, {}), world_from(c, scene)};
}

double timed(Camera& camera, const World& world, double now) {
    const double t = double(cv::getTickCount());
    benchmark::DoNotOptimize(camera.render(world, now).data);
    return (double(cv::getTickCount()) - t) / cv::getTickFrequency();
}

// Everything anew: what a full table costs when nothing may be kept.
void full_table_anew(benchmark::State& state) {
    cv::setNumThreads(1);
    const FullTable table = full_table();
    Camera camera({}, "cafe", 4);
    double seconds = 0, now = 0;
    for (auto _ : state) {
        camera.render(table.empty, now += 0.03);
        const double took = timed(camera, table.full, now += 0.03);
        state.SetIterationTime(took);
        seconds += took;
    }
    report(state, seconds);
}

// The table of play: all cards lie, a hand carries one of them across.
void full_table_hand(benchmark::State& state) {
    cv::setNumThreads(1);
    World world = full_table().full;
    Camera camera({}, "cafe", 4);
    camera.render(world, 0);
    double seconds = 0, now = 0;
    int frame = 0;
    for (auto _ : state) {
        const double f = (frame++ % 40) / 40.0, x = 200 + 700 * f, y = 420 - 200 * f;
        Body& carried = world.bodies.back();
        carried.at = {x, y, 0.3}, carried.z = 40, carried.ground = 0.3, carried.vx = 525,
        carried.vy = -150;
        Hand over;
        over.at = {x, y, 1.4}, over.z = 45, over.vx = 525, over.vy = -150;
        world.hands = {over};
        const double took = timed(camera, world, now += 1 / 30.0);
        state.SetIterationTime(took);
        seconds += took;
    }
    report(state, seconds);
}

BENCHMARK(carrom_film)->UseManualTime()->Unit(benchmark::kMillisecond)->Iterations(300);
BENCHMARK(carrom_shot)->UseManualTime()->Unit(benchmark::kMillisecond)->Iterations(150);
BENCHMARK(gotown_film)->UseManualTime()->Unit(benchmark::kMillisecond)->Iterations(300);
BENCHMARK(gotown_hand)->UseManualTime()->Unit(benchmark::kMillisecond)->Iterations(150);
BENCHMARK(full_table_hand)->UseManualTime()->Unit(benchmark::kMillisecond)->Iterations(120);
BENCHMARK(full_table_anew)->UseManualTime()->Unit(benchmark::kMillisecond)->Iterations(10);

}  // namespace
}  // namespace overboard::simulator

BENCHMARK_MAIN();
