#include "rules/jouets/tiles.hpp"

#include <algorithm>
#include <set>

#include "bus/data.hpp"
#include "rules/wire.hpp"

namespace overboard::rules::jouets {
namespace {

constexpr std::size_t kMostTiles = 1000;  // Options come from anywhere.

std::optional<Zone> zone_from(const Json& json) {
    const auto type = text_field(json, "type");
    const auto known = std::find_if(kTypes.begin(), kTypes.end(),
                                    [&](const char* t) { return type && *type == t; });
    if (known == kTypes.end()) return {};
    Zone zone{static_cast<int>(known - kTypes.begin()), {}};
    const Json& toys = field(json, "toys");
    if (!toys.is_array() && !toys.is_null()) return {};
    for (const Json& toy : toys) {
        if (!toy.is_string()) return {};
        zone.toys.push_back(toy.get<std::string>());
    }
    return zone;
}

std::optional<std::array<int, 2>> side_from(const Json& json, std::size_t zones) {
    if (!json.is_array() || json.size() != 2) return {};
    std::array<int, 2> halves{};
    for (std::size_t h = 0; h < 2; ++h) {
        const auto zone = whole_in(json[h]);
        if (!zone || *zone < 0 || *zone >= static_cast<int>(zones)) return {};
        halves[h] = *zone;
    }
    return halves;
}

std::optional<Tile> tile_from(const Json& json) {
    static constexpr std::array<const char*, 4> kSides = {"n", "e", "s", "w"};
    Tile tile;
    const auto id = text_field(json, "id");
    const Json& zones = field(json, "zones");
    if (!id || id->empty() || !zones.is_array()) return {};
    tile.id = *id;
    for (const Json& each : zones) {
        const auto zone = zone_from(each);
        if (!zone) return {};
        tile.zones.push_back(*zone);
    }
    for (std::size_t side = 0; side < 4; ++side) {
        const auto halves = side_from(field(field(json, "sides"), kSides[side]), tile.zones.size());
        if (!halves) return {};
        tile.sides[side] = *halves;
    }
    return tile;
}

std::shared_ptr<const TileSet> assembled(std::vector<Tile> toys, std::vector<Tile> registers) {
    auto set = std::make_shared<TileSet>();
    set->toys = std::move(toys);
    set->registers = std::move(registers);
    for (std::size_t i = 0; i < set->toys.size(); ++i)
        set->toy_index[set->toys[i].id] = static_cast<int>(i);
    return set;
}

std::vector<Tile> default_tiles(const char* file) {
    return tiles_from(load_data(file)).value();
}

const std::shared_ptr<const TileSet>& default_set() {
    static const auto set = assembled(default_tiles("rules/jouets/data/tiles.json"),
                                      default_tiles("rules/jouets/data/registers.json"));
    return set;
}

}  // namespace

std::optional<std::vector<Tile>> tiles_from(const Json& json) {
    if (!json.is_array() || json.empty() || json.size() > kMostTiles) return {};
    std::vector<Tile> tiles;
    std::set<std::string> ids;
    for (const Json& each : json) {
        auto tile = tile_from(each);
        if (!tile || !ids.insert(tile->id).second) return {};
        tiles.push_back(std::move(*tile));
    }
    return tiles;
}

tl::expected<std::shared_ptr<const TileSet>, std::string> tile_set(const Json& options) {
    const Json& own_toys = field(options, "tiles");
    const Json& own_registers = field(options, "register_tiles");
    if (own_toys.is_null() && own_registers.is_null()) return default_set();
    auto toys = own_toys.is_null() ? std::optional{default_set()->toys} : tiles_from(own_toys);
    auto registers = own_registers.is_null() ? std::optional{default_set()->registers}
                                             : tiles_from(own_registers);
    if (!toys) return tl::unexpected(std::string{"tiles"});
    if (!registers) return tl::unexpected(std::string{"register_tiles"});
    return assembled(std::move(*toys), std::move(*registers));
}

}  // namespace overboard::rules::jouets
