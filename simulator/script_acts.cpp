#include <opencv2/imgproc.hpp>

#include "simulator/hands.hpp"
#include "simulator/play.hpp"
#include "simulator/shapes.hpp"

// Every change of the scene becomes acts: a hand reaches in from its seat, takes a piece, carries
// it in an arc, lets go and withdraws. Positions are functions of time, so any frame rate shows the
// same film.
namespace overboard::simulator {
namespace {

constexpr double kCarry_mm = 55;  // height of a carried piece at the top of its arc
constexpr int kStranger = 1000;   // key of a hand that takes no part in the move

bool same_thing(const Piece& a, const Piece& b) {
    return a.kind == b.kind && a.type == b.type && a.colour == b.colour && a.face == b.face &&
           (a.kind == PieceKind::die || a.value == b.value);
}

bool same_place(const Piece& a, const Piece& b) {
    const bool round = a.kind == PieceKind::disc || a.kind == PieceKind::stone ||
                       a.kind == PieceKind::pawn || a.kind == PieceKind::die;
    return std::hypot(a.x - b.x, a.y - b.y) < 6 &&
           (round || std::abs(wrapped(a.angle - b.angle)) < 0.15);
}

}  // namespace

void Script::Play::then(std::function<void()> f) {
    acts.push_back({0, nullptr, std::move(f), 0});
}
void Script::Play::wait(double seconds) {
    acts.push_back({seconds, nullptr, nullptr, 0});
}

void Script::Play::log(const rules::PlayerMove& move, bool touch, std::string mistake) {
    then([this, move, touch, mistake] { ended.push_back({move, now, touch, mistake}); });
}

double Script::Play::arm_angle(const std::string& seat) const {
    if (seat == "n") return -M_PI / 2;
    if (seat == "e") return 0;
    if (seat == "w") return M_PI;
    return M_PI / 2;
}

// Where a hand waits when it is not over the table: beyond the edge on its owner's side.
Spot3 Script::Play::home_of(int player, Point near) const {
    const double a = arm_angle(seat_of(player)), w = catalogue.table.width_mm,
                 h = catalogue.table.height_mm;
    const double beyond = 330;
    Spot3 home{std::clamp(near.x, 0.15 * w, 0.85 * w), std::clamp(near.y, 0.15 * h, 0.85 * h), 60,
               0};
    if (std::abs(std::cos(a)) > 0.5)
        home.x = std::cos(a) > 0 ? w + beyond : -beyond;
    else
        home.y = std::sin(a) > 0 ? h + beyond : -beyond;
    return home;
}

Spot3 Script::Play::spot_of(const Actor& a) const {
    return {a.body.at.x, a.body.at.y, a.body.z, a.body.at.angle};
}

int Script::Play::add_actor(const Piece& piece) {
    Actor a;
    a.piece = piece;
    a.piece.id = next_id++;
    a.piece.x += between(-1, 1) * options.jitter_mm;
    a.piece.y += between(-1, 1) * options.jitter_mm;
    a.piece.angle += between(-1, 1) * options.jitter_rad;
    a.body = body_of(catalogue, a.piece);
    const int id = a.piece.id;
    actors[id] = std::move(a);
    order.push_back(id);
    return id;
}

void Script::Play::move_actor(Actor& a, const Moving& m) {
    a.piece.x = m.at.x, a.piece.y = m.at.y, a.piece.angle = m.at.angle;
    a.piece.vx = m.vx, a.piece.vy = m.vy;
    a.body.at = {m.at.x, m.at.y, m.at.angle};
    a.body.z = m.at.z;
    a.body.vx = m.vx, a.body.vy = m.vy, a.body.vz = m.vz, a.body.spin = m.spin;
}

// Heights anew for everything that lies: who lies on whom follows from the order.
void Script::Play::settle(const std::vector<int>& new_order) {
    order = new_order;
    Observation scene;
    scene.board = board_pose;
    for (int id : order) scene.pieces.push_back(actors.at(id).piece);
    const World world = world_from(catalogue, scene);
    for (const Body& b : world.bodies) {
        if (b.id == 0 || !actors.contains(b.id)) continue;
        Body& mine = actors.at(b.id).body;
        const cv::Matx33d turn = mine.turn;
        mine = b;
        if (actors.at(b.id).piece.kind == PieceKind::die) mine.turn = turn;
        mine.vx = mine.vy = mine.vz = mine.spin = 0;
        actors.at(b.id).piece.vx = actors.at(b.id).piece.vy = 0;
    }
}

void Script::Play::reset_actors(const Observation& scene) {
    actors.clear();
    order.clear();
    for (const Piece& p : scene.pieces) add_actor(p);
    settle(std::vector<int>(order));
}

// A hand comes, takes the piece where it is (or brings it along), and puts it down, or takes it
// away.
void Script::Play::carry(int id, int player, std::optional<Spot3> to, bool thrown) {
    then([this, id, player, to, thrown] {
        Actor& a = actors.at(id);
        const bool brought = a.hidden, taken = !to;
        const Spot3 here = spot_of(a);
        const Point meet = brought ? Point{to->x, to->y} : Point{here.x, here.y};
        const Spot3 home = home_of(player, meet);
        const double arm = arm_angle(seat_of(player)) + between(-0.35, 0.35),
                     high = height_of(a.body);
        const Spot3 from = brought ? Spot3{home.x, home.y, 60, to->angle} : here;
        const Spot3 dest = taken ? Spot3{home.x, home.y, 60, here.angle} : *to;
        const int look = player * 7 + 2;
        const auto grip = [=](Spot3 s) { return Spot3{s.x, s.y, s.z + high + 2, arm}; };
        std::vector<Act> steps;
        const auto hand_at = [this, player, look, arm](const Moving& m) {
            hands[player] = {{m.at.x, m.at.y, arm}, m.at.z, look, m.vx, m.vy};
        };
        if (!brought) {
            const double t = reach_time(std::hypot(home.x - here.x, home.y - here.y), options.pace);
            steps.push_back(
                {t, [=](double at) { hand_at(reach(home, grip(here), at, t, 20)); }, nullptr, 0});
            steps.push_back(
                {0.12 / options.pace, [=](double) { hand_at({grip(here)}); }, nullptr, 0});
        }
        const double t = reach_time(std::hypot(from.x - dest.x, from.y - dest.y), options.pace);
        const double ground = from.z;
        steps.push_back({t,
                         [=, this](double at) {
                             Actor& piece = actors.at(id);
                             const Moving m = reach(from, dest, at, t, kCarry_mm);
                             piece.hidden = false;
                             piece.airborne = true;
                             move_actor(piece, m);
                             piece.body.ground = std::min(ground, dest.z);
                             hand_at({grip(m.at), m.vx, m.vy, m.vz, 0});
                         },
                         [=, this] {
                             Actor& piece = actors.at(id);
                             move_actor(piece, {dest});
                             piece.airborne = false;
                             if (taken) actors.erase(id), std::erase(order, id);
                         },
                         0});
        if (thrown) {
            const double back = reach_time(std::hypot(home.x - dest.x, home.y - dest.y),
                                           options.pace);
            steps.push_back({0, nullptr,
                             [=, this] {
                                 strays.push_back({now, [=, this](double at) {
                                                       hand_at(
                                                           reach(grip(dest), home, at, back, 15));
                                                       if (at > back) hands.erase(player);
                                                       return at <= back;
                                                   }});
                             },
                             0});
        } else if (!taken) {
            const double back = reach_time(std::hypot(home.x - dest.x, home.y - dest.y),
                                           options.pace);
            steps.push_back(
                {0.1 / options.pace, [=](double) { hand_at({grip(dest)}); }, nullptr, 0});
            steps.push_back({back,
                             [=](double at) { hand_at(reach(grip(dest), home, at, back, 15)); },
                             nullptr, 0});
        }
        if (!thrown) steps.push_back({0, nullptr, [this, player] { hands.erase(player); }, 0});
        acts.insert(acts.begin() + 1, steps.begin(), steps.end());
    });
}

// Away from the thrower if the table is long enough, else along it.
double Script::Play::throw_heading(Point target, double run, int player) {
    const double away = arm_angle(seat_of(player)) + M_PI;
    for (const double spread : {0.5, 0.9, 1.4, 2.0, M_PI})
        for (int tries = 0; tries < 6; ++tries) {
            const double heading = away + between(-spread, spread);
            const Point start = target - rotated({run, 0}, heading);
            if (start.x > 40 && start.y > 40 && start.x < catalogue.table.width_mm - 40 &&
                start.y < catalogue.table.height_mm - 40)
                return heading;
        }
    return away;
}

// The die leaves the hand turning, hops lower and lower, and turns ever slower into the face it
// will show.
void Script::Play::roll_die(int id, int player, const Piece& to) {
    const bool cocked = !to.value;
    Piece target = to;
    target.x += between(-1, 1) * options.jitter_mm, target.y += between(-1, 1) * options.jitter_mm;
    target.angle = between(-M_PI, M_PI);
    const double run = between(140, 240),
                 heading = throw_heading({target.x, target.y}, run, player);
    const cv::Vec3d axis = cv::normalize(
        cv::Vec3d(-std::sin(heading), std::cos(heading), between(-0.3, 0.3)));
    const double turns = between(9, 14), time = between(0.7, 1.0);
    const Spot3 start{target.x - std::cos(heading) * run, target.y - std::sin(heading) * run, 30,
                      target.angle};
    carry(id, player, start, true);
    then([=, this] {
        Actor& die = actors.at(id);
        const double ground = resting_height(id, target);
        die.piece = target;
        die.piece.id = id;
        const cv::Matx33d rest = body_of(catalogue, target).turn;
        Act tumble;
        tumble.duration_s = time;
        tumble.play = [=, this](double at) {
            Actor& a = actors.at(id);
            const double t = at / time, left = (1 - t) * (1 - t);
            cv::Matx33d turn;
            cv::Rodrigues(cv::Vec3d(axis * (turns * left)), turn);
            // The rotation is given in the table's frame, the body's own angle comes on top.
            const double c = std::cos(-target.angle), s = std::sin(-target.angle);
            const cv::Matx33d own(c, -s, 0, s, c, 0, 0, 0, 1);
            Moving m;
            m.at = {target.x - std::cos(heading) * run * left,
                    target.y - std::sin(heading) * run * left,
                    ground + 28 * std::abs(std::cos(t * 9)) * left, target.angle};
            m.vx = std::cos(heading) * run * 2 * (1 - t) / time,
            m.vy = std::sin(heading) * run * 2 * (1 - t) / time;
            move_actor(a, m);
            a.body.ground = ground;
            a.body.turn = own * turn * own.t() * rest;
            a.piece.value.reset();
            a.airborne = t < 0.5;
        };
        tumble.done = [=, this] {
            Actor& a = actors.at(id);
            move_actor(a, {{target.x, target.y, ground, target.angle}});
            a.piece.value = target.value;
            a.piece.vx = a.piece.vy = 0;
            a.body.turn = rest;
            a.airborne = false;
        };
        acts.insert(acts.begin() + 1, tumble);
    });
    if (cocked) wait(0.9);
}

// Another hand strays over a corner of the table while the move goes on.
void Script::Play::second_hand(int player) {
    then([this, player] {
        const Spot3 home = home_of(player, {between(200, 1000), between(150, 500)});
        const double arm = arm_angle(seat_of(player));
        const Spot3 in{home.x - std::cos(arm) * 430, home.y - std::sin(arm) * 430, 45, 0};
        const int key = kStranger + player, look = player * 7 + 3;
        const double t = 0.8, stay = 1.2;
        // Timed by itself, so that it overlaps the acts of the other hand.
        hands[key] = {{home.x, home.y, arm}, 50, look, 0, 0};
        strays.push_back({now, [=, this](double at) {
                              const Moving m = at < t          ? reach(home, in, at, t)
                                               : at < t + stay ? Moving{in}
                                                               : reach(in, home, at - t - stay, t);
                              hands[key] = {{m.at.x, m.at.y, arm}, m.at.z, look, m.vx, m.vy};
                              if (at > 2 * t + stay) hands.erase(key);
                              return at <= 2 * t + stay;
                          }});
    });
}

void Script::Play::change_scene(const Observation& target, int player) {
    // Who of the table's pieces is which of the target's? Nearest alike first.
    struct Pair {
        double far;
        int id;
        std::size_t to;
    };
    std::vector<Pair> pairs;
    for (int id : order)
        for (std::size_t k = 0; k < target.pieces.size(); ++k) {
            const Piece &a = actors.at(id).piece, &b = target.pieces[k];
            if (same_thing(a, b)) pairs.push_back({std::hypot(a.x - b.x, a.y - b.y), id, k});
        }
    std::stable_sort(pairs.begin(), pairs.end(),
                     [](const Pair& a, const Pair& b) { return a.far < b.far; });
    std::map<int, std::size_t> goal;
    std::vector<int> taken(target.pieces.size(), 0);
    for (const Pair& p : pairs)
        if (!goal.contains(p.id) && !taken[p.to]) goal[p.id] = p.to, taken[p.to] = p.id;
    std::vector<int> leaving;
    for (int id : order)
        if (!goal.contains(id)) leaving.push_back(id);
    for (int id : leaving) carry(id, player, {});
    for (std::size_t k = 0; k < target.pieces.size(); ++k) {
        const Piece& p = target.pieces[k];
        if (p.kind == PieceKind::die) {
            const bool lies = taken[k] && actors.at(taken[k]).piece.value == p.value &&
                              same_place(actors.at(taken[k]).piece, p);
            if (!taken[k]) taken[k] = add_actor(p), actors.at(taken[k]).hidden = true;
            if (!lies) roll_die(taken[k], player, p);
            continue;
        }
        if (taken[k] && same_place(actors.at(taken[k]).piece, p)) continue;
        if (!taken[k]) {
            taken[k] = add_actor(p);
            actors.at(taken[k]).hidden = true;
        }
        lay(taken[k], player, p);
    }
    then([this, ids = taken] { settle(bottom_up(ids)); });
}

std::vector<int> Script::Play::bottom_up(std::vector<int> ids) const {
    const auto height = [this](int id) {
        return actors.at(id).piece.kind == PieceKind::disc ? std::lround(actors.at(id).body.z) : 0;
    };
    std::stable_sort(ids.begin(), ids.end(), [&](int a, int b) { return height(a) < height(b); });
    return ids;
}

bool Script::Play::carries_others(int id) const {
    const Actor& lower = actors.at(id);
    return lower.piece.kind == PieceKind::disc &&
           std::any_of(order.begin(), order.end(), [&](int other) {
               const Actor& upper = actors.at(other);
               return upper.piece.kind == PieceKind::disc && upper.body.z > lower.body.z + 1 &&
                      distance({upper.piece.x, upper.piece.y}, {lower.piece.x, lower.piece.y}) <
                          upper.body.shape->radius_mm + lower.body.shape->radius_mm;
           });
}

// Puts a piece to its place, with whatever mishap the dice have in store.
void Script::Play::lay(int id, int player, const Piece& p) {
    Piece exact = p;
    exact.x += between(-1, 1) * options.jitter_mm, exact.y += between(-1, 1) * options.jitter_mm;
    exact.angle += between(-1, 1) * options.jitter_rad;
    const double z = resting_height(id, exact);
    const Spot3 place_it{exact.x, exact.y, z, exact.angle};
    const Mistakes& m = options.mistakes;
    const auto mishap = [&](const char* name, Spot3 first) {
        carry(id, player, first);
        log({player, Move()}, false, name);
        wait(options.rest_s);
    };
    if (chance(m.half_laid))
        mishap("half_laid", {exact.x + between(8, 16), exact.y - between(6, 14), z,
                             exact.angle + between(0.2, 0.45)});
    if (chance(m.illegal))
        mishap("illegal",
               {exact.x + between(20, 45), exact.y + between(10, 30), z + 1, exact.angle + 0.5});
    if (chance(m.taken_back)) {
        carry(id, player, place_it);
        log({player, Move()}, false, "taken_back");
        wait(options.rest_s);
        const Spot3 home = home_of(player, {exact.x, exact.y});
        carry(
            id, player,
            Spot3{home.x * 0.35 + exact.x * 0.65, home.y * 0.35 + exact.y * 0.65, 0, exact.angle});
        wait(options.rest_s / 2);
    }
    carry(id, player, place_it);
}

double Script::Play::resting_height(int id, const Piece& p) {
    Observation scene;
    scene.board = board_pose;
    for (int other : order)
        if (other != id && !actors.at(other).hidden) scene.pieces.push_back(actors.at(other).piece);
    scene.pieces.push_back(p);
    return world_from(catalogue, scene).bodies.back().z;
}

}  // namespace overboard::simulator
