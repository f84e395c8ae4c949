#pragma once

#include <vector>

#include "vision/shapes/mosaic_patch.hpp"

/// Where in a patch of colour a piece may lie.
namespace overboard::vision {

struct Placement {
    int kind = 0;        ///< Index into catalogue.polygons.
    Pose pose;           ///< Table mm.
    double worth = 0;    ///< mm of fine line along its sides within the patch, less what is smooth
                         ///< there.
    double quality = 0;  ///< Share of its outline that shows, by the patch's edge or a fine line;
                         ///< less what lies outside.
};

struct PlaceLimits {
    double inside = 0.93;  ///< Share of a piece that must lie within its patch. Lower: hidden parts
                           ///< forgiven.
    double quality = 0.25;    ///< Higher: seams that hardly show are missed. Lower: slower.
    double one_piece = 0.85;  ///< Of a patch and a piece together, what they must share for the
                              ///< piece to be the patch …
    double rim_mm = 1.0;      ///< … or to be it less this much off all its sides:
                              ///< blur and shade take a sharp corner first.
    /// Places for one patch. Higher: larger mosaics of one colour, slower.
    std::size_t most = 160;
};

/// Best first. Pieces are laid with a side along each side of the patch and along the fine lines
/// this brings to light.
std::vector<Placement> places_in(const Patch& patch, const Catalogue& catalogue,
                                 const PlaceLimits& limits);

}  // namespace overboard::vision
