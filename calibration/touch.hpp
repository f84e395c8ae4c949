#pragma once

#include <string>
#include <vector>

#include "calibration/profile.hpp"

/// Targets shown, touched, mapped.
namespace overboard::calibration {

/// Where to touch, in table millimetres: enough to see a bad touch among them.
std::vector<Point> touch_targets(const Table& table);

struct TouchResult {
    TouchFix fix;
    bool good = false;
    std::string verdict;
    std::vector<double> error_mm;  ///< A target each.
};

/// `touched`: raw coordinates, in the order of `targets`. One wild touch is found and left out.
TouchResult solve_touch(const std::vector<Point>& targets, const std::vector<Point>& touched,
                        double good_rms_mm = 4);

}  // namespace overboard::calibration
