#include "app/commands.hpp"

namespace overboard::app {

void add_play(CLI::App& app) {
    auto* command = app.add_subcommand("play", "All parts in one process on a real camera");
    command->allow_extras();
    command->callback([] { not_built_yet("play"); });
}

}  // namespace overboard::app
