#pragma once

#include <vector>

#include "bus/shot.hpp"
#include "physics/shot.hpp"

/// From recordings to physics: what the finger did, and what the table is like.
namespace overboard::physics {

struct FitOptions {
    int collisions = 3;     ///< Looks no further than this many disc hits. Higher: more data, more
                            ///< chaos.
    double outlier_mm = 8;  ///< Residuals beyond it stop pulling. Lower: distrusts the recording
                            ///< sooner.
    double place_doubt_mm = 0.1;  ///< How well resting places are known. Higher: bends the start to
                                  ///< fit the end.
    double chaos_mm = 3;          ///< Above this rms residual a fit is reported as lost to chaos.
    int strike_trials = 160;      ///< Steps of the search for a strike.
    int table_trials = 90;        ///< Steps of the search for the table's parameters.
};

/// How one recorded shot is explained.
struct ShotFit {
    Strike strike;
    double start_s = 0;      ///< When the striker set off, on the shot's clock.
    double residual_mm = 0;  ///< Rms over all points compared.
    double worst_mm = 0;
    double final_mm = 0;           ///< Greatest distance of a resting place from the one computed.
    double explained_until_s = 0;  ///< The points compared end here: the next collision.
    int collisions = 0;            ///< Disc hits before that.
    int wall_hits = 0;             ///< Likewise.
    bool chaotic = false;          ///< The residual is too large for the parameters to mean much.
};

struct TableFit {
    Parameters parameters;
    std::vector<ShotFit> shots;  ///< In the order given.
    double residual_mm = 0;      ///< Rms over shots that are not chaotic.
    int collisions = 0;          ///< How much evidence there is for `restitution` ...
    int wall_hits = 0;  ///< ... and for `wall_restitution`; without any they keep their start.
};

/// The strike that best explains the shot on a table of these parameters. Spin is sought only where
/// rims rub (rim_friction > 0): without, it leaves no trace. Throws std::runtime_error with one
/// sentence when there is no striker that moved.
ShotFit fit_strike(const Shot& shot, const Board& board, const Parameters& parameters = {},
                   const FitOptions& options = {});

/// Friction and restitutions of one table from several of its shots, beginning from `start`.
TableFit fit_table(const std::vector<Shot>& shots, const Board& board, const Parameters& start = {},
                   const FitOptions& options = {});

Json to_json(const ShotFit& fit);
Json to_json(const TableFit& fit);

}  // namespace overboard::physics
