#include "vision/discs/board_print.hpp"

#include <algorithm>
#include <array>
#include <cmath>

// Points on the rims, each with its normal. Along the normal the strongest change of colour says
// how far the rim is off; shift and turn of the board follow from all of them, those that disagree
// weighing little. Thrice, each time looking less far.
namespace overboard::vision {
namespace {

constexpr int kPoints = 24;          // on a rim
constexpr double kWeakest = 14;      // grey levels, all channels, over a millimetre
constexpr double kLeastShare = 0.4;  // of the rims that must be found

struct PrintedPose {
    Pose pose;
    double share = 0;  // of the rims that are where the pose says
};

struct RimPoint {
    Point at, normal;  // board frame
};

std::vector<RimPoint> rims_of(const BoardKind& board, const Pose& pose,
                              const std::vector<Piece>& pieces) {
    std::vector<RimPoint> points;
    const auto add = [&](Point centre, double radius) {
        const Point there = place(pose, centre);
        const bool covered = std::any_of(pieces.begin(), pieces.end(), [&](const Piece& p) {
            return distance({p.x, p.y}, there) < radius + 18;
        });
        if (covered) return;
        for (int i = 0; i < kPoints; ++i) {
            const Point normal = rotated({1, 0}, 2 * M_PI * i / kPoints),
                        at = centre + normal * radius;
            const bool inside = std::abs(at.x) < board.width_mm / 2 - 4 &&
                                std::abs(at.y) < board.height_mm / 2 - 4;
            if (inside) points.push_back({at, normal});
        }
    };
    for (const Hole& h : board.holes) add(h.centre, h.diameter_mm / 2);
    for (const PrintedCircle& c : board.circles)
        if (c.line_mm <= 0) add(c.centre, c.diameter_mm / 2);
    return points;
}

cv::Vec3f colour_at(const cv::Mat& bgr, cv::Point2d p) {
    const int x = int(p.x), y = int(p.y);
    const float fx = float(p.x - x), fy = float(p.y - y);
    const auto at = [&](int i, int j) { return cv::Vec3f(bgr.at<cv::Vec3b>(j, i)); };
    return (at(x, y) * (1 - fx) + at(x + 1, y) * fx) * (1 - fy) +
           (at(x, y + 1) * (1 - fx) + at(x + 1, y + 1) * fx) * fy;
}

// How far along the normal the rim is, mm; nothing when there is none within reach.
std::optional<double> offset_of(const View& view, Point at, Point normal, double height_mm,
                                double reach_mm) {
    constexpr double kStep = 0.25;
    const int n = int(2 * reach_mm / kStep) + 1;
    std::vector<cv::Vec3f> colours;
    for (int k = 0; k < n; ++k) {
        const cv::Point2d px = view.map->project(at + normal * (k * kStep - reach_mm), height_mm);
        if (px.x < 1 || px.y < 1 || px.x > view.bgr.cols - 3 || px.y > view.bgr.rows - 3) return {};
        colours.push_back(colour_at(view.bgr, px));
    }
    std::vector<double> change(std::size_t(n), 0);
    for (int k = 2; k + 2 < n; ++k) {
        const cv::Vec3f d = colours[std::size_t(k + 2)] - colours[std::size_t(k - 2)];
        change[std::size_t(k)] = std::abs(d[0]) + std::abs(d[1]) + std::abs(d[2]);
    }
    const auto peak = std::max_element(change.begin(), change.end());
    const auto k = peak - change.begin();
    if (*peak < kWeakest || k < 3 || k + 3 >= n) return {};
    const double bend = peak[-1] - 2 * peak[0] + peak[1];
    const double off = bend < 0 ? std::clamp(0.5 * (peak[-1] - peak[1]) / bend, -1.0, 1.0) : 0;
    return (double(k) + off) * kStep - reach_mm;
}

// One round; the share of the points that agree in the end.
double improve(const View& view, const std::vector<RimPoint>& points, double height_mm,
               double reach_mm, Pose& pose) {
    struct Row {
        cv::Vec3d way;  // d(offset) by shift x, y and turn
        double off;
    };
    std::vector<Row> rows;
    for (const RimPoint& p : points) {
        const Point at = place(pose, p.at), normal = rotated(p.normal, pose.angle);
        const auto off = offset_of(view, at, normal, height_mm, reach_mm);
        if (off)
            rows.push_back(
                {{normal.x, normal.y, normal.y * (at.x - pose.x) - normal.x * (at.y - pose.y)},
                 *off});
    }
    cv::Vec3d step{};
    double agree = 0;
    for (int pass = 0; pass < 6; ++pass) {
        const double limit = std::max(0.3, reach_mm * 0.5 / (pass + 1));
        cv::Matx33d A = cv::Matx33d::eye() * 1e-6;
        cv::Vec3d b{};
        agree = 0;
        for (const Row& r : rows) {
            const double q = (r.off - r.way.dot(step)) / limit, w = 1 / ((1 + q * q) * (1 + q * q));
            A += r.way * r.way.t() * w;
            b += r.way * (w * r.off);
            agree += std::abs(q) < 1.5;
        }
        step = A.solve(b, cv::DECOMP_SVD);
    }
    pose = {pose.x + step[0], pose.y + step[1], wrapped(pose.angle + step[2])};
    return points.empty() ? 0 : agree / double(points.size());
}

PrintedPose pose_by_print(const View& view, const BoardKind& board, Pose start,
                          const std::vector<Piece>& pieces) {
    const std::vector<RimPoint> points = rims_of(board, start, pieces);
    if (!view.map || points.size() < 3 * kPoints) return {start, 0};
    PrintedPose found{start, 0};
    for (const double reach_mm : {5.0, 3.0, 2.0})
        found.share = improve(view, points, board.elevation_mm, reach_mm, found.pose);
    const bool near = distance({found.pose.x, found.pose.y}, {start.x, start.y}) < 8 &&
                      std::abs(wrapped(found.pose.angle - start.angle)) < 0.05;
    return near ? found : PrintedPose{start, 0};
}

}  // namespace

Pose refine_board(const View& view, const BoardKind& board, Pose pose,
                  const std::vector<Piece>& pieces) {
    const PrintedPose found = pose_by_print(view, board, pose, pieces);
    return found.share >= kLeastShare ? found.pose : pose;
}

Pose refine_board(const View& view, const BoardKind& board, const std::vector<Pose>& starts) {
    constexpr double kApart_mm = 7;  // within the reach of the next, across corners too
    PrintedPose best{starts.at(0), kLeastShare};
    for (const Pose& start : starts)
        for (const double x : {0.0, -kApart_mm, kApart_mm})
            for (const double y : {0.0, -kApart_mm, kApart_mm}) {
                const Pose shifted{start.x + x, start.y + y, start.angle};
                const PrintedPose found = pose_by_print(view, board, shifted, {});
                if (found.share > best.share) best = found;
            }
    return best.pose;
}

}  // namespace overboard::vision
