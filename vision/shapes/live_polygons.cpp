#include "vision/shapes/live_polygons.hpp"

#include <algorithm>
#include <cmath>
#include <opencv2/imgproc.hpp>

#include "vision/changes.hpp"

// A polygon has not moved when two of its sides that are not parallel look as they did, inside and
// outside: a new neighbour changes what lies beyond one side, a stone on it changes its middle,
// but whatever moves it changes all sides except those along the way it went. What has
// not moved is blotted out, and the changed rest of the picture is explained like any mosaic: in
// play that is one piece, so neighbours of the same colour are told apart by when they came.

namespace overboard::vision {
namespace {

struct FollowLimits {
    double beside_mm = 1.8;   ///< How far from a side it is looked at. Lower: blur of the edge
                              ///< itself. Higher: sees neighbours.
    double same_side = 0.75;  ///< Share of a side that must look as it did.
    double least_turn = 0.3;  ///< Sine between two sides that count as not parallel.
    double own_colour = 0.8;  ///< Of a pushed piece's inside …
    double outline = 0.72;  ///< … and share of its outline that shows as a step, to be followed.
    double overlap = 0.6;   ///< A new piece within an old one by this share of its area is none.
};
constexpr FollowLimits kFollow;

constexpr double kMostUnder = 0.1;  // of a piece that is back, under another: they lie side by side

bool changed_at(const View& view, Point p, double height_mm) {
    const cv::Point2d px = view.map->project(p, height_mm);
    const cv::Point c(cvRound(px.x), cvRound(px.y));
    const cv::Mat& changed = view.before->changed;
    return !cv::Rect({0, 0}, changed.size()).contains(c) || changed.at<uchar>(c) != 0;
}

/// Share of the side from `a` to `b` that looks as it did, inside and outside.
double as_it_was(const View& view, Point a, Point b, double height_mm) {
    const Point along = (b - a) * (1 / distance(a, b)), outward{along.y, -along.x};
    const int n = std::max(6, static_cast<int>(distance(a, b) / 2.5));
    int same = 0;
    for (int k = 0; k < n; ++k) {
        const Point p = a + (b - a) * (0.1 + 0.8 * (k + 0.5) / n);
        same += !changed_at(view, p + outward * kFollow.beside_mm, height_mm) &&
                !changed_at(view, p - outward * kFollow.beside_mm, height_mm);
    }
    return static_cast<double>(same) / n;
}

/// May a stone lying in the middle hide this point of a piece?
bool under_a_stone(const Catalogue& catalogue, Point from_middle) {
    constexpr double kAside_mm = 2;
    return std::any_of(catalogue.stones.begin(), catalogue.stones.end(),
                       [&](const RoundKind& stone) {
                           return length(from_middle) < stone.diameter_mm / 2 + kAside_mm;
                       });
}

/// Is the inside of a piece lying so still of its colour?
bool of_its_colour(const View& view, const Catalogue& catalogue, const cv::Mat& classes,
                   const LaidPolygon& laid) {
    const PolygonKind& kind = catalogue.polygons[laid.kind];
    int own = 0, asked = 0;
    const auto& o = kind.outline_mm;
    for (std::size_t i = 0; i < o.size(); ++i)
        for (const Point p : {o[i], (o[i] + o[(i + 1) % o.size()]) * 0.5})
            for (const double in : {0.85, 0.7, 0.5}) {
                if (under_a_stone(catalogue, p * in)) continue;
                const cv::Point2d px = view.map->project(place(laid.pose, p * in), kind.height_mm);
                const cv::Point c(cvRound(px.x), cvRound(px.y));
                ++asked;
                own += cv::Rect({0, 0}, classes.size()).contains(c) &&
                       classes.at<uchar>(c) == laid.colour;
            }
    return asked > 2 && own >= kFollow.own_colour * asked;
}

/// Pushed by a millimetre or two, or looking different for another reason (a shadow, a new
/// neighbour on two sides).
bool found_again(const View& view, const Catalogue& catalogue, const cv::Mat& classes,
                 LaidPolygon& laid) {
    LaidPolygon now = laid;
    now.fit = settle_pose(view, catalogue.polygons[laid.kind], 0, now.pose);
    if (now.fit < kFollow.outline || !of_its_colour(view, catalogue, classes, now)) return false;
    laid = now;
    return true;
}

/// Where it lies now, if it still lies: as it was, or found again. Nothing changes round what was
/// only a guess, either, when other pieces of its colour cover its place: such a one must still
/// look like itself.
bool still_lies(const View& view, const Catalogue& catalogue, const cv::Mat& classes,
                LaidPolygon& laid) {
    const bool guessed = laid.fit < kFollow.outline;
    return (lies_untouched(view, catalogue.polygons[laid.kind], laid.pose) &&
            (!guessed || of_its_colour(view, catalogue, classes, laid))) ||
           found_again(view, catalogue, classes, laid);
}

std::vector<cv::Point> outline_px(const View& view, const Catalogue& catalogue,
                                  const LaidPolygon& laid) {
    std::vector<cv::Point> out;
    const PolygonKind& kind = catalogue.polygons[laid.kind];
    for (const Point p : kind.outline_mm)
        out.emplace_back(view.map->project(place(laid.pose, p), kind.height_mm));
    return out;
}

/// Takes a piece out of the picture, but not what lies on it now.
void blot_out(const View& view, const Catalogue& catalogue, const LaidPolygon& laid,
              cv::Mat& classes) {
    cv::Mat piece = cv::Mat::zeros(classes.size(), CV_8U);
    cv::fillConvexPoly(piece, outline_px(view, catalogue, laid), 255);
    const cv::Mat on_top = view.before->changed & (classes != laid.colour);
    piece.setTo(0, on_top);
    classes.setTo(Palette::kNone, piece);
}

std::vector<cv::Point2f> placed(const Catalogue& catalogue, const LaidPolygon& laid) {
    std::vector<cv::Point2f> out;
    for (const Point p : catalogue.polygons[laid.kind].outline_mm) {
        const Point q = place(laid.pose, p);
        out.emplace_back(static_cast<float>(q.x), static_cast<float>(q.y));
    }
    return out;
}

/// Share of `a` that lies within `b`.
double share_within(const Catalogue& catalogue, const LaidPolygon& a, const LaidPolygon& b) {
    std::vector<cv::Point2f> common;
    const auto own = placed(catalogue, a);
    return cv::intersectConvexConvex(own, placed(catalogue, b), common) / cv::contourArea(own);
}

}  // namespace

bool lies_untouched(const View& view, const PolygonKind& kind, Pose pose) {
    std::vector<Point> same;  // directions of sides
    const auto& o = kind.outline_mm;
    for (std::size_t i = 0; i < o.size(); ++i) {
        const Point a = place(pose, o[i]), b = place(pose, o[(i + 1) % o.size()]);
        if (as_it_was(view, a, b, kind.height_mm) >= kFollow.same_side)
            same.push_back((b - a) * (1 / distance(a, b)));
    }
    for (const Point u : same)
        for (const Point v : same)
            if (std::abs(cross(u, v)) > kFollow.least_turn) return true;
    return false;
}

std::optional<LaidPolygon> laid_from(const Catalogue& catalogue, const Piece& piece) {
    LaidPolygon laid{-1,
                     -1,
                     {piece.x, piece.y, piece.angle},
                     std::clamp((piece.confidence - 0.25) / 0.75, 0.0, 1.0)};
    for (int k = 0; k < static_cast<int>(catalogue.polygons.size()); ++k)
        if (catalogue.polygons[k].type == piece.type) laid.kind = k;
    for (int c = 0; c < static_cast<int>(catalogue.palette.size()); ++c)
        if (catalogue.palette[c].name == piece.colour) laid.colour = c;
    if (piece.kind != PieceKind::polygon || laid.kind < 0 || laid.colour < 0) return {};
    return laid;
}

std::vector<LaidPolygon> follow_polygons(const View& view, const Catalogue& catalogue,
                                         cv::Mat classes) {
    std::vector<LaidPolygon> lying, gone;
    for (const Piece& piece : view.before->pieces) {
        auto laid = laid_from(catalogue, piece);
        if (!laid) continue;
        (still_lies(view, catalogue, classes, *laid) ? lying : gone).push_back(*laid);
    }
    for (const Piece& piece : view.before->lost) {
        auto laid = laid_from(catalogue, piece);
        const auto covers = [&](const LaidPolygon& other) {
            return share_within(catalogue, *laid, other) > kMostUnder;
        };
        if (laid && found_again(view, catalogue, classes, *laid) &&
            std::none_of(lying.begin(), lying.end(), covers))
            lying.push_back(*laid);
    }
    cv::Mat changed;
    cv::morphologyEx(view.before->changed, changed, cv::MORPH_CLOSE,
                     cv::getStructuringElement(cv::MORPH_ELLIPSE, {7, 7}));
    for (const LaidPolygon& laid : gone)
        cv::fillConvexPoly(changed, outline_px(view, catalogue, laid), 255);
    for (const LaidPolygon& laid : lying) blot_out(view, catalogue, laid, classes);
    classes.setTo(Palette::kNone, changed == 0);
    std::vector<LaidPolygon> all = lying;
    for (const LaidPolygon& found : find_laid_polygons(view, catalogue, classes, {}, lying)) {
        const bool inside = std::any_of(lying.begin(), lying.end(), [&](const LaidPolygon& old) {
            return share_within(catalogue, found, old) > kFollow.overlap;
        });
        if (!inside) all.push_back(found);
    }
    return all;
}

}  // namespace overboard::vision
