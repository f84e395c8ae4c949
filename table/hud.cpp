#include "table/hud.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace overboard::table {
namespace {

constexpr const char* kSeats[] = {"s", "w", "n", "e"};

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
    return scene.match->message ? stage.say(seat, scene.match->message->key, scene.match->message->args) : "";
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

// Name, what to do, what happened; the score at the right.
void write_player(Pen& pen, const Column& column, const Theme& theme, const std::array<std::string, 4>& words, bool alone) {
    const auto& [name, score, now, happened] = words;
    const Rect& box = column.box;
    const sf::Color bright = column.active || column.won ? theme.text : theme.quiet;
    const TextStyle number = pen.fitted(
        score, {alone ? theme.score_mm : 34, column.active ? theme.accent : bright, Weight::bold, Anchor::right, 0}, 100, 1);
    const double score_width = score.empty() ? 0 : pen.measure(score, number).width + 12;
    const double left = box.x0 + 12, room = box.width() - 20 - score_width, mark = column.active ? 20 : 0;
    const double line1 = box.y0 + (happened.empty() ? 23 : 16.5), line2 = box.y0 + (happened.empty() ? 48 : 37.5);
    if (column.active) pen.polygon({{left, line1 - 6.5}, {left + 14, line1 - 6.5}, {left + 7, line1 + 6.5}}, theme.accent);
    pen.text(name, {left + mark, line1}, pen.fitted(name, {theme.title_mm, bright, Weight::bold, Anchor::left, 0}, room - mark, 1, 9));
    pen.text(now, {left, line2}, pen.fitted(now, {theme.body_mm, bright, Weight::regular, Anchor::left, 0}, room, 1, 9));
    const TextStyle small{theme.small_mm, theme.quiet, Weight::regular, Anchor::left, 0};
    const bool two = pen.measure(happened, small).width > room * 1.25;
    pen.text(happened, {left, box.y0 + 57}, pen.fitted(happened, two ? TextStyle{9.4, theme.quiet} : small, room, two ? 2 : 1, 7.5));
    pen.text(score, {box.x1 - 8, box.centre().y}, number);
}

void paint_player(Stage& stage, const std::string& seat, Pose frame, const Column& column, bool alone) {
    const Rect& box = column.box;
    const std::array<std::string, 4> words = {column.player.value("name", ""), text_of_score(column.player),
                                              what_now(stage, seat, column.player), what_happened(stage, seat, column.player)};
    Hash content{"player"};
    content << frame << box.x0 << box.x1 << column.active << column.won << alone;
    for (const std::string& w : words) content << w;
    stage.list.add(content, [&](Pen& pen) {
        pen.frame = frame;
        write_player(pen, column, stage.theme, words, alone);
    });
    stage.tap(frame, {box.x1 - 80, box.y0, box.x1, box.y1}, {"correct.score", {{"player", words[0]}, {"seat", seat}}});
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

std::string seat_of(const Scene& scene, const std::string& player) {
    if (!scene.match) return "s";
    static const std::map<std::size_t, std::vector<const char*>> defaults = {
        {1, {"s"}}, {2, {"s", "n"}}, {3, {"s", "w", "n"}}, {4, {"s", "w", "n", "e"}},
        {5, {"s", "s", "w", "n", "e"}}, {6, {"s", "s", "w", "n", "n", "e"}}};
    const auto& players = scene.match->players;
    for (std::size_t i = 0; i < players.size(); ++i) {
        if (players[i].value("name", "") != player) continue;
        const auto seat = players[i].find("seat");
        if (seat != players[i].end() && seat->is_string() && !seat->get<std::string>().empty())
            return seat->get<std::string>();
        const auto usual = defaults.find(players.size());
        return usual == defaults.end() ? kSeats[i % 4] : usual->second[i];
    }
    return "s";
}

std::vector<Json> players_at(const Scene& scene, const std::string& seat) {
    std::vector<Json> here;
    if (scene.match)
        for (const Json& player : scene.match->players)
            if (seat_of(scene, player.value("name", "")) == seat) here.push_back(player);
    return here;
}

std::vector<std::string> seats_taken(const Scene& scene) {
    std::vector<std::string> seats;
    for (const char* seat : kSeats)
        if (!players_at(scene, seat).empty()) seats.emplace_back(seat);
    if (seats.empty()) seats.emplace_back("s");
    return seats;
}

namespace {

Rect box_at(const Scene& scene, const std::string& seat, const PanelPlace& place, const Theme& theme) {
    const std::size_t people = std::max<std::size_t>(1, players_at(scene, seat).size());
    const double one = place.brief ? theme.panel_short_mm : theme.panel_width_mm;
    const double wide = std::min(seat_width(seat, scene.table), people > 1 ? 30 + 0.5 * one * double(people) : one);
    const double near = -theme.edge_mm - place.inward_mm;
    return {place.along_mm - wide / 2, near - theme.panel_depth_mm, place.along_mm + wide / 2, near};
}

PanelPlace place_of(const Scene& scene, const std::string& seat) {
    const auto moved = scene.panels.find(seat);
    return moved == scene.panels.end() ? PanelPlace{} : moved->second;
}

Rect on_table(const Scene& scene, const std::string& seat, const Rect& box) {
    const Pose frame = seat_pose(seat, scene.table);
    return box_of({place(frame, {box.x0, box.y0}), place(frame, {box.x1, box.y1})});
}

// What a panel should leave free: zones and ghosts.
std::vector<Rect> game_boxes(const Scene& scene) {
    std::vector<Rect> boxes;
    for (const Mark& mark : scene.marks) {
        if (mark.style != MarkStyle::zone && mark.kind != MarkKind::ghost) continue;
        if (mark.points.size() > 2) boxes.push_back(box_of(mark.points));
        else if (mark.radius > 0) boxes.push_back(Rect{mark.at.x, mark.at.y, mark.at.x, mark.at.y}.grown(mark.radius));
    }
    return boxes;
}

// All the ways a panel can make way, those first that keep it nearest to its reader.
std::vector<PanelPlace> ways(const Scene& scene, const std::string& seat, const Theme& theme) {
    const bool side = seat == "w" || seat == "e";
    const double deepest = (side ? scene.table.width_mm : scene.table.height_mm) / 2 - theme.panel_depth_mm - 2 * theme.edge_mm;
    std::vector<std::pair<double, PanelPlace>> all;
    for (const bool brief : {false, true}) {
        const double room = (seat_width(seat, scene.table) - box_at(scene, seat, {0, 0, brief}, theme).width()) / 2;
        for (double inward = 0; inward <= std::min(320.0, deepest); inward += 40)
            for (const double share : {0.0, -0.25, 0.25, -0.5, 0.5, -0.75, 0.75, -1.0, 1.0})
                all.push_back({1.5 * inward + (brief ? 60 : 0) + 0.15 * std::abs(share * room), {share * room, inward, brief}});
    }
    std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<PanelPlace> places;
    for (const auto& [cost, place] : all) places.push_back(place);
    return places;
}

}  // namespace

Rect panel_box(const Scene& scene, const std::string& seat, const Theme& theme) {
    return box_at(scene, seat, place_of(scene, seat), theme);
}

Rect panel_on_table(const Scene& scene, const std::string& seat, const Theme& theme) {
    return on_table(scene, seat, panel_box(scene, seat, theme));
}

void settle_panels(Scene& scene, const Theme& theme) {
    if (!scene.match) return;
    const auto dark = dark_places(scene.pieces, scene.table);
    const std::vector<Rect> game = game_boxes(scene);
    const auto seats = seats_taken(scene);
    for (const std::string& seat : seats) {
        const auto hidden = [&](const PanelPlace& place) {
            const Rect box = on_table(scene, seat, box_at(scene, seat, place, theme));
            double count = Clearance{&dark, {}, {}}.covered(box);
            for (const Rect& zone : game) count += touch(zone, box);
            for (const std::string& other : seats) count += other != seat && touch(panel_on_table(scene, other, theme), box);
            return count;
        };
        double least = hidden(place_of(scene, seat));
        if (least == 0) continue;
        for (const PanelPlace& way : ways(scene, seat, theme)) {
            const double cost = hidden(way);
            if (cost >= least) continue;
            least = cost;
            scene.panels[seat] = way;
            if (cost == 0) break;
        }
    }
}

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
        const double menu = 40, wide = (box.width() - menu) / double(std::max<std::size_t>(1, people.size()));
        for (std::size_t i = 0; i < people.size(); ++i) {
            const double x0 = box.x0 + wide * double(i);
            paint_player(stage, seat, frame,
                         {{x0, box.y0, x0 + wide, box.y1}, to_move(stage.scene, people[i]), has_won(stage.scene, people[i]), people[i]},
                         people.size() == 1);
        }
        paint_menu_button(stage, seat, frame, {box.x1 - menu, box.y0, box.x1, box.y1});
        stage.clearance.boxes.push_back(panel_on_table(stage.scene, seat, stage.theme).grown(2));
    }
}

void paint_banner(Stage& stage) {
    const Scene& scene = stage.scene;
    std::string key;
    if (!scene.rules_here) key = "table.rules_gone";
    else if (!scene.vision_here) key = "table.vision_gone";
    else if (scene.camera != "ok") key = "table.camera_" + scene.camera;
    else if (scene.paused) key = "table.paused";
    if (key.empty()) return;
    const auto seats = seats_taken(scene);
    for (const std::string seat : {"s", "n"}) {
        if (seat == "n" && std::find(seats.begin(), seats.end(), "n") == seats.end()) continue;
        const Pose frame = seat_pose(seat, scene.table);
        const std::string text = stage.say(seat, key);
        // Over the seat's panel, which has made way for the game already.
        const Rect under = scene.match ? panel_box(scene, seat, stage.theme) : Rect{-330, 0, 330, 0};
        const Rect box{under.x0, under.y0 - stage.theme.edge_mm - 30, under.x1, under.y0 - stage.theme.edge_mm};
        stage.list.add(Hash{"banner"} << frame << text << box.x0 << box.y0 << box.x1, [&](Pen& pen) {
            pen.frame = frame;
            pen.box(box, 8, stage.theme.panel);
            pen.box_outline(box, 8, 1.4, scene.paused && key == "table.paused" ? stage.theme.hint : stage.theme.warning);
            pen.text(text, box.centre(), pen.fitted(text, {stage.theme.body_mm, stage.theme.text, Weight::bold, Anchor::centre, 0}, box.width() - 20, 1));
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

void paint_welcome(Stage& stage) {
    if (stage.scene.match || !stage.scene.menu.page.empty()) return;
    const Table& table = stage.scene.table;
    for (const std::string seat : {"s", "n"}) {
        const Pose frame{table.width_mm / 2, table.height_mm / 2, seat_angle(seat)};
        stage.label(frame, {0, 120}, "Overboard", {58, stage.theme.text, Weight::bold, Anchor::centre, 0});
        stage.label(frame, {0, 172}, stage.say(seat, "table.touch_to_begin"),
                    {20, stage.theme.accent, Weight::regular, Anchor::centre, 0});
    }
    stage.list.add(Hash{"welcome rule"} << table.width_mm << table.height_mm, [&](Pen& pen) {
        const double y = table.height_mm / 2;
        pen.line({{table.width_mm / 2 - 150, y}, {table.width_mm / 2 + 150, y}}, 1, stage.theme.panel_line);
        pen.disc({table.width_mm / 2, y}, 4, stage.theme.accent);
    });
    stage.tap({0, 0, 0}, {0, 0, table.width_mm, table.height_mm}, {"menu.open", {{"at", "nearest"}}});
}

}  // namespace overboard::table
