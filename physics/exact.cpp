// Every moving disc carries its next event: rest, a wall, a pocket, or a partner. The earliest of
// them happens; the discs it changed, and all whose next event was with one of those, are predicted
// anew.
//
// Along a straight path the events with things at rest (walls, pockets, resting discs) are compared
// by distance, closed form, and only the nearest is turned into a time. Pairs of moving discs need
// a quartic (pair_root); its window ends at the earlier of both discs' next events, because
// whatever happens first will have the pair predicted again.
#include "physics/exact.hpp"

#include <algorithm>
#include <cmath>

#include "physics/pair_root.hpp"

namespace overboard::physics {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr double kStill_mm_s = 1e-6;  // such a disc stops within 1e-15 mm
// least speed of parting: keeps a touching pair from meeting for ever
constexpr double kParting_mm_s = 1e-7;
constexpr double kGrazing_mm = 1e-8;  // touching and this little ahead: they slide past each other
constexpr int kMostEvents = 200000;   // far beyond any stroke; ends a world without friction

/// Time to slide `s` from `speed`.
double time_along(double s, double speed, double deceleration) {
    return 2 * s / (speed + std::sqrt(std::max(0.0, speed * speed - 2 * deceleration * s)));
}

}  // namespace

ExactWorld::ExactWorld(const Board& board, const Parameters& p)
    : half_width_{board.width_mm / 2},
      half_height_{board.height_mm / 2},
      deceleration_{p.deceleration_mm_s2()},
      restitution_{p.restitution},
      wall_restitution_{p.wall_restitution},
      rim_friction_{p.rim_friction},
      capture_{p.capture_speed_mm_s},
      leap_{p.leap_speed_mm_s} {
    for (const Hole& hole : board.pockets) {
        const double r = hole.diameter_mm / 2;
        pockets_[pocket_count_++] = {hole.centre.x, hole.centre.y, r * r};
    }
    for (auto* values :
         {&x_, &y_, &t0_, &dx_, &dy_, &speed_, &stop_, &spin_, &radius_, &mass_, &next_})
        values->fill(0);
    partner_.fill(-1);
    pocket_.fill(kNoPocket);
    kind_.fill(Next::none);
    state_.fill(State::resting);
    marked_.fill(0);
}

int ExactWorld::add(Point at, double radius_mm, double mass_g, Point velocity, double spin) {
    const int i = n_++;
    radius_[i] = radius_mm;
    mass_[i] = mass_g;
    move(i, at);
    strike(i, velocity, spin);
    return i;
}

void ExactWorld::move(int i, Point at) {
    x_[i] = at.x;
    y_[i] = at.y;
}

void ExactWorld::strike(int i, Point velocity, double spin) {
    spin_[i] = spin;
    launch(i, velocity.x, velocity.y);
}

Point ExactWorld::position(int i, double t) const {
    if (state_[i] != State::moving) return {x_[i], y_[i]};
    const double tau = std::min(t, stop_[i]) - t0_[i];
    const double s = tau * (speed_[i] - 0.5 * deceleration_ * tau);
    return {x_[i] + dx_[i] * s, y_[i] + dy_[i] * s};
}

Point ExactWorld::velocity(int i) const {
    if (state_[i] != State::moving) return {};
    const double v = std::max(0.0, speed_[i] - deceleration_ * (now_ - t0_[i]));
    return {dx_[i] * v, dy_[i] * v};
}

double ExactWorld::spin(int i) const {
    const double lost = (4.0 / 3.0) * deceleration_ / radius_[i] * (now_ - t0_[i]);
    return std::copysign(std::max(0.0, std::abs(spin_[i]) - lost), spin_[i]);
}

bool ExactWorld::at_rest() const {
    return std::none_of(state_.begin(), state_.begin() + n_,
                        [](State s) { return s == State::moving; });
}

/// Brings the start of the disc's leg to now.
void ExactWorld::advance(int i) {
    spin_[i] = spin(i);
    if (state_[i] == State::moving) {
        const Point at = position(i, now_);
        speed_[i] = std::max(0.0, speed_[i] - deceleration_ * (now_ - t0_[i]));
        x_[i] = at.x;
        y_[i] = at.y;
    }
    t0_[i] = now_;
}

/// A new leg from where the disc is.
void ExactWorld::launch(int i, double vx, double vy) {
    const double speed = std::sqrt(vx * vx + vy * vy);
    t0_[i] = now_;
    next_[i] = kNever;
    kind_[i] = Next::none;
    if (speed < kStill_mm_s) {
        state_[i] = State::resting;
        speed_[i] = 0;
    } else {
        state_[i] = State::moving;
        speed_[i] = speed;
        dx_[i] = vx / speed;
        dy_[i] = vy / speed;
        stop_[i] = deceleration_ > 0 ? now_ + speed / deceleration_ : kNever;
    }
    note_leg(i);
}

void ExactWorld::note_leg(int i) {
    if (!trace_) return;
    const double v = state_[i] == State::moving ? speed_[i] : 0;
    trace_->legs[i].push_back({now_, {x_[i], y_[i]}, {dx_[i] * v, dy_[i] * v}});
}

double ExactWorld::first_pocket(const Ray& from, int i, double limit, int& pocket) const {
    const double slow_enough = from.speed <= capture_ ? 0
                               : deceleration_ > 0
                                   ? (from.speed * from.speed - capture_ * capture_) /
                                         (2 * deceleration_)
                                   : kNever;
    for (int k = 0; k < pocket_count_; ++k) {
        const double ex = pockets_[k].x - from.x, ey = pockets_[k].y - from.y;
        const double across = ex * dy_[i] - ey * dx_[i];
        const double chord2 = pockets_[k].radius2 - across * across;
        if (chord2 <= 0) continue;
        const double middle = ex * dx_[i] + ey * dy_[i], half = std::sqrt(chord2);
        const double drop = std::max({0.0, middle - half, slow_enough});
        if (drop < middle + half && drop < limit) limit = drop, pocket = k;
    }
    return limit;
}

/// How far i slides until it touches the resting j; `limit` when it does not within it.
inline double ExactWorld::way_to(const Ray& from, int i, int j, double limit) const {
    const double ex = x_[j] - from.x, ey = y_[j] - from.y;
    const double ahead = ex * dx_[i] + ey * dy_[i];
    const double reach = radius_[i] + radius_[j];
    if (ahead <= kGrazing_mm || ahead - reach >= limit) return limit;
    const double across = ex * dy_[i] - ey * dx_[i];
    const double depth2 = reach * reach - across * across;
    return depth2 <= 0 ? limit : std::max(0.0, ahead - std::sqrt(depth2));
}

double ExactWorld::first_resting(const Ray& from, int i, double limit, int& partner) const {
    for (int j = 0; j < n_; ++j) {
        if (state_[j] != State::resting || j == i) continue;
        const double s = way_to(from, i, j, limit);
        if (s < limit) limit = s, partner = j;
    }
    return limit;
}

void ExactWorld::predict(int i) {
    if (state_[i] != State::moving) return;
    const Point at = position(i, now_);
    const Ray from{at.x, at.y, std::max(0.0, speed_[i] - deceleration_ * (now_ - t0_[i]))};
    Next kind = Next::stop;
    double s = deceleration_ > 0 ? from.speed * from.speed / (2 * deceleration_) : kNever;
    const double dx = dx_[i], dy = dy_[i];
    const auto wall = [&](double place, double direction, double half, Next which) {
        if (direction == 0) return;
        const double edge = std::copysign(half - radius_[i], direction);
        const double way = std::max(0.0, (edge - place) / direction);
        if (way < s) s = way, kind = which;
    };
    wall(from.x, dx, half_width_, Next::wall_x);
    wall(from.y, dy, half_height_, Next::wall_y);
    int which = -1;
    s = first_pocket(from, i, s, which);
    if (which >= 0) kind = Next::pocket;
    int target = -1;
    s = first_resting(from, i, s, target);
    if (target >= 0) kind = Next::pair, which = target;

    const double t = kind == Next::stop ? stop_[i]
                                        : now_ + time_along(s, from.speed, deceleration_);
    if (t < next_[i])
        next_[i] = t, kind_[i] = kind, partner_[i] = which;  // else: a pair found by its partner
    predict_pairs(i, from);
}

/// A disc has come to rest: who runs into it before their next event?
void ExactWorld::expect_hits_on(int j) {
    for (int k = 0; k < n_; ++k) {
        if (state_[k] != State::moving) continue;
        const Point at = position(k, now_);
        const Ray from{at.x, at.y, std::max(0.0, speed_[k] - deceleration_ * (now_ - t0_[k]))};
        const double reach = deceleration_ > 0 ? from.speed * from.speed / (2 * deceleration_)
                                               : kNever;
        const double s = way_to(from, k, j, reach);
        if (!(s < reach)) continue;
        const double t = now_ + time_along(s, from.speed, deceleration_);
        if (t < next_[k]) next_[k] = t, kind_[k] = Next::pair, partner_[k] = j;
    }
}

void ExactWorld::predict_pairs(int i, const Ray& from) {
    const double vx = dx_[i] * from.speed, vy = dy_[i] * from.speed;
    for (int j = 0; j < n_; ++j) {
        if (j == i || state_[j] != State::moving || marked_[j] == 2) continue;
        const double limit = std::min({next_[i], next_[j], stop_[j]}) - now_;
        if (limit <= 0) continue;
        const double tau = now_ - t0_[j];
        const double speed = std::max(0.0, speed_[j] - deceleration_ * tau);
        const double s = tau * (speed_[j] - 0.5 * deceleration_ * tau);
        RelativeMotion m;
        m.d = {x_[j] + dx_[j] * s - from.x, y_[j] + dy_[j] * s - from.y};
        m.reach = radius_[i] + radius_[j];
        const double nearest = m.reach + (from.speed + speed) * limit;
        if (dot(m.d, m.d) >= nearest * nearest) continue;
        m.v = {dx_[j] * speed - vx, dy_[j] * speed - vy};
        m.a = {deceleration_ * (dx_[i] - dx_[j]), deceleration_ * (dy_[i] - dy_[j])};
        const double t = first_touch(m, limit);
        if (!(t < limit)) continue;
        next_[i] = next_[j] = now_ + t;
        kind_[i] = kind_[j] = Next::pair;
        partner_[i] = j;
        partner_[j] = i;
    }
}

void ExactWorld::mark_with_partners(int i) {
    marked_[i] = 1;
    for (int k = 0; k < n_; ++k)
        if (state_[k] == State::moving && kind_[k] == Next::pair && partner_[k] == i)
            marked_[k] = 1;
}

/// Predicts the marked discs anew. 1: waits its turn; 2: done, so its pairs are.
void ExactWorld::settle_marked() {
    for (int k = 0; k < n_; ++k)
        if (marked_[k]) next_[k] = kNever, kind_[k] = Next::none;
    for (int k = 0; k < n_; ++k)
        if (marked_[k]) predict(k), marked_[k] = 2;
    for (int k = 0; k < n_; ++k) marked_[k] = 0;
}

void ExactWorld::hit_wall(int i, bool x_wall) {
    double vx = dx_[i] * speed_[i], vy = dy_[i] * speed_[i];
    double& normal = x_wall ? vx : vy;
    double& along = x_wall ? vy : vx;
    const double before = normal;
    if (leap_ > 0 && std::abs(before) > leap_) return leave(i, std::abs(before));
    if (trace_) trace_->impacts.push_back({Impact::Kind::wall, now_, i, -1, std::abs(before)});
    normal = -std::copysign(std::max(wall_restitution_ * std::abs(before), kParting_mm_s), before);
    if (rim_friction_ > 0) {
        // Contact at r·n, n pointing into the wall; its velocity along the wall is along ± spin·r.
        const double sign = (x_wall ? 1.0 : -1.0) * std::copysign(1.0, before);
        const double slip = along + sign * spin_[i] * radius_[i];
        const double most = rim_friction_ * (1 + wall_restitution_) * std::abs(before);
        const double change = std::clamp(slip / 3, -most, most);
        along -= change;
        spin_[i] -= sign * 2 * change / radius_[i];
    }
    launch(i, vx, vy);
}

void ExactWorld::hit_disc(int i, int j) {
    double nx = x_[j] - x_[i], ny = y_[j] - y_[i];
    const double d = std::sqrt(nx * nx + ny * ny);
    nx /= d;
    ny /= d;
    const double ux = dx_[i] * speed_[i], uy = dy_[i] * speed_[i];  // speed is 0 at rest
    const double wx = dx_[j] * speed_[j], wy = dy_[j] * speed_[j];
    const double approach = (ux - wx) * nx + (uy - wy) * ny;
    const double part = std::max(restitution_ * approach, kParting_mm_s);
    const double inverse = 1 / mass_[i] + 1 / mass_[j];
    const double push = (approach + part) / inverse;
    double px = -push * nx, py = -push * ny;  // impulse on i
    if (rim_friction_ > 0) {
        const double slip = (uy - wy) * nx - (ux - wx) * ny + spin_[i] * radius_[i] +
                            spin_[j] * radius_[j];
        const double most = rim_friction_ * push;
        const double drag = std::clamp(slip / (3 * inverse), -most, most);
        px += drag * ny;
        py -= drag * nx;
        spin_[i] -= 2 * drag / (mass_[i] * radius_[i]);
        spin_[j] -= 2 * drag / (mass_[j] * radius_[j]);
    }
    ++collisions_;
    if (trace_) trace_->impacts.push_back({Impact::Kind::disc, now_, i, j, approach});
    launch(i, ux + px / mass_[i], uy + py / mass_[i]);
    launch(j, wx - px / mass_[j], wy - py / mass_[j]);
}

void ExactWorld::fall(int i) {
    pocket_[i] = partner_[i];
    if (trace_) trace_->impacts.push_back({Impact::Kind::pocket, now_, i, pocket_[i], speed_[i]});
    take_away(i);
}

void ExactWorld::leave(int i, double speed) {
    pocket_[i] = kOverTheFrame;
    if (trace_) trace_->impacts.push_back({Impact::Kind::left, now_, i, -1, speed});
    take_away(i);
}

void ExactWorld::take_away(int i) {
    state_[i] = State::gone;
    speed_[i] = 0;
    next_[i] = kNever;
    note_leg(i);
}

void ExactWorld::happen(int i) {
    const Next kind = kind_[i];
    const int j = partner_[i];
    mark_with_partners(i);
    advance(i);
    switch (kind) {
        case Next::stop: launch(i, 0, 0); break;
        case Next::wall_x: hit_wall(i, true); break;
        case Next::wall_y: hit_wall(i, false); break;
        case Next::pocket: fall(i); break;
        case Next::pair:
            mark_with_partners(j);
            advance(j);
            hit_disc(i, j);
            break;
        case Next::none: break;
    }
    settle_marked();
    if (state_[i] == State::resting) expect_hits_on(i);
    if (kind == Next::pair && state_[j] == State::resting) expect_hits_on(j);
}

void ExactWorld::start(Trace* trace) {
    trace_ = trace;
    if (trace_) trace_->legs.resize(n_);
    if (started_) return;
    started_ = true;
    for (int i = 0; i < n_; ++i) note_leg(i);
    for (int i = 0; i < n_; ++i) {
        marked_[i] = state_[i] == State::moving;
        for (int k = 0; k < pocket_count_ && state_[i] == State::resting; ++k) {
            const double ex = pockets_[k].x - x_[i], ey = pockets_[k].y - y_[i];
            if (ex * ex + ey * ey < pockets_[k].radius2) partner_[i] = k, fall(i);
        }
    }
    settle_marked();
}

void ExactWorld::run(Trace* trace, double until, int max_collisions) {
    start(trace);
    while (events_ < kMostEvents) {
        int first = -1;
        double t = kNever;
        for (int i = 0; i < n_; ++i)
            if (state_[i] == State::moving && next_[i] < t) t = next_[i], first = i;
        if (first < 0) break;
        if (t > until) {
            now_ = std::max(now_, until);
            break;
        }
        now_ = std::max(now_, t);
        if (kind_[first] == Next::pair && collisions_ >= max_collisions) break;
        ++events_;
        happen(first);
    }
    trace_ = nullptr;
}

}  // namespace overboard::physics
