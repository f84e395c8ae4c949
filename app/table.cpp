#include "app/commands.hpp"

namespace overboard::app {

void add_table(CLI::App& app) {
    auto* command = app.add_subcommand("table", "The projector overlay and touch as their own process");
    command->allow_extras();
    command->callback([] { not_built_yet("table"); });
}

}  // namespace overboard::app
