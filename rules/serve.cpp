#include <spdlog/spdlog.h>

#include <chrono>
#include <cstdlib>

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

}  // namespace

std::filesystem::path default_store() {
    const char* state = std::getenv("XDG_STATE_HOME");
    const char* home = std::getenv("HOME");
    const std::filesystem::path base = state && *state ? std::filesystem::path(state)
                                                       : std::filesystem::path(home && *home ? home : ".") / ".local" / "state";
    return base / "overboard" / "matches.db";
}

void serve(const ServeOptions& options, const std::atomic<bool>& stop,
           const std::function<void(const std::string&, const std::string&)>& ready) {
    std::optional<Publisher> events;
    RefereeLimits live = options.live;
    live.watches_strokes = !options.observations.empty();
    Service service({options.store.empty() ? default_store() : options.store,
                     [&](std::string_view topic, const std::string& json) { if (events) events->publish(topic, json); },
                     {}, live});
    events.emplace(options.events, options.security);
    Server requests(options.requests, options.security);
    std::optional<Subscriber> eyes;
    if (!options.observations.empty())
        eyes.emplace(options.observations, std::vector<std::string>{"observation", "shot", "camera"}, Subscriber::Keep::all);
    if (ready) ready(requests.address(), events->address());
    const milliseconds wait{eyes ? 4 : 50};
    auto next_repeat = Clock::now();
    while (!stop) {
        const int served = requests.serve([&](std::string_view text) { return service.handle(text); }, wait);
        if (eyes) hear_all(service, *eyes);
        if (Clock::now() >= next_repeat) {
            service.repeat();
            next_repeat = Clock::now() + std::chrono::seconds{1};
        }
        if (served == 0) service.idle();
    }
}

}  // namespace overboard::rules
