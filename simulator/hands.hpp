#pragma once

#include <map>
#include <opencv2/core.hpp>
#include <string>

#include "simulator/canvas.hpp"

namespace overboard::simulator {

/// Paints hands with forearm and sleeve. A hand is shaped once for each posture and then moved
/// about.
class HandPainter {
public:
    /// Everything the hand and its shadows may touch.
    cv::Rect bounds(const Hand& hand, const Stage& stage);
    void put(const Hand& hand, const Stage& stage, const Exposure& exposure, double shutter_s,
             Canvas& canvas);

private:
    struct Sprite {
        cv::Mat colour;             // CV_32FC3, lit, times cover
        cv::Mat cover;              // CV_32F
        cv::Point2f origin;         // of its top-left pixel from the finger tips' pixel
        std::vector<cv::Mat> soft;  // cover blurred by each lamp's size
        std::vector<int> soft_pad;
    };
    const Sprite& sprite(const Hand& hand, const Stage& stage);
    static void soften(Sprite& s, const Stage& stage, const cv::Vec3d& at, double px_per_mm);

    std::map<std::string, Sprite> known_;
};

/// Where a hand covers the table, as truth: fingers, palm and arm.
Polygon hand_outline(const Hand& hand);

}  // namespace overboard::simulator
