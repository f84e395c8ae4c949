// The loop over real sockets: requests in, events out, the camera's stream in between.
#include <gtest/gtest.h>

#include <thread>

#include "bus/codec.hpp"
#include "rules/games.hpp"
#include "tests/rules/random_play.hpp"
#include "tests/rules/service_fixture.hpp"

namespace overboard::rules::testing {
namespace {

using namespace std::chrono_literals;

/// Ends the service's loop whatever way the test ends.
struct StopAtTheEnd {
    std::atomic<bool>& stop;
    ~StopAtTheEnd() { stop = true; }
};

Json ask(Client& client, const std::string& method, Json params) {
    const auto reply = client.request(Json{
        {"jsonrpc", "2.0"},
        {"id", 1},
        {"method", method},
        {"params", std::move(params)}}.dump());
    return reply ? Json::parse(*reply).value("result", Json()) : Json();
}

TEST(Serve, ScoresWhatVisionPublishesAndTellsWhoeverListens) {
    TemporaryFolder folder;
    Publisher vision("inproc://serve-test-vision");
    ServeOptions options;
    options.requests = "inproc://serve-test-requests";
    options.events = "inproc://serve-test-events";
    options.observations = "inproc://serve-test-vision";
    options.store = folder / "matches.db";
    std::atomic<bool> stop{false}, ready{false};
    std::jthread service([&] { serve(options, stop, [&](auto&, auto&) { ready = true; }); });
    const StopAtTheEnd end{stop};
    while (!ready) std::this_thread::sleep_for(1ms);
    Subscriber listener(options.events, {"match", "marks"}, Subscriber::Keep::all);
    Client client(options.requests);
    const std::string match = ask(client, "match.start",
                                  {{"game", "gayplay"},
                                   {"players", {{{"name", "Ada"}}, {{"name", "Bo"}}}}})
                                  .at("match");

    const Game* game = find_game("gayplay");
    Observation seen = game->scene_of(*game->start(setup_for("", 2)));
    Piece die;
    die.kind = PieceKind::die;
    die.value = 3;
    seen.pieces.push_back(die);
    Json state = Json::object();
    for (int i = 0; i < 500 && state.value("seq", 0) == 0; ++i) {
        seen.time = i / 30.0;
        vision.publish("observation", encode(seen));
        std::this_thread::sleep_for(2ms);
        state = ask(client, "match.state", {{"match", match}});
    }
    EXPECT_EQ(state.at("seq"), 1);
    bool applied = false, marked = false;
    while (const auto heard = listener.receive(300ms)) {
        applied |= heard->topic == "match" &&
                   Json::parse(heard->json).at("event") == "move.applied";
        marked |= heard->topic == "marks";
        if (applied && marked) break;
    }
    EXPECT_TRUE(applied && marked);
}

TEST(Serve, RepeatsTheStateForLateSubscribers) {
    TemporaryFolder folder;
    ServeOptions options;
    options.requests = "inproc://late-test-requests";
    options.events = "inproc://late-test-events";
    options.store = folder / "matches.db";
    std::atomic<bool> stop{false}, ready{false};
    std::jthread service([&] { serve(options, stop, [&](auto&, auto&) { ready = true; }); });
    const StopAtTheEnd end{stop};
    while (!ready) std::this_thread::sleep_for(1ms);
    Client client(options.requests);
    const std::string match = ask(client, "match.start",
                                  {{"game", "carrom"}, {"players", {{{"name", "Ada"}}}}})
                                  .at("match");
    Subscriber late(options.events, {"match"}, Subscriber::Keep::all);
    const auto heard = late.receive(3000ms);
    ASSERT_TRUE(heard);
    const auto state = decode_match_state(heard->json);
    ASSERT_TRUE(state) << state.error().reason;
    EXPECT_EQ(state->match, match);
}

}  // namespace
}  // namespace overboard::rules::testing
