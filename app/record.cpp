#include "app/commands.hpp"

namespace overboard::app {

void add_record(CLI::App& app) {
    auto* command = app.add_subcommand("record", "Record everything that crosses the bus to a file");
    command->allow_extras();
    command->callback([] { not_built_yet("record"); });
}

}  // namespace overboard::app
