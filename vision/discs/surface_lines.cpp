#include "vision/discs/surface_lines.hpp"

#include <algorithm>
#include <cmath>
#include <opencv2/imgproc.hpp>

#include "vision/discs/plane.hpp"

// Edge pixels vote for the line they lie on, along their own direction. Every two pairs of nearly
// parallel lines that cross at about right angles are a proposal.
namespace overboard::vision {
namespace {

constexpr int kAngles = 180;  // steps of the angle, one degree each
constexpr std::size_t kMostLines = 26;
constexpr float kWeakEdge = 5, kFullEdge = 25;  // grey levels per pixel: no vote, a full vote
constexpr double kParallel_rad = 0.35;  // of opposite sides: how far a tilted camera may turn them
constexpr double kLeastSide = 0.25;     // of the picture's longer side
constexpr float kOther = 14;            // colour difference, grey levels, that is another colour
constexpr int kSamples = 36;            // along a side

// All points with n · p = d.
struct EdgeLine {
    cv::Point2d n;
    double d = 0;
};

void gradients(const cv::Mat& bgr, cv::Mat& gx, cv::Mat& gy) {
    cv::Mat dx, dy;
    cv::Sobel(bgr, dx, CV_16S, 1, 0, 3, 0.25);
    cv::Sobel(bgr, dy, CV_16S, 0, 1, 3, 0.25);
    gx.create(bgr.size(), CV_32F), gy.create(bgr.size(), CV_32F);
    for (int y = 0; y < bgr.rows; ++y)
        for (int x = 0; x < bgr.cols; ++x) {
            const auto &a = dx.at<cv::Vec3s>(y, x), &b = dy.at<cv::Vec3s>(y, x);
            int best = 0;
            for (int c = 1; c < 3; ++c)
                if (a[c] * a[c] + b[c] * b[c] > a[best] * a[best] + b[best] * b[best]) best = c;
            gx.at<float>(y, x) = a[best], gy.at<float>(y, x) = b[best];
        }
}

cv::Point2d normal_at(int degrees) {
    return {std::cos(degrees * CV_PI / kAngles), std::sin(degrees * CV_PI / kAngles)};
}

struct EdgePixel {
    cv::Point2d at, n;
    double weight;
};

std::vector<EdgePixel> edge_pixels(const cv::Mat& bgr) {
    cv::Mat gx, gy;
    gradients(bgr, gx, gy);
    std::vector<EdgePixel> edges;
    for (int y = 1; y + 1 < bgr.rows; ++y)
        for (int x = 1; x + 1 < bgr.cols; ++x) {
            const double ax = gx.at<float>(y, x), ay = gy.at<float>(y, x),
                         strength = std::hypot(ax, ay);
            if (strength > kWeakEdge)
                edges.push_back({{double(x), double(y)},
                                 {ax / strength, ay / strength},
                                 std::min(1.0, strength / kFullEdge)});
        }
    return edges;
}

// Rows: angle of the normal, columns: distance from the origin, shifted.
cv::Mat vote_for_lines(const std::vector<EdgePixel>& edges, int shift) {
    cv::Mat votes = cv::Mat::zeros(kAngles, 2 * shift + 1, CV_32F);
    for (const EdgePixel& e : edges) {
        const int middle = cvRound(std::atan2(e.n.y, e.n.x) * kAngles / CV_PI);
        for (int k = middle - 4; k <= middle + 4; ++k) {
            const int angle = ((k % kAngles) + kAngles) % kAngles;
            votes.at<float>(angle, cvRound(normal_at(angle).dot(e.at)) + shift) += float(e.weight);
        }
    }
    return votes;
}

// The line through the pixels that lie on it and run along it, to a fraction of a pixel.
EdgeLine refined(EdgeLine line, const std::vector<EdgePixel>& edges) {
    for (const double reach : {2.5, 1.5}) {
        double w = 0, xx = 0, xy = 0, yy = 0;
        cv::Point2d mean;
        const auto each = [&](const auto& call) {
            for (const EdgePixel& e : edges)
                if (std::abs(line.n.dot(e.at) - line.d) < reach &&
                    std::abs(line.n.cross(e.n)) < 0.2)
                    call(e);
        };
        each([&](const EdgePixel& e) { w += e.weight, mean += e.weight * e.at; });
        if (w < 10) return line;
        mean /= w;
        each([&](const EdgePixel& e) {
            const cv::Point2d d = e.at - mean;
            xx += e.weight * d.x * d.x, xy += e.weight * d.x * d.y, yy += e.weight * d.y * d.y;
        });
        const double along = 0.5 * std::atan2(2 * xy, xx - yy);
        line.n = {-std::sin(along), std::cos(along)};
        line.d = line.n.dot(mean);
    }
    return line;
}

std::vector<EdgeLine> strongest_lines(const cv::Mat& bgr) {
    const int shift = cvCeil(std::hypot(bgr.cols, bgr.rows));
    const auto edges = edge_pixels(bgr);
    cv::Mat votes = vote_for_lines(edges, shift);
    cv::GaussianBlur(votes, votes, {3, 1}, 0);
    std::vector<EdgeLine> lines;
    while (lines.size() < kMostLines) {
        double most = 0;
        cv::Point at;
        cv::minMaxLoc(votes, nullptr, &most, nullptr, &at);
        if (most < 0.15 * std::min(bgr.cols, bgr.rows)) break;
        lines.push_back(refined({normal_at(at.y), double(at.x - shift)}, edges));
        for (int k = at.y - 3; k <= at.y + 3;
             ++k) {  // one peak, one line; beyond 180 degrees distances change sign
            const bool beyond = k < 0 || k >= kAngles;
            const int row = (k + kAngles) % kAngles, column = beyond ? 2 * shift - at.x : at.x;
            votes.row(row)
                .colRange(std::max(0, column - 4), std::min(votes.cols, column + 5))
                .setTo(0);
        }
    }
    return lines;
}

// A board may end where the photograph ends.
void add_borders(cv::Size size, std::vector<EdgeLine>& lines) {
    lines.push_back({{1, 0}, 0});
    lines.push_back({{1, 0}, size.width - 1.0});
    lines.push_back({{0, 1}, 0});
    lines.push_back({{0, 1}, size.height - 1.0});
}

double between(const EdgeLine& a, const EdgeLine& b) {
    return std::asin(std::min(1.0, std::abs(a.n.cross(b.n))));
}

cv::Point2d crossing(const EdgeLine& a, const EdgeLine& b) {
    const double det = a.n.cross(b.n);
    return {(a.d * b.n.y - b.d * a.n.y) / det, (b.d * a.n.x - a.d * b.n.x) / det};
}

double area_of(const Quadrangle& q) {
    return 0.5 * ((q[2] - q[0]).cross(q[3] - q[1]));
}

// Clockwise, from the corner nearest to the top-left.
Quadrangle in_order(Quadrangle q) {
    if (area_of(q) < 0) std::reverse(q.begin(), q.end());
    const auto first = std::min_element(
        q.begin(), q.end(), [](const auto& a, const auto& b) { return a.x + a.y < b.x + b.y; });
    std::rotate(q.begin(), first, q.end());
    return q;
}

bool lies_in(const Quadrangle& q, cv::Size size) {
    const double slack = 0.06 * std::max(size.width, size.height);
    return std::all_of(q.begin(), q.end(), [&](const cv::Point2d& p) {
        return p.x > -slack && p.y > -slack && p.x < size.width + slack &&
               p.y < size.height + slack;
    });
}

struct LinePair {
    const EdgeLine *a, *b;
};

std::vector<LinePair> parallel_pairs(const std::vector<EdgeLine>& lines, cv::Size size) {
    std::vector<LinePair> pairs;
    const double apart = kLeastSide * std::max(size.width, size.height);
    const cv::Point2d middle(size.width / 2.0, size.height / 2.0);
    for (std::size_t i = 0; i < lines.size(); ++i)
        for (std::size_t j = i + 1; j < lines.size(); ++j) {
            if (between(lines[i], lines[j]) > kParallel_rad) continue;
            const double same = lines[i].n.dot(lines[j].n) > 0 ? 1 : -1;
            const double a = lines[i].d - lines[i].n.dot(middle),
                         b = same * (lines[j].d - lines[j].n.dot(middle));
            if (std::abs(a - b) > apart) pairs.push_back({&lines[i], &lines[j]});
        }
    return pairs;
}

cv::Vec3f colour(const cv::Mat& bgr, cv::Point2d p) {
    return cv::Vec3f(bgr.at<cv::Vec3b>(cvRound(p.y), cvRound(p.x)));
}

float apart(const cv::Vec3f& a, const cv::Vec3f& b) {
    const cv::Vec3f d = a - b;
    return std::max({std::abs(d[0]), std::abs(d[1]), std::abs(d[2])});
}

// How many of the places along a side are where the surface ends: alike further in and just inside,
// other just outside.
double side_share(const cv::Mat& bgr, cv::Point2d from, cv::Point2d to, cv::Point2d inwards) {
    const cv::Rect2d picture(0, 0, bgr.cols - 1, bgr.rows - 1);
    double good = 0;
    int n = 0;
    for (int k = 0; k < kSamples; ++k) {
        const cv::Point2d p = from + (to - from) * (0.1 + 0.8 * k / (kSamples - 1));
        const cv::Point2d out = p - inwards * 3.0, in = p + inwards * 3.0, deep = p + inwards * 9.0;
        if (!picture.contains(in) || !picture.contains(deep)) continue;
        ++n;
        if (!picture.contains(out)) {
            good += 0.5;  // the photograph ends here: no telling
            continue;
        }
        const cv::Vec3f surface = colour(bgr, deep), near = colour(bgr, in);
        good += apart(near, surface) < kOther && apart(colour(bgr, out), near) > kOther;
    }
    return n > kSamples / 2 ? good / n : 0;
}

// How far from a rectangle of that aspect: opposite sides that differ, and the wrong aspect.
double out_of_square(const Quadrangle& q, double aspect) {
    std::array<double, 4> side;
    for (std::size_t i = 0; i < 4; ++i) side[i] = cv::norm(q[(i + 1) % 4] - q[i]);
    const double wide = std::sqrt(side[0] * side[2]), high = std::sqrt(side[1] * side[3]);
    return std::abs(std::log(wide / high / aspect)) + 0.3 * std::abs(std::log(side[0] / side[2])) +
           0.3 * std::abs(std::log(side[1] / side[3]));
}

cv::Matx33d board_to_picture(const Quadrangle& q, const BoardKind& board) {
    const auto w = float(board.width_mm / 2), h = float(board.height_mm / 2);
    const std::array<cv::Point2f, 4> from = {cv::Point2f(-w, -h), {w, -h}, {w, h}, {-w, h}};
    std::array<cv::Point2f, 4> to;
    for (std::size_t i = 0; i < 4; ++i) to[i] = q[i];
    return cv::getPerspectiveTransform(from.data(), to.data());
}

// How much of a hole is something else than the surface beside it, towards the middle of the board.
double hole_share(const cv::Mat& bgr, const cv::Matx33d& to_picture, const Hole& hole) {
    const cv::Rect2d picture(0, 0, bgr.cols - 1, bgr.rows - 1);
    const double r = hole.diameter_mm / 2, towards = std::atan2(-hole.centre.y, -hole.centre.x);
    cv::Vec3f surface{};
    int beside = 0, other = 0, n = 0;
    for (int k = -2; k <= 2; ++k) {
        const cv::Point2d p = through(to_picture,
                                      {hole.centre.x + 2 * r * std::cos(towards + 0.35 * k),
                                       hole.centre.y + 2 * r * std::sin(towards + 0.35 * k)});
        if (picture.contains(p)) surface += colour(bgr, p), ++beside;
    }
    for (int k = 0; beside && k < 16; ++k) {
        const double share = k % 2 ? 0.4 : 0.75;
        const cv::Point2d p = through(to_picture,
                                      {hole.centre.x + share * r * std::cos(k * CV_PI / 8),
                                       hole.centre.y + share * r * std::sin(k * CV_PI / 8)});
        if (!picture.contains(p)) continue;
        ++n;
        other += apart(colour(bgr, p), surface * (1.0f / float(beside))) > kOther;
    }
    return n ? double(other) / n : 0.5;
}

double holes_shown(const cv::Mat& bgr, const Quadrangle& q, const BoardKind& board) {
    if (board.holes.empty()) return 0;
    const cv::Matx33d to_picture = board_to_picture(q, board);
    double sum = 0;
    for (const Hole& hole : board.holes) sum += hole_share(bgr, to_picture, hole);
    return sum / double(board.holes.size());
}

}  // namespace

bool looks_square(const Quadrangle& q, double aspect) {
    double shortest = 1e9, longest = 0;
    for (std::size_t i = 0; i < 4; ++i) {
        const cv::Point2d a = q[(i + 1) % 4] - q[i], b = q[(i + 3) % 4] - q[i];
        const double la = cv::norm(a), cosine = a.dot(b) / std::max(1e-6, la * cv::norm(b));
        if (std::abs(cosine) > 0.42) return false;
        const double side = i % 2 == 0 ? la / aspect : la;
        shortest = std::min(shortest, side);
        longest = std::max(longest, side);
    }
    return longest < 1.45 * shortest;
}

std::vector<Quadrangle> squares_of_lines(const cv::Mat& bgr, double aspect) {
    std::vector<EdgeLine> lines = strongest_lines(bgr);
    add_borders(bgr.size(), lines);
    const auto pairs = parallel_pairs(lines, bgr.size());
    std::vector<Quadrangle> quads;
    for (std::size_t i = 0; i < pairs.size(); ++i)
        for (std::size_t j = i + 1; j < pairs.size(); ++j) {
            if (between(*pairs[i].a, *pairs[j].a) < 1.0) continue;
            const Quadrangle q = in_order(
                {crossing(*pairs[i].a, *pairs[j].a), crossing(*pairs[j].a, *pairs[i].b),
                 crossing(*pairs[i].b, *pairs[j].b), crossing(*pairs[j].b, *pairs[i].a)});
            if (lies_in(q, bgr.size()) && looks_square(q, aspect)) quads.push_back(q);
        }
    return quads;
}

double surface_score(const cv::Mat& bgr, const Quadrangle& q, const BoardKind& board) {
    const double aspect = board.width_mm / board.height_mm;
    double sum = 0, least = 1;
    for (std::size_t i = 0; i < 4; ++i) {
        const cv::Point2d along = q[(i + 1) % 4] - q[i];
        const cv::Point2d inwards = cv::Point2d(-along.y, along.x) / std::max(1.0, cv::norm(along));
        const double share = side_share(bgr, q[i], q[(i + 1) % 4], inwards);
        sum += share, least = std::min(least, share);
    }
    const double area = std::abs(area_of(q)) / double(bgr.total());
    return 0.6 * sum / 4 + 0.4 * least - 1.0 * out_of_square(q, aspect) +
           0.15 * std::min(1.0, area / 0.4) + 0.5 * holes_shown(bgr, q, board);
}

}  // namespace overboard::vision
