#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "bus/match.hpp"

/// JSON-RPC 2.0 without a transport: text in, text out. Notifications and every kind of broken
/// request are answered as the standard says; a batch, as our contract says, by an error.
namespace overboard::rules {

struct RpcError {
    int code = -32603;
    std::string message;
    Json data;  ///< Null: left out.
};
using RpcResult = tl::expected<Json, RpcError>;

/// The contract's own errors.
enum class Fault {
    unknown_match = 1001,
    unknown_game = 1002,
    not_your_turn = 1003,
    illegal_move = 1004,
    match_finished = 1005,
    nothing_to_undo = 1006,
    storage_failed = 1007
};

/// error.data of a ruling: {rule, key, args, reason, at?}, the reason in English.
Json ruling_json(const Ruling& ruling);
RpcError fault(Fault fault, const Ruling& ruling);
RpcError invalid_params(const Ruling& ruling);
RpcError invalid_params(const std::string& why);  ///< A program's mistake, in English.

/// A reply, or the work that will give it: on any thread, at any time. Neither: none is due.
struct RpcAnswer {
    std::string text;
    std::function<std::string()> later;
};

class Rpc {
public:
    using Method = std::function<RpcResult(const Json& params)>;
    /// A method that thinks for a while: it looks at the parameters and hands back the thinking,
    /// which may touch nothing that changes.
    using Work = std::function<RpcResult()>;
    using SlowMethod = std::function<tl::expected<Work, RpcError>(const Json& params)>;
    void on(std::string name, Method method) { methods_[std::move(name)] = std::move(method); }
    void on_slow(std::string name, SlowMethod method) {
        slow_[std::move(name)] = std::move(method);
    }

    [[nodiscard]] RpcAnswer ask(std::string_view request) const;
    /// The same, all of it here and now; empty when nothing is to be answered.
    [[nodiscard]] std::string handle(std::string_view request) const;

private:
    [[nodiscard]] RpcAnswer answer(const Json& request) const;

    std::map<std::string, Method, std::less<>> methods_;
    std::map<std::string, SlowMethod, std::less<>> slow_;
};

}  // namespace overboard::rules
