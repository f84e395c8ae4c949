#include "app/commands.hpp"

namespace overboard::app {

void add_vision(CLI::App& app) {
    auto* command = app.add_subcommand("vision", "The camera and its detectors as their own process");
    command->allow_extras();
    command->callback([] { not_built_yet("vision"); });
}

}  // namespace overboard::app
