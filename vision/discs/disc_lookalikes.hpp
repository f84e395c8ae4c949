#pragma once

#include <array>
#include <vector>

#include "bus/catalogue.hpp"
#include "calibration/table_map.hpp"
#include "vision/discs/disc_colours.hpp"

namespace overboard::vision {

/// The printed circles of a board that look like discs, and whether one is seen bare.
class DiscLookalikes {
public:
    /// All three have to outlive it.
    DiscLookalikes(const Catalogue& catalogue, const calibration::TableMap& map, const Pose& board);

    /// To be told whenever the colours were learnt anew.
    void note(const DiscColours& colours);

    /// Is one of them there that looks like a disc of that type? Table frame.
    [[nodiscard]] bool near(int type, Point at, const DiscColours& colours) const;

    /// Likewise, with so much of its rim in view that no disc covers it.
    [[nodiscard]] bool shows(const cv::Mat& bgr, int type, Point at, const DiscColours& colours,
                             double least_shown) const;

private:
    static constexpr int kRays = 32;
    struct Print {
        Point at;  // table frame
        double r_mm = 8;
        int type = 0;
    };
    [[nodiscard]] static bool is_at(const Print& print, int type, Point at,
                                    const DiscColours& colours);
    [[nodiscard]] double rim_shown(const cv::Mat& bgr, const Print& print,
                                   const DiscColours& colours) const;

    const Catalogue* catalogue_;
    const calibration::TableMap* map_;
    const Pose* board_;
    std::vector<Print> prints_;
    std::array<cv::Vec2d, kRays> rays_;
};

}  // namespace overboard::vision
