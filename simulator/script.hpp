#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "bus/observation.hpp"
#include "rules/game.hpp"
#include "simulator/world.hpp"

namespace overboard::simulator {

/// How often a move goes wrong, each as a chance for each move, 0…1.
struct Mistakes {
    double illegal = 0;  ///< A piece is put where it may not lie, then taken away again.
    /// A piece is laid askew beside its place and only later pushed into it.
    double half_laid = 0;
    double bumped = 0;      ///< The hand pushes another piece aside, then back.
    double taken_back = 0;  ///< A piece is put down, taken up again and put down for good.
    double two_hands = 0;   ///< Another player's hand is over the table meanwhile.
    double cocked = 0;      ///< The die comes to lie against something and is thrown again.
    /// A sleeve shifts a piece by a few millimetres, or it is squared up, and nobody puts it back.
    double nudged = 0;
};

struct ScriptOptions {
    std::uint64_t seed = 1;
    double fps = 30;
    double shot_fps = 120;   ///< While discs run.
    double pace = 1;         ///< 2: everybody plays twice as fast.
    double rest_s = 1.2;     ///< Quiet between two moves.
    double jitter_mm = 0.5;  ///< Nobody lays a piece exactly.
    double jitter_rad = 0.008;
    int clutter = 0;  ///< Phones, glasses, cups on the table.
    Mistakes mistakes;
    /// Chooses the next move; empty: by chance, each type of move alike.
    std::function<std::size_t(const std::vector<rules::PlayerMove>&)> choose;
};

/// What really happened, for whoever checks the others.
struct TruthMove {
    rules::PlayerMove move;
    double time_s = 0;    ///< When the hand was gone again.
    bool touch = false;   ///< Left no trace on the table: to be sent by hand.
    std::string mistake;  ///< Set when this is no move of the game but a mishap, e.g. "illegal".
};

struct Frame {
    double time_s = 0;
    World world;
    Observation truth;             ///< What lies on the table; carried pieces are not on it.
    std::vector<TruthMove> moves;  ///< That ended since the frame before.
    bool finished = false;         ///< The game is over and the table quiet.
};

/// Plays a game by its rules, as a film: asks for legal moves, picks one, and lets hands carry the
/// pieces from the scene before to the scene after. Games with strokes are driven by physics.
class Script {
public:
    Script(const rules::Game& game, rules::Setup setup, ScriptOptions options = {});
    ~Script();
    Script(Script&&) noexcept;
    Script& operator=(Script&&) noexcept;

    Frame next();
    [[nodiscard]] const Catalogue& catalogue() const;
    [[nodiscard]] const rules::State& state() const;  ///< After the move now being played.

private:
    struct Play;
    std::unique_ptr<Play> play_;
};

}  // namespace overboard::simulator
