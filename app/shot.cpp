#include "app/commands.hpp"

namespace overboard::app {

void add_shot(CLI::App& app) {
    auto* command = app.add_subcommand("shot", "Simulate, fit, replay, list and export carrom shots");
    command->allow_extras();
    command->callback([] { not_built_yet("shot"); });
}

}  // namespace overboard::app
