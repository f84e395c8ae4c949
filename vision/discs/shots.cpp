#include "vision/discs/shots.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

// Tracks of all discs are kept for a short while. When one gets fast, that while becomes the
// beginning of a shot. It ends when all are slow, no hand is over the table and every disc lies in
// plain view: only then can be told which are gone.
namespace overboard::vision {

ShotCutter::ShotCutter(const BoardKind& board, std::vector<DiscKind> discs, ShotLimits limits,
                       FateLimits fate_limits)
    : fates_{board, std::move(discs), fate_limits}, limits_{limits} {}

void ShotCutter::follow(const Observation& seen, const Pose& board) {
    for (auto& [id, run] : runs_) run.lies = false;
    for (const Piece& p : seen.pieces) {
        if (p.kind != PieceKind::disc) continue;
        if (const auto known = runs_.find(p.id); known != runs_.end()) known->second.lies = true;
        if (p.seen < seen.time) continue;
        const Point at = local_to(board, {p.x, p.y});
        Run& run = runs_[p.id];
        run.track.id = p.id;
        run.track.type = p.type;
        if (!run.track.points.empty()) {
            const TrackPoint& last = run.track.points.back();
            const double dt = seen.time - last.t;
            // Out of sight for longer, it may have been carried: two looks in a row tell how fast
            // it is.
            if (dt > 1e-5)
                run.velocity = dt < limits_.blink_s ? (at - Point{last.x, last.y}) * (1 / dt)
                                                    : Point{};
        }
        run.track.points.push_back({seen.time, at.x, at.y});
        run.last_seen = seen.time;
        run.lies = true;
    }
    if (!seen.hands.empty()) hand_ = seen.time;
    if (!running_) forget_the_past(seen.time);
}

void ShotCutter::forget_the_past(double time_s) {
    for (auto it = runs_.begin(); it != runs_.end();) {
        auto& points = it->second.track.points;
        const auto old = std::find_if(points.begin(), points.end(), [&](const TrackPoint& p) {
            return p.t >= time_s - limits_.look_back_s;
        });
        // The last place stays: a disc under the shooter's hand has not been seen for a while.
        if (!points.empty()) points.erase(points.begin(), old == points.end() ? old - 1 : old);
        it = it->second.lies ? std::next(it) : runs_.erase(it);
    }
}

void ShotCutter::begin(const Observation& seen) {
    running_ = true;
    started_ = moving_ = seen.time;
    frames_ = 0;
    // What turned up only now came out from under another, or is one that got lost a moment ago.
    for (auto& [id, run] : runs_)
        run.before = run.track.points.front().t <= seen.time - limits_.lay_s;
}

// Where the striker stood: the last place it rested before it got fast. Nothing when it came out
// from under the hand already moving: a guess would accuse people of a wrong placement.
std::optional<Point> ShotCutter::rest_before(const Track& track) const {
    constexpr double kRest_mm_s = 80;
    std::optional<Point> rest;
    for (std::size_t i = 0; i + 1 < track.points.size(); ++i) {
        const TrackPoint &a = track.points[i], &b = track.points[i + 1];
        const double speed = std::hypot(b.x - a.x, b.y - a.y) / std::max(1e-6, b.t - a.t);
        if (speed > limits_.start_mm_s) break;
        if (speed < kRest_mm_s) rest = Point{a.x, a.y};
    }
    return rest;
}

// Every stroke is the striker's. Anything else that moves fast is a hand at work, or an eye that
// blinked.
bool ShotCutter::striker_ran() const {
    return std::any_of(runs_.begin(), runs_.end(), [&](const auto& r) {
        const auto& points = r.second.track.points;
        if (r.second.track.type != fates_.striker() || points.empty()) return false;
        const auto [left, right] = std::minmax_element(
            points.begin(), points.end(), [](const auto& a, const auto& b) { return a.x < b.x; });
        const auto [top, bottom] = std::minmax_element(
            points.begin(), points.end(), [](const auto& a, const auto& b) { return a.y < b.y; });
        return std::max(right->x - left->x, bottom->y - top->y) > limits_.least_run_mm;
    });
}

void ShotCutter::finish(double time_s) {
    const bool stroke = striker_ran();
    const std::map<int, Run> runs = runs_;
    running_ = false;
    std::erase_if(runs_, [](const auto& r) { return !r.second.lies; });
    for (auto& [id, run] : runs_) run.before = false;
    if (!stroke) return;
    Shot shot;
    shot.shot_id = fmt::format("shot-{}-{:.3f}", ++count_, started_);
    shot.start = started_;
    shot.end = moving_;
    shot.fps = frames_ > 0 && time_s > started_ ? std::round(frames_ / (time_s - started_)) : 0;
    shot.board = fates_.board_name();
    fates_.tell(runs, shot);
    for (const Track& track : shot.tracks)
        if (track.type == fates_.striker() && !shot.striker_from)
            shot.striker_from = rest_before(track);
    done_.push_back(std::move(shot));
}

bool ShotCutter::any_shot_off(double time_s) const {
    return std::any_of(runs_.begin(), runs_.end(), [&](const auto& r) {
        const Run& run = r.second;
        if (run.last_seen < time_s || length(run.velocity) < limits_.start_mm_s) return false;
        const TrackPoint &from = run.track.points.front(), &to = run.track.points.back();
        return fates_.on_surface({to.x, to.y}, 20) &&
               std::hypot(to.x - from.x, to.y - from.y) > limits_.start_mm;
    });
}

// The longest way any disc came in the last rest_s; one lost meanwhile may still run.
double ShotCutter::farthest(double time_s) const {
    double farthest = 0;
    for (const auto& [id, run] : runs_) {
        const auto& points = run.track.points;
        if (run.last_seen < time_s - limits_.rest_s ||
            !fates_.on_surface({points.back().x, points.back().y}, 20))
            continue;
        auto then = points.rbegin();
        while (std::next(then) != points.rend() && then->t > time_s - limits_.rest_s) ++then;
        farthest = std::max(farthest,
                            std::hypot(points.back().x - then->x, points.back().y - then->y));
    }
    return farthest;
}

// A disc that is not seen but not given up either is under a hand, or lies under another disc.
bool ShotCutter::all_in_view(const Observation& seen) const {
    const auto in_view = [&](const Piece& p) {
        return p.kind != PieceKind::disc || p.seen >= seen.time ||
               std::any_of(seen.pieces.begin(), seen.pieces.end(), [&](const Piece& upper) {
                   return upper.id != p.id && upper.seen >= seen.time &&
                          distance({upper.x, upper.y}, {p.x, p.y}) < fates_.radius_of(p.type);
               });
    };
    return std::all_of(seen.pieces.begin(), seen.pieces.end(), in_view);
}

void ShotCutter::end() {
    if (!running_) return;
    if (farthest(now_) > limits_.rest_mm) moving_ = now_;
    finish(now_);
}

void ShotCutter::push(const Observation& seen, const Pose& board) {
    now_ = seen.time;
    follow(seen, board);
    if (!running_) {
        if (any_shot_off(seen.time)) begin(seen);  // the hand that flicked is still there
        return;
    }
    ++frames_;
    const bool moving = farthest(seen.time) > limits_.rest_mm;
    if (moving) moving_ = std::max(moving_, seen.time - limits_.rest_s);
    const bool at_rest = !moving && seen.time - std::max(started_, hand_) > limits_.rest_s &&
                         all_in_view(seen);
    if (at_rest || seen.time - started_ > limits_.longest_s) finish(seen.time);
}

std::vector<Shot> ShotCutter::take() {
    return std::exchange(done_, {});
}

}  // namespace overboard::vision
