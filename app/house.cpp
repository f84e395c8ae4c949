#include "app/house.hpp"

#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <CLI/CLI.hpp>

#include <future>
#include <stdexcept>

#include "bus/messages.hpp"
#include "rules/games.hpp"

namespace overboard::app {

RulesRoom::RulesRoom(const HouseAddresses& addresses, const std::filesystem::path& store) {
    rules::ServeOptions options;
    options.requests = addresses.requests;
    options.events = addresses.events;
    options.observations = addresses.observations;
    options.store = store;
    std::promise<void> up;
    auto started = up.get_future();
    thread_ = std::thread([this, options, up = std::move(up)]() mutable {
        bool first = true;
        while (!stop_) {
            try {
                rules::serve(options, stop_, [&](const std::string&, const std::string&) {
                    if (std::exchange(first, false)) up.set_value();
                });
            } catch (const std::exception& e) {
                if (first) return up.set_exception(std::current_exception());
                spdlog::error("the rules fell over and are started again: {}", e.what());
                std::this_thread::sleep_for(std::chrono::milliseconds{500});
            }
        }
    });
    try {
        started.get();
    } catch (...) {
        stop_ = true;
        thread_.join();
        throw;
    }
}

RulesRoom::~RulesRoom() {
    stop_ = true;
    if (thread_.joinable()) thread_.join();
}

std::optional<Json> Asker::try_ask(const std::string& method, const Json& params) {
    const auto reply = client_.request(Json{
        {"jsonrpc", "2.0"},
        {"id", next_id_++},
        {"method", method},
        {"params", params}}.dump());
    if (!reply) return {};
    Json json = Json::parse(*reply, nullptr, false);
    if (!json.is_object() || !json.contains("result")) return {};
    return json["result"];
}

Json Asker::ask(const std::string& method, const Json& params) {
    const auto reply = client_.request(Json{
        {"jsonrpc", "2.0"},
        {"id", next_id_++},
        {"method", method},
        {"params", params}}.dump());
    if (!reply) throw std::runtime_error("the rules do not answer");
    const Json json = Json::parse(*reply, nullptr, false);
    if (json.contains("result")) return json["result"];
    const Json error = json.value("error", Json::object());
    const Json data = error.value("data", Json::object());
    throw std::runtime_error(data.is_object() ? data.value("reason", error.value("message", *reply))
                                              : error.value("message", *reply));
}

Eyes::Eyes(const std::string& address, const std::string& recording) : publisher_{address} {
    if (!recording.empty()) recorder_.emplace(recording);
}

void Eyes::say(const Observation& seen, const std::vector<Shot>& shots, const CameraState& sight) {
    const auto tell = [&](std::string_view topic, const std::string& json, bool repeat) {
        publisher_.publish(topic, json, repeat);
        if (recorder_) recorder_->write(seen.time, topic, json);
    };
    // The camera's state first: rules must know how far to trust what follows.
    if (sight.state != last_sight_ || seen.time > sight_said_s_ + 1) {
        tell("camera", encode(sight), true);
        last_sight_ = sight.state;
        sight_said_s_ = seen.time;
    }
    for (const Shot& shot : shots) tell("shot", encode(shot), false);
    text_.clear();
    encode(seen, text_);
    tell("observation", text_, true);
    publisher_.pump();
}

void Eyes::show(const std::string& crops) {
    if (!crops.empty()) publisher_.publish("crops", crops);
}

void Eyes::keep(double time_s, const Published& heard) {
    if (recorder_) recorder_->write(time_s, heard.topic, heard.json);
}

int record_bus(const std::string& file, const HouseAddresses& at, const std::atomic<bool>& stop,
               const std::function<void(int, double)>& progress) {
    Recorder recorder(file);
    Subscriber vision(at.observations, {"observation", "shot", "camera"}, Subscriber::Keep::all);
    Subscriber rules(at.events, {"match"}, Subscriber::Keep::all);
    const auto began = std::chrono::steady_clock::now();
    int messages = 0;
    if (progress) progress(0, 0);
    while (!stop) {
        const double now_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - began)
                                 .count();
        for (Subscriber* each : {&rules, &vision})
            if (const auto heard = each->receive(milliseconds{each == &vision ? 10 : 0})) {
                recorder.write(now_s, heard->topic, heard->json);
                ++messages;
            }
        if (progress) progress(messages, now_s);
    }
    return messages;
}

const rules::Game& game_named(const std::string& id) {
    if (const rules::Game* game = rules::find_game(id)) return *game;
    std::string known;
    for (const auto& g : rules::games()) known += (known.empty() ? "" : ", ") + g.info.id;
    throw CLI::ValidationError("GAME", "there is no game '" + id + "'; there are: " + known);
}

std::string start_match(Asker& rules, const std::string& game, const rules::Setup& setup) {
    Json players = Json::array();
    for (const auto& p : setup.players) {
        Json player = p.extra;
        player["name"] = p.name;
        if (!p.seat.empty()) player["seat"] = p.seat;
        players.push_back(std::move(player));
    }
    return rules
        .ask("match.start", {{"game", game},
                             {"players", players},
                             {"variant", setup.variant},
                             {"options", setup.options}})
        .at("match");
}

rules::Setup usual_setup(const rules::Game& game, int players, const std::string& variant) {
    static const char* const kNames[] = {"Ana", "Bo", "Cleo", "Dan", "Eve", "Finn"};
    const int wanted = players > 0 ? players
                                   : std::clamp(2, game.info.min_players, game.info.max_players);
    if (wanted < game.info.min_players || wanted > game.info.max_players)
        throw std::runtime_error(fmt::format("{} is played by {} to {} players", game.info.name,
                                             game.info.min_players, game.info.max_players));
    rules::Setup setup;
    setup.variant = variant;
    for (int i = 0; i < wanted; ++i) setup.players.push_back({kNames[i], "", Json::object()});
    return setup;
}

Json essence(const Move& move) {
    Json bare = move;
    for (const char* measured : {"pose", "angle", "offset", "striker", "shot_id", "at", "rest"})
        if (bare.contains(measured) && !(bare[measured].is_array() && bare[measured].size() == 2 &&
                                         bare[measured][0].is_number_integer()))
            bare.erase(measured);
    if (bare.contains("cards") && bare["cards"].is_array())
        std::sort(bare["cards"].begin(), bare["cards"].end());
    return bare;
}

namespace {

std::string plain(const Json& value) {
    if (value.is_string()) return value.get<std::string>();
    if (!value.is_structured()) return value.dump();
    std::string list;
    for (const auto& [key, each] : value.items())
        list += (list.empty() ? "" : " ") +
                (value.is_object() ? key + (each == true ? "" : " " + plain(each)) : plain(each));
    return list;
}

/// "build, cards 3 joker"
std::string in_words(const Move& move) {
    std::string words = move.value("type", "");
    const Json bare = essence(move);
    for (const auto& [key, value] : bare.items())
        if (key != "type" && !(value.is_structured() && value.empty()))
            words += ", " + key + " " + plain(value);
    return words;
}

}  // namespace

std::string transcript_line(const Json& event, const std::string& language) {
    const std::string name = event.value("event", "");
    const std::string player = event.value("player", "");
    if (name == "move.applied")
        return fmt::format("{}: {}{}", player, in_words(event.at("move")),
                           event.value("by", "") == "camera" ? "" : "  (by touch)");
    if (name == "scored")
        return fmt::format("    {} scores {}", player,
                           event.value("points", event.value("coins", Json())).dump());
    if (name == "turn.changed") return fmt::format("  turn: {}", player);
    if (name == "attention" && !event.contains("cleared"))
        return "  ! " + Messages::shared().text(language, event.value("key", ""),
                                                event.value("args", Json::object()));
    if (name == "round.ended") return "  the round is over";
    if (name == "match.finished")
        return fmt::format("the match is over: {}", event.value("winners", Json::array()).dump());
    return {};
}

}  // namespace overboard::app
