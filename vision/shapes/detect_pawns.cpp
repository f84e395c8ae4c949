#include "vision/shapes/detect_pawns.hpp"

#include <algorithm>
#include <cmath>
#include <opencv2/imgproc.hpp>

#include "vision/changes.hpp"
#include "vision/palette.hpp"

// Seen from above a standing figure leans away from the point below the camera: its foot is the end
// of the patch nearest to that point, half a diameter in; its width across that line is the
// figure's own. A shadow is no colour of the palette and drops out before. Another figure may hide
// that end, or print of the same colour lengthen it: the foot is where the patch's edge follows the
// foot's round best, on the sides if not in front.

namespace overboard::vision {
namespace {

constexpr double kNew = 0.4;  ///< Share of a figure that differs from what was there: its colour
                              ///< may be the ground's, in part.
constexpr double kAmongPrint = 0.5;  ///< A board is printed in the figures' colours: at first sight
                                     ///< they are only guesses.

struct Extent {
    double near = 0, far = 0, left = 0,
           right = 0;  ///< mm along and across the line from below the eye.
    Point origin, along, across;
};

double quantile(std::vector<double>& v, double q) {
    const auto k = v.begin() + static_cast<std::ptrdiff_t>(q * static_cast<double>(v.size() - 1));
    std::nth_element(v.begin(), k, v.end());
    return *k;
}

/// The contour's reach on the table plane, measured along the way the figure leans.
Extent extent_of(const View& view, const std::vector<cv::Point>& contour) {
    std::vector<Point> points;
    Point centre{0, 0};
    for (const cv::Point& c : contour) {
        points.push_back(view.map->to_table(c));
        centre = centre + points.back() * (1.0 / static_cast<double>(contour.size()));
    }
    Extent e;
    const auto eye = view.map->eye();
    const Point lean = eye ? centre - Point{(*eye)[0], (*eye)[1]} : Point{0, 0};
    e.along = length(lean) > 1 ? lean * (1 / length(lean)) : Point{1, 0};
    e.across = {-e.along.y, e.along.x};
    e.origin = centre;
    std::vector<double> u, v;
    for (Point p : points)
        u.push_back(dot(p - centre, e.along)), v.push_back(dot(p - centre, e.across));
    e.near = quantile(u, 0.01);
    e.far = quantile(u, 0.99);
    e.left = quantile(v, 0.02);
    e.right = quantile(v, 0.98);
    return e;
}

/// In how many directions the edge of a patch of colour follows the foot's round, standing there;
/// less those in which the colour goes on beyond. Behind it the body is in the way.
int edge_followed(const View& view, const cv::Mat& mask, const Extent& e, Point foot,
                  double radius_mm) {
    constexpr int kDirections = 40;
    constexpr double kBeside_px = 1.2;
    const double beside_mm = kBeside_px / view.map->px_per_mm(foot);
    const auto coloured = [&](Point p) {
        const cv::Point2d px = view.map->project(p);
        const cv::Point at(cvRound(px.x), cvRound(px.y));
        return cv::Rect({0, 0}, mask.size()).contains(at) && mask.at<uchar>(at) != 0;
    };
    int followed = 0;
    for (int d = 0; d < kDirections; ++d) {
        const Point out = rotated({1, 0}, 2 * M_PI * d / kDirections);
        if (dot(out, e.along) > 0.35) continue;
        if (coloured(foot + out * (radius_mm + beside_mm)))
            --followed;
        else if (coloured(foot + out * (radius_mm - beside_mm)))
            ++followed;
    }
    return followed;
}

/// The foot, looked for round where the near end of the patch would have it.
Point settled_foot(const View& view, const cv::Mat& mask, const Extent& e, Point from,
                   double diameter_mm) {
    constexpr double kStep = 0.04, kNearer = 0.5, kFarther = 0.4, kAside = 0.25;  // diameters
    // Shade takes some of the patch, blur adds to it: on all sides alike.
    constexpr double kRounds[] = {0.84, 0.9, 0.96, 1.02, 1.08};
    int most = 0;
    double weights = 0;
    Point sum{0, 0};
    for (double u = -kNearer; u <= kFarther; u += kStep)
        for (double v = -kAside; v <= kAside; v += kStep) {
            const Point foot = from + e.along * (u * diameter_mm) + e.across * (v * diameter_mm);
            for (const double round : kRounds) {
                const int followed = edge_followed(view, mask, e, foot, round * diameter_mm / 2);
                if (followed < most) continue;
                if (followed > most) most = followed, weights = 0, sum = {0, 0};
                weights += 1;
                sum = sum + foot;
            }
        }
    constexpr int kLeast = 10;  // of two dozen; a patch that is more than the figure follows less
    return most >= kLeast ? sum * (1 / weights) : from;
}

/// How far the head of a figure standing there leans over on the table plane.
double lean_mm(const View& view, Point foot, double height_mm) {
    const cv::Point2d head = view.map->project(foot, height_mm);
    return distance(foot, view.map->to_table(head));
}

/// 0: no such figure; up to 1.
double likeness(const View& view, const RoundKind& kind, const Extent& e, Point foot,
                double area_mm2) {
    const double width = e.right - e.left, depth = e.far - e.near;
    const double lean = lean_mm(view, foot, kind.height_mm);
    const double expected = lean + 0.9 * kind.diameter_mm;
    if (width < 0.5 * kind.diameter_mm || width > 1.6 * kind.diameter_mm) return 0;
    if (depth < 0.55 * expected || depth > 1.5 * expected + 3) return 0;
    const double full = area_mm2 / std::max(width * depth, 1.0);
    if (full < 0.4) return 0;
    return std::max(0.0, 1 - 0.7 * std::abs(std::log(depth / expected)) -
                             0.5 * std::abs(std::log(width / kind.diameter_mm)));
}

}  // namespace

namespace {

/// Share of a patch that differs from before: print that is only looked at again does not.
double new_share(const View& view, const std::vector<cv::Point>& contour) {
    if (!view.before || view.before->unlike.empty()) return 1;
    const cv::Rect box = cv::boundingRect(contour);
    cv::Mat inside = cv::Mat::zeros(box.size(), CV_8U);
    cv::drawContours(inside, std::vector<std::vector<cv::Point>>{contour}, 0, 255, cv::FILLED,
                     cv::LINE_8, cv::noArray(), 0, -box.tl());
    const cv::Mat differs = inside & (view.before->unlike(box) > ChangeLimits{}.least);
    return static_cast<double>(cv::countNonZero(differs)) / std::max(1, cv::countNonZero(inside));
}

/// Whether the figure of this colour is known to have stood here.
bool stood_there(const View& view, const RoundKind& kind, const Piece& pawn) {
    return view.before &&
           std::any_of(view.before->pieces.begin(), view.before->pieces.end(),
                       [&](const Piece& old) {
                           return old.kind == PieceKind::pawn && old.colour == pawn.colour &&
                                  distance({old.x, old.y}, {pawn.x, pawn.y}) < kind.diameter_mm / 2;
                       });
}

/// Cards are printed in any colour, and no figure stands on one.
void blot_out_faces(const View& view, const Catalogue& catalogue, const std::vector<Piece>& pieces,
                    cv::Mat& classes) {
    for (const Piece& p : pieces)
        if (p.kind == PieceKind::card || p.kind == PieceKind::tile)
            if (const auto card = footprint(view, catalogue, p); card.size() >= 3)
                cv::fillConvexPoly(classes, card, Palette::kNone);
}

std::vector<Piece> by_colour(const View& view, const Catalogue& catalogue,
                             const std::vector<Piece>& seen) {
    cv::Mat classes = colour_classes(view, catalogue);
    blot_out_faces(view, catalogue, seen, classes);
    if (view.before) blot_out_faces(view, catalogue, view.before->pieces, classes);
    const RoundKind& kind = catalogue.pawns.front();
    std::vector<Piece> pieces;
    for (int colour = 0; colour < static_cast<int>(catalogue.palette.size()); ++colour) {
        const std::string& name = catalogue.palette[colour].name;
        if (std::find(kind.colours.begin(), kind.colours.end(), name) == kind.colours.end())
            continue;
        cv::Mat mask = classes == colour;
        cv::morphologyEx(mask, mask, cv::MORPH_OPEN,
                         cv::getStructuringElement(cv::MORPH_ELLIPSE, {3, 3}));
        cv::morphologyEx(mask, mask, cv::MORPH_CLOSE,
                         cv::getStructuringElement(cv::MORPH_ELLIPSE, {5, 5}));
        std::vector<std::vector<cv::Point>> contours;
        cv::findContours(mask, contours, cv::RETR_EXTERNAL, cv::CHAIN_APPROX_NONE);
        std::vector<Piece> found;
        for (const auto& contour : contours) {
            if (contour.size() < 12 || new_share(view, contour) < kNew) continue;
            const Extent e = extent_of(view, contour);
            const double scale = view.map->px_per_mm(e.origin);
            const Point near_end = e.origin + e.along * (e.near + kind.diameter_mm / 2) +
                                   e.across * ((e.left + e.right) / 2);
            const double like = likeness(view, kind, e, near_end,
                                         cv::contourArea(contour) / (scale * scale));
            if (like < 0.45) continue;
            const Point foot = settled_foot(view, mask, e, near_end, kind.diameter_mm);
            Piece piece;
            piece.kind = PieceKind::pawn;
            piece.colour = name;
            piece.x = foot.x;
            piece.y = foot.y;
            const cv::Moments m = cv::moments(contour);
            piece.px = Point{m.m10 / m.m00, m.m01 / m.m00};
            piece.size_px = kind.diameter_mm * scale;
            piece.confidence = like;
            found.push_back(std::move(piece));
        }
        // One figure a colour: print of the same colour may look alike, the figure looks best.
        // Where it stood and something of its colour has turned up elsewhere, too, it has uncovered
        // print.
        const auto rank = [&](const Piece& p) {
            return std::pair(!stood_there(view, kind, p), p.confidence);
        };
        const auto best = std::max_element(
            found.begin(), found.end(),
            [&](const Piece& a, const Piece& b) { return rank(a) < rank(b); });
        if (best != found.end()) pieces.push_back(*best);
    }
    return pieces;
}

}  // namespace

// In play only changed places are searched; where nothing of a colour turns up there, its figure
// stands where it stood. One known for sure that nothing happened to has not moved, whatever turns
// up: print that another figure uncovered.
std::vector<Piece> detect_pawns(const View& view, const Catalogue& catalogue,
                                const std::vector<Piece>& seen) {
    if (view.bgr.empty() || !view.map || catalogue.pawns.empty() || catalogue.palette.empty())
        return {};
    if (!view.before || view.before->unlike.empty()) {
        std::vector<Piece> pawns = by_colour(view, catalogue, seen);
        if (catalogue.board)
            for (Piece& p : pawns) p.confidence *= kAmongPrint;
        return pawns;
    }
    std::vector<Piece> pawns = by_colour(only_changed(view, 2), catalogue, seen);
    for (const Piece& p : untouched(view, catalogue, PieceKind::pawn)) {
        const auto other = std::find_if(pawns.begin(), pawns.end(),
                                        [&](const Piece& q) { return q.colour == p.colour; });
        if (other == pawns.end())
            pawns.push_back(p);
        else if (p.confidence > kAmongPrint)
            *other = p;
    }
    return pawns;
}

}  // namespace overboard::vision
