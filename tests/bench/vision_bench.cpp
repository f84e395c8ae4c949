// What a frame costs, in memcpys of that frame. Hough, HSV and ArUco run beside ours so that
// "cheaper than" is re-proved each time. vision_bench [rounds [part of a case's name: only those,
// beside memcpy and HSV]] vision_bench gate [frames]: what wakes the gate and what escapes it.
#include <cstdio>
#include <cstring>
#include <opencv2/aruco.hpp>
#include <opencv2/imgproc.hpp>
#include <string>
#include <vector>

#include "tests/bench/rounds.hpp"
#include "tests/vision/discs/disc_scenes.hpp"
#include "vision/changed_places.hpp"
#include "vision/discs/live_discs.hpp"
#include "vision/pipeline.hpp"

using namespace overboard;
using namespace overboard::bench;
using namespace overboard::scenes;

namespace {

struct Scene {
    Observation truth;
    std::vector<cv::Mat> frames;
};

// Eight frames of one scene, each with its own noise.
Scene film(simulator::Camera& camera, const Catalogue& c, Observation truth) {
    Scene scene{std::move(truth), {}};
    const auto world = simulator::world_from(c, scene.truth);
    for (int i = 0; i < 8; ++i) scene.frames.push_back(camera.render(world, 1 + i / 30.0).clone());
    return scene;
}

// The board fills the picture, as over a table of its own: the size of discs the goals were set
// for.
simulator::CameraSetup close_up(Catalogue& c) {
    simulator::CameraSetup setup;
    c.table.width_mm = setup.table.width_mm = 780;
    c.table.height_mm = setup.table.height_mm = 440;
    c.table.markers = setup.table.markers = {};
    c.board->at = {390, 220, 0};
    return setup;
}

Observation moved(Observation scene, const Pose& to) {
    for (Piece& p : scene.pieces) p.x += to.x - scene.board->x, p.y += to.y - scene.board->y;
    scene.board = to;
    return scene;
}

void hough(const cv::Mat& bgr, double r_px) {
    cv::Mat gray;
    cv::cvtColor(bgr, gray, cv::COLOR_BGR2GRAY);
    cv::GaussianBlur(gray, gray, {9, 9}, 2);
    std::vector<cv::Vec3f> circles;
    cv::HoughCircles(gray, circles, cv::HOUGH_GRADIENT, 1, 1.6 * r_px, 100, 30, int(0.8 * r_px),
                     int(1.5 * r_px));
}

/// A quiet table in noise of three grey levels, its light wandering by two percent.
class NoisyTable {
public:
    explicit NoisyTable(const Scene& scene) {
        cv::Mat sum = cv::Mat::zeros(scene.frames[0].size(), CV_32FC3);
        for (const cv::Mat& f : scene.frames) cv::add(sum, f, sum, cv::noArray(), CV_32FC3);
        sum.convertTo(clean_, CV_8U, 1.0 / double(scene.frames.size()));
        noise_.create(clean_.rows + kRoom, clean_.cols + kRoom, CV_16SC3);
        chance_.fill(noise_, cv::RNG::NORMAL, 0, 3);
    }
    const cv::Mat& next() { return disturbed(clean_, chance_.uniform(0.98, 1.02)); }
    const cv::Mat& disturbed(const cv::Mat& clean, double light) {
        clean.convertTo(lit_, CV_16S, light);
        const cv::Rect part(chance_.uniform(0, kRoom), chance_.uniform(0, kRoom), clean.cols,
                            clean.rows);
        cv::add(lit_, noise_(part), frame_, cv::noArray(), CV_8U);
        return frame_;
    }

private:
    static constexpr int kRoom = 200;
    cv::RNG chance_{11};
    cv::Mat clean_, noise_, lit_, frame_;
};

void gate(simulator::Camera& camera, const Catalogue& c, const Scene& quiet,
          const std::vector<Piece>& discs, int frames) {
    NoisyTable table(quiet);
    vision::ChangedPlaces places(quiet.frames[0].size(), cv::Rect({0, 0}, quiet.frames[0].size()));
    const auto begin = [&] {
        const cv::Mat& f = table.next();
        places.begin(f);
        places.watch_rims(f, discs);
        places.differs(table.next());
    };
    begin();
    int alarms = 0;
    for (int i = 0; i < frames; ++i) alarms += places.differs(table.next());
    std::printf("gate: %d false alarms in %d frames of noise 3, light within 2 %%\n", alarms,
                frames);
    const auto seen = [&](const Observation& scene) {
        begin();
        const cv::Mat now = camera.render(simulator::world_from(c, scene), 1).clone();
        return places.differs(now)   ? 1
               : places.differs(now) ? 2
                                     : 3;  // at once, in the next frame, not
    };
    begin();
    int unmoved = 0;
    for (const cv::Mat& f : quiet.frames) unmoved += places.differs(f);
    std::mt19937 chance(5);
    int moved[4] = {}, added[4] = {};
    for (std::size_t k = 0; k < quiet.truth.pieces.size(); ++k)
        for (int turn = 0; turn < 4; ++turn) {
            Observation scene = quiet.truth;
            const double a = std::uniform_real_distribution<double>(0, 2 * M_PI)(chance);
            scene.pieces[k].x += 0.5 * std::cos(a), scene.pieces[k].y += 0.5 * std::sin(a);
            ++moved[seen(scene)];
        }
    for (unsigned k = 0; k < 40; ++k) {
        Observation scene = quiet.truth;
        Piece coin = scattered(c, 100 + k).pieces[k % 14];
        const auto near = [&](const Piece& p) {
            return distance({p.x, p.y}, {coin.x, coin.y}) < 25;
        };
        if (std::any_of(scene.pieces.begin(), scene.pieces.end(), near)) continue;
        scene.pieces.push_back(coin);
        ++added[seen(scene)];
    }
    std::printf(
        "gate: discs moved by 0.5 mm seen at once %d, in the next frame %d, not %d; discs added "
        "%d, %d, %d; by 0 mm: %d of %d frames wake it\n",
        moved[1], moved[2], moved[3], added[1], added[2], added[3], unmoved,
        int(quiet.frames.size()));
}

}  // namespace

int main(int argc, char** argv) {
    cv::setNumThreads(1);
    const bool only_gate = argc > 1 && std::string(argv[1]) == "gate";
    const int rounds = argc > 1 && !only_gate ? std::atoi(argv[1]) : 15;
    Catalogue c = board_catalogue("to-go");
    simulator::Camera camera(close_up(c), "cafe", 3);
    const Scene apart = film(camera, c, scattered(c, 4)),
                rosette = film(camera, c, moved(opening("to-go"), c.board->at));
    const double r_px = 10 * camera.map().px_per_mm({c.board->at.x, c.board->at.y});
    vision::LiveDiscs live(c, camera.map(), c.board->at),
        live_rosette(c, camera.map(), c.board->at);
    live.learn(apart.frames[0], apart.truth.pieces);
    live_rosette.learn(rosette.frames[0], rosette.truth.pieces);
    if (only_gate)
        return gate(camera, c, apart, live.detect(apart.frames[0]),
                    argc > 2 ? std::atoi(argv[2]) : 1000),
               0;
    std::vector<Piece> known = apart.truth.pieces;
    vision::PipelineOptions options;
    options.board = c.board->at;
    options.check_sight = false;
    vision::Pipeline pipeline(c, camera.map(), {}, {}, options);
    for (int i = 0; i < 40; ++i) pipeline.push({apart.frames[std::size_t(i % 8)], i / 60.0, i});
    double time_s = 1;
    cv::Mat copy(1080, 1920, CV_8UC3), hsv;
    const auto frame = [&](const Scene& s, int i) -> const cv::Mat& {
        return s.frames[std::size_t(i % 8)];
    };
    const auto dictionary = cv::aruco::getPredefinedDictionary(cv::aruco::DICT_4X4_50);

    std::vector<Case> cases = {
        {"memcpy frame",
         [&](int i) { std::memcpy(copy.data, frame(apart, i).data, copy.total() * 3); }},
        {"cvtColor BGR to HSV",
         [&](int i) { cv::cvtColor(frame(apart, i), hsv, cv::COLOR_BGR2HSV); }},
        {"Hough circles", [&](int i) { hough(frame(apart, i), r_px); }},
        {"ArUco",
         [&](int i) {
             std::vector<std::vector<cv::Point2f>> corners;
             std::vector<int> ids;
             cv::aruco::detectMarkers(frame(apart, i), dictionary, corners, ids);
         }},
        {"14 discs from scratch", [&](int i) { live.detect(frame(apart, i)); }},
        {"opening rosette", [&](int i) { live_rosette.detect(frame(rosette, i)); }},
        {"14 discs followed",
         [&](int i) {
             for (Piece& p : known) live.follow(frame(apart, i), p);
         }},
        {"unchanged frame, whole pipeline",
         [&](int i) {
             pipeline.push({frame(apart, i), time_s += 1.0 / 60, i});
         }},
    };
    measure(cases, rounds, 4, argc > 2 ? argv[2] : "");
    report(cases);
    for (const auto* s : {&apart, &rosette}) {
        Score score;
        for (const cv::Mat& f : s->frames)
            compare(s->truth.pieces, (s == &apart ? live : live_rosette).detect(f), score);
        std::printf(
            "%s: found %d missed %d extra %d, error median %.3f mm p95 %.3f mm (%.2f px a mm)\n",
            s == &apart ? "scattered" : "rosette", score.found, score.missed, score.extra,
            score.at(0.5), score.at(0.95), r_px / 10);
    }
}
