// Pieces laid one after the other under one camera: what lay there before is known, only the rest
// is looked for.
#include <gtest/gtest.h>

#include "tests/vision/live_table.hpp"
#include "vision/changes.hpp"
#include "vision/shapes/detect_polygons.hpp"

using namespace overboard;
using namespace overboard::test;

namespace {

Piece stone(const std::string& colour, double x, double y) {
    Piece p;
    p.kind = PieceKind::stone;
    p.colour = colour;
    p.x = x, p.y = y;
    return p;
}

Piece polygon(const std::string& type, const std::string& colour, double x, double y,
              double angle) {
    Piece p;
    p.kind = PieceKind::polygon;
    p.type = type, p.colour = colour;
    p.x = x, p.y = y, p.angle = angle;
    return p;
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
        expect_scene(table.scene, table.lay(stone("blue", 621, 301)),
                     std::string(light) + " blue on red");
        table.scene.pieces.back().x -= 11, table.scene.pieces.back().y += 9;
        expect_scene(table.scene, table.touched({621, 301}),
                     std::string(light) + " pushed aside: no red one where it lay");
        expect_scene(table.scene, table.lay(stone("blue", 500, 299)),
                     std::string(light) + " blue on blue");
        table.scene.pieces.pop_back();
        expect_scene(table.scene, table.touched({500, 299}), std::string(light) + " taken away");
    }
}

TEST(LivePieces, AStoneOnItsOwnColourIsMissedWhenTakenAndSeenWhenPutBack) {
    for (const int seed : {85, 86, 87}) {
        LiveTable table("cafe", std::uint64_t(seed));
        table.lay(polygon("large_triangle", "blue", 600, 337, 0.3));
        table.lay(polygon("large_square", "red", 675, 337, 0.3));
        const Piece blue = stone("blue", 600, 337);
        for (int time = 0; time < 2; ++time) {
            expect_scene(table.scene, table.lay(blue), "laid");
            table.scene.pieces.pop_back();
            expect_scene(table.scene, table.touched({600, 337}), "taken away");
        }
    }
}

TEST(LivePieces, NoStoneComesOrGoesWithoutAHandWhateverTheProjectorShows) {
    LiveTable table("cafe", 88);
    table.lay(polygon("large_triangle", "blue", 600, 337, 0.3));
    table.lay(polygon("large_square", "red", 675, 337, 0.3));
    table.lay(stone("blue", 600, 337));
    const Table& size = table.catalogue.table;
    for (const Point lit : {Point{600, 337}, Point{675, 337}, Point{665, 330}}) {
        cv::Mat light(cvRound(size.height_mm), cvRound(size.width_mm), CV_8UC3, cv::Scalar());
        cv::circle(light, {cvRound(lit.x), cvRound(lit.y)}, 9, cv::Scalar::all(120), cv::FILLED,
                   cv::LINE_AA);
        expect_scene(table.scene, table.project(light), "lit");
        expect_scene(table.scene, table.project(0 * light), "dark again");
    }
}

TEST(LivePieces, FollowsAPieceThatIsPushed) {
    LiveTable table("cafe", 79);
    for (const Piece& piece : random_mosaic(table.catalogue, 5, 12, 0.3)) table.lay(piece);
    Point middle{0, 0};
    for (const Piece& p : table.scene.pieces) middle = middle + Point{p.x, p.y} * 0.2;
    Piece& pushed = table.scene.pieces.back();
    const Point away = (Point{pushed.x, pushed.y} - middle) *
                       (1 / distance({pushed.x, pushed.y}, middle));
    for (const double by : {2.0, 9.0, 30.0}) {
        pushed.x += by * away.x, pushed.y += by * away.y;
        expect_scene(table.scene, table.touched({pushed.x, pushed.y}),
                     "pushed by " + std::to_string(by));
    }
}

TEST(LivePieces, SeesAPieceWithAStoneAgainAfterAnotherLayHalfOnIt) {
    LiveTable table("cafe", 81);
    Piece triangle;
    triangle.kind = PieceKind::polygon;
    triangle.type = "large_triangle", triangle.colour = "blue";
    triangle.x = 600, triangle.y = 337, triangle.angle = 0.3;
    Piece square = triangle;
    square.type = "large_square", square.colour = "red", square.x = 675;
    table.lay(triangle);
    table.lay(square);
    expect_scene(table.scene, table.lay(stone("red", 600, 337)), "before");
    const Observation before = table.scene;
    table.scene.pieces[1].x = 620;  // pushed over the triangle and its stone
    table.scene.pieces.pop_back();
    table.touched({640, 337});
    table.scene = before;
    expect_scene(table.scene, table.touched({675, 337}), "put back");
}

TEST(LivePieces, SeesAPieceTakenAway) {
    LiveTable table("cafe", 80);
    for (const Piece& piece : random_mosaic(table.catalogue, 6, 31, 0.3)) table.lay(piece);
    const Point there{table.scene.pieces[2].x, table.scene.pieces[2].y};
    table.scene.pieces.erase(table.scene.pieces.begin() + 2);
    expect_scene(table.scene, table.touched(there), "taken away");
}

TEST(LivePieces, AStonePushedOntoAPieceOfItsColourIsSeen) {
    for (const int seed : {90, 91}) {
        LiveTable table("cafe", std::uint64_t(seed));
        table.lay(polygon("large_triangle", "blue", 600, 337, 0.3));
        table.lay(stone("blue", 592, 335));
        table.scene.pieces.back().x = 600, table.scene.pieces.back().y = 337;
        expect_scene(table.scene, table.touched({600, 337}), "pushed");
    }
}

TEST(LivePieces, AStoneMovedTogetherWithAPieceOfItsColourIsSeen) {
    for (const int seed : {92, 93}) {
        LiveTable table("cafe", std::uint64_t(seed));
        table.lay(polygon("hexagon", "red", 560, 290, 0.3));
        table.lay(stone("red", 561, 289));
        for (Piece& p : table.scene.pieces) p.x += 9, p.y += 6;
        expect_scene(table.scene, table.touched({569, 296}), "bumped");
    }
}

TEST(LivePieces, APieceOnlyGuessedAtIsNotBelievedWhereItsPlaceIsNotOfItsColour) {
    const Catalogue catalogue = mosaic_catalogue();
    simulator::Camera camera({}, "cafe", 94);
    Observation scene;
    scene.pieces = {polygon("rectangle", "red", 555, 337.5, 0)};
    const cv::Mat frame = camera.render(simulator::world_from(catalogue, scene), 0.1);
    Piece guess = polygon("trapezoid", "red", 564, 327.6, -2.68);  // half of it on the rectangle
    const cv::Point2d px = camera.map().project({guess.x, guess.y});
    guess.px = Point{px.x, px.y};
    for (const double sure : {0.58, 1.0}) {
        guess.confidence = sure;
        vision::Known before = vision::compared(frame, frame);
        before.pieces = {guess};
        const auto seen = vision::detect_polygons({frame, &camera.map(), {}, &before}, catalogue);
        EXPECT_EQ(std::any_of(seen.begin(), seen.end(),
                              [](const Piece& p) { return p.type == "trapezoid"; }),
                  sure == 1.0);
    }
}
