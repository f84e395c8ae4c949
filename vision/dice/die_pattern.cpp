#include "vision/dice/die_pattern.hpp"

#include <algorithm>
#include <cmath>

#include "vision/dice/die_body.hpp"

// The picture is asked at all nine places of the lattice, pip or body, and between them for body of
// one colour that no seam divides.

namespace overboard::vision::die {
namespace {

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
bool pattern_holds(const DieGround& ground, const DieFace& face, const PipPattern& pattern) {
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

}  // namespace

const std::vector<PipPattern>& patterns() {
    static const std::vector<PipPattern> all = {
        {6, {{-1, -1}, {1, 1}, {-1, 1}, {1, -1}, {-1, 0}, {1, 0}}},
        {6, {{-1, -1}, {1, 1}, {-1, 1}, {1, -1}, {0, -1}, {0, 1}}},
        {5, {{-1, -1}, {1, 1}, {-1, 1}, {1, -1}, {0, 0}}},
        {4, {{-1, -1}, {1, 1}, {-1, 1}, {1, -1}}},
        {3, {{-1, -1}, {1, 1}, {0, 0}}},
        {2, {{-1, -1}, {1, 1}}},
    };
    return all;
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

bool shows_pattern(const Pyramid& pyramid, const PipPattern& pattern, const FaceLimits& limits,
                   const DieFace& face, float& plain) {
    const DieGround ground{pyramid, face};
    if (!pattern_holds(ground, face, pattern)) return false;
    plain = plain_share(ground, face, pattern.at);
    return plain >= limits.min_plain && undivided(ground, face, pattern.at);
}

}  // namespace overboard::vision::die
