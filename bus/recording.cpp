#include "bus/recording.hpp"

#include <fmt/format.h>

#include <chrono>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <thread>

#include "bus/json.hpp"

namespace overboard {
namespace {

std::optional<Recorded> parse_line(const std::string& line) {
    const Json json = Json::parse(line, nullptr, false);
    if (!json.is_object() || !json.contains("message")) return {};
    const auto t = json.find("t");
    const auto topic = json.find("topic");
    if (t == json.end() || !t->is_number() || topic == json.end() || !topic->is_string()) return {};
    return Recorded{t->get<double>(), topic->get<std::string>(), json["message"].dump()};
}

}  // namespace

Recorder::Recorder(const std::filesystem::path& file)
    : file_{std::fopen(file.c_str(), "a"), &std::fclose} {
    if (!file_) throw std::runtime_error("cannot write the recording " + file.string());
}

void Recorder::write(double time_s, std::string_view topic, std::string_view json) {
    line_.clear();
    fmt::format_to(std::back_inserter(line_), "{{\"t\":{:.6f},\"topic\":\"{}\",\"message\":{}}}\n",
                   time_s, topic, json);
    // One write a line: a killed process leaves at most one cut line, the last.
    if (std::fwrite(line_.data(), 1, line_.size(), file_.get()) != line_.size() ||
        std::fflush(file_.get()) != 0)
        throw std::runtime_error("the recording cannot be written any more (disk full?)");
}

PlaybackResult play_back(const std::filesystem::path& file, double speed,
                         const std::function<bool(const Recorded&)>& each) {
    std::ifstream in(file);
    if (!in) throw std::runtime_error("cannot open the recording " + file.string());
    PlaybackResult result;
    std::optional<double> first_s;
    const auto begin = std::chrono::steady_clock::now();
    for (std::string line; std::getline(in, line);) {
        if (line.empty()) continue;
        const auto message = parse_line(line);
        if (!message) {
            ++result.broken_lines;
            continue;
        }
        if (!first_s) first_s = message->time_s;
        if (speed > 0)
            std::this_thread::sleep_until(
                begin + std::chrono::duration<double>((message->time_s - *first_s) / speed));
        ++result.messages;
        if (!each(*message)) break;
    }
    return result;
}

}  // namespace overboard
