#pragma once

#include <vector>

#include "bus/catalogue.hpp"
#include "calibration/table_map.hpp"
#include "vision/changed_places.hpp"
#include "vision/detect.hpp"
#include "vision/flats/live_flats.hpp"
#include "vision/frame.hpp"
#include "vision/tracker.hpp"

namespace overboard::vision {

/// Cards and tiles through an evening: when LiveFlats is asked, what is made of its answer, and a
/// second look for those that seemed gone.
class FlatsWatch {
public:
    FlatsWatch() = default;
    FlatsWatch(const Catalogue& catalogue, const FaceSets& faces);

    [[nodiscard]] bool empty() const { return kinds_.empty(); }
    /// Everything is looked at; the pieces the tracker knows are looked for first.
    void begin(const Frame& frame, const calibration::TableMap& map, Tracker& tracker);
    /// Looks where the picture is not what it was and has come to rest. False: something there was
    /// not understood, and the next frame may show it better.
    bool look(const Frame& frame, const calibration::TableMap& map, const ChangedPlaces& places,
              const cv::Mat& hidden, Tracker& tracker);
    /// A piece may be given up wrongly, and its place then looks as it always did: it is read again
    /// now and then.
    void look_for_lost(const Frame& frame, const calibration::TableMap& map, Tracker& tracker);
    /// These cells are understood as they are now, save where a piece could not be judged or is
    /// missed and looked for once more: those are taken out.
    void understand(const cv::Mat& bgr, const Tracker& tracker, cv::Mat& cells);

private:
    void take(const Frame& frame, const FlatLook& look, Tracker& tracker);

    std::vector<LiveFlats> kinds_;  // cards, tiles
    cv::Mat understood_;            // the picture as last understood, cell by cell
    cv::Mat unjudged_;              // per cell: a piece here could not be judged yet
    std::vector<Piece> given_up_;   // gone when last looked for
    double lost_checked_s_ = -1e9;
    int read_in_vain_ = 0;  // looks at something that was not understood
};

}  // namespace overboard::vision
