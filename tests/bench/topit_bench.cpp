// The exact hint of TOP IT over a mosaic of a given size, beside one applied move of the same
// mosaic. Goal: under 50 ms on one core with 20 pieces.
#include <benchmark/benchmark.h>

#include <random>

#include "rules/topit/topit.hpp"

namespace overboard::rules {
namespace {

Topit::State mosaic_of(std::size_t pieces, int players) {
    Setup setup;
    for (int i = 0; i < players; ++i)
        setup.players.push_back({std::string(1, static_cast<char>('A' + i)), "", Json::object()});
    Topit::State state = *Topit::start(setup);
    std::mt19937 dice{42};
    while (state.mosaic.pieces().size() < pieces && !state.finished) {
        const auto moves = Topit::legal_moves(state);
        const auto& move = moves[dice() % moves.size()];
        state = Topit::apply(state, move.player, move.move).state;
    }
    return state;
}

void hint(benchmark::State& bench) {
    const auto state = mosaic_of(static_cast<std::size_t>(bench.range(0)),
                                 static_cast<int>(bench.range(1)));
    for (auto _ : bench) benchmark::DoNotOptimize(Topit::hints(state, 3));
}
BENCHMARK(hint)
    ->ArgNames({"pieces", "players"})
    ->Args({20, 4})
    ->Args({20, 1})
    ->Args({31, 1})
    ->Unit(benchmark::kMillisecond);

void judge_and_apply(benchmark::State& bench) {
    const auto state = mosaic_of(static_cast<std::size_t>(bench.range(0)), 4);
    const auto move = Topit::legal_moves(state).front();
    for (auto _ : bench) {
        if (Topit::judge(state, move.player, move.move).legal())
            benchmark::DoNotOptimize(Topit::apply(state, move.player, move.move));
    }
}
BENCHMARK(judge_and_apply)->Arg(20)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace overboard::rules

BENCHMARK_MAIN();
