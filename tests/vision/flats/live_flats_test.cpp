#include "vision/flats/live_flats.hpp"

#include <gtest/gtest.h>

#include "tests/vision/flats/flat_scene.hpp"
#include "vision/pipeline.hpp"

namespace overboard::vision {
namespace {

using test::enrolled, test::kind_of, test::piece_at;

// A table of cards or tiles whose scene may be altered between frames; whoever does it has no
// hands.
struct FlatFilm {
    Catalogue catalogue;
    simulator::Camera camera{{}, "cafe", 12};
    Observation scene;
    std::optional<Pipeline> pipeline;
    double time_s = 0;
    std::int64_t index = 0;

    explicit FlatFilm(const std::string& set, PieceKind kind) : kind_{kind} {
        (kind == PieceKind::card ? catalogue.cards : catalogue.tiles) = {kind_of(set)};
        std::vector<Faces> faces{enrolled(set)};
        pipeline.emplace(catalogue, camera.map(),
                         kind == PieceKind::card ? faces : std::vector<Faces>{},
                         kind == PieceKind::tile ? faces : std::vector<Faces>{});
    }
    void lay(const std::string& face, Pose at) {
        scene.pieces.push_back(piece_at(kind_, at, face));
    }
    Observation steps(int n) {
        Observation seen;
        for (int i = 0; i < n; ++i) {
            time_s += 1.0 / 30;
            seen = pipeline->push(
                {camera.render(simulator::world_from(catalogue, scene), time_s), time_s, index++});
        }
        return seen;
    }
    static const Piece* face(const Observation& seen, const std::string& face) {
        for (const Piece& p : seen.pieces)
            if (p.face == face) return &p;
        return nullptr;
    }

private:
    PieceKind kind_;
};

TEST(LiveFlats, SeesATileLaidAgainstOthersAndKeepsTheirIds) {
    FlatFilm film("jouets", PieceKind::tile);
    const auto& names = film.catalogue.tiles[0].faces;
    for (int i = 0; i < 3; ++i)
        film.lay(names[static_cast<std::size_t>(i) * 5], {400 + 45.3 * i, 300, 0});
    const Observation before = film.steps(8);
    ASSERT_EQ(before.pieces.size(), 3u);
    film.lay(names[40], {400 + 45.3, 345.3, 0});
    const Observation after = film.steps(14);
    ASSERT_EQ(after.pieces.size(), 4u);
    for (const Piece& p : before.pieces) {
        const Piece* same = FlatFilm::face(after, *p.face);
        ASSERT_TRUE(same) << *p.face;
        EXPECT_EQ(same->id, p.id);
    }
    ASSERT_TRUE(FlatFilm::face(after, names[40]));
}

TEST(LiveFlats, RemembersACardUnderAnotherAndKnowsItAgain) {
    FlatFilm film("gotown", PieceKind::card);
    film.lay("3", {500, 400, 0});
    film.lay("6", {700, 300, 0});
    const Observation before = film.steps(8);
    ASSERT_EQ(before.pieces.size(), 2u);
    const int id = FlatFilm::face(before, "3")->id;
    film.lay("7", {501, 378, 0});  // 22 mm of the lower card show
    const Observation covered = film.steps(14);
    ASSERT_EQ(covered.pieces.size(), 3u);
    const Piece* lower = FlatFilm::face(covered, "3");
    ASSERT_TRUE(lower);
    EXPECT_EQ(lower->id, id);
    EXPECT_LT(lower->seen, FlatFilm::face(covered, "7")->seen);
    film.scene.pieces.pop_back();
    const Observation open = film.steps(14);
    ASSERT_EQ(open.pieces.size(), 2u);
    EXPECT_EQ(FlatFilm::face(open, "3")->id, id);
}

// So short a push leaves next to nothing of its old place in sight.
TEST(LiveFlats, ACardPushedALittleDoesNotLieUnderItself) {
    for (const Pose push : {Pose{0, 7, 0}, Pose{0, -8, 0}, Pose{6.5, 0, 0}, Pose{-5, 5, 0.1},
                            Pose{10, 7, 0.35}, Pose{0, 15, 0}}) {
        FlatFilm film("gotown", PieceKind::card);
        film.lay("7", {500, 400, 0});
        const Observation before = film.steps(8);
        ASSERT_EQ(before.pieces.size(), 1u);
        film.scene.pieces[0] = piece_at(PieceKind::card, {500 + push.x, 400 + push.y, push.angle},
                                        "7");
        const Observation after = film.steps(20);
        ASSERT_EQ(after.pieces.size(), 1u) << push.x << ", " << push.y;
        EXPECT_EQ(after.pieces[0].id, before.pieces[0].id);
        EXPECT_NEAR(after.pieces[0].x, 500 + push.x, 2);
        EXPECT_NEAR(after.pieces[0].y, 400 + push.y, 2);
    }
}

TEST(LiveFlats, ACoveredCardStaysWhenSomethingComesToLieBesideIt) {
    FlatFilm film("gotown", PieceKind::card);
    film.lay("joker", {500, 400, 0});
    film.lay("joker", {500, 378, 0});
    ASSERT_EQ(film.steps(14).pieces.size(), 2u);
    film.lay("dog", {565, 400, 0});
    ASSERT_EQ(film.steps(14).pieces.size(), 3u);
    film.lay("dog", {566, 378, 0});
    film.lay("2", {435, 401, 0});
    EXPECT_EQ(film.steps(20).pieces.size(), 5u);
}

TEST(LiveFlats, ACardTakenAwayIsGone) {
    FlatFilm film("gotown", PieceKind::card);
    film.lay("3", {500, 400, 0});
    film.lay("6", {700, 300, 0.4});
    ASSERT_EQ(film.steps(8).pieces.size(), 2u);
    film.scene.pieces.pop_back();
    const Observation seen = film.steps(14);
    ASSERT_EQ(seen.pieces.size(), 1u);
    EXPECT_EQ(seen.pieces[0].face, "3");
}

// While another card is still looked for, the picture is not understood yet.
TEST(LiveFlats, ACardLaidOnAnotherAndTakenOffAtOnceIsGone) {
    for (int frames = 3; frames < 9; ++frames) {
        FlatFilm film("gotown", PieceKind::card);
        film.lay("8", {500, 400, 0});
        film.lay("3", {700, 300, 0});
        ASSERT_EQ(film.steps(8).pieces.size(), 2u);
        film.scene.pieces.pop_back();
        film.lay("7", {500, 378, 0});
        film.steps(frames);
        film.scene.pieces.pop_back();
        const Observation seen = film.steps(20);
        EXPECT_EQ(seen.pieces.size(), 1u) << "after " << frames << " frames";
        EXPECT_TRUE(FlatFilm::face(seen, "8"));
    }
}

TEST(LiveFlats, TheSameFaceOnTopOfItsLikeIsAnotherCard) {
    FlatFilm film("gotown", PieceKind::card);
    film.lay("3", {500, 400, 0});
    const int id = film.steps(8).pieces.at(0).id;
    film.lay("3", {500, 378, 0});
    const Observation seen = film.steps(14);
    ASSERT_EQ(seen.pieces.size(), 2u);
    EXPECT_NE(seen.pieces[0].id, seen.pieces[1].id);
    EXPECT_TRUE(seen.pieces[0].id == id || seen.pieces[1].id == id);
}

}  // namespace
}  // namespace overboard::vision
