#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bus/json.hpp"
#include "bus/socket.hpp"

/// The table's line to rules and vision. Never blocks: requests are asked on a thread of its own
/// and their answers collected later.
namespace overboard::table {

struct Addresses {
    std::string requests;      ///< Rules, JSON-RPC. Empty: no rules.
    std::string events;        ///< Rules, topics match and marks.
    std::string observations;  ///< Vision, topics observation, shot, camera. Empty: no vision.
};

/// An answer to ask(). Neither result nor error: nobody answered in time.
struct Reply {
    std::string tag;
    Json request;  ///< The params asked with.
    std::optional<Json> result;
    std::optional<Json> error;
};

class Link {
public:
    explicit Link(const Addresses& addresses, milliseconds timeout = milliseconds{1500});
    ~Link();
    Link(const Link&) = delete;
    Link& operator=(const Link&) = delete;

    /// Puts a request into the queue; its answer comes out of replies() with the same tag.
    void ask(std::string tag, std::string method, Json params);
    /// Is a request of this tag still unanswered?
    [[nodiscard]] bool asked(std::string_view tag) const;
    std::vector<Reply> replies();
    /// What rules and vision published since the last call, at most `most`.
    std::vector<Published> published(std::size_t most = 200);
    [[nodiscard]] bool has_rules() const;
    [[nodiscard]] bool has_vision() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace overboard::table
