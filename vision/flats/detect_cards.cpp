#include "vision/flats/detect_cards.hpp"

#include "vision/flats/flat_faces.hpp"

namespace overboard::vision {

std::vector<Piece> detect_cards(const View& view, const Catalogue& catalogue,
                                const std::vector<Faces>& faces) {
    return detect_flat_faces(view, PieceKind::card, catalogue.table, catalogue.cards, faces);
}

}  // namespace overboard::vision
