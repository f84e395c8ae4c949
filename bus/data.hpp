#pragma once

#include <filesystem>
#include <string_view>

#include "bus/json.hpp"

namespace overboard {

/// Where data files lie: $OVERBOARD_DATA, else beside the installed program
/// (<prefix>/share/overboard), else the source tree the program was built from.
std::filesystem::path data_root();

/// A data file by its path from the root, e.g. "physics/data/to-go.json". Throws
/// std::runtime_error, naming the file, when it is missing.
std::filesystem::path data_file(std::string_view path);

/// The same, parsed. Throws std::runtime_error, naming the file, when it is not JSON.
Json load_data(std::string_view path);

}  // namespace overboard
