#include <atomic>
#include <csignal>
#include <fstream>
#include <memory>

#include "app/commands.hpp"
#include "app/keys.hpp"
#include "rules/service.hpp"

namespace overboard::app {
namespace {

std::atomic<bool> stop{false};

struct Options {
    rules::ServeOptions serve;
    std::string store;
    KeyOptions keys;
};

void run(Options& options) {
    if (!options.store.empty()) options.serve.store = options.store;
    options.serve.security = options.keys.listening();
    options.keys.introduce();
    for (const int signal : {SIGINT, SIGTERM}) std::signal(signal, [](int) { stop = true; });
    rules::serve(options.serve, stop, [](const std::string& requests, const std::string& events) {
        std::fprintf(stderr, "rules: requests on %s, events on %s\n", requests.c_str(),
                     events.c_str());
    });
}

}  // namespace

void add_rules(CLI::App& app) {
    auto* command = app.add_subcommand("rules", "The rules service as its own process");
    auto options = std::make_shared<Options>();
    options->serve.observations = "tcp://127.0.0.1:7402";
    command->add_option("--requests", options->serve.requests, "Where to answer requests")
        ->capture_default_str();
    command->add_option("--events", options->serve.events, "Where to publish matches and marks")
        ->capture_default_str();
    command
        ->add_option("--observations", options->serve.observations,
                     "Where vision publishes; empty: nobody watches")
        ->capture_default_str();
    command->add_option("--store", options->store, "The file matches are kept in")
        ->default_str(rules::default_store().string());
    options->keys.add_to_listening(*command);
    command->add_option("--server-key", options->keys.server,
                        "Public key of vision, if it has one");
    command->callback([options] { run(*options); });
}

}  // namespace overboard::app
