#pragma once

#include <CLI/CLI.hpp>
#include <string>

/// Options in a file: overboard.toml, a table per command, keys as on the command line without the
/// dashes. What stands on the command line counts more. The program never writes it.
namespace overboard::app {

/// Adds --config. Without it: $OVERBOARD_CONFIG, else overboard.toml in $XDG_CONFIG_HOME/overboard
/// (~/.config/overboard), else in /etc/overboard. Call it before the commands are added.
void add_config(CLI::App& app);

/// The file that was read; empty: none.
std::string config_read(const CLI::App& app);

/// Where a file would be looked for, in order.
std::vector<std::string> config_places();

}  // namespace overboard::app
