#pragma once

#include <string>
#include <vector>

#include "bus/socket.hpp"

namespace CLI {
class App;
}

namespace overboard::app {

/// CURVE keys on the command line, for a part that listens or connects beyond loopback.
struct KeyOptions {
    std::string file, server;
    std::vector<std::string> allowed;
    bool insecure = false;

    void add_to_listening(CLI::App& command);   ///< --keys, --allow, --insecure
    void add_to_connecting(CLI::App& command);  ///< --keys, --server-key

    /// For what listens here. Makes the key file if it is not there.
    [[nodiscard]] Security listening() const;
    /// Lets all connections of this process use the keys, if --server-key was given.
    void introduce() const;
};

}  // namespace overboard::app
