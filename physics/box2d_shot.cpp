// A stroke computed step by step, written down as a shot.
#include <cmath>

#include "physics/carrom_world.hpp"

namespace overboard::physics {
namespace {

/// Points 120 times a second while a disc moves or falls, and at each of its impacts.
class TrackWriter {
public:
    TrackWriter(const CarromWorld& world, const std::vector<Disc>& discs) : world_{world} {
        for (int i = 0; i < world.size(); ++i) {
            const Point at = world.position(i);
            tracks_.push_back({discs[i].id, discs[i].type, {{0, at.x, at.y}}});
            heights_.push_back({world.height(i)});
        }
    }

    void after_step() {
        const double frame = std::floor(world_.time() * kTrackFps);
        if (frame > frame_) {
            frame_ = frame;
            for (int i = 0; i < world_.size(); ++i)
                if (world_.velocity(i) != Point{} || world_.height(i) != heights_[i].back()) put(i);
        }
        for (; seen_ < world_.impacts().size(); ++seen_) {
            const Impact& impact = world_.impacts()[seen_];
            put(impact.a);
            if (impact.kind == Impact::Kind::disc) put(impact.b);
        }
    }

    std::vector<Track> finish(Heights* heights) {
        for (int i = 0; i < world_.size(); ++i)
            if (world_.on_board(i)) put(i);
        for (int i = 0; heights && i < world_.size(); ++i)
            (*heights)[tracks_[i].id] = std::move(heights_[i]);
        return std::move(tracks_);
    }

private:
    void put(int i) {
        auto& points = tracks_[i].points;
        const Point at = world_.position(i);
        if (points.back().t >= world_.time()) return;
        points.push_back({world_.time(), at.x, at.y});
        heights_[i].push_back(world_.height(i));
    }
    const CarromWorld& world_;
    std::vector<Track> tracks_;
    std::vector<std::vector<double>> heights_;  // beside each track's points
    double frame_ = 0;
    std::size_t seen_ = 0;
};

}  // namespace

Shot run_box2d(const std::vector<Disc>& discs, const std::vector<Point>& velocities_mm_s,
               const std::vector<double>& spins_rad_s, const Board& board,
               const Parameters& parameters, Heights* heights) {
    CarromWorld world(board, parameters);
    for (std::size_t k = 0; k < discs.size(); ++k)
        world.add(discs[k], velocities_mm_s[k], spins_rad_s[k]);
    TrackWriter writer(world, discs);
    while (world.time() < kLongestShot_s) {
        world.step();
        writer.after_step();
        if (world.at_rest()) break;
    }
    Shot shot;
    shot.end = world.time();
    shot.tracks = writer.finish(heights);
    tell_falls(world.impacts(), discs, board, shot);
    shot.confidence = confidence_after(world.collisions());
    return shot;
}

}  // namespace overboard::physics
