#include <set>

#include "bus/codec.hpp"
#include "rules/fields.hpp"
#include "rules/games.hpp"
#include "rules/live.hpp"
#include "rules/service.hpp"

// One function a method of the contract: take the parameters apart, ask the match, answer.
namespace overboard::rules {
namespace {

constexpr std::size_t kLongestName = 60;

tl::unexpected<RpcError> wrong(const std::string& reason) {
    return tl::unexpected(invalid_params(reason));
}

tl::unexpected<RpcError> refusal(Fault kind, std::string rule, std::string key,
                                 Json args = Json::object()) {
    return tl::unexpected(fault(kind, refused(std::move(rule), std::move(key), std::move(args))));
}

/// What people at the table can get wrong is said in their language.
tl::unexpected<RpcError> cannot_start(std::string key, Json args = Json::object()) {
    return tl::unexpected(invalid_params(refused("SETUP", std::move(key), std::move(args))));
}

/// The number of a move in effect.
tl::expected<int, RpcError> seq_of(const Json& params, const Match& match) {
    const int seq = int_field(params, "seq").value_or(0);
    if (seq >= 1 && seq <= match.seq()) return seq;
    if (match.seq() == 0) return wrong("seq names no move: none was made yet");
    return wrong(fmt::format("seq must name a move from 1 to {}", match.seq()));
}

tl::expected<PlayerSetup, RpcError> player_from(const Json& json) {
    static const std::set<std::string> seats = {"", "s", "w", "n", "e"};
    PlayerSetup player;
    const auto name = json.is_string() ? std::optional(json.get<std::string>())
                                       : text_field(json, "name");
    if (!name) return wrong("every player needs a name");
    player.name = *name;
    if (player.name.find_first_not_of(" \t") == std::string::npos)
        return cannot_start("rules.name_empty");
    if (player.name.size() > kLongestName) return cannot_start("rules.name_too_long");
    if (std::any_of(player.name.begin(), player.name.end(),
                    [](unsigned char c) { return c < 0x20; }))
        return wrong("a player's name holds control characters");
    if (!field(json, "seat").is_null() && !field(json, "seat").is_string())
        return wrong("seat must be one of s, w, n, e");
    player.seat = text_field(json, "seat").value_or("");
    if (!seats.contains(player.seat))
        return wrong("seat must be one of s, w, n, e, not " + player.seat);
    if (json.is_object())
        for (const auto& [key, value] : json.items())
            if (key != "name" && key != "seat") player.extra[key] = value;
    return player;
}

tl::expected<Setup, RpcError> setup_of(const Json& params, const GameInfo& game) {
    Setup setup;
    std::set<std::string> names;
    if (!field(params, "players").is_array())
        return wrong("players must be a list of {name, seat?}");
    for (const Json& each : params.at("players")) {
        auto player = player_from(each);
        if (!player) return tl::unexpected(player.error());
        if (!names.insert(player->name).second)
            return cannot_start("rules.same_name", {{"name", player->name}});
        setup.players.push_back(std::move(*player));
    }
    const int count = static_cast<int>(setup.players.size());
    if (count < game.min_players || count > game.max_players)
        return cannot_start("rules.player_count", {{"game", game.name},
                                                   {"least", game.min_players},
                                                   {"most", game.max_players},
                                                   {"count", count}});
    if (!field(params, "variant").is_null() && !field(params, "variant").is_string())
        return wrong("variant must be a string");
    setup.variant = text_field(params, "variant")
                        .value_or(game.variants.empty() ? "" : game.variants.front());
    if (!setup.variant.empty() &&
        std::find(game.variants.begin(), game.variants.end(), setup.variant) == game.variants.end())
        return cannot_start("rules.no_variant", {{"game", game.name}, {"variant", setup.variant}});
    const Json& options = field(params, "options");
    if (!options.is_null() && !options.is_object()) return wrong("options must be an object");
    if (options.is_object()) setup.options = options;
    return setup;
}

/// Who plays alone plays against the own best so far (TOPIT-30); games that do not care ignore it.
void remember_best(Setup& setup, const std::vector<RankedPlayer>& ranking) {
    if (setup.players.size() != 1 || setup.options.contains("best")) return;
    for (const RankedPlayer& r : ranking)
        if (r.player == setup.players[0].name) setup.options["best"] = r.best;
}

Json illegal_json(const Match& match) {
    Json all = Json::array();
    for (std::size_t i = 0; i < match.entries().size(); ++i) {
        const Entry& entry = match.entries()[i];
        if (!entry.illegal) continue;
        Json one = ruling_json(*entry.illegal);
        one["seq"] = i + 1;
        one["player"] = match.name_of(entry.player);
        one["move"] = entry.move;
        all.push_back(std::move(one));
    }
    return all;
}

Json marks_json(const std::vector<Mark>& items) {
    return to_json(Marks{"", 0, items}).at("items");
}

Json hint_json(const Hint& h) {
    const Json one = {{"move", h.move},
                      {"value", h.value},
                      {"key", h.message.key},
                      {"args", h.message.args},
                      {"marks", marks_json(h.marks)},
                      {"detail", h.detail}};
    return with_reasons({one}).front();
}

Json entry_json(const Match& match, std::size_t index) {
    const Entry& entry = match.entries()[index];
    Json line = {
        {"seq", index + 1},   {"player", match.name_of(entry.player)}, {"move", entry.move},
        {"time", entry.time}, {"events", with_reasons(entry.events)},  {"legal", !entry.illegal}};
    if (entry.illegal) line["illegal"] = ruling_json(*entry.illegal);
    return line;
}

}  // namespace

struct Service::Asked {
    Live* live = nullptr;
    int player = 0;
    const Move& move;
};

tl::expected<Service::Live*, RpcError> Service::match_of(const Json& params) {
    const auto id = text_field(params, "match");
    if (!id) return wrong("match must be the id of a match");
    if (Live* live = find(*id)) return live;
    return refusal(Fault::unknown_match, "MATCH", "rules.unknown_match", {{"match", *id}});
}

tl::expected<Service::Asked, RpcError> Service::asked_of(const Json& params) {
    const auto live = match_of(params);
    if (!live) return tl::unexpected(live.error());
    const auto name = text_field(params, "player");
    if (!name) return wrong("player must be the name of a player");
    Asked asked{*live, (*live)->match.player_named(*name), field(params, "move")};
    if (asked.player < 0) return wrong("nobody called " + *name + " plays in this match");
    if (!params.contains("move")) return wrong("move is missing");
    return asked;
}

RpcResult Service::list_games(const Json&) {
    Json all = Json::array();
    for (const Game& game : games())
        all.push_back({{"id", game.info.id},
                       {"game", game.info.id},
                       {"name", game.info.name},
                       {"min_players", game.info.min_players},
                       {"max_players", game.info.max_players},
                       {"variants", game.info.variants}});
    return Json{{"games", all}};
}

RpcResult Service::start(const Json& params) {
    const auto id = text_field(params, "game");
    if (!id) return wrong("game must be the id of a game");
    const Game* game = find_game(*id);
    if (!game) return refusal(Fault::unknown_game, "GAME", "rules.unknown_game", {{"game", *id}});
    auto setup = setup_of(params, game->info);
    if (!setup) return tl::unexpected(setup.error());
    remember_best(*setup, store_.ranking(*id));
    auto match = Match::start("m" + std::to_string(started_ + 1), *game, *setup, options_.now());
    if (!match) return tl::unexpected(invalid_params(match.error()));
    const StoredMatch stored{match->id(), *id, setup_json(*setup), match->started(), true};
    if (const auto written = store_.add(stored); !written)
        return refusal(Fault::storage_failed, "STORE", "rules.storage_failed",
                       {{"why", written.error()}});
    ++started_;
    Live& live = keep(std::make_unique<Live>(std::move(*match)));
    const Json now = to_json(live.match.public_state());
    tell(live, "match.started",
         {{"game", *id},
          {"variant", setup->variant},
          {"players", now.at("players")},
          {"options", setup->options}});
    tell_changes(live, "", false);
    return now;
}

RpcResult Service::state(const Json& params) {
    const auto live = match_of(params);
    if (!live) return tl::unexpected(live.error());
    return to_json((*live)->match.public_state());
}

RpcResult Service::move(const Json& params) {
    const auto asked = asked_of(params);
    if (!asked) return tl::unexpected(asked.error());
    Live& live = *asked->live;
    if (live.match.finished()) return refusal(Fault::match_finished, "END", "rules.match_finished");
    const Ruling ruling = live.match.judge(asked->player, asked->move);
    if (!ruling.legal()) {
        tell_rejected(live, asked->player, asked->move, ruling);
        const bool turn = ruling.verdict == Ruling::Verdict::not_your_turn;
        return tl::unexpected(fault(turn ? Fault::not_your_turn : Fault::illegal_move, ruling));
    }
    const Game& game = live.match.game();
    if (game.changes_nothing && game.changes_nothing(asked->move))
        return Json{{"seq", live.match.seq()},
                    {"state", to_json(live.match.public_state())},
                    {"events", Json::array()}};
    return play(live, asked->player, asked->move, nullptr);
}

RpcResult Service::check(const Json& params) {
    const auto asked = asked_of(params);
    if (!asked) return tl::unexpected(asked.error());
    const Match& match = asked->live->match;
    Ruling ruling;
    if (!field(params, "seq").is_null()) {  // in the place of an earlier move, as a correction
        const auto seq = seq_of(params, match);
        if (!seq) return tl::unexpected(seq.error());
        if (const auto history = match.corrected(*seq, asked->player, asked->move, {}); !history)
            ruling = history.error();
    } else {
        ruling = match.finished() ? refused("END", "rules.match_finished")
                                  : match.judge(asked->player, asked->move);
    }
    if (ruling.legal()) return Json{{"legal", true}};
    Json answer = ruling_json(ruling);
    answer["legal"] = false;
    return answer;
}

RpcResult Service::legal(const Json& params) {
    const auto live = match_of(params);
    if (!live) return tl::unexpected(live.error());
    const Match& match = (*live)->match;
    const bool earlier = !field(params, "seq").is_null();  // instead of that move
    const auto seq = earlier ? seq_of(params, match) : 0;
    if (!seq) return tl::unexpected(seq.error());
    Json moves = Json::array();
    if (earlier || !match.finished())
        for (const PlayerMove& m :
             match.game().legal_moves(earlier ? match.before(*seq) : match.state()))
            moves.push_back({{"player", match.name_of(m.player)}, {"move", m.move}});
    return Json{{"moves", moves}, {"actions", match.public_state().actions}};
}

tl::expected<Rpc::Work, RpcError> Service::hint(const Json& params) {
    const auto live = match_of(params);
    if (!live) return tl::unexpected(live.error());
    const int count = field(params, "count").is_null() ? 3 : int_field(params, "count").value_or(0);
    if (count < 1 || count > 1000) return wrong("count must be a whole number from 1 to 1000");
    const Match& match = (*live)->match;
    // The game lives for ever and a state never changes, so this may think beside the match going
    // on.
    return [game = &match.game(), state = match.state(), over = match.finished(),
            count]() -> RpcResult {
        Json hints = Json::array();
        if (!over)
            for (const Hint& h : game->hints(state, count)) hints.push_back(hint_json(h));
        Json answer = {{"hints", hints}, {"available", !hints.empty()}};
        if (hints.empty()) answer.update(ruling_json(refused("HINT", "rules.hint_not_available")));
        return answer;
    };
}

RpcResult Service::observe_once(const Json& params) {
    const auto live = match_of(params);
    if (!live) return tl::unexpected(live.error());
    Match& match = (*live)->match;
    if (match.finished()) return refusal(Fault::match_finished, "END", "rules.match_finished");
    if (match.paused()) return Json{{"nothing", true}, {"paused", true}};
    auto& referee = (*live)->single;
    if (!referee) referee = std::make_unique<Referee>(match.game(), match.setup(), at_once());
    const Json& crops = field(params, "crops");
    if (params.contains("shot")) {
        const auto shot = shot_from(params.at("shot"));
        if (!shot) return wrong("shot: " + shot.error().reason);
        Json answer = carry_out(**live, referee->feed(match.state(), *shot), *referee, crops);
        remember(*shot, *live);
        return answer;
    }
    if (!params.contains("observation")) return wrong("observation is missing");
    const auto seen = observation_from(params.at("observation"));
    if (!seen) return wrong("observation: " + seen.error().reason);
    return carry_out(**live, referee->feed(match.state(), *seen), *referee, crops);
}

RpcResult Service::undo(const Json& params) {
    const auto asked = match_of(params);
    if (!asked) return tl::unexpected(asked.error());
    Live& live = **asked;
    if (live.match.ended()) return refusal(Fault::match_finished, "END", "rules.match_finished");
    if (live.match.seq() == 0)
        return refusal(Fault::nothing_to_undo, "UNDO", "rules.nothing_to_undo");
    const bool was_over = live.match.finished();
    const std::string turn_before = live.match.turn_name();
    Match next = live.match;
    next.commit(live.match.without_last());
    const auto stored = store(live, {0, "undo", Json::object(), {}}, was_over, next.finished(),
                              results_of(next, next.view()), next.seq());
    if (!stored) return tl::unexpected(stored.error());
    const Entry undone = live.match.entries().back();
    live.match = std::move(next);
    settled(live, {});
    tell(live, "match.undone",
         {{"player", live.match.name_of(undone.player)}, {"move", undone.move}});
    tell_changes(live, turn_before, was_over);
    return to_json(live.match.public_state());
}

RpcResult Service::correct(const Json& params) {
    const auto asked = match_of(params);
    if (!asked) return tl::unexpected(asked.error());
    Live& live = **asked;
    if (live.match.ended()) return refusal(Fault::match_finished, "END", "rules.match_finished");
    const auto seq = seq_of(params, live.match);
    if (!seq) return tl::unexpected(seq.error());
    if (!params.contains("move")) return wrong("move is missing");
    int player = live.match.entries()[static_cast<std::size_t>(*seq - 1)].player;
    if (!field(params, "player").is_null())
        player = live.match.player_named(text_field(params, "player").value_or(""));
    if (player < 0) return wrong("player must be the name of one who plays in this match");
    const Game& game = live.match.game();
    const Move move = game.kept ? game.kept(params.at("move")) : params.at("move");
    auto history = live.match.corrected(*seq, player, move, options_.now());
    if (!history) return tl::unexpected(fault(Fault::illegal_move, history.error()));
    const bool was_over = live.match.finished();
    const std::string turn_before = live.match.turn_name();
    Match next = live.match;
    next.commit(std::move(*history));
    const auto stored = store(
        live, {0, "correct", {{"seq", *seq}, {"player", player}, {"move", move}}, {}}, was_over,
        next.finished(), results_of(next, next.view()), next.seq());
    if (!stored) return tl::unexpected(stored.error());
    live.match = std::move(next);
    settled(live, {});
    const Json illegal = illegal_json(live.match);
    tell(live, "move.applied",
         {{"player", live.match.name_of(player)},
          {"move", move},
          {"corrected", *seq},
          {"illegal", illegal}});
    tell_changes(live, turn_before, was_over);
    return Json{{"state", to_json(live.match.public_state())}, {"illegal", illegal}};
}

RpcResult Service::evidence(const Json& params) {
    const auto live = match_of(params);
    if (!live) return tl::unexpected(live.error());
    const auto seq = seq_of(params, (*live)->match);
    if (!seq) return tl::unexpected(seq.error());
    const Json kept = store_.evidence((*live)->match.id(), *seq);
    return Json{{"match", (*live)->match.id()},
                {"seq", *seq},
                {"before", field(kept, "before")},
                {"after", field(kept, "after")},
                {"crops", kept.is_object() ? kept.value("crops", Json::array()) : Json::array()}};
}

RpcResult Service::pause(const Json& params) {
    return set_paused(params, true);
}
RpcResult Service::resume(const Json& params) {
    return set_paused(params, false);
}

RpcResult Service::set_paused(const Json& params, bool paused) {
    const auto asked = match_of(params);
    if (!asked) return tl::unexpected(asked.error());
    Live& live = **asked;
    if (live.match.finished()) return refusal(Fault::match_finished, "END", "rules.match_finished");
    if (live.match.paused() != paused) {
        const auto stored = store(live, {0, paused ? "pause" : "resume", Json::object(), {}}, false,
                                  false, {}, live.match.seq());
        if (!stored) return tl::unexpected(stored.error());
        live.match.pause(paused);
        if (live.eye && !paused) live.eye->resume(table_);
        tell(live, paused ? "match.paused" : "match.resumed");
        tell_state(live);
    }
    return to_json(live.match.public_state());
}

RpcResult Service::end(const Json& params) {
    const auto asked = match_of(params);
    if (!asked) return tl::unexpected(asked.error());
    Live& live = **asked;
    if (live.match.finished()) return refusal(Fault::match_finished, "END", "rules.match_finished");
    if (!field(params, "reason").is_null() && !field(params, "reason").is_string())
        return wrong("reason must be a string");
    const std::string reason = text_field(params, "reason").value_or("");
    const auto stored = store(live, {0, "end", {{"reason", reason}}, {}}, false, true, {},
                              live.match.seq());
    if (!stored) return tl::unexpected(stored.error());
    live.match.end(reason);
    tell_changes(live, "", false);
    return to_json(live.match.public_state());
}

RpcResult Service::list(const Json& params) {
    if (!field(params, "open").is_null() && !field(params, "open").is_boolean())
        return wrong("open must be true or false");
    Json all = Json::array();
    for (const StoredMatch& stored : store_.matches(bool_field(params, "open"))) {
        Json names = Json::array();
        for (const Json& player : field(stored.setup, "players"))
            names.push_back(field(player, "name"));
        all.push_back({{"match", stored.id},
                       {"game", stored.game},
                       {"variant", field(stored.setup, "variant")},
                       {"players", names},
                       {"started", stored.started},
                       {"phase", stored.open ? "playing" : "finished"}});
    }
    return Json{{"matches", all}};
}

RpcResult Service::log(const Json& params) {
    const auto live = match_of(params);
    if (!live) return tl::unexpected(live.error());
    const Match& match = (*live)->match;
    Json moves = Json::array(), history = Json::array();
    for (std::size_t i = 0; i < match.entries().size(); ++i) moves.push_back(entry_json(match, i));
    for (const StoredEvent& event : store_.events(match.id())) {
        Json line = event.data;
        line["number"] = event.number;
        line["kind"] = event.kind;
        line["time"] = event.time;
        if (const auto player = int_field(event.data, "player"))
            line["player"] = match.name_of(*player);
        history.push_back(std::move(line));
    }
    Json answer = {{"match", match.id()},
                   {"game", match.game().info.id},
                   {"started", match.started()},
                   {"moves", moves},
                   {"history", history}};
    if (match.ended()) answer["ended"] = *match.ended();
    return answer;
}

RpcResult Service::ranking(const Json& params) {
    if (!field(params, "game").is_null() && !field(params, "game").is_string())
        return wrong("game must be the id of a game");
    const std::string game = text_field(params, "game").value_or("");
    if (!game.empty() && !find_game(game))
        return refusal(Fault::unknown_game, "GAME", "rules.unknown_game", {{"game", game}});
    Json all = Json::array();
    for (const RankedPlayer& r : store_.ranking(game))
        all.push_back({{"player", r.player},
                       {"name", r.player},
                       {"played", r.played},
                       {"won", r.won},
                       {"best", r.best},
                       {"total", r.total}});
    return Json{{"players", all}};
}

}  // namespace overboard::rules
