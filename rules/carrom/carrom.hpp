#pragma once

#include <memory>
#include <string>
#include <vector>

#include "physics/board.hpp"
#include "rules/game.hpp"

/// Carrom To Go: flick a striker, drop discs into four corner pockets. Positions inside moves and
/// state are in the board frame (mm, origin at the centre of the surface); marks and rulings speak
/// of the table.
namespace overboard::rules::carrom {

inline constexpr int kBlues = 12;
inline constexpr int kRowBlues = 5;
inline constexpr int kRows = 4;
inline constexpr int kGoal = 25;  ///< CARROM-15.
/// The camera's doubt about where the striker stands: a placement this far out still passes.
inline constexpr double kPlacementSlack_mm = 0.5;

enum class Queen { on_board, to_confirm, confirmed, lost };

/// A disc at rest, board frame.
struct Disc {
    std::string type;
    Point at;
};

/// What a shot did, by type. The three the rules know have names; free play counts every type.
struct Fall {
    int blue = 0;
    bool queen = false;
    bool striker = false;
    std::map<std::string, int> types;  ///< Everything, striker included.
    [[nodiscard]] bool any() const { return blue > 0 || queen || striker; }
};

struct Shot {
    std::optional<Point> striker;
    Fall pocketed, ejected;
    std::string shot_id;
    std::vector<Disc> rest;  ///< Where everything lay afterwards, if known.
};

/// One disc of free play, and whose shot dropped it.
struct Fell {
    std::string type;
    int player = 0, shot = 0;
    std::string shot_id;
};

struct State {
    std::shared_ptr<const physics::Board> board;
    Pose board_at;
    std::vector<std::string> names, seats;
    std::vector<int> scores;
    bool tower = false, open_line = false, rows = false, free = false;
    int first = 0, turn = 0, round = 1, row = 1;
    int blue_left = kBlues;
    Queen queen = Queen::on_board;
    int shots_in_round = 0;
    std::vector<Disc> rest;    ///< Where the discs stand, as far as is known.
    std::vector<Fell> fallen;  ///< Free play: every disc that fell.
    bool finished = false;
    std::vector<int> winners;
    std::optional<Message> message;
};

/// The shot a move describes, or why it is none.
tl::expected<Shot, Ruling> shot_from(const Move& m);
std::vector<Disc> opening(const State& s);
std::string queen_name(Queen queen);
/// CARROM-3 and 21 for the player whose turn it is.
Ruling judge_placement(const State& s, Point striker);

struct Carrom {
    using State = carrom::State;
    static GameInfo info();
    static Catalogue catalogue(const Setup& setup);
    static tl::expected<State, Ruling> start(const Setup& setup);
    static Ruling judge(const State& s, int player, const Move& m);
    static Applied<State> apply(const State& s, int player, const Move& m);
    static GameView view(const State& s);
    static std::vector<Mark> marks(const State& s);
    static std::vector<PlayerMove> legal_moves(const State& s);
    static std::vector<Hint> hints(const State& s, int count);
    static std::string to_text(const State& s);
    static Observation scene_of(const State& s);
    static Reading read(const State& s, const Observation& seen);
    static Reading read_shot(const State& s, const overboard::Shot& shot,
                             const Observation* after = nullptr);
    static bool visible(const State& s, const PlayerMove& m);
    static Move kept(const Move& m);
    static bool changes_nothing(const Move& m);
};

}  // namespace overboard::rules::carrom
