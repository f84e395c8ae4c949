#include "app/commands.hpp"

namespace overboard::app {

void add_print(CLI::App& app) {
    auto* command = app.add_subcommand("print", "Printable pieces, boards and markers as PDF");
    command->allow_extras();
    command->callback([] { not_built_yet("print"); });
}

}  // namespace overboard::app
