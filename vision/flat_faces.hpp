#pragma once

#include <vector>

#include "bus/observation.hpp"
#include "vision/faces.hpp"
#include "vision/quads.hpp"
#include "vision/view.hpp"

/// What cards and tiles have in common: flat, rectangular, told apart by what is printed on them.
namespace overboard::vision {

/// A card or tile found in the picture.
struct FlatFace {
    Quad quad;         ///< Where it lies, first the face's own top-left when it is known.
    FaceMatch match;
    int kind = 0;      ///< Which of the kinds.
    bool named() const { return match.face.has_value(); }
};

/// Sizes are known when the table is: how it is seen, and what lies on it.
struct KnownSizes {
    const calibration::TableMap* map = nullptr;
    const std::vector<FaceKind>* kinds = nullptr;  ///< As many as there are decks, in their order.
};

/// The cold way: one picture, nothing known but the references (which may be missing) and, with `sizes`,
/// how large the pieces are.
std::vector<FlatFace> find_flat_faces(const cv::Mat& bgr, const cv::Mat& mask, const std::vector<Faces>& faces,
                                      const KnownSizes* sizes = nullptr);

/// The recipe of detect_cards and detect_tiles.
std::vector<Piece> detect_flat_faces(const View& view, PieceKind kind, const std::vector<FaceKind>& kinds,
                                     const std::vector<Faces>& faces);

}  // namespace overboard::vision
