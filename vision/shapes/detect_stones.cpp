#include "vision/shapes/detect_stones.hpp"

#include <algorithm>
#include <cmath>
#include <opencv2/imgproc.hpp>

#include "vision/changes.hpp"
#include "vision/palette.hpp"
#include "vision/shapes/live_polygons.hpp"
#include "vision/shapes/stone_rims.hpp"

// A stone is a round patch of a palette colour, of the stone's own size, on another colour. Whether
// it lies on a polygon or on the table shows in the ring round it; its height follows from that.
// On a polygon of its own colour, or small in the picture, its rim tells of it (stone_rims).
// In play the changed places tell more: a stone laid on a polygon of its own colour shows no patch,
// but a round change within that polygon. One pushed there leaves no round change, nor does one
// moved together with its polygon: there the rim tells, too.

namespace overboard::vision {
namespace {

constexpr double kRim = 0.75;         ///< Of all directions. Higher: stones lit from one side are
                                      ///< overlooked; lower: projected lines pass.
constexpr double kTop = 0.8;          ///< Of a stone's radius: what is not its rim …
constexpr double kOfOneColour = 0.4;  ///< … and the share of it that must be of one colour.
constexpr double kRound = 0.72;  ///< Of the circle round a patch: a wall seen, too, takes some …
constexpr double kRoundOnTable = 0.82;  ///< … and a cloth is printed with squares, which have 0.7.
constexpr double kStays_mm = 3;         ///< A polygon seen so near to where it lay has not moved.
constexpr double kFaint = 40;  ///< Grey levels: more is another colour that came or went, not a
                               ///< stone on its own.

struct RoundPatch {
    cv::Point2d centre_px;
    double area_px = 0;
    double roundness = 0;  ///< Area by the area of the circle round it.
};

std::vector<RoundPatch> round_patches(const cv::Mat& mask, double least_px, double most_px) {
    std::vector<std::vector<cv::Point>> contours;
    cv::findContours(mask, contours, cv::RETR_EXTERNAL, cv::CHAIN_APPROX_NONE);
    std::vector<RoundPatch> out;
    for (const auto& contour : contours) {
        const cv::Moments m = cv::moments(contour);
        if (m.m00 < least_px || m.m00 > most_px) continue;
        cv::Point2f centre;
        float radius = 0;
        cv::minEnclosingCircle(contour, centre, radius);
        // The contour runs through the middles of the outermost pixels, half of each is left out.
        const double area = m.m00 + 0.5 * cv::arcLength(contour, true) + 1;
        out.push_back({{m.m10 / m.m00, m.m01 / m.m00},
                       area,
                       area / (M_PI * (radius + 0.5) * (radius + 0.5))});
    }
    return out;
}

/// Which share of the ring round it is of a class that `counts`.
template <class Counts>
double share_of_ring(const View& view, const cv::Mat& classes, Point at, double radius_mm,
                     const Counts& counts) {
    int found = 0;
    constexpr int kSamples = 16;
    for (int i = 0; i < kSamples; ++i) {
        const Point p = at + rotated({1.45 * radius_mm, 0}, 2 * M_PI * i / kSamples);
        const cv::Point2d px = view.map->project(p);
        const cv::Point c(cvRound(px.x), cvRound(px.y));
        found += cv::Rect({0, 0}, classes.size()).contains(c) && counts(classes.at<uchar>(c));
    }
    return static_cast<double>(found) / kSamples;
}

/// Is most of the ring round it of a piece's colour?
bool on_a_piece(const View& view, const cv::Mat& classes, Point at, double radius_mm) {
    return share_of_ring(view, classes, at, radius_mm,
                         [](uchar c) { return c != Palette::kNone; }) > 0.5;
}

/// Of the colour of all that is round it: a piece where a stone was taken away, round only because
/// the change is.
bool uncovered(const View& view, const Catalogue& catalogue, const Piece& stone) {
    const cv::Mat classes = colour_classes(view, catalogue);
    const auto same = [&](uchar c) {
        return c != Palette::kNone && catalogue.palette[c].name == stone.colour;
    };
    return share_of_ring(view, classes, {stone.x, stone.y},
                         catalogue.stones.front().diameter_mm / 2, same) > 0.5;
}

/// Where a stone stands whose top and a little of its wall make up the patch.
Piece stone_at(const View& view, const RoundKind& kind, const RoundPatch& patch, double base_mm,
               const std::string& colour) {
    Piece piece;
    piece.kind = PieceKind::stone;
    piece.colour = colour;
    const Point at = view.map->to_table(patch.centre_px, base_mm + 0.75 * kind.height_mm);
    piece.x = at.x;
    piece.y = at.y;
    piece.px = Point{patch.centre_px.x, patch.centre_px.y};
    piece.size_px = 2 * std::sqrt(patch.area_px / M_PI);
    piece.confidence = std::clamp(patch.roundness + 0.05, 0.0, 1.0);
    return piece;
}

double base_of(const Catalogue& catalogue) {
    return catalogue.polygons.empty() ? 0 : catalogue.polygons.front().height_mm;
}

std::vector<Piece> by_colour(const View& view, const Catalogue& catalogue, const cv::Mat& classes) {
    const RoundKind& kind = catalogue.stones.front();
    const double below = base_of(catalogue), radius = kind.diameter_mm / 2;
    std::vector<Piece> pieces;
    for (int colour = 0; colour < static_cast<int>(catalogue.palette.size()); ++colour) {
        const std::string& name = catalogue.palette[colour].name;
        if (std::find(kind.colours.begin(), kind.colours.end(), name) == kind.colours.end())
            continue;
        cv::Mat mask = classes == colour;
        cv::morphologyEx(mask, mask, cv::MORPH_OPEN,
                         cv::getStructuringElement(cv::MORPH_ELLIPSE, {3, 3}));
        const double scale = view.map->px_per_mm(
            {catalogue.table.width_mm / 2, catalogue.table.height_mm / 2}, below);
        const double full = M_PI * radius * radius * scale * scale;
        for (const RoundPatch& patch : round_patches(mask, 0.5 * full, 1.6 * full)) {
            const Point ground = view.map->to_table(patch.centre_px);
            const double own = M_PI * std::pow(radius * view.map->px_per_mm(ground, below), 2);
            const bool on_piece = on_a_piece(view, classes, ground, radius);
            if (patch.area_px < 0.6 * own || patch.area_px > 1.45 * own ||
                patch.roundness < (on_piece ? kRound : kRoundOnTable))
                continue;
            if (ground.x < 0 || ground.y < 0 || ground.x > catalogue.table.width_mm ||
                ground.y > catalogue.table.height_mm)
                continue;
            pieces.push_back(stone_at(view, kind, patch, on_piece ? below : 0, name));
        }
    }
    return pieces;
}

bool near_any(const std::vector<Piece>& pieces, Point at, double reach_mm) {
    return std::any_of(pieces.begin(), pieces.end(), [&](const Piece& p) {
        return p.kind == PieceKind::stone && distance({p.x, p.y}, at) < reach_mm;
    });
}

/// The colour most of a stone's top is of; the rest may be glare.
std::string colour_of_top(const Catalogue& catalogue, const cv::Mat& classes, cv::Point2d centre_px,
                          double radius_px) {
    const int reach = cvCeil(radius_px);
    const cv::Rect box = cv::Rect(cv::Point(centre_px) - cv::Point(reach, reach),
                                  cv::Size(2 * reach + 1, 2 * reach + 1)) &
                         cv::Rect({0, 0}, classes.size());
    std::vector<int> of(catalogue.palette.size(), 0);
    int all = 0;
    for (int y = box.y; y < box.br().y; ++y)
        for (int x = box.x; x < box.br().x; ++x) {
            if (std::hypot(x - centre_px.x, y - centre_px.y) > kTop * radius_px) continue;
            ++all;
            if (const uchar c = classes.at<uchar>(y, x); c < of.size()) ++of[c];
        }
    const auto most = std::max_element(of.begin(), of.end());
    return most == of.end() || *most < kOfOneColour * all
               ? ""
               : catalogue.palette[most - of.begin()].name;
}

/// Does one of these stones lie on this polygon?
bool carries_one(const View& view, const Catalogue& catalogue, const Piece& polygon,
                 const std::vector<Piece>& stones) {
    const auto outline = footprint(view, catalogue, polygon);
    return std::any_of(stones.begin(), stones.end(), [&](const Piece& stone) {
        const cv::Point2f at(static_cast<float>(stone.px->x), static_cast<float>(stone.px->y));
        return cv::pointPolygonTest(outline, at, false) >= 0;
    });
}

double radius_on(const View& view, const Catalogue& catalogue, const Piece& polygon) {
    const RoundKind& kind = catalogue.stones.front();
    return 0.5 * kind.diameter_mm *
           view.map->px_per_mm({polygon.x, polygon.y}, base_of(catalogue) + kind.height_mm);
}

/// Stones told by their rims, of the colour of the polygon they lie on or so small in the picture
/// that little of their own is left; `others`: those found by their colour.
std::vector<Piece> by_rim(const View& view, const Catalogue& catalogue, const cv::Mat& classes,
                          const std::vector<Piece>& seen, const std::vector<Piece>& others) {
    const RoundKind& kind = catalogue.stones.front();
    std::vector<Piece> polygons, found;
    for (const Piece& p : seen)
        if (p.kind == PieceKind::polygon && !carries_one(view, catalogue, p, others))
            polygons.push_back(p);
    for (const StoneRim& rim : stone_rims(view, catalogue, polygons)) {
        const Piece& below = polygons[rim.polygon];
        const double radius = radius_on(view, catalogue, below);
        const std::string colour = colour_of_top(catalogue, classes, rim.centre_px, radius);
        if (std::find(kind.colours.begin(), kind.colours.end(), colour) != kind.colours.end())
            found.push_back(stone_at(view, kind, {rim.centre_px, M_PI * radius * radius, 0.75},
                                     base_of(catalogue), colour));
    }
    return found;
}

cv::Mat disc(double radius_px) {
    const int r = cvCeil(radius_px);
    cv::Mat kernel = cv::Mat::zeros(2 * r + 1, 2 * r + 1, CV_32F);
    cv::circle(kernel, {r, r}, cvRound(radius_px), 1, cv::FILLED);
    return kernel;
}

/// A place that differs from before within the stone's size and not round it.
struct RoundChange {
    cv::Point2d centre_px;
    double within = 0, round = 0;  ///< Mean difference there, grey levels.
};

RoundChange strongest_change(const cv::Mat& unlike, const cv::Mat& where, double radius_px) {
    const cv::Mat small = disc(radius_px), middle = disc(1.3 * radius_px),
                  large = disc(1.9 * radius_px);
    cv::Mat within, held, all;
    cv::filter2D(unlike, within, CV_32F, small);
    cv::filter2D(unlike, held, CV_32F, middle);
    cv::filter2D(unlike, all, CV_32F, large);
    const double n = cv::sum(small)[0], ring = cv::sum(large)[0] - cv::sum(middle)[0];
    const cv::Mat round = (all - held) / ring, more = within / n - round;
    cv::Point at;
    double most = 0;
    cv::minMaxLoc(more, nullptr, &most, nullptr, &at, where);
    return {at, within.at<float>(at) / n, round.at<float>(at)};
}

/// How much of the rim changed, as a share of its directions: a stone's does nearly all round, a
/// projected line or the edge of a shadow only crosses it.
double changed_rim(const cv::Mat& unlike, const RoundChange& change, double radius_px,
                   double usual) {
    constexpr int kDirections = 16;
    constexpr double kHolds = 0.4;  ///< Of the mean change within, both above what is usual.
                                    ///< Higher: stones lit from one side are overlooked.
    int changed = 0;
    for (int i = 0; i < kDirections; ++i) {
        double sum = 0;
        const double reach[] = {0.7, 0.8, 0.9, 1.0};
        for (const double r : reach) {
            const Point p = Point{change.centre_px.x, change.centre_px.y} +
                            rotated({r * radius_px, 0}, 2 * M_PI * i / kDirections);
            const cv::Point at(std::clamp(cvRound(p.x), 0, unlike.cols - 1),
                               std::clamp(cvRound(p.y), 0, unlike.rows - 1));
            sum += unlike.at<uchar>(at);
        }
        changed += sum / std::size(reach) - usual >= kHolds * (change.within - usual);
    }
    return static_cast<double>(changed) / kDirections;
}

/// Grey levels the picture differs by where nothing changed.
double usual_difference(const View& view) {
    return std::max(1.0, cv::mean(view.before->unlike, view.before->changed == 0)[0]);
}

/// The clearest change the size of a stone on this polygon, and how much of its rim changed;
/// nothing where it is no more than usual.
struct ChangeOn {
    RoundChange change;  ///< Its centre in the picture.
    double rim = 0;
};
std::optional<ChangeOn> change_on(const View& view, const Catalogue& catalogue,
                                  const Piece& polygon, double usual) {
    const double radius = radius_on(view, catalogue, polygon);
    const auto outline = footprint(view, catalogue, polygon);
    const int room = cvCeil(2 * radius);
    const cv::Rect box = (cv::boundingRect(outline) + cv::Size(2 * room, 2 * room) -
                          cv::Point(room, room)) &
                         cv::Rect({0, 0}, view.bgr.size());
    cv::Mat inside = cv::Mat::zeros(view.bgr.size(), CV_8U);
    cv::fillConvexPoly(inside, outline, 255);
    cv::erode(inside(box).clone(), inside, disc(0.8 * radius) > 0);
    if (cv::countNonZero(inside) == 0) return {};
    const cv::Mat unlike = view.before->unlike(box);
    ChangeOn on{strongest_change(unlike, inside, radius), 0};
    if (on.change.within < std::max(3.5, 1.8 * usual)) return {};
    on.rim = changed_rim(unlike, on.change, radius, usual);
    on.change.centre_px += cv::Point2d(box.tl());
    return on;
}

/// A known polygon that lies as it lay, something on it being different.
struct ChangedPolygon {
    Piece polygon;
    ChangeOn on;
};
std::vector<ChangedPolygon> changed_polygons(const View& view, const Catalogue& catalogue) {
    std::vector<ChangedPolygon> changed;
    if (view.before->unlike.empty() || !view.before->touched) return changed;
    const double usual = usual_difference(view);
    for (const Piece& polygon : view.before->pieces) {
        const auto laid = laid_from(catalogue, polygon);
        if (!laid || !lies_untouched(view, catalogue.polygons[laid->kind], laid->pose)) continue;
        if (const auto on = change_on(view, catalogue, polygon, usual))
            changed.push_back({polygon, *on});
    }
    return changed;
}

/// Stones laid on a polygon of their own colour show no patch, but a change the size of a stone
/// that leaves the polygon round it as it was: their rim, their shadow, a little more light on
/// their top.
std::vector<Piece> by_change(const View& view, const Catalogue& catalogue,
                             const std::vector<ChangedPolygon>& changed) {
    std::vector<Piece> found;
    for (const auto& [polygon, on] : changed) {
        if (on.change.within < 1.8 * on.change.round || on.rim < kRim || on.change.within > kFaint)
            continue;
        const double radius = radius_on(view, catalogue, polygon);
        found.push_back(stone_at(view, catalogue.stones.front(),
                                 {on.change.centre_px, M_PI * radius * radius, 0.75},
                                 base_of(catalogue), polygon.colour));
    }
    return found;
}

/// Polygons that a hand may have laid a stone on or pushed one on, or that it moved with the stone
/// they carry.
std::vector<Piece> handled(const View& view, const Catalogue& catalogue,
                           const std::vector<Piece>& seen,
                           const std::vector<ChangedPolygon>& changed) {
    std::vector<Piece> polygons;
    if (view.before->unlike.empty() || !view.before->touched) return polygons;
    for (const Piece& polygon : seen) {
        const auto laid = laid_from(catalogue, polygon);
        const auto same = [&](const ChangedPolygon& c) {
            return c.polygon.type == polygon.type && c.polygon.colour == polygon.colour &&
                   distance({c.polygon.x, c.polygon.y}, {polygon.x, polygon.y}) < kStays_mm;
        };
        if (laid && (!lies_untouched(view, catalogue.polygons[laid->kind], laid->pose) ||
                     std::any_of(changed.begin(), changed.end(), same)))
            polygons.push_back(polygon);
    }
    return polygons;
}

/// On a polygon of its own colour light alone makes a stone come and go.
bool on_its_own_colour(const View& view, const Catalogue& catalogue, const Piece& stone) {
    const cv::Point2f at(static_cast<float>(stone.px->x), static_cast<float>(stone.px->y));
    return std::any_of(view.before->pieces.begin(), view.before->pieces.end(), [&](const Piece& p) {
        return p.kind == PieceKind::polygon && p.colour == stone.colour &&
               cv::pointPolygonTest(footprint(view, catalogue, p), at, false) >= 0;
    });
}

/// Does a stone lie on a known polygon of its own colour that lies elsewhere now? There nothing
/// tells by change alone that the stone went with it.
bool carried_off(const View& view, const Catalogue& catalogue, const std::vector<Piece>& seen,
                 const Piece& stone) {
    const cv::Point2f at(static_cast<float>(stone.px->x), static_cast<float>(stone.px->y));
    return std::any_of(view.before->pieces.begin(), view.before->pieces.end(), [&](const Piece& p) {
        return p.kind == PieceKind::polygon && p.colour == stone.colour &&
               cv::pointPolygonTest(footprint(view, catalogue, p), at, false) >= 0 &&
               std::none_of(seen.begin(), seen.end(), [&](const Piece& q) {
                   return q.kind == p.kind && q.type == p.type && q.colour == p.colour &&
                          distance({p.x, p.y}, {q.x, q.y}) < kStays_mm;
               });
    });
}

/// Known stones that lie where they lay.
std::vector<Piece> lying(const View& view, const Catalogue& catalogue,
                         const std::vector<Piece>& seen, const std::vector<Piece>& changes,
                         double apart_mm) {
    std::vector<Piece> stones = untouched(view, catalogue, PieceKind::stone);
    std::erase_if(stones, [&](const Piece& p) { return carried_off(view, catalogue, seen, p); });
    // A round change where one lay is the mark of one that was taken away, also when its place
    // looks nearly as it did.
    std::erase_if(stones, [&](const Piece& p) {
        return near_any(changes, {p.x, p.y}, apart_mm / 2);
    });
    if (!view.before->touched)
        for (const Piece& p : view.before->pieces)
            if (p.kind == PieceKind::stone && !near_any(stones, {p.x, p.y}, apart_mm) &&
                on_its_own_colour(view, catalogue, p))
                stones.push_back(p);
    return stones;
}

}  // namespace

void look_through_stones(const View& view, const Catalogue& catalogue, cv::Mat& classes) {
    if (catalogue.stones.empty()) return;
    constexpr double kBlur = 1.15;  // of the radius: between the two colours lies a third
    const double radius_mm = catalogue.stones.front().diameter_mm / 2;
    const cv::Mat before = classes.clone();
    for (const Piece& stone : by_colour(view, catalogue, before)) {
        const Point ground = view.map->to_table({stone.px->x, stone.px->y});
        for (std::size_t colour = 0; colour < catalogue.palette.size(); ++colour) {
            const auto same = [&](uchar c) { return c == colour; };
            if (share_of_ring(view, before, ground, radius_mm, same) > 0.5)
                cv::circle(classes, {cvRound(stone.px->x), cvRound(stone.px->y)},
                           cvRound(kBlur * *stone.size_px / 2), static_cast<double>(colour),
                           cv::FILLED);
        }
    }
}

std::vector<Piece> detect_stones(const View& view, const Catalogue& catalogue,
                                 const std::vector<Piece>& seen) {
    if (view.bgr.empty() || !view.map || catalogue.stones.empty() || catalogue.palette.empty())
        return {};
    if (!view.before) {
        const cv::Mat classes = colour_classes(view, catalogue, Glare::washes_out);
        std::vector<Piece> stones = by_colour(view, catalogue, classes);
        const std::vector<Piece> hidden = by_rim(view, catalogue, classes, seen, stones);
        stones.insert(stones.end(), hidden.begin(), hidden.end());
        return stones;
    }
    const double apart = 0.8 * catalogue.stones.front().diameter_mm;
    const std::vector<ChangedPolygon> changed_on = changed_polygons(view, catalogue);
    const std::vector<Piece> changes = by_change(view, catalogue, changed_on);
    std::vector<Piece> stones = lying(view, catalogue, seen, changes, apart);
    const auto add = [&](const Piece& p) {
        if (!near_any(stones, {p.x, p.y}, apart)) stones.push_back(p);
    };
    const View changed = only_changed(view, 1);
    for (const Piece& p : by_colour(changed, catalogue, colour_classes(changed, catalogue)))
        if (!uncovered(view, catalogue, p)) add(p);
    for (const Piece& p : changes)
        if (!near_any(view.before->pieces, {p.x, p.y}, apart)) add(p);
    const std::vector<Piece> polygons = handled(view, catalogue, seen, changed_on);
    if (polygons.empty()) return stones;
    for (const Piece& p :
         by_rim(view, catalogue, colour_classes(view, catalogue), polygons, stones))
        add(p);
    return stones;
}

}  // namespace overboard::vision
