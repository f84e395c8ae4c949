// From what was found in the picture to pieces on the table (or, without a map, in the picture).
#include <algorithm>
#include <cmath>

#include "vision/flats/flat_faces.hpp"
#include "vision/flats/known_size.hpp"

namespace overboard::vision {
namespace {

Polygon on_table(const calibration::TableMap& map, const Corners& corners, double height_mm) {
    Polygon out;
    for (const auto& p : corners) out.push_back(map.to_table(p, height_mm));
    return out;
}

/// Longer by shorter side, when all kinds have the same.
double shape_of_all(const std::vector<FaceKind>& kinds) {
    double shape = 0;
    for (const FaceKind& k : kinds) {
        const double s = std::max(k.width_mm / k.height_mm, k.height_mm / k.width_mm);
        if (shape > 0 && std::fabs(s - shape) > 0.01) return 0;
        shape = s;
    }
    return shape;
}

/// Unnamed pieces lie as their longer side does.
void stand_up(const FaceKind& kind, const Polygon& p, Corners& corners) {
    const bool wide = side_mm(p, 0) > side_mm(p, 1);
    if (wide != (kind.width_mm > kind.height_mm))
        std::rotate(corners.begin(), corners.begin() + 1, corners.end());
}

/// Of the two ways up that look the same, the one whose top edge runs to the right.
void right_side_up(Corners& c) {
    const float right = c[1].x - c[0].x + c[2].x - c[3].x, down = c[1].y - c[0].y + c[2].y - c[3].y;
    if (right < 0 || (right == 0 && down < 0)) std::rotate(c.begin(), c.begin() + 2, c.end());
}

Pose pose_of(const Polygon& p) {
    const Point across = p[2] - p[0], other = p[3] - p[1];
    const double t = cross(p[1] - p[0], other) / cross(across, other);
    const Point centre = p[0] + across * t, right = (p[1] - p[0]) + (p[2] - p[3]);
    return {centre.x, centre.y, std::atan2(right.y, right.x)};
}

/// The pose of a piece whose corners were seen to move a little.
Pose moved_with(const FaceKind& kind, Pose pose, const Corners& was, const Corners& now) {
    const double w = kind.width_mm, h = kind.height_mm;
    const cv::Point2f right = was[1] - was[0] + was[2] - was[3],
                      down = was[3] - was[0] + was[2] - was[1];
    const cv::Matx22d px_per_mm(right.x / (2 * w), down.x / (2 * h), right.y / (2 * w),
                                down.y / (2 * h));
    const cv::Matx22d mm_per_px = px_per_mm.inv();
    const Point local[4] = {{-w / 2, -h / 2}, {w / 2, -h / 2}, {w / 2, h / 2}, {-w / 2, h / 2}};
    Point by{};
    double turn = 0;
    for (int i = 0; i < 4; ++i) {
        const cv::Vec2d mm = mm_per_px * cv::Vec2d(now[i].x - was[i].x, now[i].y - was[i].y);
        by = by + Point{mm[0], mm[1]} * 0.25;
        turn += cross(local[i], {mm[0], mm[1]}) / (w * w + h * h);
    }
    const Point moved = rotated(by, pose.angle);
    return {pose.x + moved.x, pose.y + moved.y, pose.angle + turn};
}

}  // namespace

std::vector<Piece> detect_flat_faces(const View& view, PieceKind piece_kind, const Table& table,
                                     const std::vector<FaceKind>& kinds,
                                     const std::vector<Faces>& faces) {
    // A kind without a set is "any card": its size is a guess.
    const KnownSizes sizes{view.map, &kinds, &table};
    const bool known = view.map && std::any_of(kinds.begin(), kinds.end(),
                                               [](const FaceKind& k) { return !k.set.empty(); });
    std::vector<Piece> pieces;
    for (FlatFace& f : find_flat_faces(view.bgr, view.mask, faces, known ? &sizes : nullptr,
                                       shape_of_all(kinds))) {
        const FaceKind kind = f.kind < static_cast<int>(kinds.size()) ? kinds[f.kind] : FaceKind{};
        Corners& c = f.quad.corners;
        if (f.named() && kind.point_symmetric) right_side_up(c);
        if (view.map && !f.named()) stand_up(kind, on_table(*view.map, c, kind.thickness_mm), c);
        Piece piece;
        piece.kind = piece_kind;
        piece.face = f.match.face;
        piece.confidence = f.named() ? f.match.confidence : 0.3 + 0.2 * f.quad.support;
        piece.alternatives = f.match.alternatives;
        for (const auto& p : c) piece.corners_px.push_back({p.x, p.y});
        const Pose in_picture = pose_of(piece.corners_px);
        piece.px = Point{in_picture.x, in_picture.y};
        piece.size_px = std::sqrt(area_of(c));
        const Pose at = view.map ? pose_of(on_table(*view.map, c, kind.thickness_mm)) : in_picture;
        piece.x = at.x, piece.y = at.y, piece.angle = at.angle;
        pieces.push_back(piece);
    }
    return pieces;
}

FaceMatch read_at(const View& view, const FaceKind& kind, const Faces& faces, Pose pose,
                  const std::optional<std::string>& known) {
    const Corners corners = corners_at(*view.map, kind, pose);
    if (known)
        if (const auto same = faces.confirm(view.bgr, corners, *known)) return *same;
    return faces.recognise(view.bgr, corners, {});
}

std::optional<Pose> told_again(const View& view, const FaceKind& kind, const Faces& faces,
                               Pose pose, const std::string& face, double reach_mm) {
    const Corners corners = corners_at(*view.map, kind, pose);
    if (const auto same = faces.confirm(view.bgr, corners, face))
        return moved_with(kind, pose, corners, same->corners);
    const auto moved = refind(view, kind, pose, reach_mm);
    if (!moved) return {};
    const FaceMatch shows = read_at(view, kind, faces, *moved, face);
    if (shows.face != face) return {};
    // In bad light a side may be a shadow's: the print says where it lies.
    const Corners sides = corners_at(*view.map, kind, *moved);
    if (cv::norm(shows.corners[0] - sides[0]) < 0.25 * cv::norm(sides[1] - sides[0]))
        return moved_with(kind, *moved, sides, shows.corners);
    return kind.point_symmetric ? moved : std::nullopt;
}

}  // namespace overboard::vision
