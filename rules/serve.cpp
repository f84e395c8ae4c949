#include <spdlog/spdlog.h>

#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <thread>

#include "bus/codec.hpp"
#include "rules/service.hpp"

namespace overboard::rules {
namespace {

using Clock = std::chrono::steady_clock;

void hear(Service& service, const Published& heard) {
    if (heard.topic == "observation") {
        if (const auto seen = decode_observation(heard.json)) service.observe(*seen);
    } else if (heard.topic == "shot") {
        if (const auto shot = decode_shot(heard.json)) service.observe(*shot);
    } else if (heard.topic == "camera") {
        if (const auto camera = decode_camera_state(heard.json)) service.observe(*camera);
    } else if (heard.topic == "crops") {
        service.observe_crops(Json::parse(heard.json, nullptr, false));
    }
}

/// Everything that has come in, but no endless stream: requests wait meanwhile.
void hear_all(Service& service, Subscriber& eyes) {
    for (int i = 0; i < 64; ++i) {
        const auto heard = eyes.receive(milliseconds{0});
        if (!heard) return;
        hear(service, *heard);
    }
}

/// One thread that thinks out answers, one after the other, while the service goes on.
class Thinker {
public:
    struct Done {
        Server::Ticket ticket;
        std::string reply;
    };

    void think(Server::Ticket ticket, std::function<std::string()> work) {
        const std::lock_guard lock(mutex_);
        todo_.push_back({ticket, std::move(work)});
        ++open_;
        woken_.notify_one();
    }
    [[nodiscard]] bool busy() const { return open_ > 0; }  ///< Something is not handed out yet.

    std::vector<Done> finished() {
        const std::lock_guard lock(mutex_);
        open_ -= done_.size();
        return std::exchange(done_, {});
    }

private:
    struct Todo {
        Server::Ticket ticket;
        std::function<std::string()> work;
    };

    void run(const std::stop_token& stop) {
        std::unique_lock lock(mutex_);
        while (woken_.wait(lock, stop, [&] { return !todo_.empty(); }) && !stop.stop_requested()) {
            const Todo next = std::move(todo_.front());
            todo_.pop_front();
            lock.unlock();
            Done done{next.ticket, next.work()};
            lock.lock();
            done_.push_back(std::move(done));
        }
    }

    std::mutex mutex_;
    std::condition_variable_any woken_;
    std::deque<Todo> todo_;
    std::vector<Done> done_;
    std::size_t open_ = 0;  ///< Touched by the service's thread only.
    std::jthread thread_{[this](const std::stop_token& stop) { run(stop); }};
};

}  // namespace

std::filesystem::path default_store() {
    const char* state = std::getenv("XDG_STATE_HOME");
    const char* home = std::getenv("HOME");
    const std::filesystem::path base = state && *state
                                           ? std::filesystem::path(state)
                                           : std::filesystem::path(home && *home ? home : ".") /
                                                 ".local" / "state";
    return base / "overboard" / "matches.db";
}

void serve(const ServeOptions& options, const std::atomic<bool>& stop,
           const std::function<void(const std::string&, const std::string&)>& ready) {
    RefereeLimits live = options.live;
    live.watches_strokes = !options.observations.empty();
    std::optional<Publisher> events;
    Service service({options.store.empty() ? default_store() : options.store,
                     [&](std::string_view topic, const std::string& json) {
                         if (events) events->publish(topic, json);
                     },
                     {},
                     live,
                     true});
    events.emplace(options.events, options.security);
    Server requests(options.requests, options.security);
    std::optional<Subscriber> eyes;
    if (!options.observations.empty())
        eyes.emplace(options.observations,
                     std::vector<std::string>{"observation", "shot", "camera", "crops"},
                     Subscriber::Keep::all);
    if (ready) ready(requests.address(), events->address());
    Thinker thinker;
    const Server::PatientHandler handle = [&](std::string_view text,
                                              Server::Ticket ticket) -> std::optional<std::string> {
        RpcAnswer answer = service.ask(text);
        if (!answer.later) return std::move(answer.text);
        thinker.think(ticket, std::move(answer.later));
        return {};
    };
    auto next_repeat = Clock::now();
    while (!stop) {
        const milliseconds wait{thinker.busy() ? 2 : eyes ? 4 : 50};
        requests.serve(handle, wait);
        service.settle();
        if (thinker.busy())
            for (const Thinker::Done& done : thinker.finished())
                requests.answer(done.ticket, done.reply);
        if (eyes) hear_all(service, *eyes);
        service.settle();
        if (Clock::now() >= next_repeat) {
            service.repeat();
            next_repeat = Clock::now() + std::chrono::seconds{1};
        }
        service.idle();
    }
}

}  // namespace overboard::rules
