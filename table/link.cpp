#include "table/link.hpp"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>

#include "bus/codec.hpp"

namespace overboard::table {

struct Link::Impl {
    struct Request {
        std::string tag, method;
        Json params;
    };
    Addresses addresses;
    milliseconds timeout;
    std::optional<Subscriber> events, seen, rare;

    mutable std::mutex mutex;  // guards the four below
    std::condition_variable wake;
    std::deque<Request> queue;
    std::vector<std::string> open;  // tags asked and not yet collected
    std::vector<Reply> answered;
    bool stop = false;
    std::thread worker;

    Impl(const Addresses& where, milliseconds patience) : addresses{where}, timeout{patience} {
        using Keep = Subscriber::Keep;
        if (!where.events.empty())
            events.emplace(where.events, std::vector<std::string>{"match", "marks"}, Keep::all);
        if (!where.observations.empty()) {
            seen.emplace(where.observations, std::vector<std::string>{"observation"}, Keep::latest);
            rare.emplace(where.observations, std::vector<std::string>{"shot", "camera"}, Keep::all);
        }
        if (!where.requests.empty()) worker = std::thread{[this] { work(); }};
    }

    ~Impl() {
        {
            const std::lock_guard lock{mutex};
            stop = true;
        }
        wake.notify_all();
        if (worker.joinable()) worker.join();
    }

    static Reply reply_to(const Request& request, const std::optional<std::string>& text) {
        Reply reply{request.tag, request.params, {}, {}};
        if (!text) return reply;
        const auto json = parse_json(*text);
        if (!json) return reply;
        if (const auto result = json->find("result"); result != json->end())
            reply.result = *result;
        else if (const auto error = json->find("error"); error != json->end())
            reply.error = *error;
        return reply;
    }

    void work() {
        Client client{addresses.requests, timeout};
        for (int id = 1;; ++id) {
            std::unique_lock lock{mutex};
            wake.wait(lock, [&] { return stop || !queue.empty(); });
            if (stop) return;
            const Request request = std::move(queue.front());
            queue.pop_front();
            lock.unlock();
            const Json call{{"jsonrpc", "2.0"},
                            {"id", id},
                            {"method", request.method},
                            {"params", request.params}};
            Reply reply = reply_to(request, client.request(call.dump()));
            lock.lock();
            answered.push_back(std::move(reply));
        }
    }
};

Link::Link(const Addresses& addresses, milliseconds timeout)
    : impl_{std::make_unique<Impl>(addresses, timeout)} {}
Link::~Link() = default;

void Link::ask(std::string tag, std::string method, Json params) {
    if (impl_->addresses.requests.empty()) return;
    {
        const std::lock_guard lock{impl_->mutex};
        impl_->open.push_back(tag);
        impl_->queue.push_back({std::move(tag), std::move(method), std::move(params)});
    }
    impl_->wake.notify_one();
}

bool Link::asked(std::string_view tag) const {
    const std::lock_guard lock{impl_->mutex};
    return std::find(impl_->open.begin(), impl_->open.end(), tag) != impl_->open.end();
}

std::vector<Reply> Link::replies() {
    const std::lock_guard lock{impl_->mutex};
    for (const Reply& reply : impl_->answered)
        impl_->open.erase(std::find(impl_->open.begin(), impl_->open.end(), reply.tag));
    return std::exchange(impl_->answered, {});
}

std::vector<Published> Link::published(std::size_t most) {
    std::vector<Published> all;
    for (auto* from : {&impl_->events, &impl_->seen, &impl_->rare}) {
        if (!*from) continue;
        for (std::size_t i = 0; i < most; ++i) {
            auto message = (*from)->receive(milliseconds{0});
            if (!message) break;
            all.push_back(std::move(*message));
        }
    }
    return all;
}

bool Link::has_rules() const {
    return !impl_->addresses.requests.empty() || impl_->events.has_value();
}
bool Link::has_vision() const {
    return impl_->seen.has_value();
}

}  // namespace overboard::table
