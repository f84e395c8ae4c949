#include "bus/messages.hpp"

#include <fstream>
#include <stdexcept>

#include "bus/data.hpp"

namespace overboard {
namespace fs = std::filesystem;

namespace {

std::string as_text(const Json& value) {
    return value.is_string() ? value.get<std::string>() : value.dump();
}

std::string filled_in(const std::string& sentence, const Json& args) {
    std::string out;
    for (std::size_t i = 0; i < sentence.size(); ++i) {
        const std::size_t end = sentence[i] == '{' ? sentence.find('}', i) : std::string::npos;
        const auto value = end == std::string::npos || !args.is_object()
                               ? args.end()
                               : args.find(sentence.substr(i + 1, end - i - 1));
        if (value == args.end()) {
            out += sentence[i];
        } else {
            out += as_text(*value);
            i = end;
        }
    }
    return out;
}

}  // namespace

const Messages& Messages::shared() {
    static const Messages all = [] {
        Messages m;
        for (const auto& entry : fs::recursive_directory_iterator(
                 data_root(), fs::directory_options::skip_permission_denied)) {
            const std::string name = entry.path().filename().string();
            if (!name.starts_with("messages.") || entry.path().extension() != ".json" ||
                entry.path().parent_path().filename() != "data")
                continue;
            const std::string language = name.substr(9, name.size() - 9 - 5);
            std::ifstream in(entry.path());
            const Json file = Json::parse(in, nullptr, false, true);
            if (!file.is_object())
                throw std::runtime_error("broken message catalogue: " + entry.path().string());
            for (const auto& [key, text] : file.items()) m.texts_[language][key] = as_text(text);
        }
        return m;
    }();
    return all;
}

std::string Messages::text(std::string_view language, std::string_view key,
                           const Json& args) const {
    for (const std::string_view wanted : {language, std::string_view{"en"}}) {
        const auto catalogue = texts_.find(wanted);
        if (catalogue == texts_.end()) continue;
        if (const auto found = catalogue->second.find(key); found != catalogue->second.end())
            return filled_in(found->second, args);
    }
    return std::string{key};
}

std::vector<std::string> Messages::languages() const {
    std::vector<std::string> names;
    for (const auto& [name, texts] : texts_) names.push_back(name);
    return names;
}

std::vector<std::string> Messages::keys(std::string_view language) const {
    std::vector<std::string> names;
    if (const auto found = texts_.find(language); found != texts_.end())
        for (const auto& [key, text] : found->second) names.push_back(key);
    return names;
}

}  // namespace overboard
