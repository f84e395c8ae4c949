#include "calibration/table_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>

// The pose is fixed mostly by the distances between the markers, which a tape measured; their own
// size comes from the printer. Where the two disagree the printer is to blame.
namespace overboard::calibration {
namespace {

float median(std::vector<float> v) {
    const auto middle = v.begin() + std::ptrdiff_t(v.size() / 2);
    std::nth_element(v.begin(), middle, v.end());
    if (v.size() % 2) return *middle;
    return (*middle + *std::max_element(v.begin(), middle)) / 2;
}

SeenMarker median_of(int id, const std::vector<const SeenMarker*>& sightings) {
    SeenMarker out{id, {}};
    for (std::size_t corner = 0; corner < 4; ++corner) {
        std::vector<float> x, y;
        for (const SeenMarker* s : sightings) {
            x.push_back(s->corners_px[corner].x);
            y.push_back(s->corners_px[corner].y);
        }
        out.corners_px.emplace_back(median(x), median(y));
    }
    return out;
}

}  // namespace

std::vector<SeenMarker> average_markers(const std::vector<std::vector<SeenMarker>>& pictures) {
    std::map<int, std::vector<const SeenMarker*>> by_id;
    std::size_t seeing = 0;
    for (const auto& picture : pictures) {
        seeing += !picture.empty();
        for (const SeenMarker& marker : picture) by_id[marker.id].push_back(&marker);
    }
    std::vector<SeenMarker> out;
    for (const auto& [id, sightings] : by_id)
        if (sightings.size() * 2 >= seeing) out.push_back(median_of(id, sightings));
    return out;
}

double printed_scale(const std::vector<SeenMarker>& markers, const TableMap& map,
                     const Table& table) {
    double sum = 0;
    int sides = 0;
    for (const SeenMarker& marker : markers)
        for (std::size_t i = 0; i < 4; ++i, ++sides)
            sum += distance(map.to_table(marker.corners_px[i]),
                            map.to_table(marker.corners_px[(i + 1) % 4]));
    return sides ? sum / sides / table.marker_mm : 1;
}

std::optional<TableFix> fix_table_as_seen(const std::vector<SeenMarker>& markers,
                                          const Table& table, cv::Size size,
                                          const Intrinsics* intrinsics) {
    const auto first = fix_table(markers, table, size, intrinsics);
    if (!first) return {};
    Table seen = table;
    seen.marker_mm *= printed_scale(markers, first->map, table);
    return fix_table(markers, seen, size, intrinsics);
}

std::string table_fault(const TableFix& fix, const std::vector<SeenMarker>& markers,
                        const Table& table, const TableLimits& limits) {
    const double scale = printed_scale(markers, fix.map, table);
    const auto eye = fix.map.eye();
    if (eye && ((*eye)[2] < limits.least_height_mm || (*eye)[2] > limits.most_height_mm))
        return fmt::format(
            "The camera would hang {:.2f} m above the table, which cannot be: check the table's "
            "size, the printed scale and the lens.",
            (*eye)[2] / 1000);
    const double bleeding = limits.shrink_px /
                            std::max(1.0,
                                     table.marker_mm * fix.map.px_per_mm({table.width_mm / 2,
                                                                          table.height_mm / 2}));
    if (scale > 1 + limits.scale_error || scale < 1 - limits.scale_error - bleeding)
        return fmt::format(
            "The markers measure {:.1f} mm, not {:g}: they were printed at {:.0f} %; print at 100 "
            "%, or measure the 100 mm bar and give --check-bar.",
            scale * table.marker_mm, table.marker_mm, 100 * scale);
    if (fix.rms_mm > limits.good_rms_mm)
        return fmt::format(
            "The markers disagree by {:.1f} mm (limit {:.1f}): lay each at its place on the table "
            "and see that the lens is this camera's.",
            fix.rms_mm, limits.good_rms_mm);
    return "";
}

double scale_of_bar(double bar_mm) {
    if (!(bar_mm > 85 && bar_mm < 115))
        throw std::runtime_error(
            fmt::format("a bar of {:g} mm is too far from 100 for a printer's scale: measure the "
                        "100 mm bar again, in millimetres, and print at 100 %",
                        bar_mm));
    return bar_mm / 100;
}

}  // namespace overboard::calibration
