#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <csignal>

#include "app/commands.hpp"
#include "bus/recording.hpp"
#include "bus/socket.hpp"

namespace overboard::app {
namespace {

std::atomic<bool> stop_asked{false};

struct RecordOptions {
    std::string file, events = "tcp://127.0.0.1:7401", observations = "tcp://127.0.0.1:7402";
    double seconds = 0;
};

void run(const RecordOptions& o) {
    Recorder recorder(o.file);
    Subscriber vision(o.observations, {"observation", "shot", "camera"}, Subscriber::Keep::all);
    Subscriber rules(o.events, {"match"}, Subscriber::Keep::all);
    for (const int signal : {SIGINT, SIGTERM}) std::signal(signal, [](int) { stop_asked = true; });
    const auto began = std::chrono::steady_clock::now();
    int messages = 0;
    for (double now_s = 0; !stop_asked && (o.seconds <= 0 || now_s < o.seconds);) {
        bool heard = false;
        for (Subscriber* each : {&rules, &vision})
            if (const auto message = each->receive(milliseconds{each == &vision ? 10 : 0})) {
                recorder.write(now_s, message->topic, message->json);
                heard = true;
                ++messages;
            }
        now_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
        if (heard && messages % 500 == 0) fmt::print(stderr, "\rrecord: {} messages, {:.0f} s ", messages, now_s);
    }
    fmt::print(stderr, "\rrecord: {} messages in {}\n", messages, o.file);
}

}  // namespace

void add_record(CLI::App& app) {
    auto* command = app.add_subcommand("record", "Record everything that crosses the bus to a file");
    auto o = std::make_shared<RecordOptions>();
    command->add_option("FILE", o->file, "The recording; added to if it is there")->required();
    command->add_option("--events", o->events, "Where the rules publish")->capture_default_str();
    command->add_option("--observations", o->observations, "Where vision publishes")->capture_default_str();
    command->add_option("--seconds", o->seconds, "Stop after this long; 0: until interrupted")->capture_default_str();
    command->callback([o] { run(*o); });
}

}  // namespace overboard::app
