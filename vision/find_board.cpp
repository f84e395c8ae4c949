#include "vision/find_board.hpp"

#include <algorithm>
#include <cmath>
#include <opencv2/calib3d.hpp>
#include <opencv2/imgproc.hpp>

#include "vision/detect_board.hpp"
#include "vision/find_print.hpp"
#include "vision/plane.hpp"
#include "vision/surface_lines.hpp"

// The printed circles say best how the board lies, how large and how tilted. But how far its edges
// are from its print differs from maker to maker, so the surface is looked for about there.
namespace overboard::vision {
namespace {

constexpr double kBareSide_px = 1200;  // longer side on which a bare photograph is searched

constexpr double kLeastRadius = 0.0075, kMostRadius = 0.055;  // of circles, over that side

// Least surface_score: round marks may lie like print by chance, and any card or sheet is a
// rectangle.
constexpr double kSureWithPrint = 0.65, kSureAlone = 0.95;

}  // namespace

BareSearch search_bare(const cv::Mat& bgr, double stretch) {
    BareSearch s{bgr, std::min(1.0, kBareSide_px / std::max(bgr.cols, bgr.rows)), stretch, {}};
    if (s.shrink < 1 || stretch > 1)
        cv::resize(bgr, s.picture, {}, s.shrink, s.shrink * stretch,
                   s.shrink < 1 ? cv::INTER_AREA : cv::INTER_LINEAR);
    CircleSearch search;
    const double side_px = s.shrink * std::max(bgr.cols, bgr.rows);
    search.r_min_px = std::max(7.0, kLeastRadius * side_px);
    search.r_max_px = kMostRadius * side_px;
    search.min_support = 0.55;
    search.max_candidates = 900;
    s.circles = find_circles(s.picture, search);
    return s;
}

namespace {

BoardInPicture in_photograph(const BareSearch& bare, const Quadrangle& corners,
                             const std::vector<cv::Point2d>& print) {
    BoardInPicture found;
    for (std::size_t i = 0; i < 4; ++i) found.corners_px[i] = bare.in_photograph(corners[i]);
    for (const auto& p : print) found.print_px.push_back(bare.in_photograph(p));
    return found;
}

}  // namespace

std::optional<BoardInPicture> find_board(const BareSearch& bare, const BoardKind& board) {
    if (const auto print = find_print(bare.circles, board)) {
        const double w = board.width_mm / 2, h = board.height_mm / 2;
        const Quadrangle about = {
            through(print->board_to_px, {-w, -h}), through(print->board_to_px, {w, -h}),
            through(print->board_to_px, {w, h}), through(print->board_to_px, {-w, h})};
        const auto surface = find_surface(bare.picture, board, &about);
        if (surface && surface->score > kSureWithPrint)
            return in_photograph(bare, surface->corners_px, print->seen_px);
    }
    const auto surface = find_surface(bare.picture, board);
    if (!surface || surface->score < kSureAlone) return {};
    return in_photograph(bare, surface->corners_px, {});
}

}  // namespace overboard::vision
