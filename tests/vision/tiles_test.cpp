#include "vision/detect_tiles.hpp"

#include <gtest/gtest.h>

#include "tests/vision/flat_scene.hpp"

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
        if (i != 6) scene.pieces.push_back(piece_at(PieceKind::tile, {420 + 45.2 * (i % 4), 220 + 45.2 * (i / 4), 0}, kind.faces[static_cast<std::size_t>(i) * 4 % kind.faces.size()]));
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
    for (int i = 0; i < 4; ++i) scene.pieces.push_back(piece_at(PieceKind::tile, {300.0 + 150 * i, 330, 0.3 * i}, catalogue.tiles[0].faces[i]));
    const auto table = render(catalogue, scene, "easy", 2);
    const auto seen = detect_tiles({table.bgr, &table.map, {}}, catalogue, {Faces{}});
    for (const Piece& truth : scene.pieces) {
        const Piece* p = nearest(seen, truth, 4);
        ASSERT_TRUE(p);
        EXPECT_EQ(p->face, std::nullopt);
    }
}

}  // namespace
}  // namespace overboard::vision
