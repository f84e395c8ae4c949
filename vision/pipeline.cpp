#include "vision/pipeline.hpp"

#include <algorithm>
#include <cmath>
#include <opencv2/imgproc.hpp>

#include "vision/board_print.hpp"
#include "vision/bump_watch.hpp"
#include "vision/changes.hpp"
#include "vision/detect_board.hpp"
#include "vision/gate.hpp"
#include "vision/hands.hpp"
#include "vision/known_size.hpp"
#include "vision/live_flats.hpp"
#include "vision/live_discs.hpp"
#include "vision/palette.hpp"
#include "vision/settle_gate.hpp"
#include "vision/shots.hpp"
#include "vision/sight.hpp"
#include "vision/tracker.hpp"

// The recipe is push(): sight, gate, hands, discs, the rest, tracker, settling, shots. Two gates
// compare with two references: `seen_gate_` with the table as last understood (what has to be
// looked at?), `last_gate_` with the frame before (does it still move?).
namespace overboard::vision {
namespace {

constexpr int kCell = ChangeGate::kCell;
constexpr int kRefreshFrames = 60;

double piece_reach_mm(const Catalogue& c) {
    double reach = 30;
    for (const auto* list : {&c.cards, &c.tiles})
        for (const FaceKind& k : *list) reach = std::max(reach, std::hypot(k.width_mm, k.height_mm));
    for (const PolygonKind& k : c.polygons)
        for (const Point& p : k.outline_mm) reach = std::max(reach, 2 * length(p));
    for (const DiscKind& d : c.discs) reach = std::max(reach, d.diameter_mm);
    return reach;
}

std::vector<std::string> only_ones(const Catalogue& c) {
    std::vector<std::string> types;
    for (const DiscKind& d : c.discs)
        if (d.count == 1) types.push_back(d.type);
    return types;
}

cv::Rect table_region(const Catalogue& c, const calibration::TableMap& map) {
    std::vector<cv::Point2f> corners;
    for (Point p : {Point{0, 0}, {c.table.width_mm, 0}, {c.table.width_mm, c.table.height_mm}, {0, c.table.height_mm}})
        corners.push_back(map.project(p));
    return cv::boundingRect(corners) & cv::Rect({0, 0}, map.size());
}

bool marked(const cv::Mat& cells, cv::Point2d px, int cell) {
    const int x = int(px.x) / cell, y = int(px.y) / cell;
    return x >= 0 && y >= 0 && x < cells.cols && y < cells.rows && cells.at<std::uint8_t>(y, x) != 0;
}

}  // namespace

struct Pipeline::Room {
    Catalogue catalogue;
    calibration::TableMap map;
    FaceSets faces;
    PipelineOptions options;
    Kinds slow_kinds;  // everything but discs, cards and tiles
    std::vector<LiveFlats> flats;  // cards, tiles
    cv::Mat understood;    // the picture as last understood, for cards and tiles
    std::vector<Piece> given_up;  // cards and tiles that were gone when last looked for
    double lost_checked_s = -1e9;
    cv::Mat unjudged;      // per cell: a card or tile here could not be judged yet
    int read_in_vain = 0;  // looks at something that was not understood
    ChangeGate seen_gate, last_gate;
    Hands hands;
    Sight sight;
    BumpWatch bumps;
    bool bumped = false;   // the map does not fit the picture
    std::optional<double> begin_anew_s;  // a new map waits for a quiet frame since then
    Tracker tracker;
    SettleGate settle;
    ShotCutter shots;
    std::optional<LiveDiscs> discs;
    std::optional<Palette> colours;
    cv::Mat remembered;    // the table as last understood; only for what is slow to find
    int quiet_frames = 0;
    struct Draft {
        double since_s = 0, at_s = 0;
        std::vector<Piece> pieces;
    };
    std::optional<Draft> draft;  // what was read of the changed places, not yet confirmed
    std::optional<Pose> board;
    Observation last;
    cv::Mat quiet_since;   // per cell: source time of the last motion
    cv::Mat to_look;       // per cell: changed since the table was last understood
    double blind_until_s = -1e9, previous_s = 0, fps = 0;
    bool started = false, lost = false;

    Room(Catalogue c, calibration::TableMap m, FaceSets f, PipelineOptions o)
        : catalogue{std::move(c)}, map{std::move(m)}, faces{std::move(f)}, options{std::move(o)} {
        slow_kinds = kinds_of(catalogue);
        slow_kinds.discs = slow_kinds.cards = slow_kinds.tiles = false;
        if (!catalogue.cards.empty()) flats.emplace_back(PieceKind::card, catalogue.table, catalogue.cards, faces.cards);
        if (!catalogue.tiles.empty()) flats.emplace_back(PieceKind::tile, catalogue.table, catalogue.tiles, faces.tiles);
        tracker = Tracker({}, only_ones(catalogue));
        if (catalogue.board) shots = ShotCutter(*catalogue.board, catalogue.discs);
        board = options.board;
        bumps = BumpWatch(catalogue.table, map);
        use_map();
    }

    // Everything that thinks in pixels begins anew; what lies where in mm is kept.
    void use_map() {
        const cv::Rect region = table_region(catalogue, map);
        seen_gate = ChangeGate(map.size(), region);
        last_gate = ChangeGate(map.size(), region);
        hands = Hands(map);
        sight = Sight(catalogue.table, map);
        quiet_since = cv::Mat(seen_gate.cells().size(), CV_64F, cv::Scalar(-1e9));
        to_look = cv::Mat::zeros(seen_gate.cells().size(), CV_8U);
    }

    [[nodiscard]] bool slow() const {
        return slow_kinds.dice || slow_kinds.polygons || slow_kinds.stones || slow_kinds.pawns;
    }
    [[nodiscard]] double height_of(const Piece& p) const {
        return p.kind == PieceKind::disc && catalogue.board ? catalogue.board->elevation_mm : 0;
    }
    [[nodiscard]] cv::Point2d pixel_of(const Piece& p) const { return map.project({p.x, p.y}, height_of(p)); }
    [[nodiscard]] bool is_hidden(const Piece& p) const { return marked(hands.hidden(), pixel_of(p), 8); }

    // --- the first frame: the cold way. After a lamp or a bump the pieces known are looked for first.
    void start(const Frame& f) {
        if (!catalogue.palette.empty()) colours.emplace(View{f.bgr, &map, {}}, catalogue);
        if (slow()) remembered = f.bgr.clone();
        // Cards and tiles first: a mark on one of them is no die.
        for (const LiveFlats& kind : flats) take(f, kind.look({f.bgr, &map, {}}, {}, {}, kCell, tracker.pieces()));
        if (!flats.empty()) understood = f.bgr.clone();
        const Known before{cv::Mat(f.bgr.size(), CV_8U, cv::Scalar(255)), {}, tracker.pieces()};
        const View view{f.bgr, &map, {}, before.pieces.empty() ? nullptr : &before, colours ? &*colours : nullptr};
        if (catalogue.board && !board) board = detect_board(view, catalogue);
        Kinds kinds = slow_kinds;
        kinds.discs = !catalogue.discs.empty();
        Observation seen = detect_cold(view, catalogue, kinds, faces, board);
        if (catalogue.board && board && !options.board) board = refine_board(view, *catalogue.board, *board, seen.pieces);
        if (!catalogue.discs.empty()) {
            discs.emplace(catalogue, map, board.value_or(Pose{}));
            discs->learn(f.bgr, seen.pieces);
            prefer_live(f, seen.pieces);
        }
        hands.learn(f.bgr);
        seen_gate.set_reference(f.bgr);
        last_gate.set_reference(f.bgr);
        tracker.update(f.time_s, seen.pieces, {[](const Piece& p) { return !is_flat(p); }, [](const Piece&) { return false; }});
        watch_rims(f.bgr);
        started = true;
    }

    // Once colours are learnt the live way is the more exact one; unless it sees far less, it is believed.
    void prefer_live(const Frame& f, std::vector<Piece>& pieces) {
        const auto is_disc = [](const Piece& p) { return p.kind == PieceKind::disc; };
        const auto& found = discs->detect(f.bgr);
        if (double(found.size()) < 0.8 * double(std::count_if(pieces.begin(), pieces.end(), is_disc))) return;
        pieces.erase(std::remove_if(pieces.begin(), pieces.end(), is_disc), pieces.end());
        pieces.insert(pieces.end(), found.begin(), found.end());
    }

    static bool is_flat(const Piece& p) { return p.kind == PieceKind::card || p.kind == PieceKind::tile; }

    // What LiveFlats says of one kind, to the tracker.
    void take(const Frame& f, const FlatLook& look) {
        const auto among = [](const std::vector<int>& ids, const Piece& p) { return std::find(ids.begin(), ids.end(), p.id) != ids.end(); };
        std::vector<Piece> missed = tracker.pieces();
        std::erase_if(missed, [&](const Piece& p) { return !among(look.missing, p); });
        tracker.update(f.time_s, look.found,
                       {[&](const Piece& p) { return among(look.missing, p) || among(look.covered, p); },
                        [](const Piece&) { return false; }, [&](const Piece& p) { return among(look.covered, p); }});
        for (const Piece& p : missed)
            if (!has_id(tracker.pieces(), p.id)) given_up.push_back(p);
    }

    static bool has_id(const std::vector<Piece>& pieces, int id) {
        return std::any_of(pieces.begin(), pieces.end(), [&](const Piece& p) { return p.id == id; });
    }

    // A piece may be given up wrongly, and its place then looks as it always did. So the places of lost
    // ones are read again for a while.
    void look_for_lost(const Frame& f) {
        if (given_up.empty() || f.time_s - lost_checked_s < options.look_for_lost_s) return;
        lost_checked_s = f.time_s;
        std::vector<Piece> back;
        std::erase_if(given_up, [&](const Piece& p) {
            if (f.time_s - p.seen > options.forget_lost_s || has_id(tracker.pieces(), p.id)) return true;
            for (const LiveFlats& kind : flats)
                if (auto found = kind.still_there({f.bgr, &map, {}}, p, tracker.pieces())) {
                    found->id = 0;
                    back.push_back(*found);
                    return true;
                }
            return false;
        });
        const auto no = [](const Piece&) { return false; };
        if (!back.empty()) tracker.update(f.time_s, back, {no, no, is_flat});
    }

    // Cards and tiles where the picture is not what it was. False: something there was not understood, and
    // the next frame may show it better.
    bool look_at_flats(const Frame& f) {
        unjudged.release();
        if (flats.empty() || !enough_ready(f.time_s)) return true;
        const cv::Mat differing = quiet_places(f.time_s) & seen_gate.cells();
        if (cv::countNonZero(differing) == 0) return true;
        const cv::Mat restless = to_look & ~quiet_places(f.time_s);
        unjudged = cv::Mat::zeros(restless.size(), CV_8U);
        // Half of what lies there must not be taken for understood: the other half alone would be no news.
        const auto in_motion = [&](const Piece& p) {
            if (!is_flat(p) || !touches(p, restless)) return false;
            mark_cells(p, unjudged);
            return true;
        };
        std::vector<Piece> known = tracker.pieces();
        std::erase_if(known, in_motion);
        std::vector<FlatLook> looks;
        for (const LiveFlats& kind : flats) {
            looks.push_back(kind.look({f.bgr, &map, {}}, understood, differing, kCell, known));
            std::erase_if(looks.back().found, in_motion);
        }
        const bool doubtful = std::any_of(looks.begin(), looks.end(), [](const FlatLook& l) { return l.doubtful; });
        if (doubtful && ++read_in_vain <= options.read_again) return false;
        read_in_vain = 0;
        for (const FlatLook& look : looks) take(f, look);
        return true;
    }

    static void mark_cells(const Piece& p, cv::Mat& cells) {
        std::vector<cv::Point> corners;
        for (const Point& c : p.corners_px) corners.emplace_back(int(c.x) / kCell, int(c.y) / kCell);
        if (!corners.empty()) cells(cv::boundingRect(corners) & cv::Rect({}, cells.size())).setTo(255);
    }

    // Lies, even with a corner, in a cell that is marked.
    static bool touches(const Piece& p, const cv::Mat& cells) {
        const std::size_t n = p.corners_px.size();
        for (std::size_t i = 0; i < n; ++i) {
            const Point a = p.corners_px[i], edge = (a + p.corners_px[(i + 1) % n]) * 0.5, middle = (a + p.corners_px[(i + 2) % n]) * 0.5;
            for (const Point& q : {a, edge, middle})
                if (marked(cells, {q.x, q.y}, kCell)) return true;
        }
        return false;
    }

    void watch_rims(const cv::Mat& bgr) {
        std::vector<cv::Point> rims;
        for (const Piece& p : tracker.pieces()) {
            if (p.kind != PieceKind::disc || !p.px || !p.size_px) continue;
            for (int i = 0; i < ChangeGate::kRimPoints; ++i) {
                const double a = 2 * M_PI * i / ChangeGate::kRimPoints, r = *p.size_px / 2;
                rims.emplace_back(cvRound(p.px->x + r * std::cos(a)), cvRound(p.px->y + r * std::sin(a)));
            }
        }
        seen_gate.watch(bgr, std::move(rims));
    }

    // False: the camera is not where it was, and nothing may be believed of this frame.
    bool in_place(const Frame& f) {
        const BumpWatch::Word word = bumps.look(f.bgr, f.time_s, sight.state().state == "moved");
        if (word == BumpWatch::Word::moved) {
            map = bumps.map();
            use_map();
            begin_anew_s = f.time_s;
        }
        bumped = word == BumpWatch::Word::wait || word == BumpWatch::Word::help || !begun_anew(f);
        return !bumped;
    }

    // A new beginning learns what it sees as the bare table: not while a hand moves over it.
    bool begun_anew(const Frame& f) {
        if (!begin_anew_s) return true;
        const int all = last_gate.cells().rows * last_gate.cells().cols;
        const bool comparable = last_gate.ready();
        if (comparable) last_gate.changed(f.bgr);
        last_gate.set_reference(f.bgr);
        const bool quiet = comparable && last_gate.changed_count() < 0.01 * all;
        if (!quiet && f.time_s - *begin_anew_s < options.longest_pause_s) return false;
        begin_anew_s.reset();
        started = false;
        return true;
    }

    Observation withheld(const Frame& f) {
        last.time = f.time_s;
        last.frame = f.index;
        last.still = false;
        if (bumped) last.sight = sight.state().state == "ok" ? "moved" : sight.state().state;
        return last;
    }

    // --- one frame
    const std::vector<Piece>& look(const Frame& f) {
        const bool changed = seen_gate.changed(f.bgr);
        if (!changed && !tracker.unsure() && cv::countNonZero(to_look) == 0) {
            hands.clear();
            if (slow() && ++quiet_frames % kRefreshFrames == 0) f.bgr.copyTo(remembered);  // follows slow light
            look_for_lost(f);
            return tracker.nothing_changed(f.time_s, [](const Piece&) { return false; });
        }
        last_gate.changed(f.bgr);
        last_gate.set_reference(f.bgr);
        quiet_since.setTo(f.time_s, last_gate.cells());
        cv::bitwise_or(to_look, seen_gate.cells(), to_look);
        if (light_changed()) return start_again(f);
        hands.find(f.bgr, f.time_s);
        follow_discs(f);
        const bool read = !slow() || look_at_quiet_places(f);
        if (read && look_at_flats(f)) understand_quiet_places(f);
        return tracker.pieces();
    }

    // Nearly all of the picture differs, but nothing moves and no hand is there.
    [[nodiscard]] bool light_changed() const {
        const int all = seen_gate.cells().rows * seen_gate.cells().cols;
        return seen_gate.changed_count() > 0.6 * all && last_gate.changed_count() < 0.02 * all;
    }

    const std::vector<Piece>& start_again(const Frame& f) {
        to_look.setTo(0);
        start(f);
        return tracker.pieces();
    }

    void follow_discs(const Frame& f) {
        if (!discs) return;
        const auto& found = discs->detect(f.bgr, hands.hidden());
        const cv::Mat near = beside_hands();
        const Tracker::View view{[](const Piece& p) { return p.kind == PieceKind::disc; }, [&](const Piece& p) { return marked(near, pixel_of(p), 8); }};
        tracker.update(f.time_s, found, view);
    }

    // In a hand's shadow, or half under a finger, a disc that is not found is not gone.
    [[nodiscard]] cv::Mat beside_hands() const {
        constexpr double kShadow_mm = 35;
        if (hands.covered() <= 0) return hands.hidden();
        const int cells = 1 + cvRound(kShadow_mm * map.px_per_mm({catalogue.table.width_mm / 2, catalogue.table.height_mm / 2}) / 8);
        cv::Mat near;
        cv::dilate(hands.hidden(), near, cv::Mat::ones(2 * cells + 1, 2 * cells + 1, CV_8U));
        return near;
    }

    // Cells that changed, are quiet and not under a hand.
    [[nodiscard]] cv::Mat quiet_places(double time_s) const {
        cv::Mat ready = to_look.clone();
        for (int y = 0; y < ready.rows; ++y)
            for (int x = 0; x < ready.cols; ++x) {
                if (!ready.at<std::uint8_t>(y, x)) continue;
                const cv::Rect fine(x * kCell / 8, y * kCell / 8, kCell / 8, kCell / 8);
                const bool hand = cv::countNonZero(hands.hidden()(fine & cv::Rect({0, 0}, hands.hidden().size()))) > 0;
                if (hand || time_s - quiet_since.at<double>(y, x) < options.quiet_before_look_s) ready.at<std::uint8_t>(y, x) = 0;
            }
        return ready;
    }

    // Most of what changed has come to rest.
    [[nodiscard]] bool enough_ready(double time_s) const {
        const int ready = cv::countNonZero(quiet_places(time_s));
        return ready > 0 && ready >= cv::countNonZero(to_look) * 0.5;
    }

    /// Rules wait for hands to be gone, so do we: half a piece under a finger, or its shadow, only misleads.
    [[nodiscard]] bool may_be_read(double time_s) const { return hands.outlines().empty() && enough_ready(time_s); }

    /// True: the table was read anew. What is read must be read twice: a die that still rolls is not.
    bool look_at_quiet_places(const Frame& f) {
        if (!may_be_read(f.time_s)) {
            draft.reset();
            return false;
        }
        if (draft && f.time_s - draft->at_s < options.read_again_s) return false;
        const cv::Mat ready = quiet_places(f.time_s);
        const double px_per_mm = map.px_per_mm({catalogue.table.width_mm / 2, catalogue.table.height_mm / 2});
        const int reach = cvRound(piece_reach_mm(catalogue) * px_per_mm) + kCell;
        cv::Rect part = cv::boundingRect(ready);
        part = cv::Rect(part.x * kCell - reach, part.y * kCell - reach, part.width * kCell + 2 * reach, part.height * kCell + 2 * reach) &
               cv::Rect({0, 0}, f.bgr.size());
        const calibration::TableMap part_map = cropped_map(map, part);
        const Known before = known_in(f, part);
        const View seen_part{f.bgr(part), &part_map, {}, &before, colours ? &*colours : nullptr};
        Observation seen = detect_cold(seen_part, without_discs(), slow_kinds, faces, board);
        std::vector<Piece> kept;
        for (Piece& p : seen.pieces) {
            if (p.px) p.px = Point{p.px->x + part.x, p.px->y + part.y};
            if (!cut_off(p, part, px_per_mm)) kept.push_back(std::move(p));
        }
        if (!read_twice(f.time_s, kept)) return false;
        const Tracker::View view{[&](const Piece& p) { return p.kind != PieceKind::disc && !is_flat(p) && !cut_off(p, part, px_per_mm) && part.contains(pixel_of(p)); },
                                 [](const Piece&) { return false; }};
        tracker.update(f.time_s, kept, view);
        // Pieces and picture belong together: what was just read is what later frames are compared with.
        f.bgr(part).copyTo(remembered(part));
        return true;
    }

    /// Compares with the draft. What flickers for long is left out.
    bool read_twice(double time_s, std::vector<Piece>& pieces) {
        const auto within = [](const Piece& p, const std::vector<Piece>& list) {
            return std::any_of(list.begin(), list.end(), [&](const Piece& q) {
                return p.kind == q.kind && p.type == q.type && p.colour == q.colour && p.value == q.value && distance({p.x, p.y}, {q.x, q.y}) < 1.5;
            });
        };
        const std::vector<Piece> now = pieces;
        std::vector<Piece> before;
        if (draft) before = draft->pieces;
        const bool late = draft && time_s - draft->since_s > options.longest_draft_s;
        const bool same = draft && now.size() == before.size() && std::all_of(now.begin(), now.end(), [&](const Piece& p) { return within(p, before); });
        draft = Draft{draft ? draft->since_s : time_s, time_s, now};
        if (late) std::erase_if(pieces, [&](const Piece& p) { return !within(p, before); });
        if (same || late) draft.reset();
        return same || late;
    }

    /// What lay in this part when it was last looked at, and what has changed since.
    [[nodiscard]] Known known_in(const Frame& f, const cv::Rect& part) const {
        Known known = compared(f.bgr(part), remembered(part));
        const auto add = [&](Piece p, bool certain) {
            if (p.kind == PieceKind::disc || !p.px || !part.contains(pixel_of(p))) return;
            p.px = Point{p.px->x - part.x, p.px->y - part.y};
            if (certain || is_flat(p)) known.pieces.push_back(std::move(p));
            // Looked for in vain a moment ago: once more, though nothing changed there since.
            else cv::circle(known.changed, {cvRound(p.px->x), cvRound(p.px->y)}, cvRound(p.size_px.value_or(40)), 255, cv::FILLED);
        };
        for (std::size_t i = 0; i < tracker.pieces().size(); ++i) add(tracker.pieces()[i], tracker.certain(i));
        return known;
    }

    [[nodiscard]] Catalogue without_discs() const {
        Catalogue c = catalogue;
        c.discs.clear();
        return c;
    }

    // Too near to the edge of the part that was looked at, unless that is the picture's own edge.
    [[nodiscard]] bool cut_off(const Piece& p, const cv::Rect& part, double px_per_mm) const {
        const cv::Point2d px = pixel_of(p);
        const double margin = 0.4 * piece_reach_mm(catalogue) * px_per_mm;
        const cv::Size all = map.size();
        return (px.x - part.x < margin && part.x > 0) || (px.y - part.y < margin && part.y > 0) ||
               (part.br().x - px.x < margin && part.br().x < all.width) || (part.br().y - px.y < margin && part.br().y < all.height);
    }

    // What has been looked at and is quiet becomes the new reference.
    void understand_quiet_places(const Frame& f) {
        if (tracker.unsure()) return;
        cv::Mat ready = quiet_places(f.time_s);
        if (!unjudged.empty()) ready.setTo(0, unjudged);
        const bool at_rest = slow() ? may_be_read(f.time_s) : flats.empty() || enough_ready(f.time_s);
        if (cv::countNonZero(ready) > 0 && at_rest) {
            seen_gate.set_reference(f.bgr, ready);
            remember_picture(f.bgr, ready);
            to_look.setTo(0, ready);
            cv::Mat fine;
            cv::resize(ready, fine, hands.hidden().size(), 0, 0, cv::INTER_NEAREST);
            learn_background(f, fine);
        }
        if (!seen_gate.cells().empty() && last_gate.changed_count() == 0) watch_rims(f.bgr);
    }

    void remember_picture(const cv::Mat& bgr, const cv::Mat& cells) {
        if (understood.empty()) return;
        for (int y = 0; y < cells.rows; ++y)
            for (int x = 0; x < cells.cols; ++x)
                if (cells.at<std::uint8_t>(y, x)) {
                    const cv::Rect cell(x * kCell, y * kCell, kCell, kCell);
                    bgr(cell).copyTo(understood(cell));
                }
    }

    void learn_background(const Frame& f, const cv::Mat& fine) {
        const cv::Mat hidden = hands.hidden().clone();
        hands.learn(f.bgr, fine);
        if (cv::countNonZero(hidden) > 0) hands.find(f.bgr, f.time_s);
    }

    Observation observe(const Frame& f, const std::vector<Piece>& pieces) {
        Observation seen;
        seen.source = options.source;
        seen.frame = f.index;
        seen.time = f.time_s;
        seen.pieces = pieces;
        seen.hands = hands.outlines();
        seen.board = board;
        seen.sight = sight.state().state;
        if (seen.sight != "ok")
            for (Piece& p : seen.pieces) p.confidence *= 0.5;
        return seen;
    }
};

Pipeline::Pipeline(Catalogue catalogue, calibration::TableMap map, std::vector<Faces> cards, std::vector<Faces> tiles,
                   PipelineOptions options)
    : room_{std::make_unique<Room>(std::move(catalogue), std::move(map), FaceSets{std::move(cards), std::move(tiles)}, std::move(options))} {}
Pipeline::~Pipeline() = default;
Pipeline::Pipeline(Pipeline&&) noexcept = default;
Pipeline& Pipeline::operator=(Pipeline&&) noexcept = default;

Observation Pipeline::push(const Frame& frame) {
    Room& r = *room_;
    const bool usable = frame.bgr.type() == CV_8UC3 && frame.bgr.size() == r.map.size();
    r.lost = !usable;
    // A broken frame, or one of an overlay in transition.
    if (!usable || frame.time_s < r.blind_until_s) return r.withheld(frame);
    if (frame.time_s > r.previous_s && r.started) r.fps = 0.9 * r.fps + 0.1 / (frame.time_s - r.previous_s);
    r.previous_s = frame.time_s;
    if (r.options.check_sight && !r.in_place(frame)) {
        r.sight.look(frame.bgr, frame.time_s, 0, false);
        return r.withheld(frame);
    }
    if (!r.started) r.start(frame);
    if (r.options.check_sight) r.sight.look(frame.bgr, frame.time_s, r.hands.covered(), r.settle.still());
    Observation seen = r.observe(frame, r.look(frame));
    seen.hands = r.hands.outlines();
    (void)r.settle.push(seen);
    seen.still = r.settle.still();
    if (r.catalogue.board && r.board) r.shots.push(seen, *r.board);
    r.last = seen;
    return seen;
}

const calibration::TableMap& Pipeline::map() const { return room_->map; }
void Pipeline::end() { room_->shots.end(); }

std::vector<Shot> Pipeline::take_shots() { return room_->shots.take(); }

CameraState Pipeline::camera_state() const {
    CameraState state = room_->sight.state();
    state.source = room_->options.source;
    state.fps = room_->fps;
    if (room_->bumped && (state.state == "ok" || state.state == "moved"))
        state.state = "moved", state.figure = room_->bumps.mm(), state.unit = "mm the camera was moved by";
    if (room_->lost) state.state = "lost", state.figure = 0, state.unit = "frames";
    return state;
}

void Pipeline::overlay_changed(double time_s) {
    Room& r = *room_;
    r.blind_until_s = time_s + r.options.overlay_blind_s;
    // What the projector changed is no news about the pieces; the next frames become the reference.
    if (r.started) r.to_look.setTo(255);
}

void Pipeline::source_lost(double time_s) {
    room_->lost = true;
    room_->last.time = time_s;
}

}  // namespace overboard::vision
