#include "vision/mosaic.hpp"

#include <algorithm>
#include <cmath>
#include <opencv2/imgproc.hpp>

#include "vision/outlines.hpp"

// Each patch of one colour is drawn into a small mask in table millimetres and explained: a piece is
// laid with one of its sides along one of the patch's sides, flush with an end; what it covers is
// taken away and the rest explained likewise, most convincing piece first, with the way back open.
// When several explanations leave nothing over, the seams between pieces decide. Every pose is then
// settled on the colour steps of the picture, at the height of the piece's upper edge, or of its
// foot where the camera sees the side wall.

namespace overboard::vision {
namespace {

constexpr double kCells_per_mm = 1.5;
constexpr double kMargin_mm = 6;

double area_of(const Polygon& outline) {
    double area = 0;
    for (std::size_t i = 0; i < outline.size(); ++i) area += cross(outline[i], outline[(i + 1) % outline.size()]);
    return std::abs(area) / 2;
}

/// A mask in table millimetres.
struct Patch {
    cv::Mat mask;
    Point corner;  ///< Table mm of cell (0, 0).

    [[nodiscard]] cv::Point2f cell(Point p) const {
        return {static_cast<float>((p.x - corner.x) * kCells_per_mm), static_cast<float>((p.y - corner.y) * kCells_per_mm)};
    }
    [[nodiscard]] Point table(cv::Point2f c) const { return {corner.x + c.x / kCells_per_mm, corner.y + c.y / kCells_per_mm}; }
    [[nodiscard]] bool holds(Point p) const {
        const cv::Point2f c = cell(p);
        const int x = cvRound(c.x), y = cvRound(c.y);
        return x >= 0 && y >= 0 && x < mask.cols && y < mask.rows && mask.at<uchar>(y, x);
    }
};

struct Placement {
    int kind = 0;
    Pose pose;
    double outline = 0;  ///< Share of its outline along the outline of what was left.
    double seams = 0;    ///< Its sides inside the patch: fine lines in the picture for, smooth colour against.
    double rank = 0;
};

struct Explanation {
    std::vector<Placement> pieces;
    double left_over = 1;
    double seams = 0;
    [[nodiscard]] double worth() const {
        int twins = 0;  // one of a kind in a colour is the rule
        for (std::size_t i = 0; i < pieces.size(); ++i)
            for (std::size_t j = 0; j < i; ++j) twins += pieces[i].kind == pieces[j].kind;
        return -4 * left_over + seams - 0.03 * static_cast<double>(pieces.size()) - 0.15 * twins;
    }
};

/// Points of a kind to test a placement with, in its own frame.
struct Probe {
    std::vector<Point> inside, rim;
    double area_mm2 = 0;
    double round_mm = 0;  ///< Length of its outline.

    /// What is left of its area when so much is taken off all sides.
    [[nodiscard]] double less(double rim_mm) const { return 1 - std::min(1.0, rim_mm * round_mm / area_mm2); }
};

Probe probe_of(const PolygonKind& kind) {
    Probe probe;
    probe.area_mm2 = area_of(kind.outline_mm);
    const auto& o = kind.outline_mm;
    for (std::size_t i = 0; i < o.size(); ++i) {
        const Point a = o[i], b = o[(i + 1) % o.size()];
        probe.round_mm += distance(a, b);
        const int n = std::max(4, static_cast<int>(distance(a, b) / 3));
        for (int k = 0; k < n; ++k) {
            const Point p = a + (b - a) * ((k + 0.5) / n);
            probe.rim.push_back(p);
            for (double s : {0.86, 0.6, 0.25}) probe.inside.push_back(p * s);
        }
    }
    return probe;
}

Point at(Pose pose, Point p) { return place(pose, p); }

class Explainer {
public:
    Explainer(const View& view, const Catalogue& catalogue, const std::vector<Probe>& probes, const Patch& patch,
              const MosaicLimits& limits, std::vector<int> taken)
        : view_{view}, catalogue_{catalogue}, probes_{probes}, patch_{patch}, limits_{limits}, taken_{std::move(taken)} {
        for (const Probe& p : probes_) smallest_ = std::min(smallest_, p.area_mm2);
        whole_ = cv::countNonZero(patch.mask);
    }

    Explanation explain() {
        best_ = one_piece();
        if (!best_.pieces.empty()) best_.left_over = left_over(without(patch_.mask, best_.pieces.front()));
        Explanation start;
        dig(patch_.mask, start);
        return best_;
    }

private:
    [[nodiscard]] double mm2(double cells) const { return cells / (kCells_per_mm * kCells_per_mm); }

    void dig(const cv::Mat& rest, const Explanation& so_far) {
        const cv::Mat part = largest_part(rest);
        const auto placements = part.empty() ? std::vector<Placement>{} : placements_on(part, so_far);
        if (placements.empty()) finish(rest, so_far);
        for (const Placement& placement : placements) {
            if (++tries_ > limits_.max_tries || complete_ >= 16) return;
            Explanation next = so_far;
            next.pieces.push_back(placement);
            next.seams += placement.seams;
            // Seams add little: what is already far behind will not catch up.
            if (!best_.pieces.empty() && next.seams + 0.5 < best_.worth()) continue;
            dig(without(rest, placement), next);
        }
    }

    /// The one piece that covers the patch and nothing else, laid along the patch's own sides; nothing if none does.
    [[nodiscard]] Explanation one_piece() const {
        const cv::Moments m = cv::moments(patch_.mask, true);
        if (m.m00 < 1) return {};
        const Point centre = patch_.table({static_cast<float>(m.m10 / m.m00), static_cast<float>(m.m01 / m.m00)});
        const auto directions = side_angles();
        Placement best;
        double most = 0;
        for (int k = 0; k < static_cast<int>(catalogue_.polygons.size()); ++k) {
            const double least = std::min(limits_.one_piece, probes_[k].less(limits_.rim_mm)), size = mm2(m.m00) / probes_[k].area_mm2;
            if (size < std::min(0.82, least) || size > 1.22) continue;
            const Polygon& o = catalogue_.polygons[k].outline_mm;
            for (const double direction : directions)
                for (std::size_t j = 0; j < o.size(); ++j) {
                    const Point side = o[(j + 1) % o.size()] - o[j];
                    Placement p{k, {centre.x, centre.y, wrapped(direction - std::atan2(side.y, side.x))}, 1, 0, 0};
                    const double share = in_common(p) - 0.03 * taken_[k];
                    if (share > least && share > most) most = share, best = p, best.rank = 1;
                }
        }
        Explanation why;
        if (best.rank > 0) why.pieces = {best};
        return why;
    }

    /// Directions of the patch's straight sides, clockwise, rad.
    [[nodiscard]] std::vector<double> side_angles() const {
        std::vector<std::vector<cv::Point>> contours;
        cv::findContours(patch_.mask, contours, cv::RETR_EXTERNAL, cv::CHAIN_APPROX_NONE);
        std::vector<double> out;
        for (auto& contour : contours) {
            if (cv::contourArea(contour, true) < 0) std::reverse(contour.begin(), contour.end());
            std::vector<cv::Point> rough;
            cv::approxPolyDP(contour, rough, 1.4 * kCells_per_mm, true);
            for (std::size_t i = 0; i < rough.size(); ++i) {
                double length_mm = 0;
                const auto side = side_between(contour, rough[i], rough[(i + 1) % rough.size()], length_mm);
                if (length_mm > 12) out.push_back(std::atan2(side.second.y, side.second.x));
            }
        }
        return out;
    }

    /// Area that the piece and the patch have in common, by the area of both together.
    [[nodiscard]] double in_common(const Placement& p) const {
        cv::Mat piece = cv::Mat::zeros(patch_.mask.size(), CV_8U), both;
        std::vector<cv::Point> corners;
        for (const Point q : catalogue_.polygons[p.kind].outline_mm) corners.emplace_back(patch_.cell(at(p.pose, q)));
        cv::fillConvexPoly(piece, corners, 255);
        cv::bitwise_and(piece, patch_.mask, both);
        const double common = cv::countNonZero(both);
        return common / std::max(1.0, cv::countNonZero(piece) + whole_ - common);
    }

    [[nodiscard]] double left_over(const cv::Mat& rest) const { return static_cast<double>(cv::countNonZero(rest)) / std::max(whole_, 1); }

    void finish(const cv::Mat& rest, Explanation done) {
        done.left_over = left_over(rest);
        if (done.left_over < limits_.max_left_over) ++complete_;
        if (best_.pieces.empty() || done.worth() > best_.worth()) best_ = std::move(done);
    }

    [[nodiscard]] cv::Mat largest_part(const cv::Mat& rest) const {
        cv::Mat labels, stats, centres;
        const int n = cv::connectedComponentsWithStats(rest, labels, stats, centres, 4, CV_32S);
        int best = 0;
        for (int i = 1; i < n; ++i)
            if (!best || stats.at<int>(i, cv::CC_STAT_AREA) > stats.at<int>(best, cv::CC_STAT_AREA)) best = i;
        if (!best || mm2(stats.at<int>(best, cv::CC_STAT_AREA)) < 0.6 * smallest_) return {};
        return labels == best;
    }

    [[nodiscard]] cv::Mat without(const cv::Mat& rest, const Placement& piece) const {
        std::vector<cv::Point> corners;
        for (Point p : catalogue_.polygons[piece.kind].outline_mm) {
            const cv::Point2f c = patch_.cell(at(piece.pose, p * (1 + 0.6 / length(p))));  // slivers along its sides are no pieces
            corners.emplace_back(cvRound(c.x), cvRound(c.y));
        }
        cv::Mat out = rest.clone();
        cv::fillConvexPoly(out, corners, 0);
        return out;
    }

    [[nodiscard]] std::vector<Placement> placements_on(const cv::Mat& part, const Explanation& so_far) const {
        std::vector<std::vector<cv::Point>> contours;
        cv::findContours(part, contours, cv::RETR_EXTERNAL, cv::CHAIN_APPROX_NONE);
        if (contours.empty()) return {};
        auto& contour = *std::max_element(contours.begin(), contours.end(), [](const auto& a, const auto& b) { return a.size() < b.size(); });
        if (cv::contourArea(contour, true) < 0) std::reverse(contour.begin(), contour.end());
        cv::Mat line(part.size(), CV_8U, cv::Scalar(255)), far;
        cv::polylines(line, contour, true, 0, 1);
        cv::distanceTransform(line, far, cv::DIST_L2, 3);
        const double room_mm2 = mm2(cv::countNonZero(part));
        for (const Corner& corner : sharp_corners(contour)) {
            std::vector<Placement> out;
            fill_corner(corner, room_mm2, part, far, so_far, out);
            if (out.empty()) continue;
            std::sort(out.begin(), out.end(), [](const Placement& a, const Placement& b) { return a.rank > b.rank; });
            return distinct(out);
        }
        return {};
    }

    /// A corner of the patch that sticks out, with its two sides.
    struct Corner {
        Point at, before, after;  ///< Unit vectors along the side that comes and the side that goes.
        double inner = 0;         ///< Angle inside, rad.
    };

    /// The sharpest few: whatever piece covers such a corner has a corner of its own there.
    [[nodiscard]] std::vector<Corner> sharp_corners(const std::vector<cv::Point>& contour) const {
        std::vector<cv::Point> rough;
        cv::approxPolyDP(contour, rough, 1.4 * kCells_per_mm, true);
        const std::size_t n = rough.size();
        if (n < 3) return {};
        std::vector<std::pair<Point, Point>> sides(n);
        std::vector<double> lengths(n);
        for (std::size_t i = 0; i < n; ++i) sides[i] = side_between(contour, rough[i], rough[(i + 1) % n], lengths[i]);
        std::vector<Corner> out;
        for (std::size_t i = 0; i < n; ++i) {
            const auto& [p, u] = sides[(i + n - 1) % n];
            const auto& [q, v] = sides[i];
            const double turn = std::atan2(cross(u, v), dot(u, v));
            if (lengths[(i + n - 1) % n] < 8 || lengths[i] < 8 || turn < 0.3) continue;
            const Point meet = p + u * (cross(q - p, v) / cross(u, v));
            if (distance(meet, patch_.table(rough[i])) < 5) out.push_back({meet, u, v, M_PI - turn});
        }
        std::sort(out.begin(), out.end(), [](const Corner& a, const Corner& b) { return a.inner < b.inner; });
        if (out.size() > 4) out.resize(4);
        return out;
    }

    /// Line through the contour's own points between two corners, their surroundings left out.
    [[nodiscard]] std::pair<Point, Point> side_between(const std::vector<cv::Point>& contour, cv::Point a, cv::Point b,
                                                       double& length_mm) const {
        const auto n = static_cast<int>(contour.size());
        const int from = static_cast<int>(std::find(contour.begin(), contour.end(), a) - contour.begin());
        int count = static_cast<int>(std::find(contour.begin(), contour.end(), b) - contour.begin()) - from;
        if (count < 0) count += n;
        std::vector<cv::Point2f> points;
        for (int k = count / 6; k <= count - count / 6; ++k) points.emplace_back(contour[(from + k) % n]);
        const Point pa = patch_.table(a), pb = patch_.table(b);
        length_mm = distance(pa, pb);
        const Point straight = (pb - pa) * (1 / std::max(length_mm, 1e-6));
        if (points.size() < 5) return {pa, straight};
        cv::Vec4f l;
        cv::fitLine(points, l, cv::DIST_HUBER, 0, 0.01, 0.01);
        Point d{l[0], l[1]};
        if (dot(d, straight) < 0) d = d * -1;
        return {patch_.table({l[2], l[3]}), d};
    }

    /// Every kind, each of its corners, along either side of the patch's corner.
    void fill_corner(const Corner& corner, double room_mm2, const cv::Mat& part, const cv::Mat& far,
                     const Explanation& so_far, std::vector<Placement>& out) const {
        for (int k = 0; k < static_cast<int>(catalogue_.polygons.size()); ++k) {
            const Polygon& o = catalogue_.polygons[k].outline_mm;
            if (probes_[k].area_mm2 > 1.12 * room_mm2 + 40) continue;
            for (std::size_t j = 0; j < o.size(); ++j) {
                const Point in = o[j] - o[(j + o.size() - 1) % o.size()], go = o[(j + 1) % o.size()] - o[j];
                const double inner = M_PI - std::atan2(cross(in, go), dot(in, go));
                if (inner > corner.inner + 0.16) continue;
                const double by_after = std::atan2(cross(go, corner.after), dot(go, corner.after));
                const double by_before = std::atan2(cross(in, corner.before), dot(in, corner.before));
                const bool fills = std::abs(inner - corner.inner) < 0.16;
                for (const double angle : fills ? std::vector<double>{by_after + 0.5 * wrapped(by_before - by_after)}
                                                : std::vector<double>{by_after, by_before}) {
                    const Point centre = corner.at - rotated(o[j], angle);
                    consider({k, {centre.x, centre.y, angle}}, part, far, so_far, out);
                }
            }
        }
    }

    void consider(Placement p, const cv::Mat& part, const cv::Mat& far, const Explanation& so_far,
                  std::vector<Placement>& out) const {
        const Probe& probe = probes_[p.kind];
        int inside = 0, rim = 0, known = 0;
        const cv::Rect all({0, 0}, part.size());
        for (Point q : probe.inside) {
            const cv::Point c = patch_.cell(at(p.pose, q));
            inside += all.contains(c) && part.at<uchar>(c);
        }
        if (inside < limits_.min_inside * static_cast<double>(probe.inside.size())) return;
        for (Point q : probe.rim) {
            const cv::Point c = patch_.cell(at(p.pose, q));
            rim += all.contains(c) && far.at<float>(c) < 1.6f * kCells_per_mm;
        }
        for (const Placement& other : so_far.pieces) known += other.kind == p.kind;
        known += taken_[p.kind];
        p.outline = static_cast<double>(rim) / static_cast<double>(probe.rim.size());
        if (p.outline < limits_.min_outline) return;
        // One of a kind in a colour is the rule; a second one has to be much the better reading.
        p.seams = seams(p) - 0.15 * taken_[p.kind];
        p.rank = (p.outline + 1.5 * p.seams) * std::pow(probe.area_mm2, 0.3) * (known ? 0.6 : 1.0);
        out.push_back(p);
    }

    [[nodiscard]] static std::vector<Placement> distinct(const std::vector<Placement>& sorted) {
        std::vector<Placement> out;
        for (const Placement& p : sorted) {
            const bool known = std::any_of(out.begin(), out.end(), [&](const Placement& q) {
                return q.kind == p.kind && distance({q.pose.x, q.pose.y}, {p.pose.x, p.pose.y}) < 4;
            });
            if (!known) out.push_back(p);
            if (out.size() >= 8) break;
        }
        return out;
    }

    /// For sides inside the patch: is there a fine line in the picture? Yes counts for, no against.
    [[nodiscard]] double seams(const Placement& p) const {
        double sum = 0;
        const PolygonKind& kind = catalogue_.polygons[p.kind];
        const auto& o = kind.outline_mm;
        for (std::size_t i = 0; i < o.size(); ++i) {
            const Point a = at(p.pose, o[i]), b = at(p.pose, o[(i + 1) % o.size()]);
            const Point along = (b - a) * (1 / distance(a, b)), outward{along.y, -along.x};
            if (patch_.holds((a + b) * 0.5 + outward * 5)) sum += 0.2 * line_strength(a, b, outward, kind.height_mm);
        }
        return sum;
    }

    /// From −1 (smooth) to 1 (a clear line), allowing a millimetre of error across.
    [[nodiscard]] double line_strength(Point a, Point b, Point outward, double height_mm) const {
        double best = 0, noise = 0;
        for (double offset = -3.5; offset <= 3.5; offset += 0.5) {
            double sum = 0;
            constexpr int kSamples = 12;
            for (int k = 0; k < kSamples; ++k) {
                const Point p = a + (b - a) * (0.12 + 0.76 * k / (kSamples - 1)) + outward * offset;
                sum += grey(p, height_mm) - 0.5 * (grey(p + outward * 1.6, height_mm) + grey(p - outward * 1.6, height_mm));
            }
            const double response = std::abs(sum) / kSamples;
            if (std::abs(offset) <= 1.1) best = std::max(best, response);
            if (std::abs(offset) >= 2.4) noise = std::max(noise, response);
        }
        return std::clamp((best - 1.3 * noise - 1.5) / 2.0, -1.0, 1.0);
    }

    [[nodiscard]] double grey(Point p, double height_mm) const {
        const cv::Point2d px = view_.map->project(p, height_mm);
        const int x = static_cast<int>(std::floor(px.x)), y = static_cast<int>(std::floor(px.y));
        if (x < 0 || y < 0 || x + 1 >= view_.bgr.cols || y + 1 >= view_.bgr.rows) return 0;
        const double fx = px.x - x, fy = px.y - y;
        const auto value = [&](int yy, int xx) {
            const cv::Vec3b& c = view_.bgr.at<cv::Vec3b>(yy, xx);
            return (c[0] + c[1] + c[2]) / 3.0;
        };
        return (value(y, x) * (1 - fx) + value(y, x + 1) * fx) * (1 - fy) +
               (value(y + 1, x) * (1 - fx) + value(y + 1, x + 1) * fx) * fy;
    }

    const View& view_;
    const Catalogue& catalogue_;
    const std::vector<Probe>& probes_;
    const Patch& patch_;
    const MosaicLimits& limits_;
    std::vector<int> taken_;  // by kind: how many of this colour lie elsewhere
    double smallest_ = 1e9;
    int whole_ = 0, tries_ = 0, complete_ = 0;
    Explanation best_;
};

/// The patch a contour of the picture encloses, in millimetres at that height.
Patch patch_of(const View& view, const std::vector<cv::Point>& contour, double height_mm) {
    std::vector<Point> points;
    Point low{1e9, 1e9}, high{-1e9, -1e9};
    for (const cv::Point& c : contour) {
        const Point p = view.map->to_table(c, height_mm);
        points.push_back(p);
        low = {std::min(low.x, p.x), std::min(low.y, p.y)};
        high = {std::max(high.x, p.x), std::max(high.y, p.y)};
    }
    Patch patch;
    patch.corner = low - Point{kMargin_mm, kMargin_mm};
    const Point span = high - low + Point{2 * kMargin_mm, 2 * kMargin_mm};
    patch.mask = cv::Mat::zeros(static_cast<int>(span.y * kCells_per_mm) + 1, static_cast<int>(span.x * kCells_per_mm) + 1, CV_8U);
    std::vector<std::vector<cv::Point>> cells(1);
    for (Point p : points) cells[0].emplace_back(patch.cell(p));
    cv::fillPoly(patch.mask, cells, 255);
    return patch;
}

/// Does a patch go on under what must not be looked at? Then its outline says nothing.
bool cut_by_mask(const View& view, const std::vector<cv::Point>& contour) {
    if (view.mask.empty()) return false;
    const cv::Rect all({0, 0}, view.mask.size());
    for (const cv::Point& p : contour)
        for (const cv::Point d : {cv::Point{2, 0}, cv::Point{-2, 0}, cv::Point{0, 2}, cv::Point{0, -2}})
            if (all.contains(p + d) && view.mask.at<uchar>(p + d) == 0) return true;
    return false;
}

bool on_table(const View& view, const Table& table, const std::vector<cv::Point>& contour) {
    const cv::Rect box = cv::boundingRect(contour);
    if (box.x <= 1 || box.y <= 1 || box.br().x >= view.bgr.cols - 1 || box.br().y >= view.bgr.rows - 1) return false;
    const Point p = view.map->to_table(cv::Point2d(box.x + box.width / 2.0, box.y + box.height / 2.0));
    return p.x > 0 && p.y > 0 && p.x < table.width_mm && p.y < table.height_mm;
}

}  // namespace

std::vector<LaidPolygon> find_laid_polygons(const View& view, const Catalogue& catalogue, const cv::Mat& classes,
                                            const MosaicLimits& limits, const std::vector<LaidPolygon>& lying) {
    std::vector<Probe> probes;
    double smallest = 1e9, together = 0;
    for (const PolygonKind& kind : catalogue.polygons) {
        probes.push_back(probe_of(kind));
        smallest = std::min(smallest, probes.back().area_mm2);
        together += probes.back().area_mm2;
    }
    const double height = catalogue.polygons.empty() ? 0 : catalogue.polygons.front().height_mm;
    std::vector<LaidPolygon> out;
    for (int colour = 0; colour < static_cast<int>(catalogue.palette.size()); ++colour) {
        std::vector<int> taken(catalogue.polygons.size(), 0);
        for (const LaidPolygon& laid : lying) taken[laid.kind] += laid.colour == colour;
        cv::Mat mask = classes == colour;
        cv::morphologyEx(mask, mask, cv::MORPH_OPEN, cv::getStructuringElement(cv::MORPH_ELLIPSE, {3, 3}));
        std::vector<std::vector<cv::Point>> contours;
        cv::findContours(mask, contours, cv::RETR_EXTERNAL, cv::CHAIN_APPROX_NONE);
        for (const auto& contour : contours) {
            if (contour.size() < 20 || !on_table(view, catalogue.table, contour) || cut_by_mask(view, contour)) continue;
            const Patch patch = patch_of(view, contour, 0.6 * height);
            const double mm2 = cv::countNonZero(patch.mask) / (kCells_per_mm * kCells_per_mm);
            if (mm2 < 0.65 * smallest || mm2 > 1.1 * together) continue;
            const Explanation why = Explainer{view, catalogue, probes, patch, limits, taken}.explain();
            if (why.pieces.empty() || why.left_over > limits.max_left_over + 0.25) continue;
            for (const Placement& p : why.pieces) {
                LaidPolygon piece{p.kind, colour, p.pose, 0};
                piece.fit = settle_pose(view, catalogue.polygons[p.kind], 0, piece.pose);
                if (why.left_over > limits.max_left_over) piece.fit *= 0.6;
                out.push_back(piece);
            }
        }
    }
    return out;
}

double settle_pose(const View& view, const PolygonKind& kind, double base_mm, Pose& pose) {
    const auto eye = view.map->eye();
    const double top = base_mm + kind.height_mm;
    double share = 0;
    Pose now = pose;
    for (int round = 0; round < 5; ++round) {
        cv::Matx33d normal = cv::Matx33d::zeros();
        cv::Vec3d right(0, 0, 0);
        int asked = 0, found = 0;
        const auto& o = kind.outline_mm;
        for (std::size_t i = 0; i < o.size(); ++i) {
            const Point a = place(now, o[i]), b = place(now, o[(i + 1) % o.size()]);
            const Point along = (b - a) * (1 / distance(a, b)), outward{along.y, -along.x};
            const bool wall = eye && dot(outward, Point{(*eye)[0], (*eye)[1]} - a) > 0;
            const int n = std::clamp(static_cast<int>(distance(a, b) / 2.5), 6, 24);
            for (int k = 0; k < n; ++k) {
                const Point p = a + (b - a) * (0.08 + 0.84 * (k + 0.5) / n);
                const cv::Point2d px = view.map->project(p, top);
                const cv::Matx22d J = view.map->jacobian(p, top);
                cv::Point2d dir(J(0, 0) * outward.x + J(0, 1) * outward.y, J(1, 0) * outward.x + J(1, 1) * outward.y);
                dir *= 1 / std::max(cv::norm(dir), 1e-9);
                cv::Point2f edge;
                double contrast = 0;
                ++asked;
                std::optional<float> line;
                if (seam_across(view.bgr, px, dir, 5, line)) {
                    if (!line) continue;
                } else if (!step_across(view.bgr, px, dir, round < 2 ? 4.5f : 3.f, edge, contrast) || contrast < 16) {
                    continue;
                }
                double off = line ? static_cast<double>(*line) : (cv::Point2d(edge) - px).dot(dir);
                if (wall && !line) {
                    const double foot = (cv::Point2d(edge) - view.map->project(p, base_mm)).dot(dir);
                    if (std::abs(foot) < std::abs(off)) off = foot;
                }
                ++found;
                const double weight = 1 / std::max(1.0, std::abs(off));
                const Point arm{-(p.y - now.y), p.x - now.x};
                const cv::Vec3d row(dir.x * J(0, 0) + dir.y * J(1, 0), dir.x * J(0, 1) + dir.y * J(1, 1),
                                    dir.x * (J(0, 0) * arm.x + J(0, 1) * arm.y) + dir.y * (J(1, 0) * arm.x + J(1, 1) * arm.y));
                for (int r = 0; r < 3; ++r) {
                    for (int c = 0; c < 3; ++c) normal(r, c) += weight * row[r] * row[c];
                    right[r] += weight * row[r] * off;
                }
            }
        }
        share = asked ? static_cast<double>(found) / asked : 0;
        if (share < 0.35) return share;
        for (int r = 0; r < 3; ++r) normal(r, r) += 1e-6;
        const cv::Vec3d step = normal.solve(right, cv::DECOMP_CHOLESKY);
        now = {now.x + step[0], now.y + step[1], now.angle + step[2]};
        if (std::hypot(step[0], step[1]) < 0.01 && std::abs(step[2]) < 1e-4) break;
    }
    if (std::hypot(now.x - pose.x, now.y - pose.y) < 5 && std::abs(now.angle - pose.angle) < 0.2) pose = now;
    pose.angle = wrapped(pose.angle);
    return share;
}

}  // namespace overboard::vision
