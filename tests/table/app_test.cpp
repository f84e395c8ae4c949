#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <lo/lo.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <mutex>
#include <thread>

#include "bus/codec.hpp"
#include "table/drawing.hpp"
#include "tests/table/support.hpp"

// The whole room against a referee and a camera made of cardboard: real sockets, real touches.
namespace overboard::table::testing {
namespace {

using ::testing::Contains;

class FakeRules {
public:
    FakeRules(const std::string& requests, const std::string& events)
        : state{two_players()}, server_{requests}, publisher_{events}, thread_{[this] { run(); }} {}
    ~FakeRules() {
        stop_ = true;
        thread_.join();
    }

    MatchState state;     // before the first request only
    std::string refused;  // likewise: a method that fails
    void publish(const std::string& topic, const std::string& json) {
        const std::lock_guard lock{mutex_};
        waiting_.push_back({topic, json});
    }
    void publish_state(const MatchState& now) {
        Json event = to_json(now);
        event["event"] = "match.state";
        publish("match", event.dump());
    }
    std::vector<Json> calls() {
        const std::lock_guard lock{mutex_};
        return calls_;
    }
    /// The last call of a method; null when there was none.
    Json last(const std::string& method) {
        Json found;
        for (const Json& call : calls())
            if (call["method"] == method) found = call["params"];
        return found;
    }

private:
    static Json hint(double x) {
        return {
            {"key", "table.no_hint"},
            {"marks", {{{"kind", "circle"}, {"style", "hint"}, {"at", {x, 300}}, {"radius", 12}}}}};
    }
    Json answer(const std::string& method) {
        if (method == "games.list")
            return {{"games",
                     {{{"id", "sample"},
                       {"name", "A Sample"},
                       {"min_players", 2},
                       {"max_players", 4},
                       {"variants", {""}}}}}};
        if (method == "match.list") return {{"matches", {{{"match", "m1"}}}}};
        if (method == "match.pause" || method == "match.resume") paused_ = method == "match.pause";
        Json now = to_json(state);
        now["paused"] = paused_;
        if (method == "match.pause" || method == "match.resume" || method == "match.state")
            return now;
        if (method == "match.state" || method == "match.start" || method == "match.undo")
            return to_json(state);
        if (method == "match.legal")
            return {{"actions", {"roll"}},
                    {"moves",
                     {{{"player", "Anna"}, {"move", {{"type", "roll"}, {"value", 4}}}},
                      {{"player", "Anna"}, {"move", {{"type", "pass"}}}}}}};
        if (method == "match.log")
            return {
                {"history", {1}},
                {"moves",
                 {{{"seq", 3}, {"player", "Anna"}, {"move", {{"type", "roll"}, {"value", 5}}}}}}};
        if (method == "match.hint") return {{"hints", {hint(500), hint(700)}}};
        if (method == "match.check")
            return {{"legal", calls_.back()["params"]["move"]["value"] == 6}};
        return Json::object();
    }
    void run() {
        while (!stop_) {
            server_.serve(
                [&](std::string_view text) {
                    const Json call = Json::parse(text);
                    const std::lock_guard lock{mutex_};
                    calls_.push_back(call);
                    if (call["method"] == refused)
                        return Json{{"jsonrpc", "2.0"},
                                    {"id", call["id"]},
                                    {"error", {{"code", 1007}, {"message", "storage_failed"}}}}
                            .dump();
                    return Json{
                        {"jsonrpc", "2.0"}, {"id", call["id"]}, {"result", answer(call["method"])}}
                        .dump();
                },
                milliseconds{5});
            const std::lock_guard lock{mutex_};
            for (const auto& [topic, json] : std::exchange(waiting_, {}))
                publisher_.publish(topic, json, true);
            publisher_.pump();
        }
    }
    std::mutex mutex_;
    std::vector<Json> calls_;
    std::vector<Published> waiting_;
    bool paused_ = false;
    std::atomic<bool> stop_{false};
    Server server_;
    Publisher publisher_;
    std::thread thread_;
};

struct Room {
    std::string tag = std::to_string(::getpid()) + "-" + std::to_string(next()++);
    Addresses addresses{"ipc:///tmp/overboard-test-q" + tag, "ipc:///tmp/overboard-test-e" + tag,
                        ""};
    std::unique_ptr<FakeRules> rules = std::make_unique<FakeRules>(addresses.requests,
                                                                   addresses.events);
    std::optional<TableApp> app;
    double now = 1;

    static int& next() {
        static int n = 0;
        return n;
    }
    explicit Room(bool tuio = false, bool camera = false) {
        if (camera) addresses.observations = "ipc:///tmp/overboard-test-o" + tag;
        TableOptions options = offscreen();
        options.addresses = addresses;
        if (tuio) options.tuio_in = 0;
        app.emplace(options);
    }
    ~Room() {
        app.reset();
        rules.reset();
        ::unlink(addresses.requests.substr(6).c_str());
        ::unlink(addresses.events.substr(6).c_str());
        if (!addresses.observations.empty()) ::unlink(addresses.observations.substr(6).c_str());
    }
    // Steps until something is true, at most `most` real seconds; a step is 20 ms of the table's
    // time.
    bool until(const std::function<bool()>& done, double most = 5) {
        for (int i = 0; i < most * 200; ++i) {
            app->step(now += 0.02);
            if (done()) return true;
            std::this_thread::sleep_for(milliseconds{5});
        }
        return false;
    }
    [[nodiscard]] const Target* target(const std::string& verb,
                                       const Json& part = Json::object()) const {
        for (auto t = app->targets().rbegin(); t != app->targets().rend(); ++t) {
            if (t->action.verb != verb) continue;
            bool fits = true;
            for (const auto& [key, value] : part.items())
                fits &= t->action.data.contains(key) && t->action.data[key] == value;
            if (fits) return &*t;
        }
        return nullptr;
    }
    bool tap(const std::string& verb, const Json& part = Json::object()) {
        const Target* t = nullptr;
        if (!until([&] { return (t = target(verb, part)) != nullptr; }, 2)) return false;
        app->tap(t->centre());
        now += 0.3;
        app->step(now);
        return true;
    }
};

void send_cursor(int port, int frame, bool down, Point share) {
    lo_bundle bundle = lo_bundle_new(LO_TT_IMMEDIATE);
    lo_message m = lo_message_new();
    lo_message_add_string(m, "alive");
    if (down) lo_message_add_int32(m, 1);
    lo_bundle_add_message(bundle, "/tuio/2Dcur", m);
    if (down) {
        m = lo_message_new();
        lo_message_add(m, "sifffff", "set", 1, share.x, share.y, 0.0, 0.0, 0.0);
        lo_bundle_add_message(bundle, "/tuio/2Dcur", m);
    }
    m = lo_message_new();
    lo_message_add(m, "si", "fseq", frame);
    lo_bundle_add_message(bundle, "/tuio/2Dcur", m);
    lo_address to = lo_address_new("127.0.0.1", std::to_string(port).c_str());
    lo_send_bundle(to, bundle);
    lo_address_free(to);
    lo_bundle_free_recursive(bundle);
}

TEST(TableApp, AFingerOverTuioUndoesAMove) {
    NEEDS_DISPLAY();
    Room room{true};
    ASSERT_TRUE(room.until([&] { return room.app->scene().match.has_value(); }));
    int frame = 1;
    const auto finger = [&](const std::string& verb) {
        const Target* t = room.target(verb);
        ASSERT_NE(t, nullptr) << verb;
        const Point share{t->centre().x / 1200, t->centre().y / 675};
        send_cursor(room.app->tuio_port(), frame++, true, share);
        room.until([] { return false; }, 0.05);
        send_cursor(room.app->tuio_port(), frame++, false, share);
        room.until([] { return false; }, 0.05);
    };
    finger("menu.open");
    ASSERT_EQ(room.app->scene().menu.page, "home");
    finger("undo");
    EXPECT_TRUE(room.until([&] {
        return room.rules->last("match.undo") == Json{{"match", "m1"}};
    }));
}

TEST(TableApp, TwoTapsCorrectAMisreadAndLegalOnesComeFirst) {
    NEEDS_DISPLAY();
    Room room;
    ASSERT_TRUE(room.until([&] { return room.app->scene().match.has_value(); }));
    ASSERT_TRUE(room.tap("correct.score", {{"player", "Anna"}}));
    ASSERT_TRUE(room.until([&] {
        const auto& c = room.app->scene().correction;
        return c && !c->candidates.empty() && c->candidates.size() <= 8 && c->candidates[0].legal;
    }));
    EXPECT_EQ(room.app->scene().correction->candidates[0].move["value"], 6);
    ASSERT_TRUE(room.tap("correct.pick", {{"index", 0}}));
    ASSERT_TRUE(room.until([&] { return !room.rules->last("match.correct").is_null(); }));
    const Json sent = room.rules->last("match.correct");
    EXPECT_EQ(sent["seq"], 3);
    EXPECT_EQ(sent["move"], (Json{{"type", "roll"}, {"value", 6}}));
}

TEST(TableApp, AWholeMoveIsMadeByTouchAlone) {
    NEEDS_DISPLAY();
    Room room;
    ASSERT_TRUE(room.until([&] { return room.app->scene().match.has_value(); }));
    ASSERT_TRUE(room.tap("menu.open", {{"seat", "s"}}));
    ASSERT_TRUE(room.tap("tap.open"));
    ASSERT_TRUE(room.tap("tap.answer", {{"value", "roll"}}));
    ASSERT_TRUE(room.until([&] { return !room.rules->last("match.move").is_null(); }));
    EXPECT_EQ(
        room.rules->last("match.move"),
        (Json{{"match", "m1"}, {"player", "Anna"}, {"move", {{"type", "roll"}, {"value", 4}}}}));
}

TEST(TableApp, PlayingByTouchIsTurnedToWhoeverIsToMoveWhoeverOpenedIt) {
    NEEDS_DISPLAY();
    Room room;
    room.rules->state.turn_player = "Émile";
    ASSERT_TRUE(room.until([&] { return room.app->scene().match.has_value(); }));
    ASSERT_TRUE(room.tap("menu.open", {{"seat", "s"}}));
    ASSERT_TRUE(room.tap("tap.open"));
    ASSERT_TRUE(room.until([&] { return room.target("tap.close") != nullptr; }));
    EXPECT_EQ(room.app->scene().tap->seat, "n");
    EXPECT_NEAR(std::abs(room.target("tap.close")->frame.angle), M_PI, 1e-6)
        << "read from the north";
}

TEST(TableApp, AGameIsStartedFromTheMenu) {
    NEEDS_DISPLAY();
    Room room;
    ASSERT_TRUE(
        room.until([&] { return room.app->scene().match && !room.app->scene().games.empty(); }));
    for (const char* verb : {"menu.open", "menu.page", "menu.game", "menu.count", "start"})
        ASSERT_TRUE(room.tap(verb, std::string(verb) == "menu.page"    ? Json{{"page", "games"}}
                                   : std::string(verb) == "menu.count" ? Json{{"players", 3}}
                                                                       : Json::object()))
            << verb;
    ASSERT_TRUE(room.until([&] { return !room.rules->last("match.start").is_null(); }));
    const Json sent = room.rules->last("match.start");
    EXPECT_EQ(sent["game"], "sample");
    EXPECT_EQ(sent["players"].size(), 3u);
    EXPECT_EQ(sent["players"][2]["seat"], "n");
}

TEST(TableApp, ARefusedStartSaysWhyWhereItWasTapped) {
    NEEDS_DISPLAY();
    Room room;
    room.rules->refused = "match.start";
    ASSERT_TRUE(
        room.until([&] { return room.app->scene().match && !room.app->scene().games.empty(); }));
    for (const char* verb : {"menu.open", "menu.page", "menu.game"})
        ASSERT_TRUE(room.tap(
            verb, std::string(verb) == "menu.page" ? Json{{"page", "games"}} : Json::object()));
    room.until([] { return false; }, 0.1);
    const auto orange = [&] {
        int count = 0;
        const auto& rgba = room.app->picture().rgba;
        for (std::size_t i = 0; i < rgba.size(); i += 4)
            count += rgba[i] > 180 && rgba[i + 1] > 80 && rgba[i + 1] < 150 && rgba[i + 2] < 60;
        return count;
    };
    EXPECT_EQ(orange(), 0);
    ASSERT_TRUE(room.tap("start"));
    ASSERT_TRUE(room.until([&] { return room.app->scene().notice.has_value(); }));
    room.until([] { return false; }, 0.1);
    EXPECT_EQ(room.app->scene().menu.page, "setup") << "to try again";
    EXPECT_GT(orange(), 100) << "the reason stands in the menu";
}

TEST(TableApp, ASmallCheerTakesNoTapAway) {
    NEEDS_DISPLAY();
    Room room;
    ASSERT_TRUE(room.until([&] { return room.app->scene().match.has_value(); }));
    room.rules->publish("match", R"({"event":"scored","match":"m1","player":"Anna","points":7})");
    ASSERT_TRUE(room.until([&] { return !room.app->scene().celebrations.empty(); }));
    room.app->tap(room.target("menu.open")->centre());
    room.app->step(room.now += 0.3);
    EXPECT_EQ(room.app->scene().menu.page, "home");
    EXPECT_TRUE(room.app->scene().celebrations.empty());
}

TEST(TableApp, LanguageChangesLiveForOneSeat) {
    NEEDS_DISPLAY();
    Room room;
    ASSERT_TRUE(room.until([&] { return room.app->scene().match.has_value(); }));
    const auto before = room.app->picture().rgba;
    ASSERT_TRUE(room.tap("menu.open", {{"seat", "n"}}));
    ASSERT_TRUE(room.tap("menu.page", {{"page", "languages"}}));
    ASSERT_TRUE(room.tap("language", {{"language", "fr"}, {"seat", "n"}}));
    ASSERT_TRUE(room.tap("menu.close"));
    EXPECT_EQ(room.app->scene().language_at("n"), "fr");
    EXPECT_EQ(room.app->scene().language_at("s"), "en");
    const auto& after = room.app->picture();
    bool north = false, south = false;
    for (std::size_t i = 0; i < before.size(); ++i)
        if (before[i] != after.rgba[i]) (i < before.size() / 2 ? north : south) = true;
    EXPECT_TRUE(north) << "the north reads French now";
    EXPECT_FALSE(south) << "the south still reads English";
}

TEST(TableApp, SaysThatTheRulesAreGoneKeepsTheScoreAndHeals) {
    NEEDS_DISPLAY();
    Room room;
    ASSERT_TRUE(room.until([&] { return room.app->scene().match.has_value(); }));
    room.rules.reset();
    ASSERT_TRUE(room.until([&] { return !room.app->scene().rules_here; }, 8));
    EXPECT_EQ(room.app->scene().match->players[0]["score"], 12) << "the last state stays";
    room.rules = std::make_unique<FakeRules>(room.addresses.requests, room.addresses.events);
    MatchState later = two_players();
    later.players[0]["score"] = 15;
    later.seq = 9;
    room.rules->publish_state(later);
    EXPECT_TRUE(room.until(
        [&] {
            return room.app->scene().rules_here &&
                   room.app->scene().match->players[0]["score"] == 15;
        },
        8));
}

TEST(TableApp, SaysThatTheCameraIsGoneKeepsThePiecesAndHeals) {
    NEEDS_DISPLAY();
    Room room{false, true};
    const auto eyes = [&] { return std::make_unique<Publisher>(room.addresses.observations); };
    auto camera = eyes();
    Observation seen;
    seen.pieces = {piece(1, PieceKind::disc, "blue", 500, 300)};
    camera->publish("observation", encode(seen), true);
    ASSERT_TRUE(room.until([&] {
        camera->pump();
        return room.app->scene().match && room.app->scene().pieces.size() == 1;
    }));
    const auto with_camera = room.app->picture().rgba;
    camera.reset();
    ASSERT_TRUE(room.until([&] { return !room.app->scene().vision_here; }, 8));
    room.until([] { return false; }, 0.1);
    EXPECT_NE(room.app->picture().rgba, with_camera) << "it says so";
    EXPECT_EQ(room.app->scene().pieces.size(), 1u) << "the last state stays";
    EXPECT_EQ(room.app->scene().match->players[0]["score"], 12);
    camera = eyes();
    seen.pieces.push_back(piece(2, PieceKind::disc, "blue", 700, 300));
    camera->publish("observation", encode(seen), true);
    EXPECT_TRUE(room.until(
        [&] {
            camera->pump();
            return room.app->scene().vision_here && room.app->scene().pieces.size() == 2;
        },
        8));
}

TEST(TableApp, ACheerEndsEarlyForTheNextHandSoThatItsMoveCanBeSeen) {
    NEEDS_DISPLAY();
    Room room{false, true};
    Publisher camera{room.addresses.observations};
    ASSERT_TRUE(room.until([&] { return room.app->scene().match.has_value(); }));
    room.rules->publish("match", R"({"event":"scored","match":"m1","player":"Anna","points":7})");
    ASSERT_TRUE(room.until([&] { return !room.app->scene().celebrations.empty(); }));
    const double fades_s = room.app->scene().celebrations[0].started_s +
                           0.75 * room.app->scene().celebrations[0].lasts_s;
    Observation seen;
    seen.hands = {{{0, 0}, {100, 0}, {100, 100}}};
    ASSERT_TRUE(room.until([&] {
        seen.time = room.now;
        camera.publish("observation", encode(seen));
        return room.app->scene().celebrations.empty();
    }));
    EXPECT_LT(room.now, fades_s);
}

TEST(TableApp, PauseIsAskedOfTheRulesAndShown) {
    NEEDS_DISPLAY();
    Room room;
    ASSERT_TRUE(room.until([&] { return room.app->scene().match.has_value(); }));
    ASSERT_TRUE(room.tap("menu.open", {{"seat", "s"}}));
    ASSERT_TRUE(room.tap("pause", {{"on", true}}));
    ASSERT_TRUE(room.until([&] { return room.app->scene().paused; }));
    EXPECT_EQ(room.rules->last("match.pause"), (Json{{"match", "m1"}}));
    ASSERT_TRUE(room.tap("pause", {{"on", false}})) << "the banner offers to go on";
    EXPECT_TRUE(room.until([&] { return !room.app->scene().paused; }));
}

TEST(TableApp, AnEventShowsTheReasonAtThePlaceAndGoesWhenPutRight) {
    NEEDS_DISPLAY();
    Room room;
    ASSERT_TRUE(room.until([&] { return room.app->scene().match.has_value(); }));
    room.rules->publish(
        "match",
        R"({"event":"attention","match":"m1","at":[500,300],"rule":"X-1","reason":"That is not allowed."})");
    ASSERT_TRUE(room.until([&] { return room.app->scene().attention.has_value(); }));
    EXPECT_GT(light(room.app->picture(), int((500 - 22) * room.app->picture().px_per_mm),
                    int(300 * room.app->picture().px_per_mm)),
              60)
        << "a ring round the place";
    room.rules->publish("match", R"({"event":"attention","match":"m1","cleared":true})");
    EXPECT_TRUE(room.until([&] { return !room.app->scene().attention; }));
}

TEST(TableApp, AQuestionIsAnsweredWithOneTap) {
    NEEDS_DISPLAY();
    Room room;
    ASSERT_TRUE(room.until([&] { return room.app->scene().match.has_value(); }));
    room.rules->publish(
        "match",
        R"({"event":"attention","match":"m1","question":true,"key":"rules.which","player":"Anna","choices":[
        {"moves":[{"player":"Anna","move":{"type":"roll","value":2}}],"confidence":0.6},
        {"moves":[{"player":"Anna","move":{"type":"roll","value":3}}],"confidence":0.5}]})");
    ASSERT_TRUE(room.tap("correct.pick", {{"index", 1}}));
    ASSERT_TRUE(room.until([&] { return !room.rules->last("match.move").is_null(); }));
    EXPECT_EQ(room.rules->last("match.move")["move"]["value"], 3);
}

TEST(TableApp, HintsComeOneAtATimeTheBestFirst) {
    NEEDS_DISPLAY();
    Room room;
    ASSERT_TRUE(room.until([&] { return room.app->scene().match.has_value(); }));
    const auto shown_at = [&](double x) {
        return room.until([&] {
            return room.app->scene().marks.size() == 1 && room.app->scene().marks[0].at.x == x;
        });
    };
    for (const double x : {500.0, 700.0, 500.0}) {
        ASSERT_TRUE(room.tap("menu.open"));
        ASSERT_TRUE(room.tap("hint"));
        EXPECT_TRUE(shown_at(x)) << x;
    }
}

TEST(TableApp, RepeatedStatesAndMarksDrawNothing) {
    NEEDS_DISPLAY();
    Room room;
    ASSERT_TRUE(room.until([&] { return room.app->scene().match.has_value(); }));
    room.rules->publish(
        "marks",
        R"({"match":"m1","seq":0,"items":[{"kind":"circle","at":[500,300],"radius":20,"style":"hint"}]})");
    ASSERT_TRUE(room.until([&] { return room.app->scene().marks.size() == 1; }));
    const auto displays = room.app->displays();
    for (int i = 0; i < 5; ++i) {
        Json event = to_json(two_players());
        event["event"] = "match.state";
        event["time"] = i;  // the same state, said again
        room.rules->publish("match", event.dump());
        room.until([] { return false; }, 0.1);
    }
    EXPECT_EQ(room.app->displays(), displays);
}

}  // namespace
}  // namespace overboard::table::testing
