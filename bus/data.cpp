#include "bus/data.hpp"

#include <cstdlib>
#include <fstream>
#include <stdexcept>

namespace overboard {
namespace fs = std::filesystem;

fs::path data_root() {
    if (const char* set = std::getenv("OVERBOARD_DATA"); set && *set) return set;
    std::error_code ignored;
    const fs::path program = fs::read_symlink("/proc/self/exe", ignored);
    const fs::path installed = program.parent_path().parent_path() / "share" / "overboard";
    if (fs::exists(installed / "rules", ignored)) return installed;
    return OVERBOARD_SOURCE_DIR;
}

fs::path data_file(std::string_view path) {
    const fs::path file = data_root() / path;
    if (!fs::exists(file)) throw std::runtime_error("data file missing: " + file.string());
    return file;
}

Json load_data(std::string_view path) {
    const fs::path file = data_file(path);
    std::ifstream in(file);
    try {
        return Json::parse(in, nullptr, true, true);
    } catch (const Json::exception& e) {
        throw std::runtime_error("not readable as JSON: " + file.string() + ": " + e.what());
    }
}

}  // namespace overboard
