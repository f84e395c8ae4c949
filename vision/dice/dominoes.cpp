#include "vision/dice/dominoes.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "vision/dice/die_body.hpp"

// The halves of a domino are two faces of one look and lattice, a face's width apart, on one body:
// nothing but a thin line parts them. Of two dice side by side the rounded rims part them, and
// hardly ever do they lie in one line and equally turned.

namespace overboard::vision {
namespace {

constexpr float kNearest = 3.4f, kFarthest = 5.2f;  // lattice units between the halves' centres
constexpr float kAside = 0.35f;                     // lattice units by which they may miss one line
constexpr float kTurned = 0.12f;                    // and how far their axes may: the sine
constexpr float kBesideLine = 0.45f;  // lattice units from the line to where all is body, between
                                      // the pips' rows and outside them
// lattice units across at which a line has ended
constexpr std::array<float, 3> kLineEnds = {1.78f, 1.86f, 1.94f};
constexpr float kNoGap = 0.5f;    // of pip to body: what is not the ground between two dice
constexpr float kOneBody = 0.2f;  // of pip to body: a rim's shade differs by more

bool of_one_look(const DieFace& a, const DieFace& b) {
    const double slack = 0.2 * cv::norm(a.body_colour - a.pip_colour);
    return std::max(a.pip_radius, b.pip_radius) < 1.25f * std::min(a.pip_radius, b.pip_radius) &&
           cv::norm(a.body_colour - b.body_colour) < slack &&
           cv::norm(a.pip_colour - b.pip_colour) < 2 * slack;
}

/// Axes of one lie along axes of the other, whichever along which.
bool of_one_turn(const DieFace& a, const DieFace& b) {
    const cv::Matx22f m = a.lattice.inv() * b.lattice;
    const float x = std::abs(m(0, 0)), y = std::abs(m(1, 0)), length = std::hypot(x, y);
    return std::min(x, y) < kTurned * length;
}

/// Body to either side of the line and past its ends; a gap between dice has none.
bool on_one_body(const Pyramid& pyramid, const DieFace& a, cv::Point2f to_b) {
    const die::DieGround ground{pyramid, a};
    const bool along_x = std::abs(to_b.x) > std::abs(to_b.y);
    const auto past_line = [&](float end) {
        return ground.plain(
            die::on_face(a, to_b * 0.5f + (along_x ? cv::Point2f{0, end} : cv::Point2f{end, 0})),
            kNoGap);
    };
    for (const float side : {-1.f, 1.f})
        if (std::none_of(kLineEnds.begin(), kLineEnds.end(),
                         [&](float end) { return past_line(side * end); }))
            return false;
    for (const float beside : {-kBesideLine, kBesideLine})
        for (const float across : {-1.7f, -0.5f, 0.5f, 1.7f}) {
            const cv::Point2f unit = to_b * (1 / static_cast<float>(cv::norm(to_b)));
            const cv::Point2f aside = along_x ? cv::Point2f{0, across} : cv::Point2f{across, 0};
            if (!ground.plain(die::on_face(a, to_b * 0.5f + unit * beside + aside), kOneBody))
                return false;
        }
    return true;
}

/// A lone pip does not tell how its half is turned: the other one does.
bool are_halves(const Pyramid& pyramid, const DieFace& a, const DieFace& b) {
    if (a.value == 1 || !of_one_look(a, b)) return false;
    const cv::Point2f to_b = die::apply(a.lattice.inv(), b.centre - a.centre);
    const float x = std::abs(to_b.x), y = std::abs(to_b.y);
    return std::max(x, y) > kNearest && std::max(x, y) < kFarthest && std::min(x, y) < kAside &&
           (b.value == 1 || of_one_turn(a, b)) && on_one_body(pyramid, a, to_b);
}

}  // namespace

std::vector<DieFace> without_dominoes(const Pyramid& pyramid, const std::vector<DieFace>& faces) {
    std::vector<DieFace> kept;
    for (const DieFace& face : faces)
        if (std::none_of(faces.begin(), faces.end(), [&](const DieFace& other) {
                return &other != &face &&
                       (are_halves(pyramid, face, other) || are_halves(pyramid, other, face));
            }))
            kept.push_back(face);
    return kept;
}

}  // namespace overboard::vision
