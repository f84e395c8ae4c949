#pragma once

#include <cstdint>
#include <memory>
#include <opencv2/core.hpp>
#include <vector>

#include "bus/observation.hpp"
#include "calibration/table_map.hpp"
#include "vision/view.hpp"

namespace overboard::vision {

struct LiveLimits {
    int stride_px = 6;      ///< Most distance of the pixels scanned. Higher: cheaper, misses small
                            ///< discs.
    double min_rim = 0.55;  ///< Share of rays that must meet the rim of a lone disc.
    double min_rim_cluster = 0.22;  ///< Likewise among touching ones.
    double min_face = 0.82;  ///< Share of its face that must have a disc's colour where its rim
                             ///< does not show.
    double min_area = 0.6, max_area = 1.2;  ///< Pixels of its colour over those a disc covers;
                                            ///< outside: its rim is looked for.
    double out_of_round = 0.1;   ///< Higher: half-covered discs are measured by what shows of them.
    double radius_slack = 0.09;  ///< How far a fitted radius may be off its kind's.
    double print_shown = 0.6;    ///< So much of a printed circle's rim in view: no disc covers it.
};

/// Discs at camera rate. Where the board lies, how the camera sees it and what the discs look like
/// is known; only every sixth pixel of every sixth row is looked at, then the rims of what was
/// found.
///
/// Colours are learnt: call learn() with a frame whose discs are known (from the cold way), and
/// again when the light has changed. Pieces are in table millimetres, their height corrected for.
class LiveDiscs {
public:
    LiveDiscs(const Catalogue& catalogue, const calibration::TableMap& map, const Pose& board,
              LiveLimits limits = {});
    ~LiveDiscs();
    LiveDiscs(LiveDiscs&&) noexcept;

    void learn(const cv::Mat& bgr, const std::vector<Piece>& known);

    /// The light changed: everything is so many times as bright as when it was learnt or last told,
    /// BGR.
    void relight(const cv::Vec3f& times);

    /// All discs from scratch. `hidden`: 8 bit, one value for each 8×8 pixels, not 0 where nothing
    /// may be reported from; may be empty.
    const std::vector<Piece>& detect(const cv::Mat& bgr, const cv::Mat& hidden = {});

    /// One known disc near where it was; false when it is not there.
    bool follow(const cv::Mat& bgr, Piece& disc) const;

private:
    struct Eye;
    std::unique_ptr<Eye> eye_;
};

}  // namespace overboard::vision
