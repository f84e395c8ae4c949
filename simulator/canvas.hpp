#pragma once

#include <opencv2/core.hpp>
#include <vector>

#include "simulator/solid.hpp"

namespace overboard::simulator {

/// Share of each lamp in the light on the table, on a coarse grid over the picture.
struct LampShares {
    static constexpr int kStep = 64;  ///< px
    cv::Size cells;
    std::vector<std::vector<cv::Vec3f>> of_lamp;  ///< [lamp][cell]
    [[nodiscard]] const cv::Vec3f& at(int lamp, cv::Point px) const {
        const int x = std::clamp(px.x / kStep, 0, cells.width - 1),
                  y = std::clamp(px.y / kStep, 0, cells.height - 1);
        return of_lamp[lamp][std::size_t(y) * cells.width + x];
    }
};
LampShares lamp_shares(const calibration::TableMap& map, const Light& light);

/// A window of the frame in linear light, onto which drawings are put.
class Canvas {
public:
    /// `pixels` (CV_32FC3) shows the part of the frame that begins at `origin`. `projected` is the
    /// projector's light on the table, the whole frame, or empty.
    Canvas(cv::Mat pixels, cv::Point origin, const LampShares& shares, const cv::Mat& projected)
        : pixels_{std::move(pixels)}, origin_{origin}, shares_{shares}, projected_{projected} {}

    /// All of them, lower layers first, each layer's shadows before its faces.
    void put(std::vector<const Drawing*> drawings);

    /// Shadows that do not come from a drawing: a mask of the window's size (0…1) for one lamp.
    void darken(const cv::Mat& mask, cv::Point at, int lamp);

    [[nodiscard]] cv::Rect window() const { return {origin_, pixels_.size()}; }
    [[nodiscard]] cv::Mat& pixels() { return pixels_; }

private:
    void shadows(const std::vector<const Drawing*>& layer);
    void collect(const std::vector<const Drawing*>& layer, int lamp, cv::Mat& mask,
                 cv::Rect& touched);
    void face(const Face& f, cv::Point2f projector_shift);
    void textured(const Face& f, cv::Point2f shift);
    void round(const Face& f);
    void plain(const Face& f, cv::Point2f shift);
    [[nodiscard]] cv::Vec3f projector_light(int x, int y, cv::Point2f shift) const;

    cv::Mat pixels_;
    cv::Point origin_;
    const LampShares& shares_;
    const cv::Mat& projected_;
    Coverage coverage_;
};

}  // namespace overboard::simulator
