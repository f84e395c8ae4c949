// A recording is compared with the exact solver, point by point, up to the collision after which a
// camera's error has grown too large to learn from. The strike (speed, direction, instant) is found
// by Subplex from what the striker's first free slide shows, first over that slide, then over more
// and more collisions; so that it never has to find its way through chaos. The table's parameters
// are found around it: for every trial of them all strikes are fitted anew.
#include "physics/fit.hpp"

#include <algorithm>
#include <cmath>
#include <nlopt.hpp>
#include <stdexcept>

#include "physics/exact.hpp"
#include "physics/replay.hpp"

namespace overboard::physics {
namespace {

constexpr double kSetOff_mm = 1.5;     // a disc that is this far from its first place has set off
constexpr int kPointsATrack = 60;      // compared; more are thinned out
constexpr double kFirstLook_s = 0.15;  // how much of the striker's first slide the first guess uses

/// A shot made ready: where discs rested before, and what to compare with.
struct Recording {
    std::vector<Disc> discs;                      // the striker last
    std::vector<std::vector<TrackPoint>> points;  // of the same discs
    double start = 0;
    double end = 0;
    double frame_s = 1.0 / 120;
};

/// The mean of the points before the disc set off.
Point resting_place(const Track& track) {
    const Point first{track.points.front().x, track.points.front().y};
    Point sum;
    int count = 0;
    for (const TrackPoint& p : track.points) {
        if (distance(first, {p.x, p.y}) > kSetOff_mm) break;
        sum = sum + Point{p.x, p.y};
        ++count;
    }
    return sum * (1.0 / std::max(1, count));
}

/// A disc that sets off leaves its last resting points a little ahead of where it stood: leave
/// those out.
Point steady_place(const Track& track) {
    Track early = track;
    std::size_t moved = 0;
    const Point first{track.points.front().x, track.points.front().y};
    while (moved < track.points.size() &&
           distance(first, {track.points[moved].x, track.points[moved].y}) <= kSetOff_mm)
        ++moved;
    if (moved < track.points.size() && moved > 2) early.points.resize(moved - 1);
    return resting_place(early);
}

std::vector<TrackPoint> thinned(const std::vector<TrackPoint>& points) {
    const std::size_t step = std::max<std::size_t>(1, points.size() / kPointsATrack);
    std::vector<TrackPoint> kept;
    for (std::size_t k = 0; k < points.size(); k += step) kept.push_back(points[k]);
    return kept;
}

Recording recording_of(const Shot& shot, const Board& board) {
    Recording r;
    const Track* striker = nullptr;
    for (const Track& t : shot.tracks) {
        if (t.points.empty()) continue;
        if (!board.knows(t.type))
            throw std::runtime_error("the board \"" + board.name + "\" has no disc of type \"" +
                                     t.type + "\"");
        if (t.type == "striker" && !striker) {
            striker = &t;
            continue;
        }
        r.discs.push_back({t.id, t.type, steady_place(t), 0});
        r.points.push_back(thinned(t.points));
    }
    if (!striker || striker->points.size() < 4)
        throw std::runtime_error("the shot has no track of a moving striker");
    const Point first{striker->points.front().x, striker->points.front().y};
    r.discs.push_back({striker->id, striker->type, shot.striker_from.value_or(first), 0});
    r.points.push_back(striker->points);
    r.start = shot.start;
    r.end = shot.end;
    if (shot.fps > 0) r.frame_s = 1 / shot.fps;
    if (static_cast<int>(r.discs.size()) > ExactWorld::kMaxDiscs)
        throw std::runtime_error("the shot has too many discs");
    return r;
}

/// What is sought of a stroke.
struct Stroke {
    double speed = 0, angle = 0;  // mm/s, rad
    double start = 0;             // on the shot's clock, s
    double spin = 0;
    [[nodiscard]] Point velocity() const { return rotated({speed, 0}, angle); }
};

ExactWorld world_of(const Recording& r, const Stroke& s, const Board& board, const Parameters& p) {
    ExactWorld world(board, p);
    for (const Disc& d : r.discs)
        world.add(d.at, board.diameter_of(d.type) / 2, board.mass_of(d.type));
    world.strike(world.size() - 1, s.velocity(), s.spin);
    return world;
}

/// Where a disc of the trace is at t.
class LegReader {
public:
    LegReader(const std::vector<Leg>& legs, double deceleration)
        : legs_{legs}, deceleration_{deceleration} {}
    Point at(double t) {
        while (k_ + 1 < legs_.size() && legs_[k_ + 1].t <= t) ++k_;
        const Leg& leg = legs_[k_];
        const double speed = std::sqrt(dot(leg.velocity, leg.velocity));
        if (speed == 0 || t <= leg.t) return leg.at;
        double tau = t - leg.t;
        if (deceleration_ > 0) tau = std::min(tau, speed / deceleration_);
        return leg.at + leg.velocity * (tau * (1 - 0.5 * deceleration_ * tau / speed));
    }

private:
    const std::vector<Leg>& legs_;
    double deceleration_;
    std::size_t k_ = 0;
};

struct Comparison {
    double robust = 0;   // sum of bounded squares
    double squares = 0;  // plain
    double worst = 0;
    int points = 0;
};

/// Compares up to `horizon`, seconds after the start of the stroke.
Comparison compare(const Recording& r, const Stroke& s, const Board& board, const Parameters& p,
                   double horizon, double outlier) {
    auto world = world_of(r, s, board, p);
    Trace trace;
    world.run(&trace, horizon);
    Comparison c;
    const double c2 = outlier * outlier;
    for (std::size_t k = 0; k < r.discs.size(); ++k) {
        LegReader reader(trace.legs[k], p.deceleration_mm_s2());
        const bool fell = world.pocket_of(static_cast<int>(k)) != ExactWorld::kNoPocket;
        for (const TrackPoint& point : r.points[k]) {
            const double t = point.t - s.start;
            if (t > horizon) break;
            if (fell && t > world.fell_at(static_cast<int>(k))) break;
            const Point d = reader.at(std::max(0.0, t)) - Point{point.x, point.y};
            const double d2 = dot(d, d);
            c.robust += d2 / (1 + d2 / c2);
            c.squares += d2;
            c.worst = std::max(c.worst, d2);
            ++c.points;
        }
    }
    c.worst = std::sqrt(c.worst);
    return c;
}

/// Speed and direction from the striker's first free slide.
Stroke first_guess(const Recording& r, const Shot& shot, const Board& board, const Parameters& p) {
    double until = r.start + kFirstLook_s;
    for (const Moment& m : moments(shot, board))
        if ((m.a == r.discs.back().id || m.b == r.discs.back().id) &&
            m.t > r.start + 1.5 * r.frame_s) {
            until = std::min(until, m.t - 0.5 * r.frame_s);
            break;
        }
    const Point from = r.discs.back().at;
    Point sum;
    double weight = 0;
    for (const TrackPoint& point : r.points.back()) {
        const double tau = point.t - r.start;
        if (tau < 0.5 * r.frame_s || point.t > until) continue;
        const Point way = Point{point.x, point.y} - from;
        const double far = length(way);
        if (far < kSetOff_mm) continue;
        sum = sum + way * ((far / tau + 0.5 * p.deceleration_mm_s2() * tau) / far * tau);
        weight += tau;
    }
    if (weight == 0) throw std::runtime_error("the striker of the shot does not move");
    const Point v = sum * (1 / weight);
    return {length(v), std::atan2(v.y, v.x), r.start, 0};
}

/// When, after the stroke, the collision after the first `count` happens (or all is at rest).
double horizon_after(const Recording& r, const Stroke& s, const Board& board, const Parameters& p,
                     int count) {
    auto world = world_of(r, s, board, p);
    world.run(nullptr, kLongestShot_s, count);
    return world.time();
}

/// A stroke as optimisation variables, all of size one or so.
std::vector<double> variables(const Stroke& s, const Stroke& about, double frame_s, bool spin) {
    std::vector<double> x = {(s.speed - about.speed) / 50, (s.angle - about.angle) / 0.01,
                             (s.start - about.start) / frame_s};
    if (spin) x.push_back(s.spin / 20);
    return x;
}
Stroke stroke_of(const std::vector<double>& x, const Stroke& about, double frame_s) {
    return {std::max(1.0, about.speed + 50 * x[0]), about.angle + 0.01 * x[1],
            about.start + frame_s * x[2], x.size() > 3 ? 20 * x[3] : 0};
}

double minimise(std::vector<double>& x,
                const std::function<double(const std::vector<double>&)>& cost, double step,
                int trials, double lowest, double highest) {
    nlopt::opt search(nlopt::LN_SBPLX, static_cast<unsigned>(x.size()));
    using Cost = std::function<double(const std::vector<double>&)>;
    search.set_min_objective([](const std::vector<double>& at, std::vector<double>&,
                                void* data) { return (*static_cast<const Cost*>(data))(at); },
                             const_cast<Cost*>(&cost));
    search.set_initial_step(step);
    search.set_lower_bounds(lowest);
    search.set_upper_bounds(highest);
    search.set_maxeval(trials);
    search.set_xtol_rel(1e-7);
    double value = cost(x);
    const std::vector<double> before = x;
    try {
        search.optimize(x, value);
    } catch (const nlopt::roundoff_limited&) {
        // As good as it gets.
    }
    if (cost(x) > cost(before)) x = before;
    return cost(x);
}

Stroke refine(const Recording& r, const Stroke& from, const Board& board, const Parameters& p,
              double horizon, double outlier, int trials, double step) {
    const bool spin = p.rim_friction > 0;
    std::vector<double> x = variables(from, from, r.frame_s, spin);
    minimise(
        x,
        [&](const std::vector<double>& at) {
            const Stroke s = stroke_of(at, from, r.frame_s);
            const double late = at[2];  // the instant is known to about a frame
            return compare(r, s, board, p, horizon, outlier).robust + 0.02 * late * late;
        },
        step, trials, -40, 40);
    return stroke_of(x, from, r.frame_s);
}

/// The discs that are hit within the horizon, and the striker.
std::vector<std::size_t> involved(const Recording& r, const Stroke& s, const Board& board,
                                  const Parameters& p, double horizon) {
    auto world = world_of(r, s, board, p);
    Trace trace;
    world.run(&trace, horizon);
    std::vector<std::size_t> list = {r.discs.size() - 1};
    for (const Impact& i : trace.impacts)
        if (i.kind == Impact::Kind::disc)
            for (int k : {i.a, i.b})
                if (std::find(list.begin(), list.end(), std::size_t(k)) == list.end())
                    list.push_back(std::size_t(k));
    return list;
}

/// Lets the first places move within the camera's doubt, too: a hundredth of a millimetre there is
/// a millimetre three collisions later.
Stroke refine_places(Recording& r, const Stroke& from, const Board& board, const Parameters& p,
                     double horizon, const FitOptions& o) {
    const auto list = involved(r, from, board, p, horizon);
    std::vector<double> x = variables(from, from, r.frame_s, p.rim_friction > 0);
    const std::size_t own = x.size();
    x.resize(own + 2 * list.size(), 0);
    const std::vector<Disc> places = r.discs;
    const auto move = [&](const std::vector<double>& at) {
        for (std::size_t k = 0; k < list.size(); ++k)
            r.discs[list[k]].at = places[list[k]].at +
                                  Point{at[own + 2 * k], at[own + 2 * k + 1]} * o.place_doubt_mm;
        return stroke_of({at.begin(), at.begin() + static_cast<std::ptrdiff_t>(own)}, from,
                         r.frame_s);
    };
    minimise(
        x,
        [&](const std::vector<double>& at) {
            const Stroke s = move(at);
            double doubt = 0.02 * at[2] * at[2];
            for (std::size_t k = own; k < at.size(); ++k) doubt += 0.05 * at[k] * at[k];
            return compare(r, s, board, p, horizon, o.outlier_mm).robust + doubt;
        },
        0.2, o.strike_trials * static_cast<int>(2 + list.size()), -40, 40);
    return move(x);
}

/// Spin shows only at the first hit, and weakly: try several before settling on one.
Stroke best_spin(const Recording& r, const Stroke& from, const Board& board, const Parameters& p,
                 double horizon, const FitOptions& o) {
    Stroke best = from;
    double least = compare(r, from, board, p, horizon, o.outlier_mm).robust;
    for (double spin : {-120.0, -60.0, -20.0, 20.0, 60.0, 120.0}) {
        Stroke s = from;
        s.spin = spin;
        s = refine(r, s, board, p, horizon, o.outlier_mm, o.strike_trials, 0.3);
        const double cost = compare(r, s, board, p, horizon, o.outlier_mm).robust;
        if (cost < least) least = cost, best = s;
    }
    return best;
}

/// From the first slide to `collisions` of them.
Stroke find_stroke(Recording& r, const Shot& shot, const Board& board, const Parameters& p,
                   const FitOptions& o) {
    Stroke s = first_guess(r, shot, board, p);
    for (int count = 0; count <= o.collisions; ++count) {
        const double horizon = horizon_after(r, s, board, p, count);
        s = refine(r, s, board, p, horizon, o.outlier_mm, o.strike_trials, count == 0 ? 1.0 : 0.3);
        if (count == 1 && p.rim_friction > 0) s = best_spin(r, s, board, p, horizon, o);
        if (count > 0) s = refine_places(r, s, board, p, horizon, o);
    }
    return s;
}

double final_error(const Recording& r, const Stroke& s, const Board& board, const Parameters& p) {
    auto world = world_of(r, s, board, p);
    world.run();
    double worst = 0;
    for (std::size_t k = 0; k < r.discs.size(); ++k) {
        if (world.pocket_of(static_cast<int>(k)) != ExactWorld::kNoPocket || r.points[k].empty())
            continue;
        const TrackPoint& last = r.points[k].back();
        if (last.t < r.end - 5 * r.frame_s &&
            distance({last.x, last.y}, r.discs[k].at) > kSetOff_mm)
            continue;  // it fell
        worst = std::max(worst, distance(world.position(static_cast<int>(k)), {last.x, last.y}));
    }
    return worst;
}

ShotFit report(const Recording& r, const Stroke& s, const Board& board, const Parameters& p,
               const FitOptions& o) {
    ShotFit fit;
    fit.strike = {r.discs.back().at, s.velocity(), s.spin, r.discs.back().id};
    fit.start_s = s.start;
    const double horizon = horizon_after(r, s, board, p, o.collisions);
    const Comparison c = compare(r, s, board, p, horizon, o.outlier_mm);
    fit.residual_mm = std::sqrt(c.squares / std::max(1, c.points));
    fit.worst_mm = c.worst;
    fit.explained_until_s = std::min(r.end, s.start + horizon);
    auto world = world_of(r, s, board, p);
    Trace trace;
    world.run(&trace, horizon, o.collisions);
    fit.collisions = world.collisions();
    for (const Impact& i : trace.impacts) fit.wall_hits += i.kind == Impact::Kind::wall;
    fit.final_mm = final_error(r, s, board, p);
    fit.chaotic = fit.residual_mm > o.chaos_mm;
    return fit;
}

/// The sought parameters as variables of size one or so.
constexpr double kFrictionStep = 0.02, kRestitutionStep = 0.1;
Parameters parameters_of(const std::vector<double>& x, const Parameters& about) {
    Parameters p = about;
    p.friction = std::clamp(about.friction + kFrictionStep * x[0], 0.005, 1.0);
    p.restitution = std::clamp(about.restitution + kRestitutionStep * x[1], 0.05, 1.0);
    p.wall_restitution = std::clamp(about.wall_restitution + kRestitutionStep * x[2], 0.05, 1.0);
    return p;
}

struct Job {
    const Shot* shot;
    Recording recording;
    Stroke stroke;
};

/// Sum over shots of the mean bounded square, each shot's strike fitted to these parameters.
double cost_of(const std::vector<Job>& jobs, const Board& board, const Parameters& p,
               const FitOptions& o, int collisions, std::vector<Stroke>& strokes) {
    double sum = 0;
    for (std::size_t k = 0; k < jobs.size(); ++k) {
        const Recording& r = jobs[k].recording;
        const double horizon = horizon_after(r, jobs[k].stroke, board, p, collisions);
        strokes[k] = refine(r, jobs[k].stroke, board, p, horizon, o.outlier_mm, o.strike_trials,
                            0.15);
        const Comparison c = compare(r, strokes[k], board, p, horizon, o.outlier_mm);
        sum += c.robust / std::max(1, c.points);
    }
    return sum;
}

/// The parameters nearby that explain the shots best; the best strikes are kept with the jobs.
Parameters search_table(std::vector<Job>& jobs, const Board& board, const Parameters& about,
                        const FitOptions& o, int collisions, double step) {
    std::vector<Stroke> strokes(jobs.size());
    double best = cost_of(jobs, board, about, o, collisions, strokes);
    std::vector<double> x(3, 0);
    minimise(
        x,
        [&](const std::vector<double>& at) {
            const double cost = cost_of(jobs, board, parameters_of(at, about), o, collisions,
                                        strokes);
            if (cost < best) {
                best = cost;
                for (std::size_t k = 0; k < jobs.size(); ++k) jobs[k].stroke = strokes[k];
            }
            return cost;
        },
        step, o.table_trials, -8, 8);
    return parameters_of(x, about);
}

}  // namespace

ShotFit fit_strike(const Shot& shot, const Board& board, const Parameters& p, const FitOptions& o) {
    Recording r = recording_of(shot, board);
    const Stroke s = find_stroke(r, shot, board, p, o);
    return report(r, s, board, p, o);
}

TableFit fit_table(const std::vector<Shot>& shots, const Board& board, const Parameters& start,
                   const FitOptions& o) {
    if (shots.empty()) throw std::runtime_error("there is no shot to fit");
    std::vector<Job> jobs;
    FitOptions early = o;
    early.collisions = 1;
    for (const Shot& shot : shots) {
        Job job{&shot, recording_of(shot, board), {}};
        job.stroke = find_stroke(job.recording, shot, board, start, early);
        jobs.push_back(std::move(job));
    }
    TableFit fit;
    fit.parameters = search_table(jobs, board, start, o, 1, 1.0);
    for (int round = 0; round < 2; ++round) {
        for (Job& job : jobs)
            job.stroke = find_stroke(job.recording, *job.shot, board, fit.parameters, o);
        fit.parameters = search_table(jobs, board, fit.parameters, o, o.collisions, 0.3);
    }
    double squares = 0;
    int good = 0;
    for (Job& job : jobs) {
        job.recording = recording_of(*job.shot, board);
        job.stroke = find_stroke(job.recording, *job.shot, board, fit.parameters, o);
        const ShotFit& one = fit.shots.emplace_back(
            report(job.recording, job.stroke, board, fit.parameters, o));
        fit.collisions += one.collisions;
        fit.wall_hits += one.wall_hits;
        if (!one.chaotic) squares += one.residual_mm * one.residual_mm, ++good;
    }
    fit.residual_mm = good ? std::sqrt(squares / good) : 0;
    if (fit.collisions == 0) fit.parameters.restitution = start.restitution;
    if (fit.wall_hits == 0) fit.parameters.wall_restitution = start.wall_restitution;
    return fit;
}

Json to_json(const ShotFit& f) {
    return {{"striker",
             {{"x", f.strike.from.x},
              {"y", f.strike.from.y},
              {"vx", f.strike.velocity_mm_s.x},
              {"vy", f.strike.velocity_mm_s.y},
              {"spin", f.strike.spin_rad_s},
              {"id", f.strike.id}}},
            {"start", f.start_s},
            {"residual_mm", f.residual_mm},
            {"worst_mm", f.worst_mm},
            {"final_mm", f.final_mm},
            {"explained_until", f.explained_until_s},
            {"collisions", f.collisions},
            {"wall_hits", f.wall_hits},
            {"chaotic", f.chaotic}};
}

Json to_json(const TableFit& f) {
    Json shots = Json::array();
    for (const ShotFit& s : f.shots) shots.push_back(to_json(s));
    return {{"physics", to_json(f.parameters)},
            {"residual_mm", f.residual_mm},
            {"collisions", f.collisions},
            {"wall_hits", f.wall_hits},
            {"shots", std::move(shots)}};
}

}  // namespace overboard::physics
