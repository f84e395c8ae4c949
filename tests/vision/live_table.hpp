#pragma once

#include <gtest/gtest.h>

#include "simulator/camera.hpp"
#include "tests/vision/film.hpp"
#include "tests/vision/shapes/mosaic.hpp"
#include "vision/pipeline.hpp"

/// Polygons and stones laid one after the other under one camera.
namespace overboard::test {

struct LiveTable {
    Catalogue catalogue = mosaic_catalogue();
    simulator::Camera camera;
    vision::Pipeline pipeline{catalogue, camera.map()};
    Observation scene;
    cv::Scalar tint{1, 1, 1};  ///< Of the light, BGR.
    cv::Mat overlay;           ///< What the projector shows; empty: nothing.
    double time_s = 0;
    std::int64_t index = 0;

    explicit LiveTable(const char* light, std::uint64_t seed) : camera{{}, light, seed} { look(3); }

    Observation look(int frames, std::optional<Point> hand = {}) {
        simulator::World world = simulator::world_from(catalogue, scene);
        if (hand) world.hands.push_back({{hand->x, hand->y, M_PI / 2}, 30, 0});
        Observation seen;
        for (int i = 0; i < frames; ++i) {
            time_s += 1.0 / 30;
            seen = pipeline.push(
                {scenes::tinted(camera.render(world, time_s, overlay), tint), time_s, index++});
        }
        return seen;
    }
    /// What is seen once this lies there, too, and the hand that brought it is gone.
    Observation lay(const Piece& piece) {
        scene.pieces.push_back(piece);
        look(3, Point{piece.x, piece.y});
        return look(12);
    }
    /// What is seen once the projector shows this.
    Observation project(const cv::Mat& picture) {
        overlay = picture;
        pipeline.overlay_changed(time_s);
        return look(12);
    }
    /// What is seen after a hand did something there.
    Observation touched(Point at) {
        look(3, at);
        return look(14);
    }
};

inline bool has(const Observation& seen, const Piece& piece, double within_mm) {
    return std::any_of(seen.pieces.begin(), seen.pieces.end(), [&](const Piece& p) {
        return p.kind == piece.kind && p.type == piece.type && p.colour == piece.colour &&
               std::hypot(p.x - piece.x, p.y - piece.y) < within_mm;
    });
}

inline void expect_scene(const Observation& scene, const Observation& seen,
                         const std::string& when) {
    EXPECT_EQ(seen.pieces.size(), scene.pieces.size()) << when;
    for (const Piece& p : seen.pieces)
        if (!has(scene, p, 2.0))
            std::printf("%s: imagined %s %s at %.1f %.1f\n", when.c_str(), p.type.c_str(),
                        p.colour.c_str(), p.x, p.y);
    for (const Piece& p : scene.pieces)
        EXPECT_TRUE(has(seen, p, p.kind == PieceKind::stone ? 2.0 : 1.0))
            << when << ": " << p.type << ' ' << p.colour;
}

}  // namespace overboard::test
