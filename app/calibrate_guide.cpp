#include <fmt/format.h>

#include <opencv2/imgproc.hpp>

#include "app/calibrate.hpp"
#include "app/calibrate_place.hpp"
#include "calibration/table_frame.hpp"
#include "calibration/touch.hpp"
#include "vision/frame_source.hpp"

// Tell, watch, take what is good enough, say how it went; four times. The lens wants views that
// differ and stand still, and that enclose the table: beyond the outermost corner seen it is a
// guess; the table wants several frames; the projector is tried in one shot first and by Gray code
// when that was not good; touch wants nine taps.
namespace overboard::app {
namespace {

using namespace calibration;

struct GuideLimits {
    int views = 14;           ///< More: a better lens, a longer evening.
    double patience_s = 180;  ///< For all views of the board. Longer: waits for nobody.
    double corner_s = 25;  ///< For the board over one corner of the table that was left out so far.
    /// Of the picture's width such a corner may lie beyond what was seen.
    double reach_share = 0.02;
    double still_px = 2;           ///< Motion between two frames above: the board is being moved.
    double new_view_share = 0.09;  ///< Of the picture's width a corner of the board must have moved
                                   ///< by.
    int table_frames = 15;         ///< Noise falls with their root.
    double pattern_s = 0.35;       ///< Longest delay of projector and camera together.
    int flashes = 8;
};

struct Silhouette {
    cv::Point2f first, last;
    std::size_t corners = 0;
};

/// A place of the picture where the lens must be known, and what it is called.
struct Wanted {
    cv::Point2f px;
    std::string name;
};

double moved_px(const Silhouette& a, const Silhouette& b) {
    return std::max(cv::norm(a.first - b.first), cv::norm(a.last - b.last));
}

class Guide {
public:
    Guide(Place& place, Sitting& sitting) : place_{place}, sitting_{sitting} {}

    void lens() {
        tell(
            fmt::format("1 Lens: hold the printed board under the camera, still, {} times: in "
                        "every corner, near and far, tilted.",
                        limits_.views));
        const std::vector<Wanted> wanted = corners_of_table(place_.see().bgr);
        place_.want_board(true);
        const double until_s = place_.now_s() + limits_.patience_s;
        while (int(views_.size()) < limits_.views && place_.now_s() < until_s)
            if (take_view()) progress(fmt::format("{} of {}", views_.size(), limits_.views));
        for (const Wanted& corner : wanted)
            if (!enclosed(corner.px)) hold_over(corner);
        place_.want_board(false);
        sitting_.lens(views_);
    }

    void table() {
        tell(
            "2 Table: take the board and your hands away; pieces may stay. All four markers must "
            "be seen.");
        std::vector<NamedPicture> pictures;
        for (int i = 0; i < limits_.table_frames; ++i)
            pictures.push_back(
                {fmt::format("frame {}", i + 1), place_.see(i == 0 ? 1 : 0).bgr.clone()});
        sitting_.table(pictures);
    }

    void projector() {
        tell("3 Projector: keep your hands off the table for a few seconds.");
        const cv::Size size = *place_.projector();
        const double latency_s = latency(size);
        const cv::Mat lit = look_under(projector_board(size)),
                      black = look_under(cv::Mat::zeros(size, CV_8U));
        auto pairs = find_projector_board(lit, black,
                                          look_under(cv::Mat(size, CV_8U, cv::Scalar(255))), size);
        const auto solved = [&](const std::vector<PointPair>& by) {
            return solve_projector(by, *sitting_.profile().table, size,
                                   sitting_.profile().table_rms_mm);
        };
        if (const ProjectorResult at_once = solved(pairs); !at_once.good) {
            sitting_.say("  one picture was not enough; showing stripes");
            const auto striped = stripes(size);
            const ProjectorResult patiently = solved(striped);
            if (patiently.good || at_once.error_mm == 0 || patiently.error_mm < at_once.error_mm)
                pairs = striped;
        }
        place_.show({});
        sitting_.projector(pairs, size, latency_s);
    }

    void touch() {
        const std::vector<Point> targets = touch_targets(sitting_.table_size());
        const bool shown = sitting_.profile().projector.has_value();
        tell(fmt::format("4 Touch: touch {} {}, one after the other.", targets.size(),
                         shown ? "crosses" : "places"));
        std::vector<Point> raw, asked;
        for (const Point& target : targets) {
            if (shown)
                place_.show(cross_at(target));
            else
                sitting_.say(fmt::format(
                    "  touch {:.0f} mm from the left and {:.0f} mm from the top edge of the table",
                    target.x, target.y));
            const auto at = place_.touched(target);
            if (!at) continue;
            asked.push_back(target);
            raw.push_back(*at);
            progress(fmt::format("{} of {}", raw.size(), targets.size()));
        }
        place_.show({});
        sitting_.touch(asked, raw);
    }

private:
    void tell(const std::string& words) {
        sitting_.say("\n" + words);
        place_.show({}, words);
    }
    void progress(const std::string& words) {
        sitting_.say("  " + words);
        if (!drawing_) place_.show({}, words);
    }

    /// The next frame, kept when the board stands still in it and was not seen like that before.
    bool take_view() {
        const cv::Mat frame = place_.see().bgr;
        const auto corners = find_board(frame, sitting_.board());
        const Silhouette now = corners.empty()
                                   ? Silhouette{}
                                   : Silhouette{corners.front(), corners.back(), corners.size()};
        const bool still = now.corners >= 8 && now.corners == before_.corners &&
                           moved_px(now, before_) < limits_.still_px;
        before_ = now;
        if (!still || !is_new(now, frame.cols)) return false;
        taken_.push_back(now);
        seen_.insert(seen_.end(), corners.begin(), corners.end());
        views_.push_back({fmt::format("view {}", views_.size() + 1), frame.clone()});
        return true;
    }
    bool is_new(const Silhouette& now, int width) const {
        return std::all_of(taken_.begin(), taken_.end(), [&](const Silhouette& t) {
            return moved_px(now, t) > limits_.new_view_share * width;
        });
    }

    /// The table's markers; those not found, and all when the table is not seen yet, are left out.
    std::vector<Wanted> corners_of_table(const cv::Mat& frame) const {
        std::vector<Wanted> corners;
        for (const SeenMarker& marker : find_markers(frame, sitting_.table_size())) {
            cv::Point2f middle;
            for (const cv::Point2f& p : marker.corners_px) middle += p * 0.25f;
            corners.push_back({middle, fmt::format("marker {}", marker.id)});
        }
        return corners;
    }
    bool enclosed(cv::Point2f px) const {
        if (seen_.size() < 3) return true;  // no board was seen at all: nothing to complete
        std::vector<cv::Point2f> hull;
        cv::convexHull(seen_, hull);
        return cv::pointPolygonTest(hull, px, true) >
               -limits_.reach_share * views_.front().bgr.cols;
    }
    void hold_over(const Wanted& corner) {
        tell(fmt::format("  and once more: right over {}, low, turned a little.", corner.name));
        place_.want_board_over(corner.px);
        for (const double until_s = place_.now_s() + limits_.corner_s;
             place_.now_s() < until_s && !enclosed(corner.px);)
            if (take_view()) progress("seen");
    }

    cv::Mat look_under(const cv::Mat& picture) {
        place_.show(picture);
        return place_.see(limits_.pattern_s).bgr.clone();
    }

    std::vector<PointPair> stripes(cv::Size size) {
        std::vector<cv::Mat> captured;
        for (const cv::Mat& pattern : gray_code_patterns(size))
            captured.push_back(look_under(pattern));
        return decode_gray_code(captured, size);
    }

    double latency(cv::Size size) {
        const cv::Mat white(size, CV_8U, cv::Scalar(255));
        look_under({});
        std::vector<double> shown;
        std::vector<Brightness> seen;
        for (int i = 0; i < limits_.flashes; ++i) {
            place_.show(i % 2 ? cv::Mat() : white);
            shown.push_back(place_.now_s());
            while (place_.now_s() < shown.back() + limits_.pattern_s) {
                const Place::Look look = place_.see();
                cv::Mat small;
                cv::resize(look.bgr, small, {}, 0.125, 0.125, cv::INTER_NEAREST);
                const cv::Scalar mean = cv::mean(small);
                seen.push_back({look.time_s, (mean[0] + mean[1] + mean[2]) / 3});
            }
        }
        return measure_latency(shown, seen).value_or(0);
    }

    cv::Mat cross_at(Point target) {
        const auto& fix = sitting_.profile().projector;
        if (!fix) return {};
        cv::Mat picture = cv::Mat::zeros(fix->size, CV_8U);
        std::vector<cv::Point2d> ends = {{target.x - 20, target.y},
                                         {target.x + 20, target.y},
                                         {target.x, target.y - 20},
                                         {target.x, target.y + 20}},
                                 px;
        cv::perspectiveTransform(ends, px, cv::Mat(fix->table_to_projector));
        cv::line(picture, px[0], px[1], 255, 2, cv::LINE_8);
        cv::line(picture, px[2], px[3], 255, 2, cv::LINE_8);
        drawing_ = true;
        return picture;
    }

    Place& place_;
    Sitting& sitting_;
    GuideLimits limits_;
    std::vector<NamedPicture> views_;
    std::vector<Silhouette> taken_;
    std::vector<cv::Point2f> seen_;  // corners of the board in all views
    Silhouette before_;
    bool drawing_ = false;  // what is shown must stay
};

/// A film cannot be guided: some of its frames, evenly spread. Nothing when it is a camera.
std::vector<NamedPicture> frames_of_film(const std::string& camera) {
    constexpr std::size_t kMost = 80;
    const auto source = vision::open_source(camera);
    std::vector<NamedPicture> frames;
    int every = 1, n = 0;
    while (!source->live() && !source->ended()) {
        const auto frame = source->next();
        if (!frame) break;
        if (n++ % every != 0) continue;
        frames.push_back({fmt::format("frame {}", n), frame->bgr.clone()});
        if (frames.size() < kMost) continue;
        for (std::size_t i = 1; 2 * i < frames.size(); ++i) frames[i] = frames[2 * i];
        frames.resize(kMost / 2);
        every *= 2;
    }
    return frames;
}

}  // namespace

void calibrate_guided(const CalibrateOptions& o, Sitting& sitting) {
    if (!o.simulate)
        if (const auto film = frames_of_film(o.camera); !film.empty())
            return calibrate_from_pictures(film, true, sitting);
    const auto place = o.simulate ? simulated_place(o, sitting.board(), sitting.table_size())
                                  : real_place(o);
    Guide guide(*place, sitting);
    if (o.lens.empty()) guide.lens();
    if (sitting.good()) guide.table();
    if (sitting.good() && place->projector()) guide.projector();
    if (sitting.good() && place->has_touch()) guide.touch();
    place->tell_truth(sitting);
    place->verdict(sitting.good(), sitting.good() ? sitting.figures() : sitting.why());
}

}  // namespace overboard::app
