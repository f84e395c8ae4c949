#include "table/keepout.hpp"

#include <algorithm>
#include <cmath>

#include "table/pen.hpp"

namespace overboard::table {
namespace {

Dark with_box(Dark dark) {
    dark.box = box_of(dark.outline);
    return dark;
}

Dark round_place(Point at, double radius) {
    return with_box({Pen::circle(at, radius, 24), at, radius, {}, true});
}

Dark oblong(Pose pose, double w, double h) {
    const Point half{w / 2, h / 2};
    return with_box({{place(pose, {-half.x, -half.y}), place(pose, {half.x, -half.y}),
                      place(pose, half), place(pose, {-half.x, half.y})},
                     {pose.x, pose.y},
                     length(half),
                     {},
                     false});
}

Dark dark_of(const Piece& piece, const KeepoutLimits& k) {
    const Point at{piece.x, piece.y};
    const Pose pose{piece.x, piece.y, piece.angle};
    switch (piece.kind) {
        case PieceKind::disc: return round_place(at, k.disc_mm);
        case PieceKind::die: return round_place(at, k.die_mm);
        case PieceKind::polygon: return round_place(at, k.polygon_mm);
        case PieceKind::stone: return round_place(at, k.stone_mm);
        case PieceKind::pawn: return round_place(at, k.pawn_mm);
        case PieceKind::card: return oblong(pose, k.card_width_mm, k.card_height_mm);
        case PieceKind::tile: return oblong(pose, k.tile_mm, k.tile_mm);
    }
    return round_place(at, k.disc_mm);
}

bool near(const Dark& dark, const Rect& box) {
    if (!touch(dark.box.grown(2), box)) return false;
    const Point closest{std::clamp(dark.centre.x, box.x0, box.x1),
                        std::clamp(dark.centre.y, box.y0, box.y1)};
    return distance(closest, dark.centre) < dark.reach + 2;
}

}  // namespace

std::vector<Dark> dark_places(const std::vector<Piece>& pieces, const Table& table,
                              const KeepoutLimits& limits) {
    std::vector<Dark> all;
    all.reserve(pieces.size() + table.markers.size());
    const double side = table.marker_mm + 2 * limits.marker_quiet_mm;
    for (const TableMarker& m : table.markers)
        all.push_back(oblong({m.centre.x, m.centre.y, 0}, side, side));
    for (const Piece& piece : pieces) all.push_back(dark_of(piece, limits));
    return all;
}

bool Clearance::free(const Rect& box) const {
    if (box.x0 < table.x0 || box.y0 < table.y0 || box.x1 > table.x1 || box.y1 > table.y1)
        return false;
    if (std::any_of(boxes.begin(), boxes.end(), [&](const Rect& b) { return touch(b, box); }))
        return false;
    return covered(box) == 0;
}

double Clearance::covered(const Rect& box) const {
    if (!dark) return 0;
    return static_cast<double>(
        std::count_if(dark->begin(), dark->end(), [&](const Dark& d) { return near(d, box); }));
}

Rect turned_box(Point centre, double w, double h, double angle) {
    const double c = std::abs(std::cos(angle)), s = std::abs(std::sin(angle));
    const double half_w = (c * w + s * h) / 2, half_h = (s * w + c * h) / 2;
    return {centre.x - half_w, centre.y - half_h, centre.x + half_w, centre.y + half_h};
}

Point free_place(Point wanted, double w, double h, double angle, const Clearance& clearance) {
    if (clearance.free(turned_box(wanted, w, h, angle))) return wanted;
    for (double away = 8; away <= 176; away *= 1.25) {
        for (int i = 0; i < 16; ++i) {
            // Down first (towards a reader in the south), then alternating to both sides.
            const double a = M_PI / 2 + (i % 2 ? 1 : -1) * ((i + 1) / 2) * M_PI / 8;
            const Point there = wanted + Point{away * std::cos(a), away * std::sin(a)};
            if (clearance.free(turned_box(there, w, h, angle))) return there;
        }
    }
    return wanted;
}

}  // namespace overboard::table
