#pragma once

#include <optional>
#include <string>
#include <vector>

#include "table/scene.hpp"

/// The caller: says score and turn aloud when they change, if espeak-ng is there. Off unless asked.
namespace overboard::table {

/// What there is to say about the way from one state to the next: only what is new, so that a
/// correction does not repeat old totals. One text in the table's language, so that no part of it is
/// left out; empty when there is nothing.
std::string announcement(const std::optional<MatchState>& before, const MatchState& now,
                         const std::string& language);

class Voice {
public:
    /// Says in the log when the program is missing: nobody hears why nobody speaks. (Without a sound
    /// device espeak-ng says so itself, there, and still ends well.)
    explicit Voice(std::string program = "espeak-ng");
    ~Voice();
    /// Found on the path?
    [[nodiscard]] bool available() const { return available_; }
    /// Speaks after what is being said now; a newer announcement replaces one that still waits.
    void say(const std::string& language, const std::string& text);
    /// Call it now and then: starts what waits, forgets what ended.
    void poll();

private:
    void start(const std::string& language, const std::string& text);
    std::string program_;
    bool available_ = false;
    int speaking_ = -1;  // process id
    std::optional<std::pair<std::string, std::string>> waiting_;
};

}  // namespace overboard::table
