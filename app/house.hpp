#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "bus/codec.hpp"
#include "bus/recording.hpp"
#include "bus/socket.hpp"
#include "rules/game.hpp"
#include "rules/service.hpp"
#include "table/table_app.hpp"

/// All rooms in one process, talking over inproc:// exactly as they would over tcp://.
namespace overboard::app {

struct HouseAddresses {
    std::string requests = "inproc://overboard-requests";
    std::string events = "inproc://overboard-events";
    std::string observations = "inproc://overboard-observations";
    std::string overlay = "inproc://overboard-overlay";  ///< The table tells vision that its
                                                         ///< picture changes.
};

/// The rules service on a thread of its own. It is started again if it ever falls over.
class RulesRoom {
public:
    /// Returns once it answers. Throws std::runtime_error when it cannot start.
    RulesRoom(const HouseAddresses& addresses, const std::filesystem::path& store);
    ~RulesRoom();

private:
    std::atomic<bool> stop_{false};
    std::thread thread_;
};

/// JSON-RPC as a call. Throws std::runtime_error with the reason when it is refused or unanswered.
class Asker {
public:
    explicit Asker(const std::string& address, milliseconds patience = milliseconds{5000})
        : client_{address, patience} {}
    Json ask(const std::string& method, const Json& params);
    /// Nothing instead of an exception.
    std::optional<Json> try_ask(const std::string& method, const Json& params);

private:
    Client client_;
    int next_id_ = 1;
};

/// What vision says to everyone; kept in a recording as well when asked for.
class Eyes {
public:
    Eyes(const std::string& address, const std::string& recording);
    void say(const Observation& seen, const std::vector<Shot>& shots, const CameraState& sight);
    /// What is evidence of what is said next.
    void show(const std::string& crops);
    /// What the rules told, into the same recording: without it nothing could be played again.
    void keep(double time_s, const Published& heard);

private:
    Publisher publisher_;
    std::optional<Recorder> recorder_;
    std::string text_;
    std::string last_sight_;
    double sight_said_s_ = -10;
};

/// Writes what crosses the bus to a file, added to if it is there, until `stop`. Returns the number
/// of messages. `progress` is called once as soon as it listens, then again and again.
int record_bus(const std::string& file, const HouseAddresses& at, const std::atomic<bool>& stop,
               const std::function<void(int messages, double seconds)>& progress = {});

/// The game of that id; CLI::ValidationError names those there are.
const rules::Game& game_named(const std::string& id);

/// Starts a match of `setup` and returns its id.
std::string start_match(Asker& rules, const std::string& game, const rules::Setup& setup);

/// The usual names at the usual seats, as many as the game likes best.
rules::Setup usual_setup(const rules::Game& game, int players, const std::string& variant);

/// A move without what was measured: two sights of one move differ there and nowhere else.
Json essence(const Move& move);

/// One readable line for an event of the match; empty when it is not worth one.
std::string transcript_line(const Json& event, const std::string& language);

}  // namespace overboard::app
