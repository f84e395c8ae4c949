#include "vision/discs/find_board.hpp"

#include <algorithm>
#include <cmath>
#include <opencv2/calib3d.hpp>
#include <opencv2/imgproc.hpp>

#include "vision/discs/detect_board.hpp"
#include "vision/discs/find_print.hpp"
#include "vision/discs/plane.hpp"
#include "vision/discs/surface_lines.hpp"

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

Quadrangle corners_through(const cv::Matx33d& board_to_px, const BoardKind& board) {
    const double w = board.width_mm / 2, h = board.height_mm / 2;
    return {through(board_to_px, {-w, -h}), through(board_to_px, {w, -h}),
            through(board_to_px, {w, h}), through(board_to_px, {-w, h})};
}

cv::Matx33d plane_through(const std::vector<cv::Point2f>& board, const Quadrangle& px) {
    const std::vector<cv::Point2f> to(px.begin(), px.end());
    return cv::getPerspectiveTransform(board.data(), to.data());
}

// A circle of the picture that could be that round thing on the board, `reach` off at most (in its
// radii).
std::vector<const Circle*> circles_at(const BareSearch& bare, const cv::Matx33d& board_to_px,
                                      Point centre, double r_mm, double reach) {
    constexpr double kRim = 0.6, kSize = 1.4;
    const cv::Point2d at = through(board_to_px, {centre.x, centre.y});
    const double r = 0.5 * (cv::norm(through(board_to_px, {centre.x + r_mm, centre.y}) - at) +
                            cv::norm(through(board_to_px, {centre.x, centre.y + r_mm}) - at));
    std::vector<const Circle*> found;
    for (const Circle& c : bare.circles)
        if (c.support > kRim && c.r < kSize * r && r < kSize * c.r &&
            cv::norm(c.centre - at) < reach * r)
            found.push_back(&c);
    return found;
}

int print_in_place(const BareSearch& bare, const cv::Matx33d& board_to_px, const BoardKind& board) {
    constexpr double kNear = 0.7;
    return int(
        std::count_if(board.circles.begin(), board.circles.end(), [&](const PrintedCircle& p) {
            return p.line_mm <= 0 &&
                   !circles_at(bare, board_to_px, p.centre, p.diameter_mm / 2, kNear).empty();
        }));
}

// Every choice of one circle for each hole.
template <class Call>
void each_choice(const std::vector<std::vector<const Circle*>>& at_holes, const Call& call) {
    for (const Circle* a : at_holes[0])
        for (const Circle* b : at_holes[1])
            for (const Circle* c : at_holes[2])
                for (const Circle* d : at_holes[3]) call(std::array{a, b, c, d});
}

// Shade of a frame moves the edges of a surface, not its holes: alike in size, and such that more
// of the print is where it belongs.
std::optional<Quadrangle> by_holes(const BareSearch& bare, const BoardKind& board,
                                   const Quadrangle& about) {
    constexpr double kReach = 2.5, kAlike = 1.25;  // of a hole's radius
    constexpr int kClearlyMore = 2;                // one may be chance
    constexpr std::size_t kMostEach = 5;
    if (board.holes.size() != 4) return {};
    const auto w = float(board.width_mm / 2), h = float(board.height_mm / 2);
    const cv::Matx33d first = plane_through({{-w, -h}, {w, -h}, {w, h}, {-w, h}}, about);
    std::vector<std::vector<const Circle*>> at_holes;
    std::vector<cv::Point2f> holes;
    for (const Hole& hole : board.holes) {
        at_holes.push_back(circles_at(bare, first, hole.centre, hole.diameter_mm / 2, kReach));
        if (at_holes.back().size() > kMostEach) at_holes.back().resize(kMostEach);  // best first
        holes.emplace_back(float(hole.centre.x), float(hole.centre.y));
    }
    int most = print_in_place(bare, first, board) + kClearlyMore - 1;
    std::optional<Quadrangle> best;
    each_choice(at_holes, [&](const std::array<const Circle*, 4>& c) {
        const auto [least, largest] = std::minmax({c[0]->r, c[1]->r, c[2]->r, c[3]->r});
        if (largest > kAlike * least) return;
        const cv::Matx33d plane = plane_through(
            holes, {c[0]->centre, c[1]->centre, c[2]->centre, c[3]->centre});
        const int shown = print_in_place(bare, plane, board);
        if (shown <= most) return;
        most = shown, best = corners_through(plane, board);
    });
    return best;
}

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
        const Quadrangle about = corners_through(print->board_to_px, board);
        const auto surface = find_surface(bare.picture, board, &about);
        if (surface && surface->score > kSureWithPrint)
            return in_photograph(bare, surface->corners_px, print->seen_px);
    }
    const auto surface = find_surface(bare.picture, board);
    if (!surface || surface->score < kSureAlone) return {};
    return in_photograph(
        bare, by_holes(bare, board, surface->corners_px).value_or(surface->corners_px), {});
}

}  // namespace overboard::vision
