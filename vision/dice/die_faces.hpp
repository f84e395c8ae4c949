#pragma once

#include <opencv2/core.hpp>
#include <vector>

#include "vision/dice/pips.hpp"

/// Faces of dice among spots: which spots belong together, and what they say.
namespace overboard::vision {

/// One face of a die, top or side. The lattice frame has its origin at the face's centre and the
/// corner pips at (±1, ±1).
struct DieFace {
    int value = 0;
    cv::Point2f centre;
    cv::Matx22f lattice;    ///< Lattice to pixels.
    cv::Matx22f pip_shape;  ///< Mean shape of the pips: how the face is foreshortened.
    float pip_radius = 0;
    float aspect = 1;  ///< 1: seen straight on.
    cv::Vec3f pip_colour, body_colour;
    cv::Matx32f sheen;      ///< By how much the body's colour changes along the face, per pixel.
    std::vector<int> pips;  ///< Indices of the spots used.
    float edge_px = 0;      ///< Estimated edge of the face.
    float fit = 0;          ///< 0..1: how well pattern, ground and outline agree.
    float doubt = 0;        ///< 0: surely a die; above 1: one only if others of its look are.
};

/// What passes for a face. Distances are in pip radii unless said otherwise.
struct FaceLimits {
    double min_spacing = 1.6;  ///< Half the distance between corner pips. Lower: letters pass.
    double max_spacing = 4.4;
    double max_residual = 0.55;  ///< Pips off their lattice. Higher: stronger perspective, more
                                 ///< chance patterns.
    double min_plain = 0.84;    ///< Share of the face that is of the body's colour where no pip is.
    double min_outline = 0.62;  ///< Share of directions in which the body ends where a die's would.
    double
        max_doubt = 1.7;   ///< Below it lie 279 of 281 dice photographed or rendered that show
                           ///< more than one pip, and 25 of 66 chance faces. Higher: print passes.
    double benefit = 0.6;  ///< Beyond it, as a share of it, a face is left to others to judge.
};

/// All faces, each spot in at most one of them; faces with more pips win.
std::vector<DieFace> find_die_faces(const Pyramid& pyramid, const std::vector<Pip>& pips,
                                    const FaceLimits& limits = {});

}  // namespace overboard::vision
