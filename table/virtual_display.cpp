#include "table/virtual_display.hpp"

#include <X11/Xlib.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <stdexcept>
#include <string>

extern char** environ;

namespace overboard::table {
namespace {

// Xvfb writes the display number it chose to the pipe once it is ready.
std::string read_number(int pipe) {
    std::string number;
    pollfd wait{pipe, POLLIN, 0};
    for (char c = 0; ::poll(&wait, 1, 10000) > 0 && ::read(pipe, &c, 1) == 1 && c != '\n';)
        number += c;
    return number;
}

}  // namespace

VirtualDisplay::VirtualDisplay(int width, int height) {
    int pipe[2];
    if (::pipe2(pipe, O_CLOEXEC) != 0) throw std::runtime_error("no pipe for Xvfb");
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, pipe[1], 3);
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    posix_spawnattr_t
        own_session;  // Ctrl-C is for the program, which then closes its window first.
    posix_spawnattr_init(&own_session);
    posix_spawnattr_setflags(&own_session, POSIX_SPAWN_SETSID);
    std::string screen = std::to_string(width) + "x" + std::to_string(height) + "x24";
    const char* arguments[] = {"Xvfb",         "-displayfd", "3",   "-screen",    "0",
                               screen.c_str(), "-nolisten",  "tcp", "-terminate", nullptr};
    const int failed = ::posix_spawnp(&process_, "Xvfb", &actions, &own_session,
                                      const_cast<char**>(arguments), environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&own_session);
    ::close(pipe[1]);
    const std::string number = failed ? "" : read_number(pipe[0]);
    ::close(pipe[0]);
    if (number.empty()) {
        if (!failed) ::kill(process_, SIGTERM), ::waitpid(process_, nullptr, 0);
        throw std::runtime_error(
            "there is no display and Xvfb could not be started (install xvfb)");
    }
    ::setenv("DISPLAY", (":" + number).c_str(), 1);
    held_ = XOpenDisplay(nullptr);
}

VirtualDisplay::~VirtualDisplay() {
    if (held_) XCloseDisplay(static_cast<Display*>(held_));
    ::kill(process_, SIGTERM);
    ::waitpid(process_, nullptr, 0);
    ::unsetenv("DISPLAY");
}

}  // namespace overboard::table
