#pragma once

#include <opencv2/core.hpp>
#include <string>
#include <vector>

#include "bus/catalogue.hpp"
#include "bus/observation.hpp"
#include "calibration/table_map.hpp"

namespace overboard::vision {

struct StreakLimits {
    double least_cover = 0.12;  ///< A place covered for less of the exposure is noise. Lower: finds
                                ///< faster ones, and shadows.
    double least_levels = 9;    ///< … as is one that changed by fewer grey levels.
    double off_colour = 0.35;  ///< How far a change may point away from a disc's colour, as a share
                               ///< of it.
    double least_area = 0.55,
           most_area = 1.5;    ///< Board covered, in discs. Two that cross are not told apart.
    double longest_mm = 70;    ///< The way of one exposure, besides the disc itself.
    double round_discs = 1.9;  ///< So many radii round a lying disc nothing is learnt: its shadow
                               ///< is there.
};

/// Discs too fast for the shutter. No rim is left of them and no colour, but each covers exactly
/// its own area of the bare board, spread over the way it ran: what the board lacks, taken
/// together, is a disc, and its middle the disc's.
///
/// Works on one pixel for each few, on the board only. Owed: learn() at every still table, so that
/// the bare board and the discs' colours are known.
class Streaks {
public:
    Streaks() = default;
    Streaks(const Catalogue& catalogue, const calibration::TableMap& map, const Pose& board,
            StreakLimits limits = {});

    /// A still table without hands.
    void learn(const cv::Mat& bgr, const std::vector<Piece>& lying);
    /// Those that run and are not among `found`. `hidden`: one value for each 8×8 pixels, not 0
    /// where a hand is.
    [[nodiscard]] std::vector<Piece> find(const cv::Mat& bgr, const cv::Mat& hidden,
                                          const std::vector<Piece>& found);

private:
    struct Kind {
        std::string name;
        double r_mm = 10;
        cv::Vec3f bgr;
        bool known = false;
    };
    void shrink(const cv::Mat& bgr);
    void draw(cv::Mat& mask, const Piece& disc, double radii) const;
    void note_colour(Kind& kind, const std::vector<Piece>& lying) const;
    void hide(const cv::Mat& hidden);
    void cover();
    [[nodiscard]] std::vector<Piece> gather(std::size_t kind,
                                            const std::vector<Piece>& found) const;
    [[nodiscard]] cv::Point2d cell_of(Point table_mm) const;
    [[nodiscard]] double radius_of(const std::string& type) const;
    [[nodiscard]] bool over_hole(Point at) const;

    calibration::TableMap map_;
    Pose board_;
    BoardKind kind_;
    StreakLimits limits_;
    std::vector<Kind> kinds_;
    cv::Rect place_;  // of the board in the picture
    int stride_ = 4;
    double height_mm_ = 0, cell_mm_ = 1;
    cv::Mat surface_;  // cells on the board, 8 bit
    cv::Mat now_, bare_, seen_bare_, blind_;
    std::vector<cv::Mat> cover_;  // of each kind: share of the exposure a cell was covered, float
};

}  // namespace overboard::vision
