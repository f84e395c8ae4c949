// "Put it back" with real pieces: the simulated camera sees discs, the real vision measures them.
#include <gtest/gtest.h>

#include "app/house.hpp"
#include "app/rig.hpp"
#include "physics/replay.hpp"
#include "rules/games.hpp"
#include "table/replay.hpp"

namespace overboard::app {
namespace {

/// A shot that began with every disc where it truly lies, all of them moved aside by `off`.
Shot shot_from(const Observation& truth, Point off) {
    Shot shot;
    shot.shot_id = "before";
    shot.board = "to-go";
    shot.end = 1;
    for (const Piece& p : truth.pieces)
        if (p.kind == PieceKind::disc && p.type != "striker") {
            const Point at = local_to(*truth.board, {p.x, p.y}) + off;
            shot.tracks.push_back({p.id, p.type, {{0, at.x, at.y}, {1, at.x, at.y}}});
        }
    return shot;
}

TEST(PutBack, EveryOutlineTurnsGreenForRealDiscsInPlaceAndNoneBesideIt) {
    const rules::Game& game = *rules::find_game("carrom");
    RigOptions options;
    options.seed = 5;
    Rig rig(game, usual_setup(game, 2, ""), options);
    RigFrame frame;
    const auto ready = [&] {
        return frame.seen.still && frame.seen.pieces.size() >= 13 && frame.truth.board;
    };
    for (int i = 0; i < 240 && !ready(); ++i) frame = rig.next();
    ASSERT_TRUE(ready()) << frame.seen.pieces.size() << " pieces seen";
    const physics::Board& board = physics::load_board("to-go");
    const auto green = [&](Point off) {
        const Shot shot = shot_from(frame.truth, off);
        int by_physics = 0, by_table = 0;
        for (const Mark& m : physics::put_back(shot, board, *frame.truth.board, &frame.seen))
            by_physics += m.done;
        for (const Track& t : shot.tracks)
            by_table += table::is_back(frame.seen.pieces, t.type,
                                       place(*frame.truth.board, {t.points[0].x, t.points[0].y}));
        EXPECT_EQ(by_physics, by_table);
        return by_table;
    };
    EXPECT_EQ(green({0, 0}), 13);
    EXPECT_EQ(green({4, 0}), 0) << "4 mm is not back";
}

}  // namespace
}  // namespace overboard::app
