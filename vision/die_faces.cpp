#include "vision/die_faces.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "vision/die_body.hpp"

// The outline of a pip shows how its face is foreshortened: undo that and every face is a square
// lattice, turned and scaled. All values but one have pips in two opposite corners, so every pair
// of like spots is tried as such a pair; that fixes the lattice, and the picture itself is asked at
// all nine places: pip or body? Each value leaves exactly its own pattern. A single pip is a face
// when plain body surrounds it and ends all round at the distance a die's edge would have.
// Print shows such patterns too, so three things are weighed together as doubt: a die's pips are
// round, its body is a square of about the right size, and its pattern does not go on beyond it.

namespace overboard::vision {
namespace {

using namespace die;

constexpr float kLatticePerEdge = 0.25f;  // half pip spacing by edge; 0.22 to 0.28 on dice measured
constexpr float kSingleSpacing = 2.4f;    // the same by pip radius, where a lone pip leaves it open
// the one of many Asian dice: red, twice as large as other pips
constexpr float kLargeSpacing = 1.32f;
constexpr float kSquarest = 1.07f;  // farthest by nearest end: 1 for a disc, 1.2 and more for dice
                                    // with round edges
constexpr float kRingShare = 0.85f;
constexpr float kRoundest = 0.03f;     // least roughness of a die's whole outline: 0.039 on dice
                                       // looked at; a disc has none
constexpr float kLargestPip = 0.24f;   // of the edge: the one of Asian dice
constexpr float kCloseSpacing = 2.1f;  // half pip spacing by pip radius; 1.97 and more on dice seen
// doubt outweighed by so many pips in their places; a lone spot has to be the better for it
constexpr std::array<double, 5> kPatternTells = {0, -0.3, 0, 0.25, 0.5};
// rank lost with each pip that was not traced: below 1, or a four that lacks one is a two
constexpr float kLacking = 0.75f;
constexpr float kFar = 4.2f;  // lattice units: no body ends so far away
constexpr float kLast = 10;   // below the rank of any face that is not doubtful
// doubt added when the ground goes on beyond in every direction, by pips: that is paper round
// print; a lone pip on a white die on a white table shows much the same
constexpr std::array<double, 5> kPaper = {0, 0.4, 2, 2, 1.5};
constexpr float kMayGoOn = 0.15f;          // share of directions in which it does on most dice
constexpr float kFlattestLattice = 0.45f;  // of a top face seen from 60 degrees off the vertical
constexpr double kUntraced = 0.25;         // doubt for each pip that was not traced itself

struct Pattern {
    int value;
    std::vector<cv::Point2f> at;
};

const std::vector<Pattern>& patterns() {
    static const std::vector<Pattern> all = {
        {6, {{-1, -1}, {1, 1}, {-1, 1}, {1, -1}, {-1, 0}, {1, 0}}},
        {6, {{-1, -1}, {1, 1}, {-1, 1}, {1, -1}, {0, -1}, {0, 1}}},
        {5, {{-1, -1}, {1, 1}, {-1, 1}, {1, -1}, {0, 0}}},
        {4, {{-1, -1}, {1, 1}, {-1, 1}, {1, -1}}},
        {3, {{-1, -1}, {1, 1}, {0, 0}}},
        {2, {{-1, -1}, {1, 1}}},
    };
    return all;
}

void take_size(DieFace& face) {
    face.pip_radius = root_area(face.pip_shape);
    const float mean = 0.5f * (face.pip_shape(0, 0) + face.pip_shape(1, 1));
    const float half = std::hypot(0.5f * (face.pip_shape(0, 0) - face.pip_shape(1, 1)),
                                  face.pip_shape(0, 1));
    face.aspect = std::max(0.f, mean - half) / (mean + half);
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

/// A pip's shape by the lattice instead of by its outline, but as long: of light pips in hard light
/// half lies in their own shade.
void take_shape_of_lattice(DieFace& face) {
    const float long_px = face.pip_radius / std::sqrt(std::max(face.aspect, 0.1f));
    face.pip_shape = face.lattice * face.lattice.t() +
                     cv::Matx22f::eye() *
                         std::abs(static_cast<float>(cv::determinant(face.lattice)));
    take_size(face);
    face.pip_shape = face.pip_shape * (long_px * std::sqrt(face.aspect) / face.pip_radius);
    take_size(face);
}

/// Lattice with the two pips in opposite corners.
DieFace face_from_corners(const std::vector<Pip>& pips, int i, int j) {
    DieFace face;
    face.pips = {i, j};
    take_looks(face, pips);
    face.centre = (pips[i].centre + pips[j].centre) * 0.5f;
    const cv::Point2f n = apply(face.pip_shape.inv(), pips[j].centre - face.centre);
    const cv::Matx22f turn{0.5f * (n.x + n.y), 0.5f * (n.x - n.y), 0.5f * (n.y - n.x),
                           0.5f * (n.x + n.y)};
    face.lattice = face.pip_shape * turn;
    return face;
}

/// Lattice with the three pips in corners, the first two opposite: where they stand tells how the
/// face is foreshortened, whatever their outlines say.
DieFace face_from_three_corners(const std::vector<Pip>& pips, int i, int j, int k) {
    DieFace face;
    face.pips = {i, j, k};
    take_looks(face, pips);
    face.centre = (pips[i].centre + pips[j].centre) * 0.5f;
    const cv::Point2f u = (pips[j].centre - pips[k].centre) * 0.5f,
                      v = (pips[k].centre - pips[i].centre) * 0.5f;
    face.lattice = {u.x, v.x, u.y, v.y};
    take_shape_of_lattice(face);
    return face;
}

/// Nearest spot to a place on the lattice, within `reach` pip radii; -1: none.
int spot_near(const DieFace& face, const std::vector<Pip>& pips, const std::vector<int>& nearby,
              cv::Point2f place, float reach) {
    const cv::Matx22f inverse = face.pip_shape.inv();
    int best = -1;
    for (int k : nearby) {
        const float d = static_cast<float>(cv::norm(apply(inverse, pips[k].centre - place)));
        if (d < reach) reach = d, best = k;
    }
    return best;
}

/// Least squares: lattice and centre from places and the spots found there.
void refit(DieFace& face, const std::vector<Pip>& pips, const std::vector<cv::Point2f>& at) {
    cv::Mat a(static_cast<int>(at.size()), 3, CV_32F), b(static_cast<int>(at.size()), 2, CV_32F), x;
    for (int i = 0; i < a.rows; ++i) {
        a.at<float>(i, 0) = at[i].x;
        a.at<float>(i, 1) = at[i].y;
        a.at<float>(i, 2) = 1;
        b.at<float>(i, 0) = pips[face.pips[i]].centre.x;
        b.at<float>(i, 1) = pips[face.pips[i]].centre.y;
    }
    if (!cv::solve(a, b, x, cv::DECOMP_SVD)) return;
    face.lattice = {x.at<float>(0, 0), x.at<float>(1, 0), x.at<float>(0, 1), x.at<float>(1, 1)};
    face.centre = {x.at<float>(2, 0), x.at<float>(2, 1)};
}

float residual(const DieFace& face, const std::vector<Pip>& pips,
               const std::vector<cv::Point2f>& at) {
    const cv::Matx22f inverse = face.pip_shape.inv();
    float worst = 0;
    for (std::size_t i = 0; i < at.size(); ++i) {
        const cv::Point2f off = pips[face.pips[i]].centre - on_face(face, at[i]);
        worst = std::max(worst, static_cast<float>(cv::norm(apply(inverse, off))));
    }
    return worst;
}

/// Pips of one face are of one size, and seen as flat: two alone could be of two faces of a die.
bool pips_differ(const DieFace& face, const std::vector<Pip>& pips) {
    const Pip &first = pips[face.pips[0]], &second = pips[face.pips[1]];
    if (face.pips.size() == 2 &&
        std::abs(first.aspect - second.aspect) > 0.18f + 0.3f / face.pip_radius)
        return true;
    float small = 1e9f, large = 0;
    for (int i : face.pips)
        small = std::min(small, pips[i].radius), large = std::max(large, pips[i].radius);
    return large > (face.pips.size() >= 4 ? 1.35f : 1.3f) * small + 0.3f;
}

/// After the fit: does the lattice still look like a square, seen the way its pips are?
bool lattice_is_square(const DieFace& face, const FaceLimits& limits) {
    const cv::Matx22f local = face.pip_shape.inv() * face.lattice;
    const float u = std::hypot(local(0, 0), local(1, 0)), v = std::hypot(local(0, 1), local(1, 1));
    const float cosine = (local(0, 0) * local(0, 1) + local(1, 0) * local(1, 1)) /
                         std::max(u * v, 1e-6f);
    // Five pips in their places leave little to chance: perspective and worn outlines are forgiven.
    const float slack = std::min(0.25f, 0.5f / face.pip_radius) +
                        (face.pips.size() >= 5 ? 0.2f : 0.f);
    if (std::abs(cosine) > 0.30f + slack || std::max(u, v) > (1.5f + slack) * std::min(u, v))
        return false;
    if (u * v < limits.min_spacing * limits.min_spacing) return false;
    return std::min(u, v) > limits.min_spacing - 0.25 && std::max(u, v) < limits.max_spacing + 0.4;
}

float occupancy(const DieGround& ground, const DieFace& face, cv::Point2f place) {
    const cv::Point2f p = on_face(face, place);
    float sum = ground.signal(p);
    for (int k = 0; k < 4; ++k) {
        const cv::Point2f unit = k == 0   ? cv::Point2f{0.5f, 0}
                                 : k == 1 ? cv::Point2f{-0.5f, 0}
                                 : k == 2 ? cv::Point2f{0, 0.5f}
                                          : cv::Point2f{0, -0.5f};
        sum += ground.signal(p + apply(face.pip_shape, unit));
    }
    return sum / 5;
}

/// Pips where the pattern wants them and nowhere else.
bool pattern_holds(const DieGround& ground, const DieFace& face, const Pattern& pattern) {
    for (int y = -1; y <= 1; ++y)
        for (int x = -1; x <= 1; ++x) {
            const cv::Point2f place(static_cast<float>(x), static_cast<float>(y));
            const bool wanted = std::find(pattern.at.begin(), pattern.at.end(), place) !=
                                pattern.at.end();
            const float seen = occupancy(ground, face, place);
            if (wanted ? seen > 0.5f : seen < 0.62f) return false;
        }
    return true;
}

/// Places on the face at least so many pip radii from every pip's centre.
std::vector<cv::Point2f> between_pips(const DieFace& face, const std::vector<cv::Point2f>& pips_at,
                                      double radii) {
    const cv::Matx22f inverse = face.pip_shape.inv();
    std::vector<cv::Point2f> places;
    for (float y = -1.25f; y < 1.3f; y += 0.25f)
        for (float x = -1.25f; x < 1.3f; x += 0.25f) {
            const cv::Point2f offset = apply(face.lattice, {x, y});
            if (std::none_of(pips_at.begin(), pips_at.end(), [&](cv::Point2f at) {
                    return cv::norm(apply(inverse, offset - apply(face.lattice, at))) < radii;
                }))
                places.push_back(face.centre + offset);
        }
    return places;
}

float plain_share(const DieGround& ground, const DieFace& face,
                  const std::vector<cv::Point2f>& pips_at) {
    const auto places = between_pips(face, pips_at, 1.5);
    const auto plain = std::count_if(places.begin(), places.end(),
                                     [&](cv::Point2f p) { return ground.plain(p); });
    return places.empty() ? 0 : static_cast<float>(plain) / static_cast<float>(places.size());
}

/// Round small pips the body is blurred with them, and in a lamp's reflection it is lighter on one
/// side: away from the pips it shows its own colour and how that changes along the face.
void take_body_between(const Pyramid& pyramid, const std::vector<cv::Point2f>& pips_at,
                       DieFace& face) {
    const auto places = between_pips(face, pips_at, 1.8);
    if (places.size() < 12) return;
    const int level = pyramid.level_for(face.pip_radius, 3.5), n = static_cast<int>(places.size());
    cv::Mat a(n, 3, CV_32F), b(n, 3, CV_32F), x;
    for (int i = 0; i < n; ++i) {
        const cv::Point2f off = places[i] - face.centre;
        const cv::Vec3f seen = pyramid.at(level, places[i]);
        cv::Mat(cv::Matx13f(off.x, off.y, 1)).copyTo(a.row(i));
        cv::Mat(seen.t()).copyTo(b.row(i));
    }
    if (!cv::solve(a, b, x, cv::DECOMP_SVD)) return;
    for (int c = 0; c < 3; ++c) {
        face.sheen(c, 0) = x.at<float>(0, c), face.sheen(c, 1) = x.at<float>(1, c);
        face.body_colour[c] = x.at<float>(2, c);
    }
}

/// Nothing but body between two pips?
bool clear_between(const DieGround& ground, const DieFace& face, const std::vector<cv::Point2f>& at,
                   cv::Point2f from, cv::Point2f to) {
    const cv::Matx22f inverse = face.pip_shape.inv();
    const cv::Point2f a = on_face(face, from), b = on_face(face, to);
    const int steps = std::max(8, static_cast<int>(cv::norm(apply(inverse, b - a)) * 5));
    int bad = 0;
    for (int k = 1; k < steps && bad < 2; ++k) {
        const cv::Point2f p = a + (b - a) * (static_cast<float>(k) / static_cast<float>(steps));
        const bool pip = std::any_of(at.begin(), at.end(), [&](cv::Point2f q) {
            return cv::norm(apply(inverse, p - on_face(face, q))) < 1.5;
        });
        bad = !pip && !ground.plain(p, 0.42f) ? bad + 1 : 0;
    }
    return bad < 2;
}

/// No seam between the pips: two dice side by side are not one face. A seam parts all the pips of
/// one side from all of the other; a speckle or a reflection lies between some of them only, which
/// is forgiven where the pattern leaves little to chance.
bool undivided(const DieGround& ground, const DieFace& face, const std::vector<cv::Point2f>& at) {
    const bool strict = face.pips.size() < 5;
    std::vector<bool> reached(at.size(), false);
    std::vector<std::size_t> next = {0};
    reached[0] = true;
    while (!next.empty()) {
        const std::size_t i = next.back();
        next.pop_back();
        for (std::size_t j = 0; j < at.size(); ++j) {
            if (j == i || (reached[j] && !strict)) continue;
            const bool clear = clear_between(ground, face, at, at[i], at[j]);
            if (strict && !clear) return false;
            if (clear && !reached[j]) reached[j] = true, next.push_back(j);
        }
    }
    return std::all_of(reached.begin(), reached.end(), [](bool r) { return r; });
}

/// Pips where they belong on a body of one colour.
bool shows(const Pyramid& pyramid, const Pattern& pattern, const FaceLimits& limits,
           const DieFace& face, float& plain) {
    const DieGround ground{pyramid, face};
    if (!pattern_holds(ground, face, pattern)) return false;
    plain = plain_share(ground, face, pattern.at);
    return plain >= limits.min_plain && undivided(ground, face, pattern.at);
}

/// Ends equally far away all round: a disc with a mark in its middle, not a die. A line that meets
/// a printed ring makes a part of them unequal; of a square's no more than half are alike.
bool is_round(const Ends& ends) {
    auto sorted = ends;
    std::sort(sorted.begin(), sorted.end());
    const float middle = sorted[kDirections / 2];
    return sorted[kDirections * 9 / 10] < kSquarest * sorted[kDirections / 10] ||
           bounded_share(ends, 0.94f * middle, 1.06f * middle) > kRingShare;
}

/// Doubt from ground that goes on beyond what ends it.
double paper(const Pyramid& pyramid, const DieFace& face, const Ends& ends, float far) {
    return kPaper[std::min<std::size_t>(face.pips.size(), 4)] *
           std::max(0.f, goes_on_share(pyramid, face, ends, far) - kMayGoOn);
}

bool judge_face(const Pyramid& pyramid, const std::vector<Pip>& pips, const Pattern& pattern,
                const FaceLimits& limits, DieFace& face) {
    float plain = 0;
    if (!shows(pyramid, pattern, limits, face, plain)) {
        if (face.pips.size() < 4) return false;
        take_body_between(pyramid, pattern.at, face);
        if (!shows(pyramid, pattern, limits, face, plain)) return false;
    }
    const DieGround ground{pyramid, face};
    auto ends = body_ends(ground, face, pattern.at, 1.2f, kFar);
    if (is_round(ends)) return false;  // a button
    if (pattern.value >= 4) forget_ends_at_spots(face, pips, pattern.at, kFar, ends);
    const float bounded = bounded_share(ends, 1.35f, 4.1f);
    if (bounded < (pattern.value >= 4 ? 0.35 : limits.min_outline)) return false;
    const double untraced = kUntraced * static_cast<double>(pattern.at.size() - face.pips.size());
    const double close = 1.4 *
                         std::max(0.f, kCloseSpacing - root_area(face.lattice) / face.pip_radius);
    face.edge_px = typical_edge(ends, face);
    face.fit = plain * (0.5f + 0.5f * bounded);
    const double tells = kPatternTells[std::min<std::size_t>(face.pips.size(), 4)];
    const double doubt = doubt_of(face, pips, pattern.at, square_share(ends, kSmallestHalf, 1)) +
                         untraced + close + 0.9 * (1 - face.fit) + paper(pyramid, face, ends, kFar);
    face.doubt = static_cast<float>(doubt / (limits.max_doubt + tells));
    if (face.doubt > 1 + limits.benefit) return false;
    face.value = pattern.value;
    return true;
}

/// Pips in glare or run into their neighbours are not traced one by one; the picture is asked for
/// them all the same.
std::size_t may_miss(const Pattern& pattern) {
    return pattern.value == 6 ? 2 : pattern.value == 2 ? 0 : 1;
}

/// Tries the pattern on the lattice that two or three corner pips have fixed.
bool read_pattern(const Pyramid& pyramid, const std::vector<Pip>& pips,
                  const std::vector<int>& nearby, const Pattern& pattern, const FaceLimits& limits,
                  DieFace& face) {
    const auto corners = static_cast<std::ptrdiff_t>(face.pips.size());
    std::vector<cv::Point2f> at(pattern.at.begin(), pattern.at.begin() + corners);
    const float spacing = root_area(face.lattice) / face.pip_radius;
    const float reach = std::min(1.8f, 0.75f * spacing);
    for (std::size_t k = at.size(); k < pattern.at.size(); ++k) {
        const int spot = spot_near(face, pips, nearby, on_face(face, pattern.at[k]), reach);
        if (spot < 0 || std::find(face.pips.begin(), face.pips.end(), spot) != face.pips.end())
            continue;
        if (pips[spot].radius > 1.35f * face.pip_radius + 0.3f)
            continue;  // two that run into each other
        face.pips.push_back(spot);
        at.push_back(pattern.at[k]);
    }
    if (pattern.at.size() - at.size() > may_miss(pattern)) return false;
    take_looks(face, pips);
    if (at.size() >= 3 && pattern.value >= 4)
        refit(face, pips, at);  // two or three in a row leave one direction open
    if (corners > 2) take_shape_of_lattice(face);
    const float slack = std::min(0.4f, 0.6f / face.pip_radius);
    if (residual(face, pips, at) > limits.max_residual + slack) return false;
    if (pips_differ(face, pips)) return false;
    return lattice_is_square(face, limits) && judge_face(pyramid, pips, pattern, limits, face);
}

std::vector<int> spots_around(const std::vector<Pip>& pips, int i, float reach) {
    std::vector<int> out;
    for (int j = 0; j < static_cast<int>(pips.size()); ++j)
        if (j != i && cv::norm(pips[i].centre - pips[j].centre) < reach && alike(pips[i], pips[j]))
            out.push_back(j);
    return out;
}

bool is_light(const Pip& pip) {
    return cv::norm(pip.inside) > cv::norm(pip.ground);
}

/// Light pips half in their own shade show another foreshortening than their face.
void faces_of_three(const Pyramid& pyramid, const std::vector<Pip>& pips,
                    const std::vector<int>& nearby, int i, int j, const FaceLimits& limits,
                    std::vector<DieFace>& out) {
    if (!is_light(pips[i])) return;
    for (int k : nearby) {
        if (k == j || !alike(pips[j], pips[k])) continue;
        const DieFace corners = face_from_three_corners(pips, i, j, k);
        if (corners.aspect < kFlattestLattice || !lattice_is_square(corners, limits)) continue;
        for (const Pattern& pattern : patterns()) {
            if (pattern.value < 4) continue;
            DieFace face = corners;
            if (read_pattern(pyramid, pips, nearby, pattern, limits, face))
                out.push_back(std::move(face));
        }
    }
}

void faces_of_pairs(const Pyramid& pyramid, const std::vector<Pip>& pips, const FaceLimits& limits,
                    std::vector<DieFace>& out) {
    const float longest = static_cast<float>(2 * std::sqrt(2.0) * limits.max_spacing);
    for (int i = 0; i < static_cast<int>(pips.size()); ++i) {
        const auto nearby = spots_around(
            pips, i, longest * pips[i].radius / std::sqrt(std::max(pips[i].aspect, 0.2f)));
        for (int j : nearby) {
            if (j < i) continue;
            faces_of_three(pyramid, pips, nearby, i, j, limits, out);
            const DieFace corners = face_from_corners(pips, i, j);
            const double half = cv::norm(
                apply(corners.pip_shape.inv(), pips[j].centre - corners.centre));
            if (half < std::sqrt(2.0) * limits.min_spacing ||
                half > std::sqrt(2.0) * limits.max_spacing)
                continue;
            for (const Pattern& pattern : patterns()) {
                DieFace face = corners;
                if (read_pattern(pyramid, pips, nearby, pattern, limits, face))
                    out.push_back(std::move(face));
            }
        }
    }
}

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
    if ((!whole && !nearly && !half) || is_round(ends)) return false;
    const float smallest = std::max(kSmallestHalf, 0.5f / (kLargestPip * spacing));
    face.edge_px = typical_edge(ends, face);
    const double doubt = doubt_of(face, pips, centre, square_share(ends, smallest, 6)) +
                         paper(pyramid, face, ends, 4.4f);
    face.doubt = static_cast<float>(doubt / (limits.max_doubt + kPatternTells[1]));
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

/// More pips first, for a five holds a four; but a face that lacks one after its complete rivals,
/// and the doubtful last.
float rank(const DieFace& face) {
    const float found = static_cast<float>(face.pips.size());
    return found - kLacking * (static_cast<float>(face.value) - found) + 0.5f * face.fit -
           0.5f * face.doubt - (face.doubt > 1 ? kLast : 0);
}

}  // namespace

std::vector<DieFace> find_die_faces(const Pyramid& pyramid, const std::vector<Pip>& pips,
                                    const FaceLimits& limits) {
    std::vector<DieFace> all;
    faces_of_pairs(pyramid, pips, limits, all);
    faces_of_one(pyramid, pips, limits, all);
    std::stable_sort(all.begin(), all.end(),
                     [](const DieFace& a, const DieFace& b) { return rank(a) > rank(b); });
    std::vector<bool> used(pips.size(), false);
    std::vector<DieFace> kept;
    for (DieFace& face : all) {
        if (std::any_of(face.pips.begin(), face.pips.end(), [&](int i) { return used[i]; }))
            continue;
        for (int i : face.pips) used[i] = true;
        kept.push_back(std::move(face));
    }
    return kept;
}

}  // namespace overboard::vision
