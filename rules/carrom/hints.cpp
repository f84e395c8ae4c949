#include "rules/carrom/carrom.hpp"

namespace overboard::rules::carrom {

// The shots most likely to score come from simulating them; without a search there is no advice,
// and the service says so.
std::vector<Hint> Carrom::hints(const State&, int) { return {}; }

}  // namespace overboard::rules::carrom
