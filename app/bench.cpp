#include "app/bench.hpp"

#include <memory>
#include <stdexcept>

#include "app/commands.hpp"
#include "bus/data.hpp"

namespace overboard::app {
namespace {

struct Set {
    const char* name;
    void (*run)(const BenchOptions&);
};

// The visible list: one line a set of pictures.
const Set kSets[] = {
    {"carrom", bench_carrom},
};

void bench_vision(const BenchOptions& options, const std::string& wanted) {
    bool any = false;
    for (const Set& set : kSets) {
        if (!wanted.empty() && wanted != set.name) continue;
        any = true;
        if (std::filesystem::exists(options.real / set.name)) set.run(options);
        else std::printf("%s: skipped, there is no '%s'\n", set.name, (options.real / set.name).c_str());
    }
    if (!any) throw CLI::ValidationError("--set", "there is no set '" + wanted + "'");
}

}  // namespace

void add_bench(CLI::App& app) {
    auto* command = app.add_subcommand("bench", "Accuracy figures, measured now");
    command->require_subcommand(1);
    auto* vision = command->add_subcommand("vision", "Detectors against labelled photographs");
    auto options = std::make_shared<BenchOptions>();
    auto set = std::make_shared<std::string>();
    options->real = data_root() / "../shared/real";
    vision->add_option("--real", options->real, "Folder of labelled photographs");
    vision->add_option("--set", *set, "Only this set");
    vision->add_option("--only", options->only, "Only photographs whose name begins so");
    vision->add_option("--draw", options->draw, "Folder for pictures of what was found");
    vision->add_flag("--verbose", options->verbose, "One line a photograph");
    vision->callback([options, set] { bench_vision(*options, *set); });

    auto* play = command->add_subcommand("play", "Whole simulated matches, camera to score, against the truth");
    auto p = std::make_shared<PlayBenchOptions>();
    play->add_option("GAME", p->game, "Only this game");
    play->add_option("--variant", p->variant, "This variant");
    play->add_flag("--all-variants", p->all_variants, "Every variant");
    play->add_option("--matches", p->matches, "How many")->capture_default_str();
    play->add_option("--players", p->players, "How many players; 0: the usual number");
    play->add_option("--light", p->light, "easy, cafe or harsh")->capture_default_str();
    play->add_option("--seed", p->seed, "Of the first match")->capture_default_str();
    play->add_option("--seconds", p->most_s, "Break a match off after so much table time")->capture_default_str();
    play->add_option("--moves", p->most_moves, "Break a match off after so many moves")->capture_default_str();
    play->add_flag("!--no-mistakes", p->mistakes, "Nobody makes mistakes");
    play->add_option("--pictures", p->pictures, "Folder for a picture of every fault");
    play->add_flag("--verbose", p->verbose, "The transcript as it goes");
    play->callback([p] { bench_play(*p); });

    auto* shots = command->add_subcommand("shots", "Simulated carrom strokes through vision alone");
    auto count = std::make_shared<int>(300);
    auto s = std::make_shared<PlayBenchOptions>();
    shots->add_option("--strokes", *count, "How many")->capture_default_str();
    shots->add_option("--variant", s->variant, "This variant");
    shots->add_option("--light", s->light, "easy, cafe or harsh")->capture_default_str();
    shots->add_option("--seed", s->seed, "Of the first match")->capture_default_str();
    shots->add_option("--pictures", s->pictures, "Existing folder for a picture of every fault");
    shots->callback([s, count] { bench_shots(*s, *count); });
}

}  // namespace overboard::app
