#pragma once

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <string>
#include <vector>

namespace overboard::testing {

/// `overboard ARGUMENTS…` as a child process; what it says goes to a file.
class Program {
public:
    explicit Program(std::vector<std::string> arguments, const std::string& said = "/dev/null") {
        arguments.insert(arguments.begin(), "overboard");
        std::vector<char*> argv;
        for (std::string& each : arguments) argv.push_back(each.data());
        argv.push_back(nullptr);
        pid_ = fork();
        if (pid_ != 0) return;
        const int file = open(said.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
        dup2(file, 1);
        dup2(file, 2);
        execv(OVERBOARD_PROGRAM, argv.data());
        _exit(127);
    }
    ~Program() { end(SIGTERM); }
    Program(const Program&) = delete;
    Program& operator=(const Program&) = delete;
    int end(int signal) {
        if (pid_ <= 0) return status_;
        kill(pid_, signal);
        waitpid(pid_, &status_, 0);
        pid_ = 0;
        return status_;
    }
    /// Until it ends by itself: its exit code, or -1.
    int wait() {
        waitpid(pid_, &status_, 0);
        pid_ = 0;
        return WIFEXITED(status_) ? WEXITSTATUS(status_) : -1;
    }
    [[nodiscard]] pid_t pid() const { return pid_; }

private:
    pid_t pid_ = 0;
    int status_ = 0;
};

}  // namespace overboard::testing
