#pragma once

#include <opencv2/core.hpp>
#include <optional>
#include <vector>

#include "bus/table.hpp"
#include "calibration/table_map.hpp"

/// Where is the table in this picture? Found by its printed markers; pieces may lie about.
namespace overboard::calibration {

/// One of the table's markers in a picture: its corners clockwise from its own top-left.
struct SeenMarker {
    int id = 0;
    std::vector<cv::Point2f> corners_px;
};

/// The table's markers in a picture, sub-pixel. Others are ignored.
std::vector<SeenMarker> find_markers(const cv::Mat& bgr_or_gray, const Table& table);

/// Likewise of a camera that is nearly where it was: only where each marker should be.
std::vector<SeenMarker> find_markers_near(const cv::Mat& bgr_or_gray, const Table& table,
                                          const TableMap& map);

struct TableFix {
    TableMap map;
    int markers = 0;
    double rms_px = 0;  ///< Corners of the markers against the map.
    double rms_mm = 0;
};

/// The map from at least three markers. With intrinsics the lens is
/// corrected and the pose is exact; without, bend and focal length are estimated from the markers
/// themselves. Nothing when too few markers are seen.
std::optional<TableFix> fix_table(const std::vector<SeenMarker>& markers, const Table& table,
                                  cv::Size size, const Intrinsics* intrinsics = nullptr);

/// The map from the table's own corners, pointed at by hand, clockwise from the top left. Four
/// points of a flat table fit some camera always: what is measured is how well they fit one that
/// could be.
TableFix fix_table_by_corners(const std::vector<cv::Point2d>& corners_px, const Table& table,
                              cv::Size size, const Intrinsics* intrinsics = nullptr);

/// Both steps.
std::optional<TableMap> find_table(const cv::Mat& bgr_or_gray, const Table& table,
                                   const Intrinsics* intrinsics = nullptr);

/// Corners of a marker in table millimetres, in the order of SeenMarker.
std::vector<Point> marker_corners(const Table& table, const TableMarker& marker);

}  // namespace overboard::calibration
