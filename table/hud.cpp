#include "table/hud.hpp"

#include <algorithm>
#include <cmath>

#include "bus/messages.hpp"
#include "table/painter.hpp"

namespace overboard::table {
namespace {

std::string text_of_score(const Json& player) {
    const auto score = player.find("score");
    if (score == player.end() || score->is_null()) return "";
    return score->is_string() ? score->get<std::string>() : score->dump();
}

bool to_move(const Scene& scene, const Json& player) {
    return scene.match && !scene.match->finished && player.value("name", "") == scene.match->turn_player;
}

bool has_won(const Scene& scene, const Json& player) {
    if (!scene.match) return false;
    const auto& w = scene.match->winners;
    return std::find(w.begin(), w.end(), player.value("name", "")) != w.end();
}

std::string action_words(const Stage& stage, const std::string& seat) {
    std::string all;
    for (const std::string& action : stage.scene.match->actions) {
        if (all.size() > 60) break;
        all += (all.empty() ? "" : " · ") + stage.action(seat, action);
    }
    return all;
}

// What the player in question should do now, or who is being waited for.
std::string what_now(const Stage& stage, const std::string& seat, const Json& player) {
    const Scene& scene = stage.scene;
    if (scene.match->finished) return stage.say(seat, has_won(scene, player) ? "table.you_won" : "table.game_over");
    if (to_move(scene, player)) return action_words(stage, seat);
    return stage.say(seat, "table.waiting_for", {{"player", scene.match->turn_player}});
}

// What just happened, or why something was refused.
std::string what_happened(const Stage& stage, const std::string& seat, const Json& player) {
    const Scene& scene = stage.scene;
    if (scene.notice && to_move(scene, player)) return stage.say(seat, scene.notice->key, scene.notice->args);
    if (scene.attention && !scene.attention->at)
        return scene.attention->message.key.empty()
                   ? scene.attention->reason
                   : stage.say(seat, scene.attention->message.key, scene.attention->message.args);
    if (scene.match->message) return stage.say(seat, scene.match->message->key, scene.match->message->args);
    for (const Mark& mark : scene.marks)  // the game's own words to whoever is to move
        if (mark.style == MarkStyle::hint && mark.seat == seat && belongs_to_panel(scene, mark) && to_move(scene, player)) return text_of(stage, mark);
    return "";
}

// A broad light along the edge of the seat to move: seen from two metres without reading.
void paint_turn_light(Stage& stage, const std::string& seat) {
    const double half = seat_width(seat, stage.scene.table) / 2;
    stage.list.add(Hash{"turn light"} << seat << half, [&](Pen& pen) {
        pen.frame = seat_pose(seat, stage.scene.table);
        const sf::Color light = stage.theme.accent;
        pen.shade({-half, -42, half, -6}, faded(light, 0), faded(light, 0.3));
        pen.box({-half, -6, half, -0.5}, 2.5, light);
    });
}

struct Column {
    Rect box;
    bool active, won;
    Json player;
};

/// What one player's part of a panel says.
struct Lines {
    std::string name, score, detail, now, happened;
};

// What the game says about a player beyond the score: its own text mark, without the name.
std::string detail_of(const Stage& stage, const std::string& seat, const std::string& name) {
    for (const Mark& mark : stage.scene.marks) {
        if (mark.style != MarkStyle::score || !belongs_to_panel(stage.scene, mark) || mark.seat != seat || mark.key.empty()) continue;
        if (named_in(mark) != name) continue;
        std::string text = text_of(stage, mark);
        if (text.starts_with(name)) text.erase(0, std::min(text.find_first_not_of(" :,", name.size()), text.size()));
        return text;
    }
    return "";
}

Lines lines_of(const Stage& stage, const std::string& seat, const Json& player) {
    const std::string name = player.value("name", "");
    return {name, text_of_score(player), detail_of(stage, seat, name), what_now(stage, seat, player), what_happened(stage, seat, player)};
}

struct Ink {
    sf::Color name, number;
};

Ink ink_of(const Column& column, const Theme& theme) {
    const sf::Color bright = column.active || column.won ? theme.text : theme.quiet;
    return {bright, column.active ? theme.accent : bright};
}

// The sign of the player to move, and the name; how wide both are.
double write_name(Pen& pen, const Column& column, const Theme& theme, const std::string& name, Point at, double size, double room) {
    const double sign = column.active ? 24 : 0;
    if (column.active) pen.polygon({{at.x, at.y - 8}, {at.x + 17, at.y - 8}, {at.x + 8.5, at.y + 8}}, theme.accent);
    const TextStyle style = pen.fitted(name, {size, ink_of(column, theme).name, Weight::bold, Anchor::left, 0}, room - sign, 1, 11);
    pen.text(name, {at.x + sign, at.y}, style);
    return sign + pen.measure(name, style).width;
}

// One line as large as may be, or two smaller ones.
void write_small(Pen& pen, const std::string& text, Point at, sf::Color colour, double size, double room, double two_mm) {
    const TextStyle one{size, colour, Weight::regular, Anchor::left, 0};
    const bool two = pen.measure(text, one).width > room * 1.2;
    pen.text(text, at, pen.fitted(text, two ? TextStyle{two_mm, colour, Weight::regular, Anchor::left, 0} : one, room, two ? 2 : 1, 8));
}

// As many of the things one may do as can be read; the others are behind the dots.
std::string readable(const Pen& pen, std::string text, const TextStyle& style, double room) {
    constexpr double kSmallest = 0.78;  // of the usual size
    while (pen.measure(text, style).width * kSmallest > room) {
        const auto last = text.rfind(" · ");
        if (last == std::string::npos) break;
        text = text.substr(0, last) + " …";
    }
    return text;
}

// Name and what goes with the score, what to do, what happened; the score at the right.
void write_player(Pen& pen, const Column& column, const Theme& theme, const Lines& lines, bool alone) {
    const Rect& box = column.box;
    const Ink ink = ink_of(column, theme);
    const TextStyle number = pen.fitted(lines.score, {alone ? theme.score_mm : 36, ink.number, Weight::bold, Anchor::right, 0}, 104, 1);
    const double left = box.x0 + 12, room = box.width() - 20 - (lines.score.empty() ? 0 : pen.measure(lines.score, number).width + 12);
    const bool aside = alone && room > 240;
    const std::string& third = lines.happened.empty() && !aside ? lines.detail : lines.happened;
    const bool three = !third.empty();
    const double line1 = box.y0 + (three ? 16.5 : 22), line2 = box.y0 + (three ? 39 : 50);
    const double used = write_name(pen, column, theme, lines.name, {left, line1}, theme.title_mm, room) + 14;
    if (aside && room - used > 50)
        pen.text(lines.detail, {left + used, line1 + 1.5}, pen.fitted(lines.detail, {theme.small_mm, theme.quiet, Weight::regular, Anchor::left, 0}, room - used, 1, 8));
    const TextStyle doing{theme.body_mm, ink.name, column.active ? Weight::bold : Weight::regular, Anchor::left, 0};
    const std::string now = readable(pen, lines.now, doing, room);
    pen.text(now, {left, line2}, pen.fitted(now, doing, room, 1, 9));
    if (three) write_small(pen, third, {left, box.y0 + 58}, theme.quiet, theme.small_mm, room, 9.8);
    pen.text(lines.score, {box.x1 - 8, box.centre().y}, number);
}

// The same nearly square: name, score, and what to do in two lines; the button stands at the right of the score.
void write_compact(Pen& pen, const Column& column, const Theme& theme, const Lines& lines) {
    const Rect& box = column.box;
    const double left = box.x0 + 12, room = box.width() - 20;
    write_name(pen, column, theme, lines.name, {left, box.y0 + 18}, theme.title_mm, room);
    pen.text(lines.score, {left, box.y0 + 53}, pen.fitted(lines.score, {theme.score_mm, ink_of(column, theme).number, Weight::bold, Anchor::left, 0}, room - 50, 1));
    write_small(pen, lines.now, {left, box.y1 - 21}, ink_of(column, theme).name, theme.body_mm, room, theme.small_mm);
}

void paint_player(Stage& stage, const std::string& seat, Pose frame, const Column& column, PanelForm form, bool alone) {
    const Rect& box = column.box;
    const Lines lines = lines_of(stage, seat, column.player);
    Hash content{"player"};
    content << frame << box.x0 << box.x1 << box.y0 << column.active << column.won << alone;
    for (const std::string& w : {lines.name, lines.score, lines.detail, lines.now, lines.happened}) content << w;
    stage.list.add(content, [&](Pen& pen) {
        pen.frame = frame;
        if (form == PanelForm::compact) write_compact(pen, column, stage.theme, lines);
        else write_player(pen, column, stage.theme, lines, alone);
    });
    const Rect number = form == PanelForm::compact ? Rect{box.x0, box.y0 + 30, box.x1 - 50, box.y1 - 40} : Rect{box.x1 - 80, box.y0, box.x1, box.y1};
    stage.tap(frame, number, {"correct.score", {{"player", lines.name}, {"seat", seat}}});
}

void paint_menu_button(Stage& stage, const std::string& seat, Pose frame, const Rect& area) {
    stage.list.add(Hash{"menu button"} << frame << area.x0 << area.y0, [&](Pen& pen) {
        pen.frame = frame;
        const Point c = area.centre();
        pen.box_outline(area.grown(-4), 7, 0.9, stage.theme.button_line);
        for (const double dy : {-6.0, 0.0, 6.0})
            pen.line({c + Point{-8, dy}, c + Point{8, dy}}, 1.8, stage.theme.text);
    });
    stage.tap(frame, area, {"menu.open", {{"seat", seat}}});
}

}  // namespace

void paint_panels(Stage& stage) {
    if (!stage.scene.match) return;
    for (const std::string& seat : seats_taken(stage.scene)) {
        const Pose frame = seat_pose(seat, stage.scene.table);
        const Rect box = panel_box(stage.scene, seat, stage.theme);
        const auto people = players_at(stage.scene, seat);
        const bool active = std::any_of(people.begin(), people.end(),
                                        [&](const Json& p) { return to_move(stage.scene, p); });
        if (active) paint_turn_light(stage, seat);
        stage.panel(frame, box, active);
        const PanelForm form = place_of(stage.scene, seat).form;
        const bool compact = form == PanelForm::compact;
        const double menu = compact ? 0 : 40, wide = (box.width() - menu) / double(std::max<std::size_t>(1, people.size()));
        for (std::size_t i = 0; i < people.size(); ++i) {
            const double x0 = box.x0 + wide * double(i);
            paint_player(stage, seat, frame,
                         {{x0, box.y0, x0 + wide, box.y1}, to_move(stage.scene, people[i]), has_won(stage.scene, people[i]), people[i]},
                         form, people.size() == 1);
        }
        paint_menu_button(stage, seat, frame, compact ? Rect{box.x1 - 48, box.y0 + 32, box.x1 - 4, box.y0 + 76} : Rect{box.x1 - menu, box.y0, box.x1, box.y1});
        stage.clearance.boxes.push_back(panel_on_table(stage.scene, seat, stage.theme).grown(2));
    }
}

void paint_banner(Stage& stage) {
    const Scene& scene = stage.scene;
    std::string key;
    if (!scene.rules_here) key = scene.match ? "table.rules_gone" : "table.rules_not_there";
    else if (!scene.vision_here) key = "table.vision_gone";
    else if (scene.camera != "ok") key = "table.camera_" + scene.camera;
    else if (scene.paused) key = "table.paused";
    if (key.empty()) return;
    const auto seats = seats_taken(scene);
    for (const std::string seat : {"s", "n"}) {
        if (seat == "n" && scene.match && std::find(seats.begin(), seats.end(), "n") == seats.end()) continue;
        const Pose frame = seat_pose(seat, scene.table);
        const std::string text = stage.say(seat, key);
        // Over the seat's panel, which has made way for the game already.
        const Rect under = scene.match ? panel_box(scene, seat, stage.theme) : Rect{-330, 0, 330, 0};
        const double half = std::max(under.width(), 440.0) / 2, side = seat_width(seat, scene.table) / 2 - half;
        const double middle = std::clamp(under.centre().x, -std::max(0.0, side), std::max(0.0, side));
        const Rect box{middle - half, under.y0 - stage.theme.edge_mm - 44, middle + half, under.y0 - stage.theme.edge_mm};
        stage.list.add(Hash{"banner"} << frame << text << box.x0 << box.y0 << box.x1, [&](Pen& pen) {
            pen.frame = frame;
            pen.box(box, 8, stage.theme.panel);
            pen.box_outline(box, 8, 1.4, scene.paused && key == "table.paused" ? stage.theme.hint : stage.theme.warning);
            pen.text(text, box.centre(), pen.fitted(text, {stage.theme.body_mm, stage.theme.text, Weight::bold, Anchor::centre, 0}, box.width() - 20, 2, 11));
        });
        if (key == "table.paused") stage.tap(frame, box, {"pause", {{"on", false}}});
    }
}

void paint_celebrations(Stage& stage) {
    for (const Celebration& cheer : stage.scene.celebrations) {
        const double age = stage.scene.now_s - cheer.started_s;
        if (age < 0 || age > cheer.lasts_s) continue;
        // Appears at once, rests, and fades over its last quarter: nothing blinks.
        const double alpha = std::round(16 * std::min(1.0, 4 * (1 - age / cheer.lasts_s))) / 16;
        const auto seats = cheer.seat.empty() ? seats_taken(stage.scene) : std::vector<std::string>{cheer.seat};
        for (const std::string& seat : seats) {
            const std::string text = stage.say(seat, cheer.message.key, cheer.message.args);
            const Pose frame = seat_pose(seat, stage.scene.table);
            const double size = cheer.large ? 30 : 20;
            const double y = panel_box(stage.scene, seat, stage.theme).y0 - stage.theme.edge_mm - size * 1.3;
            const TextStyle style = stage.ruler.fitted(
                text, {size, faded(stage.theme.accent, alpha), Weight::bold, Anchor::centre, 0}, seat_width(seat, stage.scene.table) * 0.7);
            const double half = stage.ruler.measure(text, style).width / 2 + 14;
            stage.list.add(Hash{"cheer"} << frame << text << alpha << y, [&](Pen& pen) {
                pen.frame = frame;
                pen.box({-half, y - size * 0.85, half, y + size * 0.85}, size * 0.6, faded(sf::Color{6, 8, 12}, 0.9 * alpha));
                if (cheer.large)
                    pen.box_outline({-half, y - size * 0.85, half, y + size * 0.85}, size * 0.6, 1.6, faded(stage.theme.accent, alpha));
                pen.text(text, {0, y}, style);
            });
        }
    }
}

namespace {

// How to begin, in every language of the house: a guest has not chosen one yet. And what there is to play.
void invite(Stage& stage, const std::string& seat, Pose frame) {
    const std::string& own = stage.scene.language_at(seat);
    stage.label(frame, {0, 150}, stage.say(seat, "table.touch_to_begin"), {27, stage.theme.accent, Weight::bold, Anchor::centre, 0});
    double y = 184;
    for (const std::string& other : Messages::shared().languages()) {
        if (other == own || y > 210) continue;
        stage.label(frame, {0, y}, Messages::shared().text(other, "table.touch_to_begin"), {stage.theme.body_mm, stage.theme.text, Weight::regular, Anchor::centre, 0});
        y += 26;
    }
    std::string games;
    for (const GameEntry& game : stage.scene.games) games += (games.empty() ? "" : " · ") + game.name;
    const double room = 0.8 * stage.scene.table.width_mm;
    stage.label(frame, {0, y + 14}, games, stage.ruler.fitted(games, {stage.theme.body_mm, stage.theme.quiet, Weight::regular, Anchor::centre, 0}, room, 2));
}

}  // namespace

void paint_welcome(Stage& stage) {
    if (stage.scene.match || !stage.scene.menu.page.empty()) return;
    const Table& table = stage.scene.table;
    for (const std::string seat : {"s", "n"}) {
        const Pose frame{table.width_mm / 2, table.height_mm / 2, seat_angle(seat)};
        stage.label(frame, {0, 92}, "Overboard", {58, stage.theme.text, Weight::bold, Anchor::centre, 0});
        if (stage.scene.rules_here) invite(stage, seat, frame);
    }
    stage.list.add(Hash{"welcome rule"} << table.width_mm << table.height_mm, [&](Pen& pen) {
        const double y = table.height_mm / 2;
        pen.line({{table.width_mm / 2 - 150, y}, {table.width_mm / 2 + 150, y}}, 1, stage.theme.panel_line);
        pen.disc({table.width_mm / 2, y}, 4, stage.theme.accent);
    });
    stage.tap({0, 0, 0}, {0, 0, table.width_mm, table.height_mm}, {"menu.open", {{"at", "nearest"}}});
}

}  // namespace overboard::table
