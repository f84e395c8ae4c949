#include "table/replay_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace overboard::table {
namespace {

constexpr double kTrail_s = 0.9;   // longer: more of the way stays visible
constexpr double kFlash_s = 0.22;  // of the shot's own time
constexpr double kPocket_s = 0.6;

constexpr double kTurnStep_rad = 2 * M_PI / 180, kForceStep = 0.1;

double radius_of(const std::string& type) {
    return type == "striker" ? 13 : 10;
}

sf::Color colour_of(const std::string& type, const Theme& theme) {
    if (type == "queen") return sf::Color{230, 90, 70};
    if (type == "striker") return theme.text;
    return type == "black" ? theme.quiet : theme.hint;
}

// The way of the last moments, thin and faint at its old end.
void paint_trail(Stage& stage, const Replay& replay, const Track& track, sf::Color colour) {
    Polygon way;
    for (const TrackPoint& p : track.points)
        if (p.t > replay.time() - kTrail_s && p.t <= replay.time())
            way.push_back(replay.on_table({p.x, p.y}));
    if (way.empty()) return;
    way.push_back(replay.on_table(replay.position(track)));
    stage.list.add(Hash{"trail"} << track.id << way, [&](Pen& pen) {
        for (std::size_t i = 0; i + 1 < way.size(); ++i) {
            const double k = double(i + 1) / double(way.size());
            pen.line({way[i], way[i + 1]}, 0.8 + 2.4 * k, faded(colour, 0.1 + 0.6 * k));
        }
    });
}

void paint_disc(Stage& stage, const Replay& replay, const Track& track) {
    const sf::Color colour = colour_of(track.type, stage.theme);
    paint_trail(stage, replay, track, colour);
    if (replay.fallen(track.id)) return;
    const Point at = replay.on_table(replay.position(track));
    const double r = radius_of(track.type);
    stage.list.add(Hash{"replayed disc"} << at << r << colour.toInteger(), [&](Pen& pen) {
        pen.disc(at, r, faded(colour, 0.45));
        pen.ring(at, r - 0.8, 1.6, colour);
    });
}

void paint_impacts(Stage& stage, const Replay& replay) {
    for (const Impact& hit : replay.impacts()) {
        const double age = (replay.time() - hit.t) / kFlash_s;
        if (age < 0 || age >= 1) continue;
        const Point at = replay.on_table(hit.at);
        const double reach = 8 + std::min(18.0, hit.strength / 120) * (0.4 + age);
        stage.list.add(Hash{"impact"} << at << age, [&](Pen& pen) {
            pen.outline(Pen::circle(at, reach, 40), 2.2 * (1 - age) + 0.4,
                        faded(stage.theme.accent, 1 - age));
        });
    }
}

void paint_pockets(Stage& stage, const Replay& replay) {
    for (const Fallen& f : replay.shot().pocketed) {
        const double age = (replay.time() - f.time) / kPocket_s;
        const auto track = std::find_if(replay.shot().tracks.begin(), replay.shot().tracks.end(),
                                        [&](const Track& t) { return t.id == f.id; });
        if (age < 0 || track == replay.shot().tracks.end() || track->points.empty()) continue;
        const Point at = replay.on_table({track->points.back().x, track->points.back().y});
        const double grow = std::min(1.0, age);
        stage.list.add(Hash{"pocket"} << at << grow, [&](Pen& pen) {
            pen.outline(Pen::circle(at, 17 + 6 * grow, 40), 2.4,
                        faded(stage.theme.good, 1 - 0.5 * grow));
            pen.disc(at, 6, faded(stage.theme.good, 0.9));
        });
    }
}

// Where everything stood before the shot; ticked off as it comes back.
void paint_start(Stage& stage, const Replay& replay) {
    for (const Track& track : replay.shot().tracks) {
        if (track.points.empty()) continue;
        const Point at = replay.on_table({track.points.front().x, track.points.front().y});
        const bool back = is_back(stage.scene.pieces, track.type, at);
        const double r = radius_of(track.type);
        const sf::Color colour = back ? stage.theme.good : colour_of(track.type, stage.theme);
        stage.list.add(Hash{"put back"} << at << back << colour.toInteger(), [&](Pen& pen) {
            if (back) return pen.ring(at, r + 15, 1.6, colour);
            pen.disc(at, r, faded(colour, 0.14));
            pen.dashes(Pen::circle(at, r + 1, 40), true, 1.8, 4, colour);
        });
    }
}

// Where everything would have gone: dashed, and rings where it would lie now.
void paint_instead(Stage& stage, const Replay& replay) {
    if (!replay.what_if() || !replay.instead()) return;
    const Shot& shot = *replay.instead();
    for (const Track& track : shot.tracks) {
        Polygon way;
        for (const TrackPoint& p : track.points) way.push_back(replay.on_table({p.x, p.y}));
        if (way.size() < 2 ||
            distance(way.front(), way.back()) + box_of(way).width() + box_of(way).height() < 2)
            continue;
        const bool gone = std::any_of(shot.pocketed.begin(), shot.pocketed.end(),
                                      [&](const Fallen& f) { return f.id == track.id; });
        const double r = radius_of(track.type);
        stage.list.add(Hash{"what if"} << track.id << way << gone, [&](Pen& pen) {
            pen.dashes(way, false, 1.6, 5, faded(stage.theme.what_if, 0.75));
            if (gone) return pen.disc(way.back(), 6, stage.theme.what_if);
            pen.dashes(Pen::circle(way.back(), r, 40), true, 1.8, 4, stage.theme.what_if);
        });
    }
}

constexpr double kRowDepth = 44;
constexpr Rect kBar{-250, -34, 250, -14};

// Towards whoever asked for it.
const std::string& control_seat(const Scene& scene) {
    return scene.menu.seat;
}

}  // namespace

void paint_replay(Stage& stage) {
    if (!stage.scene.replay) return;
    const Replay& replay = *stage.scene.replay;
    if (replay.restoring()) return paint_start(stage, replay);
    for (const Track& track : replay.shot().tracks) paint_disc(stage, replay, track);
    paint_impacts(stage, replay);
    paint_pockets(stage, replay);
    paint_instead(stage, replay);
}

namespace {

// Other aim, other force, and how far the answer can be trusted.
void paint_what_if_row(Stage& stage, const std::string& seat, Pose frame, double half, double y) {
    const Replay& replay = *stage.scene.replay;
    const WhatIf& asked = *replay.what_if();
    const auto cell = [&](double from, double to) {
        return Rect{-half + 12 + from * (2 * half - 24), y, -half + 12 + to * (2 * half - 24),
                    y + 38};
    };
    const auto value = [&](double from, double to, const std::string& text) {
        const Rect at = cell(from, to);
        stage.label(
            frame, at.centre(), text,
            stage.ruler.fitted(
                text, {stage.theme.body_mm, stage.theme.what_if, Weight::bold, Anchor::centre, 0},
                at.width() - 4));
    };
    const int degrees = static_cast<int>(std::lround(asked.turn_rad * 180 / M_PI)),
              percent = static_cast<int>(std::lround(asked.force * 100));
    stage.button(frame, cell(0, 0.09), "↺",
                 {"replay.change", {{"turn", -kTurnStep_rad}, {"force", 0}}});
    value(0.09, 0.26, stage.say(seat, "table.what_if_aim", {{"degrees", degrees}}));
    stage.button(frame, cell(0.26, 0.35), "↻",
                 {"replay.change", {{"turn", kTurnStep_rad}, {"force", 0}}});
    stage.button(frame, cell(0.37, 0.46), "−",
                 {"replay.change", {{"turn", 0}, {"force", -kForceStep}}});
    value(0.46, 0.67, stage.say(seat, "table.what_if_force", {{"percent", percent}}));
    stage.button(frame, cell(0.67, 0.76), "+",
                 {"replay.change", {{"turn", 0}, {"force", kForceStep}}});
    if (!replay.answered()) return value(0.78, 1, "…");
    const int sure = replay.instead() && replay.instead()->confidence
                         ? static_cast<int>(std::lround(*replay.instead()->confidence * 100))
                         : 0;
    value(0.78, 1,
          replay.instead() ? stage.say(seat, "table.what_if_sure", {{"percent", sure}})
                           : stage.say(seat, "table.what_if_unknown"));
}

}  // namespace

void paint_replay_controls(Stage& stage) {
    if (!stage.scene.replay) return;
    const Replay& replay = *stage.scene.replay;
    const std::string seat = control_seat(stage.scene);
    const double w = 600, h = 92 + (replay.what_if() ? kRowDepth : 0),
                 top = -h / 2 + 46;  // top: the middle of the usual rows
    Pose frame = seat_pose(seat, stage.scene.table);
    const Point middle = place(frame, {0, -stage.theme.edge_mm - h / 2});
    frame.x = middle.x, frame.y = middle.y;
    const double half = std::min(w, seat_width(seat, stage.scene.table)) / 2, k = half / (w / 2);
    stage.panel(frame, {-half, -h / 2, half, h / 2}, true);
    stage.tap(frame, {-half, -h / 2, half, h / 2}, {"none"});
    const Rect bar{kBar.x0 * k, top + kBar.y0, kBar.x1 * k, top + kBar.y1};
    const double share = std::round(replay.share() * 400) / 400;
    stage.list.add(Hash{"scrub"} << frame << share << bar.x0, [&](Pen& pen) {
        pen.frame = frame;
        const double x = bar.x0 + share * bar.width(), y = bar.centre().y;
        pen.box({bar.x0, y - 2, bar.x1, y + 2}, 2, stage.theme.button);
        pen.box({bar.x0, y - 2, std::max(bar.x0 + 1, x), y + 2}, 2, stage.theme.accent);
        for (const Impact& hit : replay.impacts()) {
            const double at = (hit.t - replay.shot().start) /
                              std::max(1e-6, replay.shot().end - replay.shot().start);
            pen.disc({bar.x0 + at * bar.width(), y - 8}, 1.6, stage.theme.quiet);
        }
        pen.disc({x, y}, 8, stage.theme.accent);
    });
    stage.tap(frame, bar.grown(8),
              {"replay.scrub",
               {{"x0", bar.x0}, {"x1", bar.x1}, {"frame", {frame.x, frame.y, frame.angle}}}});
    const auto cell = [&](int i) {
        const int n = stage.scene.what_if_here ? 7 : 6;
        const double wide = (2 * half - 24 - (n - 1) * 6) / n, x = -half + 12 + i * (wide + 6);
        return Rect{x, top - 2, x + wide, top + 36};
    };
    using Look = Stage::Look;
    stage.button(frame, cell(0), stage.say(seat, replay.playing() ? "table.pause" : "table.play"),
                 {"replay.play", {{"on", !replay.playing()}}}, Look::primary);
    int i = 1;
    for (const auto& [label, speed] : {std::pair{"1×", 1.0}, {"¼×", 0.25}, {"⅒×", 0.1}})
        stage.button(frame, cell(i++), label, {"replay.speed", {{"speed", speed}}},
                     replay.speed() == speed ? Look::chosen : Look::plain);
    stage.button(frame, cell(4), stage.say(seat, "table.put_back"),
                 {"replay.restore", {{"on", !replay.restoring()}}},
                 replay.restoring() ? Look::chosen : Look::plain);
    i = 5;
    if (stage.scene.what_if_here)
        stage.button(frame, cell(i++), stage.say(seat, "table.what_if"),
                     {"replay.what_if", {{"on", !replay.what_if()}}},
                     replay.what_if() ? Look::chosen : Look::plain);
    stage.button(frame, cell(i), stage.say(seat, "table.close"), {"replay.close"}, Look::quiet);
    if (replay.what_if()) paint_what_if_row(stage, seat, frame, half, top + 42);
}

bool apply_replay(Scene& scene, const Action& action, Point at) {
    if (!scene.replay) return false;
    if (action.verb == "replay.play")
        scene.replay->play(action.data.value("on", true));
    else if (action.verb == "replay.speed")
        scene.replay->set_speed(action.data.value("speed", 0.25));
    else if (action.verb == "replay.restore")
        scene.replay->restore(action.data.value("on", true));
    else if (action.verb == "replay.close")
        scene.replay.reset();
    else if (action.verb == "replay.what_if") {
        // From the instant shown; once all is over, from the start.
        const double from = scene.replay->share() > 0.97 ? scene.replay->shot().start
                                                         : scene.replay->time();
        scene.replay->ask(action.data.value("on", true) ? std::optional{WhatIf{from, 0, 1}}
                                                        : std::nullopt);
    } else if (action.verb == "replay.change" && scene.replay->what_if()) {
        WhatIf other = *scene.replay->what_if();
        other.turn_rad += action.data.value("turn", 0.0);
        other.force = std::clamp(other.force + action.data.value("force", 0.0), kForceStep, 3.0);
        scene.replay->ask(other);
    } else if (action.verb == "replay.scrub") {
        const Json& f = action.data.at("frame");
        const double x = local_to({f[0].get<double>(), f[1].get<double>(), f[2].get<double>()}, at)
                             .x;
        const double x0 = action.data.value("x0", 0.0), x1 = action.data.value("x1", 1.0);
        scene.replay->scrub((x - x0) / (x1 - x0));
    } else
        return false;
    return true;
}

}  // namespace overboard::table
