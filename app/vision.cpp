#include <csignal>

#include "app/commands.hpp"
#include "app/station.hpp"

namespace overboard::app {
namespace {

std::atomic<bool> stop_asked = false;

}  // namespace

void add_vision(CLI::App& app) {
    auto* command = app.add_subcommand("vision",
                                       "The camera and its detectors as their own process");
    auto o = std::make_shared<VisionOptions>();
    o->add_to(*command);
    command->callback([o] {
        for (const int signal : {SIGINT, SIGTERM})
            std::signal(signal, [](int) { stop_asked = true; });
        watch_table(*o, stop_asked);
    });
}

}  // namespace overboard::app
