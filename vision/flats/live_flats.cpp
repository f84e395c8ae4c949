// Three questions, each answered from as few pixels as possible:
//   1. known pieces: unchanged pixels, or the same face read at the same place? Then it is still
//   there;
//   2. changed places: the cold way finds what lies there now; what overlaps a piece that is still
//   there,
//      or where hardly anything changed, is not new;
//   3. known pieces that answered no: under a new one if what still shows of them did not change;
//   pushed, if nothing shows and the new one is their like; else gone.
#include "vision/flats/live_flats.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <opencv2/imgproc.hpp>

#include "vision/faces/face_thumb.hpp"
#include "vision/flats/known_size.hpp"

namespace overboard::vision {
namespace {

struct LiveLimits {
    int differs = 12;  ///< Grey levels, after a blur. Lower: noise and soft shadows look like news.
    double untouched = 0.03;  ///< Share of a piece that may differ without a new reading. Higher:
                              ///< small moves are missed.
    double is_new = 0.12;  ///< Share of a new piece that must differ. Higher: a card on its like is
                           ///< missed.
    double is_new_nameless = 0.5;  ///< The same for an outline that cannot be read.
    double sure = 0.62;            ///< Score from which a face is still the same one.
    double moved_mm = 6;           ///< A piece that was pushed further is looked for anew.
    double turned_rad = 0.25;
    double overlap = 0.5;  ///< Of the smaller: two readings of one piece.
    double overlap_nameless = 0.15;
    double hides = 0.08;       ///< Share of a piece that must be hidden to lie under another.
    float shadow = 1.15F;      ///< A piece also changes what lies so near to it.
    double unexplained = 0.3;  ///< A changed place as large as this part of a piece must be due to
                               ///< one.
    double strip_changed = 0.35;  ///< Share of what shows of it that may differ: shadows.
    int plain = 14;  ///< Grey levels most of a blank place may span. Higher: cards with little
                     ///< print are taken for one.
};
constexpr LiveLimits kLive;
constexpr int kGrid = 24;  // points along either side of a piece

Corners corners_of(const Piece& p) {
    Corners c;
    for (int i = 0; i < 4; ++i)
        c[i] = {static_cast<float>(p.corners_px[i].x), static_cast<float>(p.corners_px[i].y)};
    return c;
}

Corners grown(const Corners& c, float by) {
    const cv::Point2f middle = centre_of(c);
    Corners out;
    for (int i = 0; i < 4; ++i) out[i] = middle + (c[i] - middle) * by;
    return out;
}

bool holds(const Corners& c, cv::Point2f p) {
    for (int i = 0; i < 4; ++i)
        if ((c[(i + 1) % 4] - c[i]).cross(p - c[i]) < 0) return false;
    return true;
}

/// 255 where a blurred look at both pictures differs.
cv::Mat difference(const cv::Mat& now, const cv::Mat& before) {
    cv::Mat a, b, out(now.size(), CV_8U);
    cv::blur(now, a, {5, 5});
    cv::blur(before, b, {5, 5});
    cv::absdiff(a, b, a);
    for (int y = 0; y < a.rows; ++y) {
        const auto* p = a.ptr<cv::Vec3b>(y);
        for (int x = 0; x < a.cols; ++x)
            out.at<std::uint8_t>(y, x) = std::max({p[x][0], p[x][1], p[x][2]}) > kLive.differs ? 255
                                                                                               : 0;
    }
    return out;
}

/// Nothing but one colour: the place a card lay on, and its printed outline.
bool is_blank(const cv::Mat& bgr, const Corners& c) {
    const cv::Matx33f h = square_to(c);
    std::array<std::vector<int>, 3> seen;
    for (int i = 0; i < kGrid * kGrid; ++i) {
        const auto along = [](int k) {
            return 0.15F + 0.7F * (static_cast<float>(k) + 0.5F) / kGrid;
        };
        const cv::Point2f p = through(h, {along(i % kGrid), along(i / kGrid)});
        const cv::Rect box = cv::Rect(cvRound(p.x) - 1, cvRound(p.y) - 1, 3, 3) &
                             cv::Rect({}, bgr.size());
        if (box.empty()) return false;
        const cv::Scalar mean = cv::mean(bgr(box));
        for (std::size_t k = 0; k < 3; ++k) seen[k].push_back(cvRound(mean[static_cast<int>(k)]));
    }
    return std::all_of(seen.begin(), seen.end(), [](std::vector<int>& v) {
        std::sort(v.begin(), v.end());
        return v[v.size() * 95 / 100] - v[v.size() * 5 / 100] < kLive.plain;
    });
}

int kind_of(const Piece& piece, const std::vector<FaceKind>& kinds) {
    for (std::size_t k = 0; k < kinds.size() && piece.face; ++k)
        if (std::find(kinds[k].faces.begin(), kinds[k].faces.end(), *piece.face) !=
            kinds[k].faces.end())
            return static_cast<int>(k);
    return 0;
}

/// Rectangles that touch become one, until none do.
std::vector<cv::Rect> merged(std::vector<cv::Rect> rects) {
    for (bool again = true; again;) {
        again = false;
        for (std::size_t i = 0; i < rects.size(); ++i)
            for (std::size_t j = rects.size(); j-- > i + 1;)
                if ((rects[i] & rects[j]).area() > 0) {
                    rects[i] |= rects[j];
                    rects.erase(rects.begin() + static_cast<std::ptrdiff_t>(j));
                    again = true;
                }
    }
    return rects;
}

std::vector<cv::Rect> changed_places(const cv::Mat& cells, int cell_px, int reach,
                                     cv::Size picture) {
    cv::Mat labels, stats, centres;
    const int count = cv::connectedComponentsWithStats(cells, labels, stats, centres, 8, CV_32S);
    std::vector<cv::Rect> rects;
    for (int i = 1; i < count; ++i) {
        const cv::Rect r(
            stats.at<int>(i, 0) * cell_px - reach, stats.at<int>(i, 1) * cell_px - reach,
            stats.at<int>(i, 2) * cell_px + 2 * reach, stats.at<int>(i, 3) * cell_px + 2 * reach);
        rects.push_back(r & cv::Rect({}, picture));
    }
    return merged(std::move(rects));
}

}  // namespace

struct LiveFlats::Known {
    Piece piece;
    int kind = 0;
    Corners corners{};
};

/// Where the picture changed.
struct LiveFlats::Change {
    bool everything = false;
    std::vector<cv::Rect> places;
    cv::Mat mask;  // of the whole picture; only filled in at the places

    /// Share of a piece's points that changed, of those `counted` lets through; and how many those
    /// are.
    template <class Counted>
    std::pair<double, double> share(const Corners& c, const Counted& counted) const {
        const cv::Matx33f h = square_to(c);
        int changed = 0, all = 0;
        for (int i = 0; i < kGrid * kGrid; ++i) {
            const cv::Point2f p = through(h, {(static_cast<float>(i % kGrid) + 0.5F) / kGrid,
                                              (static_cast<float>(i / kGrid) + 0.5F) / kGrid});
            if (!counted(p)) continue;
            const cv::Point q(cvRound(p.x), cvRound(p.y));
            const bool inside = q.x >= 0 && q.y >= 0 && q.x < mask.cols && q.y < mask.rows;
            ++all;
            changed += everything || (inside && mask.at<std::uint8_t>(q) != 0);
        }
        return {static_cast<double>(changed) / std::max(1, all),
                static_cast<double>(all) / (kGrid * kGrid)};
    }
    [[nodiscard]] double share(const Corners& c) const {
        return share(c, [](cv::Point2f) { return true; }).first;
    }
};

/// What is in plain view was seen later than what it covers.
bool LiveFlats::lies_under(const Known& lower, const std::vector<Known>& all) {
    return std::any_of(all.begin(), all.end(), [&](const Known& k) {
        return k.piece.seen > lower.piece.seen &&
               covered(k.corners, lower.corners) > kLive.overlap_nameless;
    });
}

LiveFlats::LiveFlats(PieceKind piece_kind, Table table, std::vector<FaceKind> kinds,
                     std::vector<Faces> faces)
    : piece_kind_{piece_kind},
      table_{std::move(table)},
      kinds_{std::move(kinds)},
      faces_{std::move(faces)} {}

std::vector<LiveFlats::Known> LiveFlats::corners_of(const View& now,
                                                    const std::vector<Piece>& known) const {
    const KnownSizes sizes{now.map, &kinds_, &table_};
    std::vector<Known> out;
    for (const Piece& p : known) {
        if (p.kind != piece_kind_) continue;
        const int kind = kind_of(p, kinds_);
        out.push_back({p, kind, corners_at(sizes, kind, {p.x, p.y, p.angle})});
    }
    return out;
}

bool LiveFlats::reads_the_same(const View& now, Known& known) const {
    constexpr int kRounds = 3;
    RecogniseOptions options;
    options.rounds = kRounds;
    const Faces& faces = faces_[static_cast<std::size_t>(known.kind)];
    // What was there a moment ago is the likeliest: all faces are searched only when it does not
    // show.
    std::optional<FaceMatch> same;
    if (known.piece.face) same = faces.confirm(now.bgr, known.corners, *known.piece.face, kRounds);
    const FaceMatch m = same ? *same : faces.recognise(now.bgr, known.corners, options);
    if (!m.face || m.score < kLive.sure || (known.piece.face && *m.face != *known.piece.face))
        return false;
    const KnownSizes sizes{now.map, &kinds_, &table_};
    Pose at = pose_at(sizes, known.kind, m.corners);
    if (kinds_[static_cast<std::size_t>(known.kind)].point_symmetric &&
        std::abs(wrapped(at.angle - known.piece.angle)) > M_PI / 2)
        at.angle = wrapped(at.angle + M_PI);
    if (distance({at.x, at.y}, {known.piece.x, known.piece.y}) > kLive.moved_mm) return false;
    if (known.piece.face && std::abs(wrapped(at.angle - known.piece.angle)) > kLive.turned_rad)
        return false;
    Piece& p = known.piece;
    p.face = m.face;
    p.confidence = m.confidence;
    p.alternatives = m.alternatives;
    p.x = at.x, p.y = at.y, p.angle = at.angle;
    known.corners = corners_at(sizes, known.kind, at);
    for (std::size_t i = 0; i < p.corners_px.size() && i < 4; ++i)
        p.corners_px[i] = {known.corners[i].x, known.corners[i].y};
    return true;
}

std::optional<Piece> LiveFlats::still_there(const View& now, const Piece& piece,
                                            const std::vector<Piece>& others) const {
    std::vector<Known> one = corners_of(now, {piece});
    if (one.empty() || !piece.face) return {};
    for (const Known& other : corners_of(now, others))
        if (covered(other.corners, one[0].corners) > kLive.overlap_nameless) return {};
    return reads_the_same(now, one[0]) ? std::optional{one[0].piece} : std::nullopt;
}

double LiveFlats::reach_px(const View& now) const {
    double reach = 20;
    for (const FaceKind& k : kinds_) reach = std::max(reach, std::hypot(k.width_mm, k.height_mm));
    return reach * now.map->px_per_mm({table_.width_mm / 2, table_.height_mm / 2});
}

std::vector<Piece> LiveFlats::new_pieces(const View& now, const Change& change) const {
    std::vector<Piece> out;
    for (const cv::Rect& place : change.places) {
        const calibration::TableMap map = cropped_map(*now.map, place);
        for (Piece& p :
             detect_flat_faces({now.bgr(place), &map, {}}, piece_kind_, table_, kinds_, faces_)) {
            const Point origin{static_cast<double>(place.x), static_cast<double>(place.y)};
            if (p.px) p.px = *p.px + origin;
            for (Point& c : p.corners_px) c = c + origin;
            const double share = change.share(vision::corners_of(p));
            if (share >= (p.face ? kLive.is_new : kLive.is_new_nameless))
                out.push_back(std::move(p));
        }
    }
    return out;
}

void LiveFlats::sort_out(const Change& change, const std::vector<Known>& kept,
                         std::vector<Known> doubtful, const std::vector<Known>& under,
                         std::vector<Piece> fresh, FlatLook& out) const {
    const auto the_same = [](const Known& k, const Piece& p) {
        return k.piece.face && k.piece.face == p.face &&
               distance({k.piece.x, k.piece.y}, {p.x, p.y}) < kLive.moved_mm;
    };
    const auto corners = [](const Piece& p) { return vision::corners_of(p); };
    const auto overlapped = [&](const Piece& p) {
        return std::any_of(fresh.begin(), fresh.end(), [&](const Piece& o) {
            return &o != &p && covered(corners(o), corners(p)) > kLive.overlap_nameless;
        });
    };
    // What shows of a known piece is found again: the whole of it, or a strip.
    std::erase_if(doubtful, [&](const Known& k) {
        const auto again = std::find_if(fresh.begin(), fresh.end(), [&](const Piece& p) {
            return the_same(k, p) && !overlapped(p);
        });
        if (again == fresh.end()) return false;
        again->id = k.piece.id;
        return true;
    });
    std::erase_if(fresh, [&](const Piece& p) {
        if (p.id != 0) return false;
        const auto strip = [&](const Known& k) { return the_same(k, p); };
        if (std::any_of(doubtful.begin(), doubtful.end(), strip) ||
            std::any_of(under.begin(), under.end(), strip))
            return true;
        return std::any_of(kept.begin(), kept.end(), [&](const Known& k) {
            return covered(k.corners, corners(p)) >
                   (p.face ? kLive.overlap : kLive.overlap_nameless);
        });
    });
    for (const Known& k : kept) out.found.push_back(k.piece);
    for (const Known& k : under) out.covered.push_back(k.piece.id);
    // Where nothing of it shows any more, its like is no second one but itself, pushed a little.
    const auto found_pushed = [&](const Known& k) {
        const auto like = std::find_if(fresh.begin(), fresh.end(), [&](const Piece& p) {
            return p.id == 0 && p.face && p.face == k.piece.face &&
                   covered(corners(p), k.corners) > kLive.overlap;
        });
        if (like == fresh.end()) return false;
        like->id = k.piece.id;
        return true;
    };
    for (const Known& k : doubtful) {
        // Hidden by what is new, or by what has lain on it for a while.
        const auto in_sight = [&](cv::Point2f point) {
            const auto hides = [&](const Corners& c) { return holds(grown(c, 1.05F), point); };
            return std::none_of(fresh.begin(), fresh.end(),
                                [&](const Piece& p) { return hides(corners(p)); }) &&
                   std::none_of(kept.begin(), kept.end(), [&](const Known& o) {
                       return o.piece.seen > k.piece.seen && hides(o.corners);
                   });
        };
        const auto [changed, visible] = change.share(k.corners, in_sight);
        const bool hidden = visible < kLive.hides
                                ? !found_pushed(k)
                                : visible < 1 - kLive.hides && changed < kLive.strip_changed;
        (hidden ? out.covered : out.missing).push_back(k.piece.id);
    }
    for (Piece& p : fresh) {
        out.doubtful |= !p.face;
        out.found.push_back(std::move(p));
    }
}

/// Whether pieces that came, went or were read again make up for nearly all that changed.
bool LiveFlats::explained(const View& now, const Change& change, const std::vector<Known>& before,
                          const FlatLook& out) const {
    if (change.everything) return true;
    cv::Mat left = change.mask.clone();
    const auto explain = [&](const Corners& c) {
        std::vector<cv::Point> outline;
        for (const cv::Point2f& p : grown(c, kLive.shadow))
            outline.emplace_back(cvRound(p.x), cvRound(p.y));
        cv::fillConvexPoly(left, outline, 0);
    };
    for (const Known& k : before) explain(k.corners);
    for (const Piece& p : out.found)
        if (p.corners_px.size() == 4) explain(vision::corners_of(p));
    double least = 1e9;
    for (const FaceKind& k : kinds_) least = std::min(least, k.width_mm * k.height_mm);
    const double per_mm = now.map->px_per_mm({table_.width_mm / 2, table_.height_mm / 2});
    for (const cv::Rect& place : change.places) {
        cv::Mat labels, stats, centres;
        const int count = cv::connectedComponentsWithStats(left(place), labels, stats, centres);
        for (int i = 1; i < count; ++i)
            if (stats.at<int>(i, cv::CC_STAT_AREA) > kLive.unexplained * least * per_mm * per_mm)
                return false;
    }
    return true;
}

FlatLook LiveFlats::look(const View& now, const cv::Mat& before, const cv::Mat& cells, int cell_px,
                         const std::vector<Piece>& known) const {
    Change change;
    change.everything = before.empty();
    change.places = change.everything
                        ? std::vector<cv::Rect>{cv::Rect({}, now.bgr.size())}
                        : changed_places(cells, cell_px, static_cast<int>(reach_px(now)) + cell_px,
                                         now.bgr.size());
    if (!change.everything) change.mask = cv::Mat::zeros(now.bgr.size(), CV_8U);
    for (const cv::Rect& place : change.places)
        if (!change.everything)
            difference(now.bgr(place), before(place)).copyTo(change.mask(place));
    FlatLook out;
    std::vector<Known> kept, doubtful, under;
    const std::vector<Known> all = corners_of(now, known);
    for (Known k : all) {
        const bool untouched = change.share(k.corners) < kLive.untouched;
        if (untouched && lies_under(k, all))
            under.push_back(std::move(k));
        else
            (untouched || reads_the_same(now, k) ? kept : doubtful).push_back(std::move(k));
    }
    std::vector<Piece> fresh = new_pieces(now, change);
    std::erase_if(fresh, [&](const Piece& p) {
        return !p.face && std::any_of(doubtful.begin(), doubtful.end(), [&](const Known& k) {
            return distance({k.piece.x, k.piece.y}, {p.x, p.y}) < kLive.moved_mm;
        }) && is_blank(now.bgr, vision::corners_of(p));
    });
    sort_out(change, kept, doubtful, under, std::move(fresh), out);
    out.doubtful |= !explained(now, change, all, out);
    return out;
}

}  // namespace overboard::vision
