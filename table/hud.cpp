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
    return scene.match && !scene.match->finished &&
           player.value("name", "") == scene.match->turn_player;
}

bool has_won(const Scene& scene, const Json& player) {
    if (!scene.match) return false;
    const auto& w = scene.match->winners;
    return std::find(w.begin(), w.end(), player.value("name", "")) != w.end();
}

std::vector<std::string> action_words(const Stage& stage, const std::string& seat) {
    std::vector<std::string> all;
    for (const std::string& action : stage.scene.match->actions)
        all.push_back(stage.action(seat, action));
    return all;
}

// What the player in question can do now, or who is being waited for.
std::vector<std::string> what_now(const Stage& stage, const std::string& seat, const Json& player) {
    const Scene& scene = stage.scene;
    if (scene.match->finished)
        return {stage.say(seat, has_won(scene, player) ? "table.you_won" : "table.game_over")};
    if (to_move(scene, player)) return action_words(stage, seat);
    return {stage.say(seat, "table.waiting_for", {{"player", scene.match->turn_player}})};
}

// What just happened, or why something was refused.
std::string what_happened(const Stage& stage, const std::string& seat, const Json& player) {
    const Scene& scene = stage.scene;
    if (scene.notice && to_move(scene, player))
        return stage.say(seat, scene.notice->key, scene.notice->args);
    if (scene.attention && !scene.attention->at)
        return scene.attention->message.key.empty()
                   ? scene.attention->reason
                   : stage.say(seat, scene.attention->message.key, scene.attention->message.args);
    if (scene.match->message)
        return stage.say(seat, scene.match->message->key, scene.match->message->args);
    for (const Mark& mark : scene.marks)  // the game's own words to whoever is to move
        if (mark.style == MarkStyle::hint && mark.seat == seat && belongs_to_panel(scene, mark) &&
            to_move(scene, player))
            return text_of(stage, mark);
    return "";
}

// The parts of a seat's edge, from -half to half, beside which nothing of the game lies within
// `deep` mm.
std::vector<std::pair<double, double>> free_edge(const Scene& scene, const std::string& seat,
                                                 double half, double deep) {
    const Pose frame = seat_pose(seat, scene.table);
    std::vector<std::pair<double, double>> taken;
    for (const Rect& box : game_boxes(scene)) {
        const Rect here = box_of(
            {local_to(frame, {box.x0, box.y0}), local_to(frame, {box.x1, box.y1})});
        if (here.y1 > -deep) taken.emplace_back(here.x0 - 4, here.x1 + 4);
    }
    std::sort(taken.begin(), taken.end());
    std::vector<std::pair<double, double>> parts;
    double from = -half;
    for (const auto& [x0, x1] : taken) {
        if (x0 > from) parts.emplace_back(from, std::min(x0, half));
        from = std::max(from, x1);
    }
    if (from < half) parts.emplace_back(from, half);
    return parts;
}

// A broad light along the edge of the seat to move: seen from two metres without reading. Its glow
// stays off the game.
void paint_turn_light(Stage& stage, const std::string& seat) {
    constexpr double kDeep_mm = 42;
    const double half = seat_width(seat, stage.scene.table) / 2;
    const auto parts = free_edge(stage.scene, seat, half, kDeep_mm);
    Hash content{"turn light"};
    content << seat << half;
    for (const auto& [x0, x1] : parts) content << x0 << x1;
    stage.list.add(content, [&](Pen& pen) {
        pen.frame = seat_pose(seat, stage.scene.table);
        const sf::Color light = stage.theme.accent;
        for (const auto& [x0, x1] : parts)
            pen.shade({x0, -kDeep_mm, x1, -6}, faded(light, 0), faded(light, 0.3));
        pen.box({-half, -6, half, -0.5}, 2.5, light);
    });
}

struct Column {
    Rect box;
    bool active, won, speaks;  ///< Speaks: says for all at its seat what is going on.
    Json player;
};

/// What one player's part of a panel says.
struct Lines {
    std::string name, score, detail;
    std::vector<std::string> now;  ///< What can be done, the usual first.
    std::string happened;
    bool refused = false;  ///< What happened is why the last move did not count.
    std::string more;      ///< "{count} more", in the reader's language.
};

// What the game says about a player beyond the score: its own text mark, without the name.
std::string detail_of(const Stage& stage, const std::string& seat, const std::string& name) {
    for (const Mark& mark : stage.scene.marks) {
        if (mark.style != MarkStyle::score || !belongs_to_panel(stage.scene, mark) ||
            mark.seat != seat || mark.key.empty())
            continue;
        if (named_in(mark) != name) continue;
        std::string text = text_of(stage, mark);
        if (text.starts_with(name))
            text.erase(0, std::min(text.find_first_not_of(" :,", name.size()), text.size()));
        return text;
    }
    return "";
}

Lines lines_of(const Stage& stage, const std::string& seat, const Column& column) {
    const Json& player = column.player;
    const std::string name = player.value("name", "");
    const bool refused = stage.scene.notice && to_move(stage.scene, player),
               speaks = column.speaks || stage.scene.match->finished;
    return {name,
            text_of_score(player),
            detail_of(stage, seat, name),
            speaks ? what_now(stage, seat, player) : std::vector<std::string>{},
            column.speaks ? what_happened(stage, seat, player) : "",
            refused,
            stage.known(seat, "table.more_actions").value_or("+{count}")};
}

struct Ink {
    sf::Color name, number;
};

Ink ink_of(const Column& column, const Theme& theme) {
    const sf::Color bright = column.active || column.won ? theme.text : theme.quiet;
    return {bright, column.active ? theme.accent : bright};
}

// The sign of the player to move, and the name; how wide both are.
double write_name(Pen& pen, const Column& column, const Theme& theme, const std::string& name,
                  Point at, double size, double room) {
    const double sign = column.active ? 24 : 0;
    if (column.active)
        pen.polygon({{at.x, at.y - 8}, {at.x + 17, at.y - 8}, {at.x + 8.5, at.y + 8}},
                    theme.accent);
    const TextStyle style = pen.fitted(
        name, {size, ink_of(column, theme).name, Weight::bold, Anchor::left, 0}, room - sign, 1,
        11);
    pen.text(name, {at.x + sign, at.y}, style);
    return sign + pen.measure(name, style).width;
}

bool fits(const Pen& pen, const std::string& text, const TextStyle& style, double room, int lines) {
    const TextSize size = pen.measure(text, pen.fitted(text, style, room, lines, style.size_mm));
    return size.width <= room && size.lines <= lines;
}

// All that can be done, parted by dots; where that is too much to be read, the first ones and how
// many more.
std::string readable(const Pen& pen, const Lines& lines, const TextStyle& least, double room,
                     int rows) {
    const std::size_t n = lines.now.size();
    for (std::size_t shown = n;; --shown) {
        std::string text;
        for (std::size_t i = 0; i < shown; ++i) text += (i ? " · " : "") + lines.now[i];
        std::string more = lines.more;
        if (const auto at = more.find("{count}"); at != std::string::npos)
            more.replace(at, 7, std::to_string(n - shown));
        if (shown < n) text += " · " + more;
        if (shown <= 1 || fits(pen, text, least, room, rows)) return text;
    }
}

/// How the lines of a panel share its height: middles and sizes, mm.
struct Rows {
    double name_y, name_mm;
    double now_y, now_mm;
    int now_rows;
    double third_y, third_mm;
    int third_rows;  ///< 0: there is none.
};

// The largest type at which everything is there. A long reason takes the place of what can be done:
// it comes first, and what can be done was there before.
Rows rows_for(const Pen& pen, const Theme& theme, const std::string& now, const TextStyle& doing,
              const std::string& third, double room) {
    const TextStyle least{theme.least_mm, theme.text, Weight::regular, Anchor::left, 0};
    TextStyle least_doing = doing;
    least_doing.size_mm = theme.small_mm;
    if (third.empty()) {
        if (now.empty()) return {35, theme.title_mm, 0, 0, 0, 0, 0, 0};
        if (fits(pen, now, least_doing, room, 1))
            return {22, theme.title_mm, 50, theme.body_mm, 1, 0, 0, 0};
        return {16.5, theme.title_mm, 48, theme.small_mm, 2, 0, 0, 0};
    }
    if (fits(pen, third, least, room, 1))
        return {16, theme.title_mm, 38, theme.body_mm, 1, 57.5, 14.5, 1};
    if (fits(pen, third, least, room, 2)) return {13, 21, 29.5, 14.5, 1, 52, theme.least_mm, 2};
    return {13, 21, 0, 0, 0, 46, theme.least_mm, 3};
}

// Name and what goes with the score, what to do, what happened; the score at the right.
void write_player(Pen& pen, const Column& column, const Theme& theme, const Lines& lines,
                  bool alone) {
    const Rect& box = column.box;
    const Ink ink = ink_of(column, theme);
    const TextStyle number = pen.fitted(
        lines.score, {alone ? theme.score_mm : 36, ink.number, Weight::bold, Anchor::right, 0}, 104,
        1);
    const double left = box.x0 + 12,
                 room = box.width() - 20 -
                        (lines.score.empty() ? 0 : pen.measure(lines.score, number).width + 12);
    const bool aside = alone && room > 240;
    const std::string& third = lines.happened.empty() && !aside ? lines.detail : lines.happened;
    TextStyle doing{theme.least_mm, ink.name, column.active ? Weight::bold : Weight::regular,
                    Anchor::left, 0};
    const std::string now = readable(pen, lines, doing, room, third.empty() ? 2 : 1);
    const Rows rows = rows_for(pen, theme, now, doing, third, room);
    const double used = write_name(pen, column, theme, lines.name, {left, box.y0 + rows.name_y},
                                   rows.name_mm, room) +
                        14;
    const TextStyle detail{theme.small_mm, theme.quiet, Weight::regular, Anchor::left, 0};
    if (aside && room - used > 50)
        pen.text(lines.detail, {left + used, box.y0 + rows.name_y + 1.5},
                 pen.fitted(lines.detail, detail, room - used, 1, 8));
    doing.size_mm = rows.now_mm;
    if (rows.now_rows > 0)
        pen.text(now, {left, box.y0 + rows.now_y}, pen.fitted(now, doing, room, rows.now_rows, 8));
    const TextStyle small{rows.third_mm, lines.refused ? theme.text : theme.quiet, Weight::regular,
                          Anchor::left, 0};
    if (rows.third_rows > 0)
        pen.text(third, {left, box.y0 + rows.third_y},
                 pen.fitted(third, small, room, rows.third_rows, 8));
    pen.text(lines.score, {box.x1 - 8, box.centre().y}, number);
}

// The same nearly square: name, score, and what to do in two lines; the button stands at the right
// of the score. Why a move did not count takes three.
void write_compact(Pen& pen, const Column& column, const Theme& theme, const Lines& lines) {
    const Rect& box = column.box;
    const double left = box.x0 + 12, room = box.width() - 20;
    write_name(pen, column, theme, lines.name, {left, box.y0 + 18}, theme.title_mm, room);
    pen.text(
        lines.score, {left, box.y0 + 53},
        pen.fitted(lines.score,
                   {theme.score_mm, ink_of(column, theme).number, Weight::bold, Anchor::left, 0},
                   room - 50, 1));
    TextStyle style{theme.least_mm, ink_of(column, theme).name, Weight::regular, Anchor::left, 0};
    const std::string text = lines.refused ? lines.happened : readable(pen, lines, style, room, 2);
    const int rows = lines.refused ? 3 : fits(pen, text, style, room, 1) ? 1 : 2;
    style.size_mm = rows == 1 ? theme.body_mm : rows == 2 ? theme.small_mm : 12;
    pen.text(text, {left, box.y1 - 21},
             pen.fitted(text, style, room, rows, rows == 3 ? 8 : theme.least_mm));
}

void paint_player(Stage& stage, const std::string& seat, Pose frame, const Column& column,
                  PanelForm form, bool alone) {
    const Rect& box = column.box;
    const Lines lines = lines_of(stage, seat, column);
    Hash content{"player"};
    content << frame << box.x0 << box.x1 << box.y0 << column.active << column.won << alone
            << lines.refused;
    for (const std::string& w : {lines.name, lines.score, lines.detail, lines.more, lines.happened})
        content << w;
    for (const std::string& w : lines.now) content << w;
    stage.list.add(content, [&](Pen& pen) {
        pen.frame = frame;
        if (form == PanelForm::compact)
            write_compact(pen, column, stage.theme, lines);
        else
            write_player(pen, column, stage.theme, lines, alone);
    });
    const Rect number = form == PanelForm::compact
                            ? Rect{box.x0, box.y0 + 30, box.x1 - 50, box.y1 - 40}
                            : Rect{box.x1 - 80, box.y0, box.x1, box.y1};
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

// The one to move, else the first.
std::size_t speaker_of(const Scene& scene, const std::vector<Json>& people) {
    const auto mover = std::find_if(people.begin(), people.end(),
                                    [&](const Json& p) { return to_move(scene, p); });
    return mover == people.end() ? 0 : static_cast<std::size_t>(mover - people.begin());
}

// Whoever speaks among more than two gets the room of two.
std::vector<Column> columns_of(const Scene& scene, const std::vector<Json>& people,
                               const Rect& box) {
    const std::size_t n = people.size(), speaker = speaker_of(scene, people);
    const double extra = n > 2 ? 1 : 0, share = box.width() / (double(n) + extra);
    std::vector<Column> columns;
    double x = box.x0;
    for (std::size_t i = 0; i < n; ++i) {
        const double wide = share * (i == speaker ? 1 + extra : 1);
        columns.push_back({{x, box.y0, x + wide, box.y1},
                           to_move(scene, people[i]),
                           has_won(scene, people[i]),
                           i == speaker,
                           people[i]});
        x += wide;
    }
    return columns;
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
        const double menu = compact ? 0 : 40;
        for (const Column& column :
             columns_of(stage.scene, people, {box.x0, box.y0, box.x1 - menu, box.y1}))
            paint_player(stage, seat, frame, column, form, people.size() == 1);
        paint_menu_button(stage, seat, frame,
                          compact ? Rect{box.x1 - 48, box.y0 + 32, box.x1 - 4, box.y0 + 76}
                                  : Rect{box.x1 - menu, box.y0, box.x1, box.y1});
        stage.clearance.boxes.push_back(panel_on_table(stage.scene, seat, stage.theme).grown(2));
    }
}

void paint_banner(Stage& stage) {
    const Scene& scene = stage.scene;
    std::string key;
    if (!scene.rules_here)
        key = scene.match ? "table.rules_gone" : "table.rules_not_there";
    else if (!scene.vision_here)
        key = "table.vision_gone";
    else if (scene.camera != "ok")
        key = "table.camera_" + scene.camera;
    else if (scene.paused)
        key = "table.paused";
    if (key.empty()) return;
    const auto seats = seats_taken(scene);
    for (const std::string seat : {"s", "n"}) {
        if (seat == "n" && scene.match && std::find(seats.begin(), seats.end(), "n") == seats.end())
            continue;
        const Pose frame = seat_pose(seat, scene.table);
        const std::string text = stage.say(seat, key);
        // Over the seat's panel, which has made way for the game already.
        const Rect under = scene.match ? panel_box(scene, seat, stage.theme)
                                       : Rect{-330, 0, 330, 0};
        const double half = std::max(under.width(), 440.0) / 2,
                     side = seat_width(seat, scene.table) / 2 - half;
        const double middle = std::clamp(under.centre().x, -std::max(0.0, side),
                                         std::max(0.0, side));
        const TextStyle style = stage.ruler.fitted(
            text, {stage.theme.body_mm, stage.theme.text, Weight::bold, Anchor::centre, 0},
            2 * half - 20, 2, stage.theme.least_mm);
        const double bottom = under.y0 - stage.theme.edge_mm,
                     high = std::max(44.0, stage.ruler.measure(text, style).height + 12);
        const Rect box{middle - half, bottom - high, middle + half, bottom};
        stage.list.add(
            Hash{"banner"} << frame << text << box.x0 << box.y0 << box.x1, [&](Pen& pen) {
                pen.frame = frame;
                pen.box(box, 8, stage.theme.panel);
                pen.box_outline(
                    box, 8, 1.4,
                    scene.paused && key == "table.paused" ? stage.theme.hint : stage.theme.warning);
                pen.text(text, box.centre(), style);
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
        const auto seats = cheer.seat.empty() ? seats_taken(stage.scene)
                                              : std::vector<std::string>{cheer.seat};
        for (const std::string& seat : seats) {
            const std::string text = stage.say(seat, cheer.message.key, cheer.message.args);
            const Pose frame = seat_pose(seat, stage.scene.table);
            const double size = cheer.large ? 30 : 20;
            const double y = panel_box(stage.scene, seat, stage.theme).y0 - stage.theme.edge_mm -
                             size * 1.3;
            const TextStyle style = stage.ruler.fitted(
                text, {size, faded(stage.theme.accent, alpha), Weight::bold, Anchor::centre, 0},
                seat_width(seat, stage.scene.table) * 0.7);
            const double half = stage.ruler.measure(text, style).width / 2 + 14;
            stage.list.add(Hash{"cheer"} << frame << text << alpha << y, [&](Pen& pen) {
                pen.frame = frame;
                pen.box({-half, y - size * 0.85, half, y + size * 0.85}, size * 0.6,
                        faded(sf::Color{6, 8, 12}, 0.9 * alpha));
                if (cheer.large)
                    pen.box_outline({-half, y - size * 0.85, half, y + size * 0.85}, size * 0.6,
                                    1.6, faded(stage.theme.accent, alpha));
                pen.text(text, {0, y}, style);
            });
        }
    }
}

namespace {

// How to begin, in every language of the house: a guest has not chosen one yet. And what there is
// to play.
void invite(Stage& stage, const std::string& seat, Pose frame) {
    const std::string& own = stage.scene.language_at(seat);
    stage.label(frame, {0, 150}, stage.say(seat, "table.touch_to_begin"),
                {27, stage.theme.accent, Weight::bold, Anchor::centre, 0});
    double y = 184;
    for (const std::string& other : Messages::shared().languages()) {
        if (other == own || y > 210) continue;
        stage.label(frame, {0, y}, Messages::shared().text(other, "table.touch_to_begin"),
                    {stage.theme.body_mm, stage.theme.text, Weight::regular, Anchor::centre, 0});
        y += 26;
    }
    std::string games;
    for (const GameEntry& game : stage.scene.games)
        games += (games.empty() ? "" : " · ") + stage.game_name(seat, game);
    const double room = 0.8 * stage.scene.table.width_mm;
    stage.label(
        frame, {0, y + 14}, games,
        stage.ruler.fitted(
            games, {stage.theme.body_mm, stage.theme.quiet, Weight::regular, Anchor::centre, 0},
            room, 2));
}

}  // namespace

void paint_welcome(Stage& stage) {
    if (stage.scene.match || !stage.scene.menu.page.empty()) return;
    const Table& table = stage.scene.table;
    for (const std::string seat : {"s", "n"}) {
        const Pose frame{table.width_mm / 2, table.height_mm / 2, seat_angle(seat)};
        stage.label(frame, {0, 92}, "Overboard",
                    {58, stage.theme.text, Weight::bold, Anchor::centre, 0});
        if (stage.scene.rules_here) invite(stage, seat, frame);
    }
    stage.list.add(Hash{"welcome rule"} << table.width_mm << table.height_mm, [&](Pen& pen) {
        const double y = table.height_mm / 2;
        pen.line({{table.width_mm / 2 - 150, y}, {table.width_mm / 2 + 150, y}}, 1,
                 stage.theme.panel_line);
        pen.disc({table.width_mm / 2, y}, 4, stage.theme.accent);
    });
    stage.tap({0, 0, 0}, {0, 0, table.width_mm, table.height_mm},
              {"menu.open", {{"at", "nearest"}}});
}

}  // namespace overboard::table
