#include "app/commands.hpp"

namespace overboard::app {

void add_calibrate(CLI::App& app) {
    auto* command = app.add_subcommand("calibrate", "Camera, table, projector and touch: guided, with a verdict");
    command->allow_extras();
    command->callback([] { not_built_yet("calibrate"); });
}

}  // namespace overboard::app
