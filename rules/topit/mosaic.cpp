// Settling a piece. Measured poses are off by a millimetre and a degree, so they only decide which
// sides are meant to coincide; the piece is then snapped (least squares over those sides), and
// everything else, overlaps and contacts with third pieces, is judged where it snapped to, free of
// that noise. Without any coinciding side it is judged as measured.
//
// The frame. The first piece's own error would turn the whole mosaic by up to a degree, which is
// 5 mm at its rim. So we keep the pose every piece was measured at and fit the rigid mosaic to all
// of them after each piece: the error shrinks as the mosaic grows.
#include "rules/topit/mosaic.hpp"

#include <algorithm>
#include <cmath>

namespace overboard::rules::topit {
namespace {

/// Sides that agree this well at a snapped pose support it; the snap is refined over all of them.
constexpr double kAgree_mm = 1.2;
/// Allowed for a lone piece's own error; also the most we ever allow for not knowing the frame.
/// With 0.45 three of 10,000 mosaics measured 1 mm and 1 degree off were refused a piece; half a
/// millimetre would take a 2 mm overlap for measurement.
constexpr double kLonePiece_mm = 0.49;
/// Two pieces, each measured a millimetre and a degree off, lie at most this much deeper than the
/// tolerance of 1.5: 2 mm, and 0.26 mm for sides whose middle is not opposite the piece's.
constexpr double kTwoPieces_mm = 0.77;
constexpr double kExact_mm = 0.05;  ///< Nearer than any camera measures.
/// Places nearer than this are the same place.
constexpr double kSamePlace_mm = 0.5;

Point middle(const Polygon& a, const Polygon& b) {
    return (centroid(a) + centroid(b)) * 0.5;
}

bool same_place(const Shape& shape, Pose a, Pose b) {
    if (std::hypot(a.x - b.x, a.y - b.y) > kSamePlace_mm) return false;
    return std::abs(std::remainder(a.angle - b.angle, shape.turn)) * shape.radius_mm <
           kSamePlace_mm;
}

}  // namespace

std::vector<Mosaic::Touch> Mosaic::touches(int shape_index, Pose at) const {
    const Shape& own = shape(shape_index);
    const Polygon outline = outline_at(own.outline, at);
    std::vector<Touch> found;
    for (int p = 0; p < static_cast<int>(pieces_.size()); ++p) {
        const Laid& laid = pieces_[static_cast<std::size_t>(p)];
        const double reach = own.radius_mm + shape(laid.shape).radius_mm + tolerances_.gap_mm;
        if (std::hypot(at.x - laid.at.x, at.y - laid.at.y) > reach) continue;
        for (std::size_t i = 0; i < outline.size(); ++i)
            for (std::size_t k = 0; k < laid.outline.size(); ++k)
                if (const Meeting m = meet(side_of(outline, i), side_of(laid.outline, k),
                                           tolerances_);
                    m.contact)
                    found.push_back({p, i, k, m});
    }
    return found;
}

double Mosaic::fit_error(int shape_index, Pose at, const Touch& touch) const {
    const Side own = side_of(shape(shape_index).outline, touch.own);
    const Side other = side_of(pieces_[static_cast<std::size_t>(touch.piece)].outline, touch.other);
    return std::max(distance(place(at, own.a), other.b), distance(place(at, own.b), other.a));
}

/// How much deeper than the tolerance a side may lie because this piece and those before it were
/// measured. Measuring never leaves a piece exactly along its side and exactly at its angle as
/// well: one that is was placed there, and so deep on purpose.
double Mosaic::slack_mm(int shape_index, Pose at, const Touch& touch) const {
    const Side own = side_of(shape(shape_index).outline, touch.own);
    const Side other = side_of(pieces_[static_cast<std::size_t>(touch.piece)].outline, touch.other);
    const Point a = place(at, own.a), b = place(at, own.b);
    const double size = distance(other.a, other.b);
    const Point u = (other.b - other.a) * (1 / size), off = (a + b - other.a - other.b) * 0.5;
    const double along_mm = off.x * u.x + off.y * u.y;
    const double turned_mm = (b.x - a.x) * u.y - (b.y - a.y) * u.x;  // of one end against the other
    const bool exact = std::abs(along_mm) < kExact_mm && std::abs(turned_mm) < kExact_mm;
    return measured_ && !exact ? kTwoPieces_mm : frame_slack_mm_;
}

/// Tries each fitting side alone, keeps the one that most others agree with (then the nearest to
/// what was measured), and refines over all that agree.
Pose Mosaic::snapped(int shape_index, Pose measured, const std::vector<Touch>& fits) const {
    const Polygon& outline = shape(shape_index).outline;
    Pose best = measured;
    std::size_t most = 0;
    double least = 0;
    std::vector<std::pair<Point, Point>> pairs;
    for (const Touch& seed : fits) {
        const Laid& against = pieces_[static_cast<std::size_t>(seed.piece)];
        const Pose alone = pose_against(outline, seed.own, side_of(against.outline, seed.other));
        std::vector<std::pair<Point, Point>> agreeing;
        for (const Touch& touch : touches(shape_index, alone)) {
            if (!touch.meeting.coincide || fit_error(shape_index, alone, touch) > kAgree_mm)
                continue;
            const Side own = side_of(outline, touch.own);
            const Side other = side_of(pieces_[static_cast<std::size_t>(touch.piece)].outline,
                                       touch.other);
            agreeing.push_back({own.a, other.b});
            agreeing.push_back({own.b, other.a});
        }
        const double moved = std::hypot(alone.x - measured.x, alone.y - measured.y);
        if (agreeing.size() < most || (agreeing.size() == most && most > 0 && moved >= least))
            continue;
        best = alone;
        most = agreeing.size();
        least = moved;
        pairs = std::move(agreeing);
    }
    return pairs.empty() ? best : best_motion(pairs);
}

/// As measured, sides that face each other tell the depth better than corners do, and the frame's
/// own uncertainty is allowed for.
bool Mosaic::overlaps(const Polygon& outline, int piece, const std::vector<Touch>& met,
                      bool as_measured) const {
    const double depth = overlap_depth(outline, pieces_[static_cast<std::size_t>(piece)].outline);
    if (!as_measured) return depth > tolerances_.depth_mm;
    const double allowed = tolerances_.depth_mm + frame_slack_mm_;
    const auto faces = std::find_if(met.begin(), met.end(),
                                    [&](const Touch& t) { return t.piece == piece; });
    return faces == met.end() ? depth > allowed : faces->meeting.gap_mm < -allowed;
}

/// Problems and neighbours of a piece that lies there: exactly, or as measured.
Settled Mosaic::judged(int shape_index, Pose at, bool as_measured) const {
    Settled settled;
    settled.at = at;
    const auto fail = [&](Settled::Problem problem, Point where, int with) {
        settled.problem = problem;
        settled.where = where;
        settled.with = with;
        return settled;
    };
    const Shape& own = shape(shape_index);
    const Polygon outline = outline_at(own.outline, at);
    std::vector<Touch> met;
    if (as_measured) met = touches(shape_index, at);
    for (int p = 0; p < static_cast<int>(pieces_.size()); ++p) {
        const Laid& laid = pieces_[static_cast<std::size_t>(p)];
        if (std::hypot(at.x - laid.at.x, at.y - laid.at.y) >
            own.radius_mm + shape(laid.shape).radius_mm)
            continue;
        if (overlaps(outline, p, met, as_measured))
            return fail(Settled::Problem::overlap, middle(outline, laid.outline), p);
    }
    if (!as_measured) met = touches(shape_index, at);  // after overlaps, which are cheaper to see
    for (const Touch& touch : met) {
        if (!touch.meeting.coincide)
            return fail(Settled::Problem::overhang, touch.meeting.at, touch.piece);
        if (settled.neighbours.empty() || settled.neighbours.back() != touch.piece)
            settled.neighbours.push_back(touch.piece);
    }
    if (settled.neighbours.empty()) return fail(Settled::Problem::no_contact, {at.x, at.y}, -1);
    return settled;
}

Settled Mosaic::settle(int shape_index, Pose measured) const {
    auto met = touches(shape_index, measured);
    std::erase_if(met, [](const Touch& touch) { return !touch.meeting.coincide; });
    if (met.empty()) return judged(shape_index, measured, true);
    for (const Touch& touch : met) {
        if (touch.meeting.gap_mm >=
            -(tolerances_.depth_mm + slack_mm(shape_index, measured, touch)))
            continue;
        Settled settled;
        settled.problem = Settled::Problem::overlap;
        settled.at = measured;
        settled.where = touch.meeting.at;
        settled.with = touch.piece;
        return settled;
    }
    return judged(shape_index, snapped(shape_index, measured, met), false);
}

void Mosaic::lay(int shape_index, int colour, const Settled& settled, Pose seen) {
    const int index = static_cast<int>(pieces_.size());
    pieces_.push_back({shape_index, colour, settled.at, seen,
                       outline_at(shape(shape_index).outline, settled.at), settled.neighbours, -1});
    for (const int neighbour : settled.neighbours)
        pieces_[static_cast<std::size_t>(neighbour)].neighbours.push_back(index);
    follow_measurements();
}

void Mosaic::follow_measurements() {
    std::vector<std::pair<Point, Point>> pairs;
    for (const Laid& laid : pieces_) {
        const Polygon seen = outline_at(shape(laid.shape).outline, laid.seen);
        for (std::size_t i = 0; i < seen.size(); ++i) pairs.push_back({laid.outline[i], seen[i]});
    }
    frame_ = best_motion(pairs);
    double squares = 0;
    for (const auto& [laid, seen] : pairs) {
        const double off = distance(place(frame_, laid), seen);
        squares += off * off;
    }
    const double rms = std::sqrt(squares / static_cast<double>(pairs.size()));
    const auto count = static_cast<double>(pieces_.size());
    measured_ = pieces_.size() == 1 || rms > kExact_mm;
    frame_slack_mm_ = pieces_.size() == 1 ? kLonePiece_mm
                                          : std::min(kLonePiece_mm, 4 * rms / std::sqrt(count));
}

bool Mosaic::side_is_free(int piece, std::size_t side) const {
    const Laid& laid = pieces_[static_cast<std::size_t>(piece)];
    const Side mine = side_of(laid.outline, side);
    return std::none_of(laid.neighbours.begin(), laid.neighbours.end(), [&](int n) {
        const Polygon& other = pieces_[static_cast<std::size_t>(n)].outline;
        for (std::size_t k = 0; k < other.size(); ++k)
            if (meet(mine, side_of(other, k), tolerances_).coincide) return true;
        return false;
    });
}

bool Mosaic::visit_places(int shape_index, const std::function<bool(const Settled&)>& visit) const {
    const Shape& own = shape(shape_index);
    for (int p = 0; p < static_cast<int>(pieces_.size()); ++p) {
        const Polygon& outline = pieces_[static_cast<std::size_t>(p)].outline;
        for (std::size_t k = 0; k < outline.size(); ++k) {
            if (!side_is_free(p, k)) continue;
            const Side other = side_of(outline, k);
            for (const std::size_t i : own.own_sides) {
                const Side mine = side_of(own.outline, i);
                if (std::abs(distance(mine.a, mine.b) - distance(other.a, other.b)) > kSamePlace_mm)
                    continue;
                const Pose at = pose_against(own.outline, i, other);
                Settled settled = judged(shape_index, at, false);
                if (settled.neighbours.size() > 1)
                    settled = settle(shape_index, at);  // a compromise
                if (settled.problem == Settled::Problem::none && visit(settled)) return true;
            }
        }
    }
    return false;
}

std::vector<Settled> Mosaic::places_for(int shape_index) const {
    std::vector<Settled> places;
    visit_places(shape_index, [&](const Settled& found) {
        const bool known = std::any_of(places.begin(), places.end(), [&](const Settled& s) {
            return same_place(shape(shape_index), s.at, found.at);
        });
        if (!known) places.push_back(found);
        return false;
    });
    return places;
}

}  // namespace overboard::rules::topit
