#include "vision/dice/die_ones.hpp"

#include <algorithm>
#include <cmath>

#include "vision/dice/die_body.hpp"

// A single pip is a face when plain body surrounds it and ends all round at the distance a die's
// edge would have, or when that body is a spot of a die's size itself.

namespace overboard::vision::die {
namespace {

constexpr float kLatticePerEdge = 0.25f;  // half pip spacing by edge; 0.22 to 0.28 on dice measured
constexpr float kSingleSpacing = 2.4f;    // the same by pip radius, where a lone pip leaves it open
// the one of many Asian dice: red, twice as large as other pips
constexpr float kLargeSpacing = 1.32f;
constexpr float kLargestPip = 0.24f;  // of the edge: the one of Asian dice
constexpr float kRoundest = 0.03f;    // least roughness of a die's whole outline: 0.039 on dice
                                      // looked at; a disc has none
// likewise about a large pip, which leaves little of the face: 0.81 of a printed ring, 0.5 of a
// square
constexpr float kLargeRingShare = 0.75f;

/// How far the ends that were found scatter about their median.
float scatter(const Ends& ends, float far) {
    std::vector<float> found;
    for (float e : ends)
        if (e < far) found.push_back(e);
    if (found.size() < 4) return far;
    std::sort(found.begin(), found.end());
    return found[found.size() * 3 / 4] - found[found.size() / 4];
}

/// A face about its centre: plain for a third of the edge all round, ended within a whole edge. On
/// a ground like the die's own colour a part of the outline is missing: the rest has to agree.
bool single_pip_face(const Pyramid& pyramid, const std::vector<Pip>& pips, float spacing,
                     const FaceLimits& limits, DieFace& face) {
    static const std::vector<cv::Point2f> centre = {{0, 0}};
    face.lattice = face.pip_shape * spacing;
    const DieGround ground{pyramid, face};
    const auto ends = body_ends(ground, face, centre, 1.55f / spacing, 4.4f);
    const float early = bounded_share(ends, 0.f, 1.1f), bounded = bounded_share(ends, 1.1f, 4.1f);
    const bool whole = bounded > limits.min_outline + 0.1 && early < 0.05f;
    const bool nearly = bounded > 0.75f && early < 0.24f && bounded + early > 0.95f;
    const bool half = bounded > 0.5f && early == 0 && scatter(ends, 4.1f) < 0.3f;
    if ((!whole && !nearly && !half) ||
        is_round(ends, spacing < kSingleSpacing ? kLargeRingShare : kRingShare))
        return false;
    const float smallest = std::max(kSmallestHalf, 0.5f / (kLargestPip * spacing));
    face.edge_px = typical_edge(ends, face);
    const double doubt = doubt_of(face, pips, centre, square_share(ends, smallest, 6)) +
                         paper(pyramid, face, ends, 4.4f);
    face.doubt = static_cast<float>(doubt / bearable_doubt(limits, 1));
    if (face.doubt > 1 + limits.benefit) return false;
    face.value = 1;
    face.fit = bounded;
    return true;
}

/// No second pip near the one, traced or not.
bool stands_alone(const Pyramid& pyramid, const DieFace& face) {
    const DieGround ground{pyramid, face};
    for (float reach = 1.7f * face.pip_radius; reach < 0.36f * face.edge_px;
         reach += 0.7f * face.pip_radius)
        for (int i = 0; i < kDirections; ++i) {
            const double a = 2 * M_PI * i / kDirections;
            const cv::Point2f unit(static_cast<float>(std::cos(a)),
                                   static_cast<float>(std::sin(a)));
            if (ground.signal(face.centre +
                              apply(face.pip_shape, unit * (reach / face.pip_radius))) < 0.45f)
                return false;
        }
    return true;
}

bool is_red(const Pip& pip) {
    return pip.inside[2] > 1.6f * pip.inside[1] && pip.inside[2] > 1.6f * pip.inside[0] &&
           pip.ground[1] > 1.5f * pip.inside[1];
}

/// Speckles, a rim turned into the top or pips that shine through hide where the body of a one
/// ends. The body as a whole is then a spot itself: of the colour round the pip, of a die's size by
/// it, and neither a disc nor ragged.
bool single_pip_body(const Pyramid& pyramid, const std::vector<Pip>& pips, const Pip& body,
                     DieFace& face) {
    const float
        size = face.pip_radius /
               body.radius;  // 0.56 edges is the radius of a square's area, 0.75 with its sides
    const float largest = is_red(pips[face.pips.front()]) ? 0.42f : 0.2f;
    if (size < 0.09f || size > largest || body.roughness < kRoundest || body.aspect < 0.6f)
        return false;
    if (cv::norm(body.centre - face.centre) > 0.45f * body.radius) return false;
    if (cv::norm(body.inside - face.body_colour) >
        0.4 * cv::norm(face.body_colour - face.pip_colour))
        return false;
    if (pips[face.pips.front()].roughness > 0.065f + 0.1f / face.pip_radius) return false;
    face.edge_px = 1.6f * body.radius;
    face.lattice = face.pip_shape * (kLatticePerEdge * face.edge_px / face.pip_radius);
    face.value = 1;
    face.fit = 0.6f;
    face.doubt = 0.9f;
    return stands_alone(pyramid, face);
}

}  // namespace

void faces_of_one(const Pyramid& pyramid, const std::vector<Pip>& pips, const FaceLimits& limits,
                  std::vector<DieFace>& out) {
    for (int i = 0; i < static_cast<int>(pips.size()); ++i) {
        if (pips[i].aspect < 0.5f) continue;
        DieFace face;
        face.pips = {i};
        take_looks(face, pips);
        face.centre = pips[i].centre;
        DieFace small = face, large = face;
        if (single_pip_face(pyramid, pips, kSingleSpacing, limits, small)) out.push_back(small);
        if (is_red(pips[i]) && single_pip_face(pyramid, pips, kLargeSpacing, limits, large) &&
            large.fit > 0.7f)
            out.push_back(large);
        if (std::any_of(pips.begin(), pips.end(), [&](const Pip& body) {
                return single_pip_body(pyramid, pips, body, face);
            }))
            out.push_back(face);
    }
}

}  // namespace overboard::vision::die
