#pragma once

#include <atomic>
#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "bus/socket.hpp"
#include "rules/match.hpp"
#include "rules/referee.hpp"
#include "rules/rpc.hpp"
#include "rules/shot_store.hpp"
#include "rules/store.hpp"

namespace overboard::rules {

struct ServiceOptions {
    std::filesystem::path store;
    /// Everything published goes through here; topics `match` and `marks`.
    std::function<void(std::string_view topic, const std::string& json)> publish;
    /// Wall clock, RFC 3339 UTC. Empty: the computer's.
    std::function<std::string()> now;
    RefereeLimits live;  ///< How the camera's stream is believed.
    /// What a move led to is published by settle(), after the answer, instead of before it.
    bool answer_first = false;
};

/// All matches and every method of the contract. One thread; text in, text out. A request that
/// changes something is answered after it is stored, and changes nothing when it cannot be stored.
class Service {
public:
    /// Throws std::runtime_error with one sentence when the store cannot be opened.
    explicit Service(ServiceOptions options);
    ~Service();

    /// The reply to a JSON-RPC request; empty when none is due.
    std::string handle(std::string_view request);
    /// The same, but hints may be thought out elsewhere: RpcAnswer::later needs nothing of this.
    RpcAnswer ask(std::string_view request);

    /// Tells everyone what the answers given meanwhile led to. Call it after every answer.
    void settle();

    /// What vision says, for the active match: the one started last that is still open.
    void observe(const Observation& seen);
    void observe(const Shot& shot);
    void observe(const CameraState& camera);
    /// Small pictures of what just changed: kept with the move they led to (match.evidence).
    void observe_crops(Json crops) { crops_ = std::move(crops); }

    /// Says the state and marks of the matches in use once more. Call it each second.
    void repeat();
    /// Call it when nobody waits, often: a log that is folded in time is written over in place, and
    /// a sync that need not make the file longer costs half.
    void idle() { store_.tidy(); }

private:
    struct Live;
    struct Asked;  ///< A match and a player named by a request.

    RpcResult list_games(const Json& params);
    RpcResult start(const Json& params);
    RpcResult state(const Json& params);
    RpcResult move(const Json& params);
    RpcResult check(const Json& params);
    RpcResult legal(const Json& params);
    tl::expected<Rpc::Work, RpcError> hint(const Json& params);
    RpcResult observe_once(const Json& params);
    RpcResult undo(const Json& params);
    RpcResult correct(const Json& params);
    RpcResult evidence(const Json& params);
    RpcResult pause(const Json& params);
    RpcResult resume(const Json& params);
    RpcResult set_paused(const Json& params, bool paused);
    RpcResult end(const Json& params);
    RpcResult list(const Json& params);
    RpcResult log(const Json& params);
    RpcResult ranking(const Json& params);

    tl::expected<Live*, RpcError> match_of(const Json& params);
    tl::expected<Asked, RpcError> asked_of(const Json& params);
    Live* find(const std::string& id);
    std::unique_ptr<Live> load(const StoredMatch& stored);
    Live& keep(std::unique_ptr<Live> live);
    void make_room();
    Live* active();
    Referee& eye_of(Live& live);

    /// Stores, then commits, then tells everyone. `seen_by`: the referee whose evidence belongs to
    /// it.
    RpcResult play(Live& live, int player, const Move& move, const Referee* seen_by,
                   const Json& crops = {});
    tl::expected<void, RpcError> store(Live& live, StoredEvent event, bool was_over, bool is_over,
                                       std::vector<Result> results, int seq,
                                       std::string evidence = {});
    Json carry_out(Live& live, const Decision& decision, Referee& referee, const Json& crops = {});
    RpcError could_not_store(Live& live, const Decision& decision, std::size_t done,
                             RpcError error);
    void try_again(Live& live);
    void settled(Live& live, const std::vector<Json>& events);
    /// Keeps a stroke beside the match, for replays; the match goes on even if that fails.
    void remember(const Shot& shot, const Live* live);

    void tell_soon(std::function<void()> telling);
    void tell(const Live& live, const std::string& event, Json fields = Json::object());
    void tell_changes(const Live& live, const std::string& turn_before, bool was_over);
    void tell_state(const Live& live);
    void tell_rejected(Live& live, int player, const Move& move, const Ruling& ruling);

    ServiceOptions options_;
    Store store_;
    std::unique_ptr<ShotStore> shots_;  ///< Opened with the first stroke.
    Rpc rpc_;
    std::map<std::string, std::unique_ptr<Live>, std::less<>> matches_;
    std::deque<std::string> recent_;  ///< Matches whose state is repeated, newest last.
    int started_ = 0;
    std::vector<std::function<void()>> untold_;
    std::optional<Observation>
        table_;  ///< The last still observation, whatever match it belongs to.
    std::string sight_ = "ok";
    Json crops_;  ///< Of the last change on the table.
};

struct ServeOptions {
    std::string requests = "tcp://127.0.0.1:7400";
    std::string events = "tcp://127.0.0.1:7401";
    std::string observations;  ///< Empty: nobody watches the table.
    std::filesystem::path store;
    Security security;
    RefereeLimits live;
};

/// $XDG_STATE_HOME/overboard/matches.db, else below ~/.local/state.
std::filesystem::path default_store();

/// Runs the service until `stop`. `ready` hears the addresses as bound. Throws std::runtime_error
/// with one sentence when an address or the store cannot be had.
void serve(
    const ServeOptions& options, const std::atomic<bool>& stop,
    const std::function<void(const std::string& requests, const std::string& events)>& ready = {});

}  // namespace overboard::rules
