#include "app/commands.hpp"

namespace overboard::app {

void add_doctor(CLI::App& app) {
    auto* command = app.add_subcommand("doctor", "Check camera, display, calibration, sockets and store; say what to do");
    command->allow_extras();
    command->callback([] { not_built_yet("doctor"); });
}

}  // namespace overboard::app
