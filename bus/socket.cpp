#include "bus/socket.hpp"

#include "bus/trust.hpp"

#include <spdlog/spdlog.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <deque>
#include <fstream>
#include <map>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>
#include <zmq.hpp>
#include <zmq_addon.hpp>

// Heartbeats find dead peers, back-off reconnects, nothing lingers at exit. Encryption alone lets
// every key in: the allow-list is a ZAP handler that must stand before the first CURVE socket
// binds.
namespace overboard {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kRepeatEvery = std::chrono::seconds{1};

zmq::context_t& context() {
    // Never destroyed: sockets in static storage or in threads still running at exit must not hang
    // it.
    static auto* shared = new zmq::context_t{1};
    return *shared;
}

void set_common_options(zmq::socket_t& socket) {
    socket.set(zmq::sockopt::linger, 200);
    socket.set(zmq::sockopt::heartbeat_ivl, 1000);
    socket.set(zmq::sockopt::heartbeat_timeout, 3000);
    socket.set(zmq::sockopt::heartbeat_ttl, 3000);
    socket.set(zmq::sockopt::reconnect_ivl, 50);
    socket.set(zmq::sockopt::reconnect_ivl_max, 1000);
    socket.set(zmq::sockopt::ipv6, false);
}

/// The one ZAP handler of the process: who may enter which domain. A domain is one server socket.
class Gatekeeper {
public:
    static Gatekeeper& instance() {
        static auto* keeper = new Gatekeeper;
        return *keeper;
    }

    std::string admit(const std::vector<std::string>& keys) {
        const std::lock_guard lock(mutex_);
        const std::string domain = "overboard-" + std::to_string(++domains_);
        for (const std::string& key : keys) {
            std::array<std::uint8_t, 32> bytes{};
            if (key.size() != 40 || !zmq_z85_decode(bytes.data(), key.c_str()))
                throw std::runtime_error("not a key (40 characters of Z85): " + key);
            allowed_[domain].insert(std::string(bytes.begin(), bytes.end()));
        }
        return domain;
    }

private:
    Gatekeeper() {
        socket_.bind("inproc://zeromq.zap.01");
        std::thread([this] { run(); }).detach();
    }

    void run() {
        for (;;) {
            std::vector<zmq::message_t> request;
            if (!zmq::recv_multipart(socket_, std::back_inserter(request)) || request.size() < 6)
                continue;
            const bool in = request.size() > 6 && request[5].to_string_view() == "CURVE" &&
                            knows(request[2].to_string(), request[6].to_string());
            // Not through the logger: this thread outlives it at exit.
            if (!in)
                std::fprintf(stderr, "refused a client with an unknown key from %s\n",
                             request[3].to_string().c_str());
            reply(request[1].to_string(), in);
        }
    }

    bool knows(const std::string& domain, const std::string& key) {
        const std::lock_guard lock(mutex_);
        return allowed_[domain].contains(key);
    }

    void reply(const std::string& request_id, bool in) {
        const std::array<std::string, 6> frames = {
            "1.0", request_id, in ? "200" : "400", in ? "OK" : "unknown key", "", ""};
        for (std::size_t i = 0; i < frames.size(); ++i)
            socket_.send(zmq::buffer(frames[i]),
                         i + 1 < frames.size() ? zmq::send_flags::sndmore : zmq::send_flags::none);
    }

    zmq::socket_t socket_{context(), zmq::socket_type::rep};
    std::mutex mutex_;
    std::map<std::string, std::set<std::string>> allowed_;
    int domains_ = 0;
};

/// ZeroMQ would take port 70000 for 4464.
void require_port(const std::string& address) {
    const std::size_t colon = address.rfind(':');
    if (!address.starts_with("tcp://") || colon < 6) return;
    const std::string port = address.substr(colon + 1);
    const bool number = !port.empty() && port.size() < 6 &&
                        port.find_first_not_of("0123456789") == std::string::npos;
    if (port != "*" && (!number || std::stoi(port) > 65535))
        throw std::runtime_error(address + " names no port from 1 to 65535");
}

void bind(zmq::socket_t& socket, const std::string& address, const Security& security) {
    require_port(address);
    if (!security.secret_key.empty()) {
        if (security.allowed_keys.empty())
            spdlog::warn("nobody can connect to {}: no client's key is allowed", address);
        socket.set(zmq::sockopt::zap_domain, Gatekeeper::instance().admit(security.allowed_keys));
        socket.set(zmq::sockopt::curve_server, true);
        socket.set(zmq::sockopt::curve_secretkey, security.secret_key);
    } else if (!is_local(address)) {
        if (!security.insecure)
            throw std::runtime_error(
                "refusing to listen on " + address +
                " without keys: give a key file, or --insecure to let anyone in");
        spdlog::warn(
            "LISTENING ON {} WITHOUT KEYS: anyone on this network can play for your guests",
            address);
    }
    try {
        socket.bind(address);
    } catch (const zmq::error_t& e) {
        throw std::runtime_error("cannot listen on " + address + ": " + e.what());
    }
}

Security& trusted() {
    static Security servers;
    return servers;
}

void connect(zmq::socket_t& socket, const std::string& address, const Security& given) {
    require_port(address);
    const Security& security = given.server_key.empty() && address.starts_with("tcp://") ? trusted()
                                                                                         : given;
    if (!security.server_key.empty()) {
        if (security.server_key.size() != 40)
            throw std::runtime_error("not a key (40 characters of Z85): " + security.server_key);
        const KeyPair own = security.secret_key.empty()
                                ? make_key_pair()
                                : KeyPair{security.public_key, security.secret_key};
        socket.set(zmq::sockopt::curve_serverkey, security.server_key);
        socket.set(zmq::sockopt::curve_publickey, own.public_key);
        socket.set(zmq::sockopt::curve_secretkey, own.secret_key);
    }
    try {
        socket.connect(address);
    } catch (const zmq::error_t& e) {
        throw std::runtime_error("cannot connect to " + address + ": " + e.what());
    }
}

bool arrives(zmq::socket_t& socket, zmq::message_t& frame,
             zmq::recv_flags flags = zmq::recv_flags::none) {
    try {
        return socket.recv(frame, flags).has_value();
    } catch (const zmq::error_t& e) {
        if (e.num() == EINTR) return false;  // a signal: the caller's loop looks at its stop flag
        throw;
    }
}

/// Waits in recv itself: a poll first would cost one more system call a message.
bool receive(zmq::socket_t& socket, zmq::message_t& frame, milliseconds timeout) {
    if (timeout.count() == 0) return arrives(socket, frame, zmq::recv_flags::dontwait);
    socket.set(zmq::sockopt::rcvtimeo, int(timeout.count()));
    return arrives(socket, frame);
}

}  // namespace

bool is_local(std::string_view address) {
    if (!address.starts_with("tcp://")) return true;
    const std::string_view host = address.substr(6, address.rfind(':') - 6);
    return host.starts_with("127.") || host == "localhost" || host == "[::1]" || host == "lo";
}

void trust(const Security& servers) {
    trusted() = servers;
}

KeyPair make_key_pair() {
    char public_key[41], secret_key[41];
    if (zmq_curve_keypair(public_key, secret_key) != 0)
        throw std::runtime_error("this ZeroMQ has no CURVE");
    return {public_key, secret_key};
}

KeyPair load_or_create_keys(const std::string& file) {
    if (std::ifstream in(file); in) {
        KeyPair keys;
        if (in >> keys.public_key >> keys.secret_key && keys.public_key.size() == 40 &&
            keys.secret_key.size() == 40)
            return keys;
        throw std::runtime_error("key file " + file +
                                 " is broken: two lines of 40 characters expected");
    }
    const KeyPair keys = make_key_pair();
    const mode_t before = umask(0077);
    std::ofstream out(file);
    umask(before);
    out << keys.public_key << '\n' << keys.secret_key << '\n';
    if (!out.flush()) throw std::runtime_error("cannot write key file " + file);
    return keys;
}

struct Publisher::Impl {
    zmq::socket_t socket{context(), zmq::socket_type::pub};
    struct Last {
        std::string message;
        Clock::time_point sent;
    };
    std::map<std::string, Last, std::less<>> last;
    std::string message;  // reused
};

Publisher::Publisher(const std::string& address, const Security& security)
    : impl_{std::make_unique<Impl>()} {
    set_common_options(impl_->socket);
    bind(impl_->socket, address, security);
}
Publisher::~Publisher() = default;
Publisher::Publisher(Publisher&&) noexcept = default;

void Publisher::publish(std::string_view topic, std::string_view json, bool repeat) {
    impl_->message.assign(topic).append(" ").append(json);
    impl_->socket.send(zmq::buffer(impl_->message), zmq::send_flags::dontwait);
    if (repeat) impl_->last[std::string(topic)] = {impl_->message, Clock::now()};
}

void Publisher::pump() {
    const auto now = Clock::now();
    for (auto& [topic, last] : impl_->last) {
        if (now - last.sent < kRepeatEvery) continue;
        impl_->socket.send(zmq::buffer(last.message), zmq::send_flags::dontwait);
        last.sent = now;
    }
}

std::string Publisher::address() const {
    return impl_->socket.get(zmq::sockopt::last_endpoint);
}

struct Subscriber::Impl {
    zmq::socket_t socket{context(), zmq::socket_type::sub};
};

Subscriber::Subscriber(const std::string& address, std::vector<std::string> topics, Keep keep,
                       const Security& security)
    : impl_{std::make_unique<Impl>()} {
    set_common_options(impl_->socket);
    if (keep == Keep::latest) impl_->socket.set(zmq::sockopt::conflate, true);
    // The space ends the topic: "match" must not also bring "matchless".
    for (const std::string& topic : topics) impl_->socket.set(zmq::sockopt::subscribe, topic + " ");
    connect(impl_->socket, address, security);
}
Subscriber::~Subscriber() = default;
Subscriber::Subscriber(Subscriber&&) noexcept = default;

std::optional<Published> Subscriber::receive(milliseconds timeout) {
    zmq::message_t frame;
    if (!overboard::receive(impl_->socket, frame, timeout)) return {};
    const std::string_view text = frame.to_string_view();
    const std::size_t space = std::min(text.find(' '), text.size());
    return Published{std::string(text.substr(0, space)),
                     std::string(text.substr(std::min(space + 1, text.size())))};
}

// A REQ that got no answer is thrown away with its question: a late answer never answers the next
// question, and nothing is done any more that nobody waits for.
struct Client::Impl {
    std::string address;
    milliseconds timeout;
    Security security;
    std::optional<zmq::socket_t> socket;

    void open() {
        if (socket) socket->set(zmq::sockopt::linger, 0);
        socket.emplace(context(), zmq::socket_type::req);
        set_common_options(*socket);
        socket->set(zmq::sockopt::sndtimeo, int(timeout.count()));
        socket->set(zmq::sockopt::rcvtimeo, int(timeout.count()));
        connect(*socket, address, security);
    }
};

Client::Client(const std::string& address, milliseconds timeout, const Security& security)
    : impl_{std::make_unique<Impl>(Impl{address, timeout, security, {}})} {
    impl_->open();
}
Client::~Client() = default;
Client::Client(Client&&) noexcept = default;

std::optional<std::string> Client::request(std::string_view text) {
    zmq::message_t reply;
    if (impl_->socket->send(zmq::buffer(text)) && arrives(*impl_->socket, reply))
        return reply.to_string();
    impl_->open();
    return {};
}

// The last frame of a request is its text; all before it is the way back, whatever the client put
// there.
struct Server::Impl {
    using Frames = std::vector<zmq::message_t>;
    struct Waiting {
        Frames asked;             // whose answer is still open
        std::deque<Frames> then;  // what the same client asked since
    };

    zmq::socket_t socket{context(), zmq::socket_type::router};
    Frames frames;  // reused
    std::map<Ticket, Waiting> waiting;
    std::deque<Frames> next;  // waited for an answer that has been given
    std::size_t held = 0;     // in all `then`s
    Ticket last_ticket = 0;

    void receive_rest(zmq::message_t first) {
        frames.clear();
        frames.push_back(std::move(first));
        while (frames.back().more()) static_cast<void>(socket.recv(frames.emplace_back()));
    }

    void send(Frames& asked, std::string_view reply) {
        if (reply.empty()) return;
        for (std::size_t i = 0; i + 1 < asked.size(); ++i)
            socket.send(asked[i], zmq::send_flags::sndmore);
        socket.send(zmq::buffer(reply), zmq::send_flags::dontwait);
    }

    /// True when its client still waits for an answer: it must wait as well.
    bool held_back() {
        for (auto& [ticket, who] : waiting)
            if (who.asked.front() == frames.front()) {
                who.then.push_back(std::move(frames));
                ++held;
                return true;
            }
        return false;
    }

    void serve(const PatientHandler& handler) {
        if (!waiting.empty() && held_back()) return;
        const Ticket ticket = last_ticket + 1;
        const auto reply = handler(
            frames.size() < 2 ? std::string_view{} : frames.back().to_string_view(), ticket);
        if (reply) return send(frames, *reply);
        last_ticket = ticket;
        waiting[ticket].asked = std::move(frames);
    }
};

Server::Server(const std::string& address, const Security& security)
    : impl_{std::make_unique<Impl>()} {
    set_common_options(impl_->socket);
    impl_->socket.set(zmq::sockopt::router_handover, true);
    // Larger than what is refused with an answer, so that all but the absurd are told why.
    impl_->socket.set(zmq::sockopt::maxmsgsize, std::int64_t{128} << 20);
    // A ROUTER drops answers beyond this: room for a client that asks thousands of times before it
    // reads.
    impl_->socket.set(zmq::sockopt::sndhwm, 20000);
    bind(impl_->socket, address, security);
}
Server::~Server() = default;
Server::Server(Server&&) noexcept = default;

int Server::serve(const Handler& handler, milliseconds timeout) {
    return serve(PatientHandler([&](std::string_view request, Ticket) { return handler(request); }),
                 timeout);
}

int Server::serve(const PatientHandler& handler, milliseconds timeout) {
    // then the queues of ZeroMQ fill and the client has to wait
    constexpr std::size_t kMostHeld = 1000;
    int served = 0;
    for (; !impl_->next.empty(); ++served) {
        impl_->frames = std::move(impl_->next.front());
        impl_->next.pop_front();
        impl_->serve(handler);
    }
    if (impl_->held >= kMostHeld) {
        std::this_thread::sleep_for(std::min(timeout, milliseconds{2}));
        return served;
    }
    // One and no look for a second: that would cost two system calls before the next wait, and a
    // client that never stops asking would keep its caller from everything else.
    zmq::message_t first;
    if (served > 0 || !receive(impl_->socket, first, timeout)) return served;
    impl_->receive_rest(std::move(first));
    impl_->serve(handler);
    return 1;
}

void Server::answer(Ticket ticket, std::string_view reply) {
    const auto found = impl_->waiting.find(ticket);
    if (found == impl_->waiting.end()) return;
    impl_->send(found->second.asked, reply);
    impl_->held -= found->second.then.size();
    std::move(found->second.then.begin(), found->second.then.end(),
              std::back_inserter(impl_->next));
    impl_->waiting.erase(found);
}

std::string Server::address() const {
    return impl_->socket.get(zmq::sockopt::last_endpoint);
}

}  // namespace overboard
