#include <csignal>

#include "app/commands.hpp"
#include "app/station.hpp"
#include "app/stop.hpp"

namespace overboard::app {
namespace {}  // namespace

void add_vision(CLI::App& app) {
    auto* command = app.add_subcommand("vision",
                                       "The camera and its detectors as their own process");
    auto o = std::make_shared<VisionOptions>();
    o->add_to(*command);
    command->callback([o] {
        stop_on_signals();
        watch_table(*o, stop_asked);
    });
}

}  // namespace overboard::app
