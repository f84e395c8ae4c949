#pragma once

#include <array>
#include <opencv2/core.hpp>
#include <vector>

#include "vision/view.hpp"

/// One patch of colour on the table, as pieces are laid out in it.
namespace overboard::vision {

/// A straight part of a patch's outline, the patch to the right of the way it runs.
struct PatchSide {
    Point from;
    Point along;  ///< Unit vector.
    double length_mm = 0;
};

/// The patch drawn in table millimetres: where it is, and where fine lines run through it.
class Patch {
public:
    static constexpr double kCells_per_mm = 1.5;

    /// `contours`: the outline in the picture, then its holes. `height_mm`: of the pieces' upper
    /// faces.
    Patch(const View& view, const std::vector<std::vector<cv::Point>>& contours, double height_mm);

    [[nodiscard]] const cv::Mat& mask() const { return mask_; }  ///< 8 bit, one pixel a cell.
    [[nodiscard]] double area_mm2() const { return area_mm2_; }
    [[nodiscard]] cv::Point2f cell(Point p) const;
    [[nodiscard]] Point table(cv::Point2f cell) const;
    /// How deep inside the patch a place lies, mm; negative: how far outside.
    [[nodiscard]] double depth_mm(Point p) const;
    [[nodiscard]] const std::vector<PatchSide>& sides() const { return sides_; }
    [[nodiscard]] Point centre() const;

    /// Does a fine line run through `p` this way? From −1, as smooth as the rest of the patch, to
    /// 1, a line beyond doubt. A line a millimetre beside counts a little less, one that runs
    /// another way against. `way`: see way_of().
    [[nodiscard]] double line(Point p, int way) const;
    [[nodiscard]] static int way_of(Point along);

private:
    void draw(const View& view, const std::vector<std::vector<cv::Point>>& contours,
              double height_mm);
    void find_sides();
    void find_lines();
    void find_lines(int way, const cv::Mat& cells);
    void learn_grain();

    static constexpr int kWays = 24;  // directions told apart
    cv::Mat mask_, depth_, colours_;
    std::array<cv::Mat, kWays> lines_;  // how much a line this way stands out, grey levels
    cv::Mat clearest_;                  // of all ways
    Point corner_;                      // table mm of cell (0, 0)
    double area_mm2_ = 0;
    std::array<double, kWays> grain_{};  // what a place without a line this way hardly ever shows
    std::vector<PatchSide> sides_;
};

}  // namespace overboard::vision
