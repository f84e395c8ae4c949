#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "rules/topit/geometry.hpp"
#include "rules/topit/pieces.hpp"

/// The mosaic on the table: rigid in a frame of its own, in which accepted pieces lie exactly
/// against their neighbours; the frame itself follows all measured poses. So errors never add up.
namespace overboard::rules::topit {

struct Laid {
    int shape = 0;
    int colour = 0;
    Pose at;                      ///< Snapped, mosaic frame.
    Pose seen;                    ///< As it was measured when laid, table frame.
    Polygon outline;              ///< At `at`.
    std::vector<int> neighbours;  ///< Pieces with a side against it, in the order they were laid.
    int stone = -1;               ///< Colour of the stone on it.
};

/// What laying a piece there would mean.
struct Settled {
    enum class Problem { none, overlap, overhang, no_contact };
    Problem problem = Problem::none;
    Pose at;                      ///< Snapped, mosaic frame.
    std::vector<int> neighbours;  ///< In the order they were laid.
    Point where;                  ///< Of the problem, mosaic frame.
    int with = -1;                ///< The piece it has the problem with.
};

class Mosaic {
public:
    Mosaic() = default;
    Mosaic(std::shared_ptr<const PieceSet> set, Tolerances tolerances)
        : set_{std::move(set)}, tolerances_{tolerances} {}

    [[nodiscard]] const std::vector<Laid>& pieces() const { return pieces_; }
    [[nodiscard]] const PieceSet& set() const { return *set_; }
    [[nodiscard]] const Shape& shape(int index) const {
        return set_->shapes[static_cast<std::size_t>(index)];
    }

    /// Where the piece would come to lie; `measured` in the mosaic frame.
    [[nodiscard]] Settled settle(int shape, Pose measured) const;
    void lay(int shape, int colour, const Settled& settled, Pose seen);
    void put_stone(int piece, int colour) {
        pieces_[static_cast<std::size_t>(piece)].stone = colour;
    }

    /// Shows `visit` every place where a piece of this shape lies exactly against some free side
    /// without a problem, some perhaps twice, until it returns true. Returns whether it did.
    bool visit_places(int shape, const std::function<bool(const Settled&)>& visit) const;
    /// Every place where a piece of this shape lies exactly against some free side without a
    /// problem; mosaic frame, each once.
    [[nodiscard]] std::vector<Settled> places_for(int shape) const;

    /// Mosaic frame ⇄ table frame.
    [[nodiscard]] Pose to_table(Pose mosaic) const { return after(frame_, mosaic); }
    [[nodiscard]] Pose to_mosaic(Pose table) const { return after(inverse(frame_), table); }
    [[nodiscard]] Point to_table(Point p) const { return place(frame_, p); }

private:
    struct Touch {
        int piece;
        std::size_t own, other;
        Meeting meeting;
    };
    [[nodiscard]] std::vector<Touch> touches(int shape, Pose at) const;
    [[nodiscard]] Pose snapped(int shape, Pose measured, const std::vector<Touch>& fits) const;
    [[nodiscard]] Settled judged(int shape, Pose at, bool as_measured) const;
    [[nodiscard]] bool overlaps(const Polygon& outline, int piece, const std::vector<Touch>& met,
                                bool as_measured) const;
    [[nodiscard]] double slack_mm(int shape, Pose at, const Touch& touch) const;
    [[nodiscard]] double fit_error(int shape, Pose at, const Touch& touch) const;
    [[nodiscard]] bool side_is_free(int piece, std::size_t side) const;
    void follow_measurements();

    std::shared_ptr<const PieceSet> set_;
    Tolerances tolerances_;
    std::vector<Laid> pieces_;
    Pose frame_;                 // mosaic frame → table frame
    double frame_slack_mm_ = 0;  // how well we know it
    bool measured_ = false;      // by a camera, as far as we can tell
};

}  // namespace overboard::rules::topit
