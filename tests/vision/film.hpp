#pragma once

#include <cmath>
#include <map>
#include <stdexcept>

#include "tests/vision/discs/disc_scenes.hpp"
#include "vision/pipeline.hpp"

/// Discs on film, for tests of the pipeline.
namespace overboard::scenes {

/// The picture in light of another colour.
inline cv::Mat tinted(cv::Mat bgr, const cv::Scalar& tint) {
    if (tint != cv::Scalar(1, 1, 1)) cv::multiply(bgr, tint, bgr);
    return bgr;
}

/// A table with discs, seen frame after frame while a test alters the world, the camera or the
/// light.
struct Film {
    Catalogue catalogue = board_catalogue("to-go");
    simulator::CameraSetup setup;
    simulator::Camera camera{setup, "cafe", 7};
    Observation scene = scattered(catalogue, 21);
    simulator::World world = simulator::world_from(catalogue, scene);
    vision::Pipeline pipeline{catalogue, camera.map()};
    cv::Scalar tint{1, 1, 1};  ///< Of the light, BGR.
    double time_s = 0;
    std::int64_t index = 0;

    Observation step() {
        time_s += 1.0 / 30;
        return pipeline.push({tinted(camera.render(world, time_s), tint), time_s, index++});
    }
    Observation steps(int n) {
        Observation last;
        for (int i = 0; i < n; ++i) last = step();
        return last;
    }
    /// Somebody knocks against the camera.
    void bump(double dx_mm, double dy_mm, double turn = 0) {
        setup.lens = camera.map().intrinsics();
        setup.off_centre_mm = setup.off_centre_mm + Point{dx_mm, dy_mm};
        setup.roll += turn;
        camera = simulator::Camera(setup, "cafe", 7);
    }
    /// How far the worst disc is reported from where one of its type lies.
    [[nodiscard]] double worst_mm(const Observation& seen) const {
        double worst = 0;
        for (const Piece& p : seen.pieces) {
            double nearest = 1e9;
            for (const Piece& q : scene.pieces)
                if (q.type == p.type) nearest = std::min(nearest, distance({p.x, p.y}, {q.x, q.y}));
            worst = std::max(worst, nearest);
        }
        return worst;
    }
    // The disc with the most room to its right.
    int free_to_move() const {
        int best = 0;
        double most = 0;
        for (const Piece& p : scene.pieces) {
            double room = 1e9;
            for (const Piece& q : scene.pieces)
                if (q.id != p.id && std::abs(q.y - p.y) < 30 && q.x > p.x - 20)
                    room = std::min(room, q.x - p.x);
            room = std::min(room, 760 - p.x);
            if (room > most) most = room, best = p.id;
        }
        return best;
    }
    simulator::Body& body(int id) {
        for (auto& b : world.bodies)
            if (b.id == id) return b;
        throw std::logic_error("no such body");
    }
};

inline std::map<int, std::string> ids_of(const Observation& seen) {
    std::map<int, std::string> ids;
    for (const Piece& p : seen.pieces) ids[p.id] = p.type;
    return ids;
}

}  // namespace overboard::scenes
