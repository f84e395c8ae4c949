#include "vision/find_board.hpp"

#include <algorithm>
#include <cmath>
#include <opencv2/calib3d.hpp>
#include <opencv2/imgproc.hpp>

#include "vision/detect_board.hpp"
#include "vision/find_print.hpp"

// The printed circles say best how the board lies, how large and how tilted. But how far its edges are from its print differs from
// maker to maker, so the surface is looked for about there.
namespace overboard::vision {
namespace {

constexpr double kBareSide_px = 1200;  // longer side on which a bare photograph is searched

using Quad = std::array<cv::Point2d, 4>;

cv::Point2d through(const cv::Matx33d& h, cv::Point2d p) {
    const cv::Vec3d v = h * cv::Vec3d(p.x, p.y, 1);
    return {v[0] / v[2], v[1] / v[2]};
}

}  // namespace

BareSearch search_bare(const cv::Mat& bgr) {
    BareSearch s{bgr, std::min(1.0, kBareSide_px / std::max(bgr.cols, bgr.rows)), {}};
    if (s.shrink < 1) cv::resize(bgr, s.picture, {}, s.shrink, s.shrink, cv::INTER_AREA);
    CircleSearch search;
    search.r_min_px = 7;
    search.r_max_px = 0.055 * std::max(s.picture.cols, s.picture.rows);
    search.min_support = 0.55;
    search.max_candidates = 900;
    s.circles = find_circles(s.picture, search);
    return s;
}

std::optional<BoardInPicture> find_board(const BareSearch& bare, const BoardKind& board) {
    Quad corners;
    const auto print = find_print(bare.circles, board);
    if (print) {
        const double w = board.width_mm / 2, h = board.height_mm / 2;
        corners = {through(print->board_to_px, {-w, -h}), through(print->board_to_px, {w, -h}), through(print->board_to_px, {w, h}),
                   through(print->board_to_px, {-w, h})};
        corners = find_surface(bare.picture, board, &corners).value_or(corners);
    } else if (const auto surface = find_surface(bare.picture, board)) {
        corners = *surface;
    } else {
        return {};
    }
    for (auto& c : corners) c = bare.in_photograph(c);
    return BoardInPicture{corners, print.has_value()};
}

}  // namespace overboard::vision
