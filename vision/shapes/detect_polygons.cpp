#include "vision/shapes/detect_polygons.hpp"

#include <algorithm>
#include <cmath>
#include <opencv2/imgproc.hpp>

#include "vision/shapes/detect_stones.hpp"
#include "vision/shapes/live_polygons.hpp"
#include "vision/shapes/loose_polygons.hpp"
#include "vision/shapes/mosaic.hpp"

// With a map and known outlines the patches of colour are explained piece by piece (mosaic); on a
// bare photograph, or without a catalogue, straight-sided things are looked for (loose_polygons)
// and named by their geometry, or matched with the catalogue's outlines at the scale most of them
// agree on.

namespace overboard::vision {
namespace {

Outline projected(const calibration::TableMap& map, const PolygonKind& kind, Pose pose) {
    Outline corners;
    for (Point p : kind.outline_mm)
        corners.emplace_back(map.project(place(pose, p), kind.height_mm));
    return corners;
}

Piece laid_piece(const View& view, const Catalogue& catalogue, const LaidPolygon& laid) {
    const PolygonKind& kind = catalogue.polygons[laid.kind];
    Piece piece;
    piece.kind = PieceKind::polygon;
    piece.type = kind.type;
    piece.colour = catalogue.palette[laid.colour].name;
    piece.x = laid.pose.x;
    piece.y = laid.pose.y;
    piece.angle = laid.pose.angle;
    piece.confidence = std::clamp(0.25 + 0.75 * laid.fit, 0.0, 1.0);
    const Outline corners = projected(*view.map, kind, laid.pose);
    const cv::Point2f centre = centroid_of(corners);
    piece.px = Point{centre.x, centre.y};
    piece.size_px = std::sqrt(area_of(corners));
    return piece;
}

bool masked(const View& view, Point px) {
    const int x = std::clamp(cvRound(px.x), 0, view.bgr.cols - 1),
              y = std::clamp(cvRound(px.y), 0, view.bgr.rows - 1);
    return !view.mask.empty() && !view.mask.at<uchar>(y, x);
}

std::vector<Piece> with_catalogue(const View& view, const Catalogue& catalogue) {
    cv::Mat classes = colour_classes(view, catalogue, Glare::washes_out);
    if (!view.before) look_through_stones(view, catalogue, classes);
    std::vector<Piece> pieces;
    for (const LaidPolygon& laid : view.before ? follow_polygons(view, catalogue, classes)
                                               : find_laid_polygons(view, catalogue, classes)) {
        Piece piece = laid_piece(view, catalogue, laid);
        if (!masked(view, *piece.px)) pieces.push_back(std::move(piece));
    }
    return pieces;
}

double longest_side_angle(const Outline& corners) {
    double best = 0, angle = 0;
    for (std::size_t i = 0; i < corners.size(); ++i) {
        const cv::Point2f d = corners[(i + 1) % corners.size()] - corners[i];
        if (cv::norm(d) > best + 0.5) best = cv::norm(d), angle = std::atan2(d.y, d.x);
    }
    return angle;
}

/// A known outline laid over corners: scale and turn that fit best, and how badly it does.
struct Match {
    int kind = -1;
    double scale = 0, angle = 0, misfit = 1e9;
};

Match match_of(const PolygonKind& kind, int index, const Outline& corners) {
    Match best;
    const auto& o = kind.outline_mm;
    if (o.size() != corners.size()) return best;
    const cv::Point2f centre = centroid_of(corners);
    const std::size_t n = o.size();
    for (std::size_t shift = 0; shift < n; ++shift) {
        double re = 0, im = 0, size = 0, spread = 0;
        for (std::size_t i = 0; i < n; ++i) {
            const cv::Point2f c = corners[(i + shift) % n] - centre;
            re += o[i].x * c.x + o[i].y * c.y;
            im += o[i].x * c.y - o[i].y * c.x;
            size += dot(o[i], o[i]);
            spread += c.dot(c);
        }
        const double misfit = 1 - (re * re + im * im) / (size * spread);
        if (misfit < best.misfit)
            best = {index, std::hypot(re, im) / size, std::atan2(im, re), misfit};
    }
    return best;
}

/// The pixels a millimetre takes, as most pieces would have it.
double common_scale(const std::vector<std::vector<Match>>& matches) {
    double best = 0;
    std::size_t most = 0;
    for (const auto& own : matches)
        for (const Match& m : own) {
            std::size_t agree = 0;
            for (const auto& others : matches)
                agree += std::any_of(others.begin(), others.end(), [&](const Match& q) {
                    return std::abs(std::log(q.scale / m.scale)) < 0.07;
                });
            if (agree > most) most = agree, best = m.scale;
        }
    return best;
}

void name_by_catalogue(const Catalogue& catalogue, const std::vector<LoosePolygon>& loose,
                       const cv::Vec3f& white, std::vector<Piece>& pieces) {
    std::vector<std::vector<Match>> matches(loose.size());
    for (std::size_t i = 0; i < loose.size(); ++i)
        for (int k = 0; k < static_cast<int>(catalogue.polygons.size()); ++k) {
            const Match m = match_of(catalogue.polygons[k], k, loose[i].corners);
            if (m.kind >= 0 && m.misfit < 0.02) matches[i].push_back(m);
        }
    const double scale = common_scale(matches);
    for (std::size_t i = 0; i < loose.size(); ++i) {
        const Match* best = nullptr;
        for (const Match& m : matches[i])
            if (std::abs(std::log(m.scale / scale)) < 0.2 && (!best || m.misfit < best->misfit))
                best = &m;
        if (!best) {
            pieces[i].confidence = 0;
            continue;
        }
        pieces[i].type = catalogue.polygons[best->kind].type;
        pieces[i].angle = best->angle;
        if (!catalogue.palette.empty())
            pieces[i].colour = likest_colour(catalogue.palette, loose[i].colour, white);
    }
    std::erase_if(pieces, [](const Piece& p) { return p.confidence == 0; });
}

std::vector<Piece> on_bare_photograph(const View& view, const Catalogue& catalogue) {
    auto loose = find_loose_polygons(view.bgr, view.mask);
    const cv::Vec3f white = bright_reference(view.bgr);
    for (auto& p : loose)  // clockwise, as outlines are given
        if (cv::contourArea(p.corners, true) < 0) std::reverse(p.corners.begin(), p.corners.end());
    std::vector<Piece> pieces;
    for (const LoosePolygon& p : loose) {
        Piece piece;
        piece.kind = PieceKind::polygon;
        piece.type = shape_name(p.corners);
        piece.colour = colour_name(p.colour, white);
        const cv::Point2f centre = centroid_of(p.corners);
        piece.px = Point{centre.x, centre.y};
        piece.size_px = std::sqrt(area_of(p.corners));
        piece.angle = longest_side_angle(p.corners);
        piece.x = centre.x;
        piece.y = centre.y;
        piece.confidence = std::clamp(0.4 + 0.6 * p.fit, 0.0, 1.0);
        pieces.push_back(std::move(piece));
    }
    if (!catalogue.polygons.empty()) name_by_catalogue(catalogue, loose, white, pieces);
    if (view.map)
        for (Piece& piece : pieces) {
            const Point p = view.map->to_table({piece.px->x, piece.px->y});
            piece.x = p.x, piece.y = p.y;
        }
    return pieces;
}

}  // namespace

std::vector<Piece> detect_polygons(const View& view, const Catalogue& catalogue) {
    if (view.bgr.empty()) return {};
    if (view.map && !catalogue.polygons.empty() && !catalogue.palette.empty())
        return with_catalogue(view, catalogue);
    return on_bare_photograph(view, catalogue);
}

}  // namespace overboard::vision
