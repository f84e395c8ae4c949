#pragma once

#include <string_view>
#include <vector>

#include "rules/game.hpp"

namespace overboard::rules {

/// Every game, in the order menus show them.
const std::vector<Game>& games();

/// Null when there is none of that id.
const Game* find_game(std::string_view id);

}  // namespace overboard::rules
