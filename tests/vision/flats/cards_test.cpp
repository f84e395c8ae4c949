#include "vision/flats/detect_cards.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

#include "bus/json.hpp"
#include "tests/vision/flats/flat_scene.hpp"
#include "vision/flats/flat_faces.hpp"

namespace overboard::vision {
namespace {

using test::enrolled, test::kind_of, test::nearest, test::piece_at, test::render;

Catalogue cards_of(const std::string& set) {
    Catalogue catalogue;
    catalogue.cards = {kind_of(set)};
    return catalogue;
}

TEST(DetectCards, FindsCardsLyingAnyWayOnTheTable) {
    const Catalogue catalogue = cards_of("gayplay");
    const FaceKind& kind = catalogue.cards[0];
    Observation scene;
    for (int i = 0; i < 10; ++i)
        scene.pieces.push_back(piece_at(PieceKind::card,
                                        {180.0 + 200 * (i % 5), 200.0 + 240 * (i / 5), 0.7 * i},
                                        i % 4 == 3 ? "back" : kind.faces[3 * i]));
    const auto table = render(catalogue, scene, "cafe", 11);
    const auto seen = detect_cards({table.bgr, &table.map, {}}, catalogue, {enrolled("gayplay")});
    EXPECT_EQ(seen.size(), scene.pieces.size());
    for (const Piece& truth : scene.pieces) {
        const Piece* p = nearest(seen, truth, 5);
        ASSERT_TRUE(p) << *truth.face << " at " << truth.x << ", " << truth.y;
        EXPECT_EQ(p->face, truth.face);
        EXPECT_LT(distance({p->x, p->y}, {truth.x, truth.y}), 2.5);
        if (truth.face != "back") {
            EXPECT_LT(std::fabs(wrapped(p->angle - truth.angle)), 0.06) << *truth.face;
        }
        EXPECT_EQ(p->corners_px.size(), 4u);
        EXPECT_TRUE(p->px && p->size_px);
    }
}

TEST(DetectCards, TellsTheAngleOfPointSymmetricFacesWithinHalfATurn) {
    Catalogue catalogue = cards_of("gayplay");
    catalogue.cards[0].point_symmetric = true;
    Observation scene;
    const double angles[] = {0.3, 2.8, -1.2, -2.5};
    for (int i = 0; i < 4; ++i)
        scene.pieces.push_back(piece_at(PieceKind::card, {250.0 + 200 * i, 330, angles[i]},
                                        catalogue.cards[0].faces[static_cast<std::size_t>(i) * 2]));
    const auto table = render(catalogue, scene, "easy", 4);
    const auto seen = detect_cards({table.bgr, &table.map, {}}, catalogue, {enrolled("gayplay")});
    for (const Piece& truth : scene.pieces) {
        const Piece* p = nearest(seen, truth, 5);
        ASSERT_TRUE(p);
        EXPECT_LE(std::fabs(p->angle), M_PI / 2 + 0.01);
        EXPECT_LT(std::fabs(std::remainder(p->angle - truth.angle, M_PI)), 0.06);
    }
}

TEST(DetectCards, TakesNoEmptyPlaceOnTheBoardForACard) {
    const Catalogue catalogue = cards_of("gayplay");
    const FaceKind& kind = catalogue.cards[0];
    Observation scene;
    for (int i = 0; i < 3; ++i)
        scene.pieces.push_back(piece_at(PieceKind::card, {300.0 + 60 * i, 330, 0}, "back"));
    auto table = render(catalogue, scene, "cafe", 5);
    std::vector<cv::Point> place;  // of a card's size, printed beside them
    for (const auto& [x, y] : {std::pair{-0.5, -0.5}, {0.5, -0.5}, {0.5, 0.5}, {-0.5, 0.5}})
        place.emplace_back(table.map.project({600 + x * kind.width_mm, 330 + y * kind.height_mm}));
    cv::fillConvexPoly(table.bgr, place, {190, 205, 215}, cv::LINE_AA);
    cv::GaussianBlur(table.bgr, table.bgr, {}, 0.8);
    const auto seen = detect_cards({table.bgr, &table.map, {}}, catalogue, {enrolled("gayplay")});
    EXPECT_EQ(seen.size(), 3u);
    for (const Piece& p : seen) EXPECT_EQ(p.face, "back");
}

TEST(DetectCards, ReadsFloorsUnderFloors) {
    const Catalogue catalogue = cards_of("gotown");
    Observation scene;
    const char* floors[] = {"8", "dog", "joker", "5"};
    for (int i = 0; i < 4; ++i)
        scene.pieces.push_back(piece_at(PieceKind::card, {400, 200.0 + 22 * i, 0.05}, floors[i]));
    const auto table = render(catalogue, scene, "cafe", 3);
    const auto seen = detect_cards({table.bgr, &table.map, {}}, catalogue, {enrolled("gotown")});
    int right = 0;
    for (const Piece& truth : scene.pieces) {
        const Piece* p = nearest(seen, truth, 8);
        right += p && p->face == truth.face;
        if (p && p->face) {
            EXPECT_EQ(p->face, truth.face);
        }
    }
    EXPECT_GE(right, 3);
}

/// Pale at the rim, all sorts of things within.
cv::Mat painted(int which) {
    cv::RNG random(static_cast<std::uint64_t>(which) + 77);
    const auto colour = [&] {
        return cv::Scalar(random.uniform(20, 230), random.uniform(20, 230),
                          random.uniform(20, 230));
    };
    cv::Mat face(440, 315, CV_8UC3, cv::Scalar(215, 230, 235));
    cv::rectangle(face, {15, 15}, {299, 424}, colour(), -1);
    for (int i = 0; i < 14; ++i)
        cv::circle(face, {random.uniform(50, 265), random.uniform(50, 390)}, random.uniform(12, 34),
                   colour(), -1, cv::LINE_AA);
    return face;
}

void lay_on(cv::Mat& picture, const cv::Mat& face, cv::Point2d at, double turn, double scale) {
    const double c = std::cos(turn) * scale, s = std::sin(turn) * scale;
    const cv::Mat move = (cv::Mat_<double>(2, 3) << c, -s,
                          at.x - c * face.cols / 2 + s * face.rows / 2, s, c,
                          at.y - s * face.cols / 2 - c * face.rows / 2);
    cv::Mat laid, mask;
    cv::warpAffine(face, laid, move, picture.size(), cv::INTER_AREA);
    cv::warpAffine(cv::Mat(face.size(), CV_8U, cv::Scalar(255)), mask, move, picture.size());
    laid.copyTo(picture, mask > 200);
}

/// White, of a few pips in a row.
cv::Mat with_pips(int count, bool round) {
    cv::Mat face(440, 315, CV_8UC3, cv::Scalar(226, 232, 235));
    for (int i = 0; i < count; ++i) {
        const cv::Point at(157, 220 + (2 * i - count + 1) * 58);
        if (round)
            cv::circle(face, at, 40, {40, 30, 190}, -1, cv::LINE_AA);
        else
            cv::rectangle(face, at - cv::Point(34, 34), at + cv::Point(34, 34), {160, 70, 30}, -1);
    }
    return face;
}

TEST(DetectCards, NamesCardsThatHaveOnlyOneOutlineTogether) {
    Faces faces;
    for (int i = 0; i < 6; ++i) faces.enrol(std::to_string(i), with_pips(1 + i % 3, i < 3));
    cv::Mat picture(620, 900, CV_8UC3, cv::Scalar(60, 70, 45));
    const std::vector<std::pair<cv::Point2d, double>> places{
        {{158, 188}, 0.15}, {{306, 300}, -0.5}, {{461, 195}, 0.3}, {{620, 290}, -0.25}};
    for (std::size_t i = 0; i < places.size(); ++i) {
        const auto& [at, turn] = places[i];
        lay_on(picture, cv::Mat(452, 327, CV_8UC3, cv::Scalar(202, 207, 210)), at, turn, 0.45);
        lay_on(picture, with_pips(1 + static_cast<int>(i) % 3, i < 3), at, turn, 0.45);
    }
    cv::GaussianBlur(picture, picture, {}, 0.8);
    cv::Mat noise(picture.size(), CV_16SC3);
    cv::RNG(5).fill(noise, cv::RNG::NORMAL, 0, 3);
    cv::add(picture, noise, picture, cv::noArray(), CV_8UC3);
    const std::vector<FlatFace> seen = find_flat_faces(picture, {}, {faces});
    EXPECT_EQ(seen.size(), places.size());
    int named = 0;
    for (const FlatFace& f : seen)
        for (std::size_t i = 0; i < places.size() && f.named(); ++i)
            if (cv::norm(cv::Point2d(centre_of(f.quad.corners)) - places[i].first) < 8) {
                EXPECT_EQ(*f.match.face, std::to_string(i));
                ++named;
            }
    EXPECT_GE(named, 3);
}

TEST(DetectCards, ReadsAFanWithoutKnowingHowTheTableIsSeen) {
    Faces faces;
    for (int i = 0; i < 10; ++i) faces.enrol(std::to_string(i), painted(i));
    cv::Mat picture(600, 900, CV_8UC3, cv::Scalar(60, 90, 70));
    std::vector<std::pair<cv::Point2d, int>> truth;
    const auto put = [&](int face, cv::Point2d at, double turn) {
        lay_on(picture, painted(face), at, turn, 0.36);
        truth.emplace_back(at, face);
    };
    put(7, {130, 150}, 0.2);
    put(9, {140, 420}, -0.4);
    for (int i = 0; i < 4; ++i) {
        const double turn = -0.6 + 0.4 * i;
        put(2 * i, {560 + 200 * std::sin(turn), 480 - 200 * std::cos(turn)}, turn);
    }
    cv::GaussianBlur(picture, picture, {}, 0.8);
    cv::Mat noise(picture.size(), CV_16SC3);
    cv::RNG(5).fill(noise, cv::RNG::NORMAL, 0, 3);
    cv::add(picture, noise, picture, cv::noArray(), CV_8UC3);
    const std::vector<FlatFace> seen = find_flat_faces(picture, {}, {faces});
    int named = 0;
    for (const auto& [at, face] : truth) {
        const auto p = std::min_element(
            seen.begin(), seen.end(), [&, where = at](const FlatFace& a, const FlatFace& b) {
                return cv::norm(cv::Point2d(centre_of(a.quad.corners)) - where) <
                       cv::norm(cv::Point2d(centre_of(b.quad.corners)) - where);
            });
        ASSERT_TRUE(p != seen.end());
        EXPECT_LT(cv::norm(cv::Point2d(centre_of(p->quad.corners)) - at), 6) << face;
        if (p->named()) {
            EXPECT_EQ(*p->match.face, std::to_string(face));
            ++named;
        }
    }
    EXPECT_GE(named, 5);
    EXPECT_EQ(seen.size(), truth.size());
}

TEST(DetectCards, FollowsAKnownCardAlongItsOutline) {
    const Catalogue catalogue = cards_of("gotown");
    const FaceKind& kind = catalogue.cards[0];
    const Pose truth{500, 300, 0.3};
    Observation scene;
    scene.pieces.push_back(piece_at(PieceKind::card, truth, "7"));
    const auto table = render(catalogue, scene, "cafe", 5);
    const View view{table.bgr, &table.map, {}};
    const auto found = refind(view, kind, {501.2, 299.1, 0.31});
    ASSERT_TRUE(found);
    EXPECT_LT(distance({found->x, found->y}, {truth.x, truth.y}), 0.8);
    EXPECT_LT(std::fabs(wrapped(found->angle - truth.angle)), 0.02);
    EXPECT_EQ(read_at(view, kind, enrolled("gotown"), *found).face, "7");
    EXPECT_FALSE(refind(view, kind, {900, 500, 0}));  // bare table
}

TEST(DetectCards, TellsKnownPiecesAgainInAnyLightButNoneThatWasExchanged) {
    Catalogue catalogue;
    catalogue.tiles = {kind_of("jouets")};
    const FaceKind& kind = catalogue.tiles[0];
    const Faces faces = enrolled("jouets");
    Observation scene, exchanged;
    // Twins: each lies where the other one lay, then.
    for (const Faces::Pair& pair : faces.most_alike(6))
        for (const auto& [face, other] : {std::pair{pair.a, pair.b}, {pair.b, pair.a}}) {
            const auto n = static_cast<double>(scene.pieces.size());
            const Pose at{150 + 85 * n, 300 + 40 * std::sin(n), 0.4 * n};
            scene.pieces.push_back(piece_at(PieceKind::tile, at, face));
            exchanged.pieces.push_back(piece_at(PieceKind::tile, at, other));
        }
    for (const char* light : {"easy", "cafe", "harsh"}) {
        const auto same = render(catalogue, scene, light, 8),
                   other = render(catalogue, exchanged, light, 9);
        for (const Piece& p : scene.pieces)
            for (const double off_mm : {0.0, 0.5, 2.0}) {
                const Pose lay{p.x + off_mm, p.y, p.angle};
                const auto now = told_again({same.bgr, &same.map, {}}, kind, faces, lay, *p.face);
                if (off_mm < 2) {
                    ASSERT_TRUE(now) << *p.face << " off by " << off_mm << " mm, " << light;
                    EXPECT_LT(distance({now->x, now->y}, {p.x, p.y}), 0.5) << light;
                }
                EXPECT_FALSE(told_again({other.bgr, &other.map, {}}, kind, faces, lay, *p.face))
                    << *p.face << " was exchanged, " << light;
            }
    }
}

TEST(DetectCards, SeesNoCardsInNoise) {
    cv::Mat noise(720, 1280, CV_8UC3);
    cv::RNG r(9);
    for (const double grain : {0.0, 2.0, 8.0}) {
        r.fill(noise, cv::RNG::UNIFORM, 0, 256);
        if (grain > 0) cv::GaussianBlur(noise, noise, {}, grain);
        for (const Piece& p :
             detect_cards({noise, nullptr, {}}, cards_of("gotown"), {enrolled("gotown")}))
            EXPECT_EQ(p.face, std::nullopt);
    }
    EXPECT_TRUE(
        detect_cards({cv::Mat(8, 8, CV_8UC3, cv::Scalar(1, 2, 3)), nullptr, {}}, {}, {}).empty());
    EXPECT_TRUE(detect_cards({cv::Mat(600, 800, CV_8UC3, cv::Scalar(1, 2, 3)), nullptr, {}}, {}, {})
                    .empty());
}

TEST(DetectCards, TakesOutlinesOfOneSizeForCardsWhenNothingIsEnrolled) {
    cv::Mat table(600, 900, CV_8UC3, cv::Scalar(40, 70, 50));
    const std::vector<cv::Point2f> cards{{150, 150}, {400, 180}, {650, 160}};
    for (const cv::Point2f at : cards)
        cv::rectangle(table, cv::Rect(cv::Point(at) - cv::Point(50, 70), cv::Size(100, 140)),
                      cv::Scalar::all(225), -1);
    for (int i = 0; i < 4; ++i)
        cv::rectangle(table, {120 + 180 * i, 450, 34, 44}, cv::Scalar(90, 150, 210), -1);
    cv::GaussianBlur(table, table, {}, 0.8);
    const auto seen = detect_cards({table, nullptr, {}}, {}, {});
    EXPECT_EQ(seen.size(), cards.size());
    for (const cv::Point2f at : cards)
        EXPECT_TRUE(std::any_of(seen.begin(), seen.end(), [&](const Piece& p) {
            return distance({p.x, p.y}, {at.x, at.y}) < 3 && !p.face;
        }));
}

/// A white card with pips, its shadow round it; `at` is its centre.
void lay_white_card(cv::Mat& table, cv::Point2f at, float degrees) {
    const cv::Size2f size(126, 176);
    for (const auto& [larger, colour] :
         {std::pair{4.0F, cv::Scalar(95, 100, 105)}, {0.0F, cv::Scalar(225, 232, 235)}}) {
        std::array<cv::Point2f, 4> ring;
        cv::RotatedRect(at, {size.width + larger, size.height + larger}, degrees)
            .points(ring.data());
        const std::vector<cv::Point> whole(ring.begin(), ring.end());
        cv::fillConvexPoly(table, whole, colour, cv::LINE_AA);
    }
    for (const float y : {-50.0F, 0.0F, 50.0F}) {
        const float a = degrees * static_cast<float>(CV_PI) / 180;
        const cv::Point2f pip = at + cv::Point2f(-std::sin(a) * y, std::cos(a) * y);
        cv::circle(table, pip, 14, cv::Scalar(40, 30, 190), -1, cv::LINE_AA);
    }
}

TEST(DetectCards, PartsOverlappingCardsNobodyHasEnrolled) {
    cv::Mat table(500, 700, CV_8UC3, cv::Scalar(60, 70, 45)), noise(500, 700, CV_16SC3);
    lay_white_card(table, {280, 250}, 0);
    lay_white_card(table, {350, 256}, 8);
    cv::RNG(3).fill(noise, cv::RNG::NORMAL, 0, 4);
    cv::add(table, noise, table, cv::noArray(), CV_8U);
    const auto seen = find_flat_faces(table, {}, {Faces{}}, nullptr, 88.0 / 63);
    ASSERT_EQ(seen.size(), 2u);
    for (const cv::Point2f at : {cv::Point2f(280, 250), cv::Point2f(350, 256)})
        EXPECT_TRUE(std::any_of(
            seen.begin(), seen.end(),
            [&](const FlatFace& f) { return cv::norm(centre_of(f.quad.corners) - at) < 8; }))
            << "nothing at " << at;
}

TEST(DetectCards, TakesNoSquareForACardNobodyHasEnrolled) {
    cv::Mat table(400, 400, CV_8UC3, cv::Scalar(60, 70, 45));
    cv::rectangle(table, {120, 120, 160, 160}, cv::Scalar(230, 230, 230), -1);
    EXPECT_TRUE(find_flat_faces(table, {}, {Faces{}}, nullptr, 88.0 / 63).empty());
    EXPECT_EQ(find_flat_faces(table, {}, {Faces{}}, nullptr, 1).size(), 1u);
}

TEST(DetectCards, DoesNotLookBehindTheMask) {
    const Catalogue catalogue = cards_of("gotown");
    Observation scene;
    scene.pieces.push_back(piece_at(PieceKind::card, {300, 300, 0}, "7"));
    scene.pieces.push_back(piece_at(PieceKind::card, {800, 300, 0}, "3"));
    const auto table = render(catalogue, scene, "easy", 5);
    cv::Mat mask(table.bgr.size(), CV_8U, cv::Scalar(255));
    mask.colRange(0, mask.cols / 2).setTo(0);
    const auto seen = detect_cards({table.bgr, &table.map, mask}, catalogue, {enrolled("gotown")});
    EXPECT_TRUE(nearest(seen, scene.pieces[1], 5));
    for (const Piece& p : seen) EXPECT_GT(p.x, 560);
}

/// Labelled photographs of real cards, when they are at hand.
struct Tally {
    int cards = 0, found = 0, right = 0, wrong = 0;
};

const std::filesystem::path kPhotographs = std::filesystem::path(OVERBOARD_SHARED) / "real/cards";

Tally score_photograph(const std::string& file) {
    Tally score;
    std::ifstream file_of_labels(kPhotographs / "labels.json");
    const Json labels = Json::parse(file_of_labels);
    for (const Json& image : labels["images"]) {
        const std::string name = image["file"];
        if (name.find(file) == std::string::npos) continue;
        const Faces faces = Faces::from_folder(kPhotographs / "refs" /
                                               image["deck"].get<std::string>());
        const auto seen = find_flat_faces(cv::imread((kPhotographs / name).string()), {}, {faces});
        for (const Json& label : image["labels"]) {
            if (label.value("is_ref", false)) continue;
            Corners c;
            for (int i = 0; i < 4; ++i)
                c[i] = {label["corners"][i][0].get<float>(), label["corners"][i][1].get<float>()};
            ++score.cards;
            for (const FlatFace& f : seen)
                if (cv::norm(centre_of(f.quad.corners) - centre_of(c)) <
                    0.3F * std::min(mean_side(c, 0), mean_side(c, 1))) {
                    ++score.found;
                    score.right += f.match.face == label["identity"].get<std::string>();
                    score.wrong += f.match.face &&
                                   *f.match.face != label["identity"].get<std::string>();
                }
        }
    }
    return score;
}

TEST(DetectCards, FindsRealCardsInPhotographs) {
    if (!std::filesystem::exists(kPhotographs / "labels.json"))
        GTEST_SKIP() << "no photographs at hand";
    const Tally set = score_photograph("setgame12"), playing = score_photograph("pawelas__5");
    ASSERT_GT(set.cards, 0);
    EXPECT_EQ(set.found, set.cards);
    EXPECT_GE(set.right, set.cards * 3 / 4);
    EXPECT_EQ(playing.found, playing.cards);
    EXPECT_EQ(playing.wrong, 0);
}

TEST(DetectCards, NamesNothingThatNoLampCouldTintSo) {
    // Red print on a playing card is no red circle on black, however much it looks like one: the
    // black would have to be white.
    const cv::Mat picture = cv::imread((kPhotographs / "images/pawelas__4.jpg").string());
    if (picture.empty()) GTEST_SKIP() << "no photographs at hand";
    const Faces faces = Faces::from_folder(kPhotographs / "refs/qwirkle");
    for (const FlatFace& f : find_flat_faces(picture, {}, {faces}))
        EXPECT_FALSE(f.named()) << *f.match.face;
}

}  // namespace
}  // namespace overboard::vision
