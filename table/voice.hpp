#pragma once

#include <optional>
#include <string>
#include <vector>

#include "table/scene.hpp"

/// The caller: says score and turn aloud when they change, if espeak-ng is there. Off unless asked.
namespace overboard::table {

/// What there is to say about the way from one state to the next: only what is new, so that a
/// correction does not repeat old totals. One text in the table's language, so that no part of it
/// is left out; empty when there is nothing.
std::string announcement(const std::optional<MatchState>& before, const MatchState& now,
                         const std::string& language);

class Voice {
public:
    /// Says in the log, once, when the program is missing or complains (no sound device): nobody
    /// hears why nobody speaks.
    explicit Voice(std::string program = "espeak-ng");
    ~Voice();  ///< Ends what is being said, within about a second.
    /// Found on the path?
    [[nodiscard]] bool available() const { return available_; }
    /// Speaks after what is being said now; a newer announcement replaces one that still waits.
    void say(const std::string& language, const std::string& text);
    /// Call it now and then: starts what waits, forgets what ended.
    void poll();

private:
    void start(const std::string& language, const std::string& text);
    void ended(int status);
    std::string program_;
    bool available_ = false, warned_ = false;
    int speaking_ = -1;    // process id
    int complaints_ = -1;  // file descriptor: what the caller writes to its stderr
    std::optional<std::pair<std::string, std::string>> waiting_;
};

}  // namespace overboard::table
