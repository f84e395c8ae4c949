#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "rules/game.hpp"
#include "rules/topit/mosaic.hpp"

/// TOP IT: a mosaic of polygons laid edge to edge, and one stone each to put on top.
namespace overboard::rules {

namespace topit {

inline constexpr std::array<const char*, 4> kColours = {"blue", "red", "green", "yellow"};
std::optional<int> colour_named(const std::string& name);
inline constexpr Point kMiddle{
    600, 337.5};  ///< TOPIT-1: where the first piece lies, unless put elsewhere.
inline constexpr int kAllColours = -1;  ///< One player plays all four (TOPIT-30).

struct Player {
    std::string name;
    std::string seat;
    int colour = 0;
    int score = 0;
    bool passed = false;  ///< TOPIT-R1: had nothing left that finds a place.
};

struct State {
    Mosaic mosaic;
    std::vector<Player> players;
    std::array<bool, 4> stone_laid{};
    int first = 0;
    int turn = 0;
    bool finished = false;
    std::optional<double> best;  ///< One player: the best total so far, when told.

    [[nodiscard]] const Player& player(int i) const { return players[static_cast<std::size_t>(i)]; }
    [[nodiscard]] int count() const { return static_cast<int>(players.size()); }
};

/// The colours this player lays.
std::vector<int> colours_of(const State& state, int player);
bool is_laid(const State& state, int shape, int colour);
std::vector<int> shapes_left(const State& state, int colour);
std::string piece_id(const State& state, int shape, int colour);
/// May a piece of this colour lie there (TOPIT-5, -20)?
bool colours_allow(const State& state, int colour, const Settled& settled);
/// TOPIT-11 to -13, -21; also when this stone is already laid.
Ruling judge_stone_on(const State& state, int colour, int piece);
/// The pieces that count, and the points: the piece itself first.
struct Sum {
    int points = 0;
    Json terms = Json::array();
};
Sum sum_of_placing(const State& state, int shape, int colour, const std::vector<int>& neighbours);
Sum sum_of_stone(const State& state, int piece);
/// A pose fit for the wire: rounded to a thousandth of a millimetre.
Json pose_json(Pose table);
Move place_move(const State& state, int shape, int colour, Pose table);
Move top_move(const State& state, int colour, int piece);

}  // namespace topit

struct Topit {
    using State = topit::State;
    static GameInfo info();
    static Catalogue catalogue(const Setup& setup);
    static tl::expected<State, Ruling> start(const Setup& setup);
    static Ruling judge(const State& state, int player, const Move& move);
    static Applied<State> apply(const State& state, int player, const Move& move);
    static GameView view(const State& state);
    static std::vector<Mark> marks(const State& state);
    static std::vector<PlayerMove> legal_moves(const State& state);
    static std::vector<Hint> hints(const State& state, int count);
    static std::string to_text(const State& state);
    static Observation scene_of(const State& state);
    static Reading read(const State& state, const Observation& seen);
    static bool visible(const State& state, const PlayerMove& move);
};

}  // namespace overboard::rules
