#include <algorithm>

#include "bus/codec.hpp"
#include "table/controller.hpp"
#include "table/correct.hpp"
#include "table/json_in.hpp"
#include "table/menu.hpp"
#include "table/panels.hpp"
#include "table/replay_view.hpp"
#include "table/tap_mode.hpp"

// What fingers ask for, and the answers that only a tap asked for: requests to the rules, menus,
// corrections, playing by touch, replay.
namespace overboard::table {
namespace {

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

}  // namespace

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
