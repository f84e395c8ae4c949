// Impacts are corners in tracks. Around every point of a track the velocities before and after it
// are taken over a few frames each; where they differ by more than noise and friction explain, and
// more than around the neighbouring points, something was hit there. Two corners at one time and
// place are one impact.
#include "physics/replay.hpp"

#include <algorithm>
#include <cmath>

namespace overboard::physics {
namespace {

constexpr double kWindow_s = 0.03;  // velocities are taken over up to this long
constexpr double kTogether_s = 0.02;

std::size_t last_before(const std::vector<TrackPoint>& points, double t) {
    const auto after = std::upper_bound(points.begin(), points.end(), t,
                                        [](double v, const TrackPoint& p) { return v < p.t; });
    return after == points.begin() ? 0 : static_cast<std::size_t>(after - points.begin()) - 1;
}

Point place_of(const TrackPoint& p) {
    return {p.x, p.y};
}

/// Mean velocity from point k over the window, forwards or backwards; zero at the ends.
Point velocity_from(const std::vector<TrackPoint>& points, std::size_t k, int direction) {
    std::size_t end = k;
    while (true) {
        const std::size_t next = end + static_cast<std::size_t>(direction);
        if (next >= points.size() || std::abs(points[next].t - points[k].t) > kWindow_s) break;
        end = next;
    }
    if (end == k) {
        // No point within the window: a disc at rest has points at its ends only.
        end = k + static_cast<std::size_t>(direction);
        if (end >= points.size()) return {};
    }
    const double dt = points[end].t - points[k].t;
    return dt == 0 ? Point{} : (place_of(points[end]) - place_of(points[k])) * (1 / dt);
}

struct Corner {
    double t;
    Point at;
    int id;
    double radius;
    double change;
    bool used = false;
};

std::vector<Corner> corners_of(const Track& track, const Board& board, const MomentTuning& tuning) {
    std::vector<Corner> found;
    const auto& points = track.points;
    std::vector<double> change(points.size(), 0);
    for (std::size_t k = 1; k + 1 < points.size(); ++k) {
        const Point before = velocity_from(points, k, -1), after = velocity_from(points, k, 1);
        const double size = length(after - before), speed = std::max(length(before), length(after));
        if (size > tuning.min_change_mm_s && size > tuning.min_turn * speed) change[k] = size;
    }
    for (std::size_t k = 1; k + 1 < points.size(); ++k) {
        if (change[k] == 0) continue;
        bool highest = true;
        for (std::size_t i = 1; i + 1 < points.size() && highest; ++i)
            if (i != k && std::abs(points[i].t - points[k].t) <= kTogether_s)
                highest = change[i] < change[k] || (change[i] == change[k] && i > k);
        if (highest)
            found.push_back({points[k].t, place_of(points[k]), track.id,
                             board.diameter_of(track.type) / 2, change[k]});
    }
    // The strike itself is no impact; a disc that sets off is one.
    if (track.type == "striker" && !found.empty() &&
        found.front().t <= points.front().t + kTogether_s)
        found.erase(found.begin());
    return found;
}

bool at_wall(const Corner& c, const Board& board, double slack) {
    return std::abs(c.at.x) > board.width_mm / 2 - c.radius - slack ||
           std::abs(c.at.y) > board.height_mm / 2 - c.radius - slack;
}

Point wall_point(const Corner& c, const Board& board) {
    Point at = c.at;
    const double x = board.width_mm / 2 - std::abs(at.x), y = board.height_mm / 2 - std::abs(at.y);
    (x < y ? at.x : at.y) = std::copysign(x < y ? board.width_mm / 2 : board.height_mm / 2,
                                          x < y ? at.x : at.y);
    return at;
}

/// The disc that one with a corner has hit: near it at that time.
const Track* neighbour(const Shot& shot, const Board& board, const Corner& c, double slack) {
    const Track* best = nullptr;
    double nearest = slack;
    for (const Track& t : shot.tracks) {
        if (t.id == c.id || t.points.empty() || c.t > t.points.back().t + kTogether_s) continue;
        const double gap = distance(at(t, c.t).at, c.at) - c.radius - board.diameter_of(t.type) / 2;
        if (gap < nearest) nearest = gap, best = &t;
    }
    return best;
}

std::vector<Moment> impacts_of(const Shot& shot, const Board& board, const MomentTuning& tuning) {
    std::vector<Corner> corners;
    for (const Track& t : shot.tracks)
        for (const Corner& c : corners_of(t, board, tuning)) corners.push_back(c);
    std::sort(corners.begin(), corners.end(),
              [](const Corner& a, const Corner& b) { return a.t < b.t; });
    std::vector<Moment> found;
    for (Corner& c : corners) {
        if (c.used) continue;
        c.used = true;
        // A fast disc travels far between two frames: give its neighbour that much room.
        const double slack = tuning.touch_slack_mm + c.change / std::max(30.0, shot.fps);
        const Track* other = neighbour(shot, board, c, slack);
        if (other) {
            double strength = c.change;
            for (Corner& o : corners)
                if (!o.used && o.id == other->id && std::abs(o.t - c.t) <= kTogether_s)
                    o.used = true, strength = std::max(strength, o.change);
            const Point there = at(*other, c.t).at, d = there - c.at;
            const double far = std::max(1e-9, length(d));
            found.push_back({Moment::Kind::impact, c.t, c.at + d * (c.radius / far), c.id,
                             other->id, strength, ""});
        } else if (at_wall(c, board, slack)) {
            found.push_back({Moment::Kind::wall, c.t, wall_point(c, board), c.id, 0, c.change, ""});
        }
    }
    return found;
}

}  // namespace

DiscAt at(const Track& track, double t) {
    DiscAt disc{track.id, track.type, {}, {}, true};
    const auto& points = track.points;
    if (points.empty()) return disc;
    const std::size_t k = last_before(points, t);
    disc.at = place_of(points[k]);
    if (k + 1 >= points.size() || t <= points[k].t) return disc;
    const double span = points[k + 1].t - points[k].t;
    disc.velocity_mm_s = (place_of(points[k + 1]) - disc.at) * (1 / span);
    disc.at = disc.at + disc.velocity_mm_s * (t - points[k].t);
    return disc;
}

std::vector<DiscAt> at(const Shot& shot, double t) {
    std::vector<DiscAt> discs;
    for (const Track& track : shot.tracks) discs.push_back(at(track, t));
    for (const auto* list : {&shot.pocketed, &shot.ejected})
        for (const Fallen& f : *list)
            for (DiscAt& d : discs)
                if (d.id == f.id && t >= f.time) d.on_board = false, d.velocity_mm_s = {};
    return discs;
}

std::vector<Moment> moments(const Shot& shot, const Board& board, const MomentTuning& tuning) {
    std::vector<Moment> found = impacts_of(shot, board, tuning);
    const auto fell = [&](const Fallen& f, Moment::Kind kind) {
        for (const Track& t : shot.tracks)
            if (t.id == f.id)
                found.push_back({kind, f.time, at(t, f.time).at, f.id, 0, 0, f.pocket});
    };
    for (const Fallen& f : shot.pocketed) fell(f, Moment::Kind::pocket);
    for (const Fallen& f : shot.ejected) fell(f, Moment::Kind::ejected);
    std::stable_sort(found.begin(), found.end(),
                     [](const Moment& a, const Moment& b) { return a.t < b.t; });
    return found;
}

std::vector<DiscAt> before(const Shot& shot) {
    std::vector<DiscAt> discs;
    for (const Track& track : shot.tracks) {
        if (track.points.empty()) continue;
        DiscAt disc{track.id, track.type, place_of(track.points.front()), {}, true};
        if (track.type == "striker" && shot.striker_from) disc.at = *shot.striker_from;
        discs.push_back(disc);
    }
    return discs;
}

std::vector<Mark> put_back(const Shot& shot, const Board& board, Pose board_pose,
                           const Observation* seen, double near_mm, bool with_striker) {
    std::vector<Mark> ghosts;
    std::vector<bool> taken(seen ? seen->pieces.size() : 0, false);
    for (const DiscAt& disc : before(shot)) {
        if (disc.type == "striker" && !with_striker) continue;
        Mark ghost;
        ghost.kind = MarkKind::ghost;
        ghost.style = MarkStyle::replay;
        ghost.at = place(board_pose, disc.at);
        ghost.radius = board.diameter_of(disc.type) / 2;
        for (std::size_t k = 0; k < taken.size() && !ghost.done; ++k) {
            const Piece& piece = seen->pieces[k];
            const bool back = !taken[k] && piece.kind == PieceKind::disc &&
                              piece.type == disc.type &&
                              distance({piece.x, piece.y}, ghost.at) <= near_mm;
            if (back) ghost.done = taken[k] = true;
        }
        ghosts.push_back(ghost);
    }
    return ghosts;
}

}  // namespace overboard::physics
