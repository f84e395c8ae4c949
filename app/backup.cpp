#include "app/commands.hpp"

namespace overboard::app {

void add_backup(CLI::App& app) {
    auto* command = app.add_subcommand("backup", "Copy the match store to a new file while it is in use");
    command->allow_extras();
    command->callback([] { not_built_yet("backup"); });
}

}  // namespace overboard::app
