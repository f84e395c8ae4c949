#include "vision/shots.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

// Tracks of all discs are kept for a short while. When one gets fast, that while becomes the
// beginning of a shot; when all are slow again, discs that are no longer on the surface are asked
// where they went: into the hole that lay on their way, or over the edge.
namespace overboard::vision {

ShotCutter::ShotCutter(const BoardKind& board, std::vector<DiscKind> discs, ShotLimits limits)
    : board_{board}, kinds_{std::move(discs)}, limits_{limits} {
    const auto largest = std::max_element(kinds_.begin(), kinds_.end(), [](const auto& a, const auto& b) { return a.diameter_mm < b.diameter_mm; });
    if (largest != kinds_.end()) striker_ = largest->type;
}

double ShotCutter::radius_of(const std::string& type) const {
    for (const DiscKind& d : kinds_)
        if (d.type == type) return d.diameter_mm / 2;
    return 10;
}

bool ShotCutter::on_surface(Point p, double slack_mm) const {
    return std::abs(p.x) < board_.width_mm / 2 + slack_mm && std::abs(p.y) < board_.height_mm / 2 + slack_mm;
}

void ShotCutter::follow(const Observation& seen, const Pose& board) {
    for (const Piece& p : seen.pieces) {
        if (p.kind != PieceKind::disc || p.seen < seen.time) continue;
        const Point at = local_to(board, {p.x, p.y});
        Disc& d = discs_[p.id];
        d.track.id = p.id;
        d.track.type = p.type;
        if (!d.track.points.empty()) {
            const TrackPoint& last = d.track.points.back();
            const double dt = seen.time - last.t;
            if (dt > 1e-5) d.velocity = (at - Point{last.x, last.y}) * (1 / dt);
        }
        d.track.points.push_back({seen.time, at.x, at.y});
        d.last_seen = seen.time;
        d.gone = false;
    }
    for (auto& [id, d] : discs_)
        d.gone = std::none_of(seen.pieces.begin(), seen.pieces.end(), [&, key = id](const Piece& p) { return p.id == key; });
    if (running_) return;
    for (auto it = discs_.begin(); it != discs_.end();) {
        auto& points = it->second.track.points;
        const auto old = std::find_if(points.begin(), points.end(), [&](const TrackPoint& p) { return p.t >= seen.time - limits_.look_back_s; });
        // The last place stays: a disc under the shooter's hand has not been seen for a while.
        if (!points.empty()) points.erase(points.begin(), old == points.end() ? old - 1 : old);
        it = it->second.gone ? discs_.erase(it) : std::next(it);
    }
}

void ShotCutter::begin(double time_s) {
    running_ = true;
    started_ = moving_ = time_s;
    first_ = time_s;
    frames_ = 0;
    for (const auto& [id, d] : discs_)
        if (!d.track.points.empty()) first_ = std::min(first_, d.track.points.front().t);
}

const Hole* ShotCutter::hole_on_the_way(const Disc& disc) const {
    const TrackPoint& last = disc.track.points.back();
    const Hole* best = nullptr;
    double nearest = 1e9;
    for (const Hole& hole : board_.holes) {
        const Point from{last.x, last.y}, to = hole.centre - from;
        const double speed = length(disc.velocity);
        double apart = length(to);
        if (speed > 30) {  // the nearest it comes within the next fifth of a second
            const double along = std::clamp(dot(to, disc.velocity) / (speed * speed), 0.0, 0.2);
            apart = std::min(apart, length(to - disc.velocity * along));
        }
        if (apart < nearest) nearest = apart, best = &hole;
    }
    return best && nearest < best->diameter_mm / 2 + 1.2 * radius_of(disc.track.type) ? best : nullptr;
}

void ShotCutter::settle_fate(int id, Disc& disc, Shot& shot) const {
    const auto& points = disc.track.points;
    if (points.empty()) return;
    const Point last{points.back().x, points.back().y};
    if (!disc.gone) {
        if (!on_surface(last, 0)) shot.ejected.push_back({id, disc.track.type, "", disc.last_seen});
        return;
    }
    if (disc.last_seen < started_ - 0.1) return;  // it left before the shot: somebody took it
    if (const Hole* hole = hole_on_the_way(disc)) return shot.pocketed.push_back({id, disc.track.type, hole->name, disc.last_seen});
    // The striker lay there: its owner took it. Another disc that lay there was hit too hard to be followed.
    const bool lay = length(disc.velocity) < limits_.taken_mm_s;
    if (disc.track.type == striker_ && lay) return;
    const Hole* ahead = hole_ahead(disc);
    const Point way = ahead ? ahead->centre - last : Point{};
    const bool heading = dot(way, disc.velocity) > 0.8 * length(way) * length(disc.velocity);
    const bool too_slow_to_jump = length(disc.velocity) < limits_.jump_mm_s;
    if (ahead && on_surface(last, 0) && (heading || too_slow_to_jump || on_surface(last, -30)))
        shot.pocketed.push_back({id, disc.track.type, ahead->name, disc.last_seen});
    else shot.ejected.push_back({id, disc.track.type, "", disc.last_seen});
}

// Where the striker stood: the last place it rested before it got fast. Nothing when it came out from
// under the hand already moving: a guess would accuse people of a wrong placement.
std::optional<Point> ShotCutter::rest_before(const Track& track) const {
    std::optional<Point> rest;
    for (std::size_t i = 0; i + 1 < track.points.size(); ++i) {
        const TrackPoint &a = track.points[i], &b = track.points[i + 1];
        const double speed = std::hypot(b.x - a.x, b.y - a.y) / std::max(1e-6, b.t - a.t);
        if (speed > limits_.start_mm_s) break;
        if (speed < limits_.taken_mm_s) rest = Point{a.x, a.y};
    }
    return rest;
}

// Lost from sight in the middle of the board: discs do not jump from there, so it fell; most likely where it was heading.
const Hole* ShotCutter::hole_ahead(const Disc& disc) const {
    const TrackPoint& last = disc.track.points.back();
    const Hole* best = nullptr;
    double straightest = -2;
    for (const Hole& hole : board_.holes) {
        const Point to = hole.centre - Point{last.x, last.y};
        const double along = dot(to, disc.velocity) / std::max(1e-6, length(to) * length(disc.velocity));
        if (along > straightest) straightest = along, best = &hole;
    }
    return best;
}

void ShotCutter::finish(double time_s) {
    Shot shot;
    shot.shot_id = fmt::format("shot-{}-{:.3f}", ++count_, started_);
    shot.start = started_;
    shot.end = moving_;
    shot.fps = frames_ > 1 && time_s > started_ ? std::round((frames_ - 1) / (time_s - started_)) : 0;
    shot.board = board_.name;
    for (auto& [id, disc] : discs_) {
        settle_fate(id, disc, shot);
        if (disc.track.points.empty()) continue;
        if (disc.track.type == striker_ && !shot.striker_from) shot.striker_from = rest_before(disc.track);
        shot.tracks.push_back(disc.track);
    }
    const auto by_time = [](const Fallen& a, const Fallen& b) { return a.time < b.time; };
    std::sort(shot.pocketed.begin(), shot.pocketed.end(), by_time);
    done_.push_back(std::move(shot));
    running_ = false;
    discs_.clear();
}

void ShotCutter::push(const Observation& seen, const Pose& board) {
    follow(seen, board);
    double fastest = 0;
    for (const auto& [id, d] : discs_)
        if (d.last_seen >= seen.time && on_surface({d.track.points.back().x, d.track.points.back().y}, 20))
            fastest = std::max(fastest, length(d.velocity));
    if (!running_) {
        if (fastest > limits_.start_mm_s) begin(seen.time);  // the hand that flicked is still there
        return;
    }
    ++frames_;
    if (fastest > limits_.rest_mm_s) moving_ = seen.time;
    // A piece that has just vanished may still be rolling where we cannot see it.
    const bool waiting = std::any_of(discs_.begin(), discs_.end(), [&](const auto& d) { return !d.second.gone && seen.time - d.second.last_seen > 0 && seen.time - d.second.last_seen < 0.2; });
    if ((seen.time - moving_ > limits_.rest_s && !waiting) || seen.time - started_ > limits_.longest_s) finish(seen.time);
}

std::vector<Shot> ShotCutter::take() { return std::exchange(done_, {}); }

}  // namespace overboard::vision
