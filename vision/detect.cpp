#include "vision/detect.hpp"

#include <algorithm>

#include "vision/detect_board.hpp"
#include "vision/detect_cards.hpp"
#include "vision/detect_dice.hpp"
#include "vision/detect_discs.hpp"
#include "vision/detect_pawns.hpp"
#include "vision/detect_polygons.hpp"
#include "vision/detect_stones.hpp"
#include "vision/detect_tiles.hpp"

namespace overboard::vision {

Kinds kinds_of(const Catalogue& c) {
    return {!c.discs.empty(), !c.dice.empty(),   !c.cards.empty(), !c.tiles.empty(),
            !c.polygons.empty(), !c.stones.empty(), !c.pawns.empty()};
}

// The table's own markers are square and printed, but no pieces.
bool on_marker(const Piece& piece, const Table& table) {
    return std::any_of(table.markers.begin(), table.markers.end(), [&](const TableMarker& marker) {
        return piece.kind != PieceKind::disc && distance({piece.x, piece.y}, marker.centre) < table.marker_mm * 0.6;
    });
}

// A game says how many dice it is played with: of more, the clearest.
std::vector<Piece> at_most(int count, std::vector<Piece> dice) {
    std::sort(dice.begin(), dice.end(), [](const Piece& a, const Piece& b) { return a.confidence > b.confidence; });
    if (count > 0 && dice.size() > std::size_t(count)) dice.resize(std::size_t(count));
    return dice;
}

int dice_in(const Catalogue& catalogue) {
    int count = 0;
    for (const DieKind& kind : catalogue.dice) count += kind.count;
    return count;
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
    if (kinds.dice) add(at_most(view.map ? dice_in(catalogue) : 0, detect_dice(view, catalogue)));
    if (kinds.cards) add(detect_cards(view, catalogue, faces.cards));
    if (kinds.tiles) add(detect_tiles(view, catalogue, faces.tiles));
    if (kinds.polygons) add(detect_polygons(view, catalogue));
    if (kinds.stones) add(detect_stones(view, catalogue));
    if (kinds.pawns) add(detect_pawns(view, catalogue));
    if (view.map && !board) std::erase_if(seen.pieces, [&](const Piece& p) { return on_marker(p, catalogue.table); });
    return seen;
}

}  // namespace overboard::vision
