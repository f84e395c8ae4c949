// Moves a second in memory, each game; a stored and answered move beside one bare fdatasync of an
// appended page on the same disk, taken in turns; hints. Ratios, not seconds, are what counts.
#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "rules/games.hpp"
#include "rules/service.hpp"
#include "tests/bench/raw_echo.hpp"
#include "tests/folder.hpp"
#include "tests/rules/random_play.hpp"

namespace overboard::rules {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using testing::GameVariant;

/// Beside the build, which lies on a real disk; /tmp may be memory.
struct Folder : overboard::testing::Folder {
    Folder() : overboard::testing::Folder{fs::current_path()} {}
};

/// Judge and apply moves of a recorded random match, again and again.
void apply_moves(benchmark::State& bench, const GameVariant& gv) {
    testing::Dice dice(7);
    const State first = *gv.start(3);
    std::vector<PlayerMove> moves;
    State s = first;
    while (moves.size() < 200 && !gv.game->view(s).finished) {
        const auto legal = gv.game->legal_moves(s);
        moves.push_back(legal[dice.below(legal.size())]);
        s = gv.game->apply(s, moves.back().player, moves.back().move).state;
    }
    std::size_t next = 0;
    s = first;
    for (auto _ : bench) {
        if (next == moves.size()) next = 0, s = first;
        const PlayerMove& m = moves[next++];
        benchmark::DoNotOptimize(gv.game->judge(s, m.player, m.move));
        s = gv.game->apply(s, m.player, m.move).state;
    }
    bench.counters["moves/s"] = benchmark::Counter(static_cast<double>(bench.iterations()),
                                                   benchmark::Counter::kIsRate);
}

void read_table(benchmark::State& bench, const GameVariant& gv) {
    const State s = *gv.start(3);
    const Observation scene = gv.game->scene_of(s);
    for (auto _ : bench) benchmark::DoNotOptimize(gv.game->read(s, scene));
}

struct Times {
    std::vector<double> us;
    double at(double share) {
        std::sort(us.begin(), us.end());
        return us.empty()
                   ? 0
                   : us[std::min(us.size() - 1,
                                 static_cast<std::size_t>(share * static_cast<double>(us.size())))];
    }
};

template <class Work>
void timed(Times& times, Work work) {
    const auto from = Clock::now();
    work();
    times.us.push_back(std::chrono::duration<double, std::micro>(Clock::now() - from).count());
}

/// One page at the end of a file, on the disk.
class BareSync {
public:
    explicit BareSync(const fs::path& file)
        : handle_(open(file.c_str(), O_CREAT | O_WRONLY | O_APPEND, 0600)), page_(4096, 'p') {}
    ~BareSync() { close(handle_); }
    void operator()() const {
        if (write(handle_, page_.data(), page_.size()) < 0) std::abort();
        fdatasync(handle_);
    }

private:
    int handle_;
    std::string page_;
};

std::string move_text(const std::string& match, std::size_t n) {
    return Json{
        {"jsonrpc", "2.0"},
        {"id", n},
        {"method", "match.move"},
        {"params",
         {{"match", match},
          {"player", "Ada"},
          {"move", {{"type", "shot"}, {"striker", {0, 142}}, {"pocketed", {{"blue", 0}}}}}}}}
        .dump();
}
const char* const kStart =
    R"({"jsonrpc":"2.0","id":1,"method":"match.start","params":{"game":"carrom","players":[{"name":"Ada"}]}})";

void report(benchmark::State& bench, Times& bare, Times& moves) {
    bench.counters["sync_p50_us"] = bare.at(0.5);
    bench.counters["sync_p99_us"] = bare.at(0.99);
    bench.counters["move_p50_us"] = moves.at(0.5);
    bench.counters["move_p99_us"] = moves.at(0.99);
    bench.counters["p50_ratio"] = moves.at(0.5) / bare.at(0.5);
    bench.counters["p99_ratio"] = moves.at(0.99) / bare.at(0.99);
}

void stored_move(benchmark::State& bench) {
    Folder folder;
    Service service({folder / "matches.db", {}, {}, {}, true});
    service.handle(kStart);
    BareSync sync(folder / "bare");
    const std::string move = move_text("m1", 2);
    Times bare, moves;
    for (auto _ : bench) {
        timed(bare, [&] { sync(); });
        timed(moves, [&] { benchmark::DoNotOptimize(service.handle(move)); });
        service.settle();
        service.idle();
    }
    report(bench, bare, moves);
}
BENCHMARK(stored_move)->Iterations(1500)->Unit(benchmark::kMicrosecond);

void stored_move_over_ipc(benchmark::State& state) {
    Folder folder;
    ServeOptions options;
    options.requests = "ipc://" + (folder / "r").string();
    options.events = "ipc://" + (folder / "e").string();
    options.store = folder / "matches.db";
    std::atomic<bool> stop{false};
    std::jthread server([&] { serve(options, stop); });
    Client client(options.requests, milliseconds{5000});
    client.request(kStart);
    BareSync sync(folder / "bare");
    bench::RawEcho raw("ipc://" + (folder / "raw").string(), [&] { sync(); });
    const std::string move = move_text("m1", 2);
    Times bare, moves, raws;
    for (auto _ : state) {
        timed(bare, [&] { sync(); });
        timed(moves, [&] { benchmark::DoNotOptimize(client.request(move)); });
        timed(raws, [&] { raw.ask(move); });
    }
    stop = true;
    report(state, bare, moves);
    state.counters["raw_p50_us"] = raws.at(0.5);
    state.counters["raw_p99_us"] = raws.at(0.99);
}
BENCHMARK(stored_move_over_ipc)->Iterations(1500)->Unit(benchmark::kMicrosecond);

/// The same without a disk: what the rules and the wire cost by themselves.
void answered_state(benchmark::State& bench) {
    Folder folder;
    Service service({folder / "matches.db", {}, {}, {}});
    service.handle(kStart);
    for (auto _ : bench)
        benchmark::DoNotOptimize(service.handle(
            R"({"jsonrpc":"2.0","id":1,"method":"match.state","params":{"match":"m1"}})"));
}
BENCHMARK(answered_state);

/// A hint in the middle of a match: about twenty moves played.
void hint(benchmark::State& bench, const Game& game) {
    testing::Dice dice(3);
    State s = *GameVariant{&game, game.info.variants.front()}.start(4);
    for (int i = 0; i < 20 && !game.view(s).finished; ++i) {
        const auto legal = game.legal_moves(s);
        const PlayerMove& m = legal[dice.below(legal.size())];
        s = game.apply(s, m.player, m.move).state;
    }
    std::size_t found = 0;
    for (auto _ : bench) found = game.hints(s, 3).size();
    bench.counters["hints"] = static_cast<double>(found);
}

void add_games() {
    for (const GameVariant& gv : testing::all_variants())
        benchmark::RegisterBenchmark(("apply/" + gv.name()).c_str(), apply_moves, gv);
    for (const Game& game : games()) {
        const GameVariant gv{&game, game.info.variants.front()};
        benchmark::RegisterBenchmark(("read/" + game.info.id).c_str(), read_table, gv);
        benchmark::RegisterBenchmark(("hint/" + game.info.id).c_str(), [&game](
                                                                           benchmark::State& b) {
            hint(b, game);
        })->Unit(benchmark::kMillisecond);
    }
}

}  // namespace
}  // namespace overboard::rules

int main(int argc, char** argv) {
    overboard::rules::add_games();
    benchmark::Initialize(&argc, argv);
    benchmark::RunSpecifiedBenchmarks();
}
