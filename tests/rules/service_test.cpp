#include <gmock/gmock.h>

#include "bus/codec.hpp"
#include "bus/messages.hpp"
#include "rules/games.hpp"
#include "tests/rules/service_fixture.hpp"

namespace overboard::rules::testing {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;

TEST_F(ServiceTest, AnswersPingAndListsItsGames) {
    EXPECT_TRUE(call("service.ping").contains("version"));
    const Json games = call("games.list").at("games");
    ASSERT_FALSE(games.empty());
    EXPECT_EQ(games[0].at("id"), "carrom");
    EXPECT_THAT(games[0].at("variants").get<std::vector<std::string>>(),
                Contains("tower+open-line"));
}

TEST_F(ServiceTest, StartsAMatchAndTellsIt) {
    const Json state = call(
        "match.start",
        {{"game", "carrom"}, {"players", {{{"name", "Ada"}}, {{"name", "Bo"}, {"seat", "w"}}}}});
    EXPECT_EQ(state.at("phase"), "playing");
    EXPECT_EQ(state.at("seq"), 0);
    EXPECT_EQ(state.at("turn").at("player"), "Ada");
    EXPECT_EQ(state.at("players")[0].at("seat"), "s");
    EXPECT_EQ(state.at("players")[1].at("seat"), "w");
    EXPECT_EQ(state.at("board").at("blue_left"), 12);
    EXPECT_THAT(events(), ElementsAre("match.started", "turn.changed", "match.state"));
    EXPECT_EQ(told.back().topic, "marks");
    EXPECT_TRUE(decode_match_state(last("match.state")->dump()))
        << "the repeated state must read as a State";
}

TEST_F(ServiceTest, RefusesMatchesThatCannotStart) {
    const auto code = [&](Json params) {
        return refuse("match.start", params).at("code").get<int>();
    };
    const Json two = {{{"name", "Ada"}}, {{"name", "Bo"}}};
    EXPECT_EQ(code({{"game", "chess"}, {"players", two}}), 1002);
    EXPECT_EQ(code({{"players", two}}), -32602);
    EXPECT_EQ(code({{"game", "carrom"}}), -32602);
    EXPECT_EQ(code({{"game", "carrom"}, {"players", Json::array()}}), -32602);
    EXPECT_EQ(code({{"game", "carrom"}, {"players", {{{"name", ""}}}}}), -32602);
    EXPECT_EQ(code({{"game", "carrom"}, {"players", {{{"name", "  "}}}}}), -32602);
    EXPECT_EQ(code({{"game", "carrom"}, {"players", {{{"name", "Ada"}}, {{"name", "Ada"}}}}}),
              -32602);
    EXPECT_EQ(code({{"game", "carrom"}, {"players", {{{"name", 3}}}}}), -32602);
    EXPECT_EQ(code({{"game", "carrom"}, {"players", {{{"name", std::string(5000, 'x')}}}}}),
              -32602);
    EXPECT_EQ(code({{"game", "carrom"}, {"players", two}, {"variant", "upside-down"}}), -32602);
    EXPECT_EQ(code({{"game", "carrom"}, {"players", two}, {"variant", 7}}), -32602);
    EXPECT_EQ(code({{"game", "carrom"}, {"players", two}, {"options", 7}}), -32602);
    EXPECT_EQ(code({{"game", "carrom"}, {"players", two}, {"options", {{"first", "Zoe"}}}}),
              -32602);
    EXPECT_EQ(code({{"game", "carrom"}, {"players", two}, {"options", {{"board", "moon"}}}}),
              -32602);
    EXPECT_EQ(code({{"game", "gayplay"}, {"players", {{{"name", "Ada"}}}}}), -32602);
    EXPECT_EQ(code({{"game", "carrom"}, {"players", {{{"name", "Ada"}, {"seat", "up"}}}}}), -32602);
    EXPECT_NE(refuse("match.start", {{"game", "carrom"}, {"players", {{{"name", ""}}}}})
                  .at("data")
                  .at("reason"),
              "");
    EXPECT_TRUE(call("match.list").at("matches").empty()) << "nothing of this may be stored";
}

TEST_F(ServiceTest, RefusesMovesWithRuleKeyArgumentsAndReason) {
    const std::string m = start("carrom", {"Ada", "Bo"});
    const auto refusal = [&](const std::string& player, Json mv) {
        return refuse("match.move", {{"match", m}, {"player", player}, {"move", mv}});
    };
    EXPECT_EQ(refusal("Bo", shot(1)).at("code"), 1003);
    EXPECT_EQ(refusal("Bo", shot(1)).at("message"), "not_your_turn");
    const Json count = refusal("Ada", shot(13));
    EXPECT_EQ(count.at("code"), 1004);
    EXPECT_EQ(count.at("message"), "illegal_move");
    EXPECT_EQ(count.at("data").at("rule"), "CARROM-COUNT");
    EXPECT_EQ(count.at("data").at("key"), "carrom.too_many_discs");
    EXPECT_EQ(count.at("data").at("args").at("left"), 12);
    EXPECT_NE(count.at("data").at("reason").get<std::string>().find("13"), std::string::npos);
    const Json placed = refusal("Ada", {{"type", "place_striker"}, {"at", {0, 0}}});
    EXPECT_EQ(placed.at("data").at("rule"), "CARROM-3");
    EXPECT_EQ(placed.at("data").at("at").size(), 2u);
    EXPECT_EQ(refusal("Ada", Json(7)).at("data").at("rule"), "MOVE");
    EXPECT_EQ(refusal("Ada", {{"type", "fly"}}).at("data").at("rule"), "MOVE");
    EXPECT_EQ(refusal("Zoe", shot(1)).at("code"), -32602);
    EXPECT_EQ(
        refuse("match.move", {{"match", "m99"}, {"player", "Ada"}, {"move", shot(1)}}).at("code"),
        1001);
    EXPECT_EQ(refuse("match.move", {{"match", 5}, {"player", "Ada"}, {"move", shot(1)}}).at("code"),
              -32602);
    EXPECT_EQ(refuse("match.move", {{"match", m}, {"player", "Ada"}}).at("code"), -32602);
    EXPECT_NE(last("move.rejected"), nullptr);
    EXPECT_EQ(call("match.state", {{"match", m}}).at("seq"), 0);
}

TEST_F(ServiceTest, EveryErrorCarriesRuleKeyArgumentsAndReason) {
    const Json pair = {{{"name", "Ada"}}, {{"name", "Bo"}}};
    const Json same = {{{"name", "Ada"}}, {{"name", "Ada"}}};
    const std::string m = start("topit", {"Ada", "Bo"});
    const std::vector<std::pair<Json, std::string>> asked = {
        {refuse("match.start", {{"game", "topit"}, {"players", same}}), "rules.same_name"},
        {refuse("match.start", {{"game", "gayplay"}, {"players", {{{"name", "Ada"}}}}}),
         "rules.player_count"},
        {refuse("match.start", {{"game", "topit"}, {"players", pair}, {"variant", "moon"}}),
         "rules.no_variant"},
        {refuse("match.start", {{"game", "topit"}, {"players", {{{"name", " "}}}}}),
         "rules.name_empty"},
        {refuse("match.correct", {{"match", m}, {"seq", 1}, {"move", 7}}), "rules.bad_request"},
        {refuse("match.fly", Json::object()), "rules.bad_request"},
        {Json::parse(service->handle("[]")).at("error"), "rules.bad_request"},
        {Json::parse(service->handle("{")).at("error"), "rules.bad_request"}};
    for (const auto& [error, key] : asked) {
        EXPECT_EQ(error.at("data").at("key"), key) << error;
        EXPECT_FALSE(error.at("data").at("rule").get<std::string>().empty()) << error;
        EXPECT_TRUE(error.at("data").at("args").is_object()) << error;
        EXPECT_EQ(error.at("data").at("reason"),
                  Messages::shared().text("en", key, error.at("data").at("args")));
    }
}

TEST_F(ServiceTest, AMoveWithAnUnknownValueIsRefusedByTheNameOfItsKey) {
    const Json pose = {{"x", 600}, {"y", 300}, {"angle", 0}};
    const std::vector<std::tuple<std::string, Json, std::string>> moves = {
        {"topit", {{"type", "hop"}}, "type"},
        {"topit", {{"type", "place"}, {"shape", "circle"}, {"pose", pose}}, "shape"},
        {"topit",
         {{"type", "place"}, {"shape", "hexagon"}, {"colour", "pink"}, {"pose", pose}},
         "colour"},
        {"topit", {{"type", "place"}, {"shape", "hexagon"}, {"pose", 5}}, "pose"},
        {"gotown", {{"type", "hop"}}, "type"},
        {"gotown", {{"type", "guard"}, {"floor", "top"}}, "floor"},
        {"jouets", {{"type", "place"}, {"tile", "J01"}, {"at", {1}}}, "at"},
        {"jouets", {{"type", "place"}, {"tile", "J01"}, {"at", {1, 0}}, {"angle", "n"}}, "angle"}};
    for (const auto& [game, asked, key] : moves) {
        const std::string m = start(game, {"Ada", "Bo"});
        const Json error = refuse("match.move", {{"match", m}, {"player", "Ada"}, {"move", asked}});
        EXPECT_EQ(error.at("data").at("rule"), "MOVE") << asked;
        EXPECT_EQ(error.at("data").at("args").at("key"), key) << asked;
    }
}

TEST_F(ServiceTest, AnOptionalParameterThatIsNullIsAbsentAndOneOfTheWrongTypeAnError) {
    const std::string m = start("carrom", {"Ada", "Bo"});
    move(m, "Ada", shot(0));
    EXPECT_EQ(
        call("match.check", {{"match", m}, {"player", "Bo"}, {"move", shot(1)}, {"seq", nullptr}})
            .at("legal"),
        true);
    EXPECT_FALSE(call("match.legal", {{"match", m}, {"seq", nullptr}}).at("moves").empty());
    const Json corrected = {{"match", m}, {"seq", 1}, {"move", shot(1)}, {"player", nullptr}};
    EXPECT_EQ(call("match.correct", corrected).at("state").at("players")[0].at("score"), 1);
    EXPECT_EQ(refuse("match.correct", {{"match", m}, {"seq", 1}, {"move", shot(2)}, {"player", 5}})
                  .at("code"),
              -32602);
}

TEST_F(ServiceTest, CheckAndPlacementChangeNothing) {
    const std::string m = start("carrom", {"Ada", "Bo"});
    const Json before = call("match.state", {{"match", m}});
    const std::size_t said = told.size();
    EXPECT_EQ(call("match.check", {{"match", m}, {"player", "Ada"}, {"move", shot(2)}}),
              (Json{{"legal", true}}));
    const Json no = call("match.check", {{"match", m}, {"player", "Bo"}, {"move", shot(2)}});
    EXPECT_EQ(no.at("legal"), false);
    EXPECT_TRUE(no.contains("rule") && no.contains("reason"));
    EXPECT_EQ(move(m, "Ada", {{"type", "place_striker"}, {"at", {0, 142}}}).at("seq"), 0);
    EXPECT_EQ(call("match.state", {{"match", m}}), before);
    EXPECT_EQ(told.size(), said);
    EXPECT_TRUE(call("match.log", {{"match", m}}).at("history").empty());
}

TEST_F(ServiceTest, MovesAnswerWithSeqStateAndEvents) {
    const std::string m = start("carrom", {"Ada", "Bo"});
    const Json done = move(m, "Ada", shot(2));
    EXPECT_EQ(done.at("seq"), 1);
    EXPECT_EQ(done.at("state").at("players")[0].at("score"), 2);
    EXPECT_EQ(done.at("events")[0].at("event"), "scored");
    EXPECT_EQ(done.at("events")[0].at("points"), 2);
    EXPECT_EQ(last("scored")->at("match"), m);
    EXPECT_EQ(last("scored")->at("seq"), 1);
    move(m, "Ada", shot(0));
    EXPECT_EQ(last("turn.changed")->at("player"), "Bo");
}

TEST_F(ServiceTest, UndoBringsBackTheVeryStateBefore) {
    const std::string m = start("carrom", {"Ada", "Bo"});
    EXPECT_EQ(refuse("match.undo", {{"match", m}}).at("code"), 1006);
    move(m, "Ada", shot(1));
    const Json before = call("match.state", {{"match", m}});
    move(m, "Ada", shot(3, true));
    EXPECT_EQ(call("match.undo", {{"match", m}}), before);
    EXPECT_EQ(call("match.state", {{"match", m}}), before);
    EXPECT_EQ(last("match.undone")->at("seq"), 1);
    EXPECT_EQ(call("match.log", {{"match", m}}).at("moves").size(), 1u);
    EXPECT_EQ(call("match.log", {{"match", m}}).at("history").size(), 3u)
        << "nothing is ever deleted";
}

TEST_F(ServiceTest, CorrectPlaysEverythingAgainAndReportsWhatBecameIllegal) {
    const std::string m = start("carrom", {"Ada", "Bo"});
    move(m, "Ada", shot(1));
    move(m, "Ada", shot(0));
    move(m, "Bo", shot(2));
    const Json fine = call("match.correct", {{"match", m}, {"seq", 1}, {"move", shot(3)}});
    EXPECT_TRUE(fine.at("illegal").empty());
    EXPECT_EQ(fine.at("state").at("players")[0].at("score"), 3);
    EXPECT_EQ(fine.at("state").at("players")[1].at("score"), 2);
    const Json broken = call("match.correct", {{"match", m}, {"seq", 1}, {"move", shot(0)}});
    ASSERT_EQ(broken.at("illegal").size(), 1u)
        << "Ada's second shot comes out of turn now; Bo's is as good as before";
    EXPECT_EQ(broken.at("illegal")[0].at("seq"), 2);
    EXPECT_EQ(broken.at("illegal")[0].at("rule"), "TURN");
    EXPECT_EQ(call("match.log", {{"match", m}}).at("moves").size(), 3u) << "kept, not dropped";
}

TEST_F(ServiceTest, CorrectRefusesWhatCannotStandThere) {
    const std::string m = start("carrom", {"Ada", "Bo"});
    move(m, "Ada", shot(1));
    const Json before = call("match.state", {{"match", m}});
    EXPECT_EQ(refuse("match.correct", {{"match", m}, {"seq", 1}, {"move", shot(20)}}).at("code"),
              1004);
    for (const Json& seq : {Json(0), Json(2), Json(-1), Json("1"), Json(1e30), Json()})
        EXPECT_EQ(
            refuse("match.correct", {{"match", m}, {"seq", seq}, {"move", shot(1)}}).at("code"),
            -32602)
            << seq;
    EXPECT_EQ(call("match.state", {{"match", m}}), before);
}

TEST_F(ServiceTest, CorrectionsSurviveARestart) {
    const std::string m = start("carrom", {"Ada", "Bo"});
    for (int i = 0; i < 3; ++i) move(m, "Ada", shot(1));
    call("match.correct", {{"match", m}, {"seq", 2}, {"move", shot(4)}});
    call("match.undo", {{"match", m}});
    const Json before = call("match.state", {{"match", m}});
    EXPECT_EQ(before.at("players")[0].at("score"), 5);
    open();
    EXPECT_EQ(call("match.state", {{"match", m}}), before);
    move(m, "Ada", shot(1));
    EXPECT_EQ(call("match.log", {{"match", m}}).at("history").size(), 6u);
}

TEST_F(ServiceTest, FinishedMatchesAreReadableRankedAndClosed) {
    const std::string m = start("carrom", {"Ada"}, "");
    for (int round = 0; round < 3; ++round) move(m, "Ada", shot(12));
    const Json state = call("match.state", {{"match", m}});
    EXPECT_EQ(state.at("phase"), "finished");
    EXPECT_EQ(state.at("winners"), Json({"Ada"}));
    EXPECT_NE(last("match.finished"), nullptr);
    EXPECT_EQ(refuse("match.move", {{"match", m}, {"player", "Ada"}, {"move", shot(1)}}).at("code"),
              1005);
    EXPECT_EQ(call("players.ranking").at("players")[0].at("won"), 1);
    EXPECT_EQ(call("players.ranking", {{"game", "carrom"}}).at("players")[0].at("best"), 36);
    EXPECT_TRUE(call("players.ranking", {{"game", "gayplay"}}).at("players").empty());
    EXPECT_EQ(call("match.list", {{"open", true}}).at("matches").size(), 0u);
    EXPECT_EQ(call("match.list", {{"open", false}}).at("matches").size(), 1u);
    open();
    EXPECT_EQ(call("match.state", {{"match", m}}), state);
    EXPECT_EQ(call("match.undo", {{"match", m}}).at("phase"), "playing")
        << "a misread last move can be taken back";
    EXPECT_TRUE(call("players.ranking").at("players").empty());
    EXPECT_EQ(call("match.list", {{"open", true}}).at("matches").size(), 1u);
}

TEST_F(ServiceTest, TOPIT_30_WhoPlaysAloneSeesTheOwnBestSoFar) {
    const Json square = {{"shape", "large_square"},
                         {"value", 8},
                         {"large", true},
                         {"sides_mm", {60, 60, 60, 60}},
                         {"corners_deg", {90, 90, 90, 90}}};
    const auto played = [&] {
        const std::string m = start("topit", {"Ada"}, "", {{"pieces", {square}}});
        for (;;) {
            const Json state = call("match.state", {{"match", m}});
            if (state.at("phase") == "finished") return state;
            move(m, "Ada", call("match.legal", {{"match", m}}).at("moves")[0].at("move"));
        }
    };
    const Json first = played();
    EXPECT_FALSE(first.at("board").contains("best")) << "nothing to compare with yet";
    EXPECT_EQ(played().at("board").at("best"), first.at("players")[0].at("score"));
}

TEST_F(ServiceTest, EndClosesAMatch) {
    const std::string m = start("carrom", {"Ada", "Bo"});
    EXPECT_EQ(call("match.end", {{"match", m}, {"reason", "closing time"}}).at("phase"),
              "finished");
    EXPECT_EQ(last("match.finished")->at("reason"), "closing time");
    EXPECT_EQ(refuse("match.end", {{"match", m}, {"reason", "again"}}).at("code"), 1005);
    EXPECT_EQ(refuse("match.move", {{"match", m}, {"player", "Ada"}, {"move", shot(1)}}).at("code"),
              1005);
    EXPECT_EQ(refuse("match.undo", {{"match", m}}).at("code"), 1005);
    open();
    EXPECT_EQ(call("match.state", {{"match", m}}).at("phase"), "finished");
    EXPECT_EQ(call("match.log", {{"match", m}}).at("ended"), "closing time");
    EXPECT_TRUE(call("players.ranking").at("players").empty()) << "nobody won";
}

TEST_F(ServiceTest, LegalMovesAreListedAndHintsSaidToBeMissing) {
    const std::string m = start("gayplay", {"Ada", "Bo"});
    EXPECT_EQ(call("match.legal", {{"match", m}}).at("moves").size(), 6u);
    EXPECT_TRUE(call("match.hint", {{"match", m}}).at("available").get<bool>());
    EXPECT_EQ(refuse("match.hint", {{"match", m}, {"count", "many"}}).at("code"), -32602);
}

TEST_F(ServiceTest, WhatCouldHaveBeenPlayedInsteadIsListedToo) {
    const std::string m = start("gotown", {"Ada", "Bo"});
    const Json first = call("match.legal", {{"match", m}}).at("moves");
    call("match.move",
         {{"match", m}, {"player", first[0].at("player")}, {"move", first[0].at("move")}});
    const Json second = call("match.legal", {{"match", m}}).at("moves");
    call("match.move",
         {{"match", m}, {"player", second[0].at("player")}, {"move", second[0].at("move")}});
    EXPECT_EQ(call("match.legal", {{"match", m}, {"seq", 1}}).at("moves"), first);
    EXPECT_EQ(call("match.legal", {{"match", m}, {"seq", 2}}).at("moves"), second);
    call("match.end", {{"match", m}});
    EXPECT_EQ(call("match.legal", {{"match", m}, {"seq", 1}}).at("moves"), first)
        << "also when it is over";
    EXPECT_EQ(refuse("match.legal", {{"match", m}, {"seq", 3}}).at("code"), -32602);
}

TEST_F(ServiceTest, AHintIsThoughtOutBesideTheMatchThatGoesOn) {
    const std::string m = start("topit", {"Ada", "Bo"});
    const std::string asked = Json{
        {"jsonrpc", "2.0"},
        {"id", 5},
        {"method", "match.hint"},
        {"params",
         {{"match", m}}}}.dump();
    const Json now = Json::parse(service->handle(asked));
    EXPECT_EQ(now.at("id"), 5);
    EXPECT_TRUE(now.at("result").at("available").get<bool>());
    const RpcAnswer open = service->ask(asked);
    ASSERT_TRUE(open.later);
    EXPECT_TRUE(open.text.empty());
    const Json legal = call("match.legal", {{"match", m}}).at("moves")[0];
    call("match.move", {{"match", m}, {"player", legal.at("player")}, {"move", legal.at("move")}});
    call("match.end", {{"match", m}});
    EXPECT_EQ(Json::parse(open.later()), now) << "it answers for the position it was asked in";
    const RpcAnswer refused = service->ask(
        R"({"jsonrpc":"2.0","id":6,"method":"match.hint","params":{"match":"m99"}})");
    EXPECT_FALSE(refused.later);
    EXPECT_EQ(Json::parse(refused.text).at("error").at("code"), 1001);
    EXPECT_TRUE(
        service->handle(R"({"jsonrpc":"2.0","method":"match.hint","params":{"match":"m1"}})")
            .empty());
}

TEST_F(ServiceTest, JsonRpcIsSpokenAsTheStandardAndTheContractSay) {
    const auto raw = [&](const std::string& text) { return service->handle(text); };
    const auto code = [&](const std::string& text) {
        return Json::parse(raw(text)).at("error").at("code").get<int>();
    };
    EXPECT_EQ(code("{"), -32700);
    EXPECT_EQ(code(""), -32700);
    EXPECT_EQ(code("\xff\xfe"), -32700);
    EXPECT_EQ(code(R"({"jsonrpc":"2.0","method":")"
                   "\xc3\x28"
                   R"(","id":1})"),
              -32700);
    EXPECT_EQ(code(std::string(70, '[') + std::string(70, ']')), -32700);
    EXPECT_EQ(code("\"" + std::string(2 << 20, 'x') + "\""), -32700);
    EXPECT_EQ(code("3"), -32600);
    EXPECT_EQ(code("[]"), -32600);
    EXPECT_EQ(code(R"({"jsonrpc":"1.0","method":"service.ping","id":1})"), -32600);
    EXPECT_EQ(code(R"({"jsonrpc":"2.0","method":5,"id":1})"), -32600);
    EXPECT_EQ(code(R"({"jsonrpc":"2.0","method":"service.ping","id":{}})"), -32600);
    EXPECT_EQ(code(R"({"jsonrpc":"2.0","method":"service.ping","params":4,"id":1})"), -32600);
    EXPECT_EQ(code(R"({"jsonrpc":"2.0","method":"no.such","id":1})"), -32601);
    EXPECT_EQ(code(R"({"jsonrpc":"2.0","method":"match.state","params":["m1"],"id":1})"), -32602);
    EXPECT_EQ(raw(R"({"jsonrpc":"2.0","method":"service.ping"})"), "");
    EXPECT_EQ(Json::parse(raw(R"({"jsonrpc":"2.0","method":"service.ping","id":"a"})")).at("id"),
              "a");
    // The contract wants an error for a batch, whatever is in it.
    EXPECT_EQ(code(R"([{"jsonrpc":"2.0","method":"service.ping"}])"), -32600);
    EXPECT_EQ(
        code(
            R"([{"jsonrpc":"2.0","method":"service.ping","id":1},{"jsonrpc":"2.0","method":"x","id":2}])"),
        -32600);
}

TEST_F(ServiceTest, EveryMethodSurvivesWrongTypes) {
    const std::string m = start("carrom", {"Ada", "Bo"}), quick = start("gayplay", {"Ada", "Bo"});
    const std::vector<Json> odd = {Json(),
                                   Json(-1),
                                   Json(1e308),
                                   Json(true),
                                   Json("x"),
                                   Json(m),
                                   Json::array({1}),
                                   Json::object(),
                                   Json(std::string(100000, 'y')),
                                   Json(9007199254740993LL),
                                   {{"type", "shot"}, {"pocketed", 4}},
                                   {{"type", "shot"}, {"pocketed", {{"blue", 1e99}}}},
                                   {{"type", "shot"}, {"striker", {1}}}};
    for (const char* method :
         {"games.list", "match.start", "match.state", "match.move", "match.check", "match.legal",
          "match.hint", "match.observe", "match.undo", "match.correct", "match.evidence",
          "match.pause", "match.resume", "match.end", "match.list", "match.log", "players.ranking"})
        for (const char* key : {"match", "game", "players", "player", "move", "seq", "count",
                                "observation", "open", "variant", "reason"})
            for (const Json& value : odd) {
                if (std::string(method) == "match.end" && value != m) continue;
                Json params = {{"match", m},
                               {"game", "carrom"},
                               {"player", "Ada"},
                               {"move", shot(0)},
                               {"seq", 1}};
                if (std::string(method) == "match.end") params["match"] = "m77";
                if (std::string(method) == "match.hint")
                    params["match"] = quick;  // carrom thinks for a while
                if (std::string(method) == "match.hint" && value == m) continue;
                params[key] = value;
                const Json answer = reply(method, params);
                ASSERT_TRUE(answer.contains("result") != answer.contains("error"))
                    << method << params;
                if (answer.contains("error")) {
                    ASSERT_NE(answer.at("error").at("code"), -32603) << method << params << answer;
                    ASSERT_NE(answer.at("error").at("code"), 1007) << method << params << answer;
                }
            }
}

TEST_F(ServiceTest, ARestartGoesOnWithEveryOpenMatch) {
    std::vector<std::pair<std::string, Json>> before;
    for (int i = 0; i < 40; ++i) {
        const std::string m = start(i % 2 ? "carrom" : "gayplay", {"Ada", "Bo"});
        move(m, "Ada", i % 2 ? shot(i % 3) : Json{{"type", "roll"}, {"value", 6}});
        before.emplace_back(m, call("match.state", {{"match", m}}));
    }
    open();
    for (const auto& [m, state] : before) EXPECT_EQ(call("match.state", {{"match", m}}), state);
    EXPECT_EQ(start("carrom", {"Ada"}), "m41") << "ids are never used twice";
    told.clear();
    service->repeat();
    EXPECT_GE(told.size(), 32u) << "late subscribers get the present state";
}

TEST_F(ServiceTest, TenThousandMatchesAtOnce) {
    for (int i = 0; i < 10000; ++i) start("carrom", {"Ada", "Bo"});
    move("m1", "Ada", shot(2));
    move("m10000", "Ada", shot(3));
    EXPECT_EQ(call("match.state", {{"match", "m1"}}).at("players")[0].at("score"), 2);
    EXPECT_EQ(call("match.list", {{"open", true}}).at("matches").size(), 10000u);
    open();
    EXPECT_EQ(call("match.state", {{"match", "m10000"}}).at("players")[0].at("score"), 3);
    EXPECT_EQ(call("match.state", {{"match", "m5000"}}).at("seq"), 0);
}

TEST_F(ServiceTest, PeekedCardsAppearNowhere) {
    // One step before shop 1: set off, walk in, roll, peek.
    const Json board = {{"squares",
                         {{{"id", "a"}, {"kind", "start"}},
                          {{"id", "b"}, {"kind", "red"}, {"shop", 1}},
                          {{"id", "c"}, {"kind", "arrival"}}}}};
    const std::string m = start("gayplay", {"Ada", "Bo"}, "", {{"board", board}});
    move(m, "Ada", {{"type", "roll"}, {"value", 6}});
    move(m, "Ada", {{"type", "roll"}, {"value", 1}});
    move(m, "Bo", {{"type", "roll"}, {"value", 1}});
    move(m, "Ada", {{"type", "roll"}, {"value", 3}});
    const std::string secret = "TheSecretUmbrella";
    move(m, "Ada", {{"type", "peek"}, {"slot", 2}, {"card", secret}, {"face", secret}});
    refuse("match.move", {{"match", m},
                          {"player", "Ada"},
                          {"move", {{"type", "peek"}, {"slot", 9}, {"card", secret}}}});
    call("match.check", {{"match", m},
                         {"player", "Ada"},
                         {"move", {{"type", "peek"}, {"slot", 2}, {"card", secret}}}});
    call("match.observe", {{"match", m},
                           {"crops", {secret}},
                           {"observation",
                            {{"still", true},
                             {"pieces",
                              {{{"kind", "card"}, {"face", secret}, {"x", 1}, {"y", 1}},
                               {{"kind", "die"}, {"value", 4}, {"x", 5}, {"y", 5}}}}}}});
    EXPECT_EQ(call("match.log", {{"match", m}}).dump().find(secret), std::string::npos);
    EXPECT_EQ(call("match.state", {{"match", m}}).dump().find(secret), std::string::npos);
    for (const Told& t : told) EXPECT_EQ(t.json.dump().find(secret), std::string::npos) << t.json;
    for (const char* end : {"", "-wal", "-shm"})
        EXPECT_EQ(content_of(file().string() + end).find(secret), std::string::npos) << end;
    EXPECT_NE(content_of(file().string() + "-wal").find("peek"), std::string::npos)
        << "the grep itself must be able to find something";
}

Json die_json(int value, double x) {
    return {{"still", true},
            {"time", x},
            {"pieces",
             {{{"id", 1},
               {"kind", "die"},
               {"value", value},
               {"x", x},
               {"y", 630},
               {"confidence", 0.97}}}}};
}

Json gayplay_table(const Json& extra) {
    const Game* game = find_game("gayplay");
    Setup setup;
    setup.players = {{"Ada", "", Json::object()}, {"Bo", "", Json::object()}};
    Json scene = to_json(game->scene_of(*game->start(setup)));
    for (const Json& piece : extra.at("pieces")) scene["pieces"].push_back(piece);
    return scene;
}

TEST_F(ServiceTest, ObserveDoesWhatTheTableShowsAndOnlyOnce) {
    const std::string m = start("gayplay", {"Ada", "Bo"});
    const Json seen = gayplay_table(die_json(4, 500));
    const Json done = call("match.observe", {{"match", m}, {"observation", seen}});
    ASSERT_TRUE(done.contains("applied")) << done;
    EXPECT_EQ(done.at("applied")[0].at("player"), "Ada");
    EXPECT_EQ(done.at("applied")[0].at("move").at("value"), 4);
    EXPECT_TRUE(call("match.observe", {{"match", m}, {"observation", seen}}).contains("nothing"));
    EXPECT_EQ(call("match.state", {{"match", m}}).at("seq"), 1);
    const Json same = gayplay_table(die_json(4, 700));
    EXPECT_TRUE(call("match.observe", {{"match", m}, {"observation", same}}).contains("applied"))
        << "the same number, rolled again elsewhere";
    const Json evidence = call("match.evidence", {{"match", m}, {"seq", 2}});
    EXPECT_TRUE(evidence.at("before").is_object());
    EXPECT_TRUE(evidence.at("after").is_object());
    EXPECT_EQ(refuse("match.evidence", {{"match", m}, {"seq", 9}}).at("code"), -32602);
}

/// A table two moves on that can only mean those two.
std::optional<Observation> two_moves_later(const Game& game, const State& s) {
    for (const PlayerMove& first : game.legal_moves(s)) {
        const State between = game.apply(s, first.player, first.move).state;
        for (const PlayerMove& second : game.legal_moves(between)) {
            const Observation seen = game.scene_of(
                game.apply(between, second.player, second.move).state);
            const Reading reading = game.read(s, seen);
            if (!reading.question && reading.choices.size() == 1 &&
                reading.choices[0].moves.size() == 2)
                return seen;
        }
    }
    return {};
}

TEST_F(ServiceTest, TwoMovesSeenAtOnceAreToldEachWithItsOwnNumber) {
    service.reset();
    service = std::make_unique<Service>(
        ServiceOptions{file(),
                       [this](std::string_view topic, const std::string& json) {
                           told.push_back({std::string(topic), Json::parse(json)});
                       },
                       {},
                       live,
                       true});
    const Game& game = *find_game("gotown");
    const std::string m = start("gotown", {"Ada", "Bo"});
    State s = *game.start({{{"Ada", "", {}}, {"Bo", "", {}}}, "", Json::object()});
    std::optional<Observation> seen;
    for (int i = 0; i < 20 && !(seen = two_moves_later(game, s)); ++i) {
        const PlayerMove next = game.legal_moves(s).front();
        move(m, next.player == 0 ? "Ada" : "Bo", next.move);
        s = game.apply(s, next.player, next.move).state;
    }
    ASSERT_TRUE(seen) << "no position where two moves show at once";
    service->settle();
    told.clear();
    const int before = call("match.state", {{"match", m}}).at("seq");
    const Json answer = call("match.observe", {{"match", m}, {"observation", to_json(*seen)}});
    ASSERT_TRUE(answer.contains("applied")) << answer;
    service->settle();
    std::vector<int> numbers;
    for (const Told& each : told)
        if (each.json.value("event", "") == "move.applied") numbers.push_back(each.json.at("seq"));
    EXPECT_THAT(numbers, ElementsAre(before + 1, before + 2));
}

TEST_F(ServiceTest, ObserveRaisesAttentionForACockedDie) {
    const std::string m = start("gayplay", {"Ada", "Bo"});
    Json cocked = gayplay_table(die_json(4, 500));
    cocked["pieces"].back()["value"] = nullptr;
    const Json answer = call("match.observe", {{"match", m}, {"observation", cocked}});
    ASSERT_TRUE(answer.contains("attention")) << answer;
    EXPECT_EQ(answer.at("attention").at("rule"), "DIE");
    EXPECT_EQ(answer.at("attention").at("at")[0], 500);
    EXPECT_EQ(last("attention")->at("rule"), "DIE");
    EXPECT_EQ(call("match.state", {{"match", m}}).at("seq"), 0);
}

Observation watched(const Json& json, double time) {
    Observation seen = *observation_from(json);
    seen.time = time;
    return seen;
}

TEST_F(ServiceTest, TheCamerasStreamScoresTheMatchStartedLast) {
    start("carrom", {"Zoe"});
    const std::string m = start("gayplay", {"Ada", "Bo"});
    Observation hand = watched(gayplay_table(die_json(5, 500)), 1);
    hand.hands = {{{0, 0}, {100, 0}, {100, 100}}};
    for (int i = 0; i < 900; ++i)
        service->observe(hand);  // somebody leans over the table for half a minute
    EXPECT_EQ(call("match.state", {{"match", m}}).at("seq"), 0);
    for (int i = 0; i < 10; ++i)
        service->observe(watched(gayplay_table(die_json(5, 500)), 40 + i / 30.0));
    EXPECT_EQ(call("match.state", {{"match", m}}).at("seq"), 1);
    EXPECT_EQ(last("move.applied")->at("by"), "camera");
    EXPECT_EQ(call("match.evidence", {{"match", m}, {"seq", 1}})
                  .at("after")
                  .at("pieces")
                  .back()
                  .at("value"),
              5);
}

TEST_F(ServiceTest, ADieOnTheTableBeforeTheMatchWasNotRolled) {
    for (int i = 0; i < 10; ++i)
        service->observe(watched(gayplay_table(die_json(6, 500)), i / 30.0));
    const std::string m = start("gayplay", {"Ada", "Bo"});
    for (int i = 0; i < 60; ++i)
        service->observe(watched(gayplay_table(die_json(6, 500)), 1 + i / 30.0));
    EXPECT_EQ(call("match.state", {{"match", m}}).at("seq"), 0);
}

TEST_F(ServiceTest, APausedMatchIsNotScoredByCameraUntilItIsResumed) {
    const std::string m = start("gayplay", {"Ada", "Bo"});
    EXPECT_EQ(call("match.state", {{"match", m}}).at("paused"), false);
    told.clear();
    EXPECT_EQ(call("match.pause", {{"match", m}}).at("paused"), true);
    EXPECT_EQ(call("match.pause", {{"match", m}}).at("paused"), true);
    EXPECT_THAT(events(), ElementsAre("match.paused", "match.state"));
    EXPECT_EQ(last("match.state")->at("paused"), true);
    for (int i = 0; i < 30; ++i)
        service->observe(watched(gayplay_table(die_json(5, 500)), i / 30.0));
    EXPECT_EQ(
        call("match.observe", {{"match", m}, {"observation", gayplay_table(die_json(4, 300))}})
            .at("paused"),
        true);
    EXPECT_EQ(call("match.state", {{"match", m}}).at("seq"), 0);

    open();  // a restart stays paused
    EXPECT_EQ(call("match.state", {{"match", m}}).at("paused"), true);
    for (int i = 0; i < 30; ++i)
        service->observe(watched(gayplay_table(die_json(5, 500)), 2 + i / 30.0));
    EXPECT_EQ(call("match.resume", {{"match", m}}).at("paused"), false);
    for (int i = 0; i < 30; ++i)
        service->observe(watched(gayplay_table(die_json(5, 500)), 4 + i / 30.0));
    EXPECT_EQ(call("match.state", {{"match", m}}).at("seq"), 0)
        << "a die turned during the pause was not rolled";
    for (int i = 0; i < 30; ++i)
        service->observe(watched(gayplay_table(die_json(3, 560)), 6 + i / 30.0));
    EXPECT_EQ(call("match.state", {{"match", m}}).at("seq"), 1);
    const Json history = call("match.log", {{"match", m}}).at("history");
    EXPECT_EQ(history[0].at("kind"), "pause");
    EXPECT_EQ(history[1].at("kind"), "resume");
}

TEST_F(ServiceTest, MovesByTouchGoOnWhileAMatchIsPaused) {
    const std::string m = start("carrom", {"Ada", "Bo"});
    call("match.pause", {{"match", m}});
    EXPECT_EQ(move(m, "Ada", shot(1)).at("state").at("paused"), true);
    EXPECT_EQ(call("match.undo", {{"match", m}}).at("paused"), true);
    EXPECT_EQ(call("match.end", {{"match", m}}).at("paused"), false);
    EXPECT_EQ(refuse("match.pause", {{"match", m}}).at("code"), 1005);
    EXPECT_EQ(refuse("match.resume", {{"match", "m99"}}).at("code"), 1001);
}

TEST_F(ServiceTest, AnUnpluggedCameraIsSaidOnceAndTakenBack) {
    start("carrom", {"Ada"});
    CameraState camera;
    camera.state = "lost";
    for (int i = 0; i < 5; ++i) service->observe(camera);
    const auto said = events();
    EXPECT_EQ(std::count(said.begin(), said.end(), "attention"), 1);
    camera.state = "ok";
    service->observe(camera);
    EXPECT_EQ(last("attention")->at("cleared"), true);
}

TEST_F(ServiceTest, ARejectedShotShowsWhereEverythingStood) {  // CARROM-R10
    const std::string m = start("carrom", {"Ada", "Bo"});
    told.clear();
    refuse("match.move",
           {{"match", m},
            {"player", "Ada"},
            {"move", {{"type", "shot"}, {"striker", {0, 0}}, {"pocketed", {{"blue", 1}}}}}});
    ASSERT_EQ(told.back().topic, "marks");
    int ghosts = 0;
    for (const Json& mark : told.back().json.at("items"))
        ghosts += mark.at("kind") == "ghost" ? 1 : 0;
    EXPECT_EQ(ghosts, 13);
}

}  // namespace
}  // namespace overboard::rules::testing
