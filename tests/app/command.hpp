#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <fstream>
#include <string>

#include "tests/folder.hpp"

/// What the tests of sub-commands share: a folder of their own, and the program called as a user
/// calls it.
namespace overboard::testing {

struct Outcome {
    int code = -1;
    std::string out, err;
    [[nodiscard]] bool one_sentence() const {
        return std::count(err.begin(), err.end(), '\n') == 1;
    }
};

class CommandTest : public ::testing::Test {
protected:
    Folder folder;

    [[nodiscard]] std::string at(const std::string& name) const { return folder.at(name); }
    void write(const std::string& name, const std::string& text) const {
        std::ofstream(at(name)) << text;
    }
    /// `arguments` begin with the sub-command.
    [[nodiscard]] Outcome call(const std::string& arguments, const std::string& input = "") const {
        write("in", input);
        const std::string line = std::string(OVERBOARD_PROGRAM) + " " + arguments + " <" +
                                 at("in") + " >" + at("out") + " 2>" + at("err");
        const int status = std::system(line.c_str());
        return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, content_of(at("out")),
                content_of(at("err"))};
    }
};

}  // namespace overboard::testing
