// From observations to moves, with hand-made tables: a game of nothing but tiles, and the real ones
// where dice and strokes matter.
#include <gtest/gtest.h>

#include "rules/games.hpp"
#include "rules/referee.hpp"
#include "tests/rules/random_play.hpp"

namespace overboard::rules::testing {
namespace {

using Kind = Decision::Kind;

/// Lay tiles A to E; each face once. The state is the faces lying there, each in its own place.
struct Tiles {
    using State = std::vector<std::string>;
    static GameInfo info() { return {"tiles", "Tiles", 1, 2, {""}}; }
    static Catalogue catalogue(const Setup&) {
        Catalogue c;
        c.tiles = {{"tiles", 45, 45, 2, 0, {"A", "B", "C", "D", "E"}, false, false}};
        return c;
    }
    static tl::expected<State, Ruling> start(const Setup&) { return State{}; }
    static Ruling judge(const State& s, int, const Move& m) {
        const std::string face = m.value("face", "");
        const bool known = face.size() == 1 && face[0] >= 'A' && face[0] <= 'E';
        if (!known) return refused("TILES-1", "tiles.unknown");
        if (std::find(s.begin(), s.end(), face) != s.end())
            return refused("TILES-2", "tiles.twice");
        return allowed();
    }
    static Applied<State> apply(State s, int, const Move& m) {
        s.push_back(m.at("face"));
        return {s, {}};
    }
    static GameView view(const State& s) {
        GameView v;
        v.turn = 0;
        v.actions = {"lay"};
        v.board = {{"laid", s}};
        return v;
    }
    static std::vector<Mark> marks(const State&) { return {}; }
    static std::vector<PlayerMove> legal_moves(const State&) { return {}; }
    static std::vector<Hint> hints(const State&, int) { return {}; }
    static std::string to_text(const State& s) { return Json(s).dump(); }
    static Observation scene_of(const State& s) {
        Observation scene;
        scene.still = true;
        for (std::size_t i = 0; i < s.size(); ++i)
            scene.pieces.push_back(tile(s[i], 100.0 * static_cast<double>(i + 1)));
        return scene;
    }
    static Piece tile(const std::string& face, double x, double confidence = 1) {
        Piece p;
        p.kind = PieceKind::tile;
        p.face = face;
        p.x = x;
        p.y = 100;
        p.confidence = confidence;
        return p;
    }
    static Reading read(const State& s, const Observation& seen) {
        std::vector<Piece> fresh;
        std::size_t old = 0;
        for (const Piece& p : seen.pieces)
            if (std::find(s.begin(), s.end(), p.face.value_or("?")) != s.end())
                ++old;
            else
                fresh.push_back(p);
        Reading r;
        const auto attention = [&](const char* key, std::optional<Point> at = {}) {
            r.attention = refused("TILES-9", key, Json::object(), at);
        };
        if (old > s.size())
            attention("tiles.twice");
        else if (old < s.size())
            attention("tiles.missing", Point{100.0 * static_cast<double>(s.size()), 100});
        else if (fresh.size() > 1)
            attention("tiles.two_at_once");
        else if (fresh.size() == 1) {
            const Move m = {{"face", fresh[0].face.value_or("?")}};
            if (const Ruling ruling = judge(s, 0, m); !ruling.legal())
                r.attention = ruling;
            else
                r.choices = {{{{0, m}}, fresh[0].confidence}};
        }
        return r;
    }
    static bool visible(const State&, const PlayerMove&) { return true; }
};

/// A table watched at 30 pictures a second.
class Watched : public ::testing::Test {
protected:
    Watched()
        : game(make_game<Tiles>()),
          referee(game, setup_for("", 1)),
          state(*game.start(setup_for("", 1))) {}

    Observation table(std::vector<Piece> pieces) {
        Observation seen;
        seen.still = true;
        seen.pieces = std::move(pieces);
        return seen;
    }
    /// The same picture for a while; the first decision that is not nothing.
    Decision watch(Observation seen, double seconds) {
        Decision first;
        for (double until = now + seconds; now < until; now += 1.0 / 30) {
            seen.time = now;
            const Decision d = referee.feed(state, seen);
            if (d.kind == Kind::nothing) continue;
            if (first.kind == Kind::nothing)
                first = d;
            else
                ++further;
            if (d.kind != Kind::apply) continue;
            for (const PlayerMove& m : d.moves) state = game.apply(state, m.player, m.move).state;
            referee.accepted();
        }
        return first;
    }
    std::string text() const { return game.to_text(state); }

    Game game;
    Referee referee;
    State state;
    double now = 10;
    int further = 0;  ///< Decisions after the first.
};

TEST_F(Watched, AMoveCountsOnce) {
    EXPECT_EQ(watch(table({}), 0.5).kind, Kind::nothing);
    EXPECT_EQ(watch(table({Tiles::tile("B", 100)}), 1).kind, Kind::apply);
    EXPECT_EQ(text(), R"(["B"])");
    EXPECT_EQ(further, 0);
}

TEST_F(Watched, NothingCountsUnderAHandInMotionOrInBadSight) {
    Observation hand = table({Tiles::tile("B", 100)}), moving = hand, dark = hand;
    hand.hands = {{{0, 0}, {10, 0}, {10, 10}}};
    moving.still = false;
    dark.sight = "dark";
    for (const Observation& seen : {hand, moving, dark})
        EXPECT_EQ(watch(seen, 2).kind, Kind::nothing);
    EXPECT_EQ(text(), "[]");
    EXPECT_EQ(watch(table({Tiles::tile("B", 100)}), 1).kind, Kind::apply);
}

TEST_F(Watched, AFlickerMovesNothing) {
    watch(table({Tiles::tile("A", 100)}), 1);
    for (int i = 0; i < 5; ++i) {
        EXPECT_EQ(watch(table({}), 0.03).kind, Kind::nothing) << "gone for a picture";
        EXPECT_EQ(watch(table({Tiles::tile("A", 100)}), 0.2).kind, Kind::nothing);
        EXPECT_EQ(watch(table({Tiles::tile("A", 100), Tiles::tile("B", 200)}), 0.03).kind,
                  Kind::nothing)
            << "there for a picture";
        EXPECT_EQ(watch(table({Tiles::tile("A", 100)}), 0.2).kind, Kind::nothing);
    }
    EXPECT_EQ(text(), R"(["A"])");
}

TEST_F(Watched, AStolenPieceIsSaidOnceAndTakenBackWhenItReturns) {
    watch(table({Tiles::tile("A", 100)}), 1);
    const Decision stolen = watch(table({}), 5);
    ASSERT_EQ(stolen.kind, Kind::attention);
    EXPECT_EQ(stolen.ruling.message.key, "tiles.missing");
    EXPECT_EQ(further, 0) << "said once, not at every picture";
    const auto marks = referee.marks(state);
    ASSERT_EQ(marks.size(), 2u);
    EXPECT_EQ(marks[0].style, MarkStyle::warning);
    EXPECT_EQ(marks[1].kind, MarkKind::ghost);
    EXPECT_EQ(marks[1].points.size(), 4u);
    EXPECT_EQ(watch(table({Tiles::tile("A", 100)}), 1).kind, Kind::cleared);
    EXPECT_TRUE(referee.marks(state).empty());
    EXPECT_EQ(watch(table({}), 1).kind, Kind::attention) << "and again if it happens again";
}

TEST_F(Watched, TwoMovesAtOnceWaitUntilOneIsTakenBack) {
    EXPECT_EQ(watch(table({Tiles::tile("A", 100), Tiles::tile("B", 200)}), 1).ruling.message.key,
              "tiles.two_at_once");
    EXPECT_EQ(text(), "[]");
    EXPECT_EQ(watch(table({Tiles::tile("A", 100)}), 1).kind, Kind::apply);
    EXPECT_EQ(text(), R"(["A"])");
}

TEST_F(Watched, AnIllegalPieceWaitsUntilItIsTakenBack) {
    EXPECT_EQ(watch(table({Tiles::tile("Z", 100)}), 1).ruling.rule, "TILES-1");
    EXPECT_EQ(watch(table({}), 1).kind, Kind::cleared);
    EXPECT_EQ(text(), "[]");
}

TEST_F(Watched, LegalityDecidesAmongWhatAPieceCouldBe) {
    watch(table({Tiles::tile("A", 100)}), 1);
    Piece doubtful = Tiles::tile("A", 200, 0.6);  // a second A cannot be
    doubtful.alternatives = {{"C", 0.3}, {"Z", 0.2}};
    EXPECT_EQ(watch(table({Tiles::tile("A", 100), doubtful}), 1).kind, Kind::apply);
    EXPECT_EQ(text(), R"(["A","C"])");
}

TEST_F(Watched, TwoCloseLegalReadingsAreAskedAboutOnce) {
    Piece doubtful = Tiles::tile("B", 100, 0.5);
    doubtful.alternatives = {{"C", 0.45}};
    const Decision asked = watch(table({doubtful}), 3);
    ASSERT_EQ(asked.kind, Kind::question);
    ASSERT_EQ(asked.choices.size(), 2u);
    EXPECT_EQ(asked.choices[0].moves[0].move.at("face"), "B");
    EXPECT_EQ(asked.choices[1].moves[0].move.at("face"), "C");
    EXPECT_EQ(further, 0);
    EXPECT_EQ(text(), "[]") << "nothing is decided for people";
}

TEST_F(Watched, AClearReadingIsNotAskedAbout) {
    Piece clear = Tiles::tile("B", 100, 0.9);
    clear.alternatives = {{"C", 0.3}};
    EXPECT_EQ(watch(table({clear}), 1).kind, Kind::apply);
    EXPECT_EQ(text(), R"(["B"])");
}

TEST_F(Watched, AnOldPieceMisreadButPossiblyRightIsNoChange) {
    watch(table({Tiles::tile("A", 100)}), 1);
    Piece misread = Tiles::tile("Z", 100, 0.4);
    misread.alternatives = {{"A", 0.35}};
    EXPECT_EQ(watch(table({misread}), 1).kind, Kind::nothing);
}

TEST_F(Watched, AScoreComesSoonAfterTheTableIsStill) {
    watch(table({}), 1);
    const double from = now;
    Observation seen = table({Tiles::tile("A", 100)});
    Kind kind = Kind::nothing;
    while (kind == Kind::nothing && now < from + 5) {
        seen.time = (now += 1.0 / 30);
        kind = referee.feed(state, seen).kind;
    }
    EXPECT_LE(now - from, 0.2) << "vision takes 0.4 s of the 0.6 s allowed";
}

TEST_F(Watched, AMoveReadWhileTheTableCameToRestCountsWithTheFirstStillPicture) {
    watch(table({}), 1);
    Observation resting = table({Tiles::tile("A", 100)});
    resting.still = false;
    EXPECT_EQ(watch(resting, 0.3).kind, Kind::nothing) << "nothing before rest";
    EXPECT_EQ(text(), "[]");
    EXPECT_EQ(watch(table({Tiles::tile("A", 100)}), 0.01).kind, Kind::apply);
}

TEST_F(Watched, AReadingOtherThanTheOneBeforeRestIsTimedAnew) {
    watch(table({}), 1);
    Observation resting = table({Tiles::tile("A", 100)});
    resting.still = false;
    watch(resting, 0.3);
    EXPECT_EQ(watch(table({Tiles::tile("B", 100)}), 0.06).kind, Kind::nothing);
    Observation hand = resting;
    hand.hands = {{{0, 0}, {10, 0}, {10, 10}}};
    watch(resting, 0.3);
    watch(hand, 0.1);
    EXPECT_EQ(watch(table({Tiles::tile("A", 100)}), 0.06).kind, Kind::nothing)
        << "a hand came between";
    EXPECT_EQ(text(), "[]");
}

TEST_F(Watched, AWarningIsTimedFromRest) {
    watch(table({}), 1);
    Observation resting = table({Tiles::tile("Z", 100)});
    resting.still = false;
    watch(resting, 1);
    EXPECT_EQ(watch(table({Tiles::tile("Z", 100)}), 0.06).kind, Kind::nothing);
    EXPECT_EQ(watch(table({Tiles::tile("Z", 100)}), 0.3).kind, Kind::attention);
}

/// The real games, one after the other.
struct Table {
    explicit Table(const std::string& id, RefereeLimits limits, int players = 2)
        : game(find_game(id)),
          referee(*game, setup_for("", players), limits),
          state(*game->start(setup_for("", players))) {}

    Decision see(Observation seen, double at) {
        seen.time = at;
        return done(referee.feed(state, seen));
    }
    Decision done(Decision d) {
        if (d.kind != Kind::apply) return d;
        bool round_over = false;
        for (const PlayerMove& m : d.moves) {
            auto next = game->apply(state, m.player, m.move);
            state = next.state;
            for (const Json& e : next.events) round_over |= e.at("event") == "round.ended";
        }
        referee.accepted(round_over);
        return d;
    }
    const Game* game;
    Referee referee;
    State state;
};

Piece die(int value, double x) {
    Piece p;
    p.kind = PieceKind::die;
    p.value = value;
    p.x = x;
    p.y = 630;
    return p;
}

TEST(RefereeDice, ADieThatLayThereBeforeTheMatchWasNotRolled) {
    Table t("gayplay", at_once());
    Observation scene = t.game->scene_of(t.state);
    scene.pieces.push_back(die(3, 500));
    t.referee.begin_with(scene);
    EXPECT_EQ(t.see(scene, 1).kind, Kind::nothing);
    scene.pieces.back() = die(3, 560);
    EXPECT_EQ(t.see(scene, 2).kind, Kind::apply)
        << "picked up and rolled: the same number elsewhere";
    EXPECT_EQ(t.see(scene, 3).kind, Kind::nothing);
    scene.pieces.back() = die(5, 560);
    EXPECT_EQ(t.see(scene, 4).kind, Kind::apply) << "another number in the same place";
}

/// What happens between two rolls, neither of which lies until the table is still.
struct Hurry {
    bool a_hand_between = true;
    bool told_on = false;       ///< The first is told as it lay until the second was read.
    bool second_waits = false;  ///< The second is read a while before the table is still.
};

Decision hurried_rolls(Table& t, Hurry hurry) {
    Observation scene = t.game->scene_of(t.state);
    t.referee.begin_with(scene);
    t.see(scene, 0);
    double now = 1;
    const auto watch = [&](int frames) {
        Decision first;
        while (frames-- > 0 && first.kind == Kind::nothing) first = t.see(scene, now += 1.0 / 30);
        return first;
    };
    scene.still = false;
    scene.pieces.push_back(die(6, 500));
    EXPECT_EQ(watch(12).kind, Kind::nothing);
    if (!hurry.told_on) scene.pieces.pop_back();
    if (hurry.a_hand_between) scene.hands.push_back({{480, 80}, {520, 80}, {520, 120}});
    t.see(scene, now += 0.2);
    scene.hands.clear();
    if (hurry.told_on) {
        watch(12);
        scene.pieces.pop_back();
    }
    scene.pieces.push_back(die(4, 620));
    EXPECT_EQ(watch(hurry.second_waits ? 12 : 0).kind, Kind::nothing);
    scene.still = true;
    return watch(12);
}

TEST(RefereeDice, ARollTakenUpBeforeTheTableWasStillCountsWithTheOneThatFollows) {
    Table t("gayplay", {});
    const Decision d = hurried_rolls(t, {});
    ASSERT_EQ(d.kind, Kind::apply);
    ASSERT_EQ(d.moves.size(), 2u);
    EXPECT_EQ(d.moves[0].move.at("value"), 6);
    EXPECT_EQ(d.moves[1].move.at("value"), 4);
    EXPECT_EQ(d.moves[1].player, d.moves[0].player) << "a six sets off and rolls again";
}

TEST(RefereeDice, ARollTakenUpCountsThoughItWasToldAsItLayUntilTheNextWasRead) {
    Table t("gayplay", {});
    EXPECT_EQ(hurried_rolls(t, {.told_on = true}).moves.size(), 2u);
}

TEST(RefereeDice, ARollTakenUpCountsThoughTheNextLiesLongBeforeTheTableIsStill) {
    Table t("gayplay", {});
    EXPECT_EQ(hurried_rolls(t, {.told_on = true, .second_waits = true}).moves.size(), 2u);
}

TEST(RefereeDice, ADieThatRolledOnByItselfIsOneRoll) {
    Table t("gayplay", {});
    const Decision d = hurried_rolls(t, {.a_hand_between = false});
    ASSERT_EQ(d.kind, Kind::apply);
    ASSERT_EQ(d.moves.size(), 1u);
    EXPECT_EQ(d.moves[0].move.at("value"), 4);
}

TEST(RefereeOrder, OfTwoMovesMadeInOneGoTheOneThatWasReadAloneCameFirst) {
    const Move lay = {{"type", "guard"}, {"floor", 1}}, end = {{"type", "end_turn"}};
    Table t("gotown", {});
    const auto play = [&](State s, const Move& m) { return t.game->apply(s, 0, m).state; };
    for (const Move& m :
         {Move{{"type", "build"}, {"cards", {"3", "6"}}},
          Move{{"type", "build"}, {"cards", {"4", "5"}}}, Move{{"type", "donut_truck"}}})
        t.state = play(t.state, m);
    t.see(t.game->scene_of(t.state), 0);
    const State guarded = play(t.state, lay);
    Observation seen = t.game->scene_of(guarded);
    seen.still = false;
    for (const double at : {1.0, 1.1}) EXPECT_EQ(t.see(seen, at).kind, Kind::nothing);
    seen.hands.push_back({{480, 80}, {520, 80}, {520, 120}});
    t.see(seen, 1.2);
    seen = t.game->scene_of(play(guarded, end));  // as if the turn had ended first
    Decision d;
    for (double now = 2; now < 3 && d.kind == Kind::nothing; now += 0.1) d = t.see(seen, now);
    ASSERT_EQ(d.kind, Kind::apply);
    ASSERT_EQ(d.moves.size(), 2u);
    EXPECT_EQ(d.moves[0].move, lay);
    EXPECT_EQ(d.moves[1].move, end);
}

TEST(RefereeStones, OneEnteredByHandIsBelievedUntilItIsSeenAndMissedFromThenOn) {
    Table t("topit", at_once());
    const auto next = [&](const std::string& type) {
        for (const PlayerMove& m : t.game->legal_moves(t.state))
            if (m.move.at("type") == type) return m;
        return PlayerMove{};
    };
    const auto bare = [&] {
        Observation scene = t.game->scene_of(t.state);
        std::erase_if(scene.pieces, [](const Piece& p) { return p.kind == PieceKind::stone; });
        return scene;
    };
    const auto play = [&](const PlayerMove& m) {
        t.state = t.game->apply(t.state, m.player, m.move).state;
    };
    double now = 0;
    while (next("top").move.empty()) {
        const State before = t.state;
        play(next("place"));
        const Observation scene = bare();
        t.state = before;
        ASSERT_EQ(t.see(scene, ++now).kind, Kind::apply);
    }
    play(next("top"));
    t.referee.accepted();
    EXPECT_EQ(t.see(bare(), ++now).kind, Kind::nothing) << "the camera does not see it";
    const State before = t.state;
    play(next("place"));
    Observation scene = bare();
    t.state = before;
    EXPECT_EQ(t.see(scene, ++now).kind, Kind::apply) << "the game goes on";
    EXPECT_EQ(t.see(bare(), ++now).kind, Kind::nothing);
    EXPECT_EQ(t.see(t.game->scene_of(t.state), ++now).kind, Kind::nothing) << "seen at last";
    EXPECT_EQ(t.see(bare(), ++now).kind, Kind::attention) << "somebody took it";
}

/// Ten pictures a second of `scene`; the first decision that is not nothing.
Decision watch_for(Table& t, Observation scene, double& now, double seconds, bool hand) {
    scene.still = !hand;
    if (hand) scene.hands.push_back({{40, 80}, {80, 80}, {80, 120}});
    Decision first;
    for (const double until = now + seconds; now < until && first.kind == Kind::nothing;)
        first = t.see(scene, now += 0.1);
    return first;
}

/// The table of `t` after these moves of the first player, as nobody has scored them yet.
Observation scene_after(const Table& t, const std::vector<Move>& moves) {
    State state = t.state;
    for (const Move& move : moves) {
        EXPECT_TRUE(t.game->judge(state, 0, move).legal()) << move.dump();
        state = t.game->apply(state, 0, move).state;
    }
    return t.game->scene_of(state);
}

const Move kOpened = {{"type", "reveal"}, {"tile", "J05"}};
const Move kLaid = {{"type", "place"}, {"tile", "J05"}, {"at", {1, 0}}};

TEST(RefereeBesideHands, ATileOpenedAndLaidWhileAnotherHandNeverLeftTheTableWasOpened) {
    Table t("jouets", {});
    double now = 0;
    watch_for(t, t.game->scene_of(t.state), now, 0.5, false);
    EXPECT_EQ(watch_for(t, scene_after(t, {kOpened}), now, 0.6, true).kind, Kind::nothing);
    const Decision d = watch_for(t, scene_after(t, {kOpened, kLaid}), now, 1, false);
    ASSERT_EQ(d.kind, Kind::apply);
    ASSERT_EQ(d.moves.size(), 2u);
    EXPECT_EQ(d.moves[0].move.at("type"), "reveal");
    EXPECT_EQ(d.moves[1].move.at("type"), "place");
}

TEST(RefereeBesideHands, WhatWasTakenBackBeforeTheHandLeftIsForgotten) {
    Table t("jouets", {});
    double now = 0;
    watch_for(t, t.game->scene_of(t.state), now, 0.5, false);
    EXPECT_EQ(watch_for(t, scene_after(t, {kOpened}), now, 0.6, true).kind, Kind::nothing);
    EXPECT_EQ(watch_for(t, t.game->scene_of(t.state), now, 0.5, false).kind, Kind::nothing);
    const Decision d = watch_for(t, scene_after(t, {kLaid}), now, 1, false);
    ASSERT_EQ(d.kind, Kind::apply);
    EXPECT_EQ(d.moves.size(), 1u) << "brought from elsewhere";
}

TEST(RefereeBesideHands, AMoveThatLayThereLongCountsThoughWhatFollowedItIsWrong) {
    Table t("jouets", {});
    double now = 0;
    watch_for(t, t.game->scene_of(t.state), now, 0.5, false);
    watch_for(t, scene_after(t, {kOpened}), now, 1, true);
    Observation askew = scene_after(t, {kOpened});
    for (Piece p : scene_after(t, {kOpened, kLaid}).pieces)
        if (p.face == "J05") {
            p.face = "J06", p.angle = 0.6;
            askew.pieces.push_back(p);
        }
    const Decision d = watch_for(t, askew, now, 1, false);
    ASSERT_EQ(d.kind, Kind::apply);
    ASSERT_EQ(d.moves.size(), 1u);
    EXPECT_EQ(d.moves[0].move, kOpened);
    EXPECT_EQ(watch_for(t, askew, now, 1, false).kind, Kind::attention);
}

TEST(RefereeBesideHands, ATimeBesideAHandIsNoTimeAtRest) {
    Table t("jouets", {});
    double now = 0;
    watch_for(t, t.game->scene_of(t.state), now, 0.5, false);
    watch_for(t, scene_after(t, {kOpened}), now, 0.6, true);
    EXPECT_EQ(watch_for(t, scene_after(t, {kOpened}), now, 0.1, false).kind, Kind::nothing);
    EXPECT_EQ(watch_for(t, scene_after(t, {kOpened}), now, 0.5, false).kind, Kind::apply);
}

overboard::Shot stroke(double start, double end, int blues,
                       std::optional<Point> from = Point{0, 142}) {
    overboard::Shot shot;
    shot.shot_id = "s" + std::to_string(end);
    shot.start = start;
    shot.end = end;
    shot.striker_from = from;
    for (int i = 0; i < blues; ++i) shot.pocketed.push_back({i + 1, "blue", "ne", end});
    return shot;
}

RefereeLimits watching_strokes() {
    RefereeLimits limits = at_once();
    limits.watches_strokes = true;
    return limits;
}

/// The scene without `blues` of its blue discs.
Observation without_blues(Observation scene, int blues) {
    std::erase_if(scene.pieces, [&](const Piece& p) { return p.type == "blue" && blues-- > 0; });
    return scene;
}

TEST(RefereeStrokes, AStrokeCountsOnceTheStillTableAgreesAndNeverTwice) {
    Table t("carrom", watching_strokes());
    const Observation scene = t.game->scene_of(t.state);
    t.see(scene, 1);
    EXPECT_EQ(t.done(t.referee.feed(t.state, stroke(2, 3, 2))).kind, Kind::nothing);
    EXPECT_EQ(t.done(t.referee.feed(t.state, stroke(2, 3, 2))).kind, Kind::nothing) << "told twice";
    EXPECT_EQ(t.see(without_blues(scene, 2), 3.4).kind, Kind::apply);
    EXPECT_EQ(t.game->view(t.state).players[0].at("score"), 2);
    for (double at = 3.5; at < 8; at += 0.5)
        EXPECT_EQ(t.see(t.game->scene_of(t.state), at).kind, Kind::nothing);
    EXPECT_EQ(t.done(t.referee.feed(t.state, stroke(2, 3, 2))).kind, Kind::nothing)
        << "told again later";
}

TEST(RefereeStrokes, WhereNobodyEverShowedTheTableAStrokeIsBelievedAtOnce) {
    Table t("carrom", watching_strokes());
    EXPECT_EQ(t.done(t.referee.feed(t.state, stroke(2, 3, 2))).kind, Kind::apply);
    EXPECT_EQ(t.game->view(t.state).players[0].at("score"), 2);
    EXPECT_EQ(t.done(t.referee.feed(t.state, stroke(2, 3, 2))).kind, Kind::nothing) << "told again";
    EXPECT_EQ(t.done(t.referee.feed(t.state, stroke(4, 5, 11))).ruling.rule, "CARROM-COUNT");
    EXPECT_EQ(t.done(t.referee.feed(t.state, stroke(6, 7, 1))).kind, Kind::apply)
        << "the next is a stroke of its own";
}

TEST(RefereeStrokes, DiscsThatLieInPlainViewAreNotScoredWhateverTheStrokeSays) {
    Table t("carrom", watching_strokes());
    const Observation scene = t.game->scene_of(t.state);
    t.see(scene, 1);
    t.referee.feed(t.state, stroke(2, 3, 3));
    EXPECT_EQ(t.see(without_blues(scene, 1), 3.4).kind, Kind::apply);
    EXPECT_EQ(t.game->view(t.state).players[0].at("score"), 1);
}

TEST(RefereeStrokes, AStrokeTheTableContradictsIsAskedAboutUntilTheyAgree) {
    Table t("carrom", watching_strokes());
    const Observation scene = t.game->scene_of(t.state);
    t.see(scene, 1);
    t.referee.feed(t.state, stroke(2, 3, 1));
    EXPECT_EQ(t.see(without_blues(scene, 2), 3.4).kind, Kind::nothing)
        << "a disc may only be out of sight";
    EXPECT_EQ(t.see(without_blues(scene, 2), 5).ruling.rule, "UNSEEN");
    EXPECT_EQ(t.game->view(t.state).players[0].at("score"), 0);
    EXPECT_EQ(t.see(without_blues(scene, 1), 6).kind, Kind::apply) << "there it lies";
    EXPECT_EQ(t.game->view(t.state).players[0].at("score"), 1);
}

TEST(RefereeStrokes, StrokesWithoutAStillTableBetweenAreConfirmedTogether) {
    Table t("carrom", watching_strokes());
    const Observation scene = t.game->scene_of(t.state);
    t.see(scene, 1);
    t.referee.feed(t.state, stroke(2, 3, 1));
    t.referee.feed(t.state, stroke(4, 5, 1));
    const Decision d = t.see(without_blues(scene, 2), 6);
    ASSERT_EQ(d.kind, Kind::apply);
    EXPECT_EQ(d.moves.size(), 2u);
    EXPECT_EQ(t.game->view(t.state).players[0].at("score"), 2);
}

TEST(RefereeStrokes, ADiscGoneWithoutAStrokeIsAskedForNotScored) {
    Table t("carrom", watching_strokes());
    Observation scene = t.game->scene_of(t.state);
    t.see(scene, 1);
    scene.pieces.pop_back();
    EXPECT_EQ(t.see(scene, 2).kind, Kind::nothing) << "a stroke may still be reported";
    const Decision d = t.see(scene, 4);
    ASSERT_EQ(d.kind, Kind::attention);
    EXPECT_EQ(d.ruling.rule, "UNSEEN");
    EXPECT_EQ(t.game->view(t.state).players[0].at("score"), 0);
    EXPECT_EQ(t.see(t.game->scene_of(t.state), 5).kind, Kind::cleared);
}

TEST(RefereeStrokes, AStrokeFromAnIllegalPlaceShowsWhereEverythingStoodUntilItIsBack) {
    Table t("carrom", watching_strokes());
    const Observation before = t.game->scene_of(t.state);
    t.see(before, 1);
    EXPECT_EQ(t.done(t.referee.feed(t.state, stroke(2, 3, 1, Point{0, 60}))).ruling.rule,
              "CARROM-3");
    Observation scattered = before;
    for (Piece& p : scattered.pieces) p.x += 40;
    EXPECT_EQ(t.see(scattered, 4).kind, Kind::nothing);
    const auto ghosts = t.referee.marks(t.state);
    EXPECT_EQ(std::count_if(ghosts.begin(), ghosts.end(),
                            [](const Mark& m) { return m.kind == MarkKind::ghost; }),
              13);
    for (const Mark& m : ghosts)
        if (m.kind == MarkKind::ghost) {
            EXPECT_GT(m.radius, 0);
        }
    EXPECT_EQ(t.see(before, 5).kind, Kind::cleared);
    EXPECT_EQ(t.game->view(t.state).turn, 0) << "and the shot is taken again";
}

TEST(RefereeStrokes, BetweenRoundsNothingCountsUntilTheDiscsStandAgain) {
    Table t("carrom", watching_strokes());
    t.see(t.game->scene_of(t.state), 1);
    t.referee.feed(t.state, stroke(2, 3, 12));
    t.see(without_blues(t.game->scene_of(t.state), 12), 3.5);
    EXPECT_EQ(t.game->view(t.state).board.at("round"), 2);
    Observation empty = t.game->scene_of(t.state);
    const auto full = empty;
    empty.pieces.clear();
    EXPECT_EQ(t.see(empty, 4).ruling.rule, "CARROM-1") << "please set up";
    EXPECT_EQ(t.done(t.referee.feed(t.state, stroke(4, 5, 1, {}))).kind, Kind::nothing)
        << "a disc pushed while setting up";
    EXPECT_EQ(t.see(full, 6).kind, Kind::cleared);
}

}  // namespace
}  // namespace overboard::rules::testing
