#pragma once

#include <optional>
#include <vector>

#include "bus/observation.hpp"
#include "vision/flats/flat_faces.hpp"

namespace overboard::vision {

inline bool is_flat(const Piece& p) {
    return p.kind == PieceKind::card || p.kind == PieceKind::tile;
}

/// What became of the cards or tiles that lay on the table, and what is new.
struct FlatLook {
    std::vector<Piece> found;  ///< In plain view: known ones with their id, new ones with id 0.
    std::vector<int> covered;  ///< Ids of known ones that now lie under others.
    std::vector<int> missing;  ///< Ids of known ones not where they were, even if found elsewhere.
    bool doubtful = false;     ///< Something changed there that was not understood: look once more.
};

/// The live way for cards and tiles: the table as last understood is known, in pixels and in
/// pieces, so only what differs is looked at. A piece whose pixels did not change is where it was;
/// one whose pixels did must be read again; only changed places can hold new ones.
class LiveFlats {
public:
    LiveFlats(PieceKind piece_kind, Table table, std::vector<FaceKind> kinds,
              std::vector<Faces> faces);

    /// `before`: the picture as last understood; empty: nothing is known, everything is new.
    /// `cells`: 255 where it differs from now, one for each `cell_px` pixels both ways.
    /// `known`: the pieces then, without those under a hand.
    [[nodiscard]] FlatLook look(const View& now, const cv::Mat& before, const cv::Mat& cells,
                                int cell_px, const std::vector<Piece>& known) const;

    /// The piece, when it can be read where it lay and none of `others` lies there.
    [[nodiscard]] std::optional<Piece> still_there(const View& now, const Piece& piece,
                                                   const std::vector<Piece>& others) const;

private:
    struct Known;
    struct Change;
    [[nodiscard]] std::vector<Known> corners_of(const View& now,
                                                const std::vector<Piece>& known) const;
    static bool lies_under(const Known& lower, const std::vector<Known>& all);
    [[nodiscard]] bool reads_the_same(const View& now, Known& known) const;
    [[nodiscard]] std::vector<Piece> new_pieces(const View& now, const Change& change) const;
    [[nodiscard]] bool explained(const View& now, const Change& change,
                                 const std::vector<Known>& before, const FlatLook& out) const;
    [[nodiscard]] double reach_px(const View& now) const;
    void sort_out(const Change& change, const std::vector<Known>& kept, std::vector<Known> doubtful,
                  const std::vector<Known>& under, std::vector<Piece> fresh, FlatLook& out) const;

    PieceKind piece_kind_;
    Table table_;
    std::vector<FaceKind> kinds_;
    std::vector<Faces> faces_;
};

}  // namespace overboard::vision
