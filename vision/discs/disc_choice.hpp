#pragma once

#include <optional>
#include <vector>

#include "vision/colour.hpp"
#include "vision/discs/circles.hpp"
#include "vision/discs/plane.hpp"

/// Which of the circles in a picture are discs, and which are print, holes, shadows or chance.
namespace overboard::vision {

struct ChoiceLimits {
    double plain_support = 0.80;   ///< Rim needed by a disc coloured like its surface. Lower: more
                                   ///< printed rings.
    double bright_support = 0.62;  ///< Rim needed by one that stands out. Lower: more false discs
                                   ///< in clusters.
    double turned_bonus = 0.10;    ///< So much less rim for one with grooves round its centre.
                                   ///< Higher: rings in rings of print.
    double bare_face = 0.35;  ///< A face that is ground to a greater share than 1 less this needs
                              ///< more rim …
    double bare_face_rim = 0.15;   ///< … up to so much more. Lower: outlines drawn on the board.
    double covered_bonus = 0.04;   ///< So much less rim for one whose face is nowhere like the
                                   ///< ground. Higher: clutter.
    double outline_contrast = 40;  ///< Sharper than this about a face that is all ground: drawn.
                                   ///< Higher: drawn rings pass.
    double worn = 0;  ///< 0…1: how far a faint colour of its own, and edges beside stronger
                      ///< ones, make up for rim. Higher: pale or blurred print.
    double least_alike = 0.75;   ///< Circle::alike below which a faint face may be grain. Lower:
                                 ///< knots and flames of the wood.
    double sure_face_step = 10;  ///< Circle::face_step from which a face so alike is of a colour of
                                 ///< its own. Lower: likewise.
    double whole_face_bonus = 0.10;  ///< So much less rim, on photographs, for a face that is
                                     ///< clearly of another colour all over: noise hides rims.
                                     ///< Higher: shadows and pale print.
    double nested_bonus = 0.06;  ///< So much less rim for one with a clear groove about the same
                                 ///< centre.
    double pattern = 13;       ///< Circle::pattern from which a face may be letters or lines: wood,
                               ///< grooves and noise reach 12. Lower: worn men are lost.
    double pattern_rim = 0.2;  ///< So much more rim for what has clearly more than that; strikers
                               ///< with print on them have it. Lower: letters.
    double large_rim = 0.10;   ///< So much more rim for the larger kind. Lower: smaller discs with
                               ///< their shadows.
    double bare_rim = 0.80;    ///< Rim needed where nothing is known of the place. Lower: clutter
                               ///< beside the table.
    double bare_round = 1.54;  ///< Likewise of rim and Circle::rings together. Lower: letters and
                               ///< pips.
    double trusted_rim = 0.10;    ///< So much less of the former, …
    double trusted_round = 0.16;  ///< … and of the latter, where many clear discs of one size are
                                  ///< seen.
    double tiny = 0.0095;  ///< Radius over the picture's longer side below which more roundness is
                           ///< asked for.
    double on_something = 45;  ///< Grey levels between what is around it and the ground: not on the
                               ///< ground. Lower: discs on print are lost.
    double size_tolerance = 0.11;  ///< Of the radius. Higher: printed circles of other sizes pass.
    double clear_size_tolerance = 0.03;  ///< Added for those with nearly all of their rim.
    double overlap = 0.82;  ///< Centres nearer than this share of both radii: only one is a disc.
    double clustered_rim = 0.74;  ///< Rim needed by one that touches two discs; less for more.
                                  ///< Lower: the gaps of a cluster.
    double least_clustered_rim = 0.55;  ///< Rim needed in the middle of a cluster.
    double clustered_bare_rim = 0.1;  ///< So much more where the face is mostly ground, less where
                                      ///< none of it is.
    double clustered_step = 0.45;     ///< Likewise of Circle::step.
    double clustered_overlap = 0.9;   ///< Likewise instead of `overlap`.
    double touch = 0.08;              ///< So near to the sum of both radii is touching.
};

/// What is known of the place. All in pixels of the picture the circles were found in.
struct Ground {
    double r_px = 0;                   ///< Radius of the smaller discs.
    double large = 0;                  ///< Radius of the larger kind over it; 0: there is none.
    const BoardKind* board = nullptr;  ///< With its plane: where holes and print are.
    const Plane* plane = nullptr;
    /// Colours of the discs against the catalogue's surface (Lab).
    std::vector<cv::Vec3f> disc_tints = {};
    /// How far print may be off: 0 from a calibrated camera, more from corners.
    double slack_mm = 0;
    double edge_mm = 0;    ///< How far the edges of the surface may be off.
    double spread = 1.06;  ///< How far the discs may be from their nominal size, as a factor.
    double far = 1;        ///< How much larger they may be when several agree.
    /// Where circles were recognised as print already, board frame.
    std::vector<Point> printed = {};
    Walls walls = {};  ///< Of the discs.
};

struct ChosenDisc {
    Circle circle;
    cv::Vec3f lab, surface;
    double quality = 0;
};

/// The radius most circles of disc quality share, near r_px (within `spread` either way); up to
/// `far` times as large when several agree on it: men of one size are sold with boards of all
/// sizes.
double common_radius(const std::vector<Circle>& circles, double r_px, double spread,
                     double far = 1);

std::vector<ChosenDisc> choose_discs(const cv::Mat& bgr, const std::vector<Circle>& circles,
                                     Ground ground, const ChoiceLimits& limits = {});

/// The colours of chosen discs and of the ground from another picture of the same place.
void take_colours(const cv::Mat& bgr, double r_px, std::vector<ChosenDisc>& discs);

}  // namespace overboard::vision
