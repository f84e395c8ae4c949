#pragma once

#include <functional>
#include <string>
#include <vector>

#include "physics/shot.hpp"

/// The shots most likely to score, found by trying them out in the exact solver with the trembling
/// of a human hand.
namespace overboard::physics {

/// How exactly a player shoots: standard deviations.
struct Hand {
    double aim_rad = 1.5 * M_PI / 180;
    double force = 0.08;  ///< Relative.
};

/// What fell in one tried shot.
struct Falls {
    int discs = 0;  ///< All but queen and striker.
    bool queen = false;
    bool striker = false;
};

/// What that is worth in points; the rules know. Called from several threads at once.
using Worth = std::function<double(const Falls&)>;

struct SearchOptions {
    Hand hand;
    /// Stops here at the latest. More: finer aims, if there are trials left.
    double seconds = 0.75;
    int trials = 14000;  ///< Simulated shots. As long as time suffices, the answer depends on this
                         ///< alone.
    unsigned threads = 0;        ///< 0: all cores.
    int count = 3;               ///< Suggestions wanted.
    double slowest_mm_s = 1000;  ///< Forces tried reach from here ...
    double fastest_mm_s = 4500;  ///< ... to here.
    bool open_line = false;      ///< CARROM-21.
};

struct Suggestion {
    Strike strike;
    double expected = 0;  ///< Points, averaged over the hand's errors.
    double success = 0;   ///< Probability that the shot is worth anything.
    double opens = 0;     ///< Discs it sets free, on average; told where nothing is likely to fall.
    int samples = 0;      ///< Tried shots behind both numbers.
    Point first_contact;  ///< Centre of the striker when it first meets a disc (or ends).
    int target = 0;       ///< Id of that disc; 0: none.
    std::vector<Fallen> falls;  ///< What falls if the hand does not err.
};

/// Best first, by expected points; placements, targets and forces differ enough to be a choice.
/// Where nothing scores, the shots that set most discs free without losing the striker, with
/// nothing expected of them. Empty when the striker can stand nowhere or reaches nothing. Throws
/// std::runtime_error like simulate() on an impossible position.
std::vector<Suggestion> search(const Position& position, const Board& board,
                               const ShootingLine& line, const Worth& worth,
                               const Parameters& parameters = {},
                               const SearchOptions& options = {});

/// Where the striker may stand without touching a disc, from left to right (CARROM-3, 21).
std::vector<Point> placements(const Position& position, const Board& board,
                              const ShootingLine& line, bool open_line, int most);

}  // namespace overboard::physics
