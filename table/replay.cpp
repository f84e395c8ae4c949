#include "table/replay.hpp"

#include <algorithm>
#include <cmath>

namespace overboard::table {
namespace {

constexpr double kLeastImpact_mm_s = 120;  // lower: friction and jitter flash too
constexpr double kBack_mm = 2;

Point velocity(const TrackPoint& a, const TrackPoint& b) {
    const double dt = std::max(1e-6, b.t - a.t);
    return {(b.x - a.x) / dt, (b.y - a.y) / dt};
}

}  // namespace

std::vector<Impact> find_impacts(const Shot& shot) {
    std::vector<Impact> all;
    for (const Track& track : shot.tracks)
        for (std::size_t i = 1; i + 1 < track.points.size(); ++i) {
            const TrackPoint& p = track.points[i];
            const Point before = velocity(track.points[i - 1], p),
                        after = velocity(p, track.points[i + 1]);
            const double jump = distance(before, after);
            // A hit turns or stops most of the motion; friction only slows it.
            if (jump > kLeastImpact_mm_s && jump > 0.35 * std::max(length(before), length(after)))
                all.push_back({p.t, {p.x, p.y}, jump});
        }
    std::sort(all.begin(), all.end(), [](const Impact& a, const Impact& b) { return a.t < b.t; });
    // Both discs of a collision, and frames next to each other, tell of the same hit.
    std::vector<Impact> distinct;
    for (const Impact& hit : all) {
        const bool known = std::any_of(distinct.begin(), distinct.end(), [&](const Impact& d) {
            return hit.t - d.t < 0.03 && distance(hit.at, d.at) < 45;
        });
        if (!known) distinct.push_back(hit);
    }
    return distinct;
}

bool is_back(const std::vector<Piece>& pieces, const std::string& type, Point where) {
    return std::any_of(pieces.begin(), pieces.end(), [&](const Piece& p) {
        return p.type == type && distance({p.x, p.y}, where) <= kBack_mm;
    });
}

Replay::Replay(Shot shot, Pose board)
    : shot_{std::move(shot)}, board_{board}, impacts_{find_impacts(shot_)}, time_{shot_.start} {}

void Replay::advance(double seconds) {
    if (!playing_ || restoring_) return;
    time_ = std::min(shot_.end, time_ + seconds * speed_);
    if (time_ >= shot_.end) playing_ = false;
}

void Replay::play(bool on) {
    if (on && time_ >= shot_.end) time_ = shot_.start;
    playing_ = on;
    if (on) restoring_ = false;
}

void Replay::scrub(double share) {
    time_ = shot_.start + std::clamp(share, 0.0, 1.0) * (shot_.end - shot_.start);
    playing_ = false;
    restoring_ = false;
}

void Replay::ask(std::optional<WhatIf> change) {
    if (what_if_ == change) return;
    what_if_ = change;
    answered_ = !change;
    if (!change) return instead_.reset();
    restoring_ = false;
    playing_ = false;
    time_ = change->from_s;
}

void Replay::answer(std::optional<Shot> instead) {
    instead_ = std::move(instead);
    answered_ = true;
}

double Replay::share() const {
    const double whole = shot_.end - shot_.start;
    return whole > 0 ? (time_ - shot_.start) / whole : 1;
}

Point Replay::position(const Track& track) const {
    if (track.points.empty()) return {};
    const auto after = std::find_if(track.points.begin(), track.points.end(),
                                    [&](const TrackPoint& p) { return p.t > time_; });
    if (after == track.points.begin()) return {after->x, after->y};
    const TrackPoint& a = *(after - 1);
    if (after == track.points.end()) return {a.x, a.y};
    const double k = (time_ - a.t) / std::max(1e-9, after->t - a.t);
    return {a.x + k * (after->x - a.x), a.y + k * (after->y - a.y)};
}

bool Replay::fallen(int id) const {
    const auto gone = [&](const Fallen& f) { return f.id == id && f.time <= time_; };
    return std::any_of(shot_.pocketed.begin(), shot_.pocketed.end(), gone) ||
           std::any_of(shot_.ejected.begin(), shot_.ejected.end(), gone);
}

}  // namespace overboard::table
