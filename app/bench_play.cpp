// Whole simulated matches, camera to score, against what was really played: the figures of the
// docs.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "app/bench.hpp"
#include "app/evening.hpp"
#include "app/house.hpp"
#include "rules/games.hpp"

namespace overboard::app {
namespace {

struct Totals {
    int matches = 0, finished = 0, agreed = 0, moves = 0, right = 0, wrong = 0, missed = 0,
        asked = 0, mishaps = 0, touched = 0;
    std::vector<double> delay_s, latency_s;
    double simulated_s = 0;
};

double percentile(std::vector<double> v, double share) {
    if (v.empty()) return 0;
    const auto at = v.begin() + std::ptrdiff_t(share * double(v.size() - 1));
    std::nth_element(v.begin(), at, v.end());
    return *at;
}

void add(Totals& t, const EveningReport& r) {
    ++t.matches;
    t.finished += r.finished;
    t.agreed += r.scores_agree();
    t.moves += r.moves;
    t.right += r.right;
    t.wrong += r.wrong;
    t.missed += r.missed;
    t.asked += r.asked;
    t.mishaps += r.mishaps;
    t.touched += r.touched;
    t.simulated_s += r.simulated_s;
    t.latency_s.insert(t.latency_s.end(), r.latency_s.begin(), r.latency_s.end());
    t.delay_s.insert(t.delay_s.end(), r.delay_s.begin(), r.delay_s.end());
}

void print(const std::string& name, const Totals& t, double wall_s) {
    const double of = std::max(1, t.moves);
    fmt::print(
        "| {} | {} ({}) | {} | {:.2f} % | {:.2f} % | {} | {:.1f} | {} / {} | {:.2f} / {:.2f} | "
        "{:.0f} / {:.0f} / {:.0f} | {:.0f} ({:.1f}x) |\n",
        name, t.matches, t.finished, t.moves, 100 * t.right / of, 100 * t.wrong / of, t.missed,
        double(t.asked) / std::max(1, t.matches), t.agreed, t.matches, percentile(t.delay_s, 0.5),
        percentile(t.delay_s, 0.95), 1000 * percentile(t.latency_s, 0.5),
        1000 * percentile(t.latency_s, 0.99), 1000 * percentile(t.latency_s, 1), t.simulated_s,
        t.simulated_s / std::max(0.1, wall_s));
    std::fflush(stdout);
}

EveningOptions evening_of(const rules::Game& game, const std::string& variant,
                          const PlayBenchOptions& o, int n) {
    EveningOptions e;
    e.game = game.info.id;
    e.setup = usual_setup(game, o.players, variant);
    e.rig.light = o.light;
    e.rig.seed = e.rig.script.seed = o.seed + std::uint64_t(n);
    e.rig.script.clutter = int(e.rig.seed % 3);  // a match found again by its seed is the same
    e.rig.script.fps = o.fps;
    e.rig.script.pace = o.pace;
    e.rig.script.rest_s = o.rest_s;
    if (o.mistakes) e.rig.script.mistakes = {0.05, 0.03, 0.03, 0.03, 0.03, 0.05};
    e.projected = o.projected;
    e.most_s = o.most_s;
    e.most_moves = o.most_moves;
    e.pictures = o.pictures;
    return e;
}

/// One line a match, so that a long run can be followed and any match found again.
void tell(const EveningOptions& e, const EveningReport& r) {
    fmt::print(stderr,
               "{} {} seed {}: {} of {} right, {} wrong, {} by hand, {} asked, {} mishaps, {} "
               "touched, {:.0f} s{}{}\n",
               e.game, e.setup.variant, e.rig.seed, r.right, r.moves, r.wrong, r.missed, r.asked,
               r.mishaps, r.touched, r.simulated_s, r.finished ? "" : ", broken off",
               r.scores_agree() ? "" : ", SCORES DIFFER");
}

// A bench of nothing would pass for one without a fault.
void check_asked_for(const PlayBenchOptions& o) {
    if (!o.game.empty()) game_named(o.game);
    const auto has_it = [&](const rules::Game& game) {
        const auto& variants = game.info.variants;
        return (o.game.empty() || o.game == game.info.id) &&
               std::find(variants.begin(), variants.end(), o.variant) != variants.end();
    };
    const auto& games = rules::games();
    if (!o.all_variants && std::none_of(games.begin(), games.end(), has_it))
        throw CLI::ValidationError("--variant", "there is no variant '" + o.variant + "'");
}

}  // namespace

void bench_play(const PlayBenchOptions& o) {
    check_asked_for(o);
    fmt::print(
        "| game | matches (whole) | moves | right | wrong | entered by hand | asks/match | final "
        "scores right | delay s p50 / p95 | camera to overlay ms p50 / p99 / most | simulated s |\n"
        "|---|---|---|---|---|---|---|---|---|---|---|\n");
    for (const rules::Game& game : rules::games()) {
        if (!o.game.empty() && o.game != game.info.id) continue;
        for (const std::string& variant : game.info.variants) {
            if (!o.all_variants && variant != o.variant) continue;
            Totals totals;
            const auto began = std::chrono::steady_clock::now();
            for (int n = 0; n < o.matches; ++n) {
                EveningOptions e = evening_of(game, variant, o, n);
                if (o.verbose)
                    e.say = [](const std::string& line) { fmt::print(stderr, "{}\n", line); };
                const EveningReport report = play_evening(e);
                add(totals, report);
                for (const std::string& fault : report.faults)
                    fmt::print(stderr, "{} seed {}: {}\n", game.info.id, e.rig.seed, fault);
                tell(e, report);
            }
            print(variant.empty() ? game.info.id : game.info.id + " " + variant, totals,
                  std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count());
        }
    }
}

}  // namespace overboard::app
