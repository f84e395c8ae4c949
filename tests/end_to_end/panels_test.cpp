// Panels stand at the seats of every game, for any number of players: never on a zone of the game,
// a piece, or each other.
#include <gtest/gtest.h>

#include <random>

#include "rules/fields.hpp"
#include "rules/games.hpp"
#include "table/hud.hpp"

namespace overboard {
namespace {

using namespace table;

struct Seen {
    int looks = 0, inward = 0;
    std::vector<std::string> wrong;
};

void look(const Scene& scene, const std::string& where, Seen& seen) {
    const Theme theme;
    const auto dark = dark_places(scene.pieces, scene.table);
    const auto seats = seats_taken(scene);
    ++seen.looks;
    for (const std::string& seat : seats) {
        const Rect box = panel_on_table(scene, seat, theme);
        const auto wrong = [&](const std::string& on) {
            seen.wrong.push_back(where + ": the panel at " + seat + " lies on " + on);
        };
        if (Clearance{&dark, {}, {}}.covered(box) > 0) wrong("a piece or a marker");
        for (const Mark& m : scene.marks) {
            if (m.style != MarkStyle::zone && m.kind != MarkKind::ghost) continue;
            if (m.points.size() > 2 && touch(box_of(m.points), box)) wrong("a zone");
            if (m.points.empty() && m.radius > 0 &&
                touch(Rect{m.at.x, m.at.y, m.at.x, m.at.y}.grown(m.radius), box))
                wrong("a round zone");
        }
        for (const std::string& other : seats)
            if (other < seat && touch(panel_on_table(scene, other, theme), box))
                wrong("the panel at " + other);
        const auto moved = scene.panels.find(seat);
        seen.inward += moved != scene.panels.end() && moved->second.inward_mm > 0;
    }
}

void play(const rules::Game& game, const std::string& variant, int count, int moves, Seen& seen) {
    rules::Setup setup;
    setup.variant = variant;
    for (int i = 0; i < count; ++i)
        setup.players.push_back({"Player " + std::to_string(i + 1), "", Json::object()});
    const auto seats = rules::seats_of(setup);
    auto state = game.start(setup);
    if (!state) return;  // some variants are for fewer players
    Scene scene;
    scene.match = MatchState{};
    for (int i = 0; i < count; ++i)
        scene.match->players.push_back(
            Json{{"name", setup.players[std::size_t(i)].name}, {"seat", seats[std::size_t(i)]}});
    std::mt19937 random{unsigned(17 * count)};
    for (int i = 0; i <= moves; ++i) {
        scene.marks = game.marks(*state);
        scene.pieces = game.scene_of(*state).pieces;
        settle_panels(scene, Theme{});
        look(scene,
             game.info.id + " " + variant + " for " + std::to_string(count) + ", move " +
                 std::to_string(i),
             seen);
        const auto legal = game.legal_moves(*state);
        if (legal.empty()) return;
        const auto& move = legal[random() % legal.size()];
        state = game.apply(*state, move.player, move.move).state;
    }
}

TEST(Panels, LieOnNothingInAnyGameForAnyNumberOfPlayers) {
    const int moves = std::getenv("OVERBOARD_LONG") ? 200 : 60;
    for (const rules::Game& game : rules::games()) {
        Seen seen;
        for (const std::string& variant : game.info.variants)
            for (int count = game.info.min_players; count <= game.info.max_players; ++count)
                play(game, variant, count, moves, seen);
        std::printf("%s: %d tables, %zu overlaps, %d panels stood away from the edge\n",
                    game.info.id.c_str(), seen.looks, seen.wrong.size(), seen.inward);
        EXPECT_GE(seen.looks, 50) << game.info.id;
        EXPECT_TRUE(seen.wrong.empty()) << seen.wrong.front();
    }
}

}  // namespace
}  // namespace overboard
