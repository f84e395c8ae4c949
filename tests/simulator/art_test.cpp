#include "simulator/art.hpp"

#include <opencv2/imgproc.hpp>
#include <set>

#include "rules/games.hpp"
#include "simulator/icons.hpp"

namespace overboard::simulator {
namespace {

// As a cheap camera sees it: 24 pixels across, blurred.
cv::Mat poorly_seen(const std::string& set, const std::string& face) {
    cv::Mat small, grey;
    const cv::Mat full = draw_face(set, face, 4);
    cv::resize(full, small, {24, 24 * full.rows / full.cols}, 0, 0, cv::INTER_AREA);
    cv::GaussianBlur(small, small, {}, 0.7);
    small.convertTo(grey, CV_32F);
    return grey;
}

class EverySet : public ::testing::TestWithParam<const char*> {};

TEST_P(EverySet, HasFacesThatStayApartWhenSeenPoorly) {
    std::vector<std::pair<std::string, cv::Mat>> seen;
    for (const std::string& face : face_names(GetParam()))
        seen.emplace_back(face, poorly_seen(GetParam(), face));
    ASSERT_GT(seen.size(), 8u);
    double closest = 1e9;
    for (std::size_t i = 0; i < seen.size(); ++i)
        for (std::size_t j = 0; j < i; ++j) {
            const double rms = cv::norm(seen[i].second, seen[j].second) /
                               std::sqrt(double(seen[i].second.total() * 3));
            EXPECT_GT(rms, 8) << seen[i].first << " looks like " << seen[j].first;
            closest = std::min(closest, rms);
        }
    RecordProperty("closest_rms", std::to_string(closest));
}

TEST_P(EverySet, IsDrawnAtItsTrueSize) {
    const FaceSize size = face_size(GetParam());
    const cv::Mat picture = draw_face(GetParam(), "back", 5);
    EXPECT_EQ(picture.cols, int(std::lround(size.width_mm * 5)));
    EXPECT_EQ(picture.rows, int(std::lround(size.height_mm * 5)));
}

INSTANTIATE_TEST_SUITE_P(Art, EverySet, ::testing::Values("gotown", "jouets", "gayplay"));

TEST(Art, DrawsEveryFaceAGameLooksFor) {
    for (const auto& game : rules::games()) {
        rules::Setup setup;
        for (int i = 0; i < std::max(2, game.info.min_players); ++i)
            setup.players.push_back({"P" + std::to_string(i + 1), "", Json::object()});
        const Catalogue c = game.catalogue(setup);
        for (const auto* kinds : {&c.cards, &c.tiles})
            for (const FaceKind& kind : *kinds) {
                const auto names = face_names(kind.set);
                const std::set<std::string> drawn(names.begin(), names.end());
                for (const std::string& face : kind.faces)
                    EXPECT_TRUE(drawn.contains(face)) << kind.set << " " << face;
            }
    }
}

TEST(Art, HasAPatternForFacesNobodyHasDrawn) {
    const cv::Mat a = draw_face("no such set", "alpha", 3), b = draw_face("no such set", "beta", 3);
    ASSERT_EQ(a.size(), b.size());
    EXPECT_GT(cv::norm(a, b), 0);
    EXPECT_EQ(cv::norm(a, draw_face("no such set", "alpha", 3)), 0);
}

TEST(Art, PutsTheBoardsPrintWhereItsKindSays) {
    BoardKind board;
    board.width_mm = board.height_mm = 200;
    board.surface = {200, 200, 200};
    board.circles = {{{50, -30}, 20, 0, {255, 0, 0}}};
    board.holes = {{"ne", {80, -80}, 20}};
    const cv::Mat picture = draw_board(board, 2);
    ASSERT_EQ(picture.size(), cv::Size(400, 400));
    EXPECT_EQ(picture.at<cv::Vec3b>((100 - 30) * 2, (100 + 50) * 2), cv::Vec3b(0, 0, 255));
    EXPECT_LT(cv::norm(cv::Vec3d(picture.at<cv::Vec3b>(40, 360))), 40);
    EXPECT_EQ(picture.at<cv::Vec3b>(200, 100), cv::Vec3b(200, 200, 200));
}

TEST(Art, KnowsTheRightNumberOfPipsOnEveryFaceOfADie) {
    for (int value = 1; value <= 6; ++value) {
        cv::Mat grey, labels;
        cv::cvtColor(draw_die_face(value, 120, {250, 250, 250}, {0, 0, 0}), grey,
                     cv::COLOR_BGR2GRAY);
        EXPECT_EQ(cv::connectedComponents(grey < 128, labels) - 1, value);
    }
}

}  // namespace
}  // namespace overboard::simulator
