#include "app/commands.hpp"

namespace overboard::app {

void add_bench(CLI::App& app) {
    auto* command = app.add_subcommand("bench", "Accuracy figures, measured now");
    command->allow_extras();
    command->callback([] { not_built_yet("bench"); });
}

}  // namespace overboard::app
