#include "vision/discs/fates.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

namespace overboard::vision {
namespace {

constexpr double kLikely = 0.7;   // gone, most likely into the hole named
constexpr double kUnclear = 0.3;  // hole or edge: nobody saw

Point first_of(const Run& r) {
    return {r.track.points.front().x, r.track.points.front().y};
}
Point last_of(const Run& r) {
    return {r.track.points.back().x, r.track.points.back().y};
}

}  // namespace

Fates::Fates(const BoardKind& board, std::vector<DiscKind> discs, FateLimits limits)
    : board_{board}, kinds_{std::move(discs)}, limits_{limits} {
    const auto largest = std::max_element(
        kinds_.begin(), kinds_.end(),
        [](const auto& a, const auto& b) { return a.diameter_mm < b.diameter_mm; });
    if (largest != kinds_.end()) striker_ = largest->type;
}

double Fates::radius_of(const std::string& type) const {
    for (const DiscKind& d : kinds_)
        if (d.type == type) return d.diameter_mm / 2;
    return 10;
}

bool Fates::on_surface(Point p, double slack_mm) const {
    return std::abs(p.x) < board_.width_mm / 2 + slack_mm &&
           std::abs(p.y) < board_.height_mm / 2 + slack_mm;
}

// How near it came, or would have come within the next fifth of a second, to a hole's middle.
double Fates::way_to(const Hole& hole, const Run& run) const {
    const Point to = hole.centre - last_of(run);
    const double speed = length(run.velocity);
    if (speed <= 30) return length(to);
    const double along = std::clamp(dot(to, run.velocity) / (speed * speed), 0.0, 0.2);
    return std::min(length(to), length(to - run.velocity * along));
}

const Hole* Fates::hole_on_the_way(const Run& run) const {
    const Hole* best = nullptr;
    double nearest = 1e9;
    for (const Hole& hole : board_.holes)
        if (const double apart = way_to(hole, run); apart < nearest) nearest = apart, best = &hole;
    return best && nearest < best->diameter_mm / 2 + 1.2 * radius_of(run.track.type) ? best
                                                                                     : nullptr;
}

// Lost from sight in the middle of the board: discs do not jump from there, so it fell; most likely
// where it was heading, or, if it lay (under the shooter's hand), in the nearest.
const Hole* Fates::hole_ahead(const Run& run) const {
    const Hole* best = nullptr;
    double straightest = -1e9;
    for (const Hole& hole : board_.holes) {
        const Point to = hole.centre - last_of(run);
        if (length(run.velocity) < 30) {
            if (-length(to) > straightest) straightest = -length(to), best = &hole;
            continue;
        }
        const double along = dot(to, run.velocity) /
                             std::max(1e-6, length(to) * length(run.velocity));
        if (along > straightest) straightest = along, best = &hole;
    }
    return best;
}

// How far `found` begins from where `lost` would have been by then; infinite when no disc is so
// fast.
double Fates::gap(const Run& lost, const Run& found) const {
    constexpr double kNever = 1e9;
    const double dt = found.track.points.front().t - lost.track.points.back().t;
    if (lost.track.type != found.track.type || dt < -0.02) return kNever;
    const double apart = distance(first_of(found), last_of(lost));
    if (apart > 30 + limits_.fastest_mm_s * std::max(0.0, dt)) return kNever;
    const Point there = last_of(lost) + lost.velocity * std::clamp(dt, 0.0, 0.1);
    return std::min(apart, distance(first_of(found), there));
}

// Neither where it was bound nor where a rebound could have taken it.
bool Fates::is_leap(const Run& run, const TrackPoint& next) const {
    const double dt = std::clamp(next.t - run.track.points.back().t, 0.0, 0.1);
    const Point at{next.x, next.y}, there = last_of(run) + run.velocity * dt;
    const double moved = distance(last_of(run), at);
    return std::min(distance(there, at), moved) > limits_.leap_mm &&
           moved > length(run.velocity) * dt;
}

// In a break a track may jump from one disc to the next. Where it leapt, it ends, and another
// begins.
std::vector<Run> Fates::split(const Run& run) const {
    std::vector<Run> parts = {run};
    parts[0].track.points.clear();
    for (const TrackPoint& p : run.track.points) {
        Run& part = parts.back();
        auto& points = part.track.points;
        const Point at{p.x, p.y};
        if (!points.empty()) {
            const double dt = p.t - points.back().t;
            if (is_leap(part, p)) {
                part.lies = false;
                parts.push_back(run);
                parts.back().track.points = {p};
                parts.back().velocity = {};
                parts.back().last_seen = p.t;
                parts.back().before = false;
                continue;
            }
            if (dt > 1e-5) part.velocity = (at - last_of(part)) * (1 / dt);
        }
        points.push_back(p);
        part.last_seen = p.t;
    }
    parts.back().velocity = run.velocity;
    parts.back().last_seen = run.last_seen;
    return parts;
}

// Pairs what was lost with what turned up, the most natural pairs first: near in the way, and far
// from any hole that could explain the loss instead.
void Fates::join(std::vector<Run>& runs) const {
    constexpr double kNever = 1e8;
    for (;;) {
        std::tuple<double, std::size_t, std::size_t> best{kNever, 0, 0};
        for (std::size_t f = 0; f < runs.size(); ++f)
            for (std::size_t l = 0; l < runs.size(); ++l) {
                if (runs[f].before || runs[l].lies || f == l) continue;
                const double apart = gap(runs[l], runs[f]);
                if (apart > limits_.leap_mm && fell_into(runs[l]))
                    continue;  // what turns up elsewhere came from under another
                best = std::min(best, {apart - std::min(nearest_hole(runs[l]), 60.0), l, f});
            }
        const auto [cost, l, f] = best;
        if (cost >= kNever) return;
        Run& kept = runs[l];
        Run more = std::move(runs[f]);
        kept.track.points.insert(kept.track.points.end(), more.track.points.begin(),
                                 more.track.points.end());
        kept.velocity = more.velocity, kept.last_seen = more.last_seen, kept.lies = more.lies;
        if (more.lies) kept.track.id = more.track.id;  // the name it goes by now
        runs.erase(runs.begin() + std::ptrdiff_t(f));
    }
}

// Over the edge of a hole, or a moment before it: no guess.
bool Fates::seen_to_fall(const Hole& hole, const Run& run) const {
    const double apart = distance(hole.centre, last_of(run)), speed = length(run.velocity);
    if (apart < hole.diameter_mm / 2 + radius_of(run.track.type)) return true;
    return way_to(hole, run) < hole.diameter_mm / 2 && apart < limits_.moment_s * speed;
}

const Hole* Fates::fell_into(const Run& run) const {
    const Hole* hole = run.lies ? nullptr : hole_on_the_way(run);
    return hole && seen_to_fall(*hole, run) ? hole : nullptr;
}

// Seen at the edge, too fast for the frame to hold it and not bound for a hole.
bool Fates::seen_to_leave(const Run& run) const {
    const Point last = last_of(run), soon = last + run.velocity * limits_.moment_s;
    return !on_surface(last, 0) || (!on_surface(last, -30) && !on_surface(soon, 0) &&
                                    length(run.velocity) > limits_.jump_mm_s);
}

void Fates::settle(const Run& run, Shot& shot) const {
    const Point last = last_of(run);
    const int id = run.track.id;
    const auto doubt = [&](double sure) {
        shot.confidence = std::min(shot.confidence.value_or(1), sure);
    };
    if (run.lies) {
        if (!on_surface(last, 0)) shot.ejected.push_back({id, run.track.type, "", run.last_seen});
        return;
    }
    // The striker lay there: its owner took it. Another disc that lay there was hit too hard to be
    // followed.
    const Hole* hole = hole_on_the_way(run);
    if (!hole && run.track.type == striker_ && length(run.velocity) < limits_.taken_mm_s) return;
    if (!hole && seen_to_leave(run)) {
        doubt(on_surface(last, 0) ? kUnclear : 1);
        return shot.ejected.push_back({id, run.track.type, "", run.last_seen});
    }
    if (!hole || !seen_to_fall(*hole, run))
        doubt(hole || length(run.velocity) < limits_.jump_mm_s ? kLikely : kUnclear);
    if (!hole) hole = hole_ahead(run);
    if (hole)
        shot.pocketed.push_back({id, run.track.type, hole->name, run.last_seen});
    else
        shot.ejected.push_back({id, run.track.type, "", run.last_seen});
}

// No more of a type are gone than do not lie there any more, unless stacks came apart: of loose
// ends of tracks those not seen to fall, and farthest from holes, did not. True: one ended in the
// open.
bool Fates::drop_loose_ends(const std::map<int, Run>& runs, std::vector<Run>& parts) const {
    bool any = false;
    for (const DiscKind& kind : kinds_) {
        const auto is_kind = [&](const Run& r) { return r.track.type == kind.type; };
        const auto before = std::count_if(runs.begin(), runs.end(), [&](const auto& r) {
            return is_kind(r.second) && r.second.before;
        });
        const auto lying = std::count_if(parts.begin(), parts.end(),
                                         [&](const Run& r) { return is_kind(r) && r.lies; });
        auto gone = std::count_if(parts.begin(), parts.end(),
                                  [&](const Run& r) { return is_kind(r) && !r.lies; });
        while (gone-- > std::max<std::ptrdiff_t>(0, before - lying)) {
            auto loosest = parts.end();
            for (auto r = parts.begin(); r != parts.end(); ++r)
                if (is_kind(*r) && !r->lies && !r->before && !fell_into(*r) &&
                    (loosest == parts.end() || nearest_hole(*r) > nearest_hole(*loosest)))
                    loosest = r;
            if (loosest == parts.end()) break;
            any |= !lost_beside(*loosest, parts);
            parts.erase(loosest);
        }
    }
    return any;
}

double Fates::nearest_hole(const Run& run) const {
    double nearest = 1e9;
    for (const Hole& h : board_.holes) nearest = std::min(nearest, way_to(h, run));
    return nearest;
}

// Last seen at the foot of what lies there.
bool Fates::lost_beside(const Run& run, const std::vector<Run>& parts) const {
    return std::any_of(parts.begin(), parts.end(), [&](const Run& other) {
        const double touching = radius_of(run.track.type) + radius_of(other.track.type);
        return other.lies && distance(last_of(run), last_of(other)) < touching + limits_.beside_mm;
    });
}

// Run into a tower, it lies on it or under it, too slow to have jumped the frame.
bool Fates::striker_is_stuck(const Run& run, const std::vector<Run>& parts) const {
    return run.track.type == striker_ && !run.lies && !hole_on_the_way(run) &&
           length(run.velocity) < limits_.jump_mm_s && lost_beside(run, parts);
}

// Whoever lies there keeps its id; one that is gone and had the same gets one that became free.
void Fates::name_apart(const std::map<int, Run>& before, std::vector<Run>& runs) {
    std::set<int> taken;
    for (const Run& r : runs)
        if (r.lies) taken.insert(r.track.id);
    for (Run& r : runs) {
        if (r.lies || taken.insert(r.track.id).second) continue;
        const auto unused = std::find_if(before.begin(), before.end(), [&](const auto& b) {
            return b.second.track.type == r.track.type && !taken.contains(b.first) &&
                   std::none_of(runs.begin(), runs.end(),
                                [&](const Run& other) { return other.track.id == b.first; });
        });
        if (unused == before.end()) continue;
        r.track.id = unused->first;
        taken.insert(r.track.id);
    }
}

void Fates::tell(const std::map<int, Run>& runs, Shot& shot) const {
    shot.confidence = 1;
    std::vector<Run> parts;
    for (const auto& [id, run] : runs) {
        if (run.track.points.empty()) continue;
        for (Run& part : split(run)) parts.push_back(std::move(part));
    }
    join(parts);
    std::erase_if(parts, [&](const Run& r) {
        return !r.before && !r.lies && int(r.track.points.size()) < limits_.least_points;
    });
    if (drop_loose_ends(runs, parts)) shot.confidence = kLikely;
    name_apart(runs, parts);
    // Some turned up that nobody knew of: a stack came apart. What got lost away from the holes may
    // be under another.
    const bool stacked = std::any_of(parts.begin(), parts.end(), [&](const Run& r) {
        return !r.before && r.track.type != striker_;
    });
    for (const Run& run : parts) {
        if (striker_is_stuck(run, parts)) continue;
        if (run.lies || !stacked || hole_on_the_way(run))
            settle(run, shot);
        else if (!lost_beside(run, parts))
            shot.confidence = std::min(shot.confidence.value_or(1), kLikely);
    }
    for (Run& run : parts) shot.tracks.push_back(std::move(run.track));
    const auto by_time = [](const Fallen& a, const Fallen& b) { return a.time < b.time; };
    std::sort(shot.pocketed.begin(), shot.pocketed.end(), by_time);
}

}  // namespace overboard::vision
