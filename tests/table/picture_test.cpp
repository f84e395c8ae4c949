#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <fstream>

#include "table/drawing.hpp"
#include "table/panels.hpp"
#include "tests/table/support.hpp"

// What falls on the table, read back off-screen.
namespace overboard::table::testing {
namespace {

void step(TableApp& app, double& now) {
    app.step(now += 0.05);
}

TEST(Picture, PiecesAndMarkersAreLeftDark) {
    NEEDS_DISPLAY();
    TableApp app{offscreen()};
    double now = 0;
    Scene scene;
    scene.match = two_players();
    Mark zone = mark(MarkKind::polygon, MarkStyle::zone, {});
    zone.points = {{0, 0}, {1200, 0}, {1200, 675}, {0, 675}};
    for (int i = 0; i < 4; ++i) scene.marks.push_back(zone);
    Mark words = mark(MarkKind::text, MarkStyle::hint, {400, 300});
    words.text = "look here";
    scene.marks.push_back(words);
    scene.pieces = {piece(1, PieceKind::disc, "blue", 400, 300),
                    piece(2, PieceKind::card, "", 800, 350),
                    piece(3, PieceKind::die, "", 600, 600)};
    app.show(scene);
    step(app, now);
    const Picture& p = app.picture();
    const auto light_at = [&](Point mm) {
        return light(p, int(mm.x * p.px_per_mm), int(mm.y * p.px_per_mm));
    };
    EXPECT_GT(light_at({400, 250}), 60) << "the zone itself is lit";
    for (const Piece& piece : scene.pieces)
        for (double a = 0; a < 6; a += 0.5)
            EXPECT_LE(light_at({piece.x + 9 * std::cos(a), piece.y + 9 * std::sin(a)}), 4);
    for (const TableMarker& m : scene.table.markers)
        for (const Point corner : {Point{-30, -30}, {30, -30}, {30, 30}, {-30, 30}})
            EXPECT_LE(light_at(m.centre + corner), 4);
}

TEST(Picture, AHintAboutAPieceGoesRoundItsDarkAndAPieceBackInPlaceHidesItsGhost) {
    NEEDS_DISPLAY();
    TableApp app{offscreen()};
    double now = 0;
    Scene scene;
    scene.match = two_players();
    scene.pieces = {piece(1, PieceKind::disc, "blue", 400, 300),
                    piece(2, PieceKind::disc, "blue", 700, 300)};
    Mark hint = mark(MarkKind::ghost, MarkStyle::hint, {400, 300}),
         back = mark(MarkKind::ghost, MarkStyle::warning, {700, 300});
    hint.radius = back.radius = 12;
    scene.marks = {hint, back};
    app.show(scene);
    step(app, now);
    const Picture& p = app.picture();
    const auto brightest_round = [&](Point at, double from_mm, double to_mm) {
        int most = 0;
        for (double r = from_mm; r < to_mm; r += 0.5)
            for (double a = 0; a < 6.3; a += 0.05)
                most = std::max(most, light(p, int((at.x + r * std::cos(a)) * p.px_per_mm),
                                            int((at.y + r * std::sin(a)) * p.px_per_mm)));
        return most;
    };
    EXPECT_GT(brightest_round({400, 300}, 24, 30), 120) << "seen beside the piece";
    EXPECT_LE(brightest_round({400, 300}, 0, 14), 4) << "and no light on it";
    EXPECT_LE(brightest_round({700, 300}, 0, 40), 4);
}

TEST(Picture, AHintAboutOneOfSeveralOverlappingCardsGoesRoundThatOne) {
    NEEDS_DISPLAY();
    TableApp app{offscreen()};
    double now = 0;
    Scene scene;
    scene.match = two_players();
    scene.pieces = {piece(1, PieceKind::card, "", 600, 322),
                    piece(2, PieceKind::card, "", 600, 300),
                    piece(3, PieceKind::card, "", 665, 300)};
    Mark hint = mark(MarkKind::ghost, MarkStyle::hint, {568, 256});
    hint.points = {{568, 256}, {632, 256}, {632, 344}, {568, 344}};
    scene.marks = {hint};
    app.show(scene);
    step(app, now);
    const Picture& p = app.picture();
    const auto brightest = [&](double y0, double y1) {
        int most = 0;
        for (double y = y0; y < y1; y += 0.5)
            for (double x = 570; x < 630; x += 0.5)
                most = std::max(most, light(p, int(x * p.px_per_mm), int(y * p.px_per_mm)));
        return most;
    };
    EXPECT_GT(brightest(236, 253), 120) << "above the one that is meant";
    EXPECT_LE(brightest(369, 385), 4) << "not below the other";
}

TEST(Picture, AZoneSaysWhatItIsFor) {
    NEEDS_DISPLAY();
    TableApp app{offscreen()};
    double now = 0;
    Scene scene;
    Mark zone = mark(MarkKind::polygon, MarkStyle::zone, {600, 300});
    zone.points = {{560, 260}, {640, 260}, {640, 340}, {560, 340}};
    zone.text = "Draw pile";
    scene.match = two_players();
    scene.marks = {zone};
    app.show(scene);
    step(app, now);
    const Picture& p = app.picture();
    int lit = 0;
    for (double y = 343; y < 362; y += 0.5)
        for (double x = 560; x < 640; x += 0.5)
            lit += light(p, int(x * p.px_per_mm), int(y * p.px_per_mm)) > 90;
    EXPECT_GT(lit, 100) << "beneath it, towards the reader";
}

TEST(Picture, EveryChangeIsAnnouncedAndOnlyChanges) {
    NEEDS_DISPLAY();
    std::vector<OverlayChange> heard;
    TableOptions options = offscreen();
    options.on_overlay = [&](const OverlayChange& c) { heard.push_back(c); };
    TableApp app{options};
    double now = 0;
    Scene scene;
    scene.match = two_players();
    app.show(scene);
    for (int i = 0; i < 5; ++i) step(app, now);
    ASSERT_EQ(heard.size(), 1u);
    Mark m = mark(MarkKind::circle, MarkStyle::hint, {500, 300});
    m.radius = 10;
    scene.marks = {m};
    app.show(scene);
    for (int i = 0; i < 5; ++i) step(app, now);
    ASSERT_EQ(heard.size(), 2u);
    ASSERT_EQ(heard[1].boxes_mm.size(), 1u);
    EXPECT_TRUE(heard[1].boxes_mm[0].contains({500, 300}));
    EXPECT_LT(heard[1].boxes_mm[0].area(), 900);
}

TEST(Picture, WordsDoNotDanceRoundAMovingPiece) {
    NEEDS_DISPLAY();
    TableApp app{offscreen()};
    double now = 0;
    Scene scene;
    scene.match = two_players();
    Mark words = mark(MarkKind::text, MarkStyle::hint, {400, 300});
    words.text = "look here";
    scene.marks = {words};
    app.show(scene);
    step(app, now);
    ASSERT_EQ(app.scene().words.size(), 1u);
    const auto at = [&] { return app.scene().words.begin()->second; };
    const Point home = at();
    Observation seen;
    seen.pieces = {piece(1, PieceKind::disc, "blue", 380, 300)};
    for (int i = 0; i < 5; ++i) {
        seen.pieces[0].x += 5;
        app.see(seen);
        step(app, now);
        EXPECT_EQ(at(), home) << "while it moves";
    }
    seen.still = true;
    app.see(seen);
    step(app, now);
    EXPECT_GT(distance(at(), home), 10) << "once it rests, the words stand beside it";
}

TEST(Picture, ACheerIsOverSoonAndSoonerWithATap) {
    NEEDS_DISPLAY();
    TableApp app{offscreen()};
    double now = 1;
    Scene scene;
    scene.match = two_players();
    app.show(scene);
    app.step(now += 0.1);
    const Picture quiet = app.picture();
    const auto cheer = [&] {
        scene.celebrations = {{"", {"table.wins", {{"player", "Anna"}}}, now, 6, true}};
        app.show(scene);
        app.step(now += 0.1);
        EXPECT_NE(app.picture().rgba, quiet.rgba);
    };
    cheer();
    app.tap({600, 300});
    app.step(now += 0.1);
    app.step(now += 0.1);
    EXPECT_EQ(app.picture().rgba, quiet.rgba) << "tapped away";
    cheer();
    for (int i = 0; i < 65; ++i) app.step(now += 0.1);
    EXPECT_EQ(app.picture().rgba, quiet.rgba) << "over by itself";
    EXPECT_FALSE(app.scene().correction || app.scene().tap || !app.scene().menu.page.empty())
        << "the tap meant nothing else";
}

std::array<int, 3> colour_at(const Picture& p, Point mm) {
    const auto x = std::size_t(mm.x * p.px_per_mm), y = std::size_t(mm.y * p.px_per_mm);
    const auto* c = &p.rgba[4 * (y * std::size_t(p.size.width) + x)];
    return {c[0], c[1], c[2]};
}

bool is(const std::array<int, 3>& seen, sf::Color wanted) {
    return std::abs(seen[0] - wanted.r) < 8 && std::abs(seen[1] - wanted.g) < 8 &&
           std::abs(seen[2] - wanted.b) < 8;
}

// All points of the table, a millimetre apart.
template <class Look>
void everywhere(const Rect& box, Look look) {
    for (double y = box.y0 + 0.5; y < box.y1; ++y)
        for (double x = box.x0 + 0.5; x < box.x1; ++x) look(Point{x, y});
}

TEST(Picture, ABannerHoldsItsWordsInBothLanguagesAtAnySize) {
    NEEDS_DISPLAY();
    const Theme theme;
    for (const Size size : {Size{640, 360}, Size{800, 450}, Size{1920, 1080}})
        for (const std::string language : {"en", "fr"})
            for (const std::string camera : {"dark", "blocked", "moved", "overexposed", "lost"}) {
                TableApp app{offscreen(size.width, size.height)};
                Scene scene;
                scene.language = language;
                scene.camera = camera;
                app.show(scene);
                double now = 0;
                step(app, now);
                const Picture& p = app.picture();
                Rect frame{1e9, 1e9, 0, 0};
                int words = 0, spilt = 0;
                const Rect south{100, 560, 1100, 674};
                everywhere(south, [&](Point at) {
                    if (is(colour_at(p, at), theme.warning))
                        frame = united(frame, {at.x, at.y, at.x + 1, at.y + 1});
                });
                everywhere(south, [&](Point at) {
                    if (at.y < frame.y0 - 6 || !is(colour_at(p, at), theme.text)) return;
                    ++words;
                    spilt += !frame.grown(-2).contains(at);
                });
                EXPECT_GT(words, 20) << camera << " " << language << " " << size.width;
                EXPECT_EQ(spilt, 0) << camera << " " << language << " " << size.width;
            }
}

// Six sit at one side of the rows of carrom.
TEST(Picture, ManyAtOneSeatShareOnePanelInWhichOneOfThemSaysWhatIsGoingOn) {
    NEEDS_DISPLAY();
    const Theme theme;
    for (const std::string language : {"en", "fr"}) {
        TableApp app{offscreen(1920, 1080)};
        Scene scene;
        scene.language = language;
        scene.match = two_players();
        scene.match->players.clear();
        for (const char* name : {"Anna", "Émile", "Mia", "Noah", "Zoé", "Maximilienne"})
            scene.match->players.push_back(Json{{"name", name}, {"seat", "s"}, {"score", 10}});
        scene.match->turn_player = "Noah";
        scene.match->actions = {"place_striker", "shot"};
        scene.match->message = Message{"table.waiting_for", {{"player", "Noah for some time now"}}};
        app.show(scene);
        double now = 0;
        step(app, now);
        const Rect panel = panel_on_table(scene, "s", theme);
        const double share = (panel.width() - 40) / 7;  // the one to move has two of them
        int said = 0, spilt = 0;
        everywhere(panel, [&](Point at) {
            const auto seen = colour_at(app.picture(), at);
            if (!is(seen, theme.quiet) && !is(seen, theme.text)) return;
            const double x = at.x - panel.x0;
            const bool speaker = x > 3 * share && x < 5 * share;
            const bool low = at.y > panel.y1 - 22, menu = x > 7 * share;
            said += low && speaker;
            spilt += (low && !speaker && !menu) || at.y > panel.y1 - 2;
        });
        EXPECT_GT(said, 20) << language;
        EXPECT_EQ(spilt, 0) << language;
    }
}

TEST(Picture, AWarningStandsBesideWhatItIsAboutAndOffTheZones) {
    NEEDS_DISPLAY();
    TableApp app{offscreen()};
    double now = 0;
    Scene scene;
    scene.match = two_players();
    scene.pieces = {piece(1, PieceKind::disc, "blue", 600, 300),
                    piece(2, PieceKind::disc, "blue", 560, 400),
                    piece(3, PieceKind::disc, "blue", 660, 220)};
    Mark zone = mark(MarkKind::polygon, MarkStyle::zone, {});
    zone.points = {{450, 345}, {750, 345}, {750, 365}, {450, 365}};
    scene.marks = {zone};
    scene.attention = Attention{
        Point{600, 300},
        "X-4",
        {},
        "This side is longer than the one it lies against: sides must coincide end to end."};
    app.show(scene);
    step(app, now);
    const Picture& p = app.picture();
    double nearest = 1e9;
    int on_zone = 0;
    everywhere({150, 100, 1050, 570}, [&](Point at) {
        if (!is(colour_at(p, at), Theme{}.panel)) return;
        nearest = std::min(nearest, distance(at, {600, 300}));
        on_zone += Rect{450, 345, 750, 365}.grown(3).contains(at);
    });
    EXPECT_LT(nearest, 90);
    EXPECT_EQ(on_zone, 0);
}

TEST(Picture, TheLightOfTheTurnStaysOffTheGame) {
    NEEDS_DISPLAY();
    TableApp app{offscreen()};
    double now = 0;
    Scene scene;
    scene.match = two_players();
    scene.panels["s"] = {-300, 0, PanelForm::wide};
    Mark zone = mark(MarkKind::polygon, MarkStyle::zone, {});
    zone.points = {{700, 580}, {800, 580}, {800, 660}, {700, 660}};
    zone.seat = "s";
    scene.marks = {zone};
    app.show(scene);
    step(app, now);
    const Picture& p = app.picture();
    EXPECT_GT(colour_at(p, {900, 664})[0], 30) << "beside it there is light";
    everywhere({704, 630, 796, 656}, [&](Point at) {
        EXPECT_LT(colour_at(p, at)[0], colour_at(p, at)[1]) << at.x << ", " << at.y;
    });
}

TEST(DisplayList, DarkOnBlackChangesNothingAndOnLightJustThat) {
    NEEDS_DISPLAY();
    TextAtlas atlas;
    DisplayList list;
    const auto draw = [&](double dark_x) {
        list.begin(atlas, 1);
        list.add(Hash{"light"}, [](Pen& pen) {
            pen.box({100, 100, 120, 120}, 0, sf::Color::White);
        });
        list.lift();
        list.add_dark(Hash{"dark"} << dark_x, [&](Pen& pen) {
            pen.soft_disc({dark_x, 110}, 15, 9, sf::Color::Black);
        });
        return list.end();
    };
    draw(300);
    EXPECT_TRUE(draw(310).empty()) << "over nothing";
    const auto over = draw(110);
    ASSERT_EQ(over.size(), 1u);
    EXPECT_NEAR(over[0].width(), 22, 1) << "no more than the light";
    EXPECT_EQ(draw(300).size(), 1u) << "and away again";
}

TEST(Picture, TenThousandMarksAreDrawn) {
    NEEDS_DISPLAY();
    TableApp app{offscreen()};
    double now = 0;
    Scene scene;
    scene.match = two_players();
    for (int i = 0; i < 10000; ++i) {
        Mark m = mark(i % 5 ? MarkKind::circle : MarkKind::text, MarkStyle::hint,
                      {20.0 + (i % 125) * 9.3, 90.0 + double(i / 125) * 6.2});
        m.radius = 3;
        m.text = std::to_string(i);
        scene.marks.push_back(m);
    }
    app.show(scene);
    step(app, now);
    const auto displays = app.displays();
    EXPECT_GE(displays, 1u);
    scene.marks[1].at.x += 2;
    app.show(scene);
    step(app, now);
    EXPECT_EQ(app.displays(), displays + 1);
    EXPECT_GT(light(app.picture(), int((scene.marks[1].at.x + 3) * app.picture().px_per_mm),
                    int(scene.marks[1].at.y * app.picture().px_per_mm)),
              30);
}

TEST(Text, WithoutFontsDigitsAreStillDigits) {
    NEEDS_DISPLAY();
    TextAtlas atlas{{false, 512}};
    EXPECT_FALSE(atlas.has_fonts());
    const auto one = atlas.run("1", Weight::bold, 30), eight = atlas.run("8", Weight::bold, 30);
    EXPECT_LT(one->glyphs.size(), eight->glyphs.size());
    EXPECT_GT(atlas.run("Déjà", Weight::regular, 20)->glyphs.size(), 0u);
}

// A process in which fontconfig finds nothing at all. (Told a file it cannot read, it finds them
// all.)
TEST(TextDeathTest, AMachineWithoutAnyFontDrawsOn) {
    NEEDS_DISPLAY();
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_EXIT(
        {
            const auto file = std::filesystem::temp_directory_path() /
                              ("overboard-no-fonts-" + std::to_string(::getpid()) + ".conf");
            std::ofstream(file)
                << "<?xml version=\"1.0\"?><fontconfig><dir>/dev/null</dir></fontconfig>\n";
            ::setenv("FONTCONFIG_FILE", file.c_str(), 1);
            TableApp app{offscreen()};
            Scene scene;
            scene.match = two_players();
            app.show(scene);
            app.step(1);
            const bool none = !TextAtlas{}.has_fonts();
            std::filesystem::remove(file);
            std::exit(app.displays() > 0 && none ? 0 : 1);
        },
        ::testing::ExitedWithCode(0), "");
}

TEST(Text, ShapesScriptsAndSurvivesAFullTexture) {
    NEEDS_DISPLAY();
    TextAtlas atlas{{true, 256}};
    const auto greek = atlas.run("Ωμέγα", Weight::regular, 20);
    EXPECT_EQ(greek->glyphs.size(), 5u);
    EXPECT_GT(atlas.run("two lines of text that must be broken somewhere", Weight::regular, 20, 10)
                  ->lines,
              1);
    const unsigned before = atlas.generation();
    for (int i = 0; i < 400; ++i)
        atlas.run(std::string(1, char('!' + i % 90)), i % 2 ? Weight::bold : Weight::regular,
                  20.0 + i % 100);
    EXPECT_GT(atlas.generation(), before);
}

TEST(Picture, ChangesItsWordsWithTheLanguageAndBack) {
    NEEDS_DISPLAY();
    TableApp app{offscreen()};
    double now = 0;
    Scene scene;
    scene.match = two_players();
    app.show(scene);
    step(app, now);
    const auto pixels = app.picture().rgba;
    for (const char* language : {"fr", "en"}) {
        scene.language = language;
        app.show(scene);
        step(app, now);
        EXPECT_EQ(app.picture().rgba == pixels, std::string(language) == "en") << language;
    }
}

}  // namespace
}  // namespace overboard::table::testing
