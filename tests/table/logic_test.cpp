#include <gmock/gmock.h>
#include <signal.h>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "bus/messages.hpp"
#include "table/correct.hpp"
#include "table/hud.hpp"
#include "table/keepout.hpp"
#include "table/menu.hpp"
#include "table/replay.hpp"
#include "table/tap_mode.hpp"
#include "table/voice.hpp"
#include "tests/table/support.hpp"

namespace overboard::table {
namespace {

using testing::piece;
using testing::two_players;

TEST(Correct, OffersWhatTheCameraAlsoThoughtItCouldBeFirst) {
    Piece die = piece(1, PieceKind::die, "", 0, 0);
    die.value = 5;
    die.alternatives = {{"6", 0.3}, {"3", 0.1}};
    auto all = alternatives_to(Json{{"type", "roll"}, {"value", 5}}, &die);
    rank(all, 3);
    ASSERT_EQ(all.size(), 3u);
    EXPECT_EQ(all[0].move, (Json{{"type", "roll"}, {"value", 6}}));
    EXPECT_EQ(all[1].move, (Json{{"type", "roll"}, {"value", 3}}));
}

TEST(Correct, OffersWhatReadsAlikeOnce) {
    std::vector<Candidate> all{{Json{{"type", "shot"}, {"pocketed", {{"blue", 1}}}}, true, 0.2},
                               {Json{{"type", "shot"},
                                     {"pocketed", {{"blue", 1}, {"queen", false}}},
                                     {"ejected", {{"blue", 0}}},
                                     {"striker", {1.5, 2.5}}},
                                true, 0.1},
                               {Json{{"type", "place"}, {"cell", {0, 1}}}, true, 0.1},
                               {Json{{"type", "place"}, {"cell", {1, 0}}}, true, 0.1}};
    rank(all);
    EXPECT_EQ(all.size(), 3U);
}

TEST(Correct, OffersNeighboursOfEveryNumberAndLegalOnesFirst) {
    auto all = alternatives_to(
        Json{{"type", "shot"}, {"pocketed", {{"blue", 1}, {"queen", false}}}}, nullptr);
    const auto two = std::find_if(
        all.begin(), all.end(), [](const Candidate& c) { return c.move["pocketed"]["blue"] == 2; });
    const auto queen = std::find_if(all.begin(), all.end(), [](const Candidate& c) {
        return c.move["pocketed"]["queen"] == true;
    });
    ASSERT_NE(two, all.end());
    ASSERT_NE(queen, all.end());
    queen->legal = true;
    rank(all);
    EXPECT_EQ(all.front().move["pocketed"]["queen"], true);
    EXPECT_LE(all.size(), 8u);
}

TEST(Correct, OffersWhatTheRulesWouldHaveAllowedTheMoreAlikeTheBetter) {
    const Move floor{{"type", "build"}, {"cards", {"1", "8"}}};
    auto all = alternatives_to(floor, nullptr);
    add_legal(all, floor,
              {Json{{"type", "end"}}, Json{{"type", "build"}, {"cards", {"2", "7"}}}, floor,
               Json{{"type", "build"}, {"cards", {"1", "joker"}}}});
    rank(all);
    ASSERT_EQ(all.size(), 3u);
    EXPECT_EQ(all[0].move["cards"][1], "joker");
    EXPECT_EQ(all[1].move["cards"][0], "2");
    EXPECT_EQ(all[2].move["type"], "end");
    EXPECT_TRUE(all[0].legal);
}

TEST(Correct, NeverOffersTheMoveItself) {
    const Move move{{"type", "roll"}, {"value", 3}};
    for (const Candidate& c : alternatives_to(move, nullptr)) EXPECT_NE(c.move, move);
}

TEST(TapMode, AsksForTheKindFirstAndForPlacesLast) {
    TapMode tap;
    for (const char* shape : {"square", "hexagon"})
        for (const int x : {100, 200})
            tap.moves.push_back({{"type", "place"},
                                 {"pose", {{"x", x}, {"y", 5}, {"angle", 0}}},
                                 {"shape", shape}});
    tap.moves.push_back({{"type", "pass"}});
    auto q = next_question(remaining(tap));
    ASSERT_TRUE(q);
    EXPECT_EQ(q->path, "type");
    EXPECT_FALSE(answer(tap, "type", "place"));
    EXPECT_EQ(next_question(remaining(tap))->path, "shape");
    EXPECT_FALSE(answer(tap, "shape", "hexagon"));
    q = next_question(remaining(tap));
    EXPECT_TRUE(q->place);
    const auto move = answer(tap, "pose", q->values[1]);
    ASSERT_TRUE(move);
    EXPECT_EQ((*move)["pose"]["x"], 200);
    EXPECT_TRUE(take_back(tap));
    EXPECT_EQ(remaining(tap).size(), 2u);
}

TEST(TapMode, AMoveWithoutFurtherQuestionsIsMadeAtOnce) {
    TapMode tap;
    tap.moves = {Json{{"type", "pass"}}, Json{{"type", "roll"}, {"value", 1}},
                 Json{{"type", "roll"}, {"value", 2}}};
    EXPECT_EQ(answer(tap, "type", "pass"), (Json{{"type", "pass"}}));
}

TEST(TapMode, NestedFieldsAreQuestionsTooAndMissingOnesAreNull) {
    const std::vector<Move> moves = {{{"type", "shot"}, {"pocketed", {{"blue", 2}}}},
                                     {{"type", "shot"}, {"pocketed", {{"blue", 0}}}},
                                     {{"type", "shot"}}};
    const auto q = next_question(moves);
    ASSERT_TRUE(q);
    EXPECT_EQ(q->path, "pocketed.blue");
    EXPECT_EQ(q->values.size(), 3u);
}

Shot bounce() {
    Shot shot;
    shot.start = 5, shot.end = 6;
    Track track{1, "striker", {}};
    for (int i = 0; i <= 100; ++i)
        track.points.push_back({5 + i * 0.01, i <= 50 ? i * 4.0 : 200 - (i - 50) * 3.0, 0});
    shot.tracks = {track};
    shot.pocketed = {{1, "striker", "ne", 5.9}};
    return shot;
}

TEST(Replay, FindsTheOneHit) {
    const auto hits = find_impacts(bounce());
    ASSERT_EQ(hits.size(), 1u);
    EXPECT_NEAR(hits[0].at.x, 200, 1e-9);
    EXPECT_NEAR(hits[0].t, 5.5, 1e-9);
}

TEST(Replay, PlaysSlowlyScrubsAndStopsAtTheEnd) {
    Replay replay{bounce(), {600, 300, M_PI / 2}};
    replay.set_speed(0.25);
    replay.advance(1);
    EXPECT_NEAR(replay.time(), 5.25, 1e-9);
    EXPECT_NEAR(replay.position(replay.shot().tracks[0]).x, 100, 1e-6);
    EXPECT_LT(distance(replay.on_table({100, 0}), {600, 400}), 1e-9) << "the board is turned";
    EXPECT_FALSE(replay.fallen(1));
    replay.advance(100);
    EXPECT_FALSE(replay.playing());
    EXPECT_TRUE(replay.fallen(1));
    replay.play(true);
    EXPECT_EQ(replay.time(), 5) << "from the start again";
    replay.scrub(2);
    EXPECT_EQ(replay.share(), 1);
}

TEST(Replay, KnowsWhichPiecesAreBack) {
    const std::vector<Piece> pieces = {piece(1, PieceKind::disc, "blue", 100, 100)};
    EXPECT_TRUE(is_back(pieces, "blue", {101, 101}));
    EXPECT_FALSE(is_back(pieces, "queen", {101, 101}));
    EXPECT_FALSE(is_back(pieces, "blue", {103, 100}));
}

TEST(Keepout, WordsGoBesidePiecesAndStayOnTheTable) {
    const Table table;
    const auto dark = dark_places({piece(1, PieceKind::disc, "blue", 600, 300)}, table);
    const Clearance clearance{&dark, {}, {0, 0, 1200, 675}};
    const Point at = free_place({600, 300}, 120, 16, 0, clearance);
    EXPECT_GT(distance(at, {600, 300}), 15);
    EXPECT_LT(distance(at, {600, 300}), 80);
    EXPECT_EQ(free_place({300, 300}, 120, 16, 0, clearance), (Point{300, 300}))
        << "where nothing is, nothing moves";
    const Point corner = free_place({20, 340}, 120, 16, 0, clearance);
    EXPECT_GE(corner.x - 60, 0);
}

TEST(Menu, AGameIsSetUpByTaps) {
    Scene scene;
    scene.games = {{"g", "Game", 2, 4, {"", "tower"}}};
    for (const Action& tap : std::vector<Action>{{"menu.open", {{"seat", "n"}}},
                                                 {"menu.page", {{"page", "games"}}},
                                                 {"menu.game", {{"game", "g"}}},
                                                 {"menu.count", {{"players", 3}}},
                                                 {"menu.seat", {{"player", 1}, {"seat", "e"}}},
                                                 {"menu.variant", {{"variant", "tower"}}},
                                                 {"menu.type", {{"player", 0}}}})
        EXPECT_TRUE(apply_menu(scene, tap)) << tap.verb;
    EXPECT_EQ(scene.menu.players[0].name, "") << "nobody is called Player 1";
    apply_menu(scene, {"menu.page", {{"page", "setup"}}});
    EXPECT_EQ(scene.menu.players[0].name, "Player 1") << "unless they do not say otherwise";
    apply_menu(scene, {"menu.type", {{"player", 0}}});
    for (const char* key : {"Z", "O", "É", "-", "A", "N", "N", " ", "O", "'", "B"})
        apply_menu(scene, {"menu.key", {{"key", key}}});
    EXPECT_EQ(scene.menu.players[0].name, "Zoé-Ann O'B");
    ASSERT_EQ(scene.menu.players.size(), 3u);
    EXPECT_EQ(scene.menu.players[1].seat, "e");
    EXPECT_NE(scene.menu.players[1].colour, scene.menu.players[2].colour);
    EXPECT_EQ(scene.menu.variant, "tower");
    apply_menu(scene, {"menu.count", {{"players", 9}}});
    EXPECT_EQ(scene.menu.players.size(), 4u) << "as many as the game takes";
}

TEST(Menu, KnowsHowLongAMatchHasLasted) {
    const std::time_t at_0430 = 1794976200;  // 2026-11-18 04:30 UTC
    EXPECT_EQ(minutes_since("2026-11-18T03:47:31.250Z", at_0430), 42);
    EXPECT_EQ(minutes_since("2026-11-18T04:30:00Z", at_0430), 0);
    EXPECT_FALSE(minutes_since("2026-11-18T05:00:00Z", at_0430)) << "another clock than ours";
    EXPECT_FALSE(minutes_since("yesterday", at_0430));
}

TEST(Menu, ASeatOrTheWholeTableChangesItsLanguage) {
    Scene scene;
    apply_menu(scene, {"language", {{"language", "fr"}, {"seat", "n"}}});
    EXPECT_EQ(scene.language_at("n"), "fr");
    EXPECT_EQ(scene.language_at("s"), "en");
    apply_menu(scene, {"language", {{"language", "fr"}, {"seat", ""}}});
    EXPECT_EQ(scene.language_at("s"), "fr");
}

TEST(Hud, PanelsSlideAwayFromPieces) {
    Scene scene;
    scene.match = two_players();
    scene.pieces = {piece(1, PieceKind::disc, "blue", 600, 630)};
    settle_panels(scene, Theme{});
    const double shift = scene.panels["s"].along_mm;
    EXPECT_NE(shift, 0);
    EXPECT_EQ(scene.panels["n"].along_mm, 0);
    scene.pieces.clear();
    settle_panels(scene, Theme{});
    EXPECT_EQ(scene.panels["s"].along_mm, shift) << "what is good stays";
}

TEST(Hud, PanelsGetShortWhereTheGameNeedsTheEdge) {
    Scene scene;
    scene.match = two_players();
    scene.match->players[0]["seat"] = "w";
    Mark zone = testing::mark(MarkKind::polygon, MarkStyle::zone, {});
    zone.points = {{30, 110}, {110, 110}, {110, 280}, {30, 280}};
    scene.marks = {zone};
    settle_panels(scene, Theme{});
    EXPECT_NE(scene.panels["w"].form, PanelForm::wide);
    EXPECT_GT(scene.panels["w"].along_mm, 0) << "to the south, away from the zone";
}

TEST(Hud, APanelStaysAtItsEdgeBesideAGameThatNeedsTheMiddle) {
    Scene scene;
    scene.match = two_players();
    scene.match->players[0]["seat"] = "w";
    Mark zone = testing::mark(MarkKind::polygon, MarkStyle::zone, {});
    zone.points = {{30, 270}, {150, 270}, {150, 405}, {30, 405}};
    scene.marks = {zone};
    settle_panels(scene, Theme{});
    EXPECT_EQ(scene.panels["w"].form, PanelForm::compact);
    EXPECT_EQ(scene.panels["w"].inward_mm, 0) << "not in the middle of the table";
    EXPECT_FALSE(touch(panel_on_table(scene, "w", Theme{}), box_of(zone.points)));
}

TEST(Hud, WordsThatNameAPlayerBelongToThatPlayersPanel) {
    Scene scene;
    scene.match = two_players();
    Mark words = testing::mark(MarkKind::text, MarkStyle::score, {300, 300});
    words.key = "sample.coins";
    words.args = {{"player", "Anna"}};
    EXPECT_FALSE(belongs_to_panel(scene, words)) << "turned to nobody";
    words.seat = "s";
    EXPECT_TRUE(belongs_to_panel(scene, words));
    words.seat = "n";
    EXPECT_FALSE(belongs_to_panel(scene, words)) << "told to somebody else";
    words.seat = "s";
    words.style = MarkStyle::warning;
    EXPECT_FALSE(belongs_to_panel(scene, words)) << "warnings stand where they are about";
    words.args = {{"player", 7}};
    words.style = MarkStyle::hint;
    EXPECT_FALSE(belongs_to_panel(scene, words));
}

TEST(Messages, FrenchAndEnglishSayTheSameThings) {
    const auto& all = Messages::shared();
    const auto en = all.keys("en"), fr = all.keys("fr");
    const auto ours = [](std::vector<std::string> keys) {
        std::erase_if(keys, [](const std::string& k) {
            return !k.starts_with("table.") && !k.starts_with("word.") && !k.starts_with("action.");
        });
        return keys;
    };
    EXPECT_EQ(ours(en), ours(fr));
    const std::vector<std::string> same = {"table.scored", "table.menu", "table.pause"};
    for (const std::string& key : ours(en)) {
        if (!key.starts_with("table.") || std::find(same.begin(), same.end(), key) != same.end())
            continue;
        EXPECT_NE(all.text("en", key), all.text("fr", key)) << key;
    }
}

// Every sentence comes from the catalogue: each key written in the sources must be in it.
TEST(Messages, EveryKeyInTheSourcesHasASentence) {
    const auto keys = Messages::shared().keys("en");
    int found = 0;
    for (const auto& file :
         std::filesystem::directory_iterator(std::string(OVERBOARD_TEST_DATA) + "/../table")) {
        if (file.path().extension() != ".cpp") continue;
        std::ifstream in(file.path());
        const std::string source{std::istreambuf_iterator<char>(in), {}};
        for (std::size_t at = source.find("\"table."); at != std::string::npos;
             at = source.find("\"table.", at + 1)) {
            const std::string key = source.substr(at + 1, source.find('"', at + 1) - at - 1);
            if (key.ends_with("_")) continue;  // completed at run time
            EXPECT_NE(std::find(keys.begin(), keys.end(), key), keys.end())
                << key << " in " << file.path().filename();
            ++found;
        }
    }
    EXPECT_GT(found, 60);
}

TEST(Voice, SaysOnlyWhatIsNew) {
    MatchState before = two_players(), now = before;
    EXPECT_EQ(announcement(before, now, "en"), "");
    now.players[0]["score"] = 13;
    now.turn_player = "Émile";
    EXPECT_EQ(announcement(before, now, "en"), "Anna: 13. Émile to play.");
    EXPECT_EQ(announcement(before, now, "fr"), "Anna : 13. À Émile de jouer.");
    now.finished = true;
    now.winners = {"Anna"};
    EXPECT_EQ(announcement(before, now, "en"), "Anna: 13. Anna wins!");
}

TEST(Voice, SpeaksThroughItsProgramWithoutAShell) {
    const auto folder = std::filesystem::temp_directory_path() /
                        ("overboard-voice-" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder);
    const auto program = folder / "speak", heard = folder / "heard";
    std::ofstream(program) << "#!/bin/sh\nprintf '%s|' \"$@\" > " << heard << "\n";
    ::chmod(program.c_str(), 0755);
    {
        Voice voice{program};
        ASSERT_TRUE(voice.available());
        voice.say("fr", "Anna; rm -rf $HOME : 3");
        for (int i = 0;
             i < 200 && (!std::filesystem::exists(heard) || std::filesystem::file_size(heard) == 0);
             ++i)
            std::this_thread::sleep_for(std::chrono::milliseconds{5});
    }
    std::ifstream in(heard);
    EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}),
              "-vfr|--|Anna; rm -rf $HOME : 3|");
    std::filesystem::remove_all(folder);
}

// The caller itself, writing what it would say to a file: machines that run tests have no
// loudspeaker.
TEST(Voice, TheRealCallerMakesAtLeastASecondOfSoundOfAnAnnouncementInEitherLanguage) {
    if (!Voice{}.available()) GTEST_SKIP() << "espeak-ng is not installed";
    const auto folder = std::filesystem::temp_directory_path() /
                        ("overboard-caller-" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder);
    const auto program = folder / "speak";
    std::ofstream(program)
        << "#!/bin/sh\ncd " << folder
        << " && espeak-ng -w unfinished \"$@\" && mv unfinished said\"$1\".wav\n";
    ::chmod(program.c_str(), 0755);
    MatchState before = two_players(), now = before;
    now.players[0]["score"] = 13;
    now.turn_player = "Émile";
    for (const std::string language : {"en", "fr"}) {
        const auto said = folder / ("said-v" + language + ".wav");
        Voice voice{program};
        voice.say(language, announcement(before, now, language));
        for (int i = 0; i < 2000 && !std::filesystem::exists(said); ++i)
            std::this_thread::sleep_for(std::chrono::milliseconds{5});
        ASSERT_TRUE(std::filesystem::exists(said)) << language;
        EXPECT_GT(std::filesystem::file_size(said), 22050U * 2)
            << language << ": less than a second of speech";
    }
    std::filesystem::remove_all(folder);
}

/// What is logged while it lives.
class Log {
public:
    Log() {
        spdlog::set_default_logger(std::make_shared<spdlog::logger>(
            "test", std::make_shared<spdlog::sinks::ostream_sink_mt>(text_)));
    }
    ~Log() { spdlog::set_default_logger(before_); }
    [[nodiscard]] std::string text() const { return text_.str(); }

private:
    std::ostringstream text_;
    std::shared_ptr<spdlog::logger> before_ = spdlog::default_logger();
};

/// A program of a few lines of shell, gone with the test.
class Script {
public:
    explicit Script(const std::string& lines) {
        std::filesystem::create_directories(folder_);
        std::ofstream(program()) << "#!/bin/sh\n" << lines << "\n";
        ::chmod(program().c_str(), 0755);
    }
    ~Script() { std::filesystem::remove_all(folder_); }
    [[nodiscard]] std::string program() const { return folder_ / "speak"; }
    [[nodiscard]] std::filesystem::path file(const std::string& name) const {
        return folder_ / name;
    }

private:
    std::filesystem::path folder_ = std::filesystem::temp_directory_path() /
                                    ("overboard-script-" + std::to_string(::getpid()));
};

TEST(Voice, SaysInTheLogWhyNobodySpeaks) {
    const Log log;
    EXPECT_FALSE(Voice{"no-such-program"}.available());
    EXPECT_THAT(log.text(), ::testing::HasSubstr("no-such-program is not installed"));
}

TEST(Voice, ACallerWithoutASoundDeviceIsMentionedOnceAndWritesNothingToTheScreen) {
    const Script caller{
        "echo 'no sound device' >&2; echo 'really none' >&2; : > \"$(dirname \"$0\")/$3\""};
    const Log log;
    ::testing::internal::CaptureStderr();
    {
        Voice voice{caller.program()};
        for (const std::string words : {"one", "two", "three"}) {
            voice.say("en", words);
            for (int i = 0; i < 1000 && !std::filesystem::exists(caller.file(words)); ++i)
                std::this_thread::sleep_for(std::chrono::milliseconds{5}), voice.poll();
            for (int i = 0; i < 20; ++i)
                std::this_thread::sleep_for(std::chrono::milliseconds{5}), voice.poll();
        }
    }
    EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
    const std::string said = log.text();
    const auto first = said.find("could not speak");
    ASSERT_NE(first, std::string::npos);
    EXPECT_THAT(said, ::testing::HasSubstr("no sound device"));
    EXPECT_EQ(said.find("could not speak", first + 1), std::string::npos) << said;
}

TEST(Voice, ACallerThatWillNotEndIsEnded) {
    const Script caller{
        "trap '' TERM; echo $$ > \"$(dirname \"$0\")/pid.new\"; mv \"$(dirname \"$0\")/pid.new\" "
        "\"$(dirname \"$0\")/pid\"; while :; do sleep 0.05; done"};
    {
        Voice voice{caller.program()};
        voice.say("en", "for ever");
        for (int i = 0; i < 2000 && !std::filesystem::exists(caller.file("pid")); ++i)
            std::this_thread::sleep_for(std::chrono::milliseconds{5});
        ASSERT_TRUE(std::filesystem::exists(caller.file("pid")));
    }
    int pid = 0;
    std::ifstream(caller.file("pid")) >> pid;
    ASSERT_GT(pid, 0);
    EXPECT_NE(::kill(pid, 0), 0) << "it lives on";
}

}  // namespace
}  // namespace overboard::table
