#pragma once

#include <optional>

#include "calibration/table_frame.hpp"

/// Has the camera or the table been bumped? Watched all evening, by the markers.
namespace overboard::calibration {

struct DriftLimits {
    double ignore_mm = 0.6;   ///< Below: marker jitter. Lower: re-registers for nothing.
    double help_mm = 60;      ///< Above: somebody moved the camera for good; a person should look.
    int agreeing_frames = 5;  ///< How many frames must tell the same new place before it is
                              ///< believed.
    double agreement_mm = 0.5;
};

/// How far two maps disagree about the table, mm: the most over its corners and centre.
double disagreement_mm(const TableMap& a, const TableMap& b, const Table& table);

class DriftMonitor {
public:
    enum class State { steady, moving, moved, needs_help, blind };
    struct Report {
        State state = State::steady;
        double mm = 0;
    };

    DriftMonitor(Table table, TableMap map, std::optional<Intrinsics> lens = {},
                 DriftLimits limits = {});

    /// Looks at the markers of one frame. `moved`: map() is new since the last call, and what was
    /// seen in between must not be scored. `moving`: wait. `blind`: too few markers to tell.
    Report look(const cv::Mat& bgr);
    Report look(const std::vector<SeenMarker>& markers, cv::Size size);
    [[nodiscard]] const TableMap& map() const { return map_; }

private:
    Table table_;
    TableMap map_;
    std::optional<Intrinsics> lens_;
    DriftLimits limits_;
    std::optional<TableMap> candidate_;
    int agreeing_ = 0;
};

}  // namespace overboard::calibration
