#include "vision/detect.hpp"

#include <algorithm>
#include <opencv2/imgproc.hpp>

#include "vision/changes.hpp"
#include "vision/dice/detect_dice.hpp"
#include "vision/discs/detect_board.hpp"
#include "vision/discs/detect_discs.hpp"
#include "vision/flats/detect_cards.hpp"
#include "vision/flats/detect_tiles.hpp"
#include "vision/shapes/detect_pawns.hpp"
#include "vision/shapes/detect_polygons.hpp"
#include "vision/shapes/detect_stones.hpp"

namespace overboard::vision {

Kinds kinds_of(const Catalogue& c) {
    return {!c.discs.empty(),    !c.dice.empty(),   !c.cards.empty(), !c.tiles.empty(),
            !c.polygons.empty(), !c.stones.empty(), !c.pawns.empty()};
}

// The table's own markers are square and printed, but no pieces.
bool on_marker(const Piece& piece, const Table& table) {
    return std::any_of(table.markers.begin(), table.markers.end(), [&](const TableMarker& marker) {
        return piece.kind != PieceKind::disc &&
               distance({piece.x, piece.y}, marker.centre) < table.marker_mm * 0.6;
    });
}

std::vector<Piece> clearest_dice(int count, std::vector<Piece> dice) {
    std::sort(dice.begin(), dice.end(), [](const Piece& a, const Piece& b) {
        return a.value.has_value() != b.value.has_value() ? a.value.has_value()
                                                          : a.confidence > b.confidence;
    });
    if (count > 0 && dice.size() > std::size_t(count)) dice.resize(std::size_t(count));
    return dice;
}

int dice_in(const Catalogue& catalogue) {
    int count = 0;
    for (const DieKind& kind : catalogue.dice) count += kind.count;
    return count;
}

// What lies where one of the known lies is that one.
void add_new(std::vector<Piece>& known, std::vector<Piece> found) {
    for (Piece& piece : found)
        if (std::none_of(known.begin(), known.end(), [&](const Piece& p) {
                return distance({p.x, p.y}, {piece.x, piece.y}) < 6;
            }))
            known.push_back(std::move(piece));
}

std::vector<Piece> dice_of(const View& view, const Catalogue& catalogue) {
    if (!view.map) return detect_dice(view, catalogue);
    // What lies untouched, or looks as it did in another light, is what it was; the rest is looked
    // for where something changed.
    std::vector<Piece> dice = untouched(view, catalogue, PieceKind::die);
    add_new(dice, dice_told_again(view, catalogue));
    add_new(dice, detect_dice(only_changed(view, 4), catalogue));
    return clearest_dice(dice_in(catalogue), std::move(dice));
}

// A round mark on a card or tile passes for a one, and print on a card that was pushed for more; a
// die that lies there is read more clearly. At first sight any mark on one may be its own.
void drop_marks_on_faces(const View& view, const Catalogue& catalogue, std::vector<Piece>& pieces) {
    // Measured on fresh tables: dice at rest from 0.90 (cafe) and 0.86 (harsh), print up to 0.85.
    constexpr double kClearDie = 0.87;
    constexpr double kBeside_mm = 12;  // a pushed card may be known where it lay
    std::vector<std::vector<cv::Point>> faces;
    const auto add = [&](const std::vector<Piece>& list) {
        for (const Piece& p : list)
            if (p.kind == PieceKind::card || p.kind == PieceKind::tile)
                faces.push_back(footprint(view, catalogue, p));
    };
    add(pieces);
    if (view.before) add(view.before->pieces);
    const bool first_sight = !view.before || view.before->unlike.empty();
    const auto is_mark = [&](const Piece& p, const std::vector<cv::Point>& face) {
        if (face.size() < 3) return false;
        const cv::Point2f at(static_cast<float>(p.px->x), static_cast<float>(p.px->y));
        const double inside_px = cv::pointPolygonTest(face, at, true);
        if (inside_px >= 0 && (first_sight || p.value.value_or(1) == 1)) return true;
        return inside_px >= -kBeside_mm * view.map->px_per_mm({p.x, p.y}) &&
               p.confidence <= kClearDie;
    };
    std::erase_if(pieces, [&](const Piece& p) {
        return p.kind == PieceKind::die && p.px &&
               std::any_of(faces.begin(), faces.end(),
                           [&](const auto& face) { return is_mark(p, face); });
    });
}

// The visible list of detectors: one line a kind.
Observation detect_cold(const View& view, const Catalogue& catalogue, const Kinds& kinds,
                        const FaceSets& faces, std::optional<Pose> board) {
    Observation seen;
    const auto add = [&](std::vector<Piece> pieces) {
        seen.pieces.insert(seen.pieces.end(), std::make_move_iterator(pieces.begin()),
                           std::make_move_iterator(pieces.end()));
    };
    if (catalogue.board && view.map) seen.board = board ? board : detect_board(view, catalogue);
    if (kinds.discs) add(detect_discs(view, catalogue, seen.board));
    if (kinds.dice) add(dice_of(view, catalogue));
    if (kinds.cards) add(detect_cards(view, catalogue, faces.cards));
    if (kinds.tiles) add(detect_tiles(view, catalogue, faces.tiles));
    if (kinds.polygons) add(detect_polygons(view, catalogue));
    if (kinds.stones) add(detect_stones(view, catalogue, seen.pieces));
    if (kinds.pawns) add(detect_pawns(view, catalogue, seen.pieces));
    if (view.map) drop_marks_on_faces(view, catalogue, seen.pieces);
    if (view.map && !board)
        std::erase_if(seen.pieces, [&](const Piece& p) { return on_marker(p, catalogue.table); });
    return seen;
}

}  // namespace overboard::vision
