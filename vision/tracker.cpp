#include "vision/tracker.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "vision/assignment.hpp"

// What lies where it lay is paired first, then tracks and detections so that all together are
// nearest to where they are expected. Pieces that look different can hardly be the same one. A
// track that found no partner is hidden, covered, or gone; one that is gone is remembered for a
// while: a hand carries pieces, and a piece that comes back is the same piece.
namespace overboard::vision {
namespace {

std::string name_of(const Piece& p) {
    switch (p.kind) {
        case PieceKind::card:
        case PieceKind::tile: return p.face.value_or("");
        case PieceKind::die: return "";
        case PieceKind::disc: return p.type;
        default: return p.type + p.colour;
    }
}

bool may_be_same(const Piece& a, const Piece& b) {
    if (a.kind != b.kind) return false;
    const std::string x = name_of(a), y = name_of(b);
    return x == y || x.empty() || y.empty();
}

}  // namespace

void Tracker::reset() {
    pieces_.clear();
    minds_.clear();
    gone_.clear();
}

// Turned over, or misread once: the same place counts more than the name. But there is only one
// queen: another disc in her place lies on top of her.
bool Tracker::may_have_changed(const Piece& a, const Piece& b, double apart_mm) const {
    const auto unique = [&](const Piece& p) {
        return std::find(unique_.begin(), unique_.end(), p.type) != unique_.end();
    };
    return a.kind == b.kind && apart_mm < 4 && !unique(a) && !unique(b);
}

/// How far a detection is from where a track is expected, or was; more where the two look
/// different; nothing when they cannot be one piece.
std::optional<double> Tracker::apart(const Piece& track, const Piece& found, double time_s) const {
    if (found.id != 0 && found.id != track.id) return {};  // whoever found it knows which it is
    const double dt = std::clamp(time_s - track.seen, 0.0, 0.1);
    const Point there{track.x + track.vx * dt, track.y + track.vy * dt}, at{found.x, found.y};
    const double mm = std::min(distance(there, at), distance({track.x, track.y}, at));
    if (mm > limits_.reach_mm + 0.7 * std::hypot(track.vx, track.vy) * dt) return {};
    if (may_be_same(track, found)) return mm;
    if (may_have_changed(track, found, mm)) return mm + limits_.reach_mm;
    return {};
}

void Tracker::match(double time_s, const std::vector<Piece>& found, std::vector<char>& used,
                    std::vector<char>& met) {
    match_resting(time_s, found, used, met);
    std::vector<std::size_t> tracks, seen;
    for (std::size_t t = 0; t < pieces_.size(); ++t)
        if (!met[t]) tracks.push_back(t);
    for (std::size_t d = 0; d < found.size(); ++d)
        if (!used[d]) seen.push_back(d);
    // Squares, and a high price for leaving a piece alone: in a row of discs pushed along together
    // each is nearest to where its neighbour was.
    const double never = 4 * limits_.reach_mm * limits_.reach_mm;
    std::vector<std::vector<double>> cost(tracks.size(), std::vector<double>(seen.size(), never));
    for (std::size_t i = 0; i < tracks.size(); ++i)
        for (std::size_t j = 0; j < seen.size(); ++j)
            if (const auto mm = apart(pieces_[tracks[i]], found[seen[j]], time_s))
                cost[i][j] = std::min(0.99 * never, *mm * *mm);
    const std::vector<int> partner = cheapest_assignment(cost);
    for (std::size_t i = 0; i < tracks.size(); ++i) {
        if (partner[i] < 0 || cost[i][std::size_t(partner[i])] >= never) continue;
        const std::size_t d = seen[std::size_t(partner[i])];
        used[d] = met[tracks[i]] = 1;
        take(tracks[i], found[d], time_s);
    }
}

/// What lies where it lay is itself, whatever moves around it.
void Tracker::match_resting(double time_s, const std::vector<Piece>& found, std::vector<char>& used,
                            std::vector<char>& met) {
    constexpr double kSamePlace_mm = 2;
    std::vector<std::tuple<double, std::size_t, std::size_t>> pairs;
    for (std::size_t t = 0; t < pieces_.size(); ++t)
        for (std::size_t d = 0; d < found.size(); ++d)
            if (const auto mm = apart(pieces_[t], found[d], time_s); mm && *mm < kSamePlace_mm)
                pairs.emplace_back(*mm, t, d);
    std::sort(pairs.begin(), pairs.end());
    for (const auto& [mm, t, d] : pairs) {
        if (used[d] || met[t]) continue;
        used[d] = met[t] = 1;
        take(t, found[d], time_s);
    }
}

void Tracker::take(std::size_t track, const Piece& seen, double time_s) {
    Piece& p = pieces_[track];
    const double dt = time_s - p.seen, moved = distance({p.x, p.y}, {seen.x, seen.y});
    Piece next = seen;
    next.id = p.id;
    constexpr double kDoubtful = 0.7;
    if (moved < (seen.confidence < kDoubtful ? limits_.doubtful_mm : limits_.jitter_mm)) {
        next.x = 0.8 * p.x + 0.2 * seen.x;
        next.y = 0.8 * p.y + 0.2 * seen.y;
        next.vx = next.vy = 0;
    } else if (dt > 1e-4 && dt < 0.25) {
        next.vx = (seen.x - p.x) / dt;
        next.vy = (seen.y - p.y) / dt;
    } else {
        next.vx = next.vy = 0;
    }
    if (next.kind != PieceKind::disc && next.kind != PieceKind::stone &&
        next.kind != PieceKind::pawn && std::abs(wrapped(seen.angle - p.angle)) < 0.03)
        next.angle = wrapped(p.angle + 0.3 * wrapped(seen.angle - p.angle));
    next.seen = time_s;
    p = std::move(next);
    minds_[track] = {};
}

void Tracker::add(const Piece& seen, double time_s) {
    Piece p = seen;
    p.seen = time_s;
    p.vx = p.vy = 0;
    // One of the same name is being missed right now, or was running, or is the only one, or
    // vanished a moment ago: it is that one. Of several the nearest to where it would be by now.
    const bool unique = std::find(unique_.begin(), unique_.end(), p.type) != unique_.end();
    const auto apart = [&](const Piece& old) {
        const double dt = std::min(0.3, time_s - old.seen);
        const bool same = old.kind == p.kind && name_of(old) == name_of(p);
        return same ? std::min(distance({old.x, old.y}, {p.x, p.y}),
                               distance({old.x + old.vx * dt, old.y + old.vy * dt}, {p.x, p.y}))
                    : 1e9;
    };
    double nearest = 1e8;
    auto missed = pieces_.size(), left = gone_.size();
    for (std::size_t t = 0; t < pieces_.size(); ++t) {
        const bool ran = pieces_[t].seen < time_s &&
                         std::hypot(pieces_[t].vx, pieces_[t].vy) > limits_.running_mm_s;
        const bool missing = minds_[t].misses > 0 || ran || (unique && pieces_[t].seen < time_s);
        if (missing && apart(pieces_[t]) < nearest) nearest = apart(pieces_[t]), missed = t;
    }
    for (std::size_t g = 0; g < gone_.size(); ++g)
        if (apart(gone_[g].piece) < nearest) nearest = apart(gone_[g].piece), left = g;
    if (left < gone_.size()) {
        p.id = gone_[left].piece.id;
        gone_.erase(gone_.begin() + std::ptrdiff_t(left));
    } else if (missed < pieces_.size()) {
        p.id = pieces_[missed].id;
        pieces_[missed] = std::move(p);
        minds_[missed] = {};
        return;
    } else {
        p.id = next_id_++;
    }
    pieces_.push_back(std::move(p));
    minds_.emplace_back();
}

bool Tracker::unsure() const {
    return std::any_of(minds_.begin(), minds_.end(), [](const Mind& m) { return m.misses > 0; });
}

bool Tracker::lies_on(const Piece& upper, const Piece& lower) const {
    if (upper.id == lower.id || upper.seen < lower.seen) return false;
    if (lower.kind == PieceKind::polygon)
        return false;  // laid side by side, and stones on them hide little
    if (upper.kind == PieceKind::polygon) return false;  // nobody lays one on a stone
    return distance({upper.x, upper.y}, {lower.x, lower.y}) < limits_.cover_mm;
}

const std::vector<Piece>& Tracker::update(double time_s, const std::vector<Piece>& found,
                                          const View& view) {
    std::vector<char> used(found.size(), 0), met(pieces_.size(), 0);
    gone_.erase(std::remove_if(gone_.begin(), gone_.end(),
                               [&](const Gone& g) { return time_s - g.at_s > limits_.forget_s; }),
                gone_.end());
    const auto told_covered = [&](std::size_t t) {
        return view.covered && view.covered(pieces_[t]);
    };
    for (std::size_t t = 0; t < met.size(); ++t)
        met[t] = told_covered(t);  // cannot be what was found
    match(time_s, found, used, met);
    for (std::size_t t = 0; t < met.size(); ++t) {
        if ((met[t] && !told_covered(t)) || !view.looked(pieces_[t])) continue;
        const bool covered = view.covered ? view.covered(pieces_[t])
                                          : std::any_of(pieces_.begin(), pieces_.end(),
                                                        [&](const Piece& upper) {
                                                            return lies_on(upper, pieces_[t]);
                                                        });
        minds_[t].covered = covered;
        if (told_covered(t)) minds_[t].misses = 0;
        if (!covered && !view.hidden(pieces_[t])) ++minds_[t].misses;
    }
    for (std::size_t t = pieces_.size(); t-- > 0;) {
        if (minds_[t].misses < limits_.misses - (pieces_[t].kind != PieceKind::disc)) continue;
        gone_.push_back({pieces_[t], time_s});
        pieces_.erase(pieces_.begin() + std::ptrdiff_t(t));
        minds_.erase(minds_.begin() + std::ptrdiff_t(t));
    }
    for (std::size_t d = 0; d < found.size(); ++d)
        if (!used[d]) add(found[d], time_s);
    return pieces_;
}

const std::vector<Piece>& Tracker::nothing_changed(
    double time_s, const std::function<bool(const Piece&)>& hidden) {
    for (std::size_t t = 0; t < pieces_.size(); ++t) {
        if (minds_[t].misses > 0 || minds_[t].covered || hidden(pieces_[t])) continue;
        pieces_[t].seen = time_s;
        pieces_[t].vx = pieces_[t].vy = 0;
    }
    return pieces_;
}

}  // namespace overboard::vision
