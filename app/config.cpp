#include "app/config.hpp"

#include <fmt/format.h>

#include <toml++/toml.h>
#include <cstdlib>
#include <filesystem>

namespace overboard::app {
namespace {

namespace fs = std::filesystem;

std::string text_of(const toml::node& node) {
    if (const auto* text = node.as_string()) return text->get();
    if (const auto* flag = node.as_boolean()) return flag->get() ? "true" : "false";
    if (const auto* whole = node.as_integer()) return std::to_string(whole->get());
    if (const auto* number = node.as_floating_point()) return fmt::format("{}", number->get());
    throw CLI::ConfigError(
        fmt::format("line {} holds no text, number, true or false", node.source().begin.line),
        CLI::ExitCodes::ConfigError);
}

/// CLI11's own reader knows half of TOML; this one knows all of it and names the line that is
/// wrong.
class Toml : public CLI::Config {
public:
    std::string to_config(const CLI::App*, bool, bool, std::string) const override { return {}; }

    std::vector<CLI::ConfigItem> from_config(std::istream& in) const override {
        try {
            std::vector<CLI::ConfigItem> found;
            add(toml::parse(in), {}, found);
            return found;
        } catch (const toml::parse_error& e) {
            throw CLI::ConfigError(fmt::format("the configuration is no TOML, line {}: {}",
                                               e.source().begin.line, e.description()),
                                   CLI::ExitCodes::ConfigError);
        }
    }

private:
    static void add(const toml::table& table, const std::vector<std::string>& parents,
                    std::vector<CLI::ConfigItem>& found) {
        for (const auto& [key, node] : table) {
            if (const auto* inner = node.as_table()) {
                std::vector<std::string> path = parents;
                path.emplace_back(key.str());
                add(*inner, path, found);
                continue;
            }
            CLI::ConfigItem item{parents, std::string(key.str()), {}};
            if (const auto* list = node.as_array())
                for (const toml::node& each : *list) item.inputs.push_back(text_of(each));
            else
                item.inputs.push_back(text_of(node));
            found.push_back(std::move(item));
        }
    }
};

}  // namespace

std::vector<std::string> config_places() {
    const char* config = std::getenv("XDG_CONFIG_HOME");
    const char* home = std::getenv("HOME");
    std::vector<std::string> places;
    if (config && *config)
        places.push_back((fs::path(config) / "overboard/overboard.toml").string());
    else if (home && *home)
        places.push_back((fs::path(home) / ".config/overboard/overboard.toml").string());
    places.emplace_back("/etc/overboard/overboard.toml");
    return places;
}

void add_config(CLI::App& app) {
    const auto places = config_places();
    const auto there = std::find_if(places.begin(), places.end(),
                                    [](const std::string& p) { return fs::exists(p); });
    std::string file = there == places.end() ? "" : *there;
    // Not by CLI11's envname(): it looks at the environment after it has read the file.
    if (const char* named = std::getenv("OVERBOARD_CONFIG"); named && *named) {
        file = named;
        if (!fs::exists(file))
            throw std::runtime_error("the file of options " + file + " is not there");
    }
    app.config_formatter(std::make_shared<Toml>());
    app.allow_config_extras(CLI::config_extras_mode::error);
    app.set_config("--config", file, "A file of options, one table a command (TOML)");
    app.fallthrough();  // commands take --config too
}

std::string config_read(const CLI::App& app) {
    const CLI::Option* option = app.get_config_ptr();
    return option && option->count() > 0 ? option->as<std::string>() : std::string{};
}

}  // namespace overboard::app
