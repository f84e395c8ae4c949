#include "app/commands.hpp"

namespace overboard::app {

void add_rules(CLI::App& app) {
    auto* command = app.add_subcommand("rules", "The rules service as its own process");
    command->allow_extras();
    command->callback([] { not_built_yet("rules"); });
}

}  // namespace overboard::app
