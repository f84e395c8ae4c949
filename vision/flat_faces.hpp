#pragma once

#include <functional>
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

/// Says which kind has this size, from pixels of the whole picture; -1: none. Empty: sizes are unknown.
using SizeTest = std::function<int(const Corners&)>;

/// The cold way: one picture, nothing known but the references (which may be missing).
std::vector<FlatFace> find_flat_faces(const cv::Mat& bgr, const cv::Mat& mask, const std::vector<Faces>& faces,
                                      const SizeTest& size_test = {});

/// The recipe of detect_cards and detect_tiles.
std::vector<Piece> detect_flat_faces(const View& view, PieceKind kind, const std::vector<FaceKind>& kinds,
                                     const std::vector<Faces>& faces);

}  // namespace overboard::vision
