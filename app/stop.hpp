#pragma once

#include <atomic>
#include <csignal>

namespace overboard::app {

/// Set when the program was asked to end (Ctrl-C, systemd, a closed window).
inline std::atomic<bool> stop_asked{false};

inline void stop_on_signals() {
    for (const int signal : {SIGINT, SIGTERM}) std::signal(signal, [](int) { stop_asked = true; });
}

}  // namespace overboard::app
