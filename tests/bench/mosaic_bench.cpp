// How exactly polygons of one colour lying side by side are found, printed: cold, rendered, per
// light. Arguments: first seed, number of mosaics, then `each` to list every piece that lies beyond
// 1 mm or 1 degree.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "simulator/camera.hpp"
#include "tests/vision/shapes/mosaic.hpp"
#include "vision/shapes/detect_polygons.hpp"

namespace {
using namespace overboard;

/// Turned by this a piece looks the same.
double symmetry(const std::string& type) {
    if (type == "small_triangle") return 2 * M_PI / 3;
    if (type == "small_square" || type == "large_square") return M_PI / 2;
    if (type == "rhombus" || type == "rectangle") return M_PI;
    return type == "hexagon" ? M_PI / 3 : 2 * M_PI;
}

struct Tally {
    int pieces = 0, found = 0, extra = 0, beyond = 0;
    std::vector<double> off_mm, off_deg;
    Point sum;  ///< Of all errors: what all pieces of a light have in common.
};

double part_of(std::vector<double>& all, double part) {
    std::sort(all.begin(), all.end());
    return all.empty() ? 0
                       : all[static_cast<std::size_t>(part * static_cast<double>(all.size() - 1))];
}

void look(const Catalogue& catalogue, const char* light, std::uint64_t seed, bool each,
          Tally& tally) {
    Observation scene;
    scene.pieces = test::random_mosaic(catalogue, 8, seed, 0.3, true);
    simulator::Camera camera({}, light, seed + 500);
    const cv::Mat frame = camera.render(simulator::world_from(catalogue, scene), 0.1);
    const auto seen = vision::detect_polygons({frame, &camera.map(), {}}, catalogue);
    int found = 0;
    for (const Piece& truth : scene.pieces) {
        const auto it = std::find_if(seen.begin(), seen.end(), [&](const Piece& p) {
            return p.type == truth.type && std::hypot(p.x - truth.x, p.y - truth.y) < 10;
        });
        ++tally.pieces;
        if (it == seen.end()) continue;
        ++found;
        const Point off{it->x - truth.x, it->y - truth.y};
        const double turned = std::remainder(it->angle - truth.angle, symmetry(truth.type)) * 180 /
                              M_PI;
        tally.sum = tally.sum + off;
        tally.off_mm.push_back(length(off));
        tally.off_deg.push_back(std::abs(turned));
        const bool beyond = length(off) > 1 || std::abs(turned) > 1;
        tally.beyond += beyond;
        if (each && beyond)
            std::printf(
                "  %s %llu %-14s at %4.0f %4.0f  off %+.2f %+.2f mm %+.2f deg  confidence %.2f\n",
                light, static_cast<unsigned long long>(seed), truth.type.c_str(), truth.x, truth.y,
                off.x, off.y, turned, it->confidence);
    }
    tally.found += found;
    tally.extra += static_cast<int>(seen.size()) - found;
}

}  // namespace

int main(int argc, char** argv) {
    const std::uint64_t first = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 9000;
    const int count = argc > 2 ? std::atoi(argv[2]) : 15;
    const bool each = argc > 3 && std::string(argv[3]) == "each";
    const Catalogue catalogue = test::mosaic_catalogue();
    for (const char* light : {"easy", "cafe", "harsh"}) {
        Tally t;
        for (int i = 0; i < count; ++i)
            look(catalogue, light, first + static_cast<std::uint64_t>(i), each, t);
        const double n = std::max(1, t.found);
        std::printf(
            "%-5s %d of %d found, %d extra; median %.2f mm %.2f deg, p95 %.2f mm %.2f deg; beyond "
            "1 mm or 1 deg %d; mean %+.2f %+.2f mm\n",
            light, t.found, t.pieces, t.extra, part_of(t.off_mm, 0.5), part_of(t.off_deg, 0.5),
            part_of(t.off_mm, 0.95), part_of(t.off_deg, 0.95), t.beyond, t.sum.x / n, t.sum.y / n);
    }
}
