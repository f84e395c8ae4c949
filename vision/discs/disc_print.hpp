#pragma once

#include <vector>

#include "vision/discs/disc_choice.hpp"

/// Which circles on a board are drawn on it.
namespace overboard::vision {

/// A circle that may be a disc.
struct Candidate {
    Circle circle;
    cv::Vec3f lab, core_lab, rim_lab, surface;
    Point at;  // board frame, mm
    bool print = false;
    bool spot = false;  // print smaller than a disc, with bare board round it
};

/// Marks those that are print, and drops those that discs or shadows form about a printed spot.
/// `r_mm`: radius of the smaller discs; `ground` has a board.
void mark_print(const Ground& ground, double r_mm, std::vector<Candidate>& all);

}  // namespace overboard::vision
