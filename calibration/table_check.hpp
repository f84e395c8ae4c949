#pragma once

#include <string>
#include <vector>

#include "calibration/table_frame.hpp"

/// The table from several pictures, and whether to believe it.
namespace overboard::calibration {

/// Each corner's median over the pictures; markers seen in fewer than half of those that show any
/// are left out.
std::vector<SeenMarker> average_markers(const std::vector<std::vector<SeenMarker>>& pictures);

/// Side of the printed markers by the distances between them, over what it should be: 0.97 is a
/// page printed at 97 %. 1 when nothing is seen.
double printed_scale(const std::vector<SeenMarker>& markers, const TableMap& map,
                     const Table& table);

struct TableLimits {
    double good_rms_mm = 1.0;    ///< Above: a marker was moved, or the lens is not this camera's.
    double scale_error = 0.015;  ///< Share by which the markers' size may be off.
    double shrink_px = 1.5;  ///< Blur and gamma make ink look so much narrower. Measured: 1.3 px.
    double least_height_mm = 400,
           most_height_mm = 4000;  ///< A lens outside is a wrong scale or a wrong lens.
};

/// fix_table() with the markers as large as they look: light bleeds over the edges of ink, which
/// moves no marker but would count as error.
std::optional<TableFix> fix_table_as_seen(const std::vector<SeenMarker>& markers,
                                          const Table& table, cv::Size size,
                                          const Intrinsics* intrinsics = nullptr);

/// Empty when good; else one sentence: what is wrong and what to do.
std::string table_fault(const TableFix& fix, const std::vector<SeenMarker>& markers,
                        const Table& table, const TableLimits& limits = {});

/// What was printed when its 100 mm bar measures `bar_mm`. Throws std::runtime_error when that is
/// no printer's error but a wrong bar or a wrong unit.
double scale_of_bar(double bar_mm);

}  // namespace overboard::calibration
