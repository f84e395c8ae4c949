#include "table/controller.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <utility>

#include "bus/codec.hpp"
#include "bus/messages.hpp"
#include "table/correct.hpp"
#include "table/hud.hpp"
#include "table/menu.hpp"
#include "table/replay_view.hpp"
#include "table/tap_mode.hpp"
#include "table/theme.hpp"

// Whole states replace whole states: an event only says that there is a new one to ask for, so a
// lost message costs nothing. Text that is the same as last time is not even decoded.
namespace overboard::table {
namespace {

constexpr std::size_t kShotsKept = 20;

// Lists come bare or under their name.
Json list_in(const Json& result, const char* name) {
    if (result.is_array()) return result;
    const auto found = result.is_object() ? result.find(name) : result.end();
    return result.is_object() && found != result.end() && found->is_array() ? *found
                                                                            : Json::array();
}

std::optional<Point> point_in(const Json& json, const char* key) {
    const auto at = json.find(key);
    if (at == json.end() || !at->is_array() || at->size() < 2 || !(*at)[0].is_number() ||
        !(*at)[1].is_number())
        return {};
    return Point{(*at)[0].get<double>(), (*at)[1].get<double>()};
}

std::string string_in(const Json& json, const char* key) {
    const auto at = json.find(key);
    return at != json.end() && at->is_string() ? at->get<std::string>() : std::string{};
}

Json object_in(const Json& json, const char* key) {
    const auto at = json.find(key);
    return at != json.end() && at->is_object() ? *at : Json::object();
}

// The moves of one player in an answer to match.legal, each once.
std::vector<Move> moves_of(const Json& result, const std::string& player) {
    std::vector<Move> moves;
    for (const Json& entry : list_in(result, "moves")) {
        const bool wrapped = entry.is_object() && entry.contains("move");
        if (wrapped && string_in(entry, "player") != player && !string_in(entry, "player").empty())
            continue;
        const Json& move = wrapped ? entry["move"] : entry;
        if (std::find(moves.begin(), moves.end(), move) == moves.end()) moves.push_back(move);
    }
    return moves;
}

// A message whose fields have other types than agreed is ignored, not fatal.
void guarded(const std::function<void()>& take) {
    try {
        take();
    } catch (const Json::exception& e) {
        spdlog::warn("table: a message was not understood: {}", e.what());
    }
}

// What drawing relies on: players are objects whose name and seat are text.
void tidy(MatchState& state) {
    for (Json& player : state.players) {
        if (!player.is_object()) player = Json::object();
        for (const char* key : {"name", "seat"})
            if (player.contains(key) && !player[key].is_string()) player.erase(key);
    }
}

Attention attention_in(const Json& json) {
    return {point_in(json, "at"),
            string_in(json, "rule"),
            {string_in(json, "key"), object_in(json, "args")},
            string_in(json, "reason")};
}

}  // namespace

Controller::Controller(const Addresses& addresses, Scene start, bool voice, Patience patience)
    : patience_{patience}, scene_{std::move(start)}, link_{addresses} {
    if (voice) voice_.emplace();
    rules_s_ = vision_s_ = scene_.now_s;
}

void Controller::show(Scene scene) {
    scene.now_s = std::max(scene.now_s, now_s_);
    scene.what_if_here = bool(what_if_);
    scene.shot_here = !shots_.empty();
    scene_ = std::move(scene);
    changed_ = true;
}

Json Controller::of_match() const {
    return {{"match", match_}};
}

bool Controller::listen(double now_s) {
    step_s_ = now_s_ > 0 ? std::clamp(now_s - now_s_, 0.0, 0.25) : 0;
    if (now_s_ == 0) rules_s_ = vision_s_ = now_s;
    now_s_ = scene_.now_s = now_s;
    for (const Published& message : link_.published()) guarded([&] { hear(message); });
    for (const Reply& reply : link_.replies()) guarded([&] { answer_from(reply); });
    rank_when_judged();
    health();
    expire();
    wonder();
    if (voice_) voice_->poll();
    if (scene_.replay && scene_.replay->playing()) scene_.replay->advance(step_s_), changed_ = true;
    if (animating()) changed_ = true;
    return std::exchange(changed_, false);
}

bool Controller::animating() const {
    return !scene_.celebrations.empty() || (scene_.replay && scene_.replay->playing());
}

void Controller::hear(const Published& message) {
    if (message.topic == "match")
        hear_match(message.json);
    else if (message.topic == "marks")
        hear_marks(message.json);
    else if (message.topic == "observation")
        hear_observation(message.json);
    else if (message.topic == "camera") {
        vision_s_ = now_s_;
        const auto state = decode_camera_state(message.json);
        if (state && state->state != scene_.camera) scene_.camera = state->state, changed_ = true;
    } else if (message.topic == "shot") {
        vision_s_ = now_s_;
        if (auto shot = decode_shot(message.json)) shots_.push_back(std::move(*shot));
        if (shots_.size() > kShotsKept) shots_.pop_front();
        if (scene_.shot_here == shots_.empty()) scene_.shot_here = !shots_.empty(), changed_ = true;
    }
}

void Controller::hear_match(const std::string& json) {
    rules_s_ = now_s_;
    if (json == last_event_) return;
    last_event_ = json;
    const auto event = parse_json(json);
    if (event && event->is_object()) hear_event(*event);
}

void Controller::hear_marks(const std::string& json) {
    rules_s_ = now_s_;
    if (json == last_marks_) return;
    last_marks_ = json;
    auto marks = decode_marks(json);
    if (!marks) return;
    if (!marks->match.empty() && match_.empty()) match_ = marks->match, ask_state();
    rule_marks_ = std::move(marks->items);
    marks_s_ = now_s_;
    scene_.marks = rule_marks_;
    settle_panels(scene_, Theme{});
    changed_ = true;
}

void Controller::hear_observation(const std::string& json) {
    vision_s_ = now_s_;
    if (json == last_observation_) return;
    last_observation_ = json;
    if (auto seen = decode_observation(json)) see(std::move(*seen));
}

// Camera noise must not redraw anything: what moved less than still_mm is left where it was drawn.
void Controller::see(Observation observation) {
    Observation* const seen = &observation;
    fresh_ = observation;
    if (!seen->hands.empty()) rest_for_a_hand();
    bool moved = seen->pieces.size() != scene_.pieces.size() || (seen->still && !scene_.still);
    scene_.still = seen->still;
    for (Piece& piece : seen->pieces) {
        const auto old = std::find_if(scene_.pieces.begin(), scene_.pieces.end(),
                                      [&](const Piece& p) { return p.id == piece.id; });
        if (old == scene_.pieces.end() || old->kind != piece.kind) {
            moved = true;
        } else if (distance({old->x, old->y}, {piece.x, piece.y}) < patience_.still_mm &&
                   std::abs(wrapped(old->angle - piece.angle)) < 0.05) {
            piece.x = old->x, piece.y = old->y, piece.angle = old->angle;
        } else {
            moved = true;
        }
    }
    scene_.pieces = std::move(seen->pieces);
    if (seen->board) scene_.board = seen->board;
    if (seen->sight != scene_.camera) scene_.camera = seen->sight, changed_ = true;
    if (!moved) return;
    changed_ = true;
    if (seen->still) settle_panels(scene_, Theme{});
}

void Controller::hear_event(const Json& event) {
    const std::string kind = string_in(event, "event"), match = string_in(event, "match");
    if (!match.empty() && (match_.empty() || kind == "match.started")) match_ = match;
    if (match != match_) return;
    if (kind == "match.state") return take_state(event);
    if (kind == "attention") {
        hear_attention(event);
    } else if (kind == "move.rejected") {
        const Attention why = attention_in(event);
        if (why.at)
            scene_.attention = why;
        else if (!why.message.key.empty())
            notice(why.message.key, why.message.args);
    } else {
        scene_.attention.reset();
        hint_marks_.clear();
        hints_shown_ = 0;
        scene_.marks = rule_marks_;
        cheer(event);
    }
    changed_ = true;
    if (kind == "match.started") ask_state();
}

// Something is wrong, something must be answered, or it was put right.
void Controller::hear_attention(const Json& event) {
    scene_.attention.reset();
    if (scene_.correction && scene_.correction->question) scene_.correction.reset();
    if (event.value("cleared", false)) return;
    const Json choices = list_in(event, "choices");
    if (!event.value("question", false)) {
        scene_.attention = attention_in(event);
        return;
    }
    Correction ask;
    ask.question = true;
    ask.player = string_in(event, "player");
    ask.subject = {string_in(event, "key"), object_in(event, "args")};
    ask.at = point_in(event, "at");
    for (const Json& choice : choices) {
        const Json moves = list_in(choice, "moves");
        if (moves.empty() || !moves[0].is_object() || !moves[0].contains("move")) continue;
        ask.candidates.push_back({moves[0]["move"], true, choice.value("confidence", 0.5)});
        if (const std::string who = string_in(moves[0], "player"); !who.empty()) ask.player = who;
    }
    ask.seat = seat_of(scene_,
                       ask.player.empty() && scene_.match ? scene_.match->turn_player : ask.player);
    scene_.correction = std::move(ask);
}

void Controller::cheer(const Json& event) {
    const std::string kind = string_in(event, "event"), player = string_in(event, "player");
    Celebration c{player.empty() ? "" : seat_of(scene_, player), {}, now_s_, 2.2, false};
    if (kind == "scored") {
        for (const char* field : {"points", "coins", "score"})
            if (const auto n = event.find(field);
                n != event.end() && n->is_number() && c.message.key.empty())
                c.message = {"table.scored", {{"points", *n}}};
        if (c.message.key.empty() || c.message.args["points"] == 0) return;
    } else if (kind == "reward") {
        c.message = {"table.reward", {{"player", player}, {"reward", string_in(event, "reward")}}};
        c.lasts_s = 3;
    } else if (kind == "round.ended") {
        c.message = {"table.round_over", Json::object()};
        c.seat.clear();
    } else {
        return;
    }
    std::erase_if(scene_.celebrations, [&](const Celebration& old) { return old.seat == c.seat; });
    scene_.celebrations.push_back(std::move(c));
}

void Controller::ask_state() {
    if (!match_.empty() && !link_.asked("state")) link_.ask("state", "match.state", of_match());
}

void Controller::take_state(const Json& json) {
    auto state = decode_match_state(json.dump());
    if (state) tidy(*state);
    const bool paused = json.is_object() && json.contains("paused") && json["paused"] == true;
    if (paused != scene_.paused) scene_.paused = paused, changed_ = true;
    if (!state || (scene_.match && encode(*state) == encode(*scene_.match))) return;
    if (voice_) voice_->say(scene_.language, announcement(scene_.match, *state, scene_.language));
    const bool won = state->finished && !(scene_.match && scene_.match->finished &&
                                          scene_.match->match == state->match);
    const bool moved_on = !scene_.match || scene_.match->seq != state->seq ||
                          scene_.match->match != state->match;
    if (!scene_.match || scene_.match->match != state->match) scene_.panels.clear();
    scene_.match = *state;
    if (won && !state->winners.empty()) {
        std::string names;
        for (const std::string& name : state->winners) names += (names.empty() ? "" : ", ") + name;
        scene_.celebrations = {{"", {"table.wins", {{"player", names}}}, now_s_, 6, true}};
    }
    if (moved_on && scene_.tap) open_tap_mode();
    settle_panels(scene_, Theme{});
    changed_ = true;
}

void Controller::take_games(const Json& result) {
    scene_.games.clear();
    for (const Json& g : list_in(result, "games")) {
        if (!g.is_object()) continue;
        GameEntry entry{string_in(g, "id"), string_in(g, "name"), 1, 4, {}};
        if (entry.id.empty()) entry.id = string_in(g, "game");
        if (entry.name.empty()) entry.name = entry.id;
        if (g.contains("min_players") && g["min_players"].is_number_integer())
            entry.min_players = std::max(1, g["min_players"].get<int>());
        if (g.contains("max_players") && g["max_players"].is_number_integer())
            entry.max_players = std::max(entry.min_players, g["max_players"].get<int>());
        for (const Json& v : g.value("variants", Json::array()))
            if (v.is_string()) entry.variants.push_back(v.get<std::string>());
        scene_.games.push_back(std::move(entry));
    }
    changed_ = true;
}

void Controller::answer_from(const Reply& reply) {
    if (reply.result || reply.error) rules_s_ = now_s_;
    if (reply.tag == "verdict") return take_verdict(reply);
    if (reply.error) return refused(*reply.error);
    if (!reply.result) {
        if (reply.tag != "ping" && reply.tag != "state" && reply.tag != "list" &&
            reply.tag != "games" && reply.tag != "clock")
            notice("table.not_answered");
        return;
    }
    const Json& result = *reply.result;
    if (reply.tag == "state")
        take_state(result);
    else if (reply.tag == "games")
        take_games(result);
    else if (reply.tag == "list") {
        const Json open = list_in(result, "matches");
        if (!open.empty() && match_.empty()) {
            const Json& last = open.back();
            match_ = last.is_string() ? last.get<std::string>() : string_in(last, "match");
        }
        ask_state();
    } else if (reply.tag == "start") {
        match_ = string_in(result, "match");
        scene_.menu.page.clear();
        ask_state();
    } else if (reply.tag == "clock") {
        for (const Json& entry : list_in(result, "matches"))
            if (entry.is_object() && string_in(entry, "match") == match_)
                scene_.menu.minutes = minutes_since(string_in(entry, "started"));
    } else if (reply.tag == "log")
        take_log(result);
    else if (reply.tag == "legal")
        take_legal(result);
    else if (reply.tag == "instead")
        take_instead(result);
    else if (reply.tag == "hint")
        take_hints(result);
    else if (reply.tag == "move" || reply.tag == "undo" || reply.tag == "correct" ||
             reply.tag == "end" || reply.tag == "pause")
        ask_state();
    changed_ = true;
}

void Controller::refused(const Json& error) {
    const Json data = object_in(error, "data");
    const std::string key = string_in(data, "key"), name = string_in(error, "message");
    if (!key.empty())
        notice(key, object_in(data, "args"));
    else
        notice("table.error_" + name);
    if (const auto at = point_in(data, "at")) scene_.attention = attention_in(data);
    if (scene_.tap) open_tap_mode();
    if (name == "unknown_match") match_.clear(), scene_.match.reset();
    changed_ = true;
}

void Controller::notice(std::string key, Json args) {
    scene_.notice = Message{std::move(key), std::move(args)};
    notice_s_ = now_s_;
    changed_ = true;
}

void Controller::health() {
    const bool rules = !link_.has_rules() || now_s_ - rules_s_ < patience_.gone_s;
    const bool vision = !link_.has_vision() || now_s_ - vision_s_ < patience_.gone_s;
    if (link_.has_rules() && now_s_ - rules_s_ > patience_.ping_s &&
        now_s_ - ping_s_ > patience_.ping_s && !link_.asked("ping")) {
        ping_s_ = now_s_;
        link_.ask("ping", "service.ping", Json::object());
    }
    // Met for the first time, or back again: learn all there is to know.
    if (link_.has_rules() && rules && (!met_rules_ || !scene_.rules_here)) {
        met_rules_ = true;
        link_.ask("games", "games.list", Json::object());
        link_.ask("list", "match.list", {{"open", true}});
        last_marks_.clear();
    }
    if (rules != scene_.rules_here || vision != scene_.vision_here) changed_ = true;
    scene_.rules_here = rules;
    scene_.vision_here = vision;
}

void Controller::set_what_if(WhatIfMaker maker) {
    what_if_ = std::move(maker);
    scene_.what_if_here = bool(what_if_);
}

// The picture goes on while it is computed; of several wishes only the last is answered.
void Controller::wonder() {
    if (!what_if_) return;
    const auto asked = [&] {
        return scene_.replay && scene_.replay->what_if() && !scene_.replay->answered();
    };
    if (wondering_.valid() &&
        wondering_.wait_for(std::chrono::seconds{0}) == std::future_status::ready) {
        auto made = wondering_.get();
        if (asked() && *scene_.replay->what_if() == wondered_)
            scene_.replay->answer(std::move(made)), changed_ = true;
    }
    if (wondering_.valid() || !asked()) return;
    wondered_ = *scene_.replay->what_if();
    wondering_ = std::async(std::launch::async,
                            [make = what_if_, shot = scene_.replay->shot(), change = wondered_] {
                                return make(shot, change);
                            });
}

void Controller::expire() {
    if (scene_.notice && now_s_ - notice_s_ > patience_.notice_s)
        scene_.notice.reset(), changed_ = true;
    changed_ |= std::erase_if(scene_.celebrations, [&](const Celebration& c) {
                    return now_s_ > c.started_s + c.lasts_s;
                }) > 0;
    changed_ |= std::erase_if(scene_.marks, [&](const Mark& m) {
                    return m.ttl && now_s_ > marks_s_ + *m.ttl;
                }) > 0;
}

/// Fading light while a piece is laid would keep vision from reading it: cheers of moves end with
/// the next one's hand.
void Controller::rest_for_a_hand() {
    changed_ |= std::erase_if(scene_.celebrations, [&](const Celebration& c) {
                    return !c.large && now_s_ > c.started_s + patience_.cheer_s;
                }) > 0;
}

void Controller::tap(Point at, const std::vector<Target>& targets) {
    const bool large = std::any_of(scene_.celebrations.begin(), scene_.celebrations.end(),
                                   [](const Celebration& c) { return c.large; });
    if (!scene_.celebrations.empty()) scene_.celebrations.clear(), changed_ = true;
    if (large) return;  // it lies on what was tapped; a "+3" beside a button does not
    for (auto target = targets.rbegin(); target != targets.rend(); ++target)
        if (target->contains(at)) return act(target->action, at);
    if (!scene_.match || scene_.replay) return;
    if (const Piece* piece = piece_at(scene_.pieces, at))
        open_correction(seat_of(scene_, scene_.match->turn_player), "", piece);
}

void Controller::drag(Point from, Point at, const std::vector<Target>& targets) {
    for (auto target = targets.rbegin(); target != targets.rend(); ++target) {
        if (!target->contains(from)) continue;
        if (target->action.verb == "replay.scrub") act(target->action, at);
        return;
    }
}

void Controller::act(const Action& action, Point at) {
    changed_ = true;
    if (apply_replay(scene_, action, at)) return;
    if (action.verb == "menu.open" && action.data.value("at", "") == "nearest")
        return void(apply_menu(scene_, {"menu.open", {{"seat", nearest_seat(at, scene_.table)}}}));
    if (action.verb == "menu.open" && !match_.empty())
        link_.ask("clock", "match.list", {{"open", true}});
    if (apply_menu(scene_, action)) return;
    const Json& d = action.data;
    const std::string seat = d.value("seat", "s");
    if (action.verb != "start" && action.verb != "tap.answer") scene_.menu.page.clear();
    if (action.verb == "start")
        start_match();
    else if (action.verb == "undo")
        scene_.correction.reset(), link_.ask("undo", "match.undo", of_match());
    else if (action.verb == "end")
        link_.ask("end", "match.end", {{"match", match_}, {"reason", "ended at the table"}});
    else if (action.verb == "pause")
        link_.ask("pause", d.value("on", true) ? "match.pause" : "match.resume", of_match());
    else if (action.verb == "hint")
        link_.ask("hint", "match.hint", {{"match", match_}, {"count", 3}});
    else if (action.verb == "replay.last") {
        if (shots_.empty())
            notice("table.no_shot");
        else
            scene_.replay.emplace(
                shots_.back(), scene_.board.value_or(
                                   Pose{scene_.table.width_mm / 2, scene_.table.height_mm / 2, 0}));
    } else if (action.verb == "correct.score")
        open_correction(seat, d.value("player", ""), nullptr);
    else if (action.verb == "correct.last")
        open_correction(seat, "", nullptr);
    else if (action.verb == "correct.close")
        scene_.correction.reset();
    else if (action.verb == "correct.pick" && scene_.correction) {
        const auto index = d.value("index", std::size_t{0});
        if (index < scene_.correction->candidates.size())
            pick(scene_.correction->candidates[index].move);
    } else if (action.verb == "tap.open")
        open_tap_mode();
    else if (action.verb == "tap.close")
        scene_.tap.reset();
    else if (action.verb == "tap.back" && scene_.tap)
        take_back(*scene_.tap);
    else if (action.verb == "tap.page" && scene_.tap) {
        const auto q = next_question(remaining(*scene_.tap));
        scene_.tap->page = q && (scene_.tap->page + 1) * 15 < int(q->values.size())
                               ? scene_.tap->page + 1
                               : 0;
    } else if (action.verb == "tap.answer" && scene_.tap) {
        if (const auto move = answer(*scene_.tap, d.value("path", ""), d.value("value", Json{})))
            send_move(*move);
    }
}

// The answer to a question is a move; anything else replaces the move that was misread.
void Controller::pick(const Move& move) {
    const Correction c = *std::exchange(scene_.correction, {});
    if (c.question)
        link_.ask("move", "match.move", {{"match", match_}, {"player", c.player}, {"move", move}});
    else
        link_.ask("correct", "match.correct", {{"match", match_}, {"seq", c.seq}, {"move", move}});
}

void Controller::start_match() {
    Json players = Json::array();
    for (const PlayerEntry& p : scene_.menu.players) {
        Json player{{"name", p.name}, {"seat", p.seat}};
        if (!p.colour.empty()) player["colour"] = p.colour;
        players.push_back(std::move(player));
    }
    Json params{{"game", scene_.menu.game}, {"players", players}};
    if (!scene_.menu.variant.empty()) params["variant"] = scene_.menu.variant;
    link_.ask("start", "match.start", std::move(params));
}

void Controller::send_move(const Move& move) {
    if (!scene_.tap) return;
    link_.ask("move", "match.move",
              {{"match", match_}, {"player", scene_.tap->player}, {"move", move}});
    scene_.tap->chosen.clear();
    scene_.tap->order.clear();
    scene_.tap->moves.clear();
}

// Turned to whoever is to move: others may open it, but they are not asked.
void Controller::open_tap_mode() {
    if (!scene_.match || scene_.match->finished) return scene_.tap.reset();
    const std::string& player = scene_.match->turn_player;
    scene_.tap = TapMode{seat_of(scene_, player), player, {}, {}, {}, 0};
    link_.ask("legal", "match.legal", of_match());
    changed_ = true;
}

void Controller::take_legal(const Json& result) {
    if (!scene_.tap) return;
    scene_.tap->moves = moves_of(result, scene_.tap->player);
}

void Controller::take_instead(const Json& result) {
    if (!scene_.correction || scene_.correction->question || scene_.correction->seq == 0) return;
    Correction& c = *scene_.correction;
    add_legal(c.candidates, c.move, moves_of(result, c.player));
}

// Not before every answer is in: what is not judged yet would be dropped as illegal.
void Controller::rank_when_judged() {
    if (!scene_.correction || !scene_.correction->waiting || scene_.correction->seq == 0) return;
    if (link_.asked("verdict") || link_.asked("instead")) return;
    scene_.correction->waiting = false;
    rank(scene_.correction->candidates);
    changed_ = true;
}

// One at a time, the best first; whoever asks again in the same position gets the next one.
void Controller::take_hints(const Json& result) {
    hint_marks_.clear();
    const Json hints = list_in(result, "hints");
    const Json hint = hints.empty() ? Json() : hints[hints_shown_++ % hints.size()];
    if (const Json marks = list_in(hint, "marks"); !marks.empty())
        if (const auto decoded = decode_marks(
                Json{{"match", match_}, {"seq", 0}, {"items", marks}}.dump()))
            hint_marks_ = decoded->items;
    scene_.marks = rule_marks_;
    scene_.marks.insert(scene_.marks.end(), hint_marks_.begin(), hint_marks_.end());
    settle_panels(scene_, Theme{});
    const std::string key = string_in(hint, "key");
    if (hints.empty())
        notice("table.no_hint");
    else if (!key.empty())
        notice(key, object_in(hint, "args"));
}

void Controller::open_correction(const std::string& seat, const std::string& player,
                                 const Piece* piece) {
    Correction c;
    c.seat = seat;
    c.waiting = true;
    if (piece) {
        c.at = Point{piece->x, piece->y};
        c.subject = {"table.read_as", {{"what", reading_of(*piece)}}};
        correcting_piece_ = *piece;
    } else {
        c.subject = {"table.last_move", Json::object()};
        correcting_piece_.reset();
    }
    correcting_player_ = player;
    scene_.correction = std::move(c);
    link_.ask("log", "match.log", of_match());
    changed_ = true;
}

// The last move (of the player whose score was tapped), and what it may have been instead.
void Controller::take_log(const Json& result) {
    if (!scene_.correction) return;
    const Json log = list_in(result, "moves");
    const Json* last = nullptr;
    for (const Json& entry : log)
        if (entry.is_object() && entry.contains("move") && entry["move"].is_object() &&
            entry.contains("seq") &&
            (correcting_player_.empty() || string_in(entry, "player") == correcting_player_) &&
            (!last || entry["move"].size() > 1))  // "the turn is over" is nothing one misreads
            last = &entry;
    scene_.correction->waiting = false;
    if (!last) return;
    Correction& c = *scene_.correction;
    c.seq = (*last)["seq"].get<int>();
    c.player = string_in(*last, "player");
    c.move = (*last)["move"];
    c.candidates = alternatives_to(c.move, correcting_piece_ ? &*correcting_piece_ : nullptr);
    c.subject.args["player"] = c.player;
    c.waiting = true;
    link_.ask("instead", "match.legal", {{"match", match_}, {"seq", c.seq}});
    // Ask the referee about each: legal ones go first.
    for (std::size_t i = 0; i < c.candidates.size() && i < 40; ++i)
        link_.ask("verdict", "match.check",
                  {{"match", match_},
                   {"seq", c.seq},
                   {"player", string_in(*last, "player")},
                   {"move", c.candidates[i].move}});
    rank(c.candidates, 40);
}

void Controller::take_verdict(const Reply& reply) {
    if (!scene_.correction) return;
    Correction& c = *scene_.correction;
    const auto judged = std::find_if(
        c.candidates.begin(), c.candidates.end(),
        [&](const Candidate& one) { return one.move == reply.request["move"]; });
    if (judged != c.candidates.end())
        judged->legal = reply.result && reply.result->is_object() &&
                        reply.result->value("legal", false);
    changed_ = true;
}

}  // namespace overboard::table
