#include "app/shot_video.hpp"

#include <opencv2/imgproc.hpp>
#include <opencv2/videoio.hpp>
#include <stdexcept>

#include "physics/replay.hpp"

namespace overboard::app {
namespace {

constexpr double kVideoFps = 30, kTrail_s = 0.6, kFlash_s = 0.12;
constexpr int kSide_px = 720, kShift = 4;  // sub-pixel drawing

class Picture {
public:
    explicit Picture(const physics::Board& board)
        : board_{board},
          scale_{kSide_px / (std::max(board.width_mm, board.height_mm) + 2 * margin())},
          empty_{drawn_board()} {}

    cv::Mat frame(const Shot& shot, const std::vector<physics::Moment>& moments, double t,
                  const Shot* instead) const {
        cv::Mat picture = empty_.clone();
        trails(picture, shot, t, false);
        if (instead) trails(picture, *instead, t, true);
        for (const auto& disc : physics::at(shot, t))
            if (disc.on_board) draw_disc(picture, disc, false);
        if (instead)
            for (const auto& disc : physics::at(*instead, t))
                if (disc.on_board && t >= instead->start) draw_disc(picture, disc, true);
        flashes(picture, moments, t);
        return picture;
    }

private:
    [[nodiscard]] double margin() const { return std::max(6.0, board_.frame_mm); }
    [[nodiscard]] cv::Point px(Point mm) const {
        const double k = scale_ * (1 << kShift), half = kSide_px / 2.0 * (1 << kShift);
        return {static_cast<int>(std::lround(half + mm.x * k)),
                static_cast<int>(std::lround(half + mm.y * k))};
    }
    [[nodiscard]] int px(double mm) const {
        return static_cast<int>(std::lround(mm * scale_ * (1 << kShift)));
    }
    static cv::Scalar colour(Rgb c) { return {double(c.b), double(c.g), double(c.r)}; }

    void circle(cv::Mat& m, Point at, double r, cv::Scalar c, int line) const {
        cv::circle(m, px(at), px(r), c, line, cv::LINE_AA, kShift);
    }

    cv::Mat drawn_board() const {
        cv::Mat m(kSide_px, kSide_px, CV_8UC3, colour(board_.frame));
        const Point half{board_.width_mm / 2, board_.height_mm / 2};
        cv::rectangle(m, px(half * -1), px(half), colour(board_.surface), cv::FILLED, cv::LINE_AA,
                      kShift);
        const BoardKind kind = physics::kind_of(board_);
        for (const auto& line : kind.lines)
            cv::line(m, px(line.from), px(line.to), colour(line.colour), 1, cv::LINE_AA, kShift);
        for (const auto& c : kind.circles)
            circle(m, c.centre, c.diameter_mm / 2, colour(c.colour), 1);
        for (const auto& hole : board_.pockets)
            circle(m, hole.centre, hole.diameter_mm / 2, {20, 20, 20}, cv::FILLED);
        return m;
    }

    cv::Scalar colour_of(const std::string& type) const {
        for (const auto& d : board_.discs)
            if (d.type == type) return colour(d.colour);
        return {128, 128, 128};
    }

    void draw_disc(cv::Mat& m, const physics::DiscAt& disc, bool outline) const {
        const double r = board_.diameter_of(disc.type) / 2;
        if (outline) {
            circle(m, disc.at, r, {255, 255, 255}, 2);
            return;
        }
        circle(m, disc.at, r, colour_of(disc.type), cv::FILLED);
        circle(m, disc.at, r, {30, 30, 30}, 1);
        circle(m, disc.at, r * 0.6, {90, 90, 90}, 1);
    }

    void trails(cv::Mat& m, const Shot& shot, double t, bool outline) const {
        for (const Track& track : shot.tracks) {
            Point last = physics::at(track, t).at;
            for (double back = 0.008; back < kTrail_s && t - back >= shot.start; back += 0.008) {
                const Point at = physics::at(track, t - back).at;
                const double fade = 1 - back / kTrail_s;
                const cv::Scalar c = outline ? cv::Scalar(255, 255, 255) : colour_of(track.type);
                if (distance(at, last) > 0.05)
                    cv::line(m, px(at), px(last), c * fade + colour(board_.surface) * (1 - fade),
                             outline ? 1 : 2, cv::LINE_AA, kShift);
                last = at;
            }
        }
    }

    void flashes(cv::Mat& m, const std::vector<physics::Moment>& moments, double t) const {
        for (const auto& moment : moments) {
            const double age = t - moment.t;
            if (age < 0 || age > kFlash_s) continue;
            const bool fall = moment.kind == physics::Moment::Kind::pocket;
            const double r = (fall ? 18 : 4) +
                             age / kFlash_s * (fall ? 14 : 4 + moment.strength_mm_s / 200);
            circle(m, moment.at, r, fall ? cv::Scalar(80, 255, 80) : cv::Scalar(255, 255, 255), 2);
        }
    }

    const physics::Board& board_;
    double scale_;
    cv::Mat empty_;
};

}  // namespace

void write_video(const Shot& shot, const physics::Board& board, const std::string& file,
                 double slow, const Shot* instead) {
    cv::VideoWriter video(file, cv::VideoWriter::fourcc('m', 'p', '4', 'v'), kVideoFps,
                          {kSide_px, kSide_px});
    if (!video.isOpened()) throw std::runtime_error("the video " + file + " cannot be written");
    const Picture picture(board);
    const auto moments = physics::moments(shot, board);
    const double end = std::max(shot.end, instead ? instead->end : shot.end) + 0.5 / slow;
    for (double t = shot.start; t <= end; t += 1 / (kVideoFps * slow))
        video.write(picture.frame(shot, moments, t, instead));
}

}  // namespace overboard::app
