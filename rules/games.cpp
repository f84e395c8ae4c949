#include "rules/games.hpp"

#include <algorithm>

#include "rules/carrom/carrom.hpp"
#include "rules/gayplay/gayplay.hpp"
#include "rules/gotown/gotown.hpp"
#include "rules/jouets/jouets.hpp"
#include "rules/race/race.hpp"
#include "rules/topit/topit.hpp"

namespace overboard::rules {

// The visible list: one line a game.
const std::vector<Game>& games() {
    static const std::vector<Game> all = {
        make_game<carrom::Carrom>(), make_game<gayplay::Gayplay>(),
        make_game<Gotown>(),         make_game<Jouets>(),
        make_game<Topit>(),          make_game<race::Race>(),
    };
    return all;
}

const Game* find_game(std::string_view id) {
    const auto& all = games();
    const auto found = std::find_if(all.begin(), all.end(),
                                    [&](const Game& g) { return g.info.id == id; });
    return found == all.end() ? nullptr : &*found;
}

}  // namespace overboard::rules
