#pragma once

#include <opencv2/core.hpp>
#include <vector>

/// Round things in one picture, whatever their colour, also touching ones.
namespace overboard::vision {

struct Circle {
    cv::Point2d centre;  ///< Pixels.
    double r = 0;        ///< Pixels.
    double support = 0;  ///< Share of the rim where an edge was found, 0…1.
    /// Likewise, counting edges right at the rim beside which a stronger one runs (a groove, a
    /// line, a shadow, a neighbour).
    double near_support = 0;
    /// Share of the rim with another colour inside than outside: a line has none.
    double step = 0;
    double contrast = 0;  ///< Mean colour difference across the rim, grey levels.
    /// Share of the directions in which the face differs from what lies well beyond the rim in one
    /// and the same way, however little: grain and lines do not. Near 1 for a faint disc.
    double alike = 0;
    double face_step = 0;  ///< That difference, grey levels.
    double rings = 0;  ///< 0…1: how much of the pattern inside runs in circles about the centre;
                       ///< 0.5: no telling.
    double pattern = 0;  ///< How much there is across such circles, grey levels: letters, not wood.
    double score = 0;    ///< What rivals for the same place are compared by.
    cv::Vec3f rim;       ///< Mean BGR just inside the rim.
    cv::Vec3f core;      ///< Median-like mean BGR of the inner two thirds.
    cv::Vec3f around;    ///< Mean BGR just outside.
};

/// Discs are not flat: their walls show on the side of the camera, down to the lower face.
struct Walls {
    cv::Point2d below_eye;  ///< The point below the camera, pixels.
    double share = 0;       ///< So much nearer to it, of the distance, the lower face is seen than
                            ///< the upper one; 0: not known.
    /// From the middle of an upper face to that of its lower one.
    [[nodiscard]] cv::Point2d at(cv::Point2d centre) const { return (below_eye - centre) * share; }
};

struct CircleSearch {
    double r_min_px = 6;
    double r_max_px = 60;
    double min_votes = 0.22;   ///< Share of a full rim that must vote for a centre. Lower: slower,
                               ///< more clutter.
    double min_support = 0.5;  ///< Share of rays that must meet the rim. Lower: finds covered
                               ///< discs, and clutter.
    int max_candidates = 400;  ///< Best voted places that are looked at closely.
    cv::Mat mask;              ///< 8 bit or empty: centres only where it is not 0.
    Walls walls = {};          ///< Of what stands on the plane that is shown.
};

/// Every circle with enough rim, best first. Circles may overlap: rings in rings are all listed.
std::vector<Circle> find_circles(const cv::Mat& bgr, const CircleSearch& search);

/// Fits one circle near a guess. False when there is too little rim.
bool fit_circle(const cv::Mat& bgr, Circle& circle, double search_share = 0.3,
                const Walls& walls = {});

/// Its colours (rim, core, around) once more, from another picture of the same place.
void take_colours(const cv::Mat& bgr, Circle& circle);

/// The centre of its upper face. A shadow beside a disc pulls its fit to that side: shade changes
/// no hue, so a disc whose colour differs in hue from the surface (BGR) is fitted once more by hue
/// alone. The wall below it does, too, where it looks like the face.
void fit_top(const cv::Mat& bgr, const cv::Vec3f& surface, const Walls& walls, Circle& circle);

}  // namespace overboard::vision
