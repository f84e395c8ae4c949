#include "app/bench.hpp"

#include <memory>

#include "app/commands.hpp"
#include "bus/data.hpp"

namespace overboard::app {
void add_bench(CLI::App& app) {
    auto* command = app.add_subcommand("bench", "Accuracy figures, measured now");
    command->require_subcommand(1);
    auto* vision = command->add_subcommand(
        "vision", "Every detector on labelled photographs and rendered tables");
    auto options = std::make_shared<BenchOptions>();
    options->real = data_root() / "../shared/real";
    vision->add_option("--real", options->real, "Folder of labelled photographs");
    vision->add_option("--set", options->set,
                       "Only this set: carrom, dice, cards, polygons or simulated");
    vision->add_option("--only", options->only, "Only pictures whose name begins so");
    vision->add_option("--every", options->every, "Only every so many-th photograph")
        ->check(CLI::Range(0.001, 1e6));
    vision->add_flag("--augment", options->augment,
                     "Every photograph again turned, scaled, dimmed, blurred and so on");
    vision->add_option("--tables", options->tables, "Rendered tables for each game and light")
        ->capture_default_str();
    vision->add_option("--seed", options->seed, "Of the rendered tables; 0: a fresh one");
    vision->add_option("--draw", options->draw, "Folder for pictures of what was found")
        ->check(CLI::ExistingDirectory);
    vision->add_flag("--verbose", options->verbose, "One line a picture");
    vision->callback([options] { bench_vision(*options); });

    auto* play = command->add_subcommand(
        "play", "Whole simulated matches, camera to score, against the truth");
    auto p = std::make_shared<PlayBenchOptions>();
    play->add_option("GAME", p->game, "Only this game");
    play->add_option("--variant", p->variant, "This variant");
    play->add_flag("--all-variants", p->all_variants, "Every variant");
    play->add_option("--matches", p->matches, "How many")->capture_default_str();
    play->add_option("--players", p->players, "How many players; 0: the usual number");
    play->add_option("--light", p->light, "easy, cafe or harsh")->capture_default_str();
    play->add_option("--seed", p->seed, "Of the first match")->capture_default_str();
    play->add_option("--seconds", p->most_s, "Break a match off after so much table time")
        ->capture_default_str();
    play->add_option("--moves", p->most_moves, "Break a match off after so many moves")
        ->capture_default_str();
    play->add_option("--fps", p->fps, "Pictures a second")
        ->capture_default_str()
        ->check(CLI::Range(0.001, 1e6));
    play->add_option("--pace", p->pace, "2: everybody plays twice as fast")
        ->capture_default_str()
        ->check(CLI::Range(0.001, 1e6));
    play->add_option("--rest", p->rest_s, "Seconds of quiet after a move, divided by the pace")
        ->capture_default_str()
        ->check(CLI::Range(0.0, 1e6));
    play->add_flag("!--no-mistakes", p->mistakes, "Nobody makes mistakes");
    play->add_flag("--projected", p->projected,
                   "The overlay is projected onto the table, as it is where people play");
    play->add_option("--pictures", p->pictures,
                     "Folder for a picture of every fault and every ask");
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
    shots->add_flag("--verbose", s->verbose, "Every stroke told wrong, as JSON");
    shots->callback([s, count] { bench_shots(*s, *count); });
}

}  // namespace overboard::app
