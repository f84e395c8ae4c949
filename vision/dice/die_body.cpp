#include "vision/dice/die_body.hpp"

#include <algorithm>
#include <cmath>

// Rays from the middle of a face run over plain body until it ends. A die's body ends as a square
// about its pips; what is known to be no end, and what does not look like a die, is doubt.

namespace overboard::vision::die {
namespace {

constexpr float kLargestHalf = 3.f;  // half a body's edge, in lattice units; 1.3 to 2.8 on dice
                                     // measured
constexpr float kWithinEdge = 2.2f;  // lattice units: nearer than a neighbour's pips

// doubt outweighed by so many pips in their places; a lone spot has to be the better for it
constexpr std::array<double, 5> kPatternTells = {0, -0.3, 0, 0.25, 0.5};
// doubt added when the ground goes on beyond in every direction, by pips: that is paper round
// print; a lone pip on a white die on a white table shows much the same
constexpr std::array<double, 5> kOnPaper = {0, 0.4, 2, 2, 1.5};
constexpr float kMayGoOn = 0.15f;   // share of directions in which it does on most dice
constexpr float kSquarest = 1.07f;  // farthest by nearest end: 1 for a disc, 1.2 and more for dice
                                    // with round edges

/// Doubt from like spots that are not of the pattern: within what would be the die's edge, or where
/// a grid would go on.
double goes_on(const DieFace& face, const std::vector<Pip>& pips,
               const std::vector<cv::Point2f>& at) {
    const cv::Matx22f inverse = face.lattice.inv();
    double sum = 0;
    for (const Pip& pip : pips) {
        const cv::Point2f place = apply(inverse, pip.centre - face.centre);
        const float x = std::abs(place.x), y = std::abs(place.y);
        if (std::max(x, y) > 3.4f || !die::alike(pip, pips[face.pips.front()])) continue;
        if (std::max(x, y) < kWithinEdge)
            sum += std::any_of(at.begin(), at.end(),
                               [&](cv::Point2f p) { return cv::norm(place - p) < 0.5; })
                       ? 0
                       : 0.5;
        else if (at.size() >= 4 && std::abs(std::max(x, y) - 3) < 0.4f &&
                 std::abs(std::min(x, y) - 1) < 0.4f)
            sum += 0.3;
    }
    return sum;
}

/// Doubt from how it looks: print, grain and letters are faint, small, seen flat, and their dots
/// lie close together. Each term is nought for nearly all dice.
double poor_looks(const DieFace& face, float edge_px) {
    const double faint = 1 - cv::norm(face.body_colour - face.pip_colour) / 130,
                 small = 1 - edge_px / 30, flat = 0.8 - face.aspect;
    return (face.pips.size() > 1 ? 2.0 : 1.0) * std::max(0.0, faint) + 1.4 * std::max(0.0, small) +
           0.8 * std::max(0.0, flat);
}

void take_size(DieFace& face) {
    face.pip_radius = root_area(face.pip_shape);
    const float mean = 0.5f * (face.pip_shape(0, 0) + face.pip_shape(1, 1));
    const float half = std::hypot(0.5f * (face.pip_shape(0, 0) - face.pip_shape(1, 1)),
                                  face.pip_shape(0, 1));
    face.aspect = std::max(0.f, mean - half) / (mean + half);
}

}  // namespace

cv::Point2f apply(const cv::Matx22f& m, cv::Point2f p) {
    return {m(0, 0) * p.x + m(0, 1) * p.y, m(1, 0) * p.x + m(1, 1) * p.y};
}

float root_area(const cv::Matx22f& m) {
    return std::sqrt(std::abs(static_cast<float>(cv::determinant(m))));
}

cv::Point2f on_face(const DieFace& face, cv::Point2f lattice) {
    return face.centre + apply(face.lattice, lattice);
}

void take_looks(DieFace& face, const std::vector<Pip>& pips) {
    cv::Matx22f shape = cv::Matx22f::zeros();
    cv::Vec3f inside, ground;
    for (int i : face.pips) {
        shape = shape + pips[i].shape;
        inside += pips[i].inside;
        ground += pips[i].ground;
    }
    const float share = 1.f / static_cast<float>(face.pips.size());
    face.pip_shape = shape * share;
    face.pip_colour = inside * share;
    face.body_colour = ground * share;
    take_size(face);
}

void take_shape_of_lattice(DieFace& face) {
    const float long_px = face.pip_radius / std::sqrt(std::max(face.aspect, 0.1f));
    face.pip_shape = face.lattice * face.lattice.t() +
                     cv::Matx22f::eye() *
                         std::abs(static_cast<float>(cv::determinant(face.lattice)));
    take_size(face);
    face.pip_shape = face.pip_shape * (long_px * std::sqrt(face.aspect) / face.pip_radius);
    take_size(face);
}

bool alike(const Pip& a, const Pip& b) {
    const float big = std::max(a.radius, b.radius), small = std::min(a.radius, b.radius);
    if (small * 1.35f + 0.25f < big) return false;
    const double contrast = std::max(cv::norm(a.ground - a.inside), cv::norm(b.ground - b.inside));
    if (cv::norm(a.inside - b.inside) > 0.45 * contrast + 8) return false;
    if (cv::norm(a.ground - b.ground) > 0.55 * contrast + 8) return false;
    const cv::Matx22f difference = a.shape - b.shape;
    return cv::norm(difference) < 0.40f * big + 0.3f;
}

/// Beyond the die sheen says nothing.
cv::Vec3f DieGround::axis_at(cv::Point2f p) const {
    if (face_.sheen == cv::Matx32f::zeros()) return axis_;
    const cv::Point2f off = p - face_.centre;
    const float far = static_cast<float>(cv::norm(off)), reach = 2 * root_area(face_.lattice);
    const cv::Point2f on = off * std::min(1.f, reach / std::max(far, 1.f));
    return axis_ + face_.sheen * cv::Vec2f(on.x, on.y);
}

Ends body_ends(const DieGround& ground, const DieFace& face,
               const std::vector<cv::Point2f>& pips_at, float from, float far) {
    const cv::Matx22f inverse = face.pip_shape.inv();
    Ends ends;
    for (int i = 0; i < kDirections; ++i) {
        const double a = 2 * M_PI * i / kDirections;
        const cv::Point2f d(static_cast<float>(std::cos(a)), static_cast<float>(std::sin(a)));
        ends[i] = far;
        for (float t = from; t < far; t += 0.1f) {
            const cv::Point2f p = on_face(face, d * t), q = on_face(face, d * (t + 0.35f));
            const bool pip = std::any_of(pips_at.begin(), pips_at.end(), [&](cv::Point2f at) {
                const cv::Point2f centre = on_face(face, at);
                return cv::norm(apply(inverse, p - centre)) < 1.6 ||
                       cv::norm(apply(inverse, q - centre)) < 1.6;
            });
            if (pip || (ground.plain(p) && !ground.step(p, q))) continue;
            ends[i] = t + 0.15f;
            break;
        }
    }
    return ends;
}

float bounded_share(const Ends& ends, float from, float to) {
    const auto n = std::count_if(ends.begin(), ends.end(),
                                 [&](float e) { return e >= from && e <= to; });
    return static_cast<float>(n) / kDirections;
}

float typical_edge(const Ends& ends, const DieFace& face) {
    // Sides of the same colour run on beyond the face: the nearer quarter of the ends tells more.
    auto sorted = ends;
    std::sort(sorted.begin(), sorted.end());
    const float half = std::clamp(sorted[kDirections / 3], 1.7f, 2.4f);
    return 2 * half * root_area(face.lattice);
}

float goes_on_share(const Pyramid& pyramid, const DieFace& face, const Ends& ends, float far) {
    const int level = pyramid.level_for(face.pip_radius, 3.5);
    const double slack = 0.07 * cv::norm(face.body_colour - face.pip_colour) + 6;
    int on = 0;
    for (int i = 0; i < kDirections; ++i) {
        const double a = 2 * M_PI * i / kDirections;
        const cv::Point2f d(static_cast<float>(std::cos(a)), static_cast<float>(std::sin(a)));
        const auto seen = [&](float t) { return pyramid.at(level, on_face(face, d * t)); };
        const cv::Vec3f within = seen(ends[i] - 0.45f);
        bool again = ends[i] >= far;
        for (float t = ends[i] + 0.4f; t < ends[i] + 1.6f && !again; t += 0.2f)
            again = cv::norm(seen(t) - within) < slack && cv::norm(seen(t + 0.2f) - within) < slack;
        on += again;
    }
    return static_cast<float>(on) / kDirections;
}

float square_share(const Ends& ends, float smallest, int turns) {
    float best = 0;
    for (int turn = 0; turn < turns; ++turn) {
        Ends half;
        for (int i = 0; i < kDirections; ++i) {
            const double a = 2 * M_PI * i / kDirections + 0.5 * M_PI * turn / turns;
            half[i] = ends[i] *
                      static_cast<float>(std::max(std::abs(std::cos(a)), std::abs(std::sin(a))));
        }
        for (float h = smallest; h < kLargestHalf; h += 0.05f)
            best = std::max(best, bounded_share(half, 0.84f * h, 1.16f * h));
    }
    return best;
}

bool is_round(const Ends& ends, float ring_share) {
    auto sorted = ends;
    std::sort(sorted.begin(), sorted.end());
    const float middle = sorted[kDirections / 2];
    return sorted[kDirections * 9 / 10] < kSquarest * sorted[kDirections / 10] ||
           bounded_share(ends, 0.94f * middle, 1.06f * middle) > ring_share;
}

double paper(const Pyramid& pyramid, const DieFace& face, const Ends& ends, float far) {
    return kOnPaper[std::min<std::size_t>(face.pips.size(), 4)] *
           std::max(0.f, goes_on_share(pyramid, face, ends, far) - kMayGoOn);
}

double bearable_doubt(const FaceLimits& limits, std::size_t pips) {
    return limits.max_doubt + kPatternTells[std::min<std::size_t>(pips, 4)];
}

double doubt_of(const DieFace& face, const std::vector<Pip>& pips,
                const std::vector<cv::Point2f>& at, float square) {
    double rough = 0;
    for (int i : face.pips) rough += pips[i].roughness / static_cast<double>(face.pips.size());
    return rough / (0.06 + 0.06 / face.pip_radius) + 2 * (1 - square) +
           0.5 * goes_on(face, pips, at) + poor_looks(face, face.edge_px);
}

void forget_ends_at_spots(const DieFace& face, const std::vector<Pip>& pips,
                          const std::vector<cv::Point2f>& at, float far, Ends& ends) {
    const cv::Matx22f inverse = face.lattice.inv();
    const float reach = 1.4f * face.pip_radius / root_area(face.lattice);
    for (const Pip& pip : pips) {
        const cv::Point2f place = apply(inverse, pip.centre - face.centre);
        if (cv::norm(place) > far || !alike(pip, pips[face.pips.front()])) continue;
        if (std::any_of(at.begin(), at.end(),
                        [&](cv::Point2f p) { return cv::norm(place - p) < 0.5; }))
            continue;
        for (int i = 0; i < kDirections; ++i) {
            const double a = 2 * M_PI * i / kDirections;
            const cv::Point2f end(ends[i] * static_cast<float>(std::cos(a)),
                                  ends[i] * static_cast<float>(std::sin(a)));
            if (cv::norm(end - place) < reach) ends[i] = far;
        }
    }
}

}  // namespace overboard::vision::die
