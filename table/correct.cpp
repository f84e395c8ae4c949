#include "table/correct.hpp"

#include <algorithm>
#include <set>

namespace overboard::table {
namespace {

// A scalar somewhere in a move.
struct Leaf {
    Json::json_pointer path;
    Json value;
};

void collect(const Json& at, const Json::json_pointer& path, std::vector<Leaf>& leaves) {
    if (at.is_object())
        for (const auto& [key, value] : at.items()) collect(value, path / key, leaves);
    else if (at.is_array() && std::all_of(at.begin(), at.end(), [](const Json& v) {
                 return v.is_string();
             }))  // cards, not a place
        for (std::size_t i = 0; i < at.size(); ++i) collect(at[i], path / i, leaves);
    else if (at.is_string() || at.is_boolean() || at.is_number_integer())
        leaves.push_back({path, at});
}

std::string plain(const Json& value) {
    return value.is_string() ? value.get<std::string>() : value.dump();
}

Json like(const Json& model, const std::string& text) {
    if (!model.is_number()) return text;
    const Json number = Json::parse(text, nullptr, false);
    return number.is_number_integer() ? number : Json(text);
}

// A move as people read it: without noughts, noes and measured places.
Json as_read(const Json& at) {
    const auto measured = [](const Json& v) { return v.is_number_float(); };
    if (at.is_array()) return std::any_of(at.begin(), at.end(), measured) ? Json() : at;
    if (!at.is_object()) return at == Json(false) || at == Json(0) || measured(at) ? Json() : at;
    Json kept = Json::object();
    for (const auto& [key, value] : at.items())
        if (Json inner = as_read(value);
            !inner.is_null() && !(inner.is_structured() && inner.empty()))
            kept[key] = std::move(inner);
    return kept;
}

Candidate changed(const Move& move, const Leaf& leaf, Json value, double confidence) {
    Candidate c{move, false, confidence};
    c.move[leaf.path] = std::move(value);
    return c;
}

}  // namespace

std::string reading_of(const Piece& piece) {
    if (piece.value) return std::to_string(*piece.value);
    if (piece.face) return *piece.face;
    return piece.colour.empty() ? piece.type : piece.colour;
}

const Piece* piece_at(const std::vector<Piece>& pieces, Point p) {
    const Piece* nearest = nullptr;
    for (const Piece& piece : pieces) {
        const double reach = piece.kind == PieceKind::card   ? 50
                             : piece.kind == PieceKind::disc ? 20
                                                             : 30;
        const double d = distance({piece.x, piece.y}, p);
        if (d <= reach && (!nearest || d < distance({nearest->x, nearest->y}, p))) nearest = &piece;
    }
    return nearest;
}

std::vector<Candidate> alternatives_to(const Move& move, const Piece* piece) {
    std::vector<Leaf> leaves;
    collect(move, Json::json_pointer{}, leaves);
    std::vector<Candidate> all;
    if (piece)
        for (const Leaf& leaf : leaves)
            if (plain(leaf.value) == reading_of(*piece))
                for (const Alternative& other : piece->alternatives)
                    all.push_back(
                        changed(move, leaf, like(leaf.value, other.what), 0.5 + other.confidence));
    for (const Leaf& leaf : leaves) {
        if (leaf.value.is_boolean())
            all.push_back(changed(move, leaf, !leaf.value.get<bool>(), 0.2));
        if (!leaf.value.is_number_integer()) continue;
        for (const int step : {1, -1, 2, -2, 3, -3, 4, -4, 5, -5})
            if (leaf.value.get<int>() + step >= 0 || leaf.value.get<int>() < 0)
                all.push_back(
                    changed(move, leaf, leaf.value.get<int>() + step, 0.3 / std::abs(step)));
    }
    std::set<std::string> seen{move.dump()};
    std::erase_if(all, [&](const Candidate& c) { return !seen.insert(c.move.dump()).second; });
    return all;
}

void add_legal(std::vector<Candidate>& candidates, const Move& move,
               const std::vector<Move>& legal) {
    const Json flat = move.flatten();
    for (const Move& other : legal) {
        if (other == move || !other.is_object()) continue;
        const auto known = std::find_if(candidates.begin(), candidates.end(),
                                        [&](const Candidate& c) { return c.move == other; });
        if (known != candidates.end()) {
            known->legal = true;
            continue;
        }
        double same = 0;
        const Json parts = other.flatten();
        for (const auto& [path, value] : parts.items())
            same += flat.contains(path) && flat[path] == value;
        const double alike = same / double(std::max(parts.size(), flat.size()));
        candidates.push_back({other, true,
                              other.value("type", "") == move.value("type", "")
                                  ? 0.05 + 0.15 * alike
                                  : 0.05 * alike});
    }
}

void rank(std::vector<Candidate>& candidates, std::size_t most) {
    std::stable_sort(candidates.begin(), candidates.end(),
                     [](const Candidate& a, const Candidate& b) {
                         return a.legal != b.legal ? a.legal : a.confidence > b.confidence;
                     });
    std::set<std::string> read;
    std::erase_if(candidates,
                  [&](const Candidate& c) { return !read.insert(as_read(c.move).dump()).second; });
    const auto legal = static_cast<std::size_t>(std::count_if(
        candidates.begin(), candidates.end(), [](const Candidate& c) { return c.legal; }));
    if (candidates.size() > most) candidates.resize(most);
    if (legal >= 3 && legal < candidates.size()) candidates.resize(legal);  // enough that can be
}

namespace {

std::string headed(const Stage& stage, const std::string& seat, const std::string& heading,
                   const std::string& text) {
    return stage.say(seat, "table.headed", {{"heading", heading}, {"text", text}});
}

// What stands before a list: the catalogue's "Pocketed," also begins questions.
std::string heading(const Stage& stage, const std::string& seat, const std::string& key) {
    std::string word = stage.word(seat, key);
    if (word.ends_with(",")) word.pop_back();
    return word;
}

// {"blue": 2, "queen": true} as "2 blue, Queen"; cards as "3, 6". Places are nothing to read.
std::string inner_words(const Stage& stage, const std::string& seat, const Json& group) {
    std::string words;
    const auto add = [&](const std::string& word) { words += (words.empty() ? "" : ", ") + word; };
    for (const auto& [key, value] : group.items()) {
        if (value.is_string())
            add(stage.word(seat, value.get<std::string>()));
        else if (value == true)
            add(stage.word(seat, key));
        else if (value.is_number_integer() && value != 0 && group.is_object())
            add(value.dump() + " " + stage.word(seat, key));
    }
    return words;
}

std::string part_words(const Stage& stage, const std::string& seat, const std::string& key,
                       const Json& value) {
    if (value.is_string()) return stage.word(seat, value.get<std::string>());
    if (value == true) return heading(stage, seat, key);
    if (value.is_number_integer() && value != 0)
        return heading(stage, seat, key) + " " + value.dump();
    const std::string inner = value.is_structured() ? inner_words(stage, seat, value) : "";
    return inner.empty() || value.is_array()
               ? inner
               : headed(stage, seat, heading(stage, seat, key), inner);
}

std::string detail_words(const Stage& stage, const std::string& seat, const Move& move) {
    std::string words;
    for (const auto& [key, value] : move.items()) {
        if (key == "type" || key == "shot_id") continue;
        const std::string part = part_words(stage, seat, key, value);
        if (!part.empty()) words += (words.empty() ? "" : " · ") + part;
    }
    return words;
}

// Where all are of one kind, only what differs is worth reading.
std::string label_of(const Stage& stage, const Correction& c, const Candidate& one) {
    const auto kind = [](const Move& move) {
        return move.is_object() ? move.value("type", "") : "";
    };
    const bool alike = std::all_of(
        c.candidates.begin(), c.candidates.end(),
        [&](const Candidate& other) { return kind(other.move) == kind(one.move); });
    const std::string details = one.move.is_object() ? detail_words(stage, c.seat, one.move) : "";
    if (!alike || !one.move.is_object()) return move_words(stage, c.seat, one.move);
    return details.empty() && one.move.size() > 1 ? stage.say(c.seat, "table.nothing")
           : details.empty()                      ? move_words(stage, c.seat, one.move)
                                                  : details;
}

}  // namespace

std::string move_words(const Stage& stage, const std::string& seat, const Move& move) {
    if (!move.is_object()) return move.dump();
    const std::string words = stage.action(seat, move.value("type", "")),
                      details = detail_words(stage, seat, move);
    return details.empty() ? words : headed(stage, seat, words, details);
}

constexpr int kMostRows = 4;  // of what rank() leaves

void paint_correction(Stage& stage) {
    if (!stage.scene.correction) return;
    const Correction& c = *stage.scene.correction;
    const int rows = static_cast<int>(c.candidates.size() + 1) / 2;
    const double w = 470, h = 136 + 50.0 * std::max(1, rows);
    // Where the most there may be has room: candidates come one after the other.
    const Pose frame = stage.dialogue_pose("correction", c.seat, w,
                                           std::max(h, 136 + 50.0 * kMostRows), c.at);
    const Rect box{-w / 2, -h / 2, w / 2, h / 2};
    stage.tap({0, 0, 0}, {0, 0, stage.scene.table.width_mm, stage.scene.table.height_mm},
              {"correct.close"});
    if (c.at)
        stage.list.add(Hash{"corrected piece"} << *c.at,
                       [&](Pen& pen) { pen.ring(*c.at, 34, 2.4, stage.theme.accent); });
    stage.panel(frame, box, true);
    stage.tap(frame, box, {"none"});
    const std::string title = stage.say(c.seat,
                                        c.question ? "table.please_choose" : "table.what_was_it"),
                      subject = c.seq > 0 && !c.at
                                    ? c.player + " · " + move_words(stage, c.seat, c.move)
                                    : stage.say(c.seat, c.subject.key, c.subject.args);
    stage.label(frame, {-w / 2 + 18, -h / 2 + 24}, title,
                {stage.theme.title_mm, stage.theme.text, Weight::bold, Anchor::left, 0});
    stage.label(
        frame, {-w / 2 + 18, -h / 2 + 50}, subject,
        stage.ruler.fitted(
            subject, {stage.theme.body_mm, stage.theme.quiet, Weight::regular, Anchor::left, 0},
            w - 40));
    for (std::size_t i = 0; i < c.candidates.size(); ++i) {
        const double x = -w / 2 + 16 + (i % 2 ? (w - 24) / 2 : 0),
                     y = -h / 2 + 70 + 50.0 * double(i / 2);
        const Candidate& one = c.candidates[i];
        stage.button(
            frame, {x, y, x + (w - 40) / 2, y + 43}, label_of(stage, c, one),
            {"correct.pick", {{"index", i}}},
            one.legal ? (i == 0 ? Stage::Look::chosen : Stage::Look::plain) : Stage::Look::quiet);
    }
    if (c.candidates.empty())
        stage.label(frame, {0, -h / 2 + 84},
                    stage.say(c.seat, c.waiting ? "table.asking" : "table.nothing_else_fits"),
                    {stage.theme.body_mm, stage.theme.text, Weight::regular, Anchor::centre, 0});
    const double y = h / 2 - 14 - 42;
    stage.button(frame, {-w / 2 + 16, y, -4, y + 42}, stage.say(c.seat, "table.undo"), {"undo"},
                 Stage::Look::plain);
    stage.button(frame, {4, y, w / 2 - 16, y + 42},
                 stage.say(c.seat, c.question ? "table.close" : "table.it_was_right"),
                 {"correct.close"}, Stage::Look::quiet);
}

}  // namespace overboard::table
