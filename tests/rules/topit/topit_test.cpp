#include "rules/topit/topit.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "tests/rules/playing.hpp"

namespace overboard::rules {
namespace {

using testing::setup_for;
using Game = testing::Playing<Topit>;
using topit::pose_against;
using topit::side_of;

constexpr Pose kMiddle{600, 337.5, 0};

Json pose_json(Pose p) {
    return {{"x", p.x}, {"y", p.y}, {"angle", p.angle}};
}
Move place(const std::string& colour, const std::string& shape, Pose p) {
    return {{"type", "place"}, {"shape", shape}, {"colour", colour}, {"pose", pose_json(p)}};
}
Move top(const std::string& colour, const std::string& on) {
    return {{"type", "top"}, {"colour", colour}, {"on", on}};
}

int index_of(const topit::State& state, const std::string& id) {
    const auto& pieces = state.mosaic.pieces();
    for (std::size_t i = 0; i < pieces.size(); ++i)
        if (topit::piece_id(state, pieces[i].shape, pieces[i].colour) == id)
            return static_cast<int>(i);
    ADD_FAILURE() << "no " << id;
    return 0;
}

const Polygon& outline_of(const topit::State& state, const std::string& shape) {
    return state.mosaic.shape(*state.mosaic.set().shape_named(shape)).outline;
}

/// The pose in which `shape`'s side `own` lies against side `other` of a laid piece.
Pose against(const Game& game, const std::string& shape, std::size_t own, const std::string& laid,
             std::size_t other) {
    const auto& piece = game.state.mosaic
                            .pieces()[static_cast<std::size_t>(index_of(game.state, laid))];
    return game.state.mosaic.to_table(
        pose_against(outline_of(game.state, shape), own, side_of(piece.outline, other)));
}

Pose moved(Pose p, double dx, double dy, double turn = 0) {
    return {p.x + dx, p.y + dy, p.angle + turn};
}

Game solo() {
    return Game{setup_for({"Ann"})};
}
Game two() {
    return Game{setup_for({"Ann", "Bob"})};
}
Game three() {
    return Game{setup_for({"Ann", "Bob", "Cem"})};
}

int points(const std::vector<Json>& events) {
    return events.at(0).at("points");
}

/// Puts a piece down without asking the rules, for positions that need pieces from nowhere.
void put(Game& game, const std::string& colour, const std::string& shape, Pose at) {
    const int s = *game.state.mosaic.set().shape_named(shape);
    const int c = static_cast<int>(
        std::find(topit::kColours.begin(), topit::kColours.end(), colour) -
        topit::kColours.begin());
    topit::Settled settled = game.state.mosaic.settle(s, at);
    settled.at = at;
    game.state.mosaic.lay(s, c, settled, at);
}

TEST(TopitPieces, AreAsThePageDescribesThem) {
    const auto& set = *topit::default_pieces();
    ASSERT_EQ(set.shapes.size(), 8U);
    const std::map<std::string, std::tuple<int, bool, std::size_t>> page = {
        {"small_triangle", {3, false, 3}}, {"large_triangle", {3, true, 3}},
        {"small_square", {4, false, 4}},   {"large_square", {8, true, 4}},
        {"rhombus", {2, false, 4}},        {"trapezoid", {5, false, 4}},
        {"rectangle", {7, false, 4}},      {"hexagon", {6, true, 6}}};
    for (const auto& shape : set.shapes) {
        const auto& [value, large, sides] = page.at(shape.name);
        EXPECT_EQ(shape.value, value) << shape.name;
        EXPECT_EQ(shape.large, large) << shape.name;
        EXPECT_EQ(shape.outline.size(), sides) << shape.name;
        EXPECT_NEAR(length(topit::centroid(shape.outline)), 0, 1e-9) << shape.name;
        EXPECT_NEAR(shape.outline[0].y, shape.outline[1].y, 1e-9) << "the first side is level";
        EXPECT_LT(shape.outline[0].x, shape.outline[1].x) << "and runs in +x";
        EXPECT_LT(shape.outline[0].y, 0) << "with the piece below";
        for (std::size_t i = 0; i < sides; ++i) {
            const auto side = side_of(shape.outline, i);
            const double size = distance(side.a, side.b);
            EXPECT_TRUE(std::abs(size - 30) < 1e-6 || std::abs(size - 60) < 1e-6)
                << shape.name << " " << size;
        }
    }
    const auto& rhombus = set.shapes[static_cast<std::size_t>(*set.shape_named("rhombus"))].outline;
    const double corner = std::acos(dot(rhombus[1] - rhombus[0], rhombus[3] - rhombus[0]) / 900);
    EXPECT_NEAR(corner, M_PI / 3, 1e-9) << "60° at vertex 0";
    const auto& trapezoid = set.shapes[static_cast<std::size_t>(*set.shape_named("trapezoid"))]
                                .outline;
    EXPECT_NEAR(distance(trapezoid[0], trapezoid[1]), 60, 1e-9);
    EXPECT_NEAR(trapezoid[2].y - trapezoid[1].y, 30 * std::sqrt(3.0) / 2, 1e-9);
}

TEST(TopitRules, WorkedExample_SmallSquareScoresSixteenAndTheCornerNothing) {
    Game game = solo();
    game.play("Ann", place("green", "hexagon", kMiddle));
    const Pose square = against(game, "small_square", 3, "green-hexagon",
                                1);  // left side against the hexagon
    const Polygon outline = topit::outline_at(outline_of(game.state, "small_square"), square);
    put(game, "red", "small_triangle",
        pose_against(outline_of(game.state, "small_triangle"), 0, side_of(outline, 0)));
    put(game, "yellow", "large_triangle",
        pose_against(outline_of(game.state, "large_triangle"), 0, side_of(outline, 1)));
    game.play("Ann", place("red", "rectangle", against(game, "rectangle", 1, "green-hexagon", 2)));
    const auto events = game.play("Ann", place("blue", "small_square", square));
    EXPECT_EQ(points(events), 16) << Json(events).dump();
    EXPECT_EQ(events[0]["terms"][0], Json::parse(R"({"piece":"blue-small_square","points":4})"));
    EXPECT_EQ(events[0]["terms"].size(), 4U) << "the rectangle touches only a corner";
}

TEST(TopitRules, WorkedExample_StoneOnALargeSquareScoresTwentySix) {
    Game game = solo();
    game.play("Ann", place("yellow", "large_square", kMiddle));
    game.play("Ann",
              place("blue", "rectangle", against(game, "rectangle", 0, "yellow-large_square", 0)));
    game.play("Ann", place("red", "large_triangle",
                           against(game, "large_triangle", 1, "yellow-large_square", 1)));
    game.play("Ann",
              place("green", "trapezoid", against(game, "trapezoid", 0, "yellow-large_square", 2)));
    game.play("Ann", place("blue", "large_triangle",
                           against(game, "large_triangle", 1, "yellow-large_square", 3)));
    EXPECT_EQ(points(game.play("Ann", top("red", "yellow-large_square"))), 26);
}

TEST(TopitRules, WorkedExample_StoneOnAHexagonScoresTwentyNine) {
    Game game = solo();
    game.play("Ann", place("green", "hexagon", kMiddle));
    const std::vector<std::tuple<std::string, std::string, std::size_t>> around = {
        {"blue", "small_triangle", 0}, {"red", "small_square", 0}, {"yellow", "trapezoid", 2},
        {"blue", "hexagon", 0},        {"yellow", "rhombus", 1},   {"red", "small_triangle", 0}};
    std::size_t side = 0;
    for (const auto& [colour, shape, own] : around)
        game.play("Ann", place(colour, shape, against(game, shape, own, "green-hexagon", side++)));
    EXPECT_EQ(points(game.play("Ann", top("red", "green-hexagon"))), 29);
}

TEST(TopitRules, TOPIT_1_ColoursAsChosenAndTheYoungestBegins) {
    rules::Setup setup = setup_for({"Ann", "Bob", "Cem"}, {{"first", "Bob"}});
    setup.players[0].extra = {{"colour", "red"}};
    Game game{setup};
    EXPECT_EQ(game.player("Ann")["colour"], "red");
    EXPECT_EQ(game.player("Bob")["colour"], "blue");
    EXPECT_EQ(game.player("Cem")["colour"], "green");
    EXPECT_EQ(game.turn(), "Bob");
    EXPECT_EQ(game.check("Ann", place("red", "hexagon", kMiddle)).verdict,
              Ruling::Verdict::not_your_turn);
    EXPECT_EQ(game.rule("Bob", place("red", "hexagon", kMiddle)), "TOPIT-1");
    game.play("Bob", place("blue", "hexagon", kMiddle));
    EXPECT_EQ(game.turn(), "Cem");
    setup.players[1].extra = {{"colour", "red"}};
    EXPECT_FALSE(Topit::start(setup)) << "nobody shares a colour";
}

TEST(TopitRules, TOPIT_2_TheFirstPieceScoresTwice) {
    Game game = three();
    const auto events = game.play("Ann", place("blue", "rectangle", kMiddle));
    EXPECT_EQ(points(events), 14);
    EXPECT_EQ(game.player("Ann")["score"], 14);
}

TEST(TopitRules, TOPIT_3_APieceMustTouchASide) {
    Game game = three();
    game.play("Ann", place("blue", "large_square", kMiddle));
    const Ruling far = game.check("Bob", place("red", "hexagon", {200, 200, 0}));
    EXPECT_EQ(far.rule, "TOPIT-3");
    EXPECT_TRUE(far.at);
    EXPECT_EQ(game.rule("Bob", place("red", "small_square", {600 + 45, 337.5 - 45, 0})), "TOPIT-3")
        << "a corner is not a side";
}

TEST(TopitRules, TOPIT_4_SidesMustCoincideEndToEnd) {
    Game game = three();
    game.play("Ann", place("blue", "large_square", kMiddle));
    EXPECT_EQ(game.rule("Bob", place("red", "small_square", {600, 337.5 - 45, 0})), "TOPIT-4")
        << "short against long";
    EXPECT_EQ(game.rule("Bob", place("red", "small_square", {600 - 15, 337.5 - 45, 0})), "TOPIT-4")
        << "even with one end flush";
    EXPECT_EQ(game.rule("Bob", place("red", "large_square", {600 + 30, 337.5 - 60, 0})), "TOPIT-4")
        << "shifted by half";
    EXPECT_EQ(game.rule("Bob", place("red", "large_square", {600 + 5, 337.5 - 60, 0})), "TOPIT-4");
    EXPECT_EQ(game.check("Bob", place("red", "large_square", {600 + 30, 337.5 - 60, 0}))
                  .message.args["piece"],
              "blue-large_square");
    game.play("Bob", place("red", "large_square", {600 + 3, 337.5 - 60, 0}));
}

TEST(TopitRules, TOPIT_5_OneColourNeverSharesASide) {
    Game game = three();
    game.play("Ann", place("blue", "large_square", kMiddle));
    game.play("Bob",
              place("red", "rectangle", against(game, "rectangle", 0, "blue-large_square", 1)));
    game.play("Cem",
              place("green", "rectangle", against(game, "rectangle", 0, "blue-large_square", 3)));
    EXPECT_EQ(game.rule("Ann", place("blue", "rectangle",
                                     against(game, "rectangle", 0, "blue-large_square", 0))),
              "TOPIT-5");
    // Above the red rectangle's end: corner to corner with the blue square, side to side with red.
    game.play("Ann",
              place("blue", "small_square", against(game, "small_square", 0, "red-rectangle", 3)));
}

TEST(TopitRules, TOPIT_6_PiecesNeverOverlap) {
    Game game = three();
    game.play("Ann", place("blue", "large_square", kMiddle));
    for (const Pose& on :
         {kMiddle, Pose{610, 300, 0.3}, Pose{600, 337.5 - 50, 0}, Pose{600, 337.5 - 57, 0}}) {
        const Ruling ruling = game.check("Bob", place("red", "large_square", on));
        EXPECT_EQ(ruling.rule, "TOPIT-6") << on.y;
        EXPECT_TRUE(ruling.at);
    }
}

TEST(TopitRules, TOPIT_7_ScoresItselfAndEveryNeighbour) {
    Game game = three();
    game.play("Ann", place("blue", "large_square", kMiddle));
    EXPECT_EQ(
        points(game.play("Bob", place("red", "rectangle",
                                      against(game, "rectangle", 0, "blue-large_square", 1)))),
        15);
    EXPECT_EQ(
        points(game.play("Cem", place("green", "small_triangle",
                                      against(game, "small_triangle", 0, "red-rectangle", 1)))),
        10);
    EXPECT_EQ(game.board()["pieces"][1]["neighbours"],
              Json({"blue-large_square", "green-small_triangle"}));
}

TEST(TopitRules, TOPIT_8_EachPieceExistsOnceAPlayer) {
    Game game = solo();
    game.play("Ann", place("blue", "hexagon", kMiddle));
    EXPECT_EQ(
        game.rule("Ann", place("blue", "hexagon", against(game, "hexagon", 0, "blue-hexagon", 0))),
        "TOPIT-8");
    game.play("Ann", place("red", "hexagon", against(game, "hexagon", 0, "blue-hexagon", 0)));
}

TEST(TopitRules, TOPIT_10_TheStoneOnceInsteadOfAPiece) {
    Game game = three();
    EXPECT_EQ(game.rule("Ann", top("blue", "red-hexagon")), "TOPIT-10");
    game.play("Ann", place("blue", "hexagon", kMiddle));
    game.play("Bob", top("red", "blue-hexagon"));
    EXPECT_EQ(game.turn(), "Cem");
    game.play("Cem", place("green", "hexagon", against(game, "hexagon", 0, "blue-hexagon", 0)));
    game.play("Ann",
              place("blue", "small_square", against(game, "small_square", 0, "green-hexagon", 1)));
    EXPECT_EQ(game.rule("Bob", top("red", "green-hexagon")), "TOPIT-10");
    EXPECT_EQ(game.rule("Bob", top("blue", "green-hexagon")), "TOPIT-1");
}

TEST(TopitRules, TOPIT_11_OnlyOnALargePiece) {
    for (const auto& shape : topit::default_pieces()->shapes) {
        Game game = three();
        game.play("Ann", place("blue", shape.name, kMiddle));
        EXPECT_EQ(game.rule("Bob", top("red", "blue-" + shape.name)), shape.large ? "" : "TOPIT-11")
            << shape.name;
    }
}

TEST(TopitRules, TOPIT_12_NeverOnTheOwnColour) {
    Game game = solo();
    game.play("Ann", place("blue", "hexagon", kMiddle));
    EXPECT_EQ(game.rule("Ann", top("blue", "blue-hexagon")), "TOPIT-12");
    game.play("Ann", top("red", "blue-hexagon"));
}

TEST(TopitRules, TOPIT_13_OneStoneAPiece) {
    Game game = three();
    game.play("Ann", place("blue", "hexagon", kMiddle));
    game.play("Bob", top("red", "blue-hexagon"));
    EXPECT_EQ(game.rule("Cem", top("green", "blue-hexagon")), "TOPIT-13");
    EXPECT_EQ(game.board()["pieces"][0]["stone"], "red");
}

TEST(TopitRules, TOPIT_14_TheStoneScoresThePieceAndItsNeighbours) {
    Game game = three();
    game.play("Ann", place("blue", "hexagon", kMiddle));
    game.play("Bob",
              place("red", "small_square", against(game, "small_square", 0, "blue-hexagon", 0)));
    const auto events = game.play("Cem", top("green", "blue-hexagon"));
    EXPECT_EQ(points(events), 10);
    EXPECT_EQ(
        events[0]["terms"],
        Json::parse(
            R"([{"piece":"blue-hexagon","points":6},{"piece":"red-small_square","points":4}])"));
}

/// Plays anything legal until the end.
void play_out(Game& game, unsigned seed) {
    std::mt19937 dice{seed};
    while (!game.view().finished) {
        const auto moves = Topit::legal_moves(game.state);
        ASSERT_FALSE(moves.empty());
        game.play(game.turn(), moves[dice() % moves.size()].move);
    }
}

TEST(TopitRules, TOPIT_15_EndsWithAllLaidAndTheMostPointsWin) {
    Game game = three();
    play_out(game, 4);
    EXPECT_EQ(game.state.mosaic.pieces().size(), 24U);
    int best = 0;
    for (const auto& player : game.state.players) best = std::max(best, player.score);
    for (const int winner : game.view().winners) EXPECT_EQ(game.state.player(winner).score, best);
    EXPECT_EQ(game.rule("Ann", {{"type", "pass"}}), "TOPIT-15");
    for (auto& player : game.state.players) player.score = 50;
    EXPECT_EQ(game.view().winners, (std::vector<int>{0, 1, 2})) << "equals share";
}

TEST(TopitRules, TOPIT_20_TwoPlayersMayJoinTheSameColour) {
    Game game = two();
    game.play("Ann", place("blue", "hexagon", kMiddle));
    game.play("Bob",
              place("red", "small_square", against(game, "small_square", 0, "blue-hexagon", 0)));
    game.play("Ann",
              place("blue", "small_square", against(game, "small_square", 0, "blue-hexagon", 3)));
}

TEST(TopitRules, TOPIT_21_TwoPlayersMayTopTheirOwnColour) {
    Game game = two();
    game.play("Ann", place("blue", "hexagon", kMiddle));
    game.play("Bob",
              place("red", "small_square", against(game, "small_square", 0, "blue-hexagon", 0)));
    game.play("Ann", top("blue", "blue-hexagon"));
}

TEST(TopitRules, TOPIT_22_TheSecondPlayerBeginsWithAnotherShape) {
    Game game = two();
    game.play("Ann", place("blue", "hexagon", kMiddle));
    EXPECT_EQ(
        game.rule("Bob", place("red", "hexagon", against(game, "hexagon", 0, "blue-hexagon", 0))),
        "TOPIT-22");
    EXPECT_TRUE(
        game.check("Bob", place("red", "hexagon", against(game, "hexagon", 0, "blue-hexagon", 0)))
            .message.args.is_object());
    EXPECT_EQ(game.rule("Bob", top("red", "blue-hexagon")), "TOPIT-22") << "it must be a piece";
    for (const PlayerMove& move : Topit::legal_moves(game.state))
        EXPECT_NE(move.move["shape"], "hexagon");
    game.play("Bob",
              place("red", "small_square", against(game, "small_square", 0, "blue-hexagon", 0)));
    game.play("Ann",
              place("blue", "small_square", against(game, "small_square", 0, "blue-hexagon", 3)));
    game.play("Bob", place("red", "hexagon", against(game, "hexagon", 0, "blue-hexagon", 1)));
}

TEST(TopitRules, TOPIT_30_OnePlayerLaysAllFourColours) {
    Game game{setup_for({"Ann"}, {{"best", 321}})};
    EXPECT_EQ(game.board()["best"], 321);
    EXPECT_EQ(
        game.rule("Ann", {{"type", "place"}, {"shape", "hexagon"}, {"pose", pose_json(kMiddle)}}),
        "MOVE")
        << "which colour?";
    play_out(game, 8);
    EXPECT_EQ(game.state.mosaic.pieces().size(), 32U);
    EXPECT_EQ(game.view().winners, std::vector<int>{0});
    EXPECT_TRUE(std::all_of(game.state.stone_laid.begin(), game.state.stone_laid.end(),
                            [](bool laid) { return laid; }));
}

TEST(TopitRules, TOPIT_R1_OnlyAStoneWithoutAPlaceMayPass) {
    // One small piece each: no stone finds a large piece.
    const Json pieces = Json::parse(
        R"([{"shape":"square","value":1,"sides_mm":[30,30,30,30],"corners_deg":[90,90,90,90]}])");
    Game game{setup_for({"Ann", "Bob", "Cem"}, {{"pieces", pieces}})};
    const Move pass = {{"type", "pass"}};
    EXPECT_EQ(game.rule("Ann", pass), "TOPIT-R1");
    game.play("Ann", place("blue", "square", kMiddle));
    game.play("Bob", place("red", "square", moved(kMiddle, 30, 0)));
    game.play("Cem", place("green", "square", moved(kMiddle, -30, 0)));
    EXPECT_EQ(game.view().actions, std::vector<std::string>{"pass"});
    for (const char* name : {"Ann", "Bob", "Cem"}) {
        EXPECT_FALSE(game.view().finished);
        game.play(name, pass);
    }
    EXPECT_TRUE(game.view().finished);
}

TEST(TopitRules, TOPIT_R2_ContactAndCoincidenceWithinTheTolerances) {
    Game game = three();
    game.play("Ann", place("blue", "large_square", kMiddle));
    const Pose exact = moved(kMiddle, 0, -60);
    for (const Pose& good : {moved(exact, 0, -2.4), moved(exact, 0, 1.4), moved(exact, 3.4, 0),
                             moved(exact, 0, 0, 2 * M_PI / 180)})
        EXPECT_EQ(game.rule("Bob", place("red", "large_square", good)), "")
            << good.x << " " << good.y;
    game.play("Bob", place("red", "large_square", moved(exact, 2, -1, 0.02)));
    const auto& pieces = game.state.mosaic.pieces();
    EXPECT_NEAR(std::hypot(pieces[1].at.x - pieces[0].at.x, pieces[1].at.y - pieces[0].at.y), 60,
                1e-9)
        << "snapped";
    // The tolerances are options.
    Game strict{
        setup_for({"Ann", "Bob", "Cem"}, {{"tolerances", {{"gap_mm", 1}, {"ends_mm", 1.5}}}})};
    strict.play("Ann", place("blue", "large_square", kMiddle));
    EXPECT_EQ(strict.rule("Bob", place("red", "large_square", moved(exact, 0, -1.2))), "TOPIT-3");
    EXPECT_EQ(strict.rule("Bob", place("red", "large_square", moved(exact, 2, 0))), "TOPIT-4");
}

TEST(TopitRules, TOPIT_R3_ShallowOverlapIsMeasurement) {
    Game game = three();
    game.play("Ann", place("blue", "large_square", kMiddle));
    EXPECT_EQ(game.rule("Bob", place("red", "large_square", moved(kMiddle, 0, -58.6))), "");
    EXPECT_EQ(game.rule("Bob", place("red", "large_square", moved(kMiddle, 0, -58))), "TOPIT-6");
}

TEST(TopitRules, TOPIT_R4_AGapIsNoContact) {
    Game game = three();
    game.play("Ann", place("blue", "large_square", kMiddle));
    EXPECT_EQ(game.rule("Bob", place("red", "large_square", moved(kMiddle, 0, -62.6))), "TOPIT-3");
    EXPECT_EQ(game.rule("Bob", place("red", "large_square", moved(kMiddle, 0, -64))), "TOPIT-3");
}

TEST(TopitRules, UnderstandsNoNonsenseAndNeverThrows) {
    Game game = three();
    game.play("Ann", place("blue", "hexagon", kMiddle));
    auto moves = testing::hostile_moves();
    for (const Json& bad :
         {Json(1e308), Json("x"), Json(), Json::array(), Json::object(), Json(true), Json(-1)}) {
        moves.push_back(
            {{"type", "place"}, {"shape", bad}, {"colour", "red"}, {"pose", pose_json(kMiddle)}});
        moves.push_back({{"type", "place"},
                         {"shape", "hexagon"},
                         {"colour", bad},
                         {"pose", pose_json(kMiddle)}});
        moves.push_back(
            {{"type", "place"}, {"shape", "hexagon"}, {"colour", "red"}, {"pose", bad}});
        moves.push_back({{"type", "place"},
                         {"shape", "hexagon"},
                         {"colour", "red"},
                         {"pose", {{"x", bad}, {"y", 1}, {"angle", 0}}}});
        moves.push_back({{"type", "place"},
                         {"shape", "hexagon"},
                         {"colour", "red"},
                         {"pose", {{"x", 1}, {"y", 1}, {"angle", bad}}}});
        moves.push_back({{"type", "top"}, {"colour", "red"}, {"on", bad}});
    }
    for (const Json& move : moves) EXPECT_FALSE(game.check("Bob", move).legal()) << move.dump();
    EXPECT_EQ(game.rule("Bob", Json(7)), "MOVE");
    EXPECT_EQ(Topit::judge(game.state, -3, Json(7)).verdict, Ruling::Verdict::not_your_turn);
}

TEST(TopitRules, RefusesOptionsThatMakeNoSense) {
    for (
        const Json& options :
        {Json{{"pieces", 3}}, Json{{"pieces", Json::array()}}, Json{{"pieces", {{{"shape", "x"}}}}},
         Json{
             {"pieces",
              Json::parse(
                  R"([{"shape":"x","value":1,"vertices":[[0,0],[0,30],[30,30],[30,0]]}])")}},  // anticlockwise
         Json{
             {"pieces",
              Json::parse(
                  R"([{"shape":"x","value":1,"sides_mm":[30,30,30],"corners_deg":[90,60,60]}])")}},  // does not close
         Json{{"tolerances", {{"gap_mm", -1}}}}, Json{{"tolerances", 5}}, Json{{"first", "Zoe"}}}) {
        const auto begun = Topit::start(setup_for({"Ann", "Bob"}, options));
        ASSERT_FALSE(begun.has_value()) << options.dump();
        EXPECT_EQ(begun.error().rule, "SETUP");
    }
}

Game begun() {
    Game game = three();
    game.play("Ann", place("blue", "large_square", kMiddle));
    game.play("Bob",
              place("red", "rectangle", against(game, "rectangle", 0, "blue-large_square", 1)));
    return game;
}

TEST(TopitReading, ABumpedTableReadsAsWell) {
    Game game = begun();
    const auto before = game.state;
    game.play("Cem",
              place("green", "trapezoid", against(game, "trapezoid", 0, "blue-large_square", 0)));
    auto scene = Topit::scene_of(game.state);
    for (Piece& piece : scene.pieces) {
        const Point p = overboard::place(Pose{14, -9, 0.03}, {piece.x, piece.y});
        piece.x = p.x;
        piece.y = p.y;
        piece.angle += 0.03;
    }
    const Reading reading = Topit::read(before, scene);
    ASSERT_EQ(reading.choices.size(), 1U)
        << (reading.attention ? reading.attention->message.key : "");
    const auto after = Topit::apply(before, 2, reading.choices[0].moves[0].move).state;
    EXPECT_EQ(Topit::to_text(after), Topit::to_text(game.state));
}

TEST(TopitReading, PiecesAreToldByTheirLooksWhereOneWasPushedToAnothersPlace) {
    const Game game = begun();
    auto scene = Topit::scene_of(game.state);
    const Point way = Point{scene.pieces[0].x, scene.pieces[0].y} -
                      Point{scene.pieces[1].x, scene.pieces[1].y};
    for (Piece& piece : scene.pieces) piece.x += way.x, piece.y += way.y;
    const Reading reading = Topit::read(game.state, scene);
    EXPECT_FALSE(reading.attention) << reading.attention->message.key;
    EXPECT_TRUE(reading.choices.empty());
}

TEST(TopitReading, APieceMisreadInItsPlaceIsNotMissed) {
    const Game game = begun();
    auto scene = Topit::scene_of(game.state);
    for (Piece& piece : scene.pieces) piece.x += 30;
    scene.pieces[1].type = "trapezoid";
    EXPECT_FALSE(Topit::read(game.state, scene).attention);
}

TEST(TopitReading, ALegalPieceCountsThoughAnotherLiesWrong) {
    Game game = begun();
    const auto before = game.state;
    game.play("Cem",
              place("green", "trapezoid", against(game, "trapezoid", 0, "blue-large_square", 0)));
    auto scene = Topit::scene_of(game.state);
    Piece wrong;
    wrong.kind = PieceKind::polygon;
    wrong.type = "hexagon";
    wrong.colour = "blue";
    wrong.x = scene.pieces[1].x + 12;
    wrong.y = scene.pieces[1].y + 70;
    wrong.angle = 0.4;
    scene.pieces.push_back(wrong);
    const Reading reading = Topit::read(before, scene);
    ASSERT_EQ(reading.choices.size(), 1U);
    ASSERT_EQ(reading.choices[0].moves.size(), 1U);
    EXPECT_EQ(reading.choices[0].moves[0].move["colour"], "green");
    EXPECT_TRUE(Topit::read(game.state, scene).attention) << "the wrong one is spoken about then";
}

TEST(TopitReading, OfTwoPiecesEitherOfWhichMayHaveComeNoneCounts) {
    Game game = begun();
    const auto before = game.state;
    game.play("Cem",
              place("green", "trapezoid", against(game, "trapezoid", 0, "blue-large_square", 0)));
    auto scene = Topit::scene_of(game.state);
    Game other = begun();
    other.play("Cem", place("green", "hexagon", against(other, "hexagon", 0, "red-rectangle", 1)));
    scene.pieces.push_back(Topit::scene_of(other.state).pieces.back());
    const Reading reading = Topit::read(before, scene);
    EXPECT_TRUE(reading.choices.empty());
    EXPECT_TRUE(reading.attention);
}

TEST(TopitReading, WholeGamesMeasuredInexactlyAreReadWithoutAMistake) {
    for (const unsigned seed : {1U, 2U, 3U, 4U, 5U, 6U}) {
        std::mt19937 dice{seed};
        std::uniform_real_distribution<double> off{-0.7, 0.7}, turn{-0.017, 0.017};
        Game game = seed % 3 == 0 ? solo() : seed % 3 == 1 ? two() : three();
        while (!game.view().finished) {
            const auto moves = Topit::legal_moves(game.state);
            const PlayerMove& move = moves[dice() % moves.size()];
            if (move.move["type"] == "pass") {
                game.play(game.turn(), move.move);
                continue;
            }
            const auto after = Topit::apply(game.state, move.player, move.move).state;
            auto scene = Topit::scene_of(after);
            for (Piece& piece : scene.pieces) {
                piece.x += off(dice);
                piece.y += off(dice);
                piece.angle += turn(dice);
            }
            const Reading reading = Topit::read(game.state, scene);
            ASSERT_EQ(reading.choices.size(), 1U)
                << (reading.attention
                        ? reading.attention->rule + " " + reading.attention->message.key
                        : "nothing")
                << " seed " << seed << " for " << move.move.dump() << "\n"
                << Topit::to_text(game.state);
            const auto& read = reading.choices[0].moves;
            ASSERT_EQ(read.size(), 1U);
            const auto read_state = Topit::apply(game.state, read[0].player, read[0].move).state;
            ASSERT_EQ(Topit::to_text(read_state), Topit::to_text(after)) << "seed " << seed;
            game.state = read_state;  // goes on with what was measured
        }
    }
}

TEST(TopitReading, SymmetricPiecesMayBeSeenTurned) {
    Game game = begun();
    const auto before = game.state;
    game.play("Cem", place("green", "hexagon", against(game, "hexagon", 0, "red-rectangle", 1)));
    auto scene = Topit::scene_of(game.state);
    scene.pieces[0].angle += M_PI / 2;
    scene.pieces[1].angle += M_PI;
    scene.pieces[2].angle -= M_PI / 3;
    EXPECT_EQ(Topit::read(before, scene).choices.size(), 1U);
}

TEST(TopitReading, AMovedAMissingAndAnIllegalPieceNeedAPerson) {
    const Game game = begun();
    auto moved_scene = Topit::scene_of(game.state);
    moved_scene.pieces[1].x += 20;
    EXPECT_EQ(Topit::read(game.state, moved_scene).attention->rule, "TABLE");
    auto missing = Topit::scene_of(game.state);
    missing.pieces.pop_back();
    const Reading gone = Topit::read(game.state, missing);
    ASSERT_TRUE(gone.attention);
    EXPECT_EQ(gone.attention->message.key, "topit.piece_missing");
    auto illegal = Topit::scene_of(game.state);
    Piece piece;
    piece.kind = PieceKind::polygon;
    piece.type = "small_square";
    piece.colour = "green";
    piece.x = 600;
    piece.y = 337.5 - 45;
    illegal.pieces.push_back(piece);
    const Reading wrong = Topit::read(game.state, illegal);
    ASSERT_TRUE(wrong.attention);
    EXPECT_EQ(wrong.attention->rule, "TOPIT-4");
    EXPECT_TRUE(wrong.attention->at);
}

TEST(TopitReading, SuppliesFarFromTheMosaicAreNoMoves) {
    const Game game = begun();
    auto scene = Topit::scene_of(game.state);
    Piece piece;
    piece.kind = PieceKind::polygon;
    piece.type = "hexagon";
    piece.colour = "green";
    piece.x = 300;
    piece.y = 600;
    scene.pieces.push_back(piece);
    piece.kind = PieceKind::stone;
    piece.x = 350;
    scene.pieces.push_back(piece);
    const Reading reading = Topit::read(game.state, scene);
    EXPECT_TRUE(reading.choices.empty());
    EXPECT_FALSE(reading.attention);
}

TEST(TopitReading, LegalityDecidesAmongAlternatives) {
    Game game = begun();
    const auto before = game.state;
    game.play("Cem",
              place("green", "trapezoid", against(game, "trapezoid", 0, "blue-large_square", 0)));
    auto scene = Topit::scene_of(game.state);
    scene.pieces.back().colour = "blue";  // blue beside blue is not allowed, and it is Cem's turn
    scene.pieces.back().alternatives = {{"green", 0.3}};
    const Reading reading = Topit::read(before, scene);
    ASSERT_EQ(reading.choices.size(), 1U);
    EXPECT_EQ(reading.choices[0].moves[0].move["colour"], "green");
}

TEST(TopitReading, TwoMovesAtOnceAreReadInTurn) {
    Game game = begun();
    const auto before = game.state;
    game.play("Cem",
              place("green", "trapezoid", against(game, "trapezoid", 0, "blue-large_square", 0)));
    game.play("Ann", place("blue", "hexagon", against(game, "hexagon", 0, "red-rectangle", 1)));
    auto scene = Topit::scene_of(game.state);
    std::swap(scene.pieces[2], scene.pieces[3]);
    const Reading reading = Topit::read(before, scene);
    ASSERT_EQ(reading.choices.size(), 1U);
    ASSERT_EQ(reading.choices[0].moves.size(), 2U);
    EXPECT_EQ(reading.choices[0].moves[0].player, 2);
    EXPECT_EQ(reading.choices[0].moves[1].player, 0);
}

TEST(TopitHints, AreTheBestOfAllLegalMoves) {
    for (const unsigned seed : {1U, 2U, 3U}) {
        Game game = seed == 1 ? solo() : seed == 2 ? two() : three();
        std::mt19937 dice{seed};
        while (!game.view().finished) {
            const auto moves = Topit::legal_moves(game.state);
            int best = 0, best_top = -1;
            for (const PlayerMove& move : moves) {
                const auto events = Topit::apply(game.state, move.player, move.move).events;
                if (events.empty()) continue;
                best = std::max(best, events[0]["points"].get<int>());
                if (move.move["type"] == "top")
                    best_top = std::max(best_top, events[0]["points"].get<int>());
            }
            const auto hints = Topit::hints(game.state, 3);
            ASSERT_FALSE(hints.empty());
            EXPECT_EQ(hints[0].value, best);
            EXPECT_EQ(Topit::apply(game.state, game.state.turn, hints[0].move).events[0]["points"],
                      best);
            ASSERT_EQ(hints[0].marks.size(), 2U);
            if (best_top >= 0) {
                EXPECT_TRUE(std::any_of(hints.begin(), hints.end(), [&](const Hint& h) {
                    return h.move["type"] == "top" && h.value == best_top;
                }));
            }
            game.play(game.turn(), moves[dice() % moves.size()].move);
        }
    }
}

}  // namespace
}  // namespace overboard::rules
