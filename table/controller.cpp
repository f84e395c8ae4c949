#include "table/controller.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <utility>

#include "bus/codec.hpp"
#include "bus/messages.hpp"
#include "table/hud.hpp"
#include "table/json_in.hpp"
#include "table/menu.hpp"
#include "table/replay_view.hpp"
#include "table/theme.hpp"

// Whole states replace whole states: an event only says that there is a new one to ask for, so a
// lost message costs nothing. Text that is the same as last time is not even decoded.
namespace overboard::table {
namespace {

constexpr std::size_t kShotsKept = 20;

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

}  // namespace overboard::table
