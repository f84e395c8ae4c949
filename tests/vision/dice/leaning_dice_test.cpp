// What is a die on the table and what is not: how far it may lean, and print that only looks like
// one.
#include <gtest/gtest.h>

#include "rules/games.hpp"
#include "simulator/camera.hpp"
#include "vision/detect.hpp"
#include "vision/dice/detect_dice.hpp"

namespace overboard::vision {
namespace {

/// Dice of all values about the middle of the table, each tilted by so much about some level axis.
simulator::World leaning(const Catalogue& catalogue, double tilt) {
    Observation scene;
    for (int v = 1; v <= 6; ++v) {
        Piece die;
        die.kind = PieceKind::die;
        die.value = v;
        die.x = 400 + 80.0 * (v - 1);
        die.y = v % 2 ? 280 : 390;
        die.angle = 0.7 * v;
        scene.pieces.push_back(die);
    }
    simulator::World world = simulator::world_from(catalogue, scene);
    for (simulator::Body& body : world.bodies)
        if (body.shape->form == simulator::Form::die)
            body.turn = cv::Matx33d(1, 0, 0, 0, std::cos(tilt), -std::sin(tilt), 0, std::sin(tilt),
                                    std::cos(tilt)) *
                        body.turn;
    return world;
}

struct Count {
    int right = 0, valued = 0;
};

Count count_at(double degrees) {
    Catalogue catalogue;
    catalogue.dice = {{16, 6}};
    simulator::Camera camera({}, "cafe", 11);
    const cv::Mat frame = camera.render(leaning(catalogue, degrees * CV_PI / 180), 0.1);
    Count count;
    for (const Piece& die : detect_dice({frame, &camera.map(), {}}, catalogue)) {
        const int v = 1 + static_cast<int>(std::lround((die.x - 400) / 80));
        count.right += die.value == v && std::abs(die.x - (400 + 80.0 * (v - 1))) < 9;
        count.valued += die.value.has_value();
    }
    return count;
}

TEST(LeaningDice, AreReadUpToFifteenDegrees) {
    EXPECT_EQ(count_at(0).right, 6);
    EXPECT_EQ(count_at(15).right, 6);
}

TEST(LeaningDice, HaveNoValueWhenTheyLeanAgainstSomething) {
    EXPECT_LE(count_at(38).valued, 1);
    EXPECT_LE(count_at(45).valued, 1);
}

TEST(TableDice, AreToldAgainInAnotherLightButNotWhenTurnedOrTakenAway) {
    Catalogue catalogue;
    catalogue.dice = {{16, 6}};
    const simulator::World world = leaning(catalogue, 0);
    simulator::Camera camera({}, "cafe", 11);
    const cv::Mat before = camera.render(world, 0.1).clone();
    const Known known{{}, {}, detect_dice({before, &camera.map(), {}}, catalogue)};
    ASSERT_EQ(known.pieces.size(), 6u);
    const auto told = [&](const cv::Mat& now) {
        return dice_told_again({now, &camera.map(), {}, &known}, catalogue).size();
    };
    cv::Mat dim;
    before.convertTo(dim, CV_8U, 0.6);
    cv::add(dim, cv::Scalar(0, 10, 25), dim);
    EXPECT_EQ(told(dim), 6u);
    EXPECT_EQ(told(camera.render(leaning(catalogue, CV_PI / 2), 0.2)), 0u);
    EXPECT_EQ(told(camera.render({world.table, {}, {}}, 0.3)), 0u);
}

TEST(TableDice, WithFewPipsAreFoundInHarshLight) {
    Catalogue catalogue;
    catalogue.dice = {{16, 12}};
    Observation scene;
    for (int i = 0; i < 12; ++i) {
        Piece die;
        die.kind = PieceKind::die;
        die.value = 1 + i % 3;
        die.x = 150 + 270.0 * (i % 4) + 15 * (i / 4);
        die.y = 120 + 210.0 * (i / 4);
        die.angle = 0.4 * i;
        scene.pieces.push_back(die);
    }
    simulator::Camera camera({}, "harsh", 9);
    const cv::Mat frame = camera.render(simulator::world_from(catalogue, scene), 0.1);
    const auto seen = detect_dice({frame, &camera.map(), {}}, catalogue);
    EXPECT_EQ(seen.size(), 12u);  // none in the markers
    for (const Piece& die : scene.pieces)
        EXPECT_EQ(std::count_if(
                      seen.begin(), seen.end(),
                      [&](const Piece& p) {
                          return distance({p.x, p.y}, {die.x, die.y}) < 2 && p.value == die.value;
                      }),
                  1)
            << *die.value << " at " << die.x << ", " << die.y;
}

TEST(TableDice, AreNotSeenInPrint) {
    const rules::Game& game = *rules::find_game("gayplay");
    rules::Setup setup;
    for (const char* name : {"Ana", "Bo"}) setup.players.push_back({name, "", {}});
    const Catalogue catalogue = game.catalogue(setup);
    const Observation scene = game.scene_of(*game.start(setup));  // before the first roll
    Kinds dice;
    dice.dice = true;
    for (const char* light : {"cafe", "harsh"}) {
        simulator::Camera camera({}, light, 5);
        const cv::Mat frame = camera.render(simulator::world_from(catalogue, scene), 0.1);
        const cv::Mat everywhere(frame.size(), CV_8U, cv::Scalar(255));
        const Known cards{everywhere, {}, scene.pieces};
        EXPECT_TRUE(detect_cold({frame, &camera.map(), {}, &cards}, catalogue, dice).pieces.empty())
            << light;
    }
}

}  // namespace
}  // namespace overboard::vision
