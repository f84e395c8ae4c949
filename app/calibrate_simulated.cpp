#include <fmt/format.h>

#include <deque>
#include <opencv2/aruco/charuco.hpp>
#include <opencv2/calib3d.hpp>
#include <opencv2/imgproc.hpp>
#include <random>

#include "app/calibrate_place.hpp"
#include "calibration/dictionary.hpp"
#include "simulator/camera.hpp"

// The camera is the simulator's, hung by the seed. The projector is a homography of its own: its
// picture is laid on the table before the camera looks. The board is drawn over the frame through
// the hidden lens, in a new place every other frame.
namespace overboard::app {
namespace {

using namespace calibration;

constexpr double kFrame_s = 1 / 30.0;
constexpr double kTablePxPerMm = 2;  // of what the projector lays on the table
constexpr double kBoardPxPerMm = 4;
constexpr int kFramesAPose = 2;

class Chance {
public:
    explicit Chance(std::uint64_t seed) : engine_{seed} {}
    double between(double a, double b) {
        return std::uniform_real_distribution<double>(a, b)(engine_);
    }
    double gauss(double sigma) { return std::normal_distribution<double>(0, sigma)(engine_); }

private:
    std::mt19937_64 engine_;
};

simulator::CameraSetup hung_by(Chance& chance, const Table& table) {
    simulator::CameraSetup setup;
    setup.table = table;
    setup.height_mm = chance.between(1150, 1900);
    setup.off_centre_mm = {chance.between(-60, 60), chance.between(-60, 60)};
    setup.tilt_x = chance.between(-0.05, 0.05);
    setup.tilt_y = chance.between(-0.05, 0.05);
    setup.roll = chance.between(-0.04, 0.04);
    setup.distortion = {chance.between(-0.14, -0.03), chance.between(0, 0.03),
                        chance.between(-6e-4, 6e-4), chance.between(-6e-4, 6e-4), 0};
    return setup;
}

/// Pixels of the projector, centres whole numbers, → table mm: keystone and a little rotation.
cv::Matx33d projector_by(Chance& chance, cv::Size size, const Table& table) {
    const double w = table.width_mm, h = table.height_mm;
    const auto near = [&](double x, double y) {
        return cv::Point2f(float(x + chance.between(-45, 45)), float(y + chance.between(-45, 45)));
    };
    const std::vector<cv::Point2f> px = {{0, 0},
                                         {float(size.width - 1), 0},
                                         {float(size.width - 1), float(size.height - 1)},
                                         {0, float(size.height - 1)}};
    const std::vector<cv::Point2f> mm = {near(0, 0), near(w, 0), near(w, h), near(0, h)};
    return cv::Matx33d(cv::getPerspectiveTransform(px, mm));
}

Point through(const cv::Matx33d& H, Point p) {
    const cv::Vec3d v = H * cv::Vec3d(p.x, p.y, 1);
    return {v[0] / v[2], v[1] / v[2]};
}

cv::Mat drawn(const TargetBoard& board) {
    cv::Mat picture;
    const cv::Size size{int(board.squares.width * board.square_mm * kBoardPxPerMm),
                        int(board.squares.height * board.square_mm * kBoardPxPerMm)};
    const int margin = int(8 * kBoardPxPerMm);
    cv::aruco::CharucoBoard::create(board.squares.width, board.squares.height,
                                    float(board.square_mm), float(board.marker_mm),
                                    dictionary_named(board.dictionary))
        ->draw(size, picture, 0, 1);
    cv::copyMakeBorder(picture, picture, margin, margin, margin, margin, cv::BORDER_CONSTANT, 255);
    cv::GaussianBlur(picture, picture, {}, 1.1);
    return picture;
}

class SimulatedPlace : public Place {
public:
    SimulatedPlace(const CalibrateOptions& o, const TargetBoard& board, const Table& table)
        : chance_{o.seed},
          table_{table},
          projector_{parse_size(o.projector.empty() ? "1280x720" : o.projector)},
          camera_{hung_by(chance_, table), o.light, o.seed} {
        if (board.kind != TargetBoard::Kind::charuco)
            throw std::runtime_error(
                "the simulated table has only a ChArUco board: leave --board as it is");
        board_ = drawn(board);
        projector_to_table_ = projector_by(chance_, projector_, table);
        latency_s_ = chance_.between(0.04, 0.12);
        table_to_raw_ = cv::Matx33d(1 / chance_.between(1190, 1260), chance_.between(-2e-5, 2e-5),
                                    0.01, chance_.between(-2e-5, 2e-5),
                                    -1 / chance_.between(690, 720), 0.98,
                                    chance_.between(-2e-5, 2e-5), chance_.between(-2e-5, 2e-5), 1);
        Catalogue catalogue;
        catalogue.table = table;
        world_ = simulator::world_from(catalogue, {});
        std::vector<Polygon> markers;
        for (const TableMarker& m : table.markers)
            markers.push_back({m.centre + Point{-45, -45}, m.centre + Point{45, -45},
                               m.centre + Point{45, 45}, m.centre + Point{-45, 45}});
        simulator::add_clutter(world_, 3, o.seed, markers);
    }

    Look see(double wait_s) override {
        now_s_ += std::max(kFrame_s, wait_s);
        while (shown_.size() > 1 && shown_[1].since_s + latency_s_ <= now_s_) shown_.pop_front();
        const bool lit = !shown_.empty() && shown_[0].since_s + latency_s_ <= now_s_;
        cv::Mat frame = camera_.render(world_, now_s_, lit ? shown_[0].on_table : cv::Mat());
        if (board_wanted_) frame = with_board(frame);
        return {frame, now_s_};
    }

    void show(const cv::Mat& picture, const std::string&) override {
        cv::Mat on_table;
        if (!picture.empty()) {
            const cv::Size size{int(table_.width_mm * kTablePxPerMm),
                                int(table_.height_mm * kTablePxPerMm)};
            const cv::Matx33d scale(kTablePxPerMm, 0, -0.5, 0, kTablePxPerMm, -0.5, 0, 0, 1);
            cv::warpPerspective(picture, on_table, scale * projector_to_table_, size,
                                cv::INTER_LINEAR);
            cv::cvtColor(on_table, on_table, cv::COLOR_GRAY2BGR);
        }
        shown_.push_back({now_s_, on_table});
    }

    [[nodiscard]] double now_s() const override { return now_s_; }
    [[nodiscard]] std::optional<cv::Size> projector() const override { return projector_; }
    [[nodiscard]] bool has_touch() const override { return true; }
    std::optional<Point> touched(Point target) override {
        return through(table_to_raw_, target + Point{chance_.gauss(0.8), chance_.gauss(0.8)});
    }
    void want_board(bool wanted) override { board_wanted_ = wanted; }
    void want_board_over(cv::Point2f px) override { wanted_over_ = cv::Point2d(px); }

    void tell_truth(Sitting& sitting) const override {
        const Profile& found = sitting.profile();
        Json truth = Json::object();
        const auto measure = [&](const char* what, auto&& error_at) {
            double sum = 0;
            int n = 0;
            for (double y = 20; y < table_.height_mm; y += 45)
                for (double x = 20; x < table_.width_mm; x += 45, ++n)
                    sum += std::pow(error_at(Point{x, y}), 2);
            truth[what] = std::sqrt(sum / n);
        };
        if (found.table) {
            measure("table_mm", [&](Point p) {
                return distance(found.table->to_table(camera_.map().project(p)), p);
            });
            measure("at_30_mm_height_mm", [&](Point p) {
                return distance(found.table->to_table(camera_.map().project(p, 30), 30), p);
            });
        }
        if (found.projector)
            measure("projector_mm", [&](Point p) {
                return distance(
                    through(projector_to_table_, through(found.projector->table_to_projector, p)),
                    p);
            });
        if (found.projector) truth["latency_s"] = std::abs(found.projector->latency_s - latency_s_);
        if (found.touch)
            measure("touch_mm", [&](Point p) {
                return distance(through(found.touch->raw_to_table, through(table_to_raw_, p)), p);
            });
        sitting.say("\nTrue errors, RMS over the table:");
        for (const auto& [name, value] : truth.items())
            sitting.say(fmt::format("  {:<20} {:.3f}", name, value.get<double>()));
        sitting.report()["truth"] = truth;
    }

private:
    struct Shown {
        double since_s = 0;
        cv::Mat on_table;
    };

    /// Somewhere above the table, turned and tilted, so that twelve places cover the picture.
    void hold_elsewhere() {
        const int cell = (frames_ / kFramesAPose * 5) % 12;
        const Point at{table_.width_mm * (0.14 + 0.24 * (cell % 4)),
                       table_.height_mm * (0.18 + 0.32 * (cell / 4))};
        const double z = wanted_over_ ? chance_.between(40, 160) : chance_.between(150, 450);
        cv::Matx33d tilt, turn;
        cv::Rodrigues(cv::Vec3d(chance_.between(-0.6, 0.6), chance_.between(-0.6, 0.6), 0), tilt);
        cv::Rodrigues(cv::Vec3d(0, 0, chance_.between(-3.1, 3.1)), turn);
        const TableMap& map = camera_.map();
        // What is held higher looks further out: bring it in along the ray through its place.
        const Point over = map.to_table(wanted_over_ ? *wanted_over_ : map.project(at), z);
        const cv::Matx33d R = map.rotation() * tilt * turn;
        const cv::Vec3d centre(board_.cols / kBoardPxPerMm / 2, board_.rows / kBoardPxPerMm / 2, 0);
        pose_ = TableMap(
            map.intrinsics(), R,
            map.rotation() * cv::Vec3d(over.x, over.y, -z) + map.translation() - R * centre);
    }

    cv::Mat with_board(const cv::Mat& frame) {
        if (frames_++ % kFramesAPose == 0) hold_elsewhere();
        const double w = board_.cols / kBoardPxPerMm, h = board_.rows / kBoardPxPerMm;
        std::vector<cv::Point2f> outline;
        for (const Point& p : {Point{0, 0}, {w, 0}, {w, h}, {0, h}})
            outline.emplace_back(pose_.project(p));
        cv::Rect box = cv::boundingRect(outline);
        box = cv::Rect(box.x - 12, box.y - 12, box.width + 24, box.height + 24) &
              cv::Rect({}, frame.size());
        if (box.empty()) return frame;
        cv::Mat where(box.size(), CV_32FC2), paper, cover, out = frame.clone();
        for (int y = 0; y < box.height; ++y)
            for (int x = 0; x < box.width; ++x) {
                const Point p = pose_.to_table({double(x + box.x), double(y + box.y)});
                where.at<cv::Vec2f>(y, x) = {float(p.x * kBoardPxPerMm - 0.5),
                                             float(p.y * kBoardPxPerMm - 0.5)};
            }
        cv::remap(board_, paper, where, {}, cv::INTER_LINEAR, cv::BORDER_REPLICATE);
        cv::remap(cv::Mat(board_.size(), CV_8U, cv::Scalar(255)), cover, where, {},
                  cv::INTER_LINEAR, cv::BORDER_CONSTANT, 0);
        paper.convertTo(paper, CV_8U, 0.72, 28);
        cv::GaussianBlur(paper, paper, {}, 0.6);
        cv::Mat noise(box.size(), CV_8U), bgr;
        cv::RNG random(std::uint64_t(frames_) + 7);
        random.fill(noise, cv::RNG::NORMAL, 10, 2);
        paper += noise;
        cv::cvtColor(paper, bgr, cv::COLOR_GRAY2BGR);
        bgr.copyTo(out(box), cover > 127);
        return out;
    }

    Chance chance_;
    Table table_;
    cv::Size projector_;
    simulator::Camera camera_;
    simulator::World world_;
    cv::Matx33d projector_to_table_, table_to_raw_;
    double latency_s_ = 0, now_s_ = 0;
    std::deque<Shown> shown_;
    cv::Mat board_;
    TableMap pose_;
    bool board_wanted_ = false;
    std::optional<cv::Point2d> wanted_over_;
    int frames_ = 0;
};

}  // namespace

std::unique_ptr<Place> simulated_place(const CalibrateOptions& o, const TargetBoard& board,
                                       const Table& table) {
    return std::make_unique<SimulatedPlace>(o, board, table);
}

}  // namespace overboard::app
