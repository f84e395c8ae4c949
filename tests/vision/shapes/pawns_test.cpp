#include "vision/shapes/detect_pawns.hpp"

#include <gtest/gtest.h>

#include "simulator/camera.hpp"

using namespace overboard;
using namespace overboard::vision;

namespace {

Catalogue figures() {
    Catalogue c;
    c.palette = {{"red", {205, 40, 45}},
                 {"blue", {30, 90, 190}},
                 {"green", {40, 150, 70}},
                 {"yellow", {240, 200, 40}}};
    c.pawns = {{14, 30, {"red", "blue", "green", "yellow"}}};
    return c;
}

}  // namespace

TEST(DetectPawns, FindsWhereEachFigureStands) {
    const Catalogue catalogue = figures();
    Observation scene;
    const std::vector<Point> places = {{180, 150}, {1000, 180}, {620, 360}, {300, 560}};
    for (std::size_t i = 0; i < places.size(); ++i) {
        Piece p;
        p.kind = PieceKind::pawn;
        p.colour = catalogue.pawns[0].colours[i];
        p.x = places[i].x, p.y = places[i].y;
        scene.pieces.push_back(p);
    }
    for (const char* light : {"easy", "cafe", "harsh"}) {
        simulator::Camera camera({}, light, 41);
        const cv::Mat frame = camera.render(simulator::world_from(catalogue, scene), 0.1);
        const auto seen = detect_pawns({frame, &camera.map(), {}}, catalogue);
        EXPECT_EQ(seen.size(), scene.pieces.size()) << light;
        for (const Piece& truth : scene.pieces) {
            const auto it = std::find_if(seen.begin(), seen.end(),
                                         [&](const Piece& p) { return p.colour == truth.colour; });
            ASSERT_NE(it, seen.end()) << light << ' ' << truth.colour;
            EXPECT_LT(std::hypot(it->x - truth.x, it->y - truth.y), 4.0)
                << light << ' ' << truth.colour;
        }
    }
}

TEST(DetectPawns, FindsTheFootThatAnotherFigureHidesInPart) {
    const Catalogue catalogue = figures();
    Observation scene;
    const Point hidden{150, 330};
    for (const auto& [colour, at] : {std::pair{"red", hidden}, {"green", hidden + Point{14, 0}}}) {
        Piece& p = scene.pieces.emplace_back();
        p.kind = PieceKind::pawn;
        p.colour = colour;
        p.x = at.x, p.y = at.y;
    }
    for (const char* light : {"easy", "cafe", "harsh"}) {
        simulator::Camera camera({}, light, 43);
        const cv::Mat frame = camera.render(simulator::world_from(catalogue, scene), 0.1);
        const auto seen = detect_pawns({frame, &camera.map(), {}}, catalogue);
        const auto red = std::find_if(seen.begin(), seen.end(),
                                      [](const Piece& p) { return p.colour == "red"; });
        ASSERT_NE(red, seen.end()) << light;
        EXPECT_LT(distance({red->x, red->y}, hidden), 2.6) << light;
    }
}

TEST(DetectPawns, WhatIsPrintedOnACardIsNoFigure) {
    Catalogue catalogue = figures();
    catalogue.cards = {FaceKind{}};
    Observation scene;
    Piece& red = scene.pieces.emplace_back();
    red.kind = PieceKind::pawn;
    red.colour = "red";
    red.x = 400, red.y = 300;
    simulator::Camera camera({}, "cafe", 42);
    const cv::Mat frame = camera.render(simulator::world_from(catalogue, scene), 0.1);
    Piece card;
    card.kind = PieceKind::card;
    card.x = 400, card.y = 300;
    EXPECT_EQ(detect_pawns({frame, &camera.map(), {}}, catalogue).size(), 1U);
    EXPECT_TRUE(detect_pawns({frame, &camera.map(), {}}, catalogue, {card}).empty());
}

TEST(DetectPawns, NeedsAMapAndAPicture) {
    EXPECT_TRUE(detect_pawns({cv::Mat(), nullptr, {}}, figures()).empty());
    EXPECT_TRUE(
        detect_pawns({cv::Mat(30, 30, CV_8UC3, cv::Scalar(1, 2, 3)), nullptr, {}}, figures())
            .empty());
}
