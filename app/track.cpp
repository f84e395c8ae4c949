#include "app/commands.hpp"

namespace overboard::app {

void add_track(CLI::App& app) {
    auto* command = app.add_subcommand("track", "Observations and shots of a video, as JSON lines");
    command->allow_extras();
    command->callback([] { not_built_yet("track"); });
}

}  // namespace overboard::app
