#include "rules/ghosts.hpp"

#include <algorithm>

namespace overboard::rules {
namespace {

Polygon rectangle(const Piece& p, double width_mm, double height_mm) {
    Polygon outline;
    for (const Point c : {Point{-0.5, -0.5}, Point{0.5, -0.5}, Point{0.5, 0.5}, Point{-0.5, 0.5}})
        outline.push_back(place({p.x, p.y, p.angle}, {c.x * width_mm, c.y * height_mm}));
    return outline;
}

template <class Kinds>
Polygon face_outline(const Piece& p, const Kinds& kinds) {
    for (const FaceKind& kind : kinds)
        if (!p.face || *p.face == "back" ||
            std::find(kind.faces.begin(), kind.faces.end(), *p.face) != kind.faces.end())
            return rectangle(p, kind.width_mm, kind.height_mm);
    return rectangle(p, 50, 50);
}

}  // namespace

Mark warning_mark(const Ruling& ruling, const Catalogue& catalogue) {
    Mark warning;
    warning.kind = ruling.at ? MarkKind::circle : MarkKind::badge;
    warning.style = MarkStyle::warning;
    warning.at = ruling.at.value_or(Point{catalogue.table.width_mm / 2, 60});
    warning.radius = ruling.at ? 24 : 0;
    warning.key = ruling.message.key;
    warning.args = ruling.message.args;
    return warning;
}

Mark ghost_of(const Piece& piece, const Catalogue& catalogue) {
    Mark ghost;
    ghost.kind = MarkKind::ghost;
    ghost.style = MarkStyle::warning;
    ghost.at = {piece.x, piece.y};
    const auto round = [&](double diameter_mm) { ghost.radius = diameter_mm / 2; };
    switch (piece.kind) {
        case PieceKind::disc:
            for (const DiscKind& kind : catalogue.discs)
                if (kind.type == piece.type) round(kind.diameter_mm);
            break;
        case PieceKind::stone:
            round(catalogue.stones.empty() ? 16 : catalogue.stones.front().diameter_mm);
            break;
        case PieceKind::pawn:
            round(catalogue.pawns.empty() ? 16 : catalogue.pawns.front().diameter_mm);
            break;
        case PieceKind::polygon:
            for (const PolygonKind& kind : catalogue.polygons)
                if (kind.type == piece.type)
                    for (const Point v : kind.outline_mm)
                        ghost.points.push_back(place({piece.x, piece.y, piece.angle}, v));
            break;
        case PieceKind::card: ghost.points = face_outline(piece, catalogue.cards); break;
        case PieceKind::tile: ghost.points = face_outline(piece, catalogue.tiles); break;
        case PieceKind::die:
            round(catalogue.dice.empty() ? 16 : catalogue.dice.front().edge_mm);
            break;
    }
    return ghost;
}

}  // namespace overboard::rules
