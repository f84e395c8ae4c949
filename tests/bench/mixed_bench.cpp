// A full table, thirty cards, twelve tiles and five dice, all of them known, and each told again:
// what that costs in memcpys of the frame. In every light all of them must be told, and none that
// was exchanged for another unseen: else it fails. mixed_bench [rounds [part of a case's name]]
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <opencv2/imgproc.hpp>

#include "tests/bench/rounds.hpp"
#include "tests/vision/flats/flat_scene.hpp"
#include "vision/dice/detect_dice.hpp"
#include "vision/flats/flat_faces.hpp"
#include "vision/pipeline.hpp"

using namespace overboard;
using namespace overboard::bench;
using vision::View;

namespace {

constexpr float kDie_mm = 16;

Piece die_at(Pose at, int value) {
    Piece p;
    p.kind = PieceKind::die;
    p.x = at.x, p.y = at.y, p.angle = at.angle;
    p.value = value;
    return p;
}

struct FullTable {
    Catalogue catalogue;
    Observation scene;
    simulator::Camera camera{{}, "cafe", 21};
    vision::Faces cards = test::enrolled("gotown"), tiles = test::enrolled("jouets");
    std::vector<cv::Mat> frames;

    FullTable() {
        catalogue.cards = {test::kind_of("gotown")};
        catalogue.tiles = {test::kind_of("jouets")};
        catalogue.dice = {{kDie_mm, 5}};
        lay();
        const auto world = simulator::world_from(catalogue, scene);
        for (int i = 0; i < 8; ++i) frames.push_back(camera.render(world, 1 + i / 30.0).clone());
        (void)cards.threshold(), (void)tiles.threshold();
    }
    /// Every piece gives its place to the next of its kind, every die shows another value.
    [[nodiscard]] Observation exchanged() const {
        Observation other = scene;
        for (std::size_t i = 0; i < other.pieces.size(); ++i) {
            Piece& p = other.pieces[i];
            const Piece& next = scene.pieces[(i + 1) % scene.pieces.size()];
            if (p.value) p.value = 1 + *p.value % 6;
            if (p.face) p.face = next.kind == p.kind ? next.face : first(p.kind).face;
        }
        return other;
    }
    [[nodiscard]] const Piece& first(PieceKind kind) const {
        return *std::find_if(scene.pieces.begin(), scene.pieces.end(),
                             [&](const Piece& p) { return p.kind == kind; });
    }
    void lay() {
        cv::RNG chance(4);
        const auto about = [&](double x, double y) {
            return Pose{x + chance.uniform(-4., 4.), y + chance.uniform(-4., 4.),
                        chance.uniform(-0.3, 0.3)};
        };
        const auto face = [](const FaceKind& kind, int i) {
            return kind.faces[std::size_t(i * 7) % kind.faces.size()];
        };
        for (int i = 0; i < 30; ++i)
            scene.pieces.push_back(test::piece_at(PieceKind::card,
                                                  about(130 + 104 * (i % 10), 130 + 115 * (i / 10)),
                                                  face(catalogue.cards[0], i)));
        for (int i = 0; i < 12; ++i)
            scene.pieces.push_back(test::piece_at(PieceKind::tile, about(150 + 80 * i, 480),
                                                  face(catalogue.tiles[0], i)));
        for (int i = 0; i < 5; ++i)
            scene.pieces.push_back(die_at(about(200 + 200 * i, 570), 1 + i));
    }
    const cv::Mat& frame(int i) const { return frames[std::size_t(i % 8)]; }

    int flats_told(const cv::Mat& bgr) const { return flats_told(bgr, camera.map()); }
    int flats_told(const cv::Mat& bgr, const calibration::TableMap& map) const {
        const View view{bgr, &map, {}};
        int told = 0;
        for (const Piece& p : scene.pieces) {
            if (p.kind == PieceKind::die) continue;
            const bool card = p.kind == PieceKind::card;
            const FaceKind& kind = card ? catalogue.cards[0] : catalogue.tiles[0];
            const Pose lay{p.x, p.y, p.angle};
            told += told_again(view, kind, card ? cards : tiles, lay, *p.face).has_value();
        }
        return told;
    }
    int dice_told(const cv::Mat& bgr) const { return dice_told(bgr, camera.map()); }
    int dice_told(const cv::Mat& bgr, const calibration::TableMap& map) const {
        const vision::Known known{{}, {}, scene.pieces};
        return int(vision::dice_told_again({bgr, &map, {}, &known}, catalogue).size());
    }
    /// False: one was not told, or one is told that is another by now.
    bool told_in(const std::string& light) const {
        simulator::Camera other({}, light, 22);
        const auto told = [&](const Observation& lies) {
            const cv::Mat bgr = other.render(simulator::world_from(catalogue, lies), 1).clone();
            return std::pair{flats_told(bgr, other.map()), dice_told(bgr, other.map())};
        };
        const auto [flats, dice] = told(scene);
        const auto [wrong_flats, wrong_dice] = told(exchanged());
        std::printf(
            "%s: told again %d of 42 cards and tiles, %d of 5 dice; all exchanged for others, %d "
            "and "
            "%d told\n",
            light.c_str(), flats, dice, wrong_flats, wrong_dice);
        return flats == 42 && dice == 5 && wrong_flats + wrong_dice == 0;
    }
};

}  // namespace

int main(int argc, char** argv) {
    cv::setNumThreads(1);
    const FullTable table;
    vision::Pipeline pipeline(table.catalogue, table.camera.map(), {table.cards}, {table.tiles});
    double time_s = 0;
    std::int64_t index = 0;
    Observation seen;
    const auto push = [&] {
        time_s += 1.0 / 30;
        seen = pipeline.push({table.frame(int(index)), time_s, index});
        ++index;
    };
    for (int i = 0; i < 40; ++i) push();
    std::printf("live: %d of %d pieces known\n", int(seen.pieces.size()),
                int(table.scene.pieces.size()));
    bool sound = true;
    for (const char* light : {"easy", "cafe", "harsh"}) sound &= table.told_in(light);

    cv::Mat copy(1080, 1920, CV_8UC3), hsv;
    std::vector<Case> cases = {
        {"memcpy frame",
         [&](int i) { std::memcpy(copy.data, table.frame(i).data, copy.total() * 3); }},
        {"cvtColor BGR to HSV",
         [&](int i) { cv::cvtColor(table.frame(i), hsv, cv::COLOR_BGR2HSV); }},
        {"30 cards and 12 tiles told again", [&](int i) { table.flats_told(table.frame(i)); }},
        {"5 dice told again", [&](int i) { table.dice_told(table.frame(i)); }},
        {"the whole table told again",
         [&](int i) { table.flats_told(table.frame(i)), table.dice_told(table.frame(i)); }},
        {"unchanged, whole pipeline: a frame of four seconds",
         [&](int) {
             for (int k = 0; k < 120; ++k) push();
         },
         120},
        {"a second after the overlay changed, whole pipeline: all its frames",
         [&](int) {
             pipeline.overlay_changed(time_s);
             for (int k = 0; k < 30; ++k) push();
         }},
    };
    measure(cases, argc > 1 ? std::atoi(argv[1]) : 15, 2, argc > 2 ? argv[2] : "");
    report(cases);
    return sound ? 0 : 1;
}
