#include "vision/flats/detect_tiles.hpp"

#include "vision/flats/flat_faces.hpp"

namespace overboard::vision {

std::vector<Piece> detect_tiles(const View& view, const Catalogue& catalogue,
                                const std::vector<Faces>& faces) {
    return detect_flat_faces(view, PieceKind::tile, catalogue.table, catalogue.tiles, faces);
}

}  // namespace overboard::vision
