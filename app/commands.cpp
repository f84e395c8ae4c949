#include "app/commands.hpp"

#include <stdexcept>

namespace overboard::app {

void not_built_yet(const char* command) {
    throw std::runtime_error(std::string("'") + command + "' is not built yet");
}

}  // namespace overboard::app
