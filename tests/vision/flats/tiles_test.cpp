#include "vision/flats/detect_tiles.hpp"

#include <gtest/gtest.h>

#include <opencv2/imgproc.hpp>

#include "tests/bench/made_photographs.hpp"
#include "tests/vision/flats/flat_scene.hpp"
#include "vision/flats/flat_faces.hpp"

namespace overboard::vision {
namespace {

using test::enrolled, test::kind_of, test::nearest, test::piece_at, test::render;

TEST(DetectTiles, TellsTouchingTilesApart) {
    Catalogue catalogue;
    catalogue.tiles = {kind_of("jouets")};
    const FaceKind& kind = catalogue.tiles[0];
    ASSERT_GT(kind.faces.size(), 16u);
    Observation scene;
    for (int i = 0; i < 16; ++i)
        if (i != 6)
            scene.pieces.push_back(
                piece_at(PieceKind::tile, {420 + 45.2 * (i % 4), 220 + 45.2 * (i / 4), 0},
                         kind.faces[static_cast<std::size_t>(i) * 4 % kind.faces.size()]));
    const auto table = render(catalogue, scene, "cafe", 8);
    const auto seen = detect_tiles({table.bgr, &table.map, {}}, catalogue, {enrolled("jouets")});
    EXPECT_EQ(seen.size(), scene.pieces.size());
    int right = 0;
    for (const Piece& truth : scene.pieces) {
        const Piece* p = nearest(seen, truth, 8);
        ASSERT_TRUE(p) << *truth.face;
        EXPECT_EQ(p->kind, PieceKind::tile);
        EXPECT_LT(distance({p->x, p->y}, {truth.x, truth.y}), 3);
        right += p->face == truth.face;
        if (p->face) {
            EXPECT_EQ(p->face, truth.face);
        }
    }
    EXPECT_GE(right, 14);
}

TEST(DetectTiles, FindsOutlinesWhenNothingIsEnrolled) {
    Catalogue catalogue;
    catalogue.tiles = {kind_of("jouets")};
    Observation scene;
    for (int i = 0; i < 4; ++i)
        scene.pieces.push_back(piece_at(PieceKind::tile, {300.0 + 150 * i, 330, 0.3 * i},
                                        catalogue.tiles[0].faces[i]));
    const auto table = render(catalogue, scene, "easy", 2);
    const auto seen = detect_tiles({table.bgr, &table.map, {}}, catalogue, {Faces{}});
    for (const Piece& truth : scene.pieces) {
        const Piece* p = nearest(seen, truth, 4);
        ASSERT_TRUE(p);
        EXPECT_EQ(p->face, std::nullopt);
    }
}

/// A wooden tile with a number, 80 px; no two are printed in quite the same place.
cv::Mat number_tile(int number, cv::RNG& r) {
    cv::Mat tile(80, 80, CV_8UC3, cv::Scalar(175, 200, 205));
    const std::string text = std::to_string(number);
    int base = 0;
    const cv::Size size = cv::getTextSize(text, cv::FONT_HERSHEY_DUPLEX, 1.3, 3, &base);
    const cv::Point at((80 - size.width) / 2 + r.uniform(-4, 5),
                       (80 + size.height) / 2 + r.uniform(-6, 7));
    cv::putText(tile, text, at, cv::FONT_HERSHEY_DUPLEX, 1.3, cv::Scalar(45, 35, 30), 3,
                cv::LINE_AA);
    return tile;
}

// Low contrast between touching tiles, references cut inside the tile, and two numbers nobody has
// enrolled.
TEST(DetectTiles, ReadsTilesLaidOutOnABoardByTheirPrint) {
    cv::RNG r(77);
    Faces faces;
    for (const int n : {1, 3, 5, 6, 8, 9, 10, 12, 15, 16, 18, 24, 30, 36, 60, 80})
        faces.enrol(std::to_string(n), number_tile(n, r)(cv::Rect(5, 5, 70, 70)));
    cv::Mat board(760, 900, CV_8UC3, cv::Scalar(140, 90, 40));
    const int numbers[4][6] = {
        {8, 6, 9, 0, 3, 80}, {30, 36, 60, 0, 18, 42}, {0, 10, 16, 12, 15, 0}, {5, 1, 8, 24, 27, 6}};
    std::vector<std::pair<cv::Point2f, int>> truth;
    for (int y = 0; y < 4; ++y)
        for (int x = 0; x < 6; ++x) {
            const cv::Rect cell(200 + 82 * x, 200 + 82 * y, 80, 80);
            if (numbers[y][x] == 0) {
                cv::rectangle(board, cell, cv::Scalar(240, 240, 235), -1);  // a printed square
                continue;
            }
            number_tile(numbers[y][x], r)
                .copyTo(board(cell + cv::Point(r.uniform(-1, 2), r.uniform(-1, 2))));
            truth.push_back(
                {cv::Point2f(static_cast<float>(cell.x), static_cast<float>(cell.y)) * 0.5F +
                     cv::Point2f(20, 20),
                 numbers[y][x]});
        }
    cv::Mat seen_as, noise;
    cv::resize(board, seen_as, {}, 0.5, 0.5, cv::INTER_AREA);
    noise.create(seen_as.size(), CV_16SC3);
    r.fill(noise, cv::RNG::NORMAL, 0, 3);
    cv::add(seen_as, noise, seen_as, cv::noArray(), CV_8U);
    const std::vector<FlatFace> seen = find_flat_faces(seen_as, {}, {faces});
    int right = 0;
    for (const auto& [at, number] : truth) {
        const auto found = std::find_if(seen.begin(), seen.end(),
                                        [&, place = at](const FlatFace& f) {
                                            return cv::norm(centre_of(f.quad.corners) - place) < 10;
                                        });
        ASSERT_NE(found, seen.end()) << number << " at " << at;
        if (found->named()) {
            EXPECT_EQ(*found->match.face, std::to_string(number)) << "at " << at;
        } else {
            EXPECT_FALSE(found->match.alternatives.empty());
        }
        right += found->match.face == std::to_string(number);
    }
    const auto named = std::count_if(seen.begin(), seen.end(),
                                     [](const FlatFace& f) { return f.named(); });
    EXPECT_EQ(named, right);  // printed squares have no name
    EXPECT_GE(right, static_cast<int>(truth.size()) - 3);
}

/// A lacquered black tile with one sign in one colour, 160 px.
cv::Mat black_tile(int sign, const cv::Scalar& colour) {
    cv::Mat tile(160, 160, CV_8UC3, cv::Scalar(28, 26, 25));
    const cv::Point middle(80, 80);
    if (sign == 0) cv::circle(tile, middle, 48, colour, -1, cv::LINE_AA);
    if (sign == 1) cv::rectangle(tile, {36, 36, 88, 88}, colour, -1);
    if (sign == 2)
        cv::fillConvexPoly(tile, std::vector<cv::Point>{{80, 24}, {136, 80}, {80, 136}, {24, 80}},
                           colour, cv::LINE_AA);
    if (sign == 3)
        cv::line(tile, {40, 40}, {120, 120}, colour, 34, cv::LINE_AA),
            cv::line(tile, {120, 40}, {40, 120}, colour, 34, cv::LINE_AA);
    return tile;
}

// Apart from each other on a table seen at a slant: square and straight, yet no layout.
TEST(DetectTiles, KeepsTheNamesOfTilesThatAreNotLaidOut) {
    const cv::Scalar colours[] = {{40, 40, 210}, {50, 170, 60}, {60, 210, 235}, {190, 110, 40}};
    std::vector<bench::Reference> deck;
    Faces faces;
    for (int i = 0; i < 16; ++i) {
        deck.push_back({std::to_string(i), black_tile(i / 4, colours[i % 4])});
        faces.enrol(deck.back().face, deck.back().bgr);
    }
    const bench::MadePhotograph photo = bench::PhotographMaker(deck, 31).make();
    const std::vector<FlatFace> seen = find_flat_faces(photo.bgr, {}, {faces});
    std::size_t right = 0;
    for (const bench::MadeCard& tile : photo.cards) {
        const cv::Point2f at = (tile.corners[0] + tile.corners[2]) * 0.5F;
        right += std::any_of(seen.begin(), seen.end(), [&](const FlatFace& f) {
            return f.match.face == tile.face && cv::norm(centre_of(f.quad.corners) - at) < 10;
        });
    }
    EXPECT_GE(right, photo.cards.size() * 5 / 6);
    EXPECT_EQ(right, static_cast<std::size_t>(std::count_if(
                         seen.begin(), seen.end(),
                         [](const FlatFace& f) { return f.named(); })));  // none wrong
}

}  // namespace
}  // namespace overboard::vision
