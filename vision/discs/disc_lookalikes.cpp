#include "vision/discs/disc_lookalikes.hpp"

#include <algorithm>
#include <cmath>

namespace overboard::vision {

DiscLookalikes::DiscLookalikes(const Catalogue& catalogue, const calibration::TableMap& map,
                               const Pose& board)
    : catalogue_{&catalogue}, map_{&map}, board_{&board} {
    for (int i = 0; i < kRays; ++i)
        rays_[std::size_t(i)] = {std::cos(2 * CV_PI * i / kRays), std::sin(2 * CV_PI * i / kRays)};
}

void DiscLookalikes::note(const DiscColours& colours) {
    prints_.clear();
    if (!catalogue_->board) return;
    for (const PrintedCircle& c : catalogue_->board->circles)
        if (const int type = colours.type_like(c.colour); type >= 0 && c.line_mm <= 0)
            prints_.push_back({place(*board_, c.centre), c.diameter_mm / 2, type});
}

bool DiscLookalikes::is_at(const Print& print, int type, Point at, const DiscColours& colours) {
    const double reach = 0.5 * colours.looks()[std::size_t(type)].r_mm, dx = print.at.x - at.x,
                 dy = print.at.y - at.y;
    return print.type == type && dx * dx + dy * dy < reach * reach;
}

bool DiscLookalikes::near(int type, Point at, const DiscColours& colours) const {
    return std::any_of(prints_.begin(), prints_.end(),
                       [&](const Print& p) { return is_at(p, type, at, colours); });
}

bool DiscLookalikes::shows(const cv::Mat& bgr, int type, Point at, const DiscColours& colours,
                           double least_shown) const {
    return std::any_of(prints_.begin(), prints_.end(), [&](const Print& p) {
        return is_at(p, type, at, colours) && rim_shown(bgr, p, colours) >= least_shown;
    });
}

// Share of a printed circle's rim that is seen exactly where it is printed. A disc over it hides
// it.
double DiscLookalikes::rim_shown(const cv::Mat& bgr, const Print& print,
                                 const DiscColours& colours) const {
    constexpr double kBeside_mm = 1.2;
    const double level = catalogue_->board->elevation_mm;
    const cv::Matx22d J = map_->jacobian(print.at, level);
    const cv::Point2d c = map_->project(print.at, level);
    const Direction& way = colours.looks()[std::size_t(print.type)].plain;
    const auto value = [&](const cv::Vec2d& ray, double r_mm) {
        const cv::Vec2d d = J * ray * r_mm;
        const int x = std::clamp(cvRound(c.x + d[0]), 0, bgr.cols - 1),
                  y = std::clamp(cvRound(c.y + d[1]), 0, bgr.rows - 1);
        return float(way.of(bgr.ptr(y) + 3 * x)) / 256;
    };
    int shown = 0;
    for (const cv::Vec2d& ray : rays_)
        shown += value(ray, print.r_mm - kBeside_mm) - value(ray, print.r_mm + kBeside_mm) >
                 0.25f * way.contrast;
    return double(shown) / kRays;
}

}  // namespace overboard::vision
