#include "app/commands.hpp"

namespace overboard::app {

void add_rerun(CLI::App& app) {
    auto* command = app.add_subcommand("rerun", "Play a recording through the rules again");
    command->allow_extras();
    command->callback([] { not_built_yet("rerun"); });
}

}  // namespace overboard::app
