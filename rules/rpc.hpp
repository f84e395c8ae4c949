#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "bus/match.hpp"

/// JSON-RPC 2.0 without a transport: text in, text out. Batches, notifications and every kind of
/// broken request are answered as the standard says.
namespace overboard::rules {

struct RpcError {
    int code = -32603;
    std::string message;
    Json data;  ///< Null: left out.
};
using RpcResult = tl::expected<Json, RpcError>;

/// The contract's own errors.
enum class Fault {
    unknown_match = 1001, unknown_game = 1002, not_your_turn = 1003, illegal_move = 1004,
    match_finished = 1005, nothing_to_undo = 1006, storage_failed = 1007
};

/// error.data of a ruling: {rule, key, args, reason, at?}, the reason in English.
Json ruling_json(const Ruling& ruling);
RpcError fault(Fault fault, const Ruling& ruling);
RpcError invalid_params(const std::string& reason);

class Rpc {
public:
    using Method = std::function<RpcResult(const Json& params)>;
    void on(std::string name, Method method) { methods_[std::move(name)] = std::move(method); }

    /// The reply; empty when nothing is to be answered.
    [[nodiscard]] std::string handle(std::string_view request) const;

private:
    [[nodiscard]] Json answer(const Json& request) const;  ///< Discarded: no answer.

    std::map<std::string, Method, std::less<>> methods_;
};

}  // namespace overboard::rules
