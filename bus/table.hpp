#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "bus/geometry.hpp"

namespace overboard {

/// A printed square by which cameras find the table.
struct TableMarker {
    int id = 0;
    Point centre;
};

/// A table: its size and its markers. The default is the contract's; others are data files.
struct Table {
    double width_mm = 1200;
    double height_mm = 675;
    double marker_mm = 50;                   ///< Side of the black square.
    std::string dictionary = "DICT_4X4_50";  ///< ArUco dictionary of the ids below.
    std::vector<TableMarker> markers = {
        {0, {40, 40}}, {1, {1160, 40}}, {2, {1160, 635}}, {3, {40, 635}}};
};

/// Reads a table file (JSON with the names above). Throws std::runtime_error with one sentence.
Table load_table(const std::filesystem::path& file);

}  // namespace overboard
