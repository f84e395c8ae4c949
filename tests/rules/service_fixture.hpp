#pragma once

#include <gtest/gtest.h>

#include <filesystem>

#include "rules/service.hpp"
#include "tests/folder.hpp"

namespace overboard::rules::testing {

using overboard::testing::content_of;

/// In memory where that is possible: most tests do not ask about the disk.
struct TemporaryFolder : overboard::testing::Folder {
    TemporaryFolder()
        : Folder{std::filesystem::exists("/dev/shm") ? "/dev/shm"
                                                     : std::filesystem::temp_directory_path()} {}
};

class ServiceTest : public ::testing::Test {
protected:
    struct Told {
        std::string topic;
        Json json;
    };

    ServiceTest() { open(); }

    void open() {
        service.reset();
        service = std::make_unique<Service>(
            ServiceOptions{file(),
                           [this](std::string_view topic, const std::string& json) {
                               told.push_back({std::string(topic), Json::parse(json)});
                           },
                           {},
                           live});
    }
    std::filesystem::path file() const { return folder / "matches.db"; }

    Json reply(const std::string& method, Json params) {
        const Json request = {
            {"jsonrpc", "2.0"}, {"id", 1}, {"method", method}, {"params", std::move(params)}};
        return Json::parse(service->handle(request.dump()));
    }
    Json call(const std::string& method, Json params = Json::object()) {
        const Json answer = reply(method, params);
        EXPECT_TRUE(answer.contains("result")) << method << params << " → " << answer;
        return answer.value("result", Json());
    }
    Json refuse(const std::string& method, Json params = Json::object()) {
        const Json answer = reply(method, params);
        EXPECT_TRUE(answer.contains("error")) << method << params << " → " << answer;
        return answer.value("error", Json::object());
    }
    std::string start(const std::string& game, std::vector<std::string> names,
                      const std::string& variant = "", Json options = Json::object()) {
        Json players = Json::array();
        for (const auto& name : names) players.push_back({{"name", name}});
        return call("match.start", {{"game", game},
                                    {"players", players},
                                    {"variant", variant},
                                    {"options", options}})
            .at("match");
    }
    Json move(const std::string& match, const std::string& player, Json m) {
        return call("match.move", {{"match", match}, {"player", player}, {"move", std::move(m)}});
    }
    Json shot(int blue, bool queen = false) {
        return {{"type", "shot"}, {"pocketed", {{"blue", blue}, {"queen", queen}}}};
    }
    std::vector<std::string> events() const {
        std::vector<std::string> names;
        for (const Told& t : told)
            if (t.topic == "match") names.push_back(t.json.at("event"));
        return names;
    }
    const Json* last(const std::string& event) const {
        for (auto t = told.rbegin(); t != told.rend(); ++t)
            if (t->topic == "match" && t->json.at("event") == event) return &t->json;
        return nullptr;
    }

    TemporaryFolder folder;
    RefereeLimits live;
    std::vector<Told> told;
    std::unique_ptr<Service> service;
};

}  // namespace overboard::rules::testing
