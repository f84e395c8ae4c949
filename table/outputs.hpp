#pragma once

#include <optional>
#include <string>
#include <vector>

/// The outputs of the X server, by the names on their connectors (HDMI-1, DP-2 …).
namespace overboard::table {

struct Output {
    std::string name;
    int x = 0, y = 0, width = 0, height = 0;  ///< On the X screen, px.
    friend bool operator==(const Output&, const Output&) = default;
};

/// All that are connected and lit. Empty without a display.
std::vector<Output> outputs();
std::optional<Output> find_output(const std::string& name);
/// Throws std::runtime_error that names the outputs there are.
Output require_output(const std::string& name);
/// Is there an X server to draw on?
bool display_present();
/// Asks a window manager, if one runs, to keep a window above all and without a frame.
void keep_full_screen(unsigned long window);

}  // namespace overboard::table
