#include "app/keys.hpp"

#include "app/commands.hpp"
#include "bus/trust.hpp"

namespace overboard::app {

void KeyOptions::add_to_listening(CLI::App& command) {
    command.add_option("--keys", file,
                       "CURVE key file, made if it is not there; needed beyond loopback");
    command.add_option("--allow", allowed, "Public keys of those who may connect");
    command.add_flag("--insecure", insecure, "Listen beyond loopback without keys");
}

void KeyOptions::add_to_connecting(CLI::App& command) {
    command.add_option(
        "--keys", file,
        "Our CURVE key file, made if it is not there; its first line is to be allowed there");
    command.add_option(
        "--server-key", server,
        "Public key of rules and vision, if they have keys: the first line of their key file");
}

Security KeyOptions::listening() const {
    Security security;
    security.insecure = insecure;
    if (file.empty()) return security;
    const KeyPair own = load_or_create_keys(file);
    security.public_key = own.public_key;
    security.secret_key = own.secret_key;
    security.allowed_keys = allowed;
    return security;
}

void KeyOptions::introduce() const {
    if (server.empty()) return;
    Security known = listening();
    known.server_key = server;
    trust(known);
}

}  // namespace overboard::app
