#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bus/geometry.hpp"

namespace overboard {

struct TrackPoint {
    double t = 0;  ///< Source time, s.
    double x = 0;  ///< Board frame, mm.
    double y = 0;
};

struct Track {
    int id = 0;
    std::string type;
    std::vector<TrackPoint> points;
};

/// A disc that fell into a pocket, or (pocket empty) left the board.
struct Fallen {
    int id = 0;
    std::string type;
    std::string pocket;
    double time = 0;
};

/// One stroke from the first motion to rest. All positions in the board frame.
struct Shot {
    std::string shot_id;
    double start = 0;
    double end = 0;
    double fps = 0;
    std::string board;
    std::vector<Track> tracks;
    std::vector<Fallen> pocketed;
    std::vector<Fallen> ejected;
    std::optional<Point> striker_from;
    std::optional<double> confidence;  ///< Predictions only: fades with the number of collisions.
};

}  // namespace overboard
