#pragma once

#include <algorithm>
#include <cstdio>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "bus/catalogue.hpp"
#include "bus/observation.hpp"
#include "physics/board.hpp"
#include "simulator/camera.hpp"

/// Scenes of discs with their truth, for the tests and benchmarks of discs.
namespace overboard::scenes {

inline Catalogue board_catalogue(const char* name) {
    const physics::Board& board = physics::load_board(name);
    Catalogue c;
    c.board = physics::kind_of(board);
    c.discs = board.discs;
    return c;
}

inline Piece disc(const Pose& board, const std::string& type, Point local, int id) {
    Piece p;
    p.id = id;
    p.kind = PieceKind::disc;
    p.type = type;
    const Point at = place(board, local);
    p.x = at.x, p.y = at.y;
    return p;
}

inline Observation opening(const char* name) {
    const physics::Board& board = physics::load_board(name);
    Observation scene;
    scene.board = physics::kind_of(board).at;
    int id = 1;
    for (const physics::Spot& s : board.spots)
        scene.pieces.push_back(disc(*scene.board, s.type, s.at, id++));
    scene.pieces.push_back(disc(*scene.board, "striker", {0, board.height_mm * 0.36}, id));
    return scene;
}

inline Observation scattered(const Catalogue& c, unsigned seed) {
    std::mt19937 chance(seed);
    const double half = c.board->width_mm / 2;
    Observation scene;
    scene.board = c.board->at;
    int id = 1;
    const auto put = [&](const DiscKind& kind) {
        std::uniform_real_distribution<double> where(-half + kind.diameter_mm,
                                                     half - kind.diameter_mm);
        for (int attempt = 0; attempt < 1000; ++attempt) {
            const Point p{where(chance), where(chance)}, at = place(*scene.board, p);
            bool free = true;
            for (const Piece& q : scene.pieces)
                free &= distance({q.x, q.y}, at) > kind.diameter_mm * 1.2;
            for (const Hole& h : c.board->holes)
                free &= distance(h.centre, p) > h.diameter_mm / 2 + kind.diameter_mm * 0.6;
            if (free) return scene.pieces.push_back(disc(*scene.board, kind.type, p, id++));
        }
    };
    for (const DiscKind& kind : c.discs)
        for (int n = 0; n < kind.count; ++n) put(kind);
    return scene;
}

struct Score {
    int found = 0, missed = 0, extra = 0, right = 0;
    std::vector<double> errors;
    Point bias{};  ///< Sum of seen − true.
    [[nodiscard]] double at(double q) {
        std::sort(errors.begin(), errors.end());
        return errors.empty() ? 0 : errors[std::size_t(q * double(errors.size() - 1))];
    }
};

inline void compare(const std::vector<Piece>& truth, const std::vector<Piece>& seen, Score& score) {
    std::set<std::size_t> used;
    for (const Piece& t : truth) {
        int best = -1;
        double nearest = 5;
        for (std::size_t i = 0; i < seen.size(); ++i) {
            const double d = distance({t.x, t.y}, {seen[i].x, seen[i].y});
            if (!used.count(i) && d < nearest) nearest = d, best = int(i);
        }
        if (best < 0) {
            ++score.missed;
            continue;
        }
        used.insert(std::size_t(best));
        ++score.found;
        score.right += seen[std::size_t(best)].type == t.type;
        score.errors.push_back(nearest);
        score.bias = score.bias +
                     Point{seen[std::size_t(best)].x - t.x, seen[std::size_t(best)].y - t.y};
    }
    score.extra += int(seen.size() - used.size());
}

inline cv::Mat picture_of(simulator::Camera& camera, const Catalogue& c, const Observation& scene) {
    return camera.render(simulator::world_from(c, scene), 1.0);
}

}  // namespace overboard::scenes
