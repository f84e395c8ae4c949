#include <set>

#include "physics/board.hpp"
#include "physics/shot.hpp"
#include "rules/games.hpp"
#include "simulator/hands.hpp"
#include "simulator/play.hpp"

// The film's director. When the queue of acts is empty the rules are asked what may be played; what
// is chosen becomes the acts that lead from the table as it lies to the scene after the move. In a
// game of strokes physics plays, and the rules read the stroke as they would read a filmed one.
namespace overboard::simulator {

Script::Play::Play(const rules::Game& g, rules::Setup s, ScriptOptions o)
    : game{g},
      setup{std::move(s)},
      options{std::move(o)},
      engine{options.seed * 2654435761u + 12345} {
    catalogue = game.catalogue(setup);
    auto first = game.start(setup);
    if (!first) throw std::runtime_error("the game does not start: " + first.error().rule);
    state = *first;
    const Observation scene = game.scene_of(state);
    board_pose = scene.board;
    reset_actors(scene);
    Observation empty;
    empty.board = scene.board;
    World bare = world_from(catalogue, empty);
    if (options.clutter > 0) add_clutter(bare, options.clutter, options.seed, likely_places());
    fixtures = bare.bodies;
    wait(options.rest_s);
}

// Where pieces may come to lie, found by playing on at random a few times: people leave their
// glasses elsewhere.
std::vector<Polygon> Script::Play::likely_places() const {
    constexpr int kGames = 3, kMoves = 50;
    std::mt19937_64 dice(options.seed);
    std::vector<Polygon> places;
    std::set<std::pair<int, int>> known;  // centres, to the centimetre
    for (int g = 0; g < kGames; ++g) {
        rules::State s = state;
        for (int m = 0; m < kMoves; ++m) {
            for (const Piece& p : game.scene_of(s).pieces)
                if (known.insert({int(p.x / 10), int(p.y / 10)}).second) {
                    Polygon room = footprint(body_of(catalogue, p));
                    for (Point& q : room) q = q + (q - Point{p.x, p.y}) * 0.5;
                    places.push_back(std::move(room));
                }
            const auto moves = game.legal_moves(s);
            if (moves.empty()) break;
            const auto& move = moves[dice() % moves.size()];
            s = game.apply(s, move.player, move.move).state;
        }
    }
    return places;
}

std::string Script::Play::seat_of(int player) const {
    const auto view = game.view(state);
    if (player >= 0 && player < int(view.players.size())) {
        const std::string seat = view.players[player].value("seat", std::string());
        if (!seat.empty()) return seat;
    }
    if (player >= 0 && player < int(setup.players.size()) && !setup.players[player].seat.empty())
        return setup.players[player].seat;
    static const char* seats[] = {"s", "n", "w", "e"};
    return seats[std::max(player, 0) % 4];
}

rules::PlayerMove Script::Play::choose(const std::vector<rules::PlayerMove>& moves) {
    if (options.choose) return moves.at(options.choose(moves));
    std::map<std::string, std::vector<const rules::PlayerMove*>> by_type;
    for (const auto& m : moves) by_type[m.move.value("type", std::string())].push_back(&m);
    auto pick = by_type.begin();
    std::advance(pick, long(engine() % by_type.size()));
    return *pick->second[engine() % pick->second.size()];
}

void Script::Play::plan() {
    const auto view = game.view(state);
    const auto moves = view.finished ? std::vector<rules::PlayerMove>{} : game.legal_moves(state);
    if (moves.empty()) {
        over = true;
        return wait(1);
    }
    if (game.read_shot && catalogue.board) return play_stroke();
    play_move(choose(moves));
}

void Script::Play::play_move(const rules::PlayerMove& move) {
    const bool touch = !game.visible(state, move);
    const int others = int(setup.players.size());
    if (others > 1 && chance(options.mistakes.two_hands)) second_hand((move.player + 1) % others);
    if (chance(options.mistakes.bumped)) bump(move.player);
    const double nudged = options.mistakes.nudged;  // without, a match of a seed is as it ever was
    if (nudged > 0 && chance(nudged)) nudge(move.player);
    state = game.apply(state, move.player, move.move).state;
    Observation target = game.scene_of(state);
    cock_dice(target, move.player);
    change_scene(target, move.player);
    log(move, touch);
    wait(options.rest_s / options.pace);
}

// Now and then the die first comes to lie askew.
void Script::Play::cock_dice(const Observation& target, int player) {
    for (const Piece& p : target.pieces)
        for (int id : order) {
            const Piece& lies = actors.at(id).piece;
            if (p.kind != PieceKind::die || lies.kind != PieceKind::die || lies.value == p.value ||
                !chance(options.mistakes.cocked))
                continue;
            Piece askew = p;
            askew.value.reset();
            roll_die(id, player, askew);
            log({player, Move()}, false, "cocked");
            return;
        }
}

// One that lies loose on the table, for a hand to push; 0: none.
int Script::Play::any_lying() {
    std::vector<int> lying;
    for (int id : order)
        if (!actors.at(id).hidden && actors.at(id).piece.kind != PieceKind::die &&
            !carries_others(id))
            lying.push_back(id);
    return lying.empty() ? 0 : lying[engine() % lying.size()];
}

// The hand's edge pushes a piece a little aside; its owner pushes it back.
void Script::Play::bump(int player) {
    const int id = any_lying();
    if (id == 0) return;
    const Spot3 here = spot_of(actors.at(id));
    carry(id, player,
          Spot3{here.x + between(9, 15), here.y + between(-12, 12), here.z,
                here.angle + between(-0.3, 0.3)});
    log({player, Move()}, false, "bumped");
    wait(options.rest_s);
    carry(id, player, here);
}

void Script::Play::nudge(int player) {
    const int id = any_lying();
    if (id == 0) return;
    const Spot3 here = spot_of(actors.at(id));
    carry(id, player,
          Spot3{here.x + between(-3, 3), here.y + between(-3, 3), here.z,
                here.angle + between(-0.06, 0.06)});
    log({player, Move()}, false, "nudged");
    wait(options.rest_s / options.pace);
}

namespace {

physics::Position position_of(const std::map<int, Actor>& actors, const Pose& board,
                              double elevation_mm, double disc_height_mm) {
    physics::Position p;
    for (const auto& [id, a] : actors)
        p.discs.push_back(
            {id, a.piece.type, local_to(board, {a.piece.x, a.piece.y}),
             std::max(0, int(std::lround((a.body.z - elevation_mm) / disc_height_mm)))});
    return p;
}

}  // namespace

void Script::Play::play_stroke() {
    const int player = game.view(state).turn;
    const physics::Board& board = physics::load_board(catalogue.board->name);
    const physics::ShootingLine* line = board.line_of(seat_of(player));
    if (!line) line = &board.lines.front();
    const Pose pose = board_pose.value_or(catalogue.board->at);
    const physics::Position position = position_of(actors, pose, catalogue.board->elevation_mm,
                                                   board.disc_height_mm);
    const bool stacked = std::any_of(position.discs.begin(), position.discs.end(),
                                     [](const auto& d) { return d.level > 0; });
    for (int tries = 0; tries < 200; ++tries) {
        const double along = between(-0.8, 0.8) * distance(line->near[0], line->near[1]) / 2;
        const Point middle = (line->near[0] + line->near[1] + line->far[0] + line->far[1]) * 0.25;
        physics::Strike strike;
        strike.from = middle + line->along * along;
        const double clear = board.striker_diameter_mm / 2 + board.disc_diameter_mm / 2 + 0.5;
        const bool blocked = std::any_of(
            position.discs.begin(), position.discs.end(),
            [&](const auto& d) { return distance(d.at, strike.from) < clear; });
        if (blocked || !physics::striker_may_stand(board, *line, strike.from)) continue;
        const Point goal = position.discs.empty()
                               ? Point{}
                               : position.discs[engine() % position.discs.size()].at;
        const Point way = goal - strike.from;
        if (length(way) < 1 || dot(way, line->outward) > 0) continue;
        strike.velocity_mm_s = rotated(way * (between(900, 2600) / length(way)),
                                       between(-0.04, 0.04));
        strike.id = next_id++;
        Shot shot;
        physics::Heights heights;
        try {
            shot = physics::simulate(position, strike, board, {},
                                     stacked ? physics::Engine::box2d : physics::Engine::exact,
                                     &heights);
        } catch (const std::runtime_error&) {
            continue;  // a position physics cannot take
        }
        shot.confidence.reset();  // no prediction: this is what happens
        const rules::Reading reading = game.read_shot(state, shot, nullptr);
        if (reading.choices.empty()) continue;
        return film_stroke(reading.choices[0].moves[0], strike.from, strike.id,
                           {std::move(shot), std::move(heights)});
    }
    over = true;
    wait(1);
}

void Script::Play::film_stroke(const rules::PlayerMove& move, Point from, int striker_id,
                               const Stroke& stroke) {
    const Pose pose = board_pose.value_or(catalogue.board->at);
    const Point at = place(pose, from);
    Piece striker;
    striker.kind = PieceKind::disc;
    striker.type = "striker";
    for (const Track& t : stroke.shot.tracks)
        if (t.id == striker_id) striker.type = t.type;
    striker.x = at.x, striker.y = at.y;
    striker.id = striker_id;
    Actor a;
    a.piece = striker;
    a.body = body_of(catalogue, striker);
    a.hidden = true;
    actors[striker_id] = a;
    order.push_back(striker_id);
    misplace_striker(striker_id, move.player, at);
    carry(striker_id, move.player, Spot3{at.x, at.y, catalogue.board->elevation_mm, 0});
    wait(0.5);
    show_shot(stroke, move.player, striker_id);
    wait(0.6);
    then([this, striker_id, player = move.player] {
        if (!actors.contains(striker_id)) return;
        std::vector<Act> later(acts.begin() + 1, acts.end());
        acts.erase(acts.begin() + 1, acts.end());
        carry(striker_id, player, {});
        acts.insert(acts.end(), later.begin(), later.end());
    });
    state = game.apply(state, move.player, move.move).state;
    then([this, move] {
        std::vector<Act> later(acts.begin() + 1, acts.end());
        acts.erase(acts.begin() + 1, acts.end());
        change_scene(game.scene_of(state), move.player);
        acts.insert(acts.end(), later.begin(), later.end());
    });
    log(move, false);
    wait(options.rest_s / options.pace);
}

// Before a stroke: the striker first beside its line, or put down and taken up again; others in the
// way.
void Script::Play::misplace_striker(int striker_id, int player, Point at) {
    const Mistakes& m = options.mistakes;
    const int others = int(setup.players.size());
    const Pose pose = board_pose.value_or(catalogue.board->at);
    const double z = catalogue.board->elevation_mm;
    if (others > 1 && chance(m.two_hands)) second_hand((player + 1) % others);
    if (chance(m.bumped)) bump(player);
    const auto first = [&](Point where, const char* name) {
        carry(striker_id, player, Spot3{where.x, where.y, z, 0});
        log({player, Move()}, false, name);
        wait(options.rest_s);
    };
    const Point inwards = Point{pose.x, pose.y} - at;
    if (chance(m.illegal))
        first(at - inwards * (between(14, 22) / std::max(length(inwards), 1.0)), "illegal");
    if (chance(m.taken_back)) first(at, "taken_back");
}

namespace {

/// Where a disc is on its track `t` after the start; `heights` beside the points, or empty: on the
/// surface.
Moving on_track(const Track& track, const std::vector<double>& heights, double t, double start) {
    const auto& p = track.points;
    Moving m;
    if (p.empty()) return m;
    const auto height = [&](std::size_t i) { return i < heights.size() ? heights[i] : 0.0; };
    std::size_t i = 0;
    while (i + 1 < p.size() && p[i + 1].t - start <= t) ++i;
    m.at = {p[i].x, p[i].y, height(i), 0};
    if (i + 1 == p.size()) return m;
    const double span = p[i + 1].t - p[i].t,
                 f = span > 0 ? std::clamp((t + start - p[i].t) / span, 0.0, 1.0) : 0;
    m.at.x += (p[i + 1].x - p[i].x) * f, m.at.y += (p[i + 1].y - p[i].y) * f,
        m.at.z += (height(i + 1) - height(i)) * f;
    if (span > 0) m.vx = (p[i + 1].x - p[i].x) / span, m.vy = (p[i + 1].y - p[i].y) / span;
    return m;
}

/// Over the frame and on: it comes down to the table beside the board and slides until it stops.
Moving beyond(const Track& track, const std::vector<double>& heights, double since_s,
              double drop_mm) {
    constexpr double kSlowing_mm_s2 = 4000, kGravity_mm_s2 = 9807;
    Moving m = on_track(track, heights, 1e9, 0);
    const auto& p = track.points;
    if (p.size() < 2) return m;
    const TrackPoint &a = p[p.size() - 2], &b = p.back();
    const Point v = Point{b.x - a.x, b.y - a.y} * (1 / std::max(1e-4, b.t - a.t));
    const double speed = std::max(1.0, length(v)), t = std::min(since_s, speed / kSlowing_mm_s2),
                 run = speed * t - kSlowing_mm_s2 * t * t / 2;
    m.at.x += v.x / speed * run, m.at.y += v.y / speed * run;
    m.at.z = std::max(-drop_mm, m.at.z - kGravity_mm_s2 * since_s * since_s / 2);
    m.vx = v.x * (1 - t * kSlowing_mm_s2 / speed), m.vy = v.y * (1 - t * kSlowing_mm_s2 / speed);
    return m;
}

}  // namespace

void Script::Play::show_shot(const Stroke& stroke, int player, int striker_id) {
    const Shot& shot = stroke.shot;
    const Pose pose = board_pose.value_or(catalogue.board->at);
    const double high = catalogue.board->elevation_mm, length_s = shot.end - shot.start;
    const Spot3 behind = spot_of(actors.at(striker_id));
    then([=, this] {
        const double arm = arm_angle(seat_of(player));
        const Spot3 finger{actors.at(striker_id).body.at.x + std::cos(arm) * 16,
                           actors.at(striker_id).body.at.y + std::sin(arm) * 16, high + 4, arm};
        const Spot3 home = home_of(player, {behind.x, behind.y});
        const int look = player * 7 + 2;
        const double t = 0.6;
        std::vector<Act> steps;
        steps.push_back({t,
                         [=, this](double at) {
                             const Moving m = reach(home, finger, at, t, 10);
                             hands[player] = {{m.at.x, m.at.y, arm}, m.at.z, look, m.vx, m.vy};
                         },
                         nullptr, 0});
        Act run;
        run.duration_s = length_s;
        run.fps = options.shot_fps;
        run.play = [=, this](double at) {
            for (const Track& track : shot.tracks) {
                if (!actors.contains(track.id)) continue;
                const std::vector<double> heights = stroke.heights.contains(track.id)
                                                        ? stroke.heights.at(track.id)
                                                        : std::vector<double>{};
                const auto out = std::find_if(shot.ejected.begin(), shot.ejected.end(),
                                              [&](const Fallen& f) { return f.id == track.id; });
                const bool left = out != shot.ejected.end() && at > out->time - shot.start;
                Moving m = left ? beyond(track, heights, at + shot.start - out->time, high)
                                : on_track(track, heights, at, shot.start);
                const Point p = place(pose, {m.at.x, m.at.y}),
                            v = rotated({m.vx, m.vy}, pose.angle);
                m.at = {p.x, p.y, high + m.at.z, 0}, m.vx = v.x, m.vy = v.y;
                Actor& a = actors.at(track.id);
                if (std::hypot(m.vx, m.vy) > 0 ||
                    std::hypot(a.piece.x - p.x, a.piece.y - p.y) > 1e-9 || a.piece.vx != 0 ||
                    a.piece.vy != 0 || std::abs(a.body.z - m.at.z) > 1e-9) {
                    move_actor(a, m);
                    a.body.ground = std::min(high, m.at.z);
                }
            }
            for (const Fallen& f : shot.pocketed)
                if (at >= f.time - shot.start) actors.erase(f.id), std::erase(order, f.id);
            const Moving m = reach(finger, home, std::max(0.0, at - 0.12), 0.7, 10);
            if (at < 0.82)
                hands[player] = {{m.at.x, m.at.y, arm}, m.at.z, look, m.vx, m.vy};
            else
                hands.erase(player);
        };
        run.done = [=, this] {
            run.play(length_s);
            hands.erase(player);
            settle(bottom_up(order));
        };
        steps.push_back(run);
        acts.insert(acts.begin() + 1, steps.begin(), steps.end());
    });
}

Frame Script::Play::next() {
    // Acts that are over are closed one after the other until one is under way at this moment.
    for (int guard = 0; guard < 100000; ++guard) {
        if (acts.empty()) {
            plan();
            act_began = now;
            continue;
        }
        if (now - act_began < acts.front().duration_s - 1e-9) break;
        const double length_s = acts.front().duration_s;
        if (acts.front().play && length_s > 0) acts.front().play(length_s);
        if (acts.front().done) {
            const auto done = acts.front().done;
            done();
        }
        acts.pop_front();
        act_began += length_s;
    }
    if (acts.front().play) acts.front().play(now - act_began);
    std::erase_if(strays, [this](Stray& s) { return !s.play(now - s.began); });

    Frame f;
    f.time_s = now;
    f.world.table = catalogue.table;
    f.world.bodies = fixtures;
    f.truth.source = "truth";
    f.truth.frame = frame++;
    f.truth.time = now;
    f.truth.board = board_pose;
    bool moving = !hands.empty();
    for (int id : bottom_up(order)) {
        const Actor& a = actors.at(id);
        if (a.hidden) continue;
        f.world.bodies.push_back(a.body);
        moving |= a.body.vx != 0 || a.body.vy != 0 || a.airborne;
        if (a.airborne) continue;
        f.truth.pieces.push_back(a.piece);
        f.truth.pieces.back().seen = now;
    }
    for (const auto& [who, hand] : hands) {
        f.world.hands.push_back(hand);
        f.truth.hands.push_back(hand_outline(hand));
    }
    if (moving) last_change = now;
    f.truth.still = now - last_change >= 0.4;
    f.moves = std::move(ended);
    ended.clear();
    f.finished = over;
    now += 1 / (acts.front().fps > 0 ? acts.front().fps : options.fps);
    return f;
}

}  // namespace overboard::simulator
