#pragma once

#include <optional>
#include <vector>

#include "bus/catalogue.hpp"
#include "calibration/table_map.hpp"
#include "vision/changed_places.hpp"
#include "vision/detect.hpp"
#include "vision/frame.hpp"
#include "vision/hands.hpp"
#include "vision/palette.hpp"
#include "vision/tracker.hpp"

namespace overboard::vision {

/// Dice, polygons, stones and pawns through an evening: the cold detectors, but only round what
/// changed and has come to rest with no hand over the table, told what lay there before. What is
/// read must be read twice alike: a die that still rolls is not.
class OthersWatch {
public:
    OthersWatch() = default;
    explicit OthersWatch(Catalogue catalogue);

    [[nodiscard]] bool empty() const {
        return !(kinds_.dice || kinds_.polygons || kinds_.stones || kinds_.pawns);
    }
    [[nodiscard]] const Kinds& kinds() const { return kinds_; }
    void begin(const cv::Mat& bgr);
    /// Nothing changed: the picture compared with follows slow changes of light.
    void nothing_changed(const cv::Mat& bgr);
    /// True: the changed places were read, and the tracker knows what lies there.
    bool look(const Frame& frame, const calibration::TableMap& map, const ChangedPlaces& places,
              const Hands& hands, const std::optional<Palette>& colours, Tracker& tracker);
    /// Rules wait for hands to be gone, so do we: half a piece under a finger, or its shadow, only
    /// misleads.
    [[nodiscard]] static bool may_look(double time_s, const ChangedPlaces& places,
                                       const Hands& hands) {
        return hands.outlines().empty() && places.mostly_quiet(time_s, hands.hidden());
    }

private:
    struct Draft {
        double since_s = 0, at_s = 0;
        std::vector<Piece> pieces;
    };
    [[nodiscard]] cv::Rect part_round(const cv::Mat& cells, const calibration::TableMap& map) const;
    [[nodiscard]] Known known_in(const cv::Mat& bgr, const cv::Rect& part,
                                 const calibration::TableMap& map, const Tracker& tracker) const;
    [[nodiscard]] bool cut_off(const Piece& piece, const cv::Rect& part,
                               const calibration::TableMap& map) const;
    [[nodiscard]] bool dice_lack(const std::vector<Piece>& read, const cv::Rect& part,
                                 const calibration::TableMap& map, const Tracker& tracker) const;
    void drop_surplus_dice(std::vector<Piece>& read, const cv::Rect& part,
                           const calibration::TableMap& map, const Tracker& tracker) const;
    bool read_twice(double time_s, std::vector<Piece>& pieces, double at_least_s);
    void remember_lost(const std::vector<Piece>& before, const std::vector<Piece>& now,
                       double time_s);

    Catalogue catalogue_;  // without discs
    Kinds kinds_;          // without discs, cards and tiles
    double reach_mm_ = 0;  // of the largest piece
    cv::Mat understood_;   // the picture as last understood, part by part as it was read
    cv::Mat open_;  // not 0: a piece's colour that no piece explained, or motion. There the picture
                    // is of before it came
    std::vector<Piece> lost_;  // polygons nobody sees any more: put back, they may look like the
                               // picture as last understood
    bool touched_ = true;      // a hand was over the table since anything was last read
    int quiet_frames_ = 0;
    std::optional<Draft> draft_;  // what was read of the changed places, not yet confirmed
};

}  // namespace overboard::vision
