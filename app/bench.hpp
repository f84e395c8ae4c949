#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

/// Accuracy figures, measured now.
namespace overboard::app {

struct BenchOptions {
    std::filesystem::path real;  ///< Folder of labelled photographs (real/<set>/labels.json).
    std::string set;             ///< Only this set.
    std::string only;            ///< Only pictures whose name begins so.
    std::string draw;            ///< Folder for pictures of what was found; empty: none.
    bool verbose = false;        ///< One line a picture.
    bool augment = false;        ///< Every photograph again turned, scaled, dimmed, blurred …
    int every = 1;               ///< Only every so many-th photograph.
    int tables = 4;              ///< Rendered tables for each game and light.
    std::uint64_t seed = 0;      ///< Of what is rendered; 0: a fresh one, printed.
};

/// Every detector on labelled photographs and rendered tables: one table of figures.
void bench_vision(const BenchOptions& options);

/// Whole simulated matches.
struct PlayBenchOptions {
    std::string game, variant, light = "cafe", pictures;
    int matches = 5, players = 0, most_moves = 100000;
    double most_s = 600;
    double fps = 30, pace = 1,
           rest_s = 1.2;  ///< As of simulator::ScriptOptions: what makes many matches affordable.
    std::uint64_t seed = 1;
    bool mistakes = true, projected = false, all_variants = false, verbose = false;
};
void bench_play(const PlayBenchOptions& options);
/// Simulated strokes through vision alone: what fell, and whose id was kept.
void bench_shots(const PlayBenchOptions& options, int strokes);

}  // namespace overboard::app
