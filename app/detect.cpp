#include "app/commands.hpp"

namespace overboard::app {

void add_detect(CLI::App& app) {
    auto* command = app.add_subcommand("detect", "One observation per image, one JSON line each");
    command->allow_extras();
    command->callback([] { not_built_yet("detect"); });
}

}  // namespace overboard::app
