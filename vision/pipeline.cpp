#include "vision/pipeline.hpp"

#include <algorithm>
#include <cmath>
#include <opencv2/imgproc.hpp>

#include "calibration/colour.hpp"
#include "vision/bump_watch.hpp"
#include "vision/changed_places.hpp"
#include "vision/discs/board_print.hpp"
#include "vision/discs/detect_board.hpp"
#include "vision/discs/live_discs.hpp"
#include "vision/discs/shots.hpp"
#include "vision/discs/streaks.hpp"
#include "vision/flats/watch_flats.hpp"
#include "vision/hands.hpp"
#include "vision/palette.hpp"
#include "vision/settle_gate.hpp"
#include "vision/sight.hpp"
#include "vision/tracker.hpp"
#include "vision/watch_others.hpp"

// The recipe is push(): sight, what changed, hands, discs, the rest, tracker, settling, shots.
namespace overboard::vision {
namespace {

std::vector<std::string> only_ones(const Catalogue& c) {
    std::vector<std::string> types;
    for (const DiscKind& d : c.discs)
        if (d.count == 1) types.push_back(d.type);
    return types;
}

cv::Rect table_region(const Catalogue& c, const calibration::TableMap& map) {
    std::vector<cv::Point2f> corners;
    for (Point p : {Point{0, 0},
                    {c.table.width_mm, 0},
                    {c.table.width_mm, c.table.height_mm},
                    {0, c.table.height_mm}})
        corners.push_back(map.project(p));
    return cv::boundingRect(corners) & cv::Rect({0, 0}, map.size());
}

/// Cells, as Hands counts: 8 × 8 pixels each. The pixels beyond the last whole cell go with it.
cv::Mat finer(const cv::Mat& cells, cv::Size size) {
    constexpr int kTimes = ChangedPlaces::kCell / 8;
    cv::Mat fine;
    cv::resize(cells, fine, {}, kTimes, kTimes, cv::INTER_NEAREST);
    cv::copyMakeBorder(fine, fine, 0, size.height - fine.rows, 0, size.width - fine.cols,
                       cv::BORDER_REPLICATE);
    return fine;
}

}  // namespace

struct Pipeline::Room {
    Catalogue catalogue;
    calibration::TableMap map;
    FaceSets faces;
    PipelineOptions options;
    ChangedPlaces places;
    FlatsWatch flats;
    OthersWatch others;
    Hands hands;
    Sight sight;
    BumpWatch bumps;
    bool bumped = false;                 // the map does not fit the picture
    std::optional<double> begin_anew_s;  // a new map waits for a quiet frame since then
    Tracker tracker;
    SettleGate settle;
    ShotCutter shots;
    std::optional<LiveDiscs> discs;
    std::optional<Streaks> streaks;
    double raced_s = -1e9;  // when a disc was last seen to run
    std::optional<Palette> colours;
    std::optional<cv::Vec3d>
        white;  // what paper looked like when colours were learnt or last relit
    double white_asked_s = -1e9;
    std::optional<Pose> board;
    Observation last;
    double blind_until_s = -1e9, previous_s = 0, fps = 0;
    bool started = false, lost = false;

    Room(Catalogue c, calibration::TableMap m, FaceSets f, PipelineOptions o)
        : catalogue{std::move(c)}, map{std::move(m)}, faces{std::move(f)}, options{std::move(o)} {
        flats = FlatsWatch(catalogue, faces);
        others = OthersWatch(catalogue);
        tracker = Tracker({}, only_ones(catalogue));
        if (catalogue.board) shots = ShotCutter(*catalogue.board, catalogue.discs);
        board = options.board;
        bumps = BumpWatch(catalogue.table, map);
        use_map();
    }

    // Everything that thinks in pixels begins anew; what lies where in mm is kept.
    void use_map() {
        places = ChangedPlaces(map.size(), table_region(catalogue, map));
        hands = Hands(map);
        sight = Sight(catalogue.table, map);
    }

    [[nodiscard]] double height_of(const Piece& p) const {
        return p.kind == PieceKind::disc && catalogue.board ? catalogue.board->elevation_mm : 0;
    }
    [[nodiscard]] cv::Point2d pixel_of(const Piece& p) const {
        return map.project({p.x, p.y}, height_of(p));
    }

    // --- the first frame: the cold way. After a lamp or a bump the pieces known are looked for
    // first.
    void start(const Frame& f) {
        if (!catalogue.palette.empty()) colours.emplace(View{f.bgr, &map, {}}, catalogue);
        others.begin(f.bgr);
        // Cards and tiles first: a mark on one of them is no die.
        flats.begin(f, map, tracker);
        const Known before{cv::Mat(f.bgr.size(), CV_8U, cv::Scalar(255)), {}, tracker.pieces()};
        const View view{f.bgr,
                        &map,
                        {},
                        before.pieces.empty() ? nullptr : &before,
                        colours ? &*colours : nullptr};
        if (catalogue.board && !board) board = detect_board(view, catalogue);
        Kinds kinds = others.kinds();
        kinds.discs = !catalogue.discs.empty();
        Observation seen = detect_cold(view, catalogue, kinds, faces, board);
        if (catalogue.board && board && !options.board)
            board = refine_board(view, *catalogue.board, *board, seen.pieces);
        if (!catalogue.discs.empty()) {
            discs.emplace(catalogue, map, board.value_or(Pose{}));
            discs->learn(f.bgr, seen.pieces);
            prefer_live(f, seen.pieces);
        }
        if (catalogue.board && board) streaks.emplace(catalogue, map, *board);
        hands.learn(f.bgr);
        places.begin(f.bgr);
        tracker.update(
            f.time_s, seen.pieces,
            {[](const Piece& p) { return !is_flat(p); }, [](const Piece&) { return false; }});
        places.watch_rims(f.bgr, tracker.pieces());
        white.reset(), white_asked_s = -1e9;
        started = true;
    }

    // Once colours are learnt the live way is the more exact one; unless it sees far less, it is
    // believed.
    void prefer_live(const Frame& f, std::vector<Piece>& pieces) {
        const auto is_disc = [](const Piece& p) { return p.kind == PieceKind::disc; };
        const auto& found = discs->detect(f.bgr);
        if (double(found.size()) <
            0.8 * double(std::count_if(pieces.begin(), pieces.end(), is_disc)))
            return;
        pieces.erase(std::remove_if(pieces.begin(), pieces.end(), is_disc), pieces.end());
        pieces.insert(pieces.end(), found.begin(), found.end());
    }

    // Lamps warm up, the sun sets, a camera's white balance wanders: the markers' paper tells by
    // how much.
    void follow_light(const Frame& f) {
        constexpr double kSame = 0.02, kAskEvery_s = 0.25;
        if (f.time_s - white_asked_s < kAskEvery_s) return;
        white_asked_s = f.time_s;
        const auto now = calibration::measure_white(f.bgr, map, catalogue.table);
        if (!now) return;
        if (!white) white = now->bgr;
        const cv::Vec3d times{now->bgr[0] / (*white)[0], now->bgr[1] / (*white)[1],
                              now->bgr[2] / (*white)[2]};
        if (cv::norm(times - cv::Vec3d(1, 1, 1), cv::NORM_INF) < kSame) return;
        white = now->bgr;
        if (colours) colours->relight(now->bgr);
        if (discs) discs->relight(times);
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
        if (!places.calm(f.bgr) && f.time_s - *begin_anew_s < options.longest_pause_s) return false;
        begin_anew_s.reset();
        started = false;
        return true;
    }

    // What the projector changes is no motion.
    Observation overlook(const Frame& f) {
        if (started) places.overlook(f.bgr), hands.overlook(f.bgr);
        return as_before(f);
    }

    // Nothing may be made of this frame, but nothing speaks against what was known either.
    Observation as_before(const Frame& f) {
        last.time = f.time_s;
        last.frame = f.index;
        return last;
    }

    Observation withheld(const Frame& f) {
        as_before(f);
        last.still = false;
        if (bumped) last.sight = sight.state().state == "ok" ? "moved" : sight.state().state;
        return last;
    }

    // --- one frame. While the overlay changes, what lies there is not read; but discs that run are
    // followed, since the overlay makes way for them.
    const std::vector<Piece>& look(const Frame& f, bool lit_anew) {
        follow_light(f);
        if (!places.differs(f.bgr) && !tracker.unsure() && !places.anything_to_look_at()) {
            hands.clear();
            others.nothing_changed(f.bgr);
            flats.look_for_lost(f, map, tracker);
            return tracker.nothing_changed(f.time_s, [](const Piece&) { return false; });
        }
        places.follow(f.bgr, f.time_s);
        if (!lit_anew && places.light_changed()) return start_again(f);
        hands.find(f.bgr, f.time_s);
        follow_discs(f);
        if (lit_anew) return tracker.pieces();
        // As at first sight: cards and tiles first, for what is printed on one is no figure.
        const bool may_look = others.empty() || OthersWatch::may_look(f.time_s, places, hands);
        const bool flats_read = may_look && flats.look(f, map, places, hands.hidden(), tracker);
        if ((others.empty() || others.look(f, map, places, hands, colours, tracker)) && flats_read)
            understand_quiet_places(f);
        return tracker.pieces();
    }

    const std::vector<Piece>& start_again(const Frame& f) {
        places.look_at_none();
        start(f);
        return tracker.pieces();
    }

    void follow_discs(const Frame& f) {
        if (!discs) return;
        std::vector<Piece> found = discs->detect(f.bgr, hands.hidden());
        if (streaks && racing(f.time_s))
            for (Piece& p : streaks->find(f.bgr, hands.hidden(), found))
                found.push_back(std::move(p));
        const cv::Mat near = beside_hands();
        const Tracker::View view{[](const Piece& p) { return p.kind == PieceKind::disc; },
                                 [&](const Piece& p) { return marked(near, pixel_of(p), 8); }};
        tracker.update(f.time_s, found, view);
    }

    // Discs run, or one did a moment ago and may have set others off.
    bool racing(double time_s) {
        constexpr double kRunning_mm_s = 200, kMoment_s = 1;
        const auto runs = [](const Piece& p) {
            return p.kind == PieceKind::disc && std::hypot(p.vx, p.vy) > kRunning_mm_s;
        };
        if (std::any_of(tracker.pieces().begin(), tracker.pieces().end(), runs)) raced_s = time_s;
        return time_s - raced_s < kMoment_s;
    }

    // In a hand's shadow, or half under a finger, a disc that is not found is not gone.
    [[nodiscard]] cv::Mat beside_hands() const {
        constexpr double kShadow_mm = 35;
        if (hands.covered() <= 0) return hands.hidden();
        const int cells = 1 + cvRound(kShadow_mm *
                                      map.px_per_mm({catalogue.table.width_mm / 2,
                                                     catalogue.table.height_mm / 2}) /
                                      8);
        cv::Mat near;
        cv::dilate(hands.hidden(), near, cv::Mat::ones(2 * cells + 1, 2 * cells + 1, CV_8U));
        return near;
    }

    // Cards and tiles that are missed keep their own places out of what is understood.
    [[nodiscard]] bool unsure_of_others() const {
        const auto& pieces = tracker.pieces();
        for (std::size_t i = 0; i < pieces.size(); ++i)
            if (!is_flat(pieces[i]) && !tracker.certain(i)) return true;
        return false;
    }

    // What has been looked at and is quiet becomes the new reference.
    void understand_quiet_places(const Frame& f) {
        if (unsure_of_others()) return;
        cv::Mat ready = places.quiet(f.time_s, hands.hidden());
        const bool at_rest = !others.empty()
                                 ? OthersWatch::may_look(f.time_s, places, hands)
                                 : flats.empty() || places.mostly_quiet(f.time_s, hands.hidden());
        if (at_rest) flats.understand(f.bgr, tracker, ready);
        if (at_rest && cv::countNonZero(ready) > 0) {
            places.understand(f.bgr, ready);
            learn_background(f, finer(ready, hands.hidden().size()));
        }
        if (!places.moving()) places.watch_rims(f.bgr, tracker.pieces());
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

Pipeline::Pipeline(Catalogue catalogue, calibration::TableMap map, std::vector<Faces> cards,
                   std::vector<Faces> tiles, PipelineOptions options)
    : room_{std::make_unique<Room>(std::move(catalogue), std::move(map),
                                   FaceSets{std::move(cards), std::move(tiles)},
                                   std::move(options))} {}
Pipeline::~Pipeline() = default;
Pipeline::Pipeline(Pipeline&&) noexcept = default;
Pipeline& Pipeline::operator=(Pipeline&&) noexcept = default;

Observation Pipeline::push(const Frame& frame) {
    Room& r = *room_;
    const bool usable = frame.bgr.type() == CV_8UC3 && frame.bgr.size() == r.map.size();
    r.lost = !usable;
    const bool lit_anew = frame.time_s < r.blind_until_s;
    if (!usable) return r.withheld(frame);
    if (lit_anew && !(r.started && r.discs)) return r.overlook(frame);
    if (frame.time_s > r.previous_s && r.started)
        r.fps = 0.9 * r.fps + 0.1 / (frame.time_s - r.previous_s);
    r.previous_s = frame.time_s;
    if (r.options.check_sight && !r.in_place(frame)) {
        r.sight.look(frame.bgr, frame.time_s, 0, false);
        return r.withheld(frame);
    }
    if (!r.started) r.start(frame);
    if (r.options.check_sight)
        r.sight.look(frame.bgr, frame.time_s, r.hands.covered(), r.settle.still());
    Observation seen = r.observe(frame, r.look(frame, lit_anew));
    seen.hands = r.hands.outlines();
    // Discs are followed as they run; everything else is read when it lies, and has lain since
    // nothing moved any more.
    if (r.settle.push(seen, r.discs ? frame.time_s : r.places.last_motion_s()) && r.streaks)
        r.streaks->learn(frame.bgr, seen.pieces);
    seen.still = r.settle.still();
    if (r.catalogue.board && r.board) r.shots.push(seen, *r.board);
    r.last = seen;
    return seen;
}

const calibration::TableMap& Pipeline::map() const {
    return room_->map;
}
void Pipeline::end() {
    room_->shots.end();
}

std::vector<Shot> Pipeline::take_shots() {
    return room_->shots.take();
}

CameraState Pipeline::camera_state() const {
    CameraState state = room_->sight.state();
    state.source = room_->options.source;
    state.fps = room_->fps;
    if (room_->bumped && (state.state == "ok" || state.state == "moved"))
        state.state = "moved", state.figure = room_->bumps.mm(),
        state.unit = "mm the camera was moved by";
    if (room_->lost) state.state = "lost", state.figure = 0, state.unit = "frames";
    return state;
}

void Pipeline::overlay_changed(double time_s) {
    Room& r = *room_;
    r.blind_until_s = time_s + r.options.overlay_blind_s;
    // What the projector changed is no news about the pieces; the next frames become the reference.
    if (r.started) r.places.look_at_all();
}

void Pipeline::source_lost(double time_s) {
    room_->lost = true;
    room_->last.time = time_s;
}

}  // namespace overboard::vision
