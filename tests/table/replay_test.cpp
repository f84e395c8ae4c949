#include <gmock/gmock.h>

#include <thread>

#include "tests/table/support.hpp"

// A recorded shot on the table: what if, and putting everything back.
namespace overboard::table::testing {
namespace {

constexpr Pose kBoard{600, 337.5, 0};

Shot recorded() {
    Shot shot;
    shot.shot_id = "s1";
    shot.board = "to-go";
    shot.start = 5;
    shot.end = 6;
    shot.tracks = {{1, "striker", {{5, 0, 142}, {5.5, 0, 40}, {6, 0, 30}}},
                   {2, "blue", {{5, 0, 0}, {5.5, 0, 0}, {6, 0, -80}}}};
    return shot;
}

Scene replaying() {
    Scene scene;
    scene.match = two_players();
    scene.replay.emplace(recorded(), kBoard);
    scene.replay->play(false);
    return scene;
}

/// Light of about that colour within reach of a place.
int lit(const Picture& p, sf::Color colour, Point at_mm, double reach_mm) {
    int count = 0;
    for (int y = 0; y < p.size.height; ++y)
        for (int x = 0; x < p.size.width; ++x) {
            if (distance({(x + 0.5) / p.px_per_mm, (y + 0.5) / p.px_per_mm}, at_mm) > reach_mm)
                continue;
            const auto*
                c = &p.rgba[4 * (std::size_t(y) * std::size_t(p.size.width) + std::size_t(x))];
            count += std::abs(c[0] - colour.r) + std::abs(c[1] - colour.g) +
                         std::abs(c[2] - colour.b) <
                     60;
        }
    return count;
}

const Target* target(const TableApp& app, const std::string& verb,
                     const Json& data = Json::object()) {
    for (const Target& t : app.targets())
        if (t.action.verb == verb && (data.empty() || t.action.data == data)) return &t;
    return nullptr;
}

TEST(ReplayOnTheTable, WhatIfIsComputedAsideAndDrawnInItsOwnStyle) {
    NEEDS_DISPLAY();
    TableOptions options = offscreen(1200, 675);
    std::vector<WhatIf> asked;
    options.what_if = [&](const Shot& shot, const WhatIf& change) -> std::optional<Shot> {
        asked.push_back(change);
        Shot other = shot;
        other.tracks = {{1, "striker", {{5, 0, 142}, {6, 150, -20}}}};
        other.confidence = 0.8;
        return other;
    };
    TableApp app{options};
    double now = 1;
    app.show(replaying());
    const auto settle = [&] {
        for (int i = 0; i < 400; ++i) {
            app.step(now += 0.02);
            const auto& replay = app.scene().replay;
            if (replay && replay->what_if() && replay->answered()) break;
            std::this_thread::sleep_for(milliseconds{5});
        }
        app.step(now += 0.02);
    };
    app.step(now += 0.1);
    const Point there = place(kBoard, {150, -20});
    EXPECT_EQ(lit(app.picture(), Theme{}.what_if, there, 14), 0);
    ASSERT_NE(target(app, "replay.what_if"), nullptr);
    app.tap(target(app, "replay.what_if")->centre());
    settle();
    ASSERT_EQ(asked.size(), 1u);
    EXPECT_EQ(asked[0], (WhatIf{5, 0, 1}));
    EXPECT_GT(lit(app.picture(), Theme{}.what_if, there, 14), 20) << "where the striker would lie";
    const Target* harder = nullptr;
    for (const Target& t : app.targets())
        if (t.action.verb == "replay.change" && t.action.data.value("force", 0.0) > 0) harder = &t;
    ASSERT_NE(harder, nullptr);
    now += 0.5;
    app.tap(harder->centre());
    app.step(now += 0.02);
    settle();
    ASSERT_EQ(asked.size(), 2u);
    EXPECT_NEAR(asked[1].force, 1.1, 1e-9);
    now += 0.5;
    app.tap(target(app, "replay.what_if")->centre());
    for (int i = 0; i < 5; ++i) app.step(now += 0.05);
    EXPECT_EQ(lit(app.picture(), Theme{}.what_if, there, 14), 0)
        << "gone when nobody asks any more";
}

TEST(ReplayOnTheTable, OutlinesTurnGreenWithinTwoMillimetresOnly) {
    NEEDS_DISPLAY();
    TableApp app{offscreen(1200, 675)};
    double now = 1;
    Scene scene = replaying();
    scene.replay->restore(true);
    app.show(scene);
    const Point blue = place(kBoard, {0, 0}), striker = place(kBoard, {0, 142});
    const auto green = [&](Point at) { return lit(app.picture(), Theme{}.good, at, 32) > 30; };
    const auto lay = [&](const char* type, Point at, double off_mm) {
        Observation seen;
        seen.still = true;
        seen.pieces = {piece(7, PieceKind::disc, type, at.x + off_mm, at.y)};
        app.see(seen);
        for (int i = 0; i < 3; ++i) app.step(now += 0.05);
    };
    app.step(now += 0.1);
    EXPECT_FALSE(green(blue));
    lay("blue", blue, 40);
    EXPECT_FALSE(green(blue));
    lay("blue", blue, 2.6);
    EXPECT_FALSE(green(blue)) << "near is not back";
    lay("blue", blue, 1.4);
    EXPECT_TRUE(green(blue));
    EXPECT_FALSE(green(striker)) << "that one is still missing";
    lay("striker", blue, 0);
    EXPECT_FALSE(green(blue)) << "another kind of piece does not count";
}

}  // namespace
}  // namespace overboard::table::testing
