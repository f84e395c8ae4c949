#include "vision/discs/circles.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "vision/discs/circle_looks.hpp"
#include "vision/discs/circle_rays.hpp"
#include "vision/discs/circle_votes.hpp"

// Edges vote for centres and radii (circle_votes). About each peak rays look for the rim; a robust
// fit gives the centre and radius to a fraction of a pixel, and the share of rays that agree is the
// evidence (circle_rays). What the circle looks like is told by circle_looks.
namespace overboard::vision {
namespace {

constexpr double kFitRadius = 22;  // radius in pixels for the ray fit, when the picture has it

// Is there any edge of its own at the rim, not just the slope of one beside it?
bool has_edge_at(const cv::Mat& bgr, const Circle& c, cv::Point2d direction, double tolerance) {
    const double step = std::max(0.4, c.r * 0.035);
    const auto edge = [&](double rho) {
        const cv::Point2d in = c.centre + direction * (rho - step),
                          out = c.centre + direction * (rho + step);
        return rays::any_edge(rays::sample(bgr, in), rays::sample(bgr, out));
    };
    float before = edge(c.r - tolerance - step), here = edge(c.r - tolerance);
    for (double rho = c.r - tolerance + step; rho < c.r + tolerance + step; rho += step) {
        const float after = edge(rho);
        if (here >= rays::kRimStrength && here >= before && here >= after) return true;
        before = here, here = after;
    }
    return false;
}

// `wall`: what is looked for is the outline of both faces, so far apart; none: of a circle.
bool fit_rims(const cv::Mat& bgr, Circle& c, double search_share, cv::Point2d wall) {
    std::array<rays::Ray, rays::kRays> met_at;
    std::array<double, rays::kRays> beyond;
    for (int i = 0; i < rays::kRays; ++i) beyond[i] = rays::wall_along(rays::directions()[i], wall);
    const auto meet = [&](int i, double half) {
        rays::Ray ray = rays::meet_rim(bgr, c.centre, rays::directions()[i], c.r + beyond[i], half,
                                       std::max(0.4, c.r * 0.035), rays::any_edge);
        ray.rho -= float(beyond[i]);
        return ray;
    };
    double share = search_share;
    for (int round = 0; round < 3; ++round) {
        const double half = std::max(2.0, c.r * share);
        for (int i = 0; i < rays::kRays; ++i) met_at[i] = meet(i, half);
        const rays::Fit fit = rays::robust_fit(met_at, c.r, half * 0.5, std::max(0.6, 0.04 * c.r));
        if (fit.inliers < rays::kRays / 4 || std::hypot(fit.dx, fit.dy) > half * 1.3) return false;
        c.centre += cv::Point2d(fit.dx, fit.dy);
        c.r += fit.dr;
        if (c.r < 3) return false;
        share = std::max(0.12, share * 0.6);
    }
    std::array<bool, rays::kRays> met{};
    int near = 0;
    const double tolerance = std::max(0.9, 0.06 * c.r), half = std::max(2.0, c.r * 0.14);
    for (int i = 0; i < rays::kRays; ++i) {
        const rays::Ray ray = meet(i, half);
        met[i] = ray.strength > 0 && std::abs(ray.rho - c.r) < tolerance;
        near += met[i] || has_edge_at(bgr, c, rays::directions()[i], tolerance);
    }
    c.near_support = double(near) / rays::kRays;
    look_at_circle(bgr, c, met, beyond);
    return true;
}

// Where much of the wall shows, either the rim of the upper face is the clearer edge all along it,
// or the lower one's.
bool fit_on(const cv::Mat& bgr, Circle& c, double search_share, const Walls& walls) {
    constexpr double kMuch = 0.15;  // of the radius: less is within what a rim may be off
    const cv::Point2d wall = walls.at(c.centre);
    Circle with_wall = c;
    const bool plain = fit_rims(bgr, c, search_share, {});
    if (cv::norm(wall) < kMuch * c.r || !fit_rims(bgr, with_wall, search_share, wall)) return plain;
    if (!plain || with_wall.score > c.score) c = with_wall;
    return true;
}

class Pyramid {
public:
    explicit Pyramid(const cv::Mat& bgr) : bgr_{bgr} {}
    // The level on which a circle of r picture pixels is about kFitRadius large; never enlarged.
    const ScaledPicture& level_for(double r) {
        const int step = std::max(0, int(std::floor(std::log2(r / kFitRadius) + 0.5)));
        while (int(levels_.size()) <= step)
            levels_.push_back(scaled_picture(bgr_, std::pow(0.5, levels_.size())));
        return levels_[step];
    }

private:
    cv::Mat bgr_;
    std::vector<ScaledPicture> levels_;
};

bool fit_at_level(const ScaledPicture& level, Circle& c, double search_share, const Walls& walls) {
    c.centre = level.to_scaled(c.centre);
    c.r *= level.scale;
    const bool ok = fit_on(level.picture, c, search_share,
                           {level.to_scaled(walls.below_eye), walls.share});
    c.centre = level.from_scaled(c.centre);
    c.r /= level.scale;
    return ok;
}

bool masked_out(const cv::Mat& mask, cv::Point2d p) {
    if (mask.empty()) return false;
    const int x = std::clamp(cvRound(p.x), 0, mask.cols - 1),
              y = std::clamp(cvRound(p.y), 0, mask.rows - 1);
    return mask.at<uchar>(y, x) == 0;
}

}  // namespace

bool fit_circle(const cv::Mat& bgr, Circle& circle, double search_share, const Walls& walls) {
    const double scale = std::min(1.0, kFitRadius / circle.r);
    if (scale > 0.6) return fit_on(bgr, circle, search_share, walls);
    return fit_at_level(scaled_picture(bgr, scale), circle, search_share, walls);
}

void fit_top(const cv::Mat& bgr, const cv::Vec3f& surface, const Walls& walls, Circle& c) {
    const cv::Point2d wall = walls.at(c.centre);
    const cv::Vec3f light = surface * float(1 / std::max(1.0, cv::norm(surface))),
                    difference = c.rim - surface;
    cv::Vec3f way = difference - light * difference.dot(light);
    const bool by_hue = cv::norm(way) >= 0.4 * cv::norm(difference) && cv::norm(way) >= 12;
    if (!by_hue && cv::norm(wall) < 0.1) return;
    way *= float(1 / std::max(1.0, cv::norm(way)));
    const double half = std::max(2.0, 0.14 * c.r), step = std::max(0.4, 0.035 * c.r);
    std::array<rays::Ray, rays::kRays> met_at;
    for (int i = 0; i < rays::kRays; ++i)
        met_at[i] = rays::meet_rim(bgr, c.centre, rays::directions()[i], c.r, half, step,
                                   [&](const cv::Vec3f& inner, const cv::Vec3f& outer) {
                                       return by_hue ? (inner - outer).dot(way)
                                                     : rays::any_edge(inner, outer);
                                   });
    const rays::Fit fit = rays::robust_fit(met_at, c.r, half * 0.5, std::max(0.6, 0.04 * c.r),
                                           wall);
    if (fit.inliers < rays::kRays / 2 || std::hypot(fit.dx, fit.dy) > half) return;
    c.centre += cv::Point2d(fit.dx, fit.dy);
}

std::vector<Circle> find_circles(const cv::Mat& bgr, const CircleSearch& search) {
    Pyramid pyramid(bgr);
    std::vector<Circle> found;
    for (const CirclePeak& peak :
         vote_for_circles(bgr, search.r_min_px, search.r_max_px, float(search.min_votes),
                          std::size_t(search.max_candidates))) {
        Circle c;
        c.centre = peak.centre;
        c.r = peak.r;
        if (masked_out(search.mask, c.centre) ||
            !fit_at_level(pyramid.level_for(c.r), c, 0.2, search.walls))
            continue;
        if (c.support < search.min_support || c.r < 0.9 * search.r_min_px ||
            c.r > 1.1 * search.r_max_px)
            continue;
        found.push_back(c);
    }
    std::sort(found.begin(), found.end(),
              [](const Circle& a, const Circle& b) { return a.score > b.score; });
    return found;
}

}  // namespace overboard::vision
