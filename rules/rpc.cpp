#include "rules/rpc.hpp"

#include "bus/codec.hpp"
#include "bus/messages.hpp"
#include "rules/fields.hpp"

namespace overboard::rules {
namespace {

Json reply(const Json& id) {
    return {{"jsonrpc", "2.0"}, {"id", id}};
}

Json failure(const Json& id, const RpcError& error) {
    Json out = reply(id);
    out["error"] = {{"code", error.code}, {"message", error.message}};
    if (!error.data.is_null()) out["error"]["data"] = error.data;
    return out;
}

/// What is wrong with the envelope, if anything.
const char* wrong_with(const Json& request) {
    if (request.is_array()) return "batches are not taken: send one request a message";
    if (!request.is_object()) return "a request must be an object";
    if (text_field(request, "jsonrpc") != "2.0") return "jsonrpc must be \"2.0\"";
    if (!field(request, "method").is_string()) return "method must be a string";
    const Json& params = field(request, "params");
    if (request.contains("params") && !params.is_object() && !params.is_array())
        return "params must be an object";
    const Json& id = field(request, "id");
    if (!id.is_null() && !id.is_string() && !id.is_number())
        return "id must be a string or a number";
    return nullptr;
}

std::string finished(const Json& id, RpcResult result) {
    if (!result) return dumped(failure(id, result.error()));
    Json out = reply(id);
    out["result"] = std::move(*result);
    return dumped(out);
}

const char* name_of(Fault fault) {
    switch (fault) {
        case Fault::unknown_match: return "unknown_match";
        case Fault::unknown_game: return "unknown_game";
        case Fault::not_your_turn: return "not_your_turn";
        case Fault::illegal_move: return "illegal_move";
        case Fault::match_finished: return "match_finished";
        case Fault::nothing_to_undo: return "nothing_to_undo";
        case Fault::storage_failed: return "storage_failed";
    }
    return "unknown";
}

RpcError standard(int code, const char* message, const std::string& why) {
    return {code, message, ruling_json(refused("REQUEST", "rules.bad_request", {{"why", why}}))};
}

}  // namespace

Json ruling_json(const Ruling& ruling) {
    Json data = {
        {"rule", ruling.rule},
        {"key", ruling.message.key},
        {"args", ruling.message.args.is_null() ? Json::object() : ruling.message.args},
        {"reason", Messages::shared().text("en", ruling.message.key, ruling.message.args)}};
    if (ruling.at) data["at"] = point_json(*ruling.at);
    return data;
}

RpcError fault(Fault fault, const Ruling& ruling) {
    return {static_cast<int>(fault), name_of(fault), ruling_json(ruling)};
}

RpcError invalid_params(const Ruling& ruling) {
    return {-32602, "invalid params", ruling_json(ruling)};
}

RpcError invalid_params(const std::string& why) {
    return standard(-32602, "invalid params", why);
}

RpcAnswer Rpc::answer(const Json& request) const {
    if (const char* wrong = wrong_with(request)) {
        const Json& id = field(request, "id");
        return {dumped(failure(id.is_string() || id.is_number() ? id : Json(),
                               standard(-32600, "invalid request", wrong))),
                {}};
    }
    const bool silent = !request.contains("id");
    const std::string& name = field(request, "method").get_ref<const std::string&>();
    const auto method = methods_.find(name);
    const auto slow = slow_.find(name);
    static const Json none = Json::object();
    const Json& params = request.contains("params") ? request.at("params") : none;
    RpcResult result = tl::unexpected(
        standard(-32601, "method not found", "there is no such method"));
    if (method != methods_.end() || slow != slow_.end())
        result = tl::unexpected(invalid_params("params must be an object with names"));
    if (method != methods_.end() && params.is_object()) result = method->second(params);
    if (silent) return {};
    const Json& id = request.at("id");
    if (slow != slow_.end() && params.is_object()) {
        auto work = slow->second(params);
        if (work) return {{}, [id, work = std::move(*work)] { return finished(id, work()); }};
        result = tl::unexpected(work.error());
    }
    return {finished(id, std::move(result)), {}};
}

RpcAnswer Rpc::ask(std::string_view text) const {
    const auto request = parse_json(text);
    if (!request)
        return {dumped(failure(nullptr, standard(-32700, "parse error", request.error().reason))),
                {}};
    return answer(*request);
}

std::string Rpc::handle(std::string_view text) const {
    RpcAnswer answer = ask(text);
    return answer.later ? answer.later() : std::move(answer.text);
}

}  // namespace overboard::rules
