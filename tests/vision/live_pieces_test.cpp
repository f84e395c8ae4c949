// Pieces laid one after the other under one camera: what lay there before is known, only the rest is looked for.
#include <gtest/gtest.h>

#include "simulator/camera.hpp"
#include "tests/vision/mosaic.hpp"
#include "vision/pipeline.hpp"

using namespace overboard;
using namespace overboard::test;

namespace {

struct LiveTable {
    Catalogue catalogue = mosaic_catalogue();
    simulator::Camera camera;
    vision::Pipeline pipeline{catalogue, camera.map()};
    Observation scene;
    double time_s = 0;
    std::int64_t index = 0;

    explicit LiveTable(const char* light, std::uint64_t seed) : camera{{}, light, seed} { look(3); }

    Observation look(int frames, std::optional<Point> hand = {}) {
        simulator::World world = simulator::world_from(catalogue, scene);
        if (hand) world.hands.push_back({{hand->x, hand->y, M_PI / 2}, 30, 0});
        Observation seen;
        for (int i = 0; i < frames; ++i) {
            time_s += 1.0 / 30;
            seen = pipeline.push({camera.render(world, time_s), time_s, index++});
        }
        return seen;
    }
    /// What is seen once this lies there, too, and the hand that brought it is gone.
    Observation lay(const Piece& piece) {
        scene.pieces.push_back(piece);
        look(3, Point{piece.x, piece.y});
        return look(12);
    }
    /// What is seen after a hand did something there.
    Observation touched(Point at) {
        look(3, at);
        return look(14);
    }
};

Piece stone(const std::string& colour, double x, double y) {
    Piece p;
    p.kind = PieceKind::stone;
    p.colour = colour;
    p.x = x, p.y = y;
    return p;
}

bool has(const Observation& seen, const Piece& piece, double within_mm) {
    return std::any_of(seen.pieces.begin(), seen.pieces.end(), [&](const Piece& p) {
        return p.kind == piece.kind && p.type == piece.type && p.colour == piece.colour && std::hypot(p.x - piece.x, p.y - piece.y) < within_mm;
    });
}

void expect_scene(const Observation& scene, const Observation& seen, const std::string& when) {
    EXPECT_EQ(seen.pieces.size(), scene.pieces.size()) << when;
    for (const Piece& p : seen.pieces)
        if (!has(scene, p, 2.0)) std::printf("%s: imagined %s %s at %.1f %.1f\n", when.c_str(), p.type.c_str(), p.colour.c_str(), p.x, p.y);
    for (const Piece& p : scene.pieces) EXPECT_TRUE(has(seen, p, p.kind == PieceKind::stone ? 2.0 : 1.0)) << when << ": " << p.type << ' ' << p.colour;
}

}  // namespace

TEST(LivePieces, TellsSameColouredNeighboursApartAsTheyAreLaid) {
    for (const char* light : {"easy", "cafe", "harsh"}) {
        LiveTable table(light, 77);
        for (const Piece& piece : random_mosaic(table.catalogue, 8, 4711, 0.3, true)) {
            const Observation seen = table.lay(piece);
            expect_scene(table.scene, seen, std::string(light) + " after the " + piece.type);
        }
    }
}

TEST(LivePieces, SeesStonesOnAnyColourAlsoTheirOwn) {
    for (const char* light : {"easy", "cafe"}) {
        LiveTable table(light, 78);
        Piece hexagon;
        hexagon.kind = PieceKind::polygon;
        hexagon.type = "hexagon";
        hexagon.colour = "blue";
        hexagon.x = 500, hexagon.y = 300, hexagon.angle = 0.4;
        Piece square = hexagon;
        square.type = "large_square", square.colour = "red", square.x = 620;
        table.lay(hexagon);
        expect_scene(table.scene, table.lay(square), light);
        expect_scene(table.scene, table.lay(stone("blue", 621, 301)), std::string(light) + " blue on red");
        expect_scene(table.scene, table.lay(stone("blue", 500, 299)), std::string(light) + " blue on blue");
        table.scene.pieces.pop_back();
        expect_scene(table.scene, table.touched({500, 299}), std::string(light) + " taken away");
    }
}

TEST(LivePieces, FollowsAPieceThatIsPushed) {
    LiveTable table("cafe", 79);
    for (const Piece& piece : random_mosaic(table.catalogue, 5, 12, 0.3)) table.lay(piece);
    Point middle{0, 0};
    for (const Piece& p : table.scene.pieces) middle = middle + Point{p.x, p.y} * 0.2;
    Piece& pushed = table.scene.pieces.back();
    const Point away = (Point{pushed.x, pushed.y} - middle) * (1 / distance({pushed.x, pushed.y}, middle));
    for (const double by : {2.0, 9.0, 30.0}) {
        pushed.x += by * away.x, pushed.y += by * away.y;
        expect_scene(table.scene, table.touched({pushed.x, pushed.y}), "pushed by " + std::to_string(by));
    }
}

TEST(LivePieces, SeesAPieceTakenAway) {
    LiveTable table("cafe", 80);
    for (const Piece& piece : random_mosaic(table.catalogue, 6, 31, 0.3)) table.lay(piece);
    const Point there{table.scene.pieces[2].x, table.scene.pieces[2].y};
    table.scene.pieces.erase(table.scene.pieces.begin() + 2);
    expect_scene(table.scene, table.touched(there), "taken away");
}
