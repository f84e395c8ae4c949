#include "vision/dice/die_faces.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "vision/dice/die_body.hpp"
#include "vision/dice/die_ones.hpp"
#include "vision/dice/die_pattern.hpp"

// The outline of a pip shows how its face is foreshortened: undo that and every face is a square
// lattice, turned and scaled. All values but one have pips in two opposite corners, so every pair
// of like spots is tried as such a pair; that fixes the lattice, and the picture itself is asked at
// all nine places: pip or body? Each value leaves exactly its own pattern. Where outlines mislead,
// three corners fix the lattice by themselves.
// Print shows such patterns too, so three things are weighed together as doubt: a die's pips are
// round, its body is a square of about the right size, and its pattern does not go on beyond it.

namespace overboard::vision {
namespace {

using namespace die;

constexpr float kCloseSpacing = 2.1f;  // half pip spacing by pip radius; 1.97 and more on dice seen
// rank lost with each pip that was not traced: below 1, or a four that lacks one is a two
constexpr float kLacking = 0.75f;
constexpr float kFar = 4.2f;               // lattice units: no body ends so far away
constexpr float kLast = 10;                // below the rank of any face that is not doubtful
constexpr float kFlattestLattice = 0.45f;  // of a top face seen from 60 degrees off the vertical
// outlines of pips seen more finely: 90 % of 241 real faces lie below 0.04, 95 % below 0.07; of 17
// faces in cards and letters 15 above 0.078
constexpr double kRound = 0.075, kRagged = 20, kMostRagged = 0.6;
constexpr float kWorthALook_px = 4;      // smaller ones are traced no finer
constexpr float kShaded = 0.8f;          // a pip half in its own shade looks flatter
constexpr std::size_t kMostNearby = 24;  // pips of the dice that lie side by side; grain has more
constexpr double kUntraced = 0.25;       // doubt for each pip that was not traced itself

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

/// Neither much larger nor much smaller than any pip of the face.
bool of_their_size(const DieFace& face, const std::vector<Pip>& pips, int spot) {
    return std::all_of(face.pips.begin(), face.pips.end(), [&](int i) {
        const float a = pips[i].radius, b = pips[spot].radius;
        return std::max(a, b) < 1.3f * std::min(a, b) + 0.3f;
    });
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

bool judge_face(const Pyramid& pyramid, const std::vector<Pip>& pips, const PipPattern& pattern,
                const FaceLimits& limits, DieFace& face) {
    float plain = 0;
    if (!shows_pattern(pyramid, pattern, limits, face, plain)) {
        if (face.pips.size() < 4) return false;
        take_body_between(pyramid, pattern.at, face);
        if (!shows_pattern(pyramid, pattern, limits, face, plain)) return false;
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
    const double doubt = doubt_of(face, pips, pattern.at, square_share(ends, kSmallestHalf, 1)) +
                         untraced + close + 0.9 * (1 - face.fit) + paper(pyramid, face, ends, kFar);
    face.doubt = static_cast<float>(doubt / bearable_doubt(limits, face.pips.size()));
    if (face.doubt > 1 + limits.benefit) return false;
    face.value = pattern.value;
    return true;
}

/// Pips in glare or run into their neighbours are not traced one by one; the picture is asked for
/// them all the same.
std::size_t may_miss(const PipPattern& pattern) {
    return pattern.value == 6 ? 2 : pattern.value == 2 ? 0 : 1;
}

/// Tries the pattern on the lattice that two or three corner pips have fixed.
bool read_pattern(const Pyramid& pyramid, const std::vector<Pip>& pips,
                  const std::vector<int>& nearby, const PipPattern& pattern,
                  const FaceLimits& limits, DieFace& face) {
    const auto corners = static_cast<std::ptrdiff_t>(face.pips.size());
    std::vector<cv::Point2f> at(pattern.at.begin(), pattern.at.begin() + corners);
    const float spacing = root_area(face.lattice) / face.pip_radius;
    const float reach = std::min(1.8f, 0.75f * spacing);
    for (std::size_t k = at.size(); k < pattern.at.size(); ++k) {
        const int spot = spot_near(face, pips, nearby, on_face(face, pattern.at[k]), reach);
        if (spot < 0 || std::find(face.pips.begin(), face.pips.end(), spot) != face.pips.end())
            continue;
        if (!of_their_size(face, pips, spot)) continue;  // two that run into each other
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

/// Light pips half in their own shade show another foreshortening than their face.
void faces_of_three(const Pyramid& pyramid, const std::vector<Pip>& pips,
                    const std::vector<int>& nearby, int i, int j, const FaceLimits& limits,
                    std::vector<DieFace>& out) {
    const auto may_be_shaded = [&](int n) {
        return pips[n].aspect < kShaded && cv::norm(pips[n].inside) > cv::norm(pips[n].ground);
    };
    if (nearby.size() > kMostNearby || !may_be_shaded(i) || !may_be_shaded(j)) return;
    for (int k : nearby) {
        if (k == j || !may_be_shaded(k) || !alike(pips[j], pips[k])) continue;
        const DieFace corners = face_from_three_corners(pips, i, j, k);
        if (corners.aspect < kFlattestLattice || !lattice_is_square(corners, limits)) continue;
        for (const PipPattern& pattern : patterns()) {
            if (pattern.value < 4) continue;
            DieFace face = corners;
            if (read_pattern(pyramid, pips, nearby, pattern, limits, face))
                out.push_back(std::move(face));
        }
    }
}

/// Along a face that reflects a lamp a spot in the middle is like both corners, which are less like
/// each other.
std::vector<int> like_either(const std::vector<int>& one, const std::vector<int>& other) {
    std::vector<int> all;
    std::set_union(one.begin(), one.end(), other.begin(), other.end(), std::back_inserter(all));
    return all;
}

void faces_of_pairs(const Pyramid& pyramid, const std::vector<Pip>& pips, const FaceLimits& limits,
                    std::vector<DieFace>& out) {
    const float longest = static_cast<float>(2 * std::sqrt(2.0) * limits.max_spacing);
    std::vector<std::vector<int>> around;
    for (int i = 0; i < static_cast<int>(pips.size()); ++i)
        around.push_back(spots_around(
            pips, i, longest * pips[i].radius / std::sqrt(std::max(pips[i].aspect, 0.2f))));
    for (int i = 0; i < static_cast<int>(pips.size()); ++i)
        for (int j : around[i]) {
            if (j < i) continue;
            const auto nearby = like_either(around[i], around[j]);
            faces_of_three(pyramid, pips, nearby, i, j, limits, out);
            const DieFace corners = face_from_corners(pips, i, j);
            const double half = cv::norm(
                apply(corners.pip_shape.inv(), pips[j].centre - corners.centre));
            if (half < std::sqrt(2.0) * limits.min_spacing ||
                half > std::sqrt(2.0) * limits.max_spacing)
                continue;
            for (const PipPattern& pattern : patterns()) {
                DieFace face = corners;
                if (read_pattern(pyramid, pips, nearby, pattern, limits, face))
                    out.push_back(std::move(face));
            }
        }
}

/// Hearts, diamonds and figures pass for pips where they are small in the picture they are found
/// in: a closer look adds to the doubt, by no more than the few pips that fail it can bear. Print
/// is darker than its paper; light pips may be half in their own shade.
void look_closer(const Pyramid& pyramid, const std::vector<Pip>& pips, const FaceLimits& limits,
                 DieFace& face) {
    if (face.pip_radius < kWorthALook_px || cv::norm(face.pip_colour) > cv::norm(face.body_colour))
        return;
    std::vector<float> rough;
    for (const int i : face.pips)
        if (const auto fine = fine_roughness(pyramid, pips[i])) rough.push_back(*fine);
    if (rough.empty()) return;
    const auto middle = rough.begin() + static_cast<std::ptrdiff_t>(rough.size() / 2);
    std::nth_element(rough.begin(), middle, rough.end());
    const double doubt = std::clamp(kRagged * (*middle - kRound), 0.0, kMostRagged);
    face.doubt += static_cast<float>(doubt / bearable_doubt(limits, face.pips.size()));
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
        look_closer(pyramid, pips, limits, face);
        kept.push_back(std::move(face));
    }
    return kept;
}

}  // namespace overboard::vision
