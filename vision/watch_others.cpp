#include "vision/watch_others.hpp"

#include <algorithm>
#include <cmath>
#include <opencv2/imgproc.hpp>

#include "vision/changes.hpp"
#include "vision/flats/known_size.hpp"
#include "vision/flats/live_flats.hpp"

namespace overboard::vision {
namespace {

constexpr int kCell = ChangedPlaces::kCell;
constexpr int kRefreshFrames = 60;
// what was read is read again after this; only what is alike counts
constexpr double kReadAgain_s = 0.06;
// while dice are lacking or unread, what else is read must hold so long
constexpr double kDiceMayRoll_s = 0.5;
constexpr double kForgetLost_s = 60;  // so long a lost piece is looked for at its place whenever
                                      // something is read near it
// readings that differ for so long: what they have in common counts
constexpr double kLongestDraft_s = 1.5;

double reach_mm_of(const Catalogue& c) {
    double reach = 30;
    for (const auto* list : {&c.cards, &c.tiles})
        for (const FaceKind& k : *list)
            reach = std::max(reach, std::hypot(k.width_mm, k.height_mm));
    for (const PolygonKind& k : c.polygons)
        for (const Point& p : k.outline_mm) reach = std::max(reach, 2 * length(p));
    for (const DiscKind& d : c.discs) reach = std::max(reach, d.diameter_mm);
    return reach;
}

double px_per_mm(const Catalogue& c, const calibration::TableMap& map) {
    return map.px_per_mm({c.table.width_mm / 2, c.table.height_mm / 2});
}

/// Where something of a polygon's colour has come that no piece explains: one laid half onto
/// another, say. It must not pass for the bare table, or it would not be news when it is put right.
cv::Mat unexplained(const View& view, const Catalogue& catalogue, const std::vector<Piece>& found) {
    cv::Mat open = cv::Mat::zeros(view.bgr.size(), CV_8U);
    if (catalogue.polygons.empty() || catalogue.palette.empty()) return open;
    cv::bitwise_and(view.before->changed, colour_classes(view, catalogue) != Palette::kNone, open);
    const double mm = px_per_mm(catalogue, *view.map);
    for (const auto* pieces : {&found, &view.before->pieces})
        for (const Piece& piece : *pieces) {
            const std::vector<std::vector<cv::Point>> outline = {footprint(view, catalogue, piece)};
            if (outline[0].size() < 3) continue;
            cv::fillPoly(open, outline, 0);
            cv::polylines(open, outline, true, 0,
                          std::max(1, cvRound(4 * mm)));  // its shadow, its blur
        }
    const int least_mm = 5;  // narrower ones are slivers along sides
    cv::morphologyEx(open, open, cv::MORPH_OPEN,
                     cv::getStructuringElement(
                         cv::MORPH_ELLIPSE, cv::Size(1, 1) * (1 + 2 * cvRound(least_mm * mm / 2))));
    cv::dilate(open, open,
               cv::getStructuringElement(cv::MORPH_ELLIPSE,
                                         cv::Size(1, 1) * (1 + 2 * cvRound(2 * least_mm * mm))));
    return open;
}

/// What has changed but is not at rest yet, a die still rolling, say: `cells` a cell further, as a
/// mask of the picture.
cv::Mat as_picture(const cv::Mat& cells, cv::Size picture) {
    cv::Mat grown, fine, mask = cv::Mat::zeros(picture, CV_8U);
    cv::dilate(cells, grown, cv::Mat::ones(3, 3, CV_8U));
    cv::resize(grown, fine, cells.size() * kCell, 0, 0, cv::INTER_NEAREST);
    fine.copyTo(mask(cv::Rect({0, 0}, fine.size())));
    return mask;
}

}  // namespace

OthersWatch::OthersWatch(Catalogue catalogue)
    : catalogue_{std::move(catalogue)},
      kinds_{kinds_of(catalogue_)},
      reach_mm_{reach_mm_of(catalogue_)} {
    kinds_.discs = kinds_.cards = kinds_.tiles = false;
    catalogue_.discs.clear();
    catalogue_.board.reset();
}

void OthersWatch::begin(const cv::Mat& bgr) {
    if (empty()) return;
    understood_ = bgr.clone();
    open_ = cv::Mat::zeros(bgr.size(), CV_8U);
}

void OthersWatch::nothing_changed(const cv::Mat& bgr) {
    if (!empty() && ++quiet_frames_ % kRefreshFrames == 0) bgr.copyTo(understood_, open_ == 0);
}

bool OthersWatch::look(const Frame& frame, const calibration::TableMap& map,
                       const ChangedPlaces& places, const Hands& hands,
                       const std::optional<Palette>& colours, Tracker& tracker) {
    touched_ |= !hands.outlines().empty();
    if (!may_look(frame.time_s, places, hands)) {
        draft_.reset();
        return false;
    }
    if (draft_ && frame.time_s - draft_->at_s < kReadAgain_s) return false;
    const cv::Mat quiet = places.quiet(frame.time_s, hands.hidden());
    const cv::Rect part = part_round(quiet, map);
    const calibration::TableMap part_map = cropped_map(map, part);
    const Known before = known_in(frame.bgr, part, map, tracker);
    const View seen_part{frame.bgr(part), &part_map, {}, &before, colours ? &*colours : nullptr};
    std::vector<Piece> kept;
    for (Piece& p : detect_cold(seen_part, catalogue_, kinds_).pieces) {
        if (p.px) p.px = Point{p.px->x + part.x, p.px->y + part.y};
        if (!cut_off(p, part, map)) kept.push_back(std::move(p));
    }
    drop_surplus_dice(kept, part, map, tracker);
    if (!read_twice(frame.time_s, kept, dice_lack(kept, part, map, tracker) ? kDiceMayRoll_s : 0))
        return false;
    const std::vector<Piece> before_now = tracker.pieces();
    tracker.update(frame.time_s, kept,
                   {[&](const Piece& p) {
                        return p.kind != PieceKind::disc && !is_flat(p) && !cut_off(p, part, map) &&
                               part.contains(map.project({p.x, p.y}));
                    },
                    [](const Piece&) { return false; }});
    remember_lost(before_now, tracker.pieces(), frame.time_s);
    touched_ = false;
    // Pieces and picture belong together: what was just read is what later frames are compared
    // with. What still moved was not read.
    unexplained(seen_part, catalogue_, kept).copyTo(open_(part));
    open_(part).setTo(255, as_picture(places.to_look() & ~quiet, frame.bgr.size())(part));
    frame.bgr(part).copyTo(understood_(part), open_(part) == 0);
    return true;
}

cv::Rect OthersWatch::part_round(const cv::Mat& cells, const calibration::TableMap& map) const {
    const int reach = cvRound(reach_mm_ * px_per_mm(catalogue_, map)) + kCell;
    const cv::Rect box = cv::boundingRect(cells);
    return cv::Rect(box.x * kCell - reach, box.y * kCell - reach, box.width * kCell + 2 * reach,
                    box.height * kCell + 2 * reach) &
           cv::Rect({0, 0}, map.size());
}

/// What lay in this part when it was last looked at, and what has changed since.
Known OthersWatch::known_in(const cv::Mat& bgr, const cv::Rect& part,
                            const calibration::TableMap& map, const Tracker& tracker) const {
    Known known = compared(bgr(part), understood_(part));
    known.touched = touched_;
    const auto add = [&](Piece p, bool certain) {
        if (p.kind == PieceKind::disc || !p.px || !part.contains(map.project({p.x, p.y}))) return;
        p.px = Point{p.px->x - part.x, p.px->y - part.y};
        if (certain || is_flat(p)) known.pieces.push_back(std::move(p));
        // Looked for in vain a moment ago: once more, though nothing changed there since.
        else
            cv::circle(known.changed, {cvRound(p.px->x), cvRound(p.px->y)},
                       cvRound(p.size_px.value_or(40)), 255, cv::FILLED);
    };
    for (std::size_t i = 0; i < tracker.pieces().size(); ++i)
        add(tracker.pieces()[i], tracker.certain(i));
    for (const Piece& p : lost_) {
        add(p, false);
        if (part.contains(map.project({p.x, p.y}))) known.lost.push_back(p);
    }
    return known;
}

void OthersWatch::remember_lost(const std::vector<Piece>& before, const std::vector<Piece>& now,
                                double time_s) {
    for (const Piece& p : before)
        if (p.kind == PieceKind::polygon &&
            std::none_of(now.begin(), now.end(), [&](const Piece& q) { return q.id == p.id; }))
            lost_.push_back(p);
    std::erase_if(lost_, [&](const Piece& p) {
        const auto back = [&](const Piece& q) {
            return q.kind == p.kind && q.type == p.type && q.colour == p.colour &&
                   distance({p.x, p.y}, {q.x, q.y}) < reach_mm_ / 4;
        };
        return time_s - p.seen > kForgetLost_s || std::any_of(now.begin(), now.end(), back);
    });
}

/// Too near to the edge of the part that was looked at, unless that is the picture's own edge.
bool OthersWatch::cut_off(const Piece& piece, const cv::Rect& part,
                          const calibration::TableMap& map) const {
    const cv::Point2d px = map.project({piece.x, piece.y});
    const double margin = 0.4 * reach_mm_ * px_per_mm(catalogue_, map);
    const cv::Size all = map.size();
    return (px.x - part.x < margin && part.x > 0) || (px.y - part.y < margin && part.y > 0) ||
           (part.br().x - px.x < margin && part.br().x < all.width) ||
           (part.br().y - px.y < margin && part.br().y < all.height);
}

/// Are fewer dice read than the game has? Then one may still roll, and must not become part of the
/// picture unread.
bool OthersWatch::dice_lack(const std::vector<Piece>& read, const cv::Rect& part,
                            const calibration::TableMap& map, const Tracker& tracker) const {
    int lacking = dice_in(catalogue_);
    for (const Piece& p : read) lacking -= p.kind == PieceKind::die && p.value;
    for (const Piece& p : tracker.pieces())
        lacking -= p.kind == PieceKind::die && p.value && !part.contains(map.project({p.x, p.y}));
    return lacking > 0;
}

/// Of more dice than the game has, in this part and elsewhere, only the clearest are dice.
void OthersWatch::drop_surplus_dice(std::vector<Piece>& read, const cv::Rect& part,
                                    const calibration::TableMap& map,
                                    const Tracker& tracker) const {
    std::vector<Piece> dice;
    for (const Piece& p : tracker.pieces())
        if (p.kind == PieceKind::die && p.value && !part.contains(map.project({p.x, p.y})))
            dice.push_back(p);
    for (const Piece& p : read)
        if (p.kind == PieceKind::die) dice.push_back(p);
    dice = clearest_dice(dice_in(catalogue_), std::move(dice));
    std::erase_if(read, [&](const Piece& p) {
        return p.kind == PieceKind::die &&
               std::none_of(dice.begin(), dice.end(),
                            [&](const auto& d) { return d.x == p.x && d.y == p.y; });
    });
}

/// Compares with the draft, which must be so old. What flickers for long is left out.
bool OthersWatch::read_twice(double time_s, std::vector<Piece>& pieces, double at_least_s) {
    const auto within = [](const Piece& p, const std::vector<Piece>& list) {
        return std::any_of(list.begin(), list.end(), [&](const Piece& q) {
            return p.kind == q.kind && p.type == q.type && p.colour == q.colour &&
                   p.value == q.value && distance({p.x, p.y}, {q.x, q.y}) < 1.5;
        });
    };
    const std::vector<Piece> now = pieces;
    std::vector<Piece> before;
    if (draft_) before = draft_->pieces;
    const bool late = draft_ && time_s - draft_->since_s > kLongestDraft_s;
    const bool same = draft_ && time_s - draft_->since_s >= at_least_s &&
                      now.size() == before.size() &&
                      std::all_of(now.begin(), now.end(),
                                  [&](const Piece& p) { return within(p, before); });
    draft_ = Draft{draft_ ? draft_->since_s : time_s, time_s, now};
    if (late) std::erase_if(pieces, [&](const Piece& p) { return !within(p, before); });
    if (same || late) draft_.reset();
    return same || late;
}

}  // namespace overboard::vision
