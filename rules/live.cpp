#include "rules/live.hpp"

#include "bus/codec.hpp"
#include "bus/messages.hpp"
#include "rules/fields.hpp"

namespace overboard::rules {
namespace {

Json hidden_as_due(const Game& game, Observation seen) {
    if (game.hide) game.hide(seen);
    return to_json(seen);
}

}  // namespace

void Service::Live::replay(const StoredEvent& event) {
    const int player = int_field(event.data, "player").value_or(0);
    if (player < 0 || player >= static_cast<int>(match.setup().players.size()))
        throw std::runtime_error("a move of nobody");
    const Move& move = field(event.data, "move");
    if (event.kind == "move") match.replay(player, move, event.time);
    if (event.kind == "undo") match.commit(match.without_last());
    if (event.kind == "pause" || event.kind == "resume") match.pause(event.kind == "pause");
    if (event.kind == "end") match.end(text_field(event.data, "reason").value_or(""));
    if (event.kind == "correct")
        if (auto history = match.corrected(int_field(event.data, "seq").value_or(1), player, move,
                                           event.time))
            match.commit(std::move(*history));
}

Setup setup_from(const Json& stored) {
    Setup setup;
    setup.variant = text_field(stored, "variant").value_or("");
    setup.options = stored.value("options", Json::object());
    for (const Json& player : stored.value("players", Json::array()))
        setup.players.push_back({text_field(player, "name").value_or(""),
                                 text_field(player, "seat").value_or(""),
                                 player.value("extra", Json::object())});
    return setup;
}

Json setup_json(const Setup& setup) {
    Json players = Json::array();
    for (const PlayerSetup& p : setup.players)
        players.push_back({{"name", p.name}, {"seat", p.seat}, {"extra", p.extra}});
    return {{"players", players}, {"variant", setup.variant}, {"options", setup.options}};
}

std::vector<Result> results_of(const Match& match, const GameView& view) {
    std::vector<Result> all;
    if (!view.finished) return all;
    for (std::size_t i = 0; i < view.players.size(); ++i)
        all.push_back({match.name_of(static_cast<int>(i)),
                       number_field(view.players[i], "score").value_or(0),
                       std::find(view.winners.begin(), view.winners.end(), static_cast<int>(i)) !=
                           view.winners.end()});
    return all;
}

std::vector<Json> with_reasons(std::vector<Json> events) {
    for (Json& event : events)
        if (const auto key = text_field(event, "key"); key && !event.contains("reason"))
            event["reason"] = Messages::shared().text("en", *key,
                                                      event.value("args", Json::object()));
    return events;
}

std::string evidence_json(const Game& game, const Referee* seen_by, const Json& crops) {
    if (!seen_by) return {};
    Json evidence = Json::object();
    if (seen_by->agreed()) evidence["before"] = hidden_as_due(game, *seen_by->agreed());
    if (seen_by->latest()) evidence["after"] = hidden_as_due(game, *seen_by->latest());
    if (crops.is_array() && !game.hide) evidence["crops"] = crops;
    return evidence.empty() ? std::string{} : dumped(evidence);
}

Json question_json(const Match& match, const Decision& decision) {
    const Message& message = decision.question.message;
    Json data = {{"question", true},
                 {"key", message.key},
                 {"args", message.args},
                 {"reason", Messages::shared().text("en", message.key, message.args)},
                 {"player", match.name_of(decision.question.player)},
                 {"choices", Json::array()}};
    if (decision.question.at) data["at"] = point_json(*decision.question.at);
    for (const Reading::Choice& choice : decision.choices) {
        Json moves = Json::array();
        for (const PlayerMove& m : choice.moves)
            moves.push_back({{"player", match.name_of(m.player)}, {"move", m.move}});
        data["choices"].push_back({{"moves", moves}, {"confidence", choice.confidence}});
    }
    return data;
}

}  // namespace overboard::rules
