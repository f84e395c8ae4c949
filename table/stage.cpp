#include "table/stage.hpp"

#include <algorithm>
#include <cmath>

#include "bus/messages.hpp"

namespace overboard::table {

double seat_angle(const std::string& seat) {
    if (seat == "n") return M_PI;
    if (seat == "w") return M_PI / 2;
    if (seat == "e") return -M_PI / 2;
    return 0;
}

Pose seat_pose(const std::string& seat, const Table& table) {
    const double w = table.width_mm, h = table.height_mm;
    if (seat == "n") return {w / 2, 0, M_PI};
    if (seat == "w") return {0, h / 2, M_PI / 2};
    if (seat == "e") return {w, h / 2, -M_PI / 2};
    return {w / 2, h, 0};
}

double seat_width(const std::string& seat, const Table& table) {
    const double edge = seat == "w" || seat == "e" ? table.height_mm : table.width_mm;
    return edge - 2 * (40 + table.marker_mm / 2 + 18);
}

std::string nearest_seat(Point p, const Table& table) {
    const std::pair<double, const char*> edges[] = {
        {table.height_mm - p.y, "s"}, {p.x, "w"}, {p.y, "n"}, {table.width_mm - p.x, "e"}};
    return std::min_element(std::begin(edges), std::end(edges))->second;
}

Stage::Stage(const Scene& shown, DisplayList& into, const Theme& look, Pen measuring_pen)
    : scene{shown},
      list{into},
      theme{look},
      ruler{measuring_pen},
      dark{dark_places(shown.pieces, shown.table)} {
    clearance.dark = &dark;
    clearance.table = Rect{0, 0, shown.table.width_mm, shown.table.height_mm}.grown(-4);
}

namespace {

constexpr double kSmallest = 0.78;  // of the usual size: smaller than that, two lines are better

// "2 blue · 1 red" in two lines: parted at the dot nearest to the middle, not in the midst of a
// part.
std::string parted(const std::string& text) {
    static const std::string dot = " · ";
    std::size_t best = std::string::npos;
    const auto off = [&](std::size_t at) { return std::abs(double(at) - double(text.size()) / 2); };
    for (std::size_t at = text.find(dot); at != std::string::npos; at = text.find(dot, at + 1))
        if (best == std::string::npos || off(at) < off(best)) best = at;
    return best == std::string::npos ? text
                                     : text.substr(0, best) + "\n" + text.substr(best + dot.size());
}

// Names are nobody's to translate: players, and faces such as "J17" or "3".
bool is_name(const Scene& scene, const std::string& value) {
    const auto of_player = [&](const Json& player) { return player.value("name", "") == value; };
    if (scene.match &&
        std::any_of(scene.match->players.begin(), scene.match->players.end(), of_player))
        return true;
    return value.empty() || value.find_first_of("0123456789") != std::string::npos;
}

}  // namespace

std::optional<std::string> Stage::known(const std::string& seat, const std::string& key) const {
    std::string text = Messages::shared().text(scene.language_at(seat), key);
    if (text == key) return {};
    return text;
}

std::string Stage::word(const std::string& seat, const std::string& value) const {
    if (const auto found = known(seat, "word." + value)) return *found;
    // "blue-hexagon": a colour and what has it, in the order of the language.
    if (const auto dash = value.find('-');
        dash != std::string::npos && known(seat, "word." + value.substr(0, dash)))
        return Messages::shared().text(scene.language_at(seat), "table.of_colour",
                                       {{"colour", word(seat, value.substr(0, dash))},
                                        {"thing", word(seat, value.substr(dash + 1))}});
    if (!is_name(scene, value)) untranslated.insert("word." + value);
    std::string plain = value;
    std::replace(plain.begin(), plain.end(), '_', ' ');
    return plain;
}

std::string Stage::action(const std::string& seat, const std::string& name) const {
    const std::string game = scene.match ? scene.match->game : "";
    for (const std::string& key : {"action." + game + "." + name, "action." + name})
        if (const auto found = known(seat, key)) return *found;
    untranslated.insert("action." + name);
    return word(seat, name);
}

std::string Stage::game_name(const std::string& seat, const GameEntry& game) const {
    return known(seat, "game." + game.id).value_or(game.name);
}

std::string Stage::say(const std::string& seat, const std::string& key, const Json& args) const {
    Json filled = args;
    if (filled.is_object())
        for (auto& [name, value] : filled.items())
            if (value.is_string() && name != "player" && name != "name")
                value = word(seat, value.get<std::string>());
    const std::string text = Messages::shared().text(scene.language_at(seat), key, filled);
    if (text == key) untranslated.insert(key);
    return text;
}

void Stage::tap(Pose frame, const Rect& area, Action action) {
    targets.push_back({frame, area, std::move(action)});
}

void Stage::panel(Pose frame, const Rect& area, bool bright) {
    list.add(Hash{"panel"} << frame << area.x0 << area.y0 << area.x1 << area.y1 << bright,
             [&](Pen& pen) {
                 pen.frame = frame;
                 pen.box(area.grown(3), theme.corner_mm + 3, sf::Color{0, 0, 0, 150});
                 pen.box(area, theme.corner_mm, theme.panel);
                 pen.box_outline(area, theme.corner_mm, bright ? 1.8 : 1.0,
                                 bright ? theme.accent : theme.panel_line);
             });
}

void Stage::label(Pose frame, Point at, const std::string& text, const TextStyle& style) {
    if (text.empty()) return;
    list.add(Hash{"label"} << frame << at << text << style.size_mm << style.colour.toInteger()
                           << int(style.weight) << int(style.anchor) << style.wrap_mm,
             [&](Pen& pen) {
                 pen.frame = frame;
                 pen.text(text, at, style);
             });
}

void Stage::button(Pose frame, const Rect& area, const std::string& text, Action action,
                   Look look) {
    list.add(
        Hash{"button"} << frame << area.x0 << area.y0 << area.x1 << area.y1 << text << int(look),
        [&](Pen& pen) {
            pen.frame = frame;
            const bool bright = look == Look::chosen || look == Look::primary;
            pen.box(area, theme.corner_mm,
                    look == Look::primary    ? theme.accent
                    : look == Look::disabled ? theme.panel
                                             : theme.button);
            pen.box_outline(area, theme.corner_mm, bright ? 1.8 : 0.9,
                            bright                ? theme.accent
                            : look == Look::plain ? theme.button_line
                                                  : theme.panel_line);
            TextStyle style{std::min(theme.body_mm, area.height() * 0.48),
                            look == Look::primary  ? sf::Color{20, 18, 10}
                            : look == Look::chosen ? theme.accent
                            : look == Look::plain  ? theme.text
                                                   : theme.quiet,
                            bright ? Weight::bold : Weight::regular, Anchor::centre, 0};
            const double room = area.width() - 10;
            const bool two = area.height() > 2.2 * theme.body_mm &&
                             pen.measure(text, style).width * kSmallest > room;
            const std::string shown = two ? parted(text) : text;
            pen.text(shown, area.centre(), pen.fitted(shown, style, room, two ? 2 : 1));
        });
    if (look != Look::disabled) tap(frame, area, std::move(action));
}

Pose Stage::dialogue_pose(const std::string& name, const std::string& seat, double w, double h,
                          std::optional<Point> near) {
    if (const auto old = scene.dialogues.find(name); old != scene.dialogues.end()) {
        dialogues[name] = old->second;
        return {old->second.x, old->second.y, seat_angle(seat)};
    }
    const double angle = seat_angle(seat);
    const Point middle{scene.table.width_mm / 2, scene.table.height_mm / 2};
    const Point home = near.value_or(middle +
                                     rotated({0, 60}, angle));  // within the reader's reach
    const Rect on = clearance.table;
    const Rect size = turned_box({0, 0}, w, h, angle);
    Point best = home;
    double least = 1e18;
    for (double fx = 0; fx <= 1; fx += 0.125)
        for (double fy = 0; fy <= 1; fy += 0.125) {
            const Point at{
                on.x0 + size.width() / 2 + fx * std::max(0.0, on.width() - size.width()),
                on.y0 + size.height() / 2 + fy * std::max(0.0, on.height() - size.height())};
            const Rect box = turned_box(at, w, h, angle);
            const auto panels = std::count_if(clearance.boxes.begin(), clearance.boxes.end(),
                                              [&](const Rect& b) { return touch(b, box); });
            const double cost = 45 * clearance.covered(box) + 520 * double(panels) +
                                distance(at, home);
            if (cost < least) least = cost, best = at;
        }
    dialogues[name] = best;
    return {best.x, best.y, angle};
}

}  // namespace overboard::table
