// What a frame costs, in memcpys of that frame. Every round runs every case once in rotated order,
// each after one untimed call; the figure is the median over rounds of CPU time over that of
// memcpy in the same round. Hough, HSV and ArUco run beside ours so that "cheaper than" is re-proved each time.
#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <functional>
#include <opencv2/aruco.hpp>
#include <opencv2/imgproc.hpp>
#include <string>
#include <vector>

#include "tests/vision/disc_scenes.hpp"
#include "vision/gate.hpp"
#include "vision/live_discs.hpp"
#include "vision/pipeline.hpp"

using namespace overboard;
using namespace overboard::scenes;

namespace {

double cpu_ns() {
    timespec t{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return double(t.tv_sec) * 1e9 + double(t.tv_nsec);
}

double page_faults() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return double(usage.ru_minflt);
}

double median(std::vector<double> v) {
    std::nth_element(v.begin(), v.begin() + std::ptrdiff_t(v.size() / 2), v.end());
    return v[v.size() / 2];
}

struct Case {
    std::string name;
    std::function<void(int)> run;
    std::vector<double> ns{}, faults{};
};

void measure(std::vector<Case>& cases, int rounds, int repeats) {
    int frame = 0;
    for (int round = 0; round < rounds; ++round)
        for (std::size_t k = 0; k < cases.size(); ++k) {
            Case& c = cases[(k + std::size_t(round)) % cases.size()];
            c.run(frame++);
            const double faults = page_faults(), start = cpu_ns();
            for (int i = 0; i < repeats; ++i) c.run(frame++);
            c.ns.push_back((cpu_ns() - start) / repeats);
            c.faults.push_back((page_faults() - faults) / repeats);
        }
}

void report(const std::vector<Case>& cases) {
    std::printf("| case | x memcpy | x HSV | ms CPU | page faults |\n|---|---:|---:|---:|---:|\n");
    const auto ratio = [&](const Case& c, const Case& base) {
        std::vector<double> r;
        for (std::size_t i = 0; i < c.ns.size(); ++i) r.push_back(c.ns[i] / base.ns[i]);
        return median(r);
    };
    for (const Case& c : cases)
        std::printf("| %s | %.3f | %.4f | %.3f | %.0f |\n", c.name.c_str(), ratio(c, cases[0]), ratio(c, cases[1]), median(c.ns) * 1e-6, median(c.faults));
}

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

// The board fills the picture, as over a table of its own: the size of discs the goals were set for.
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
    cv::HoughCircles(gray, circles, cv::HOUGH_GRADIENT, 1, 1.6 * r_px, 100, 30, int(0.8 * r_px), int(1.5 * r_px));
}

}  // namespace

int main(int argc, char** argv) {
    cv::setNumThreads(1);
    const int rounds = argc > 1 ? std::atoi(argv[1]) : 15;
    Catalogue c = board_catalogue("to-go");
    simulator::Camera camera(close_up(c), "cafe", 3);
    const Scene apart = film(camera, c, scattered(c, 4)), rosette = film(camera, c, moved(opening("to-go"), c.board->at));
    const double r_px = 10 * camera.map().px_per_mm({c.board->at.x, c.board->at.y});
    vision::LiveDiscs live(c, camera.map(), c.board->at), live_rosette(c, camera.map(), c.board->at);
    live.learn(apart.frames[0], apart.truth.pieces);
    live_rosette.learn(rosette.frames[0], rosette.truth.pieces);
    std::vector<Piece> known = apart.truth.pieces;
    vision::PipelineOptions options;
    options.board = c.board->at;
    options.check_sight = false;
    vision::Pipeline pipeline(c, camera.map(), {}, {}, options);
    for (int i = 0; i < 40; ++i) pipeline.push({apart.frames[std::size_t(i % 8)], i / 60.0, i});
    double time_s = 1;
    cv::Mat copy(1080, 1920, CV_8UC3), hsv;
    const auto frame = [&](const Scene& s, int i) -> const cv::Mat& { return s.frames[std::size_t(i % 8)]; };
    const auto dictionary = cv::aruco::getPredefinedDictionary(cv::aruco::DICT_4X4_50);

    std::vector<Case> cases = {
        {"memcpy frame", [&](int i) { std::memcpy(copy.data, frame(apart, i).data, copy.total() * 3); }},
        {"cvtColor BGR to HSV", [&](int i) { cv::cvtColor(frame(apart, i), hsv, cv::COLOR_BGR2HSV); }},
        {"Hough circles", [&](int i) { hough(frame(apart, i), r_px); }},
        {"ArUco", [&](int i) {
             std::vector<std::vector<cv::Point2f>> corners;
             std::vector<int> ids;
             cv::aruco::detectMarkers(frame(apart, i), dictionary, corners, ids);
         }},
        {"14 discs from scratch", [&](int i) { live.detect(frame(apart, i)); }},
        {"opening rosette", [&](int i) { live_rosette.detect(frame(rosette, i)); }},
        {"14 discs followed", [&](int i) { for (Piece& p : known) live.follow(frame(apart, i), p); }},
        {"unchanged frame, whole pipeline", [&](int i) { pipeline.push({frame(apart, i), time_s += 1.0 / 60, i}); }},
    };
    measure(cases, rounds, 4);
    report(cases);
    for (const auto* s : {&apart, &rosette}) {
        Score score;
        for (const cv::Mat& f : s->frames) compare(s->truth.pieces, (s == &apart ? live : live_rosette).detect(f), score);
        std::printf("%s: found %d missed %d extra %d, error median %.3f mm p95 %.3f mm (%.2f px a mm)\n", s == &apart ? "scattered" : "rosette",
                    score.found, score.missed, score.extra, score.at(0.5), score.at(0.95), r_px / 10);
    }
}
