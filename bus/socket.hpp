#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// ZeroMQ, and the only door to it. Addresses are ZeroMQ's: tcp://, ipc://, inproc://.
/// All sockets of a process share one context, so that inproc:// reaches from room to room.
namespace overboard {

using std::chrono::milliseconds;

/// CURVE beyond loopback. Keys are Z85 text, 40 characters.
struct Security {
    std::string public_key, secret_key;     ///< Our own pair.
    std::string server_key;                 ///< Clients: whom to trust.
    std::vector<std::string> allowed_keys;  ///< Servers: whom to let in. Nobody else gets in.
    bool insecure = false;                  ///< Bind beyond loopback without keys, said loudly.
};
struct KeyPair {
    std::string public_key, secret_key;
};
KeyPair make_key_pair();
/// Key files: 0600, one Z85 line each for public and secret.
KeyPair load_or_create_keys(const std::string& file);

/// Binds and publishes one-frame messages: topic, space, JSON. The last message of every topic
/// marked `repeat` is sent again each second by pump(), so that a late subscriber gets the present.
class Publisher {
public:
    explicit Publisher(const std::string& address, const Security& security = {});
    ~Publisher();
    Publisher(Publisher&&) noexcept;
    void publish(std::string_view topic, std::string_view json, bool repeat = false);
    /// Repeats what is due. Call it at least a few times a second, from the owner's thread.
    void pump();
    [[nodiscard]] std::string address() const;  ///< As bound (a wildcard port is filled in).

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

struct Published {
    std::string topic;
    std::string json;
};

/// Connects and receives. `latest`: only the newest message (one topic); `all`: every message
/// up to the queue limit.
class Subscriber {
public:
    enum class Keep { latest, all };
    Subscriber(const std::string& address, std::vector<std::string> topics, Keep keep,
               const Security& security = {});
    ~Subscriber();
    Subscriber(Subscriber&&) noexcept;
    /// The next message, or nothing after `timeout`.
    std::optional<Published> receive(milliseconds timeout);

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

/// Asks and waits. A lost server costs a timeout, never a locked socket; it reconnects by itself.
class Client {
public:
    explicit Client(const std::string& address, milliseconds timeout = milliseconds{2000},
                    const Security& security = {});
    ~Client();
    Client(Client&&) noexcept;
    /// The reply to exactly this request, or nothing after the timeout.
    std::optional<std::string> request(std::string_view text);

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

/// Answers REQ and DEALER clients, with or without the empty delimiter frame. Every client gets its
/// answers in the order it asked.
class Server {
public:
    /// Returns the reply; empty: no reply (a JSON-RPC notification).
    using Handler = std::function<std::string(std::string_view request)>;
    /// The same, or nothing: the answer to `ticket` comes later, by answer(). Until then other
    /// clients are served and what this one asks waits.
    using Ticket = std::uint64_t;
    using PatientHandler = std::function<std::optional<std::string>(std::string_view request,
                                                                    Ticket ticket)>;
    explicit Server(const std::string& address, const Security& security = {});
    ~Server();
    Server(Server&&) noexcept;
    /// Serves one request, if it comes within `timeout`, or those that waited for an answer().
    /// Returns how many: a caller with nothing else to do goes on until it is none.
    int serve(const Handler& handler, milliseconds timeout);
    int serve(const PatientHandler& handler, milliseconds timeout);
    /// An answer that was left open. The next serve() takes up what its client asked meanwhile.
    void answer(Ticket ticket, std::string_view reply);
    [[nodiscard]] std::string address() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

/// True for inproc, ipc and loopback tcp addresses.
bool is_local(std::string_view address);

}  // namespace overboard
