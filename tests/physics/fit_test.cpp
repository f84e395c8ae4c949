#include "physics/fit.hpp"

#include <gtest/gtest.h>

#include "physics/carrom_world.hpp"
#include "physics/replay.hpp"
#include "tests/physics/positions.hpp"

namespace overboard::physics {
namespace {

double gaussian(std::mt19937_64& random) {
    return std::sqrt(-2 * std::log(testing::uniform(random, 1e-15, 1))) *
           std::cos(testing::uniform(random, 0, 2 * M_PI));
}

/// What a camera would have made of it: every disc in every frame, with noise, until it fell.
Shot filmed(const Shot& truth, double noise_mm, unsigned seed) {
    std::mt19937_64 random(seed);
    Shot shot = truth;
    const double offset = testing::uniform(random, 0, 1) /
                          120;  // frames do not wait for the finger
    for (Track& track : shot.tracks) {
        const Track exact = track;
        track.points.clear();
        for (double t = offset; t < truth.end + 0.05; t += 1.0 / 120) {
            const DiscAt disc = at(exact, t);
            bool gone = false;
            for (const Fallen& f : truth.pocketed) gone |= f.id == track.id && t >= f.time;
            if (gone) break;
            track.points.push_back({t, disc.at.x + noise_mm * gaussian(random),
                                    disc.at.y + noise_mm * gaussian(random)});
        }
    }
    shot.striker_from = *truth.striker_from +
                        Point{noise_mm * gaussian(random), noise_mm * gaussian(random)} * 0.3;
    return shot;
}

struct Sample {
    testing::Stroke stroke;
    Shot truth;
};

/// Shots of at most three collisions, none lost in a pocket.
std::vector<Sample> samples(int count, const Board& board, const Parameters& p, unsigned seed,
                            Engine engine = Engine::exact) {
    std::vector<Sample> found;
    for (; static_cast<int>(found.size()) < count; ++seed) {
        auto stroke = testing::scattered(seed, board, 6);
        stroke.strike.velocity_mm_s = stroke.strike.velocity_mm_s * 0.45;
        auto world = testing::exact_of(stroke, board, p);
        world.run();
        bool fell = false;
        for (int i = 0; i < world.size(); ++i) fell |= world.pocket_of(i) >= 0;
        if (fell || world.collisions() < 1 || world.collisions() > 3) continue;
        found.push_back({stroke, simulate(stroke.position, stroke.strike, board, p, engine)});
    }
    return found;
}

TEST(FitStrike, FindsSpeedAndEndsWithinFiveMillimetres) {
    const Board& board = load_board("to-go");
    const Parameters p;
    for (const auto& [noise, engine] :
         {std::pair{0.05, Engine::exact}, std::pair{0.3, Engine::exact},
          std::pair{0.1, Engine::box2d}}) {
        int within = 0, shots = 0;
        double worst_final = 0, worst_speed = 0;
        for (const Sample& s : samples(15, board, p, 100, engine)) {
            const ShotFit fit = fit_strike(filmed(s.truth, noise, 7 + unsigned(shots)), board, p);
            const Point v = s.stroke.strike.velocity_mm_s;
            worst_speed = std::max(worst_speed, distance(fit.strike.velocity_mm_s, v) / length(v));
            worst_final = std::max(worst_final, fit.final_mm);
            within += fit.final_mm <= 5;
            ++shots;
        }
        std::printf("noise %.2f mm, %s: worst speed error %.2f %%, worst resting place %.2f mm\n",
                    noise, engine == Engine::exact ? "exact" : "box2d", 100 * worst_speed,
                    worst_final);
        EXPECT_EQ(within, shots) << "noise " << noise;
        EXPECT_LT(worst_speed, 0.05);
    }
}

TEST(FitStrike, FindsSpinWhereRimsRub) {
    const Board& board = load_board("to-go");
    Parameters p;
    p.rim_friction = 0.15;
    for (double spin : {-60.0, 60.0}) {
        const Shot truth = simulate({{{1, "blue", {3, 0}, 0}}}, {{0, 142}, {0, -1100}, spin}, board,
                                    p);
        const ShotFit fit = fit_strike(filmed(truth, 0.05, 3), board, p);
        EXPECT_NEAR(fit.strike.spin_rad_s, spin, 15);
    }
}

TEST(FitStrike, ReportsWhatChaosLeavesUnexplained) {
    const Board& board = load_board("to-go");
    const auto stroke = testing::opening(3, board);
    const Shot truth = simulate(stroke.position, stroke.strike, board);
    const ShotFit fit = fit_strike(filmed(truth, 0.3, 5), board);
    EXPECT_GT(fit.final_mm, 5);                       // a break cannot be foretold ...
    EXPECT_LT(fit.explained_until_s, truth.end / 2);  // ... and the fit does not claim to
}

TEST(FitTable, FindsFrictionAndRestitutionsWithinFivePercent) {
    const Board& board = load_board("to-go");
    Parameters truth;
    truth.friction = 0.115;
    truth.restitution = 0.78;
    truth.wall_restitution = 0.62;
    for (double noise : {0.05, 0.3}) {
        std::vector<Shot> shots;
        for (const Sample& s : samples(8, board, truth, 500))
            shots.push_back(filmed(s.truth, noise, 31 + unsigned(shots.size())));
        const TableFit fit = fit_table(shots, board);
        std::printf(
            "noise %.2f: friction %.4f restitution %.4f wall %.4f residual %.3f mm, %d hits, %d "
            "walls\n",
            noise, fit.parameters.friction, fit.parameters.restitution,
            fit.parameters.wall_restitution, fit.residual_mm, fit.collisions, fit.wall_hits);
        EXPECT_NEAR(fit.parameters.friction / truth.friction, 1, 0.05);
        EXPECT_NEAR(fit.parameters.restitution / truth.restitution, 1, 0.05);
        EXPECT_NEAR(fit.parameters.wall_restitution / truth.wall_restitution, 1, 0.05);
    }
}

TEST(FitStrike, SaysSoWhenThereIsNoStriker) {
    const Board& board = load_board("to-go");
    Shot shot;
    shot.tracks = {{1, "blue", {{0, 0, 0}, {1, 5, 5}}}};
    EXPECT_THROW(fit_strike(shot, board), std::runtime_error);
}

}  // namespace
}  // namespace overboard::physics
