// Whole games as readable text. A changed rule shows as a changed playthrough; when the change is
// wanted: scripts/regenerate-playthroughs, and look at the difference.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/rules/random_play.hpp"

namespace overboard::rules::testing {
namespace {

constexpr int kMoves = 80;

std::string told(const GameVariant& gv) {
    const Game& game = *gv.game;
    Dice dice(20261116);
    const auto first = gv.start(3);
    if (!first) return "does not start";
    State s = *first;
    std::ostringstream out;
    out << game.info.name << (gv.variant.empty() ? "" : ", variant " + gv.variant) << "\n\n"
        << game.to_text(s);
    for (int n = 1; n <= kMoves && !game.view(s).finished; ++n) {
        const auto moves = game.legal_moves(s);
        const PlayerMove& m = moves[dice.below(moves.size())];
        const auto next = game.apply(s, m.player, m.move);
        out << "\n"
            << n << ". " << setup_for("", 6).players[static_cast<std::size_t>(m.player)].name << " "
            << m.move.dump() << "\n";
        for (const Json& event : next.events) out << "   " << event.dump() << "\n";
        s = next.state;
        out << game.to_text(s);
    }
    return out.str();
}

class Playthrough : public ::testing::TestWithParam<GameVariant> {};

TEST_P(Playthrough, IsAsWritten) {
    const auto file = std::filesystem::path(OVERBOARD_TEST_DATA) / "playthroughs" /
                      (GetParam().name() + ".txt");
    const std::string now = told(GetParam());
    if (std::getenv("OVERBOARD_REGENERATE")) {
        std::filesystem::create_directories(file.parent_path());
        std::ofstream(file) << now;
        GTEST_SKIP() << "written anew: " << file;
    }
    std::ifstream in(file);
    ASSERT_TRUE(in) << file << " is missing: run scripts/regenerate-playthroughs";
    std::stringstream before;
    before << in.rdbuf();
    EXPECT_EQ(now, before.str()) << "if this is as it should be: scripts/regenerate-playthroughs";
}

INSTANTIATE_TEST_SUITE_P(AllGames, Playthrough, ::testing::ValuesIn(all_variants()),
                         [](const auto& p) { return test_name(p.param.name()); });

}  // namespace
}  // namespace overboard::rules::testing
