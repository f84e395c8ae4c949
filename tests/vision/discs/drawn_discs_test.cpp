// Boards drawn by hand, as photographs with told corners: looks the simulator does not have.
#include <gtest/gtest.h>

#include <opencv2/imgproc.hpp>

#include "calibration/table_map.hpp"
#include "tests/vision/discs/disc_scenes.hpp"
#include "vision/discs/detect_discs.hpp"
#include "vision/discs/disc_types.hpp"

namespace overboard::vision {
namespace {

using namespace scenes;

struct DrawnDisc {
    std::string type;
    Point at;
};

struct DrawnSpot {
    cv::Scalar ink;
    Point at;
    std::optional<double> diameter_mm = {};  // else as large as a disc
};

// Every disc is drawn `larger` times as large as its set says.
struct DrawnBoard {
    cv::Scalar surface;
    std::map<std::string, cv::Scalar> colours;
    double larger = 1;
    Catalogue catalogue = board_catalogue("tournament");
    std::vector<DrawnSpot> spots = {};     // printed
    std::string letters = {};              // likewise, below the middle
    std::vector<Point> ringed_lines = {};  // likewise, with a circle as large as a man

    static constexpr double kScale = 1.1;  // px per mm
    static constexpr int kSide = 900;
    [[nodiscard]] static cv::Point2d px(Point p) {
        return {kSide / 2.0 + p.x * kScale, kSide / 2.0 + p.y * kScale};
    }

    static void circle(cv::Mat& picture, Point at, double diameter_mm, const cv::Scalar& colour) {
        const cv::Point2d c = px(at) * 16;
        cv::circle(picture, {cvRound(c.x), cvRound(c.y)}, cvRound(diameter_mm / 2 * kScale * 16),
                   colour, -1, cv::LINE_AA, 4);
    }
    void ringed_line(cv::Mat& picture, Point at) const {
        const cv::Scalar ink(190, 215, 225);
        const double r = catalogue.discs.front().diameter_mm / 2;
        const Point end = rotated({2.5 * r, 0}, 0.3);
        cv::circle(picture, px(at), cvRound(r * kScale), ink, 1, cv::LINE_AA);
        cv::line(picture, px(at - end), px(at + end), ink, 1, cv::LINE_AA);
    }
    [[nodiscard]] cv::Mat draw(const std::vector<DrawnDisc>& discs) const {
        cv::Mat picture(kSide, kSide, CV_8UC3, cv::Scalar(30, 35, 60)),
            grain(picture.size(), CV_8UC3);
        const double half = catalogue.board->width_mm / 2;
        cv::rectangle(picture, px({-half, -half}), px({half, half}), surface, cv::FILLED);
        for (const Hole& h : catalogue.board->holes)
            circle(picture, h.centre, h.diameter_mm, {20, 20, 20});
        for (const DrawnSpot& spot : spots)
            circle(picture, spot.at, spot.diameter_mm.value_or(catalogue.discs.front().diameter_mm),
                   spot.ink);
        for (const Point& at : ringed_lines) ringed_line(picture, at);
        cv::putText(picture, letters, px({-230, 265}), cv::FONT_HERSHEY_TRIPLEX, 1.5,
                    {235, 240, 240}, 2, cv::LINE_AA);
        for (const DrawnDisc& d : discs)
            for (const DiscKind& kind : catalogue.discs)
                if (kind.type == d.type)
                    circle(picture, d.at, kind.diameter_mm * larger, colours.at(d.type));
        cv::GaussianBlur(picture, picture, {}, 0.8);
        cv::RNG(7).fill(grain, cv::RNG::UNIFORM, 0, 9);
        return picture + grain;
    }
    // How many of the discs are seen with their own name, less what is seen beside them.
    [[nodiscard]] int read_right(const std::vector<DrawnDisc>& discs) const {
        const cv::Mat picture = draw(discs);
        const double half = catalogue.board->width_mm / 2;
        const std::vector<Point> corners = {
            {-half, -half}, {half, -half}, {half, half}, {-half, half}};
        std::vector<cv::Point2d> pixels;
        for (const Point& p : corners) pixels.push_back(px(p));
        const auto map = calibration::map_from_points(corners, pixels, picture.size());
        const auto seen = detect_discs({picture, &map, {}}, catalogue, Pose{});
        int right = 0;
        for (const Piece& p : seen)
            right += std::any_of(discs.begin(), discs.end(),
                                 [&](const DrawnDisc& d) {
                                     return d.type == p.type && distance(d.at, {p.x, p.y}) < 2;
                                 })
                         ? 1
                         : -1;
        return right;
    }
};

const std::map<std::string, cv::Scalar> kColours = {{"white", {150, 195, 222}},
                                                    {"black", {34, 36, 44}},
                                                    {"queen", {48, 40, 190}},
                                                    {"striker", {190, 130, 60}}};
const cv::Scalar kWood(140, 188, 222), kDarkWood(50, 82, 125), kCloth(70, 110, 40);

const std::vector<DrawnDisc> kScattered = {
    {"white", {-200, 60}},   {"white", {-40, -230}}, {"white", {150, 130}}, {"white", {60, 45}},
    {"black", {-120, -150}}, {"black", {200, -20}},  {"black", {10, 190}},  {"black", {-260, 250}},
    {"queen", {90, -120}},   {"striker", {-80, 90}}};

std::vector<DrawnDisc> opening_of(const char* board) {
    std::vector<DrawnDisc> discs;
    for (const physics::Spot& s : physics::load_board(board).spots) discs.push_back({s.type, s.at});
    return discs;
}

TEST(DrawnDiscs, LightAndDarkAreToldApartOnAnySurface) {
    auto colours = kColours;
    colours["white"] = {120, 180, 215};
    for (const cv::Scalar& surface : {kCloth, kDarkWood, cv::Scalar(160, 110, 60)})
        EXPECT_EQ(DrawnBoard({surface, colours}).read_right(kScattered), 10) << surface;
}

TEST(DrawnDiscs, DarkMenStayDarkUnderGlare) {
    auto colours = kColours;
    colours["black"] = {142, 140, 138};
    EXPECT_EQ(DrawnBoard({kDarkWood, colours}).read_right(kScattered), 10);
}

TEST(DrawnDiscs, APrintedSpotRingedByDiscsIsNone) {
    const std::map<std::string, cv::Scalar> colours = {
        {"blue", {160, 70, 30}}, {"queen", {48, 40, 190}}, {"striker", {225, 240, 245}}};
    DrawnBoard board{kWood, colours};
    board.catalogue = board_catalogue("to-go");
    const double spot_mm = 0.75 * board.catalogue.discs.front().diameter_mm;
    std::vector<DrawnDisc> discs;
    for (int k = 0; k < 6; ++k) {
        const double angle = k * CV_PI / 3, apart = board.catalogue.discs.front().diameter_mm + 0.3;
        discs.push_back({"blue", {apart * std::cos(angle), apart * std::sin(angle)}});
    }
    board.spots = {{cv::Scalar(70, 70, 200), {0, 0}, spot_mm}};
    EXPECT_EQ(board.read_right(discs), 6);
    discs.push_back({"queen", {0, 0}});
    EXPECT_EQ(board.read_right(discs), 7);
}

TEST(DiscNames, OneGreyThingBetweenThemDoesNotHideLightAndDark) {
    const cv::Vec3f board(26, 4, 5), light(38, 4, 24), dark(20, 4, 6), grey(38, 2, 3);
    std::vector<SeenDisc> looks;
    for (const cv::Vec3f& lab : {light, light, grey, dark, dark}) looks.push_back({lab, board});
    const auto names = name_discs(looks, board_catalogue("tournament"));
    EXPECT_EQ(names[0].type, "white");
    EXPECT_EQ(names[3].type, "black");
    EXPECT_EQ(names[4].type, "black");
}

TEST(DiscNames, MoreMenThanOneKindHasAreLightAndDarkEvenInGlare) {
    const cv::Vec3f board(72, 4, 55);
    std::vector<SeenDisc> looks;
    for (int i = 0; i < 18; ++i)
        looks.push_back({i < 9 ? cv::Vec3f(61 + i % 6 * 2.f, 3, 8) : cv::Vec3f(92, 0, 3), board});
    const auto names = name_discs(looks, board_catalogue("tournament"));
    for (std::size_t i = 0; i < names.size(); ++i)
        EXPECT_EQ(names[i].type, i < 9 ? "black" : "white") << i;
}

TEST(DiscNames, TheQueenIsKnownOnABoardPaintedRed) {
    const cv::Vec3f board(41, 44, 27);
    std::vector<SeenDisc> looks;
    for (const cv::Vec3f& lab : {cv::Vec3f(55, 71, 45), {21, 2, 0}, {32, 2, 6}, {88, 0, 26}})
        looks.push_back({lab, board});
    const auto names = name_discs(looks, board_catalogue("tournament"));
    EXPECT_EQ(names[0].type, "queen");
    EXPECT_EQ(names[1].type, "black");
    EXPECT_EQ(names[3].type, "white");
}

// An opening lies on the spots printed for it; in dim light discs of a dull blue look like their
// ink.
TEST(DrawnDiscs, AnOpeningOnItsSpotsIsNoPrintInDimLight) {
    DrawnBoard board{{90, 138, 162},
                     {{"blue", {122, 66, 30}}, {"queen", {17, 13, 104}}, {"striker", {}}}};
    board.catalogue = board_catalogue("to-go");
    EXPECT_EQ(board.read_right(opening_of("to-go")), 13);
}

TEST(DrawnDiscs, MenThatHappenToLieMirroredAreNoPrint) {
    auto discs = kScattered;
    for (const Point p : {Point{-280, 170}, {280, 170}, {280, -170}, {-280, -170}})
        discs.push_back({"white", p});
    EXPECT_EQ(DrawnBoard({kDarkWood, kColours}).read_right(discs), 14);
}

TEST(DrawnDiscs, CirclesDrawnAboutLinesAreNone) {
    DrawnBoard board{kDarkWood, kColours};
    board.ringed_lines = {{-20, 20}, {150, -250}, {-250, 150}};
    EXPECT_EQ(board.read_right(kScattered), 10);
}

TEST(DrawnDiscs, SpotsAsLargeAsDiscsAreNoneHoweverTheBoardIsTurned) {
    const std::vector<DrawnDisc> discs = {{"blue", {-100, 40}},   {"blue", {-20, -115}},
                                          {"blue", {85, 65}},     {"blue", {30, 95}},
                                          {"blue", {-120, -100}}, {"blue", {90, -100}},
                                          {"queen", {-60, -60}},  {"striker", {0, 140}}};
    const std::map<std::string, cv::Scalar> colours = {
        {"blue", {160, 70, 30}}, {"queen", {48, 40, 190}}, {"striker", {225, 240, 245}}};
    for (const bool turned : {false, true}) {
        DrawnBoard board{kWood, colours};
        board.catalogue = board_catalogue("to-go");
        for (const physics::Spot& s : physics::load_board("to-go").spots)
            board.spots.push_back(
                {s.type == "queen" ? cv::Scalar(70, 70, 200) : cv::Scalar(180, 125, 95),
                 turned ? Point{-s.at.y, s.at.x} : s.at});
        EXPECT_EQ(board.read_right(discs), 8) << (turned ? "turned" : "as told");
    }
}

TEST(DrawnDiscs, AnOpeningIsSeenWholeThoughItsMenTouchTheirLike) {
    auto colours = kColours;
    colours["white"] = {120, 180, 215};  // next to wood
    EXPECT_EQ(DrawnBoard({kWood, colours}).read_right(opening_of("tournament")), 19);
    EXPECT_EQ(DrawnBoard({kDarkWood, colours}).read_right(opening_of("tournament")), 19);
}

TEST(DrawnDiscs, LettersPrintedOnTheBoardAreNone) {
    DrawnBoard board{kCloth, kColours};
    board.letters = "KAMPALA SPORT";
    EXPECT_EQ(board.read_right(kScattered), 10);
}

TEST(DrawnDiscs, MenOfFullSizeAreSeenOnASmallBoard) {
    DrawnBoard board{kCloth, kColours};
    board.larger = 1.25;
    EXPECT_EQ(board.read_right(kScattered), 10);
}

TEST(DrawnDiscs, OneThatHangsOverAPocketIsSeen) {
    const DrawnBoard board{kWood,
                           {{"white", {215, 240, 250}},
                            {"black", {34, 36, 44}},
                            {"queen", {48, 40, 190}},
                            {"striker", {190, 130, 60}}}};
    auto discs = kScattered;
    const Hole& hole = board.catalogue.board->holes.front();
    const double sx = hole.centre.x < 0 ? 1 : -1;
    discs.push_back({"white", {hole.centre.x + sx * 0.55 * hole.diameter_mm, hole.centre.y}});
    EXPECT_EQ(board.read_right(discs), 11);
}

// The board turned and squeezed as it looks from 45 degrees aside, in a photograph nothing is known
// of.
TEST(DrawnDiscs, ABoardSeenAslantIsFoundBare) {
    const DrawnBoard board{kDarkWood, kColours};
    const double c = std::cos(0.6), s = std::sin(0.6), low = 0.7, half = DrawnBoard::kSide / 2.0;
    const cv::Matx23d squeezed(c, -s, 640 - (c - s) * half, low * s, low * c,
                               480 - low * (s + c) * half);
    cv::Mat picture;
    cv::warpAffine(board.draw(kScattered), picture, squeezed, {1280, 960}, cv::INTER_AREA,
                   cv::BORDER_CONSTANT, {60, 90, 40});
    const auto seen = detect_discs({picture, nullptr, {}}, board.catalogue);
    EXPECT_EQ(seen.size(), kScattered.size());
    for (const DrawnDisc& d : kScattered) {
        const cv::Point2d flat = DrawnBoard::px(d.at);
        const cv::Vec2d at = squeezed * cv::Vec3d(flat.x, flat.y, 1);
        EXPECT_TRUE(std::any_of(seen.begin(), seen.end(),
                                [&](const Piece& p) {
                                    return std::hypot(p.px->x - at[0], p.px->y - at[1]) < 4 &&
                                           p.type == d.type;
                                }))
            << d.type << ' ' << at;
    }
}

// Seven discs on a table without a board, squeezed as they look from 45 degrees aside.
TEST(DrawnDiscs, DiscsSeenAslantAreFoundWithoutABoard) {
    const cv::Size size(900, 560), disc(17, 12);
    cv::Mat picture(size, CV_8UC3, kWood), grain(size, CV_8UC3);
    const std::vector<cv::Point> at = {{200, 120}, {420, 90},  {640, 180}, {310, 300},
                                       {560, 330}, {240, 450}, {720, 440}};
    for (std::size_t i = 0; i < at.size(); ++i)
        cv::ellipse(picture, at[i], disc, 0, 0, 360, kColours.at(i % 2 ? "black" : "striker"), -1,
                    cv::LINE_AA);
    cv::GaussianBlur(picture, picture, {}, 0.8);
    cv::RNG(7).fill(grain, cv::RNG::UNIFORM, 0, 9);
    picture += grain;
    Catalogue catalogue;
    catalogue.palette = {{"blue", {60, 130, 190}}, {"black", {34, 36, 44}}};
    const auto seen = detect_discs({picture, nullptr, {}}, catalogue);
    EXPECT_EQ(seen.size(), at.size());
    for (const cv::Point& p : at)
        EXPECT_TRUE(std::any_of(seen.begin(), seen.end(), [&](const Piece& s) {
            return std::hypot(s.px->x - p.x, s.px->y - p.y) < 2;
        })) << p;
}

}  // namespace
}  // namespace overboard::vision
