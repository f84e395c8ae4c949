#include "vision/flats/watch_flats.hpp"

#include <algorithm>
#include <opencv2/imgproc.hpp>

namespace overboard::vision {
namespace {

constexpr int kGateCell = ChangedPlaces::kCell;
constexpr int kReadAgain = 3;  // more frames are tried where a change is not understood
// so often a lost piece's place is read again while it is quiet,
constexpr double kLookForLost_s = 0.3;
constexpr double kForgetCovered_s = 60;  // and for so long

bool has_id(const std::vector<Piece>& pieces, int id) {
    return std::any_of(pieces.begin(), pieces.end(), [&](const Piece& p) { return p.id == id; });
}

void mark_cells(const Piece& p, cv::Mat& cells) {
    std::vector<cv::Point> corners;
    for (const Point& c : p.corners_px)
        corners.emplace_back(int(c.x) / kGateCell, int(c.y) / kGateCell);
    if (!corners.empty()) cells(cv::boundingRect(corners) & cv::Rect({}, cells.size())).setTo(255);
}

/// Lies, even with a corner, in a cell that is marked.
bool touches(const Piece& p, const cv::Mat& cells) {
    const std::size_t n = p.corners_px.size();
    for (std::size_t i = 0; i < n; ++i) {
        const Point a = p.corners_px[i], edge = (a + p.corners_px[(i + 1) % n]) * 0.5,
                    middle = (a + p.corners_px[(i + 2) % n]) * 0.5;
        for (const Point& q : {a, edge, middle})
            if (marked(cells, {q.x, q.y}, kGateCell)) return true;
    }
    return false;
}

}  // namespace

FlatsWatch::FlatsWatch(const Catalogue& catalogue, const FaceSets& faces) {
    if (!catalogue.cards.empty())
        kinds_.emplace_back(PieceKind::card, catalogue.table, catalogue.cards, faces.cards);
    if (!catalogue.tiles.empty())
        kinds_.emplace_back(PieceKind::tile, catalogue.table, catalogue.tiles, faces.tiles);
}

void FlatsWatch::begin(const Frame& frame, const calibration::TableMap& map, Tracker& tracker) {
    for (const LiveFlats& kind : kinds_)
        take(frame, kind.look({frame.bgr, &map, {}}, {}, {}, kGateCell, tracker.pieces()), tracker);
    if (!empty()) understood_ = frame.bgr.clone();
}

void FlatsWatch::take(const Frame& frame, const FlatLook& look, Tracker& tracker) {
    const auto among = [](const std::vector<int>& ids, const Piece& p) {
        return std::find(ids.begin(), ids.end(), p.id) != ids.end();
    };
    std::vector<Piece> missed = tracker.pieces();
    std::erase_if(missed, [&](const Piece& p) { return !among(look.missing, p); });
    tracker.update(
        frame.time_s, look.found,
        {[&](const Piece& p) { return among(look.missing, p) || among(look.covered, p); },
         [](const Piece&) { return false; },
         [&](const Piece& p) { return among(look.covered, p); }});
    for (const Piece& p : missed)
        if (!has_id(tracker.pieces(), p.id)) given_up_.push_back(p);
}

bool FlatsWatch::look(const Frame& frame, const calibration::TableMap& map,
                      const ChangedPlaces& places, const cv::Mat& hidden, Tracker& tracker) {
    unjudged_.release();
    if (empty() || !places.mostly_quiet(frame.time_s, hidden)) return true;
    const cv::Mat quiet = places.quiet(frame.time_s, hidden),
                  differing = quiet & places.differing();
    if (cv::countNonZero(differing) == 0) return true;
    const cv::Mat restless = places.to_look() & ~quiet;
    unjudged_ = cv::Mat::zeros(restless.size(), CV_8U);
    // Half of what lies there must not be taken for understood: the other half alone would be no
    // news.
    const auto in_motion = [&](const Piece& p) {
        if (!is_flat(p) || !touches(p, restless)) return false;
        mark_cells(p, unjudged_);
        return true;
    };
    std::vector<Piece> known = tracker.pieces();
    std::erase_if(known, in_motion);
    std::vector<FlatLook> looks;
    for (const LiveFlats& kind : kinds_) {
        looks.push_back(kind.look({frame.bgr, &map, {}}, understood_, differing, kGateCell, known));
        std::erase_if(looks.back().found, in_motion);
    }
    const bool doubtful = std::any_of(looks.begin(), looks.end(),
                                      [](const FlatLook& l) { return l.doubtful; });
    if (doubtful && ++read_in_vain_ <= kReadAgain) return false;
    read_in_vain_ = 0;
    for (const FlatLook& look : looks) take(frame, look, tracker);
    return true;
}

void FlatsWatch::look_for_lost(const Frame& frame, const calibration::TableMap& map,
                               Tracker& tracker) {
    if (given_up_.empty() || frame.time_s - lost_checked_s_ < kLookForLost_s) return;
    lost_checked_s_ = frame.time_s;
    std::vector<Piece> back;
    std::erase_if(given_up_, [&](const Piece& p) {
        if (frame.time_s - p.seen > kForgetCovered_s || has_id(tracker.pieces(), p.id)) return true;
        for (const LiveFlats& kind : kinds_)
            if (auto found = kind.still_there({frame.bgr, &map, {}}, p, tracker.pieces())) {
                found->id = 0;
                back.push_back(*found);
                return true;
            }
        return false;
    });
    const auto no = [](const Piece&) { return false; };
    if (!back.empty()) tracker.update(frame.time_s, back, {no, no, is_flat});
}

// Pieces and picture belong together: what was found is understood, what is missed is not yet.
void FlatsWatch::understand(const cv::Mat& bgr, const Tracker& tracker, cv::Mat& cells) {
    cv::Mat open = unjudged_.empty() ? cv::Mat::zeros(cells.size(), CV_8U) : unjudged_.clone();
    for (std::size_t i = 0; i < tracker.pieces().size(); ++i)
        if (is_flat(tracker.pieces()[i]) && !tracker.certain(i))
            mark_cells(tracker.pieces()[i], open);
    cells.setTo(0, open);
    if (understood_.empty()) return;
    for (int y = 0; y < cells.rows; ++y)
        for (int x = 0; x < cells.cols; ++x)
            if (cells.at<std::uint8_t>(y, x)) {
                const cv::Rect cell(x * kGateCell, y * kGateCell, kGateCell, kGateCell);
                bgr(cell).copyTo(understood_(cell));
            }
}

}  // namespace overboard::vision
