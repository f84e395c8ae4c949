#include <fmt/format.h>

#include <atomic>
#include <csignal>

#include "app/commands.hpp"
#include "app/house.hpp"
#include "app/keys.hpp"
#include "app/stop.hpp"

namespace overboard::app {
namespace {

struct RecordOptions {
    std::string file, events = "tcp://127.0.0.1:7401", observations = "tcp://127.0.0.1:7402";
    double seconds = 0;
    KeyOptions keys;
};

void run(const RecordOptions& o) {
    stop_on_signals();
    o.keys.introduce();
    HouseAddresses at;
    at.events = o.events;
    at.observations = o.observations;
    int said = 0;
    const int messages = record_bus(o.file, at, stop_asked, [&](int so_far, double now_s) {
        if (o.seconds > 0 && now_s >= o.seconds) stop_asked = true;
        if (so_far < said + 500) return;
        said = so_far;
        fmt::print(stderr, "\rrecord: {} messages, {:.0f} s ", so_far, now_s);
    });
    fmt::print(stderr, "\rrecord: {} messages in {}\n", messages, o.file);
}

}  // namespace

void add_record(CLI::App& app) {
    auto* command = app.add_subcommand("record",
                                       "Record everything that crosses the bus to a file");
    auto o = std::make_shared<RecordOptions>();
    command->add_option("FILE", o->file, "The recording; added to if it is there")->required();
    command->add_option("--events", o->events, "Where the rules publish")->capture_default_str();
    command->add_option("--observations", o->observations, "Where vision publishes")
        ->capture_default_str();
    command->add_option("--seconds", o->seconds, "Stop after this long; 0: until interrupted")
        ->capture_default_str();
    o->keys.add_to_connecting(*command);
    command->callback([o] { run(*o); });
}

}  // namespace overboard::app
