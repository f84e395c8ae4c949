#pragma once

#include <random>
#include <string>

#include "rules/games.hpp"

/// What the contract test, the playthroughs and the benchmarks share: a player who plays anything.
namespace overboard::rules::testing {

/// The same numbers on every machine.
class Dice {
public:
    explicit Dice(unsigned seed) : engine_{seed} {}
    std::size_t below(std::size_t n) { return n == 0 ? 0 : engine_() % n; }

private:
    std::mt19937 engine_;
};

inline Setup setup_for(const std::string& variant, int players) {
    static const char* names[] = {"Ada", "Blaise", "Chloé", "Dirk", "Emmy", "Félix"};
    Setup setup;
    setup.variant = variant;
    for (int i = 0; i < players; ++i) setup.players.push_back({names[i], "", Json::object()});
    return setup;
}

/// Every game with every variant, as "game" or "game-variant".
struct GameVariant {
    const Game* game = nullptr;
    std::string variant;
    [[nodiscard]] std::string name() const {
        return variant.empty() ? game->info.id : game->info.id + "-" + variant;
    }
    /// A start with about that many players: the nearest number the game takes.
    [[nodiscard]] tl::expected<State, Ruling> start(int players) const {
        auto first = game->start(setup_for(variant, players));
        for (int n = players; !first && n >= game->info.min_players; --n)
            first = game->start(setup_for(variant, n));
        return first;
    }
};

inline std::vector<GameVariant> all_variants() {
    std::vector<GameVariant> all;
    for (const Game& game : games())
        for (const std::string& variant :
             game.info.variants.empty() ? std::vector<std::string>{""} : game.info.variants)
            all.push_back({&game, variant});
    return all;
}

inline std::string test_name(std::string text) {
    for (char& c : text)
        if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
    return text;
}

}  // namespace overboard::rules::testing
