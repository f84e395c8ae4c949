#include "simulator/script.hpp"

#include "simulator/play.hpp"

namespace overboard::simulator {

Script::Script(const rules::Game& game, rules::Setup setup, ScriptOptions options)
    : play_{std::make_unique<Play>(game, std::move(setup), std::move(options))} {}
Script::~Script() = default;
Script::Script(Script&&) noexcept = default;
Script& Script::operator=(Script&&) noexcept = default;

Frame Script::next() {
    return play_->next();
}
const Catalogue& Script::catalogue() const {
    return play_->catalogue;
}
const rules::State& Script::state() const {
    return play_->state;
}

}  // namespace overboard::simulator
