#pragma once

#include <array>
#include <opencv2/core.hpp>
#include <vector>

#include "vision/dice/die_faces.hpp"

/// The body of a die round the pips of one face: where it ends, and how little it looks like one.
namespace overboard::vision::die {

constexpr int kDirections = 32;
/// Half a body's edge, in lattice units; 1.3 to 2.8 on dice measured.
constexpr float kSmallestHalf = 1.3f;
using Ends = std::array<float, kDirections>;

cv::Point2f apply(const cv::Matx22f& m, cv::Point2f p);
float root_area(const cv::Matx22f& m);
cv::Point2f on_face(const DieFace& face, cv::Point2f lattice);
/// Pip shape, size and the colours, as its pips have them on the mean.
void take_looks(DieFace& face, const std::vector<Pip>& pips);
/// A pip's shape by the lattice instead of by its outline, but as long: of light pips in hard light
/// half lies in their own shade.
void take_shape_of_lattice(DieFace& face);
/// Of one size, colour and foreshortening.
bool alike(const Pip& a, const Pip& b);

/// The face's own scale from pip (0) to body (1), and how far a colour lies off that line. Sheen
/// changes the body's colour along the face, not the pips'.
class DieGround {
public:
    DieGround(const Pyramid& pyramid, const DieFace& face)
        : pyramid_{pyramid},
          level_{pyramid.level_for(face.pip_radius, 3.5)},
          coarse_{pyramid.level_for(face.pip_radius, 2.6)},
          face_{face},
          axis_{face.body_colour - face.pip_colour},
          norm2_{std::max(axis_.dot(axis_), 1.f)} {}

    [[nodiscard]] float signal(cv::Point2f p) const {
        const cv::Vec3f axis = axis_at(p);
        return axis.dot(pyramid_.at(level_, p) - face_.pip_colour) /
               std::max(axis.dot(axis), norm2_ / 4);
    }
    [[nodiscard]] bool plain(cv::Point2f p, float slack = 0.34f) const {
        const cv::Vec3f off = pyramid_.at(level_, p) - face_.pip_colour, axis = axis_at(p);
        const float norm2 = std::max(axis.dot(axis), norm2_ / 4), s = axis.dot(off) / norm2;
        const cv::Vec3f aside = off - axis * s;
        const float limit = slack * std::sqrt(norm2) + 2;
        return std::abs(s - 1) * std::sqrt(norm2) < limit && aside.dot(aside) < limit * limit;
    }

    /// Does the colour change from one place to the other by more than body shading would?
    [[nodiscard]] bool step(cv::Point2f a, cv::Point2f b) const {
        const cv::Vec3f change = pyramid_.at(coarse_, b) - pyramid_.at(coarse_, a);
        return cv::norm(change) > 0.09 * std::sqrt(norm2_) + 4;
    }

private:
    [[nodiscard]] cv::Vec3f axis_at(cv::Point2f p) const;

    const Pyramid& pyramid_;
    int level_, coarse_;
    const DieFace& face_;
    cv::Vec3f axis_;
    float norm2_;
};

/// Distances (lattice units) at which the body ends, by direction; `far` where it does not.
Ends body_ends(const DieGround& ground, const DieFace& face,
               const std::vector<cv::Point2f>& pips_at, float from, float far);
/// Where the next spot of a print is met, nothing has ended.
void forget_ends_at_spots(const DieFace& face, const std::vector<Pip>& pips,
                          const std::vector<cv::Point2f>& at, float far, Ends& ends);
float bounded_share(const Ends& ends, float from, float to);
float typical_edge(const Ends& ends, const DieFace& face);
/// Share of directions in which the colour within goes on beyond what ended it, or never ends: what
/// rings a piece of print is thin, and beyond it is the paper again. Beside a die is something
/// else.
float goes_on_share(const Pyramid& pyramid, const DieFace& face, const Ends& ends, float far);
/// Largest share of directions in which the body ends as a square of one size would, turned by one
/// of `turns` angles.
float square_share(const Ends& ends, float smallest, int turns);
/// Ends equally far away all round: a disc with a mark in its middle, not a die. A line that meets
/// a printed ring makes a part of them unequal; of a square's no more than half are alike.
constexpr float kRingShare = 0.85f;
bool is_round(const Ends& ends, float ring_share = kRingShare);
/// Doubt from ground that goes on beyond what ends it.
double paper(const Pyramid& pyramid, const DieFace& face, const Ends& ends, float far);
/// Doubt that so many pips in their places outweigh.
double bearable_doubt(const FaceLimits& limits, std::size_t pips);
/// 0: round pips, a square body, nothing more of the kind beside them; above 1.7: mostly print.
double doubt_of(const DieFace& face, const std::vector<Pip>& pips,
                const std::vector<cv::Point2f>& at, float square);

}  // namespace overboard::vision::die
