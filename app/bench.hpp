#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

/// Accuracy figures, measured now. One line a set in bench.cpp, one function a set.
namespace overboard::app {

struct BenchOptions {
    std::filesystem::path real;  ///< Folder of labelled photographs (real/<set>/labels.json).
    std::string only;            ///< Only photographs whose name begins so.
    std::string draw;            ///< Folder for pictures of what was found; empty: none.
    bool verbose = false;        ///< One line a photograph.
};

void bench_carrom(const BenchOptions& options);

/// Whole simulated matches.
struct PlayBenchOptions {
    std::string game, variant, light = "cafe", pictures;
    int matches = 5, players = 0, most_moves = 100000;
    double most_s = 600;
    std::uint64_t seed = 1;
    bool mistakes = true, all_variants = false, verbose = false;
};
void bench_play(const PlayBenchOptions& options);
/// Simulated strokes through vision alone: what fell, and whose id was kept.
void bench_shots(const PlayBenchOptions& options, int strokes);

}  // namespace overboard::app
