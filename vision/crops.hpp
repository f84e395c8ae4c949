#pragma once

#include <opencv2/core.hpp>
#include <optional>
#include <string>
#include <vector>

#include "bus/observation.hpp"
#include "bus/table.hpp"
#include "calibration/table_map.hpp"

/// Evidence: small pictures of what changed on the table, for whoever asks later why a move was
/// scored. They are cut from the table's surface, seen from straight above; what lies beyond its
/// edge is black.
namespace overboard::vision {

/// A box round a piece that came, went or moved, and the JPEG of it.
struct Crop {
    Point at;  ///< Its middle on the table, mm.
    double side_mm = 0;
    std::string what;  ///< "came" or "went".
    std::vector<unsigned char> jpeg;
};

class Crops {
public:
    explicit Crops(const Table& table) : table_{table} {}
    /// What changed since the table was last still; empty while it is not, or when nothing did.
    std::vector<Crop> take(const cv::Mat& bgr, const calibration::TableMap& map,
                           const Observation& seen);

private:
    Table table_;
    std::optional<Observation> before_;
};

/// [{"at":[x,y],"side_mm":60,"what":"came","jpeg":"<base64>"}]
std::string crops_json(const std::vector<Crop>& crops);

}  // namespace overboard::vision
