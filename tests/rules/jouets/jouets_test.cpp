#include "rules/jouets/jouets.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "rules/jouets/layout.hpp"
#include "tests/rules/playing.hpp"

namespace overboard::rules {
namespace {

using testing::setup_for;
using Shops = testing::Playing<Jouets>;

Move place(const std::string& tile, int col, int row) {
    return {{"type", "place"}, {"tile", tile}, {"at", {col, row}}};
}
Move reveal(const std::string& tile) {
    return {{"type", "reveal"}, {"tile", tile}};
}

Json zone(const char* type, std::vector<std::string> toys = {}) {
    return {{"type", type}, {"toys", toys}};
}
Json tile(const char* id, Json zones, Json n, Json e, Json s, Json w) {
    return {{"id", id}, {"zones", zones}, {"sides", {{"n", n}, {"e", e}, {"s", s}, {"w", w}}}};
}
/// One zone all over.
Json plain(const char* id, const char* type, std::vector<std::string> toys) {
    return tile(id, {zone(type, toys)}, {0, 0}, {0, 0}, {0, 0}, {0, 0});
}
Json plain_register(const char* id, const char* type) {
    return plain(id, type, {});
}

Json play_events(Shops& game, const std::string& player, const Move& move) {
    return Json(game.play(player, move));
}
int coins(const Json& events) {
    return events.at(0).at("coins");
}

/// Marie's shop of the rule sheet's first two examples. The register is red on its right, green
/// below and above; Paul's tiles are far from everything.
Json sheet_options() {
    Json tiles = Json::array();
    // Already laid: flamingo above the register, bear and fire truck to the right of where J1 will
    // lie.
    tiles.push_back(tile("flamingo", {zone("sports", {"flamingo"}), zone("dolls", {"nurse"})},
                         {1, 1}, {1, 1}, {0, 0}, {1, 1}));
    tiles.push_back(tile("bear", {zone("plush", {"bear"}), zone("dolls", {"princess"})}, {1, 1},
                         {1, 1}, {0, 0}, {1, 1}));
    tiles.push_back(tile(
        "J1",
        {zone("plush", {"rabbit"}), zone("vehicles", {"rocket"}), zone("sports", {"tricycle"})},
        {0, 0}, {1, 1}, {1, 1}, {1, 2}));
    tiles.push_back(tile("truck", {zone("vehicles", {"fire_truck"}), zone("plush", {"cat"})},
                         {1, 1}, {0, 0}, {1, 1}, {1, 1}));
    tiles.push_back(tile(
        "J2", {zone("sports", {"tricycle"}), zone("dolls", {"robot"}), zone("vehicles", {"train"})},
        {2, 1}, {0, 0}, {0, 0}, {2, 2}));
    for (int i = 0; i < 40; ++i)
        tiles.push_back(plain(("P" + std::to_string(i)).c_str(), "dolls", {"mermaid"}));
    Json registers = Json::array();
    registers.push_back(
        tile("R1", {zone("vehicles"), zone("sports")}, {1, 1}, {0, 1}, {0, 0}, {1, 1}));
    registers.push_back(plain_register("R2", "plush"));
    return {{"tiles", tiles}, {"register_tiles", registers}};
}

TEST(JouetsRules, WorkedExample_RabbitRocketTricyclePaysFive) {
    Shops game{setup_for({"Marie", "Paul"}, sheet_options())};
    play_events(game, "Marie", place("flamingo", 0, -1));
    game.play("Paul", place("P0", 1, 0));
    play_events(game, "Marie", place("bear", 1, -1));
    game.play("Paul", place("P1", 2, 0));
    const Json events = play_events(game, "Marie", place("J1", 1, 0));
    EXPECT_EQ(coins(events), 5) << events.dump();
    std::map<std::string, int> paid;
    for (const Json& area : events[0]["areas"]) paid[area["type"]] += area["toys"].get<int>();
    EXPECT_EQ(paid["plush"], 2);
    EXPECT_EQ(paid["vehicles"], 1);
    EXPECT_EQ(paid["sports"], 2);
}

TEST(JouetsRules, WorkedExample_TricycleRobotTrainPaysThree) {
    Shops game{setup_for({"Marie", "Paul"}, sheet_options())};
    for (const auto& [t, at] : std::vector<std::pair<std::string, std::pair<int, int>>>{
             {"flamingo", {0, -1}}, {"bear", {1, -1}}, {"J1", {1, 0}}, {"truck", {0, 1}}}) {
        game.play("Marie", place(t, at.first, at.second));
        game.play("Paul", place("P" + std::to_string(game.state.shops[1].tiles.size()),
                                static_cast<int>(game.state.shops[1].tiles.size()) % 3 + 1,
                                0 + (game.state.shops[1].tiles.size() >= 3)));
    }
    // J2 below J1 and to the right of the fire truck: its red meets the truck's and the rocket's.
    const Json events = play_events(game, "Marie", place("J2", 1, 1));
    ASSERT_EQ(events[0]["areas"].size(), 1U) << events.dump();
    EXPECT_EQ(coins(events), 3) << events.dump();
    EXPECT_EQ(events[0]["areas"][0]["type"], "vehicles");
}

TEST(JouetsRules, WorkedExample_RabbitCarFlamingoPaysTwoAndCompletesTheVehicles) {
    Json tiles = Json::array();
    tiles.push_back(plain("A", "vehicles", {"train", "rocket"}));
    tiles.push_back(plain("B", "vehicles", {"crane", "fire_truck"}));
    tiles.push_back(plain("C", "plush", {"cat"}));
    tiles.push_back(tile(
        "N", {zone("plush", {"rabbit"}), zone("vehicles", {"car"}), zone("sports", {"flamingo"})},
        {1, 1}, {2, 2}, {1, 2}, {0, 0}));
    for (int i = 0; i < 4; ++i)
        tiles.push_back(plain(("P" + std::to_string(i)).c_str(), "dolls", {"nurse"}));
    Json registers = {plain_register("R1", "dolls"), plain_register("R2", "plush")};
    Shops game{setup_for({"Marie", "Paul"}, {{"tiles", tiles}, {"register_tiles", registers}})};
    game.play("Marie", place("A", -1, 0));
    game.play("Paul", place("P0", 1, 0));
    game.play("Marie", place("B", 0, -1));
    game.play("Paul", place("P1", 2, 0));
    game.play("Marie", place("C", 0, 1));
    game.play("Paul", place("P2", 3, 0));
    const Json events = play_events(game, "Marie", place("N", 1, 1));
    EXPECT_EQ(coins(events), 2);
    ASSERT_EQ(events.size(), 2U);
    EXPECT_EQ(events[1]["event"], "reward");
    EXPECT_EQ(events[1]["reward"], "collection");
    EXPECT_EQ(events[1]["type"], "vehicles");
    EXPECT_EQ(game.player("Marie")["score"], 2) << "rewards are added at the end";
}

/// Two players fill their shops with the given tiles, row by row; the register is the first cell.
Shops filled(std::vector<Json> marie, std::vector<Json> paul, Json extra = Json::object()) {
    Json tiles = Json::array();
    for (std::size_t i = 0; i < 15; ++i) {
        for (auto* own : {&marie, &paul}) {
            Json t = i < own->size() ? (*own)[i]
                                     : tile("x", {zone("dolls")}, {0, 0}, {0, 0}, {0, 0}, {0, 0});
            t["id"] = (own == &marie ? "M" : "P") + std::to_string(i);
            tiles.push_back(t);
        }
    }
    extra["tiles"] = tiles;
    extra["register_tiles"] = {tile("R1", {zone("sports")}, {0, 0}, {0, 0}, {0, 0}, {0, 0}),
                               tile("R2", {zone("sports")}, {0, 0}, {0, 0}, {0, 0}, {0, 0})};
    Shops game{setup_for({"Marie", "Paul"}, extra)};
    for (int i = 0; i < 15; ++i) {
        const int cell = i + 1;
        const std::string first = game.turn(), second = first == "Marie" ? "Paul" : "Marie";
        game.play(first, place(first.substr(0, 1) + std::to_string(i), cell % 4, cell / 4));
        game.play(second, place(second.substr(0, 1) + std::to_string(i), cell % 4, cell / 4));
    }
    return game;
}

Json toys(const char* type, const char* toy, int count) {
    return plain("x", type, std::vector<std::string>(static_cast<std::size_t>(count), toy));
}

TEST(JouetsRules, WorkedExample_SevenDogsWinThePlushShowcase) {
    const Shops game = filled(
        {toys("plush", "bear", 5), toys("plush", "unicorn", 4), toys("plush", "rabbit", 4),
         toys("plush", "cat", 2)},
        {toys("plush", "dog", 7), toys("plush", "unicorn", 3), toys("plush", "cat", 3)});
    ASSERT_TRUE(game.view().finished);
    EXPECT_EQ(game.player("Marie")["rewards"], Json::array());
    EXPECT_EQ(game.player("Paul")["rewards"],
              Json::parse(R"([{"reward":"showcase","type":"plush"}])"));
}

TEST(JouetsRules, JOUETS_1_RegistersAndMarketAsGivenOrInOrder) {
    const Shops by_default{setup_for({"Ann", "Bob"})};
    EXPECT_EQ(by_default.board()["shops"]["Ann"]["register"], "R1");
    EXPECT_EQ(by_default.board()["shops"]["Bob"]["register"], "R2");
    EXPECT_TRUE(by_default.board()["market"].is_null());
    const Shops given{setup_for({"Ann", "Bob"}, {{"registers", {{"Ann", "R2"}}},
                                                 {"market", {"J01", "J02", "J03", "J04"}}})};
    EXPECT_EQ(given.board()["shops"]["Ann"]["register"], "R2");
    EXPECT_EQ(given.board()["shops"]["Bob"]["register"], "R1");
    EXPECT_EQ(given.board()["market"].size(), 4U);
}

TEST(JouetsRules, JOUETS_2_TheFirstPlayerBeginsAndTurnsGoRound) {
    Shops game{setup_for({"Ann", "Bob", "Cem"}, {{"first", "Cem"}})};
    EXPECT_EQ(game.check("Ann", place("J01", 1, 0)).verdict, Ruling::Verdict::not_your_turn);
    game.play("Cem", place("J01", 1, 0));
    EXPECT_EQ(game.turn(), "Ann");
}

TEST(JouetsRules, JOUETS_3_OnlyAnOpenTileMayBeTaken) {
    Shops game{setup_for({"Ann", "Bob"}, {{"market", {"J01", "J02", "J03", "J04"}}})};
    EXPECT_EQ(game.rule("Ann", place("J05", 1, 0)), "JOUETS-3");
    game.play("Ann", place("J01", 1, 0));
    EXPECT_EQ(game.board()["market"], Json({"J02", "J03", "J04"}));
    EXPECT_EQ(game.rule("Bob", place("J05", 1, 0)), "JOUETS-3");
}

TEST(JouetsRules, JOUETS_4_ATileTouchesWithAWholeSide) {
    Shops game{setup_for({"Ann", "Bob"})};
    EXPECT_EQ(game.rule("Ann", place("J01", 1, 1)), "JOUETS-4") << "a corner is not a side";
    EXPECT_EQ(game.rule("Ann", place("J01", 2, 0)), "JOUETS-4");
    EXPECT_EQ(game.rule("Ann", place("J01", 0, 0)), "JOUETS-4") << "the register lies there";
    EXPECT_TRUE(game.check("Ann", place("J01", 2, 0)).at) << "a refusal shows its place";
    EXPECT_EQ(game.rule("Ann", place("J01", 100000, 0)), "JOUETS-4");
    EXPECT_FALSE(game.check("Ann", place("J01", 100000, 0)).at) << "that is nowhere on the table";
    Move move = place("J01", 1, 0);
    move["offset"] = {9, 0};
    EXPECT_EQ(game.rule("Ann", move), "JOUETS-4");
    move["offset"] = {5, -5};
    game.play("Ann", move);
}

TEST(JouetsRules, JOUETS_5_TilesAreNeverTurned) {
    Shops game{setup_for({"Ann", "Bob"})};
    Move move = place("J01", 1, 0);
    for (const double bad : {M_PI / 2, M_PI, -M_PI / 2, 16 * M_PI / 180, 1e9 + 1.5}) {
        move["angle"] = bad;
        EXPECT_EQ(game.rule("Ann", move), "JOUETS-5") << bad;
    }
    for (const double good : {14 * M_PI / 180, -14 * M_PI / 180, 2 * M_PI, 0.0}) {
        move["angle"] = good;
        EXPECT_TRUE(game.check("Ann", move).legal()) << good;
    }
}

TEST(JouetsRules, JOUETS_6_TheShopFitsIntoFourByFour) {
    Shops game{setup_for({"Ann", "Bob"})};
    game.play("Ann", place("J01", -1, 0));
    game.play("Bob", place("J02", 1, 0));
    game.play("Ann", place("J03", 1, 0));
    game.play("Bob", place("J04", 2, 0));
    game.play("Ann", place("J05", 2, 0));
    game.play("Bob", place("J06", 3, 0));
    EXPECT_EQ(game.rule("Ann", place("J07", 3, 0)), "JOUETS-6");
    EXPECT_EQ(game.rule("Ann", place("J07", -2, 0)), "JOUETS-6");
    game.play("Ann", place("J07", -1, -1));
}

TEST(JouetsRules, JOUETS_7_ANewTileIsOpenedAfterwardsByAnyone) {
    Shops game{setup_for({"Ann", "Bob"}, {{"market", {"J01", "J02", "J03", "J04"}}})};
    EXPECT_EQ(game.rule("Bob", reveal("J05")), "JOUETS-7");
    game.play("Ann", place("J01", 1, 0));
    EXPECT_EQ(game.view().actions, (std::vector<std::string>{"place", "reveal"}));
    game.play("Ann", reveal("J05"));
    EXPECT_EQ(game.turn(), "Bob");
    EXPECT_EQ(game.board()["market"].size(), 4U);
    EXPECT_EQ(game.rule("Bob", reveal("J06")), "JOUETS-7");
}

TEST(JouetsRules, JOUETS_10_AreasRunThroughHalfSidesOnly) {
    // Left tile: plush above, dolls below on its east side. Right tile the other way round, then
    // the same.
    Json tiles = {tile("same", {zone("plush", {"cat"}), zone("dolls", {"nurse"})}, {0, 0}, {0, 1},
                       {1, 1}, {0, 1}),
                  tile("swapped", {zone("dolls", {"nurse"}), zone("plush", {"cat"})}, {0, 0},
                       {0, 1}, {1, 1}, {0, 1})};
    Json registers = {tile("R1", {zone("plush"), zone("dolls")}, {0, 0}, {0, 1}, {1, 1}, {0, 1}),
                      plain_register("R2", "sports")};
    for (const auto& [id, pays] : std::map<std::string, int>{{"same", 2}, {"swapped", 0}}) {
        Shops game{setup_for({"Ann", "Bob"}, {{"tiles", tiles}, {"register_tiles", registers}})};
        EXPECT_EQ(coins(play_events(game, "Ann", place(id, 1, 0))), pays) << id;
    }
    // Half-sides of n and s run from left to right.
    Json upright = {tile("R1", {zone("plush"), zone("dolls")}, {0, 1}, {1, 1}, {0, 1}, {0, 0}),
                    plain_register("R2", "sports")};
    Json below = {tile("same", {zone("plush", {"cat"}), zone("dolls", {"nurse"})}, {0, 1}, {1, 1},
                       {0, 1}, {0, 0}),
                  tile("swapped", {zone("dolls", {"nurse"}), zone("plush", {"cat"})}, {0, 1},
                       {1, 1}, {0, 1}, {0, 0})};
    for (const int row : {1, -1})
        for (const auto& [id, pays] : std::map<std::string, int>{{"same", 2}, {"swapped", 0}}) {
            Shops game{setup_for({"Ann", "Bob"}, {{"tiles", below}, {"register_tiles", upright}})};
            EXPECT_EQ(coins(play_events(game, "Ann", place(id, 0, row))), pays) << id;
        }
}

TEST(JouetsRules, JOUETS_11_EachExtendedAreaPaysAllItsToysOnce) {
    Json tiles = {plain("A", "plush", {"cat"}), plain("B", "plush", {"dog"}),
                  plain("C", "plush", {"bear"}), plain("P", "dolls", {})};
    Json registers = {plain_register("R1", "plush"), plain_register("R2", "sports")};
    Shops game{setup_for({"Ann", "Bob"}, {{"tiles", tiles}, {"register_tiles", registers}})};
    EXPECT_EQ(coins(play_events(game, "Ann", place("A", 1, 0))), 1)
        << "the register starts an area, itself without toys";
    game.play("Bob", place("P", 1, 0));
    EXPECT_EQ(coins(play_events(game, "Ann", place("B", -1, 0))), 2)
        << "joined through the register";
}

TEST(JouetsRules, JOUETS_12_AZoneThatMeetsNothingOfItsColourPaysNothing) {
    Json tiles = {plain("A", "dolls", {"nurse"}), plain("B", "plush", {"dog"})};
    Json registers = {plain_register("R1", "plush"), plain_register("R2", "sports")};
    Shops game{setup_for({"Ann", "Bob"}, {{"tiles", tiles}, {"register_tiles", registers}})};
    const Json events = play_events(game, "Ann", place("A", 1, 0));
    EXPECT_EQ(coins(events), 0);
    EXPECT_TRUE(events[0]["areas"].empty());
}

TEST(JouetsRules, JOUETS_13_TenCoinsAreABillAndTheTrackStartsAtOne) {
    Shops game{setup_for({"Ann", "Bob"})};
    for (const auto& [c, bills, square] :
         std::vector<std::array<int, 3>>{{0, 0, 1}, {9, 0, 10}, {10, 1, 1}, {27, 2, 8}}) {
        game.state.shops[0].coins = c;
        EXPECT_EQ(game.player("Ann")["score"], c);
        EXPECT_EQ(game.player("Ann")["bills"], bills);
        EXPECT_EQ(game.player("Ann")["square"], square);
    }
}

TEST(JouetsRules, JOUETS_20_OnlyTheFirstTakesACollection) {
    std::vector<std::string> all = {"train", "car", "crane", "fire_truck", "rocket"};
    Json tiles = {plain("A", "vehicles", all), plain("B", "vehicles", all),
                  plain("C", "vehicles", all)};
    Shops game{setup_for({"Ann", "Bob"}, {{"tiles", tiles}})};
    EXPECT_EQ(play_events(game, "Ann", place("A", 1, 0)).size(), 2U);
    EXPECT_EQ(play_events(game, "Bob", place("B", 1, 0)).size(), 1U);
    EXPECT_EQ(play_events(game, "Ann", place("C", 2, 0)).size(), 1U) << "not twice either";
    EXPECT_EQ(game.board()["collections"]["vehicles"], "Ann");
}

TEST(JouetsRules, JOUETS_21_EqualsAllGetAShowcaseTheYoungestTheToken) {
    const Shops game = filled({toys("plush", "bear", 3)}, {toys("plush", "dog", 3)},
                              {{"youngest", "Paul"}});
    EXPECT_EQ(game.player("Paul")["rewards"],
              Json::parse(R"([{"reward":"showcase","type":"plush"}])"));
    EXPECT_EQ(game.player("Marie")["rewards"],
              Json::parse(R"([{"reward":"extra","type":"plush"}])"));
    const Shops first = filled({toys("plush", "bear", 3)}, {toys("plush", "dog", 3)},
                               {{"first", "Marie"}});
    EXPECT_EQ(first.player("Marie")["rewards"][0]["reward"], "showcase");
}

TEST(JouetsRules, JOUETS_22_EveryRewardIsFiveCoinsAtTheEnd) {
    // Marie: the vehicles' collection and showcase, and the plush showcase; areas pay nothing here.
    const Shops game = filled(
        {toys("plush", "bear", 3),
         plain("x", "vehicles", {"train", "car", "crane", "fire_truck", "rocket"})},
        {toys("plush", "dog", 2)});
    EXPECT_EQ(game.player("Marie")["rewards"].size(), 3U);
    EXPECT_EQ(game.player("Marie")["score"], 15);
    EXPECT_EQ(game.player("Marie")["bills"], 1);
    EXPECT_EQ(game.player("Marie")["square"], 6);
    EXPECT_EQ(game.player("Paul")["score"], 0);
}

TEST(JouetsRules, JOUETS_30_TheGameEndsWithFifteenTilesEach) {
    Shops game = filled({}, {});
    EXPECT_TRUE(game.view().finished);
    EXPECT_EQ(game.rule("Marie", place("M0", 1, 0)), "JOUETS-30");
    EXPECT_TRUE(Jouets::legal_moves(game.state).empty());
}

TEST(JouetsRules, JOUETS_31_BillsThenTheSquareThenShared) {
    Shops game = filled({}, {});
    const auto winners = [&](int ann, int bob) {
        game.state.shops[0].coins = ann;
        game.state.shops[1].coins = bob;
        return game.view().winners;
    };
    EXPECT_EQ(winners(20, 19), std::vector<int>{0});
    EXPECT_EQ(winners(23, 25), std::vector<int>{1});
    EXPECT_EQ(winners(23, 23), (std::vector<int>{0, 1}));
}

TEST(JouetsRules, JOUETS_COUNT_EveryTileExistsOnce) {
    Shops game{setup_for({"Ann", "Bob"})};
    game.play("Ann", place("J01", 1, 0));
    EXPECT_EQ(game.rule("Bob", place("J01", 1, 0)), "JOUETS-COUNT");
    EXPECT_EQ(game.rule("Bob", reveal("J01")), "JOUETS-COUNT");
    EXPECT_EQ(game.rule("Bob", place("J99", 1, 0)), "JOUETS-COUNT");
    Shops open{setup_for({"Ann", "Bob"}, {{"market", {"J01", "J02", "J03"}}})};
    EXPECT_EQ(open.rule("Bob", reveal("J01")), "JOUETS-COUNT");
}

TEST(JouetsRules, JOUETS_R1_AnUnknownMarketAllowsAnyTileAndIsKnownOnceFourLieOpen) {
    Shops game{setup_for({"Ann", "Bob"})};
    EXPECT_TRUE(game.check("Ann", place("J64", 1, 0)).legal());
    for (const char* id : {"J01", "J02", "J03", "J04"}) game.play("Bob", reveal(id));
    EXPECT_EQ(game.rule("Ann", place("J64", 1, 0)), "JOUETS-3");
}

TEST(JouetsRules, JOUETS_R2_TwoZonesThatJoinOneAreaPayOnce) {
    Json tiles = {
        tile("A", {zone("plush", {"cat"}), zone("plush", {"dog"})}, {0, 1}, {1, 1}, {0, 1}, {0, 1}),
        plain("P", "dolls", {})};
    Json registers = {plain_register("R1", "plush"), plain_register("R2", "sports")};
    Shops game{setup_for({"Ann", "Bob"}, {{"tiles", tiles}, {"register_tiles", registers}})};
    const Json events = play_events(game, "Ann", place("A", 1, 0));
    EXPECT_EQ(events[0]["areas"].size(), 1U);
    EXPECT_EQ(coins(events), 2);
}

TEST(JouetsRules, JOUETS_R3_NobodyIsRewardedForNoToys) {
    const Shops game = filled({}, {});
    EXPECT_TRUE(game.player("Marie")["rewards"].empty());
    EXPECT_TRUE(game.player("Paul")["rewards"].empty());
}

TEST(JouetsRules, JOUETS_R4_ExtraRewardsNeverRunOut) {
    Shops game{setup_for({"Ann", "Bob", "Cem", "Dan"})};
    // Four equals in four types need twelve extra rewards; eight are in the box.
    for (auto& shop : game.state.shops) shop.tiles.clear();
    Json tiles = Json::array();
    for (int i = 0; i < 60; ++i) {
        Json t = i < 4 ? tile("x",
                              {zone("plush", {"cat"}), zone("dolls", {"nurse"}),
                               zone("vehicles", {"car"}), zone("sports", {"ball"})},
                              {0, 1}, {1, 2}, {3, 2}, {0, 3})
                       : tile("x", {zone("dolls")}, {0, 0}, {0, 0}, {0, 0}, {0, 0});
        t["id"] = "T" + std::to_string(i);
        tiles.push_back(t);
    }
    Shops full{setup_for({"Ann", "Bob", "Cem", "Dan"}, {{"tiles", tiles}})};
    for (int i = 0; i < 60; ++i)
        full.play(full.turn(), place("T" + std::to_string(i), (i / 4 + 1) % 4, (i / 4 + 1) / 4));
    ASSERT_TRUE(full.view().finished);
    int extra = 0;
    for (const auto& shop : full.state.shops)
        extra += static_cast<int>(std::count_if(shop.rewards.begin(), shop.rewards.end(),
                                                [](const auto& r) { return r.kind == "extra"; }));
    EXPECT_EQ(extra, 12);
}

TEST(JouetsRules, JOUETS_R5_AnEmptyPileOpensNothing) {
    Json tiles = {plain("A", "plush", {}), plain("B", "plush", {}), plain("C", "plush", {}),
                  plain("D", "plush", {})};
    Shops game{setup_for({"Ann", "Bob"}, {{"tiles", tiles}, {"market", {"A", "B", "C", "D"}}})};
    game.play("Ann", place("A", 1, 0));
    EXPECT_EQ(game.view().actions, std::vector<std::string>{"place"});
    EXPECT_EQ(game.board()["pile"], 0);
    game.play("Bob", place("B", 1, 0));
}

TEST(JouetsRules, UnderstandsNoNonsenseAndNeverThrows) {
    const Shops game{setup_for({"Ann", "Bob"})};
    auto moves = testing::hostile_moves();
    for (const Json& bad : {Json(1e308), Json("x"), Json(), Json::array(), Json({1, 2, 3}),
                            Json({1.5, 0}), Json({"a", "b"}), Json::object(), Json(true)}) {
        moves.push_back({{"type", "place"}, {"tile", "J01"}, {"at", bad}});
        moves.push_back({{"type", "place"}, {"tile", bad}, {"at", {0, 1}}});
        moves.push_back({{"type", "reveal"}, {"tile", bad}});
        if (!bad.is_null() && bad != Json({1.5, 0}))
            moves.push_back({{"type", "place"}, {"tile", "J01"}, {"at", {0, 1}}, {"offset", bad}});
    }
    moves.push_back({{"type", "place"}, {"tile", "J01"}, {"at", {0, 1}}, {"angle", "up"}});
    moves.push_back({{"type", "place"}, {"tile", "J01"}, {"at", {1e300, 1}}});
    for (const Json& move : moves) EXPECT_FALSE(game.check("Ann", move).legal()) << move.dump();
    EXPECT_EQ(game.rule("Ann", Json(3)), "MOVE");
    EXPECT_EQ(Jouets::judge(game.state, -1, place("J01", 1, 0)).verdict,
              Ruling::Verdict::not_your_turn);
}

TEST(JouetsRules, RefusesOptionsThatMakeNoSense) {
    for (const Json& options :
         {Json{{"tiles", 3}}, Json{{"tiles", Json::array()}},
          Json{{"tiles", {plain("A", "plush", {}), plain("A", "plush", {})}}},
          Json{{"tiles", {plain("A", "soup", {})}}},
          Json{{"tiles", {tile("A", {zone("plush")}, {0, 9}, {0, 0}, {0, 0}, {0, 0})}}},
          Json{{"market", {"J01", "J01"}}}, Json{{"market", "J01"}},
          Json{{"market", {"J01", "J02", "J03", "J04", "J05"}}},
          Json{{"registers", {{"Ann", "R9"}}}}, Json{{"registers", {{"Ann", "R1"}, {"Bob", "R1"}}}},
          Json{{"registers", 4}}, Json{{"first", "Zoe"}}, Json{{"youngest", 7}},
          Json{{"register_tiles", {plain("R1", "plush", {})}}}}) {
        const auto begun = Jouets::start(setup_for({"Ann", "Bob"}, options));
        ASSERT_FALSE(begun.has_value()) << options.dump();
        EXPECT_EQ(begun.error().rule, "SETUP");
    }
}

TEST(JouetsData, SixtyFourDistinctTilesWithToysEvenlySpread) {
    const Shops game{setup_for({"Ann", "Bob"})};
    const auto& set = *game.state.set;
    ASSERT_EQ(set.toys.size(), 64U);
    ASSERT_EQ(set.registers.size(), 4U);
    std::map<std::string, int> toys;
    std::set<std::string> looks;
    for (const auto& t : set.toys) {
        ASSERT_EQ(t.zones.size(), 3U);
        std::string look;
        for (const auto& z : t.zones) {
            ASSERT_EQ(z.toys.size(), 1U);
            ++toys[z.toys[0]];
            look += z.toys[0] + " ";
        }
        for (const auto& side : t.sides) look += std::to_string(side[0]) + std::to_string(side[1]);
        looks.insert(look);
    }
    EXPECT_EQ(looks.size(), 64U);
    EXPECT_EQ(toys.size(), 20U);
    for (const auto& [toy, count] : toys) EXPECT_TRUE(count == 9 || count == 10) << toy;
    for (const auto& r : set.registers)
        for (const auto& z : r.zones) EXPECT_TRUE(z.toys.empty());
}

std::vector<Move> read_moves(const jouets::State& state, const Observation& seen) {
    std::vector<Move> moves;
    const Reading reading = Jouets::read(state, seen);
    if (reading.choices.size() == 1)
        for (const auto& move : reading.choices[0].moves) moves.push_back(move.move);
    return moves;
}

Shops with_market(int players = 2) {
    std::vector<std::string> names = {"Ann", "Bob", "Cem", "Dan"};
    names.resize(static_cast<std::size_t>(players));
    return Shops{setup_for(names, {{"market", {"J01", "J02", "J03", "J04"}}})};
}

Piece& piece_of(Observation& scene, const std::string& face) {
    return *std::find_if(scene.pieces.begin(), scene.pieces.end(),
                         [&](const Piece& p) { return p.face == face; });
}

TEST(JouetsReading, FindsEveryMoveOfWholeRandomGamesOnAnySeat) {
    std::mt19937 dice{5};
    for (int players = 2; players <= 4; ++players) {
        Shops game = with_market(players);
        while (!game.view().finished) {
            const auto moves = Jouets::legal_moves(game.state);
            ASSERT_FALSE(moves.empty());
            const PlayerMove& move = moves[dice() % moves.size()];
            const auto after = Jouets::apply(game.state, move.player, move.move).state;
            ASSERT_EQ(read_moves(game.state, Jouets::scene_of(after)),
                      std::vector<Move>{move.move});
            game.state = after;
        }
    }
}

TEST(JouetsReading, WholeGamesLaidCarelesslyAreReadWithoutAMistake) {
    std::mt19937 dice{77};
    std::uniform_real_distribution<double> off{-2.5, 2.5}, turn{-0.05, 0.05};
    for (int players = 2; players <= 4; ++players) {
        Shops game = with_market(players);
        std::map<std::string, std::array<double, 3>>
            laid;  // how far off its place each tile came to lie
        while (!game.view().finished) {
            const auto moves = Jouets::legal_moves(game.state);
            const PlayerMove& move = moves[dice() % moves.size()];
            const auto after = Jouets::apply(game.state, move.player, move.move).state;
            auto scene = Jouets::scene_of(after);
            for (Piece& piece : scene.pieces) {
                auto& [dx, dy, da] = laid.try_emplace(*piece.face,
                                                      std::array{off(dice), off(dice), turn(dice)})
                                         .first->second;
                piece.x += dx;
                piece.y += dy;
                piece.angle += da;
            }
            const auto read = read_moves(game.state, scene);
            ASSERT_EQ(read.size(), 1U);
            ASSERT_EQ(read[0]["tile"], move.move["tile"]);
            ASSERT_EQ(read[0].value("at", Json()), move.move.value("at", Json()));
            game.state = after;
        }
    }
}

TEST(JouetsReading, AShopLaidAskewAndOffItsPlaceReadsAsWell) {
    Shops game = with_market();
    game.play("Ann", place("J01", 1, 0));
    game.play("Ann", reveal("J05"));
    game.play("Bob", place("J02", 0, 1));
    game.play("Ann", reveal("J06"));
    const auto before = game.state;
    game.play("Ann", place("J03", 2, 0));
    auto scene = Jouets::scene_of(game.state);
    const Pose shop = jouets::layout().shop("s");
    for (const char* face : {"R1", "J01", "J03"}) {
        Piece& piece = piece_of(scene, face);
        const Point moved = Point{shop.x + 12, shop.y - 9} +
                            rotated(Point{piece.x, piece.y} - Point{shop.x, shop.y}, 0.09);
        piece.x = moved.x;
        piece.y = moved.y;
        piece.angle += 0.09;
    }
    EXPECT_EQ(read_moves(before, scene), std::vector<Move>{place("J03", 2, 0)});
}

TEST(JouetsReading, AHalfLaidTileIsNotAMove) {
    Shops game = with_market();
    const auto before = game.state;
    game.play("Ann", place("J01", 1, 0));
    for (const auto& [dx, turn, rule] : std::vector<std::tuple<double, double, std::string>>{
             {12, 0, "JOUETS-4"}, {0, 0.5, "JOUETS-5"}}) {
        auto scene = Jouets::scene_of(game.state);
        piece_of(scene, "J01").x += dx;
        piece_of(scene, "J01").angle += turn;
        const Reading reading = Jouets::read(before, scene);
        EXPECT_TRUE(reading.choices.empty());
        ASSERT_TRUE(reading.attention);
        EXPECT_EQ(reading.attention->rule, rule);
        EXPECT_TRUE(reading.attention->at);
    }
}

TEST(JouetsReading, PlaceAndRevealInOneGo) {
    Shops game = with_market();
    const auto before = game.state;
    game.play("Ann", place("J01", 1, 0));
    game.play("Ann", reveal("J09"));
    const auto moves = read_moves(before, Jouets::scene_of(game.state));
    EXPECT_EQ(moves, (std::vector<Move>{place("J01", 1, 0), reveal("J09")}));
}

TEST(JouetsReading, AGapFilledAndATilePlacedInOneGoIsNoQuestion) {
    Shops game = with_market();
    game.play("Ann", place("J01", 1, 0));
    const auto before = game.state;
    game.play("Bob", reveal("J09"));
    game.play("Bob", place("J02", 1, 0));
    const auto moves = read_moves(before, Jouets::scene_of(game.state));
    EXPECT_EQ(moves, (std::vector<Move>{reveal("J09"), place("J02", 1, 0)}));
}

TEST(JouetsReading, ATileInTheWrongShopNeedsAPerson) {
    Shops game = with_market();
    Shops other{
        setup_for({"Ann", "Bob"}, {{"market", {"J01", "J02", "J03", "J04"}}, {"first", "Bob"}})};
    other.play("Bob", place("J01", 1, 0));
    const Reading reading = Jouets::read(game.state, Jouets::scene_of(other.state));
    ASSERT_TRUE(reading.attention);
    EXPECT_EQ(reading.attention->verdict, Ruling::Verdict::not_your_turn);
}

TEST(JouetsReading, LegalityDecidesAmongAlternatives) {
    Shops game = with_market();
    const auto before = game.state;
    game.play("Ann", place("J02", 1, 0));
    auto scene = Jouets::scene_of(game.state);
    Piece& piece = piece_of(scene, "J02");
    piece.face.reset();
    piece.alternatives = {{"J40", 0.5}, {"J02", 0.4}};
    EXPECT_EQ(read_moves(before, scene), std::vector<Move>{place("J02", 1, 0)});
}

TEST(JouetsReading, DoubtAboutAKnownTileIsNoMove) {
    Shops game = with_market();
    game.play("Ann", place("J01", 1, 0));
    auto scene = Jouets::scene_of(game.state);
    for (const char* face : {"J01", "J02", "R1"}) {
        Piece& piece = piece_of(scene, face);
        piece.alternatives = {{face, 0.4}};
        piece.face = "J50";
    }
    const Reading reading = Jouets::read(game.state, scene);
    EXPECT_TRUE(reading.choices.empty());
    EXPECT_FALSE(reading.attention) << reading.attention->message.key;
}

TEST(JouetsReading, TheOpenTilesKeepTheirPlaces) {
    Shops game = with_market();
    const auto where = [&](const char* face) {
        auto scene = Jouets::scene_of(game.state);
        return piece_of(scene, face).x;
    };
    const double x1 = where("J01"), x3 = where("J03");
    game.play("Ann", place("J01", 1, 0));
    EXPECT_EQ(where("J03"), x3);
    game.play("Ann", reveal("J09"));
    EXPECT_EQ(where("J09"), x1);
}

TEST(JouetsReading, AMissingTileNeedsAPerson) {
    Shops game = with_market();
    game.play("Ann", place("J01", 1, 0));
    auto scene = Jouets::scene_of(game.state);
    scene.pieces.erase(std::find_if(scene.pieces.begin(), scene.pieces.end(),
                                    [](const Piece& p) { return p.face == "J01"; }));
    const Reading reading = Jouets::read(game.state, scene);
    ASSERT_TRUE(reading.attention);
    EXPECT_EQ(reading.attention->message.key, "jouets.tile_missing");
}

TEST(JouetsReading, ATileInSomebodysHandMeansNothingYet) {
    Shops game = with_market();
    auto scene = Jouets::scene_of(game.state);
    scene.pieces.erase(std::find_if(scene.pieces.begin(), scene.pieces.end(),
                                    [](const Piece& p) { return p.face == "J01"; }));
    const Reading reading = Jouets::read(game.state, scene);
    EXPECT_TRUE(reading.choices.empty());
    EXPECT_FALSE(reading.attention);
}

TEST(JouetsHints, AreTheBestOfAllPlacements) {
    std::mt19937 dice{9};
    Shops game = with_market();
    while (!game.view().finished) {
        const auto hints = Jouets::hints(game.state, 3);
        int best = -1;
        const auto moves = Jouets::legal_moves(game.state);
        for (const PlayerMove& move : moves)
            if (move.move["type"] == "place")
                best = std::max(best, Jouets::apply(game.state, move.player, move.move)
                                          .events[0]["coins"]
                                          .get<int>());
        if (best >= 0) {
            ASSERT_FALSE(hints.empty());
            ASSERT_EQ(hints[0].value, best);
            ASSERT_EQ(Jouets::apply(game.state, game.state.turn, hints[0].move).events[0]["coins"],
                      best);
        }
        const PlayerMove& move = moves[dice() % moves.size()];
        game.state = Jouets::apply(game.state, move.player, move.move).state;
        ASSERT_FALSE(Jouets::marks(game.state).empty());
    }
}

}  // namespace
}  // namespace overboard::rules
