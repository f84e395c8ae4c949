#pragma once

#include <string>
#include <vector>

#include "vision/colour.hpp"

namespace overboard::vision {

/// What a disc looks like, for telling its kind.
struct SeenDisc {
    cv::Vec3f lab;      ///< Its colour.
    cv::Vec3f surface;  ///< Lab of the surface around it.
    double size = 1;    ///< Its diameter over that of the catalogue's smallest discs.
    double rim = 1;     ///< Share of its rim that was seen: how far its size can be trusted.
};

struct DiscName {
    std::string type;
    double confidence = 1;
    std::string other;  ///< The next best type; empty when there is none.
};

/// Names all discs of one picture together: what is light and what is dark, red or just brown shows
/// best beside the others. Without disc kinds in the catalogue: the nearest palette colour.
std::vector<DiscName> name_discs(const std::vector<SeenDisc>& looks, const Catalogue& catalogue);

}  // namespace overboard::vision
