#include "app/commands.hpp"

namespace overboard::app {

void add_simulate(CLI::App& app) {
    auto* command = app.add_subcommand("simulate", "A simulated table as video and truth");
    command->allow_extras();
    command->callback([] { not_built_yet("simulate"); });
}

}  // namespace overboard::app
