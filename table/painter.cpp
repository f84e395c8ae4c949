#include "table/painter.hpp"

#include <algorithm>
#include <cmath>

#include "table/panels.hpp"

namespace overboard::table {
namespace {

constexpr std::size_t kPlacedTexts = 300;  // beyond so many nobody reads them: drawn where they are

Hash hash_of(const Mark& mark) {
    Hash h{"mark"};
    h << int(mark.kind) << int(mark.style) << mark.at << mark.points << mark.radius << mark.done
      << mark.seat << mark.size;
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

// How much light a zone gets: one of somebody who waits is only a reminder.
struct Zone {
    double fill, line;
};
constexpr Zone kLive{0.15, 0.9}, kWaiting{0.05, 0.4};

void paint_circle(Pen& pen, const Mark& mark, const Theme& theme, const Zone& zone) {
    const sf::Color colour = theme.of(mark.style);
    if (mark.style == MarkStyle::zone) pen.disc(mark.at, mark.radius, faded(colour, zone.fill));
    pen.ring(mark.at, mark.radius, mark.style == MarkStyle::warning ? 2.6 : theme.line_mm,
             faded(colour, mark.style == MarkStyle::zone ? zone.line : 1));
}

void paint_polygon(Pen& pen, const Mark& mark, const Theme& theme, const Zone& zone) {
    const sf::Color colour = theme.of(mark.style);
    pen.polygon(mark.points, faded(colour, mark.style == MarkStyle::zone ? zone.fill : 0.13));
    pen.outline(mark.points, theme.line_mm,
                faded(colour, mark.style == MarkStyle::zone ? zone.line : 1));
}

bool is_round(const Mark& mark) {
    return mark.points.size() < 3;
}
Point middle_of(const Mark& mark) {
    return is_round(mark) ? mark.at : box_of(mark.points).centre();
}

Polygon shape_of(const Mark& mark) {
    return is_round(mark) ? Pen::circle(mark.at, mark.radius > 0 ? mark.radius : 10, 48)
                          : mark.points;
}

// Dashed: here a piece is to be. Whole and ticked: it is there.
void paint_ghost(Pen& pen, const Mark& mark, const Theme& theme) {
    if (mark.done) {
        pen.outline(shape_of(mark), theme.line_mm, faded(theme.good, 0.9));
        const double s = 5;
        const Point middle = middle_of(mark);
        pen.line(
            {middle + Point{-s, 0}, middle + Point{-s * 0.3, s * 0.7}, middle + Point{s, -s * 0.7}},
            1.8, theme.good);
        return;
    }
    pen.polygon(shape_of(mark), faded(theme.of(mark.style), 0.16));
    pen.dashes(shape_of(mark), true, 2.2, 6, theme.of(mark.style));
}

// The piece a hint is about: its ghost would vanish in the dark of the piece. (One that is to be
// put back may vanish: it lies there already.)
const Dark* piece_on(const Stage& stage, const Mark& mark) {
    if (mark.kind != MarkKind::ghost || (mark.style != MarkStyle::hint && !mark.done))
        return nullptr;
    const Point middle = middle_of(mark);
    const auto first = stage.dark.begin() + std::ptrdiff_t(stage.scene.table.markers.size());
    const auto found = std::min_element(first, stage.dark.end(), [&](const Dark& a, const Dark& b) {
        return distance(a.centre, middle) < distance(b.centre, middle);
    });
    return found == stage.dark.end() || distance(found->centre, middle) >= 0.5 * found->reach
               ? nullptr
               : &*found;
}

// Round the dark of a piece.
Polygon ring_of(const Dark& piece) {
    const double out = KeepoutLimits{}.soft_mm + 2;
    if (piece.round) return Pen::circle(piece.centre, piece.reach + out, 48);
    Polygon shape = piece.outline;
    for (Point& p : shape)
        p = p + (p - piece.centre) * (1.3 * out / std::max(1.0, distance(p, piece.centre)));
    return shape;
}

bool covers(const Dark& dark, Point p) {
    if (dark.round) return distance(p, dark.centre) < dark.reach;
    const Polygon& c = dark.outline;
    for (std::size_t i = 0; i < c.size(); ++i)
        if (cross(c[(i + 1) % c.size()] - c[i], p - c[i]) < 0) return false;
    return true;
}

// Amid other pieces a ring would be a few crumbs between them; a third of it still points at its
// piece.
bool can_be_seen(const Stage& stage, const Polygon& ring) {
    constexpr int kLooks = 12;  // along each side
    int hidden = 0;
    for (std::size_t i = 0; i < ring.size(); ++i)
        for (int k = 0; k < kLooks; ++k) {
            const Point p = ring[i] +
                            (ring[(i + 1) % ring.size()] - ring[i]) * (double(k) / kLooks);
            hidden += std::any_of(stage.dark.begin(), stage.dark.end(),
                                  [&](const Dark& d) { return covers(d, p); });
        }
    return 3 * hidden <= 2 * kLooks * int(ring.size());
}

// This piece is meant, or, whole, this one is in its place.
void paint_round_piece(Pen& pen, const Mark& mark, const Polygon& shape, const Theme& theme) {
    if (mark.done)
        pen.outline(shape, theme.line_mm, theme.good);
    else
        pen.dashes(shape, true, 2.4, 8, theme.of(mark.style));
}

void paint_shape(Pen& pen, const Mark& mark, const Theme& theme, const Zone& zone) {
    switch (mark.kind) {
        case MarkKind::circle: return paint_circle(pen, mark, theme, zone);
        case MarkKind::polygon: return paint_polygon(pen, mark, theme, zone);
        case MarkKind::line: return pen.line(path_of(mark), theme.line_mm, theme.of(mark.style));
        case MarkKind::arrow: return pen.arrow(path_of(mark), 2.6, theme.of(mark.style));
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
    words.style = {mark.size > 0 ? std::max(6.0, mark.size)
                   : badge       ? theme.title_mm
                                 : theme.body_mm,
                   mark.style == MarkStyle::zone ? theme.text : theme.of(mark.style),
                   badge ? Weight::bold : Weight::regular, Anchor::centre, 0};
    if (words.text.size() > 28) words.style.wrap_mm = 15 * words.style.size_mm;
    const TextSize size = stage.ruler.measure(words.text, words.style);
    const double pad = badge ? 0.45 * words.style.size_mm : 2;
    words.width = std::max(size.width + 2 * pad, badge ? size.height + pad : 0);
    words.height = size.height + (badge ? 0.5 * pad : 0);
    return words;
}

// Words that had to step aside point to what they are about.
void paint_leader(Stage& stage, const Mark& mark, const Words& words, Point at) {
    const Rect box = turned_box(at, words.width, words.height, seat_angle(mark.seat));
    if (box.grown(6).contains(mark.at)) return;
    const Point way = (mark.at - at) * (1 / distance(at, mark.at)), aside{-way.y, way.x};
    const double across = std::abs(way.x) * box.width() / 2,
                 along = std::abs(way.y) * box.height() / 2;
    const Point root = at + way * std::max(across, along),
                tip = at + way * (std::max(across, along) + 15);
    stage.list.add(Hash{"leader"} << at << mark.at << int(mark.style), [&](Pen& pen) {
        const sf::Color colour = stage.theme.of(mark.style);
        if (distance(tip, mark.at) > 25) pen.line({tip, mark.at}, 1.2, faded(colour, 0.8));
        pen.polygon({root + aside * 7, tip, root - aside * 7}, colour);
    });
}

void paint_words_at(Stage& stage, const Mark& mark, const Words& words, Point at) {
    const Pose frame{at.x, at.y, seat_angle(mark.seat)};
    const bool badge = mark.kind == MarkKind::badge;
    if (badge) paint_leader(stage, mark, words, at);
    stage.list.add(
        Hash{"words"} << frame << words.text << int(mark.style) << badge << words.style.size_mm,
        [&](Pen& pen) {
            pen.frame = frame;
            const Rect box{-words.width / 2, -words.height / 2, words.width / 2, words.height / 2};
            pen.box(box, std::min(words.height / 2, 7.0),
                    sf::Color{6, 8, 12, badge ? sf::Uint8{235} : sf::Uint8{190}});
            if (badge) pen.box_outline(box, words.height / 2, 1.3, stage.theme.of(mark.style));
            pen.text(words.text, {0, 0}, words.style);
        });
}

}  // namespace

std::string text_of(const Stage& stage, const Mark& mark) {
    if (!mark.text.empty()) return mark.text;
    return mark.key.empty() ? std::string{} : stage.say(mark.seat, mark.key, mark.args);
}

// Whether a zone belongs to a seat where nobody is to move.
bool waits(const std::string& seat_to_move, const Mark& mark) {
    return mark.style == MarkStyle::zone && !mark.seat.empty() && !seat_to_move.empty() &&
           mark.seat != seat_to_move;
}

void paint_shapes(Stage& stage) {
    const auto& match = stage.scene.match;
    const std::string turn = match && !match->finished && !match->turn_player.empty()
                                 ? seat_of(stage.scene, match->turn_player)
                                 : "";
    for (int level = 0; level < 3; ++level)
        for (const Mark& mark : stage.scene.marks) {
            if (mark.kind == MarkKind::text || mark.kind == MarkKind::badge || depth(mark) != level)
                continue;
            const Dark* piece = piece_on(stage, mark);
            const bool waiting = waits(turn, mark);
            if (piece) {
                const Polygon ring = ring_of(*piece);
                if (can_be_seen(stage, ring))
                    stage.list.add(hash_of(mark) << ring, [&](Pen& pen) {
                        paint_round_piece(pen, mark, ring, stage.theme);
                    });
            } else
                stage.list.add(hash_of(mark) << waiting, [&](Pen& pen) {
                    paint_shape(pen, mark, stage.theme, waiting ? kWaiting : kLive);
                });
        }
}

// What a zone is for is written at its reader's side, beside it: what is laid there must not hide
// it.
Mark label_of_zone(const Stage& stage, const Mark& zone) {
    Mark label = zone;
    label.kind = MarkKind::text;
    label.size = stage.theme.small_mm;
    const Rect box = box_of(shape_of(zone));
    const bool across = zone.seat == "w" || zone.seat == "e";
    const double away = (across ? box.width() : box.height()) / 2 + 0.8 * label.size;
    label.at = box.centre() + rotated({0, away}, seat_angle(zone.seat));
    return label;
}

// Beside the pieces, but not dancing round them: a place once found is kept while pieces move, and
// afterwards as long as it is free.
Point place_for(Stage& stage, const Mark& mark, const Words& words, double angle) {
    const std::uint64_t key = (hash_of(mark) << words.text).value();
    const auto old = stage.scene.words.find(key);
    const bool keep = old != stage.scene.words.end() &&
                      (!stage.scene.still || stage.clearance.free(turned_box(
                                                 old->second, words.width, words.height, angle)));
    return stage.words[key] = keep ? old->second
                                   : free_place(mark.at, words.width, words.height, angle,
                                                stage.clearance);
}

bool is_words(const Mark& mark) {
    return mark.kind == MarkKind::text || mark.kind == MarkKind::badge;
}

void paint_words_of(Stage& stage, const Mark& mark, bool place) {
    const Words words = words_of(stage, mark);
    if (words.text.empty()) return;
    const double angle = seat_angle(mark.seat);
    const Point at = place ? place_for(stage, mark, words, angle) : mark.at;
    if (place) stage.clearance.boxes.push_back(turned_box(at, words.width, words.height, angle));
    paint_words_at(stage, mark, words, at);
}

// Where a small thing is to be put must be seen: words about it go beside it.
void spare_small_ghosts(Stage& stage) {
    constexpr double kSmall_mm = 60;
    for (const Mark& mark : stage.scene.marks) {
        if (mark.kind != MarkKind::ghost) continue;
        const Rect box = mark.points.size() > 2
                             ? box_of(mark.points)
                             : Rect{mark.at.x, mark.at.y, mark.at.x, mark.at.y}.grown(
                                   std::max(mark.radius, 1.0));
        if (std::max(box.width(), box.height()) < kSmall_mm) stage.clearance.boxes.push_back(box);
    }
}

void paint_words(Stage& stage) {
    spare_small_ghosts(stage);
    std::size_t placed = 0;
    for (const Mark& mark : stage.scene.marks) {
        const bool labelled = mark.style == MarkStyle::zone && !is_words(mark) &&
                              (!mark.key.empty() || !mark.text.empty());
        if ((!is_words(mark) && !labelled) || belongs_to_panel(stage.scene, mark)) continue;
        paint_words_of(stage, labelled ? label_of_zone(stage, mark) : mark,
                       placed++ < kPlacedTexts);
    }
}

void paint_dark(Stage& stage) {
    const KeepoutLimits limits;
    for (const Dark& dark : stage.dark)
        stage.list.add_dark(Hash{"dark"} << dark.outline, [&](Pen& pen) {
            if (dark.round)
                pen.soft_disc(dark.centre, dark.reach, limits.soft_mm, sf::Color::Black);
            else
                pen.halo(dark.outline, limits.soft_mm, sf::Color::Black);
        });
}

namespace {

/// The words of a warning: how wide they run, and where their box stands.
struct Warning {
    TextStyle style;
    double w, h;
    Point at;
};

double gap_between(const Rect& box, Point p) {
    return distance({std::clamp(p.x, box.x0, box.x1), std::clamp(p.y, box.y0, box.y1)}, p);
}

// The place nearest to the ring (`reach` round `about`) where a box is free, the reader's side of
// it first.
std::optional<Point> beside(Point about, double reach, double w, double h, double angle,
                            const Clearance& clearance) {
    const Rect size = turned_box({0, 0}, w, h, angle);
    for (double gap = 8; gap < 700; gap += gap < 100 ? 8 : 24)
        for (int i = 0; i < 32; ++i) {
            const double turn = M_PI / 2 + angle + (i % 2 ? 1 : -1) * ((i + 1) / 2) * M_PI / 16;
            const Point way{std::cos(turn), std::sin(turn)};
            const double out = std::min(size.x1 / std::max(1e-9, std::abs(way.x)),
                                        size.y1 / std::max(1e-9, std::abs(way.y)));
            const Point at = about + way * (out + reach + gap);
            const Rect box = turned_box(at, w, h, angle);
            if (gap_between(box, about) > reach + 4 && clearance.free(box)) return at;
        }
    return {};
}

// Of narrow, usual and wide lines those that come nearest; they stay where they are while pieces
// move.
Warning warning_for(Stage& stage, const std::string& reason, Point about, double reach,
                    double angle, const Clearance& clearance) {
    std::optional<Warning> best;
    double least = 1e9;
    for (const double wrap : {280.0, 190.0, 420.0}) {
        Warning one{{stage.theme.body_mm, stage.theme.text, Weight::regular, Anchor::left, wrap},
                    0,
                    0,
                    about};
        const TextSize size = stage.ruler.measure(reason, one.style);
        one.w = size.width + 46, one.h = std::max(34.0, size.height + 14);
        const std::uint64_t key = (Hash{"warning"} << about << reason << angle << wrap).value();
        const auto old = stage.scene.words.find(key);
        const bool keep = old != stage.scene.words.end() &&
                          (!stage.scene.still ||
                           clearance.free(turned_box(old->second, one.w, one.h, angle)));
        const auto found = keep ? std::optional{old->second}
                                : beside(about, reach, one.w, one.h, angle, clearance);
        if (!found) {
            if (!best) best = one;
            continue;
        }
        one.at = *found;
        const double gap = keep ? -1 : gap_between(turned_box(one.at, one.w, one.h, angle), about);
        if (gap < least) least = gap, best = one;
    }
    stage.words[(Hash{"warning"} << about << reason << angle << best->style.wrap_mm)
                    .value()] = best->at;
    return *best;
}

// From the ring to the box, where they are apart.
void paint_warning_leader(Stage& stage, Point about, double reach, const Rect& box) {
    const Point end{std::clamp(about.x, box.x0, box.x1), std::clamp(about.y, box.y0, box.y1)};
    const double apart = distance(about, end);
    if (apart < reach + 16) return;
    const Point start = about + (end - about) * ((reach + 7) / apart);
    stage.list.add(Hash{"warning leader"} << start << end, [&](Pen& pen) {
        pen.line({start, end}, 2, stage.theme.warning);
    });
}

}  // namespace

void paint_attention(Stage& stage) {
    if (!stage.scene.attention || !stage.scene.attention->at) return;
    const Attention& seen = *stage.scene.attention;
    const Point at = *seen.at;
    const std::string seat = stage.scene.match
                                 ? seat_of(stage.scene, stage.scene.match->turn_player)
                                 : "s";
    double reach = 22;
    for (const Dark& dark : stage.dark)
        if (distance(dark.centre, at) < 14) reach = std::max(reach, dark.reach + 10);
    stage.list.add(Hash{"attention ring"} << at << reach, [&](Pen& pen) {
        pen.ring(at, reach, 3, stage.theme.warning);
        pen.ring(at, reach + 6, 1.2, faded(stage.theme.warning, 0.6));
    });
    const std::string reason = seen.message.key.empty()
                                   ? seen.reason
                                   : stage.say(seat, seen.message.key, seen.message.args);
    const double angle = seat_angle(seat);
    Clearance clearance = stage.clearance;
    for (const Rect& box : game_boxes(stage.scene))  // unless what it is about is the zone itself
        if (!box.grown(reach).contains(at)) clearance.boxes.push_back(box.grown(5));
    const Warning words = warning_for(stage, reason, at, reach, angle, clearance);
    const Rect on_table = turned_box(words.at, words.w, words.h, angle);
    paint_warning_leader(stage, at, reach, on_table);
    stage.clearance.boxes.push_back(Rect{at.x, at.y, at.x, at.y}.grown(reach + 8));
    stage.clearance.boxes.push_back(on_table);
    const Rect box{-words.w / 2, -words.h / 2, words.w / 2, words.h / 2};
    const Pose frame{words.at.x, words.at.y, angle};
    stage.list.add(Hash{"attention"} << frame << reason << words.w << words.h, [&](Pen& pen) {
        pen.frame = frame;
        pen.box(box, stage.theme.corner_mm, stage.theme.panel);
        pen.box_outline(box, stage.theme.corner_mm, 1.6, stage.theme.warning);
        pen.polygon({{box.x0 + 19, -11}, {box.x0 + 31, 10}, {box.x0 + 7, 10}}, stage.theme.warning);
        pen.text("!", {box.x0 + 19, 2.5},
                 {15, sf::Color{20, 14, 6}, Weight::bold, Anchor::centre, 0});
        pen.text(reason, {box.x0 + 38, 0}, words.style);
    });
}

}  // namespace overboard::table
