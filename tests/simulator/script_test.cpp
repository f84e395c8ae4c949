#include "simulator/script.hpp"

#include "rules/games.hpp"

namespace overboard::simulator {
namespace {

rules::Setup two_players(const rules::Game& game) {
    rules::Setup setup;
    for (int i = 0; i < std::max(2, game.info.min_players); ++i)
        setup.players.push_back({"P" + std::to_string(i + 1), "", Json::object()});
    return setup;
}

// Plays without rendering; calls `see` for every frame until it says stop or the time is up.
void play(const rules::Game& game, ScriptOptions options, double seconds,
          const std::function<void(const Frame&)>& see) {
    Script script(game, two_players(game), std::move(options));
    for (;;) {
        const Frame f = script.next();
        if (f.time_s > seconds || f.finished) return;
        see(f);
    }
}

// What the service would make of the film: each move legal where the one before left off, and the
// table at rest after it lying as the rules expect.
TEST(Script, PlaysEveryGameByItsRules) {
    for (const rules::Game& game : rules::games()) {
        rules::State state = *game.start(two_players(game));
        int moves = 0;
        ScriptOptions options;
        options.fps = 10;
        options.shot_fps = 30;
        options.seed = 3;
        play(game, options, 60, [&](const Frame& f) {
            for (const TruthMove& m : f.moves) {
                ASSERT_TRUE(game.judge(state, m.move.player, m.move.move).legal())
                    << game.info.id << m.move.move.dump();
                state = game.apply(state, m.move.player, m.move.move).state;
                ++moves;
                EXPECT_EQ(f.truth.pieces.size(), game.scene_of(state).pieces.size())
                    << game.info.id << " " << m.move.move.dump();
            }
        });
        EXPECT_GE(moves, 4) << game.info.id;
    }
}

TEST(Script, PlaysEveryVariant) {
    for (const rules::Game& game : rules::games())
        for (const std::string& variant : game.info.variants) {
            rules::Setup setup = two_players(game);
            setup.variant = variant;
            ScriptOptions options;
            options.fps = 10;
            options.shot_fps = 20;
            Script script(game, setup, options);
            int moves = 0;
            for (Frame f = script.next(); f.time_s < 40 && !f.finished; f = script.next())
                moves += int(f.moves.size());
            EXPECT_GE(moves, 2) << game.info.id << " " << variant;
        }
}

TEST(Script, ReadsEveryVisibleMoveFromItsOwnTruth) {
    for (const rules::Game& game : rules::games()) {
        if (game.read_shot) continue;  // strokes are read from the shot, not from the table
        rules::State state = *game.start(two_players(game));
        ScriptOptions options;
        options.fps = 10;
        options.seed = 5;
        int read = 0, visible = 0;
        std::optional<rules::PlayerMove> pending;  // played, but the table is not quiet yet
        play(game, options, 60, [&](const Frame& f) {
            for (const TruthMove& m : f.moves) {
                if (m.touch)
                    state = game.apply(state, m.move.player, m.move.move).state;
                else
                    pending = m.move;
            }
            if (!pending || !f.truth.still) return;
            ++visible;
            const rules::Reading reading = game.read(state, f.truth);
            if (reading.choices.empty())
                ADD_FAILURE() << game.info.id << " " << pending->move.dump()
                              << (reading.attention ? " attention " + reading.attention->message.key
                                                    : "");
            read += !reading.choices.empty();
            state = game.apply(state, pending->player, pending->move).state;
            pending.reset();
        });
        EXPECT_EQ(read, visible) << game.info.id;
    }
}

TEST(Script, TellsOfEveryMistakeItWasAskedFor) {
    for (const rules::Game& game : rules::games()) {
        std::map<std::string, int> seen;
        ScriptOptions options;
        options.fps = 8;
        options.mistakes = {0.5, 0.5, 0.5, 0.5, 0.5, 0.5};
        play(game, options, 90, [&](const Frame& f) {
            for (const TruthMove& m : f.moves) ++seen[m.mistake];
        });
        EXPECT_GE(seen.size(), 2u)
            << game.info.id;  // a short game may be over before every mishap has come
    }
}

TEST(Script, IsTheSameFilmForTheSameSeed) {
    const rules::Game& game = rules::games().front();
    std::vector<double> first, second;
    for (auto* xs : {&first, &second}) {
        ScriptOptions options;
        options.seed = 9;
        play(game, options, 8, [&](const Frame& f) {
            for (const Piece& p : f.truth.pieces) xs->push_back(p.x), xs->push_back(p.y);
        });
    }
    EXPECT_FALSE(first.empty());
    EXPECT_EQ(first, second);
}

TEST(Script, MovesNothingFasterThanHandsAndPhysicsDo) {
    for (const rules::Game& game : rules::games()) {
        std::map<int, Piece> last;
        double last_time = 0;
        play(game, {}, 20, [&](const Frame& f) {
            for (const Piece& p : f.truth.pieces) {
                if (last.contains(p.id)) {
                    const double v = std::hypot(p.x - last[p.id].x, p.y - last[p.id].y) /
                                     (f.time_s - last_time);
                    EXPECT_LT(v, 6000) << game.info.id << " piece " << p.id << " at " << f.time_s;
                }
                last[p.id] = p;
            }
            last_time = f.time_s;
            std::erase_if(last, [&](const auto& entry) {
                return std::none_of(f.truth.pieces.begin(), f.truth.pieces.end(),
                                    [&](const Piece& p) { return p.id == entry.first; });
            });
        });
    }
}

TEST(Script, IsStillOnlyWhenNothingMovedForAWhile) {
    for (const rules::Game& game : rules::games()) {
        double busy = -10;
        int still = 0;
        play(game, {}, 15, [&](const Frame& f) {
            if (!f.truth.hands.empty()) busy = f.time_s;
            if (!f.truth.still) return;
            EXPECT_GE(f.time_s - busy, 0.39);
            ++still;
        });
        EXPECT_GT(still, 10) << game.info.id;
    }
}

}  // namespace
}  // namespace overboard::simulator
