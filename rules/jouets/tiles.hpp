#pragma once

#include "rules/jouets/jouets.hpp"

namespace overboard::rules::jouets {

/// Tiles as the game's page writes them: id, zones of a type with toys, two zone numbers a side.
/// Nothing when any of them is broken or an id comes twice.
std::optional<std::vector<Tile>> tiles_from(const Json& json);

/// The default tiles, or those of the options. Nothing, with the option's name, when they are
/// broken.
tl::expected<std::shared_ptr<const TileSet>, std::string> tile_set(const Json& options);

}  // namespace overboard::rules::jouets
