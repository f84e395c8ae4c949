#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "rules/game.hpp"

/// Jouets à GO GO GO: lay toy tiles into a shop of four by four.
namespace overboard::rules {

namespace jouets {

inline constexpr std::array<const char*, 4> kTypes = {"plush", "dolls", "vehicles", "sports"};
inline constexpr int kShopSide = 4;   ///< JOUETS-6
inline constexpr int kToyTiles = 15;  ///< JOUETS-30: all but the register.
inline constexpr std::size_t kMarket = 4;

struct Zone {
    int type = 0;  ///< Index into kTypes.
    std::vector<std::string> toys;
};

enum Side { north, east, south, west };

struct Tile {
    std::string id;
    std::vector<Zone> zones;
    /// Zone of each half-side: left and right for north and south, upper and lower for east and
    /// west.
    std::array<std::array<int, 2>, 4> sides{};
};

/// A tile set never changes during a match, so all its states share one.
struct TileSet {
    std::vector<Tile> toys;
    std::vector<Tile> registers;
    std::map<std::string, int, std::less<>> toy_index;  ///< Tile id → index into toys.
};

/// Relative to the register: columns to the right, rows down.
struct Cell {
    int col = 0;
    int row = 0;
    friend bool operator==(Cell, Cell) = default;
};

struct Laid {
    int tile = 0;  ///< Index into TileSet::toys.
    Cell at;
};

/// A tile lying open in the middle.
struct Open {
    int tile = 0;
    std::size_t slot = 0;  ///< Which of the four places it lies on.
};

struct Reward {
    std::string kind;  ///< "collection", "showcase" or "extra".
    int type = 0;
};

struct Shop {
    std::string name;
    std::string seat;
    int register_tile = 0;  ///< Index into TileSet::registers.
    std::vector<Laid> tiles;
    int coins = 0;
    std::vector<Reward> rewards;
};

struct State {
    std::shared_ptr<const TileSet> set;
    std::vector<Shop> shops;   ///< In the order of play.
    std::vector<Open> market;  ///< In the order they were opened.
    bool market_known = false;
    std::array<int, 4> collected{-1, -1, -1, -1};  ///< Who took each Collection reward.
    int turn = 0;
    int youngest = 0;
    bool finished = false;

    [[nodiscard]] const Tile& toy(int tile) const {
        return set->toys[static_cast<std::size_t>(tile)];
    }
    [[nodiscard]] const Shop& shop(int player) const {
        return shops[static_cast<std::size_t>(player)];
    }
    [[nodiscard]] const Tile& register_of(const Shop& shop) const {
        return set->registers[static_cast<std::size_t>(shop.register_tile)];
    }
    [[nodiscard]] int players() const { return static_cast<int>(shops.size()); }
};

/// An area that a new tile extends or joins.
struct Area {
    int type = 0;
    int toys = 0;
    std::vector<std::string> tiles;  ///< In the order they were laid, the register first.
};

/// What laying `tile` at `at` would pay (JOUETS-10, -11).
std::vector<Area> areas_extended(const State& state, const Shop& shop, int tile, Cell at);
int coins_for(const std::vector<Area>& areas);
/// Where this shop may grow: touching and within four by four.
std::vector<Cell> free_cells(const Shop& shop);
bool is_laid(const State& state, int tile);
bool in_market(const State& state, int tile);
int pile_size(const State& state);
std::vector<int> winners_of(const State& state);

}  // namespace jouets

struct Jouets {
    using State = jouets::State;
    static GameInfo info();
    static Catalogue catalogue(const Setup& setup);
    static tl::expected<State, Ruling> start(const Setup& setup);
    static Ruling judge(const State& state, int player, const Move& move);
    static Applied<State> apply(const State& state, int player, const Move& move);
    static GameView view(const State& state);
    static std::vector<Mark> marks(const State& state);
    static std::vector<PlayerMove> legal_moves(const State& state);
    static std::vector<Hint> hints(const State& state, int count);
    static std::string to_text(const State& state);
    static Observation scene_of(const State& state);
    static Reading read(const State& state, const Observation& seen);
    static bool visible(const State& state, const PlayerMove& move);
};

}  // namespace overboard::rules
