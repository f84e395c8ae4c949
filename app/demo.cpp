#include "app/commands.hpp"

namespace overboard::app {

void add_demo(CLI::App& app) {
    auto* command = app.add_subcommand("demo", "The whole system on the simulated camera: no hardware needed");
    command->allow_extras();
    command->callback([] { not_built_yet("demo"); });
}

}  // namespace overboard::app
