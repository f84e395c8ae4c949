#include <memory>

#include "app/commands.hpp"
#include "rules/service.hpp"
#include "rules/store.hpp"

namespace overboard::app {

void add_backup(CLI::App& app) {
    struct Options {
        std::string store = rules::default_store().string(), to;
    };
    auto* command = app.add_subcommand("backup",
                                       "Copy the match store to a new file while it is in use");
    auto options = std::make_shared<Options>();
    command->add_option("--store", options->store, "The store to copy")->capture_default_str();
    command->add_option("OUT", options->to, "The new file")->required();
    command->callback([options] {
        rules::backup(options->store, options->to);
        std::printf("%s\n", options->to.c_str());
    });
}

}  // namespace overboard::app
