// Identification: cost against memcpy of a 1080p frame and against ORB with brute-force matching in
// the same run, and accuracy on three drawn decks of a thousand: A distinct art, B one frame round
// different art, C groups of four that differ in an index and one symbol. Orientation is unknown to
// the recogniser throughout.
// faces_bench [cost [part of a case's name] | accuracy [queries]]
#include <cstdio>
#include <cstring>
#include <opencv2/features2d.hpp>
#include <opencv2/imgproc.hpp>

#include "tests/bench/rounds.hpp"
#include "vision/faces/faces.hpp"
#include "vision/flats/flat_faces.hpp"
#include "vision/flats/known_size.hpp"

namespace {
using namespace overboard::vision;
using cv::Mat, cv::Point, cv::Rect, cv::RNG, cv::Scalar, cv::Size;
constexpr int kCardW = 128, kCardH = 180;

Scalar any_colour(RNG& r) {
    return {double(r.uniform(0, 256)), double(r.uniform(0, 256)), double(r.uniform(0, 256))};
}

void draw_shape(Mat& m, RNG& r) {
    const Point p(r.uniform(0, m.cols), r.uniform(0, m.rows));
    const Scalar c = any_colour(r);
    switch (r.uniform(0, 4)) {
        case 0: cv::circle(m, p, r.uniform(4, m.cols / 4), c, -1, cv::LINE_AA); break;
        case 1:
            cv::ellipse(m, p, Size(r.uniform(4, 30), r.uniform(4, 30)), r.uniform(0, 180), 0, 360,
                        c, -1, cv::LINE_AA);
            break;
        case 2: cv::rectangle(m, Rect(p, Size(r.uniform(5, 40), r.uniform(5, 40))), c, -1); break;
        default:
            cv::line(m, p, p + Point(r.uniform(-50, 50), r.uniform(-50, 50)), c, r.uniform(1, 4),
                     cv::LINE_AA);
    }
}

void draw_art(Mat m, RNG& r, int shapes) {
    const cv::Vec3f a(r.uniform(40.F, 230.F), r.uniform(40.F, 230.F), r.uniform(40.F, 230.F));
    const cv::Vec3f b(r.uniform(40.F, 230.F), r.uniform(40.F, 230.F), r.uniform(40.F, 230.F));
    for (int y = 0; y < m.rows; ++y)
        for (int x = 0; x < m.cols; ++x) {
            const float t = 0.7F * float(y) / float(m.rows) + 0.3F * float(x) / float(m.cols);
            m.at<cv::Vec3b>(y, x) = cv::Vec3b(a * (1 - t) + b * t);
        }
    for (int i = 0; i < shapes; ++i) draw_shape(m, r);
}

Mat distinct(int id) {
    Mat m(kCardH, kCardW, CV_8UC3);
    RNG r(std::uint64_t(id) * 7919 + 17);
    draw_art(m, r, 14);
    return m;
}

Mat framed(int id) {
    Mat m(kCardH, kCardW, CV_8UC3, Scalar(235, 238, 240));
    RNG r(std::uint64_t(id) * 104729 + 5);
    cv::rectangle(m, Rect(4, 4, kCardW - 8, kCardH - 8), Scalar(60, 90, 140), 2);
    cv::rectangle(m, Rect(8, 8, kCardW - 16, 16), Scalar(120, 170, 200), -1);
    cv::rectangle(m, Rect(8, kCardH - 50, kCardW - 16, 42), Scalar(200, 215, 225), -1);
    draw_art(m(Rect(10, 28, kCardW - 20, 96)), r, 9);
    for (int k = 0; k < 4; ++k)
        for (int x = 14, w; x < kCardW - 20; x += w + 3) {
            w = r.uniform(3, 14);
            cv::line(m, {x, kCardH - 44 + k * 9}, {x + w, kCardH - 44 + k * 9}, Scalar(50, 50, 50),
                     2);
        }
    return m;
}

Mat grouped(int id) {
    Mat m(kCardH, kCardW, CV_8UC3, Scalar(235, 238, 240));
    RNG r(std::uint64_t(id / 4) * 15485863 + 3);
    draw_art(m(Rect(8, 8, kCardW - 16, kCardH - 16)), r, 8);
    const int k = id % 4;
    const Scalar ink(20, 20, 180.0 * (k & 1)), paper(245, 245, 245);
    const char* index[4] = {"A", "7", "K", "3"};
    for (const Point p : {Point(10, 10), Point(kCardW - 36, kCardH - 40)}) {
        cv::rectangle(m, Rect(p, Size(26, 30)), paper, -1);
        cv::putText(m, index[k], p + Point(3, 24), cv::FONT_HERSHEY_DUPLEX, .9, ink, 2,
                    cv::LINE_AA);
    }
    const Point c(kCardW / 2, kCardH / 2);
    cv::circle(m, c, 20, paper, -1, cv::LINE_AA);
    if (k == 0) cv::circle(m, c, 13, ink, -1, cv::LINE_AA);
    if (k == 1) cv::rectangle(m, c - Point(11, 11), c + Point(11, 11), ink, -1);
    if (k == 2)
        cv::fillConvexPoly(
            m, std::vector<Point>{c + Point(0, -14), c + Point(14, 12), c + Point(-14, 12)}, ink,
            cv::LINE_AA);
    if (k == 3)
        for (int s : {-1, 1})
            cv::line(m, c - Point(12, 12 * s), c + Point(12, 12 * s), ink, 5, cv::LINE_AA);
    return m;
}

Mat card(int deck, int id) {
    return deck == 0 ? distinct(id) : deck == 1 ? framed(id) : grouped(id);
}

struct Badness {
    const char* name;
    float corners_px, blur_px, gain, cast, noise;
    bool glare;
};
constexpr Badness kLevels[3] = {{"mild", 1.5F, 0.7F, 0.15F, 0.05F, 3, false},
                                {"medium", 3, 1.3F, 0.30F, 0.10F, 5, false},
                                {"strong", 5, 2, 0.50F, 0.15F, 8, true}};

Mat seen(const Mat& art, Badness level, std::uint64_t seed) {
    RNG r(seed * 2654435761U + 99);
    const float w = kCardW, h = kCardH, j = level.corners_px;
    const cv::Point2f from[4] = {{0, 0}, {w, 0}, {w, h}, {0, h}};
    cv::Point2f to[4];
    for (int i = 0; i < 4; ++i) to[i] = from[i] + cv::Point2f(r.uniform(-j, j), r.uniform(-j, j));
    Mat out, f;
    cv::warpPerspective(art, out, cv::getPerspectiveTransform(from, to), art.size(),
                        cv::INTER_LINEAR, cv::BORDER_REPLICATE);
    cv::GaussianBlur(out, out, Size(), level.blur_px * r.uniform(0.6F, 1.F));
    out.convertTo(f, CV_32F);
    const float gain = 1 + r.uniform(-level.gain, level.gain);
    const auto channel = [&] { return double(gain * (1 + r.uniform(-level.cast, level.cast))); };
    f = f.mul(Scalar(channel(), channel(), channel())) + Scalar::all(r.uniform(-12., 12.));
    Mat noise(out.size(), CV_32FC3);
    r.fill(noise, RNG::NORMAL, 0, level.noise);
    f += noise;
    if (level.glare) {
        Mat spot(out.size(), CV_32FC3, Scalar::all(0));
        cv::ellipse(spot, Point(r.uniform(20, kCardW - 20), r.uniform(20, kCardH - 20)),
                    Size(r.uniform(10, 24), r.uniform(10, 30)), r.uniform(0, 180), 0, 360,
                    Scalar::all(110), -1);
        cv::GaussianBlur(spot, spot, Size(), 5);
        f += spot;
    }
    f.convertTo(out, CV_8UC3);
    return out;
}

Faces deck_of(int deck, int count) {
    Faces faces;
    for (int i = 0; i < count; ++i) faces.enrol(std::to_string(i), card(deck, i));
    return faces;
}

const std::vector<cv::Point2f> kWhole = {
    {-0.5F, -0.5F}, {kCardW - 0.5F, -0.5F}, {kCardW - 0.5F, kCardH - 0.5F}, {-0.5F, kCardH - 0.5F}};

void accuracy(const std::vector<Faces>& decks, int queries) {
    std::printf(
        "\n| deck, 1000 faces | distortion | top-1 %% | wrong, not null %% | accepted %% | "
        "strangers accepted of 200 | score p1 enrolled / max stranger / threshold "
        "|\n|---|---|---:|---:|---:|---:|---:|\n");
    for (int d = 0; d < 3; ++d)
        for (const Badness& level : kLevels) {
            int top = 0, wrong = 0, accepted = 0, strangers = 0;
            std::vector<double> scores;
            double stranger_max = -1;
            for (int k = 0; k < queries; ++k) {
                const int id = (k * 37 + 11) % 1000;
                const FaceMatch m = decks[d].recognise(seen(card(d, id), level, k + 1000 * d),
                                                       kWhole);
                top += m.best == std::to_string(id);
                accepted += m.face.has_value();
                wrong += m.face && *m.face != std::to_string(id);
                scores.push_back(m.score);
            }
            for (int k = 0; k < 200; ++k) {
                const FaceMatch m = decks[d].recognise(
                    seen(card(d, 4000 + 4 * k + (k & 3)), level, k + 5), kWhole);
                strangers += m.face.has_value();
                stranger_max = std::max(stranger_max, m.score);
            }
            std::sort(scores.begin(), scores.end());
            std::printf("| %c | %s | %.1f | %.2f | %.1f | %d | %.2f / %.2f / %.2f |\n", 'A' + d,
                        level.name, 100. * top / queries, 100. * wrong / queries,
                        100. * accepted / queries, strangers, scores[scores.size() / 100],
                        stranger_max, decks[d].threshold());
            std::fflush(stdout);
        }
    std::printf(
        "\n| corners off by ± px (medium light, deck C) | 2 | 4 | 6 | 8 | 10 | 14 "
        "|\n|---|---:|---:|---:|---:|---:|---:|\n| top-1 %% |");
    for (const float j : {2.F, 4.F, 6.F, 8.F, 10.F, 14.F}) {
        Badness level = kLevels[1];
        level.corners_px = j;
        int top = 0;
        for (int k = 0; k < 100; ++k)
            top += decks[2]
                       .recognise(seen(card(2, (k * 37 + 11) % 1000), level, k + 77), kWhole)
                       .best == std::to_string((k * 37 + 11) % 1000);
        std::printf(" %d |", top);
    }
    std::printf("\n");
}

struct Orb {
    cv::Ptr<cv::ORB> orb = cv::ORB::create(150, 1.2F, 3, 10, 0, 2, cv::ORB::HARRIS_SCORE, 21, 8);
    cv::BFMatcher matcher{cv::NORM_HAMMING};
    std::vector<Mat> references;

    Mat describe(const Mat& bgr) const {
        Mat gray, d;
        cv::cvtColor(bgr, gray, cv::COLOR_BGR2GRAY);
        std::vector<cv::KeyPoint> points;
        orb->detectAndCompute(gray, cv::noArray(), points, d);
        return d;
    }
    int identify(const Mat& bgr) const {
        const Mat d = describe(bgr);
        int best = -1, most = -1;
        std::vector<std::vector<cv::DMatch>> pairs;
        for (std::size_t i = 0; i < references.size() && !d.empty(); ++i) {
            if (references[i].rows < 2) continue;
            matcher.knnMatch(d, references[i], pairs, 2);
            int n = 0;
            for (const auto& p : pairs)
                n += p.size() == 2 && p[0].distance < 0.8F * p[1].distance && p[0].distance < 64;
            if (n > most) most = n, best = int(i);
        }
        return best;
    }
};

volatile int sink = 0;

/// Thirty cards of one deck lying on a 1080p picture of the table, where each was a moment ago.
struct Table30 {
    overboard::calibration::TableMap map{cv::Matx33d(1.6, 0, 0, 0, 1.6, 0, 0, 0, 1),
                                         cv::Size(1920, 1080)};
    overboard::FaceKind kind;
    Faces faces = deck_of(1, 60);
    Mat bgr = Mat(1080, 1920, CV_8UC3, Scalar(60, 80, 50));
    std::vector<overboard::Pose> poses;

    Table30() {
        kind.set = "drawn", kind.width_mm = 60, kind.height_mm = 84.4, kind.thickness_mm = 0;
        RNG r(3);
        for (int i = 0; i < 30; ++i) {
            const overboard::Pose at{90.0 + 110 * (i % 10) + r.uniform(-5., 5.),
                                     100.0 + 200 * (i / 10) + r.uniform(-5., 5.),
                                     r.uniform(-0.6, 0.6)};
            cv::Point2f to[4];
            const overboard::Point local[4] = {{-30, -42.2}, {30, -42.2}, {30, 42.2}, {-30, 42.2}};
            for (int k = 0; k < 4; ++k) to[k] = map.project(overboard::place(at, local[k]));
            const cv::Point2f from[4] = {{-0.5F, -0.5F},
                                         {kCardW - 0.5F, -0.5F},
                                         {kCardW - 0.5F, kCardH - 0.5F},
                                         {-0.5F, kCardH - 0.5F}};
            const Mat m = cv::getPerspectiveTransform(from, to);
            Mat warped, mask;
            cv::warpPerspective(card(1, i), warped, m, bgr.size());
            cv::warpPerspective(Mat(kCardH, kCardW, CV_8U, Scalar(255)), mask, m, bgr.size(),
                                cv::INTER_NEAREST);
            warped.copyTo(bgr, mask);
            poses.push_back({at.x + r.uniform(-1., 1.), at.y + r.uniform(-1., 1.),
                             at.angle + r.uniform(-0.01, 0.01)});
        }
        cv::GaussianBlur(bgr, bgr, Size(), 0.8);
        (void)faces.threshold();
        std::printf(
            "table of 30: %d read right, %d of them by a cheap look, %d of 1770 confirmed as "
            "another\n",
            look(), confirmed(), mistaken());
    }
    int look() const {
        const View view{bgr, &map, {}};
        int right = 0;
        for (std::size_t i = 0; i < poses.size(); ++i)
            if (const auto pose = refind(view, kind, poses[i]))
                right += read_at(view, kind, faces, *pose, std::to_string(i)).face ==
                         std::to_string(i);
        return right;
    }
    int confirmed() const {
        const View view{bgr, &map, {}};
        const std::vector<overboard::FaceKind> kinds{kind};
        int n = 0;
        for (std::size_t i = 0; i < poses.size(); ++i)
            if (const auto pose = refind(view, kind, poses[i]))
                n += faces
                         .confirm(bgr, corners_at({&map, &kinds, nullptr}, 0, *pose),
                                  std::to_string(i))
                         .has_value();
        return n;
    }
    /// Every card taken for another: none may be confirmed.
    int mistaken() const {
        const View view{bgr, &map, {}};
        int wrong = 0;
        for (std::size_t i = 0; i < poses.size(); ++i)
            for (int other = 0; other < 60; ++other)
                if (other != int(i))
                    wrong += read_at(view, kind, faces, poses[i], std::to_string(other)).face ==
                             std::to_string(other);
        return wrong;
    }
};

void cost(const std::vector<Faces>& decks, const std::string& only) {
    std::vector<Mat> queries, twins;
    for (int k = 0; k < 16; ++k)
        queries.push_back(seen(card(1, (k * 37 + 11) % 64), kLevels[1], k));
    for (int k = 0; k < 16; ++k) twins.push_back(seen(card(2, (k * 37 + 11) % 64), kLevels[1], k));
    // Eight frames in turn, as a camera delivers them: one alone would stay in the cache.
    std::vector<Mat> frames;
    for (int k = 0; k < 8; ++k) frames.emplace_back(1080, 1920, CV_8UC3, Scalar::all(7 * k));
    Mat copy(1080, 1920, CV_8UC3), hsv;
    Orb orb;
    for (int i = 0; i < 1000 && only.empty(); ++i)
        orb.references.push_back(orb.describe(card(1, i)));
    std::vector<Faces> few = {deck_of(1, 64), deck_of(1, 256)};
    std::vector<overboard::bench::Case> cases;
    cases.push_back({"memcpy frame",
                     [&](int i) { std::memcpy(copy.data, frames[i % 8].data, copy.total() * 3); }});
    cases.push_back({"cvtColor BGR to HSV",
                     [&](int i) { cv::cvtColor(frames[i % 8], hsv, cv::COLOR_BGR2HSV); }});
    const auto face_case = [&](const char* name, const Faces& f, const std::vector<Mat>& of) {
        cases.push_back(
            {name, [&of, f](int i) { sink = int(f.recognise(of[i % 16], kWhole).score * 100); }});
    };
    face_case("recognise, 64 faces", few[0], queries);
    face_case("recognise, 256 faces", few[1], queries);
    face_case("recognise, 1000 faces", decks[1], queries);
    face_case("recognise, 1000 in groups of twins", decks[2], twins);
    const Table30 table;
    cases.push_back({"table of 30 known cards: outlines found again and faces read",
                     [&](int) { sink = table.look(); }});
    if (only.empty())
        cases.push_back(
            {"ORB brute force, 1000 faces", [&](int i) { sink = orb.identify(queries[i % 16]); }});
    for (auto& c : cases) c.run(0);
    overboard::bench::measure(cases, only.empty() ? 9 : 200, 4, only);
    overboard::bench::report(cases);
}

}  // namespace

int main(int argc, char** argv) {
    cv::setNumThreads(1);
    const std::string what = argc > 1 ? argv[1] : "all";
    const int queries = what == "accuracy" && argc > 2 ? std::atoi(argv[2]) : 200;
    std::vector<Faces> decks = {deck_of(0, 1000), deck_of(1, 1000), deck_of(2, 1000)};
    for (const Faces& f : decks) (void)f.threshold();
    if (what != "accuracy") cost(decks, what == "cost" && argc > 2 ? argv[2] : "");
    if (what != "cost") accuracy(decks, queries);
}
