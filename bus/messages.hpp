#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "bus/json.hpp"

/// Message catalogues: key → sentence, one file a language and room
/// (`**/data/messages.<lang>.json`, flat objects). Placeholders are named: "{player} scores
/// {points}".
namespace overboard {

class Messages {
public:
    /// Every catalogue below the data folder. Throws std::runtime_error on a broken file.
    static const Messages& shared();

    /// The sentence, with its arguments filled in; English when the language lacks it, the key
    /// itself when nobody has it.
    [[nodiscard]] std::string text(std::string_view language, std::string_view key,
                                   const Json& args = Json::object()) const;
    [[nodiscard]] std::vector<std::string> languages() const;
    [[nodiscard]] std::vector<std::string> keys(std::string_view language) const;

private:
    std::map<std::string, std::map<std::string, std::string, std::less<>>, std::less<>> texts_;
};

}  // namespace overboard
