#include <gtest/gtest.h>

#include <filesystem>

#include "table/drawing.hpp"
#include "tests/table/support.hpp"

// Hand-made scenes, drawn for people to look at: OVERBOARD_PICTURES=DIR writes them as PNG.
namespace overboard::table::testing {
namespace {

Scene playing() {
    Scene scene;
    scene.match = two_players();
    scene.match->players.push_back(Json{{"name", "Bartholomew"}, {"seat", "w"}, {"score", 103}});
    scene.match->players.push_back(Json{{"name", "Zoé"}, {"seat", "e"}, {"score", 0}});
    scene.seat_language["n"] = "fr";
    for (int i = 0; i < 12; ++i)
        scene.pieces.push_back(piece(i + 1, PieceKind::disc, "blue",
                                     600 + 110 * std::cos(i * 0.7) + 6 * i,
                                     337 + 120 * std::sin(i * 1.1)));
    Mark zone = mark(MarkKind::polygon, MarkStyle::zone, {600, 470});
    zone.points = {{480, 470}, {720, 470}, {720, 490}, {480, 490}};
    Mark ghost = mark(MarkKind::ghost, MarkStyle::hint, {560, 480});
    ghost.radius = 13;
    Mark arrow = mark(MarkKind::arrow, MarkStyle::hint, {560, 465});
    arrow.points = {{590, 300}, {700, 190}};
    Mark badge = mark(MarkKind::badge, MarkStyle::score, {700, 190});
    badge.text = "64 %";
    Mark words = mark(MarkKind::text, MarkStyle::hint, {360, 300});
    words.text = "Queen to confirm";
    Mark circle = mark(MarkKind::circle, MarkStyle::warning, {850, 240});
    circle.radius = 24;
    Mark done = mark(MarkKind::ghost, MarkStyle::hint, {900, 450});
    done.radius = 12;
    done.done = true;
    scene.marks = {zone, ghost, arrow, badge, words, circle, done};
    return scene;
}

Shot sample_shot() {
    Shot shot;
    shot.start = 10;
    shot.end = 11.2;
    Track striker{1, "striker", {}}, blue{2, "blue", {}}, queen{3, "queen", {}};
    for (int i = 0; i <= 60; ++i) {
        const double t = i / 60.0 * 1.2;
        const double s = t < 0.35 ? t / 0.35 : 1 + 0.25 * (1 - std::exp(-4 * (t - 0.35)));
        striker.points.push_back(
            {10 + t, -60 + 50 * s - (t > 0.35 ? (s - 1) * 160 : 0), 142 - 140 * s});
        const double k = t < 0.35 ? 0 : 1 - std::exp(-3 * (t - 0.35));
        blue.points.push_back({10 + t, 0 + 200 * k, -12 - 200 * k});
        queen.points.push_back({10 + t, -80, -60});
    }
    shot.tracks = {striker, blue, queen};
    shot.pocketed = {{2, "blue", "ne", 11.0}};
    return shot;
}

struct Show {
    std::string name;
    Scene scene;
};

std::vector<Show> shows() {
    std::vector<Show> all;
    all.push_back({"play", playing()});
    all.push_back({"welcome", Scene{}});
    Scene menu = playing();
    menu.menu.page = "home";
    all.push_back({"menu", menu});
    menu.games = {{"a", "Carrom To Go", 1, 4, {"", "tower", "open-line", "rows"}},
                  {"b", "TOP IT", 1, 4, {}},
                  {"c", "Jouets à GO GO GO", 2, 4, {}}};
    menu.menu.page = "games";
    all.push_back({"games", menu});
    menu.menu.page = "setup";
    menu.menu.game = "a";
    menu.menu.seat = "n";
    menu.menu.players = {
        {"Anna", "s", "blue"}, {"Émile", "n", "red"}, {"Bartholomew", "w", "green"}};
    all.push_back({"setup", menu});
    menu.menu.page = "keyboard";
    menu.menu.seat = "s";
    all.push_back({"keyboard", menu});
    menu.menu.page = "languages";
    all.push_back({"languages", menu});
    Scene correct = playing();
    correct.correction = Correction{false,
                                    "Anna",
                                    "s",
                                    {"table.read_as", {{"what", "5"}}},
                                    Point{700, 330},
                                    4,
                                    Json{{"value", 5}},
                                    {{Json{{"value", 6}}, true, 0.8},
                                     {Json{{"value", 3}}, true, 0.6},
                                     {Json{{"value", 2}}, false, 0.2}},
                                    false};
    all.push_back({"correct", correct});
    Scene warn = playing();
    warn.attention = Attention{
        Point{662, 260},
        "X-4",
        {},
        "This side is longer than the one it lies against: sides must coincide end to end."};
    warn.camera = "dark";
    all.push_back({"warning", warn});
    Scene replay = playing();
    replay.pieces.clear();
    replay.replay.emplace(sample_shot(), Pose{600, 337, 0});
    replay.replay->scrub(0.45);
    all.push_back({"replay", replay});
    Scene tap = playing();
    tap.tap = TapMode{"s",
                      "Anna",
                      {Json{{"type", "roll"}, {"value", 1}}, Json{{"type", "roll"}, {"value", 2}},
                       Json{{"type", "take"}, {"slot", 1}}, Json{{"type", "pass"}}},
                      {},
                      {},
                      0};
    all.push_back({"tap", tap});
    Scene won = playing();
    won.match->finished = true;
    won.match->winners = {"Anna"};
    won.celebrations = {{"", {"table.wins", {{"player", "Anna"}}}, 0, 6, true}};
    all.push_back({"won", won});
    return all;
}

TEST(Look, EveryHandMadeSceneIsDrawn) {
    NEEDS_DISPLAY();
    const char* folder = std::getenv("OVERBOARD_PICTURES");
    TableApp app{folder ? offscreen(1440, 810) : offscreen()};
    double now = 0;
    for (const Show& show : shows()) {
        app.show(show.scene);
        const auto before = app.displays();
        app.step(now += 0.05);
        EXPECT_GT(app.displays(), before) << show.name;
        if (folder)
            save(app.picture(), (std::filesystem::path{folder} / (show.name + ".png")).string());
    }
}

}  // namespace
}  // namespace overboard::table::testing
