#include "table/painter.hpp"

#include <algorithm>
#include <cmath>

namespace overboard::table {
namespace {

constexpr std::size_t kPlacedTexts = 300;  // beyond so many nobody reads them: drawn where they are

Hash hash_of(const Mark& mark) {
    Hash h{"mark"};
    h << int(mark.kind) << int(mark.style) << mark.at << mark.points << mark.radius << mark.done << mark.seat << mark.size;
    return h;
}

int depth(const Mark& mark) {
    if (mark.style == MarkStyle::zone) return 0;
    return mark.kind == MarkKind::line || mark.kind == MarkKind::arrow ? 2 : 1;
}

Polygon path_of(const Mark& mark) {
    Polygon path{mark.at};
    path.insert(path.end(), mark.points.begin(), mark.points.end());
    return path;
}

void paint_circle(Pen& pen, const Mark& mark, const Theme& theme) {
    const sf::Color colour = theme.of(mark.style);
    if (mark.style == MarkStyle::zone) pen.disc(mark.at, mark.radius, faded(colour, 0.22));
    pen.ring(mark.at, mark.radius, mark.style == MarkStyle::warning ? 2.6 : theme.line_mm,
             faded(colour, mark.style == MarkStyle::zone ? 0.8 : 1));
}

void paint_polygon(Pen& pen, const Mark& mark, const Theme& theme) {
    const sf::Color colour = theme.of(mark.style);
    pen.polygon(mark.points, faded(colour, mark.style == MarkStyle::zone ? 0.2 : 0.13));
    pen.outline(mark.points, theme.line_mm, faded(colour, mark.style == MarkStyle::zone ? 0.75 : 1));
}

// Dashed: here a piece is to be. Whole and ticked: it is there.
void paint_ghost(Pen& pen, const Mark& mark, const Theme& theme) {
    const bool round = mark.points.size() < 3;
    const double radius = mark.radius > 0 ? mark.radius : 10;
    const Polygon shape = round ? Pen::circle(mark.at, radius, 48) : mark.points;
    const Point middle = round ? mark.at : box_of(mark.points).centre();
    if (mark.done) {
        pen.outline(shape, theme.line_mm, faded(theme.good, 0.9));
        const double s = 5;
        pen.line({middle + Point{-s, 0}, middle + Point{-s * 0.3, s * 0.7}, middle + Point{s, -s * 0.7}}, 1.8, theme.good);
        return;
    }
    pen.polygon(shape, faded(theme.of(mark.style), 0.16));
    pen.dashes(shape, true, 1.9, 6, theme.of(mark.style));
}

void paint_shape(Pen& pen, const Mark& mark, const Theme& theme) {
    switch (mark.kind) {
        case MarkKind::circle: return paint_circle(pen, mark, theme);
        case MarkKind::polygon: return paint_polygon(pen, mark, theme);
        case MarkKind::line: return pen.line(path_of(mark), theme.line_mm, theme.of(mark.style));
        case MarkKind::arrow: return pen.arrow(path_of(mark), 2.2, theme.of(mark.style));
        case MarkKind::ghost: return paint_ghost(pen, mark, theme);
        case MarkKind::text:
        case MarkKind::badge: return;
    }
}

struct Words {
    std::string text;
    TextStyle style;
    double width, height;
};

Words words_of(const Stage& stage, const Mark& mark) {
    const Theme& theme = stage.theme;
    const bool badge = mark.kind == MarkKind::badge;
    Words words{text_of(stage, mark), {}, 0, 0};
    words.style = {mark.size > 0 ? std::max(6.0, mark.size) : badge ? theme.title_mm : theme.body_mm,
                   theme.of(mark.style), badge ? Weight::bold : Weight::regular, Anchor::centre, 0};
    if (words.text.size() > 28) words.style.wrap_mm = 15 * words.style.size_mm;
    const TextSize size = stage.ruler.measure(words.text, words.style);
    const double pad = badge ? 0.45 * words.style.size_mm : 2;
    words.width = std::max(size.width + 2 * pad, badge ? size.height + pad : 0);
    words.height = size.height + (badge ? 0.5 * pad : 0);
    return words;
}

void paint_words_at(Stage& stage, const Mark& mark, const Words& words, Point at) {
    const Pose frame{at.x, at.y, seat_angle(mark.seat)};
    const bool badge = mark.kind == MarkKind::badge;
    stage.list.add(Hash{"words"} << frame << words.text << int(mark.style) << badge << words.style.size_mm, [&](Pen& pen) {
        pen.frame = frame;
        const Rect box{-words.width / 2, -words.height / 2, words.width / 2, words.height / 2};
        pen.box(box, std::min(words.height / 2, 7.0), sf::Color{6, 8, 12, badge ? sf::Uint8{235} : sf::Uint8{190}});
        if (badge) pen.box_outline(box, words.height / 2, 1.3, stage.theme.of(mark.style));
        pen.text(words.text, {0, 0}, words.style);
    });
}

}  // namespace

std::string text_of(const Stage& stage, const Mark& mark) {
    if (!mark.text.empty()) return mark.text;
    return mark.key.empty() ? std::string{} : stage.say(mark.seat, mark.key, mark.args);
}

void paint_shapes(Stage& stage) {
    for (int level = 0; level < 3; ++level)
        for (const Mark& mark : stage.scene.marks)
            if (mark.kind != MarkKind::text && mark.kind != MarkKind::badge && depth(mark) == level)
                stage.list.add(hash_of(mark), [&](Pen& pen) { paint_shape(pen, mark, stage.theme); });
}

// Score marks at a seat say what its panel says already.
bool shown_by_panels(const Stage& stage, const Mark& mark) {
    if (mark.style != MarkStyle::score || mark.seat.empty() || !stage.scene.match) return false;
    return std::any_of(stage.scene.match->players.begin(), stage.scene.match->players.end(), [&](const Json& player) {
        const std::string name = player.value("name", "");
        return !name.empty() && mark.text.starts_with(name);
    });
}

// Beside the pieces, but not dancing round them: a place once found is kept while pieces move, and
// afterwards as long as it is free.
Point place_for(Stage& stage, const Mark& mark, const Words& words, double angle) {
    const std::uint64_t key = (hash_of(mark) << words.text).value();
    const auto old = stage.scene.words.find(key);
    const bool keep = old != stage.scene.words.end() &&
                      (!stage.scene.still || stage.clearance.free(turned_box(old->second, words.width, words.height, angle)));
    return stage.words[key] = keep ? old->second : free_place(mark.at, words.width, words.height, angle, stage.clearance);
}

// Where a small thing is to be put must be seen: words about it go beside it.
void spare_small_ghosts(Stage& stage) {
    constexpr double kSmall_mm = 40;
    for (const Mark& mark : stage.scene.marks) {
        if (mark.kind != MarkKind::ghost) continue;
        const Rect box = mark.points.size() > 2 ? box_of(mark.points) : Rect{mark.at.x, mark.at.y, mark.at.x, mark.at.y}.grown(std::max(mark.radius, 1.0));
        if (std::max(box.width(), box.height()) < kSmall_mm) stage.clearance.boxes.push_back(box);
    }
}

void paint_words(Stage& stage) {
    spare_small_ghosts(stage);
    std::size_t placed = 0;
    for (const Mark& mark : stage.scene.marks) {
        if (mark.kind != MarkKind::text && mark.kind != MarkKind::badge) continue;
        if (shown_by_panels(stage, mark)) continue;
        const Words words = words_of(stage, mark);
        if (words.text.empty()) continue;
        const double angle = seat_angle(mark.seat);
        const bool place = placed++ < kPlacedTexts;
        const Point at = place ? place_for(stage, mark, words, angle) : mark.at;
        if (place) stage.clearance.boxes.push_back(turned_box(at, words.width, words.height, angle));
        paint_words_at(stage, mark, words, at);
    }
}

void paint_dark(Stage& stage) {
    const KeepoutLimits limits;
    for (const Dark& dark : stage.dark)
        stage.list.add(Hash{"dark"} << dark.outline, [&](Pen& pen) {
            if (dark.round) pen.soft_disc(dark.centre, dark.reach, limits.soft_mm, sf::Color::Black);
            else pen.halo(dark.outline, limits.soft_mm, sf::Color::Black);
        });
}

void paint_attention(Stage& stage) {
    if (!stage.scene.attention || !stage.scene.attention->at) return;
    const Attention& seen = *stage.scene.attention;
    const Point at = *seen.at;
    std::string seat = "s";
    if (stage.scene.match)
        for (const Json& player : stage.scene.match->players)
            if (player.value("name", "") == stage.scene.match->turn_player) seat = player.value("seat", "s");
    double reach = 22;
    for (const Dark& dark : stage.dark)
        if (distance(dark.centre, at) < 14) reach = std::max(reach, dark.reach + 10);
    stage.list.add(Hash{"attention ring"} << at << reach, [&](Pen& pen) {
        pen.ring(at, reach, 3, stage.theme.warning);
        pen.ring(at, reach + 6, 1.2, faded(stage.theme.warning, 0.6));
    });
    stage.clearance.boxes.push_back(Rect{at.x, at.y, at.x, at.y}.grown(reach + 8));
    const std::string reason = seen.message.key.empty() ? seen.reason : stage.say(seat, seen.message.key, seen.message.args);
    TextStyle style{stage.theme.body_mm, stage.theme.text, Weight::regular, Anchor::left, 250};
    const TextSize size = stage.ruler.measure(reason, style);
    const double w = size.width + 46, h = std::max(34.0, size.height + 14), angle = seat_angle(seat);
    const Point down = rotated({0, reach + 14 + h / 2}, angle);
    const Point box_at = free_place(at + down, w, h, angle, stage.clearance);
    const Rect box{-w / 2, -h / 2, w / 2, h / 2};
    const Pose frame{box_at.x, box_at.y, angle};
    stage.clearance.boxes.push_back(turned_box(box_at, w, h, angle));
    stage.list.add(Hash{"attention"} << frame << reason << w << h, [&](Pen& pen) {
        pen.frame = frame;
        pen.box(box, stage.theme.corner_mm, stage.theme.panel);
        pen.box_outline(box, stage.theme.corner_mm, 1.6, stage.theme.warning);
        pen.polygon({{-w / 2 + 19, -11}, {-w / 2 + 31, 10}, {-w / 2 + 7, 10}}, stage.theme.warning);
        pen.text("!", {-w / 2 + 19, 2.5}, {15, sf::Color{20, 14, 6}, Weight::bold, Anchor::centre, 0});
        pen.text(reason, {-w / 2 + 38, 0}, style);
    });
}

}  // namespace overboard::table
