#include "table/tap_mode.hpp"

#include <algorithm>
#include <set>

#include "table/hud.hpp"

namespace overboard::table {
namespace {

constexpr int kPerPage = 15, kColumns = 3;

// Places are objects with x and y. Lists (cells, board coordinates) and numbers are one value each.
bool is_place(const Json& v) {
    return v.is_object() && v.contains("x") && v.contains("y") && v["x"].is_number() &&
           v["y"].is_number();
}

void paths_of(const Json& at, const std::string& prefix, std::vector<std::string>& paths) {
    for (const auto& [key, value] : at.items()) {
        const std::string path = prefix.empty() ? key : prefix + "." + key;
        if (value.is_object() && !is_place(value))
            paths_of(value, path, paths);
        else if (std::find(paths.begin(), paths.end(), path) == paths.end())
            paths.push_back(path);
    }
}

// The kind of move first, places last.
int urgency(const std::string& path, bool place) {
    return path == "type" ? 0 : place ? 2 : 1;
}

bool before(const Json& a, const Json& b) {
    if (a.is_number() && b.is_number()) return a.get<double>() < b.get<double>();
    return false;
}

std::string name_of(const Stage& stage, const std::string& seat, const std::string& path,
                    const Json& value) {
    if (value.is_null()) return stage.say(seat, "table.none");
    if (value.is_boolean()) return stage.say(seat, value.get<bool>() ? "table.yes" : "table.no");
    if (value.is_array()) {
        std::string text;
        for (const Json& v : value)
            text += (text.empty() ? "" : ", ") +
                    (v.is_number()   ? std::to_string(std::lround(v.get<double>()))
                     : v.is_string() ? stage.word(seat, v.get<std::string>())
                                     : v.dump());
        return text;
    }
    if (!value.is_string()) return value.dump();
    if (path == "type") return stage.action(seat, value.get<std::string>());
    return stage.word(seat, value.get<std::string>());
}

}  // namespace

Json value_at(const Move& move, const std::string& path) {
    const Json* at = &move;
    for (std::size_t from = 0; from <= path.size();) {
        const std::size_t dot = std::min(path.find('.', from), path.size());
        const auto found = at->is_object() ? at->find(path.substr(from, dot - from)) : at->end();
        if (!at->is_object() || found == at->end()) return nullptr;
        at = &*found;
        from = dot + 1;
    }
    return *at;
}

std::vector<Move> remaining(const TapMode& tap) {
    std::vector<Move> left;
    for (const Move& move : tap.moves)
        if (std::all_of(tap.chosen.begin(), tap.chosen.end(),
                        [&](const auto& c) { return value_at(move, c.first) == c.second; }))
            left.push_back(move);
    return left;
}

std::optional<Question> next_question(const std::vector<Move>& moves) {
    if (moves.empty()) return {};
    if (moves.size() == 1)
        return Question{"type",
                        {value_at(moves[0], "type")},
                        false};  // still to be said, not taken for granted
    std::vector<std::string> paths;
    for (const Move& move : moves)
        if (move.is_object()) paths_of(move, "", paths);
    std::optional<Question> best;
    for (const std::string& path : paths) {
        Question q{path, {}, false};
        std::set<std::string> seen;
        for (const Move& move : moves) {
            const Json value = value_at(move, path);
            q.place |= is_place(value);
            if (seen.insert(value.dump()).second) q.values.push_back(value);
        }
        if (q.values.size() < 2) continue;
        if (!best || urgency(path, q.place) < urgency(best->path, best->place)) best = std::move(q);
    }
    if (best) std::stable_sort(best->values.begin(), best->values.end(), before);
    return best;
}

std::optional<Move> answer(TapMode& tap, const std::string& path, const Json& value) {
    tap.chosen[path] = value;
    tap.order.push_back(path);
    tap.page = 0;
    const auto left = remaining(tap);
    // Moves that read alike are the same move.
    const auto alike = [&](const Move& m) { return m == left.front(); };
    if (left.empty() || !std::all_of(left.begin(), left.end(), alike)) return {};
    return left.front();
}

bool take_back(TapMode& tap) {
    tap.page = 0;
    if (tap.order.empty()) return false;
    tap.chosen.erase(tap.order.back());
    tap.order.pop_back();
    return true;
}

namespace {

void paint_places(Stage& stage, const Question& q) {
    for (const Json& value : q.values) {
        if (!is_place(value)) continue;
        const Point at{value["x"].get<double>(), value["y"].get<double>()};
        stage.list.add(Hash{"tap place"} << at, [&](Pen& pen) {
            pen.disc(at, 9, faded(stage.theme.hint, 0.25));
            pen.ring(at, 9, 1.6, stage.theme.hint);
        });
        stage.tap({at.x, at.y, 0}, {-12, -12, 12, 12},
                  {"tap.answer", {{"path", q.path}, {"value", value}}});
    }
}

// "which colour?" for the last field of the path.
std::string question_words(const Stage& stage, const std::string& seat, const Question& q) {
    if (q.place) return stage.say(seat, "table.tap_the_place");
    if (const auto own = stage.known(seat, "table.ask_" + q.path)) return *own;
    return stage.word(seat, q.path.substr(q.path.rfind('.') + 1));
}

}  // namespace

void paint_tap_mode(Stage& stage) {
    if (!stage.scene.tap) return;
    const TapMode& tap = *stage.scene.tap;
    const auto left = remaining(tap);
    const auto question = next_question(left);
    const int count = question && !question->place ? static_cast<int>(question->values.size()) : 0;
    const int shown = std::clamp(count - tap.page * kPerPage, 0, kPerPage),
              rows = (shown + kColumns - 1) / kColumns;
    const bool pages = count > kPerPage;
    const double w = 440, h = 66 + 50.0 * rows + (pages ? 46 : 0) + 52;
    const Pose frame = stage.dialogue_pose(
        "tap " + tap.seat + std::to_string(rows) + (pages ? "+" : ""), tap.seat, w, h);
    const Rect box{-w / 2, -h / 2, w / 2, h / 2};
    stage.panel(frame, box, true);
    stage.tap(frame, box, {"none"});
    const std::string asked = question ? question_words(stage, tap.seat, *question)
                                       : stage.say(tap.seat, "table.no_moves");
    const std::string heading = tap.player.empty() ? asked : tap.player + " · " + asked;
    stage.label(
        frame, {-w / 2 + 18, -h / 2 + 28}, heading,
        stage.ruler.fitted(heading, {19, stage.theme.text, Weight::bold, Anchor::left, 0}, w - 40));
    double y = -h / 2 + 52;
    for (int i = 0; i < shown; ++i) {
        const Json& value = question->values[std::size_t(tap.page * kPerPage + i)];
        const double wide = (w - 32 - (kColumns - 1) * 8) / kColumns,
                     x = -w / 2 + 16 + (i % kColumns) * (wide + 8);
        stage.button(frame,
                     {x, y + (i / kColumns) * 50.0, x + wide, y + (i / kColumns) * 50.0 + 42},
                     name_of(stage, tap.seat, question->path, value),
                     {"tap.answer", {{"path", question->path}, {"value", value}}});
    }
    y += rows * 50.0;
    if (pages)
        stage.button(frame, {-w / 2 + 16, y, w / 2 - 16, y + 38}, stage.say(tap.seat, "table.more"),
                     {"tap.page"}, Stage::Look::quiet);
    y = h / 2 - 14 - 38;
    stage.button(frame, {-w / 2 + 16, y, -w / 6 - 4, y + 38}, stage.say(tap.seat, "table.back"),
                 {"tap.back"}, tap.order.empty() ? Stage::Look::disabled : Stage::Look::plain);
    stage.button(frame, {-w / 6 + 4, y, w / 6 - 4, y + 38}, stage.say(tap.seat, "table.undo"),
                 {"undo"}, Stage::Look::plain);
    stage.button(frame, {w / 6 + 4, y, w / 2 - 16, y + 38}, stage.say(tap.seat, "table.close"),
                 {"tap.close"}, Stage::Look::quiet);
    if (question && question->place) paint_places(stage, *question);
}

}  // namespace overboard::table
