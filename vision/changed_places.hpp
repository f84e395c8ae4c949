#pragma once

#include <opencv2/core.hpp>
#include <vector>

#include "bus/observation.hpp"
#include "vision/gate.hpp"

namespace overboard::vision {

/// Is the cell of this pixel marked? False beyond the edges.
bool marked(const cv::Mat& cells, cv::Point2d px, int cell_px);

/// Where the picture differs from the table as last understood, and where it has come to rest
/// since.
///
/// Compares with two references: the table as last understood (what has to be looked at?) and the
/// frame before (does it still move?). Places are masks with one byte for each kCell × kCell
/// pixels.
class ChangedPlaces {
public:
    static constexpr int kCell = ChangeGate::kCell;

    ChangedPlaces() = default;
    ChangedPlaces(cv::Size picture, const cv::Rect& region);

    /// The table is understood as it now is.
    void begin(const cv::Mat& bgr);
    /// Likewise in these cells only; they need not be looked at any more.
    void understand(const cv::Mat& bgr, const cv::Mat& cells);
    void look_at_all() { to_look_.setTo(255); }
    void look_at_none() { to_look_.setTo(0); }
    /// The rims of these discs are watched more closely than the rest.
    void watch_rims(const cv::Mat& bgr, const std::vector<Piece>& pieces);

    /// Does this frame differ from the table as last understood?
    bool differs(const cv::Mat& bgr) { return understood_.changed_by_fields(bgr); }
    /// Notes what moved since the frame before. After differs().
    void follow(const cv::Mat& bgr, double time_s);
    /// What differs from the frame before is no motion: the projector shows something else.
    void overlook(const cv::Mat& bgr) { before_.set_reference(bgr); }
    /// Fewer than one cell in a hundred moved since the frame before; nothing else is noted.
    bool calm(const cv::Mat& bgr);

    [[nodiscard]] const cv::Mat& differing() const { return understood_.cells(); }
    [[nodiscard]] const cv::Mat& to_look() const {
        return to_look_;
    }  ///< Changed since last understood.
    [[nodiscard]] bool anything_to_look_at() const { return cv::countNonZero(to_look_) > 0; }
    [[nodiscard]] bool moving() const { return before_.changed_count() > 0; }
    /// When anything was last seen to move.
    [[nodiscard]] double last_motion_s() const;
    /// Nearly all of the picture differs, but nothing moves.
    [[nodiscard]] bool light_changed() const;
    /// What is to be looked at, has been quiet for a while and is not `hidden` (one value for each
    /// 8 × 8 pixels).
    [[nodiscard]] cv::Mat quiet(double time_s, const cv::Mat& hidden) const;
    /// Most of what changed has come to rest.
    [[nodiscard]] bool mostly_quiet(double time_s, const cv::Mat& hidden) const;

private:
    [[nodiscard]] int all() const { return to_look_.rows * to_look_.cols; }

    ChangeGate understood_, before_;
    cv::Mat moved_at_s_;  // per cell: source time of the last motion
    cv::Mat to_look_;
};

}  // namespace overboard::vision
