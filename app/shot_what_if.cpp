#include "app/shot_what_if.hpp"

#include <spdlog/spdlog.h>

#include <memory>

#include "physics/fit.hpp"
#include "physics/what_if.hpp"

namespace overboard::app {
namespace {

struct Fitted {
    std::string shot_id;
    physics::Parameters parameters;
    std::optional<Point> strike_mm_s;
};

Fitted fitted(const Shot& shot, const physics::Board& board) {
    Fitted known{shot.shot_id, {}, {}};
    try {
        const physics::TableFit fit = physics::fit_table({shot}, board);
        if (fit.shots.empty() || fit.shots[0].chaotic) return known;
        known.parameters = fit.parameters;
        known.strike_mm_s = fit.shots[0].strike.velocity_mm_s;
    } catch (const std::runtime_error& e) {
        spdlog::info("what if: the shot could not be fitted: {}", e.what());
    }
    return known;
}

}  // namespace

table::WhatIfMaker fitted_what_if() {
    return [last = std::make_shared<Fitted>()](const Shot& shot,
                                               const table::WhatIf& change) -> std::optional<Shot> {
        try {
            const physics::Board& board = physics::load_board(shot.board);
            if (last->shot_id != shot.shot_id || shot.shot_id.empty()) *last = fitted(shot, board);
            const Point* strike = last->strike_mm_s ? &*last->strike_mm_s : nullptr;
            return physics::what_if(shot, change.from_s, {change.turn_rad, change.force, 0}, board,
                                    last->parameters, strike);
        } catch (const std::runtime_error& e) {
            spdlog::warn("what if: {}", e.what());
            return {};
        }
    };
}

}  // namespace overboard::app
