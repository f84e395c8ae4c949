// Whole games by touch alone, against the real referee, with every word from the catalogue.
#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <random>

#include "app/house.hpp"
#include "tests/table/support.hpp"

namespace overboard::app {
namespace {

using table::Target;

/// A table nobody's camera sees, and fingers.
struct TouchTable {
    HouseAddresses at;
    std::filesystem::path store;
    std::optional<RulesRoom> rules;
    std::optional<table::TableApp> app;
    std::mt19937_64 random{7};
    double now = 1;

    explicit TouchTable(const std::string& tag) {
        at.requests += tag, at.events += tag, at.observations = "";
        store = std::filesystem::temp_directory_path() /
                ("overboard-touch-" + std::to_string(::getpid()) + tag + ".db");
        rules.emplace(at, store);
        table::TableOptions options = table::testing::offscreen(640, 360);
        options.addresses = {at.requests, at.events, ""};
        options.language = "fr";
        options.seat_language = {{"n", "en"}};
        app.emplace(options);
    }
    ~TouchTable() {
        app.reset();
        rules.reset();
        for (const char* end : {"", "-wal", "-shm"}) std::filesystem::remove(store.string() + end);
    }
    void step() {
        app->step(now += 0.02);
        std::this_thread::sleep_for(milliseconds{2});
    }
    bool until(const std::function<bool()>& done, int steps = 1500) {
        for (int i = 0; i < steps; ++i) {
            if (done()) return true;
            step();
        }
        return done();
    }
    std::vector<Target> offered(const std::string& verb, const Json& part = Json::object()) const {
        std::vector<Target> all;
        for (const Target& t : app->targets()) {
            bool fits = t.action.verb == verb;
            for (const auto& [key, value] : part.items())
                fits = fits && t.action.data.contains(key) && t.action.data[key] == value;
            if (fits) all.push_back(t);
        }
        return all;
    }
    void tap(const Target& t) {
        now += 0.4;  // not a double tap
        app->tap(t.centre());
        step();
    }
    bool tap(const std::string& verb, const Json& part = Json::object()) {
        if (!until([&] { return !offered(verb, part).empty(); })) return false;
        tap(offered(verb, part).back());
        return true;
    }
    [[nodiscard]] const std::optional<MatchState>& match() const { return app->scene().match; }

    /// Menu, game, variant, start: all with a finger.
    bool start(const std::string& game, const std::string& variant) {
        if (!tap("menu.open") || !tap("menu.page", {{"page", "games"}}) ||
            !tap("menu.game", {{"game", game}}))
            return false;
        if (!variant.empty() && !tap("menu.variant", {{"variant", variant}})) return false;
        return tap("start") &&
               until([&] { return match() && match()->game == game && !match()->finished; });
    }
    /// One move, answered question by question; false: no question came.
    bool move() {
        const int seq = match()->seq;
        for (int taps = 0; taps < 12; ++taps) {
            if (!until([&] {
                    return match()->seq != seq || match()->finished ||
                           !offered("tap.answer").empty();
                }))
                return false;
            if (match()->seq != seq || match()->finished) return true;
            const auto choices = offered("tap.answer");
            tap(choices[random() % choices.size()]);
            for (int i = 0; i < 5; ++i) step();
        }
        return match()->seq != seq;
    }
};

struct Case {
    const char *game, *variant;
    int most;     ///< Moves.
    bool to_end;  ///< Must be over by then.
};
void PrintTo(const Case& c, std::ostream* out) {
    *out << c.game << c.variant;
}

class ByTouch : public ::testing::TestWithParam<Case> {};

TEST_P(ByTouch, AWholeGameIsPlayedAndEveryWordIsTranslated) {
    NEEDS_DISPLAY();
    const Case& c = GetParam();
    TouchTable table("-" + std::string(c.game) + c.variant);
    ASSERT_TRUE(table.until([&] { return !table.app->scene().games.empty(); }));
    ASSERT_TRUE(table.start(c.game, c.variant));
    for (int i = 0; i < 50; ++i) table.step();  // the answer to "start" closes the menu
    ASSERT_TRUE(table.tap("menu.open"));
    ASSERT_TRUE(table.tap("tap.open"));
    int moves = 0;
    while (moves < c.most && !table.match()->finished) {
        ASSERT_TRUE(table.move()) << "after " << moves << " moves: " << table.match()->turn_player;
        ++moves;
    }
    std::printf("%s %s: %d moves by touch%s\n", c.game, c.variant, moves,
                table.match()->finished ? ", to the end" : "");
    if (c.to_end) {
        EXPECT_TRUE(table.match()->finished);
        EXPECT_FALSE(table.match()->winners.empty());
    }
    EXPECT_THAT(table.app->untranslated(), ::testing::IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Games, ByTouch,
                         ::testing::Values(Case{"gotown", "", 200, true},
                                           Case{"carrom", "", 80, true},
                                           Case{"topit", "", 60, true},
                                           Case{"jouets", "", 120, true},
                                           Case{"gayplay", "", 30, false}),
                         [](const auto& one) { return std::string(one.param.game); });

}  // namespace
}  // namespace overboard::app
