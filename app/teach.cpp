#include "app/commands.hpp"

namespace overboard::app {

void add_teach(CLI::App& app) {
    auto* command = app.add_subcommand("teach", "Enrol the faces of a game's cards and tiles");
    command->allow_extras();
    command->callback([] { not_built_yet("teach"); });
}

}  // namespace overboard::app
