#include "vision/dice/detect_dice.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>
#include <random>

#include "bus/json.hpp"
#include "simulator/camera.hpp"

using namespace overboard;
using namespace overboard::vision;

namespace {

const std::vector<std::vector<cv::Point2d>>& pip_places() {
    static const std::vector<std::vector<cv::Point2d>> all = {
        {{0, 0}},
        {{-1, -1}, {1, 1}},
        {{-1, -1}, {0, 0}, {1, 1}},
        {{-1, -1}, {1, -1}, {-1, 1}, {1, 1}},
        {{-1, -1}, {1, -1}, {0, 0}, {-1, 1}, {1, 1}},
        {{-1, -1}, {-1, 0}, {-1, 1}, {1, -1}, {1, 0}, {1, 1}}};
    return all;
}

/// One flat die, drawn eight times finer than it is looked at.
void draw_die(cv::Mat& picture, cv::Point2d at, double edge, double angle, int value,
              cv::Scalar body, cv::Scalar pips) {
    const auto turned = [&](double x, double y) {
        return cv::Point(cvRound(256 * (at.x + std::cos(angle) * x - std::sin(angle) * y)),
                         cvRound(256 * (at.y + std::sin(angle) * x + std::cos(angle) * y)));
    };
    const double h = edge / 2;
    const std::vector<cv::Point> face = {turned(-h, -h), turned(h, -h), turned(h, h),
                                         turned(-h, h)};
    cv::fillConvexPoly(picture, face, body, cv::LINE_AA, 8);
    for (cv::Point2d p : pip_places()[value - 1])
        cv::circle(picture, turned(p.x * 0.25 * edge, p.y * 0.25 * edge), cvRound(256 * 0.1 * edge),
                   pips, cv::FILLED, cv::LINE_AA, 8);
}

std::string shared(const std::string& file) {
    return std::string(OVERBOARD_SHARED) + "/real/dice/" + file;
}

}  // namespace

TEST(DetectDice, ReadsEveryValueInAnyTwoColoursAtAnyTurn) {
    const std::vector<std::pair<cv::Scalar, cv::Scalar>> looks = {{{245, 245, 245}, {20, 20, 20}},
                                                                  {{30, 30, 190}, {240, 240, 240}},
                                                                  {{25, 25, 25}, {235, 235, 235}},
                                                                  {{40, 200, 240}, {30, 30, 200}}};
    for (const auto& [body, pips] : looks) {
        cv::Mat picture(480, 800, CV_8UC3, cv::Scalar(110, 120, 105));
        for (int v = 1; v <= 6; ++v)
            draw_die(picture, {100.0 + 250 * ((v - 1) % 3), 120.0 + 220 * ((v - 1) / 3)},
                     40 + 8 * v, 0.35 * v, v, body, pips);
        const auto dice = detect_dice({picture, nullptr, {}}, {});
        ASSERT_EQ(dice.size(), 6U);
        for (const Piece& die : dice) {
            const int v = 1 + static_cast<int>(std::lround((die.px->x - 100) / 250)) +
                          3 * static_cast<int>(std::lround((die.px->y - 120) / 220));
            EXPECT_EQ(die.value, v);
            EXPECT_NEAR(*die.size_px, 40 + 8 * v, 0.25 * (40 + 8 * v));
        }
    }
}

TEST(DetectDice, TakesFewOfAPageOfRoundLettersForDice) {
    cv::Mat paper(600, 800, CV_8UC3, cv::Scalar(235, 235, 235));
    for (int i = 0; i < 8; ++i)
        cv::circle(paper, {60 + 90 * i, 100 + 37 * (i % 3)}, 7, cv::Scalar(20, 20, 20), cv::FILLED,
                   cv::LINE_AA);
    for (int i = 0; i < 8; ++i)
        cv::putText(paper, "oooo: 8 o.o. coo, boom", {40, 250 + 40 * i}, cv::FONT_HERSHEY_SIMPLEX,
                    0.9, cv::Scalar(30, 30, 30), 2, cv::LINE_AA);
    EXPECT_LE(detect_dice({paper, nullptr, {}}, {}).size(), 3U);
}

TEST(DetectDice, TakesAGridOfDotsForNoDice) {
    cv::Mat cloth(400, 520, CV_8UC3, cv::Scalar(60, 60, 150));
    for (int y = 0; y < 10; ++y)
        for (int x = 0; x < 13; ++x)
            cv::circle(cloth, {20 + 40 * x, 20 + 40 * y}, 8, cv::Scalar(230, 230, 230), cv::FILLED,
                       cv::LINE_AA);
    EXPECT_TRUE(detect_dice({cloth, nullptr, {}}, {}).empty());
}

TEST(DetectDice, TakesPrintWithThePaperBeyondItForNoDice) {
    cv::Mat paper(600, 800, CV_8UC3, cv::Scalar(225, 230, 232));
    std::mt19937 random(5);
    const auto upto = [&](int n) { return static_cast<int>(random() % unsigned(n)); };
    for (int i = 0; i < 192; ++i) {  // spots and strokes as they come, well apart
        const cv::Point at(25 + 50 * (i % 16) + upto(22), 25 + 50 * (i / 16) + upto(22));
        const cv::Scalar ink(40, 40, 150);
        if (upto(3))
            cv::circle(paper, at, 6, ink, cv::FILLED, cv::LINE_AA);
        else
            cv::line(paper, at - cv::Point(16, upto(16)), at + cv::Point(16, upto(16)), ink, 7,
                     cv::LINE_AA);
    }
    EXPECT_TRUE(detect_dice({paper, nullptr, {}}, {}).empty());
}

TEST(DetectDice, TakesTheHalvesOfADominoForNoDiceButReadsDiceSideBySide) {
    const cv::Scalar ivory(225, 240, 245), ink(20, 20, 20);
    cv::Mat domino(300, 400, CV_8UC3, cv::Scalar(70, 110, 60));
    draw_die(domino, {160, 150}, 80, 0, 5, ivory, ink);
    draw_die(domino, {240, 150}, 80, 0, 3, ivory, ink);
    cv::line(domino, {200, 118}, {200, 182}, ink, 2, cv::LINE_AA);
    EXPECT_TRUE(detect_dice({domino, nullptr, {}}, {}).empty());
    cv::Mat dice(300, 400, CV_8UC3, cv::Scalar(70, 110, 60));
    draw_die(dice, {157, 150}, 80, 0, 5, ivory, ink);
    draw_die(dice, {243, 150}, 80, 0, 3, ivory, ink);
    EXPECT_EQ(detect_dice({dice, nullptr, {}}, {}).size(), 2U);
}

TEST(DetectDice, TakesAButtonForNoDie) {
    cv::Mat cloth(240, 240, CV_8UC3, cv::Scalar(70, 110, 60));
    cv::circle(cloth, {120, 120}, 50, cv::Scalar(60, 90, 220), cv::FILLED, cv::LINE_AA);
    for (const cv::Point at : {cv::Point(104, 104), {136, 104}, {104, 136}, {136, 136}})
        cv::circle(cloth, at, 7, cv::Scalar(20, 20, 20), cv::FILLED, cv::LINE_AA);
    EXPECT_TRUE(detect_dice({cloth, nullptr, {}}, {}).empty());
}

TEST(DetectDice, ReadsLightPipsHalfInTheirOwnShade) {
    cv::Mat picture(240, 240, CV_8UC3, cv::Scalar(150, 160, 155));
    draw_die(picture, {120, 120}, 90, 0.3, 4, {14, 14, 14}, {80, 80, 80});
    for (cv::Point2d p : pip_places()[3]) {
        const cv::Point2d at(120 + 22.5 * (std::cos(0.3) * p.x - std::sin(0.3) * p.y),
                             120 + 22.5 * (std::sin(0.3) * p.x + std::cos(0.3) * p.y));
        cv::ellipse(picture, cv::Point(cvRound(256 * at.x), cvRound(256 * at.y)),
                    {9 * 256, 9 * 256}, 40, 0, 180, cv::Scalar(220, 220, 220), cv::FILLED,
                    cv::LINE_AA, 8);
    }
    cv::GaussianBlur(picture, picture, {}, 1);
    const auto dice = detect_dice({picture, nullptr, {}}, {});
    ASSERT_EQ(dice.size(), 1U);
    EXPECT_EQ(dice[0].value, 4);
}

TEST(DetectDice, ReadsAFiveWhoseLightPipsShowOnlyTheirLitHalves) {
    cv::Mat picture(240, 240, CV_8UC3, cv::Scalar(150, 160, 155));
    draw_die(picture, {120, 120}, 76, 0.3, 5, {35, 35, 120}, {35, 35, 120});
    for (cv::Point2d p : pip_places()[4]) {
        const cv::Point2d at(120 + 19 * (std::cos(0.3) * p.x - std::sin(0.3) * p.y),
                             120 + 19 * (std::sin(0.3) * p.x + std::cos(0.3) * p.y));
        cv::ellipse(picture, cv::Point(cvRound(256 * at.x), cvRound(256 * at.y)),
                    {8 * 256, 4 * 256}, 60, 0, 360, cv::Scalar(190, 190, 220), cv::FILLED,
                    cv::LINE_AA, 8);
    }
    cv::GaussianBlur(picture, picture, {}, 0.8);
    const auto dice = detect_dice({picture, nullptr, {}}, {});
    ASSERT_EQ(dice.size(), 1U);
    EXPECT_EQ(dice[0].value, 5);
}

TEST(DetectDice, ReadsAFaceThatReflectsALampOnOneSide) {
    cv::Mat picture(240, 240, CV_8UC3, cv::Scalar(120, 60, 40)), sheen(240, 240, CV_8UC3);
    draw_die(picture, {120, 120}, 90, 0.2, 6, {30, 30, 130}, {210, 210, 215});
    for (int x = 0; x < sheen.cols; ++x)
        sheen.col(x).setTo(cv::Scalar::all(std::clamp(1.6 * (x - 75), 0.0, 140.0)));
    cv::Mat lit;
    cv::max(picture, picture + sheen, lit);
    lit = cv::min(lit, cv::Scalar(210, 210, 215));
    cv::GaussianBlur(lit, lit, {}, 0.8);
    const auto dice = detect_dice({lit, nullptr, {}}, {});
    ASSERT_EQ(dice.size(), 1U);
    EXPECT_EQ(dice[0].value, 6);
}

TEST(DetectDice, TakesTheAceOfDiamondsForNoDie) {
    cv::Mat cloth(400, 400, CV_8UC3, cv::Scalar(140, 90, 40));
    cv::rectangle(cloth, {125, 95, 150, 210}, cv::Scalar(245, 245, 245), cv::FILLED);
    cv::fillConvexPoly(cloth,
                       std::vector<cv::Point>{{200, 180}, {215, 200}, {200, 220}, {185, 200}},
                       cv::Scalar(40, 40, 200), cv::LINE_AA);
    cv::GaussianBlur(cloth, cloth, {}, 0.8);
    EXPECT_TRUE(detect_dice({cloth, nullptr, {}}, {}).empty());
}

TEST(DetectDice, ReadsASixWhosePipsRunIntoEachOther) {
    cv::Mat picture(240, 240, CV_8UC3, cv::Scalar(190, 200, 195));
    draw_die(picture, {120, 120}, 80, 0.2, 6, {30, 60, 70}, {90, 160, 200});
    for (cv::Point2d p : pip_places()[5]) {
        const cv::Point2d at(120 + 18 * (std::cos(0.2) * p.x - std::sin(0.2) * p.y),
                             120 + 18 * (std::sin(0.2) * p.x + std::cos(0.2) * p.y));
        cv::circle(picture, cv::Point(cvRound(256 * at.x), cvRound(256 * at.y)), 9 * 256,
                   cv::Scalar(90, 160, 200), cv::FILLED, cv::LINE_AA, 8);
    }
    cv::GaussianBlur(picture, picture, {}, 0.8);
    const auto dice = detect_dice({picture, nullptr, {}}, {});
    ASSERT_EQ(dice.size(), 1U);
    EXPECT_EQ(dice[0].value, 6);
}

TEST(DetectDice, ReadsTheOneOfASpeckledDie) {
    cv::Mat picture(600, 600, CV_8UC3, cv::Scalar(35, 60, 75));
    draw_die(picture, {300, 300}, 100, 0.5, 1, {160, 150, 70}, {160, 150, 70});
    std::mt19937 chance(3);
    for (int i = 0; i < 40; ++i) {
        const double x = std::uniform_real_distribution<>(-42, 42)(chance),
                     y = std::uniform_real_distribution<>(-42, 42)(chance);
        const cv::Point2d at(300 + std::cos(0.5) * x - std::sin(0.5) * y,
                             300 + std::sin(0.5) * x + std::cos(0.5) * y);
        if (std::hypot(x, y) > 18)
            cv::ellipse(picture, at, {5, 3}, i * 37, 0, 360, cv::Scalar(120, 110, 50), cv::FILLED,
                        cv::LINE_AA);
    }
    cv::circle(picture, {300, 300}, 11, cv::Scalar(240, 240, 240), cv::FILLED, cv::LINE_AA);
    cv::GaussianBlur(picture, picture, {}, 0.8);
    const auto dice = detect_dice({picture, nullptr, {}}, {});
    ASSERT_EQ(dice.size(), 1U);
    EXPECT_EQ(dice[0].value, 1);
}

TEST(DetectDice, ReadsAThreeSidedViewByItsUpperFace) {
    // A cube seen from 52 degrees off the vertical, where a side is no flatter than the top.
    cv::Mat picture(300, 300, CV_8UC3, cv::Scalar(120, 90, 150));
    const double tilt = 52 * CV_PI / 180, edge = 90;
    const auto shown = [&](cv::Vec3d p, double turn) {
        const double x = std::cos(turn) * p[0] - std::sin(turn) * p[1],
                     y = std::sin(turn) * p[0] + std::cos(turn) * p[1];
        return cv::Point2d(150 + x, 150 + std::cos(tilt) * y - std::sin(tilt) * p[2]);
    };
    const auto face = [&](int value, cv::Vec3d middle, cv::Vec3d along, cv::Vec3d across,
                          double light) {
        std::vector<cv::Point> corners, ring;
        const auto at = [&](double u, double v) {
            const cv::Point2d p = shown((middle + along * u + across * v) * edge, 0.35);
            return cv::Point(cvRound(256 * p.x), cvRound(256 * p.y));
        };
        for (cv::Point2d c : {cv::Point2d(-.5, -.5), {.5, -.5}, {.5, .5}, {-.5, .5}})
            corners.push_back(at(c.x, c.y));
        cv::fillConvexPoly(picture, corners, cv::Scalar::all(light), cv::LINE_AA, 8);
        for (cv::Point2d p : pip_places()[value - 1]) {
            ring.clear();
            for (int k = 0; k < 32; ++k)
                ring.push_back(at(0.25 * p.x + 0.1 * std::cos(k * CV_PI / 16),
                                  0.25 * p.y + 0.1 * std::sin(k * CV_PI / 16)));
            cv::fillConvexPoly(picture, ring, cv::Scalar::all(20), cv::LINE_AA, 8);
        }
    };
    face(3, {0, 0, .5}, {1, 0, 0}, {0, 1, 0}, 215);
    face(5, {0, .5, 0}, {1, 0, 0}, {0, 0, 1}, 225);
    face(4, {.5, 0, 0}, {0, 1, 0}, {0, 0, 1}, 200);
    cv::GaussianBlur(picture, picture, {}, 0.8);
    const auto dice = detect_dice({picture, nullptr, {}}, {});
    ASSERT_EQ(dice.size(), 1U);
    EXPECT_EQ(dice[0].value, 3);
}

TEST(DetectDice, ReadsASixWithSpecksBetweenItsPips) {
    cv::Mat picture(240, 240, CV_8UC3, cv::Scalar(60, 50, 120));
    draw_die(picture, {120, 120}, 84, 0.3, 6, {110, 110, 105}, {190, 190, 185});
    for (cv::Point2d p : {cv::Point2d(0, -0.62), {0, 0.55}})
        cv::ellipse(picture,
                    cv::Point2d(120 + 21 * (std::cos(0.3) * p.x - std::sin(0.3) * p.y),
                                120 + 21 * (std::sin(0.3) * p.x + std::cos(0.3) * p.y)),
                    {3, 5}, 20, 0, 360, cv::Scalar(60, 58, 55), cv::FILLED, cv::LINE_AA);
    cv::GaussianBlur(picture, picture, {}, 0.8);
    const auto dice = detect_dice({picture, nullptr, {}}, {});
    ASSERT_EQ(dice.size(), 1U);
    EXPECT_EQ(dice[0].value, 6);
}

TEST(DetectDice, ReadsSmallBlurredDice) {
    for (int v = 2; v <= 6; ++v) {
        cv::Mat picture(200, 200, CV_8UC3, cv::Scalar(50, 90, 140));
        draw_die(picture, {100, 100}, 34, 0.4 + 0.3 * v, v, {225, 225, 225}, {30, 30, 30});
        cv::GaussianBlur(picture, picture, {}, 1.7);
        const auto dice = detect_dice({picture, nullptr, {}}, {});
        ASSERT_EQ(dice.size(), 1U) << v;
        EXPECT_EQ(dice[0].value, v);
    }
}

TEST(DetectDice, TakesAFourWithAWornPipForNoTwo) {
    cv::Mat picture(240, 240, CV_8UC3, cv::Scalar(170, 160, 150));
    draw_die(picture, {120, 120}, 80, 0.1, 4, {190, 215, 220}, {40, 170, 195});
    cv::rectangle(picture, {136, 137, 7, 12}, cv::Scalar(190, 215, 220), cv::FILLED);
    cv::GaussianBlur(picture, picture, {}, 0.8);
    for (const Piece& die : detect_dice({picture, nullptr, {}}, {})) EXPECT_EQ(die.value, 4);
}

TEST(DetectDice, TakesAPictureFullOfOnesForPrint) {
    cv::Mat cloth(400, 520, CV_8UC3, cv::Scalar(120, 120, 60)), some = cloth.clone();
    for (int i = 0; i < 12; ++i)
        draw_die(cloth, {70.0 + 120 * (i % 4), 70.0 + 120 * (i / 4)}, 50, 0.3 * i, 1,
                 {235, 235, 235}, {20, 20, 20});
    for (int i = 0; i < 4; ++i)
        draw_die(some, {70.0 + 120 * i, 200}, 50, 0.3 * i, 1, {235, 235, 235}, {20, 20, 20});
    EXPECT_TRUE(detect_dice({cloth, nullptr, {}}, {}).empty());
    EXPECT_EQ(detect_dice({some, nullptr, {}}, {}).size(), 4U);
}

TEST(DetectDice, FindsNothingInNoiseNorInNothing) {
    cv::Mat noise(480, 640, CV_8UC3);
    cv::theRNG().state = 7;
    cv::randu(noise, 0, 255);
    EXPECT_LE(detect_dice({noise, nullptr, {}}, {}).size(), 1U);
    EXPECT_TRUE(detect_dice({cv::Mat(), nullptr, {}}, {}).empty());
    EXPECT_TRUE(
        detect_dice({cv::Mat(1, 1, CV_8UC3, cv::Scalar(0, 0, 0)), nullptr, {}}, {}).empty());
    EXPECT_TRUE(
        detect_dice({cv::Mat(3, 900, CV_8UC3, cv::Scalar(9, 200, 0)), nullptr, {}}, {}).empty());
}

TEST(DetectDice, LooksNowhereElseThanTheMaskAllows) {
    cv::Mat picture(300, 500, CV_8UC3, cv::Scalar(90, 110, 100));
    draw_die(picture, {120, 150}, 60, 0.2, 5, {250, 250, 250}, {10, 10, 10});
    draw_die(picture, {370, 150}, 60, 0.9, 3, {250, 250, 250}, {10, 10, 10});
    cv::Mat mask(picture.size(), CV_8U, cv::Scalar(255));
    mask.colRange(0, 250).setTo(0);
    const auto dice = detect_dice({picture, nullptr, mask}, {});
    ASSERT_EQ(dice.size(), 1U);
    EXPECT_EQ(dice[0].value, 3);
}

TEST(DetectDice, PlacesRenderedDiceUnderTheCamera) {
    Catalogue catalogue;
    catalogue.dice = {{16, 6}};
    Observation scene;
    for (int v = 1; v <= 6; ++v) {
        Piece die;
        die.kind = PieceKind::die;
        die.value = v;
        die.x = 220 + 150.0 * (v - 1);
        die.y = v % 2 ? 220 : 450;
        die.angle = 0.5 * v;
        scene.pieces.push_back(die);
    }
    simulator::Camera camera({}, "cafe", 11);
    const cv::Mat frame = camera.render(simulator::world_from(catalogue, scene), 0.1);
    const auto seen = detect_dice({frame, &camera.map(), {}}, catalogue);
    int right = 0;
    for (const Piece& truth : scene.pieces)
        for (const Piece& die : seen)
            if (std::hypot(die.x - truth.x, die.y - truth.y) < 1.5)
                right += die.value == truth.value;
    EXPECT_EQ(right, 6);
    EXPECT_LE(seen.size(), 6U);
}

TEST(DetectDice, ReadsRealPhotographs) {
    std::ifstream file(shared("labels.json"));
    if (!file) GTEST_SKIP() << "no photographs at " << shared("");
    const Json labels = Json::parse(file);
    int dice = 0, right = 0, wrong = 0, index = 0;
    for (const Json& image : labels.at("images")) {
        if (++index % 5) continue;  // a fifth of them: the whole set is the accuracy program's
        const auto seen = detect_dice({cv::imread(shared(image.at("file"))), nullptr, {}}, {});
        std::vector<bool> taken(seen.size(), false);
        for (const Json& label : image.at("labels")) {
            ++dice;
            for (std::size_t i = 0; i < seen.size(); ++i) {
                const double off = std::hypot(seen[i].px->x - label.at("x").get<double>(),
                                              seen[i].px->y - label.at("y").get<double>());
                if (taken[i] || off > 0.5 * label.at("size").get<double>()) continue;
                taken[i] = true;
                (seen[i].value == label.at("value").get<int>() ? right : wrong)++;
                break;
            }
        }
    }
    EXPECT_GE(right, 0.9 * dice);
    EXPECT_LE(wrong, 0.05 * dice);
}
