#pragma once

#include <nlohmann/json.hpp>

namespace overboard {
using Json = nlohmann::json;
}
