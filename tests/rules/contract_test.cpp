// What every game promises (rules/game.hpp), checked by random play over all games, variants and
// numbers of players. OVERBOARD_SEED repeats a failure, OVERBOARD_MOVES plays longer.
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>

#include "tests/rules/random_play.hpp"

namespace overboard::rules::testing {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr int kMoves = 1000;  // ten times slower; the full number is played without sanitizers
#else
constexpr int kMoves = 10000;
#endif

int env_or(const char* name, int otherwise) {
    const char* text = std::getenv(name);
    return text ? std::atoi(text) : otherwise;
}

const std::vector<Json>& garbage() {
    static const std::vector<Json> all = {Json(),
                                          Json(3),
                                          Json("shot"),
                                          Json(true),
                                          Json::array(),
                                          Json::object(),
                                          Json::array({1, 2}),
                                          {{"type", 3}},
                                          {{"type", nullptr}},
                                          {{"type", "no such move"}},
                                          {{"type", Json::object()}},
                                          {{"type", std::string(5000, 'x')}},
                                          {{"typ", "roll"}}};
    return all;
}

/// The same move with one field spoilt.
Move spoilt(Move move, Dice& dice) {
    static const std::vector<Json> wrong = {
        Json(),     Json(-1),      Json(1e300),    Json(2.5),          Json("?"),
        Json(true), Json::array(), Json::object(), Json(2147483648LL), Json(std::string(300, 'a'))};
    if (!move.is_object() || move.empty()) return move;
    auto it = move.begin();
    std::advance(it, static_cast<long>(dice.below(move.size())));
    *it = wrong[dice.below(wrong.size())];
    return move;
}

class Contract : public ::testing::TestWithParam<GameVariant> {
protected:
    const Game& game() const { return *GetParam().game; }

    void check_view(const GameView& v, int players) {
        ASSERT_EQ(static_cast<int>(v.players.size()), players);
        for (const Json& player : v.players)
            ASSERT_TRUE(player.is_object() && player.contains("score")) << player;
        ASSERT_TRUE(v.board.is_object());
        ASSERT_EQ(Json::parse(v.board.dump()), v.board) << "the board does not survive the wire";
        if (v.finished) {
            ASSERT_EQ(v.turn, -1);
            ASSERT_FALSE(v.winners.empty());
        } else {
            ASSERT_GE(v.turn, 0);
            ASSERT_LT(v.turn, players);
            ASSERT_FALSE(v.actions.empty());
        }
        for (const int w : v.winners) ASSERT_TRUE(w >= 0 && w < players);
    }

    void check_hostile(const State& s, int players, const PlayerMove& move, Dice& dice) {
        for (int i = 0; i < 2; ++i) {
            const Move bad = i == 0 ? garbage()[dice.below(garbage().size())]
                                    : spoilt(move.move, dice);
            const int player = static_cast<int>(dice.below(static_cast<std::size_t>(players)));
            Ruling ruling;
            ASSERT_NO_THROW(ruling = game().judge(s, player, bad)) << bad;
            if (ruling.legal()) {
                ASSERT_NO_THROW(game().apply(s, player, bad)) << "judged legal, yet: " << bad;
            } else {
                ASSERT_FALSE(ruling.rule.empty()) << bad;
                ASSERT_FALSE(ruling.message.key.empty()) << bad;
            }
            if (game().kept) {
                ASSERT_NO_THROW(game().kept(bad)) << bad;
            }
        }
    }

    void check_reading(const State& s, const PlayerMove& move, const State& next) {
        const Reading read = game().read(s, game().scene_of(next));
        ASSERT_FALSE(read.attention)
            << "attention " << read.attention->rule << " " << read.attention->message.key << " "
            << read.attention->message.args << " for " << move.move;
        ASSERT_FALSE(read.choices.empty()) << "not read: " << move.move;
        State now = s;
        for (const PlayerMove& m : read.choices.front().moves) {
            ASSERT_TRUE(game().judge(now, m.player, m.move).legal()) << m.move;
            now = game().apply(now, m.player, m.move).state;
        }
        ASSERT_EQ(game().to_text(now), game().to_text(next))
            << "read " << read.choices.front().moves.front().move << " for " << move.move;
    }

    void check_same_after_the_wire(const State& s, const PlayerMove& move, const State& next) {
        Move again = Json::parse(move.move.dump());
        if (game().kept) again = game().kept(again);
        ASSERT_TRUE(game().judge(s, move.player, again).legal()) << again;
        ASSERT_EQ(game().to_text(game().apply(s, move.player, again).state), game().to_text(next));
    }
};

TEST_P(Contract, HoldsUnderRandomPlay) {
    const unsigned seed = static_cast<unsigned>(
        env_or("OVERBOARD_SEED", static_cast<int>(std::random_device{}() & 0x7fffffff)));
    const int wanted = env_or("OVERBOARD_MOVES", kMoves);
    std::cout << "seed " << seed << "\n";
    RecordProperty("seed", std::to_string(seed));
    SCOPED_TRACE("OVERBOARD_SEED=" + std::to_string(seed));
    Dice dice(seed);
    int played = 0, visible = 0, finished = 0, matches = 0;
    while (played < wanted) {
        const int span = game().info.max_players - game().info.min_players + 1;
        auto first = GetParam().start(game().info.min_players +
                                      static_cast<int>(dice.below(static_cast<std::size_t>(span))));
        ASSERT_TRUE(first) << first.error().message.key << first.error().message.args;
        ++matches;
        State s = *first;
        const int players = static_cast<int>(game().view(s).players.size());
        const int longest = matches > 3 && finished == 0 ? 60 : 300;  // some variants never end
        for (int step = 0; step < longest && played < wanted; ++step, ++played) {
            const GameView view = game().view(s);
            if (step % 4 == 0 || view.finished) {
                ASSERT_NO_FATAL_FAILURE(check_view(view, players));
            }
            if (view.finished) break;
            const auto moves = game().legal_moves(s);
            ASSERT_FALSE(moves.empty()) << game().to_text(s);
            const PlayerMove& move = moves[dice.below(moves.size())];
            for (const PlayerMove* m : {&move, &moves[dice.below(moves.size())]})
                ASSERT_TRUE(game().judge(s, m->player, m->move).legal()) << m->move << "\n"
                                                                         << game().to_text(s);
            const auto next = game().apply(s, move.player, move.move);
            for (const Json& event : next.events)
                ASSERT_TRUE(event.is_object() && event.contains("event")) << event;
            ASSERT_NO_FATAL_FAILURE(check_same_after_the_wire(s, move, next.state));
            if (step % 4 == 0) {
                ASSERT_NO_FATAL_FAILURE(check_hostile(s, players, move, dice));
            }
            if (step % 16 == 0) {
                ASSERT_NO_THROW(game().marks(s));
                const Reading calm = game().read(s, game().scene_of(s));
                ASSERT_TRUE(calm.choices.empty())
                    << "an unchanged table was read as " << calm.choices[0].moves[0].move << "\n"
                    << game().to_text(s);
                ASSERT_FALSE(calm.attention)
                    << calm.attention->message.key << calm.attention->message.args << "\n"
                    << game().to_text(s);
            }
            if (game().visible(s, move)) {
                ++visible;
                ASSERT_NO_FATAL_FAILURE(check_reading(s, move, next.state));
            }
            s = next.state;
        }
        finished += game().view(s).finished ? 1 : 0;
    }
    std::cout << played << " moves, " << visible << " read back, " << matches << " matches, "
              << finished << " to the end\n";
    EXPECT_GE(played, wanted);
}

TEST_P(Contract, StartsWithEveryNumberOfPlayersAndHasACatalogue) {
    int started = 0;
    for (int n = game().info.min_players; n <= game().info.max_players; ++n) {
        const auto first = game().start(setup_for(GetParam().variant, n));
        if (!first) {
            EXPECT_FALSE(first.error().message.key.empty());
            continue;
        }
        ++started;
        check_view(game().view(*first), n);
        const Catalogue c = game().catalogue(setup_for(GetParam().variant, n));
        EXPECT_FALSE(c.discs.empty() && c.dice.empty() && c.cards.empty() && c.tiles.empty() &&
                     c.polygons.empty());
        if (started == 1) {
            EXPECT_NO_THROW(game().hints(*first, 3));
        }  // some games think for a while
    }
    EXPECT_GT(started, 0);
}

INSTANTIATE_TEST_SUITE_P(AllGames, Contract, ::testing::ValuesIn(all_variants()),
                         [](const auto& p) { return test_name(p.param.name()); });

}  // namespace
}  // namespace overboard::rules::testing
