#pragma once

#include <optional>
#include <vector>

#include "bus/observation.hpp"
#include "vision/faces/faces.hpp"
#include "vision/flats/quads.hpp"
#include "vision/view.hpp"

/// What cards and tiles have in common: flat, rectangular, told apart by what is printed on them.
namespace overboard::vision {

/// A card or tile found in the picture.
struct FlatFace {
    Quad quad;  ///< Where it lies, first the face's own top-left when it is known.
    FaceMatch match;
    int kind = 0;        ///< Which of the kinds.
    bool strip = false;  ///< Lies under another; found by the strip that shows.
    bool laid = false;   ///< One of many that lie alike; found by its print, whether that can be
                         ///< named or not.
    bool named() const { return match.face.has_value(); }
};

/// Sizes are known when the table is: how it is seen, and what lies on it.
struct KnownSizes {
    const calibration::TableMap* map = nullptr;
    const std::vector<FaceKind>* kinds = nullptr;  ///< As many as there are decks, in their order.
    const Table* table = nullptr;                  ///< Its markers are no pieces.
};

/// The cold way: one picture, nothing known but the references (which may be missing) and, with
/// `sizes`, how large the pieces are. `shape`: longer by shorter side of pieces without references;
/// 0 or a square: of any shape.
std::vector<FlatFace> find_flat_faces(const cv::Mat& bgr, const cv::Mat& mask,
                                      const std::vector<Faces>& faces,
                                      const KnownSizes* sizes = nullptr, double shape = 0);

/// The recipe of detect_cards and detect_tiles.
std::vector<Piece> detect_flat_faces(const View& view, PieceKind kind, const Table& table,
                                     const std::vector<FaceKind>& kinds,
                                     const std::vector<Faces>& faces);

/// The live way: a piece of known size that was at `pose` (table frame) is looked for within
/// `reach_mm` along its four sides only. Nothing when its outline is not there any more.
std::optional<Pose> refind(const View& view, const FaceKind& kind, Pose pose, double reach_mm = 3);
/// And what shows there now; cheaper when `known` is given and still shows where it lay.
FaceMatch read_at(const View& view, const FaceKind& kind, const Faces& faces, Pose pose,
                  const std::optional<std::string>& known = {});

/// A piece known to have shown `face` at `pose`, in whatever light: where it lies now if it still
/// shows it. Looked at as it lay first, which is what costs little; else its sides are followed and
/// what shows between them is read.
std::optional<Pose> told_again(const View& view, const FaceKind& kind, const Faces& faces,
                               Pose pose, const std::string& face, double reach_mm = 3);

}  // namespace overboard::vision
