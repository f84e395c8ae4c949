#pragma once

#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

/// What crossed the bus, in a file: one JSON line a message, `{"t":12.5,"topic":"observation",
/// "message":{…}}`. A bug report is a recording; a regression test is that recording plus one line.
namespace overboard {

/// Appends, and is readable up to the last whole line whatever happens to the process.
class Recorder {
public:
    /// Throws std::runtime_error when the file cannot be written.
    explicit Recorder(const std::filesystem::path& file);
    /// `json` must be one valid JSON value; time in seconds, on the source's clock.
    void write(double time_s, std::string_view topic, std::string_view json);

private:
    std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
    std::string line_;
};

struct Recorded {
    double time_s = 0;
    std::string topic;
    std::string json;
};

struct PlaybackResult {
    int messages = 0;
    int broken_lines = 0;  ///< Cut off or damaged; passed over.
};

/// Hands every message to `each`, in order, until it returns false. `speed` 0: as fast as possible,
/// 1: at the pace it was recorded, 2: twice as fast. Throws when the file cannot be opened.
PlaybackResult play_back(const std::filesystem::path& file, double speed,
                         const std::function<bool(const Recorded&)>& each);

}  // namespace overboard
