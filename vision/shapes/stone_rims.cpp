#include "vision/shapes/stone_rims.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <opencv2/imgproc.hpp>
#include <string>

#include "vision/changes.hpp"

// A solid body has a rim: one side of it catches the light, another lies in its shade, and what it
// throws beyond. Whatever the light, the brightness steps at the rim, and the step changes slowly
// round it. So round every place of a polygon the step across a circle of the stone's size is
// taken in many directions, and that part of it is weighed that changes slowly with the direction:
// its mean and first two harmonics. Noise and grain have little of it. Slow changes of light over
// the polygon are taken out before, and near the polygon's sides nothing is looked at.

namespace overboard::vision {
namespace {

constexpr int kDirections = 32;
constexpr double kAcross_px[] = {0.8, 1.6, 2.4};  // from the rim, inwards and outwards
constexpr double kSide_mm = 0.8;                  // of a polygon, lost to its rounded edge …
constexpr double kSide_px = 1.6;                  // … and to blur
constexpr float kMost = 5;  // times the usual step: a single line counts no more than that
constexpr int kStride_px = 2;

using RimSteps = std::array<float, kDirections>;  // NaN where it cannot be told

struct Tried {
    cv::Point2f at;  // in the crop
    RimSteps steps;
};

float sample(const cv::Mat& image, cv::Point2f p) {
    const int x = static_cast<int>(p.x), y = static_cast<int>(p.y);
    const float fx = p.x - static_cast<float>(x), fy = p.y - static_cast<float>(y);
    const float *top = image.ptr<float>(y) + x, *low = image.ptr<float>(y + 1) + x;
    return (top[0] * (1 - fx) + top[1] * fx) * (1 - fy) + (low[0] * (1 - fx) + low[1] * fx) * fy;
}

float median(std::vector<float>& v) {
    const auto middle = v.begin() + static_cast<std::ptrdiff_t>(v.size() / 2);
    std::nth_element(v.begin(), middle, v.end());
    return *middle;
}

/// One polygon, cut out of the picture.
class Ground {
public:
    Ground(const View& view, const Catalogue& catalogue, const Piece& polygon) {
        const RoundKind& stone = catalogue.stones.front();
        const double base = catalogue.polygons.front().height_mm, top = base + stone.height_mm;
        const Point middle{polygon.x, polygon.y};
        px_per_mm_ = view.map->px_per_mm(middle, top);
        radius_px_ = 0.5 * stone.diameter_mm * px_per_mm_;
        const auto outline = footprint(view, catalogue, polygon);
        const int room = cvCeil(radius_px_ + kAcross_px[2]) + 2;
        box_ = cv::boundingRect(outline) + cv::Size(2 * room, 2 * room) - cv::Point(room, room);
        if (outline.size() < 3 || (box_ & cv::Rect({0, 0}, view.bgr.size())) != box_) return;
        const cv::Matx22d jacobian = view.map->jacobian(middle, top);
        for (int d = 0; d < kDirections; ++d) {
            const double angle = 2 * M_PI * d / kDirections;
            const cv::Vec2d v = jacobian * cv::Vec2d(std::cos(angle), std::sin(angle));
            towards_[d] = cv::Point2f(static_cast<float>(v[0] / px_per_mm_),
                                      static_cast<float>(v[1] / px_per_mm_));
        }
        draw(view, outline);
    }

    [[nodiscard]] double diameter_px() const { return 2 * radius_px_; }
    [[nodiscard]] cv::Point2d in_picture(cv::Point2f p) const {
        return cv::Point2d(p) + cv::Point2d(box_.tl());
    }

    /// Places a stone's middle could be at.
    [[nodiscard]] std::vector<Tried> tried(const RimLimits& limits) const {
        std::vector<Tried> out;
        for (int y = 0; y < depth_.rows; y += kStride_px)
            for (int x = 0; x < depth_.cols; x += kStride_px)
                if (depth_.at<float>(y, x) > 0.9 * radius_px_) {
                    const cv::Point2f at(static_cast<float>(x), static_cast<float>(y));
                    out.push_back({at, steps_at(at)});
                    if (hidden(out.back().steps) > limits.most_hidden) out.pop_back();
                }
        return out;
    }

    [[nodiscard]] static double hidden(const RimSteps& steps) {
        return static_cast<double>(std::count_if(steps.begin(), steps.end(),
                                                 [](float s) { return std::isnan(s); })) /
               kDirections;
    }

    [[nodiscard]] RimSteps steps_at(cv::Point2f centre) const {
        RimSteps steps;
        const auto radius = static_cast<float>(radius_px_);
        for (int d = 0; d < kDirections; ++d) {
            const cv::Point2f rim = centre + towards_[d] * radius;
            const cv::Point at(cvRound(rim.x), cvRound(rim.y));
            steps[d] = std::nanf("");
            if (!cv::Rect({0, 0}, depth_.size()).contains(at) ||
                depth_.at<float>(at) < kAcross_px[2] + kSide_px + kSide_mm * px_per_mm_)
                continue;
            float sum = 0;
            for (const double w : kAcross_px) {
                const cv::Point2f across = towards_[d] * static_cast<float>(w);
                sum += sample(even_, rim + across) - sample(even_, rim - across);
            }
            steps[d] = sum / static_cast<float>(std::size(kAcross_px));
        }
        return steps;
    }

    /// How much the brightness changes round the middle within the rim, squared: a stone's top
    /// looks alike in all directions, a part of its shadow does not.
    [[nodiscard]] double one_sided(cv::Point2f centre, float most) const {
        double sum = 0;
        const double rings[] = {0.35, 0.55, 0.7, 0.85, 0.95};
        for (const double ring : rings) {
            double once = 0, squared = 0;
            for (int d = 0; d < kDirections; d += 2) {
                const cv::Point2f p = centre + towards_[d] * static_cast<float>(ring * radius_px_);
                const double v = std::clamp(sample(even_, p), -most, most);
                once += v, squared += v * v;
            }
            constexpr double n = kDirections / 2;
            sum += squared / n - once * once / (n * n);
        }
        return sum / std::size(rings);
    }

private:
    void draw(const View& view, const std::vector<cv::Point>& outline) {
        std::vector<cv::Point> own;
        for (const cv::Point& p : outline) own.push_back(p - box_.tl());
        cv::Mat inside = cv::Mat::zeros(box_.size(), CV_8U), weight, slow, weights;
        cv::fillConvexPoly(inside, own, 255);
        cv::distanceTransform(inside, depth_, cv::DIST_L2, 5);
        // Only the polygon's own colour brightens and darkens; the rest is noise.
        const cv::Scalar mean = cv::mean(view.bgr(box_), inside);
        const double norm = std::max(1.0, cv::norm(mean));
        view.bgr(box_).convertTo(even_, CV_32F);
        cv::transform(even_, even_, cv::Matx13d(mean[0] / norm, mean[1] / norm, mean[2] / norm));
        cv::GaussianBlur(even_, even_, {}, 0.6);
        cv::Mat(depth_ > kSide_mm * px_per_mm_ + 1).convertTo(weight, CV_32F, 1 / 255.0);
        const double wide = 0.7 * radius_px_;
        cv::GaussianBlur(even_.mul(weight), slow, {}, wide);
        cv::GaussianBlur(weight, weights, {}, wide);
        cv::max(weights, 1e-3, weights);
        even_ = (even_ - slow / weights).mul(weight);
    }

    double px_per_mm_ = 1, radius_px_ = 0;
    cv::Rect box_;
    std::array<cv::Point2f, kDirections> towards_;
    cv::Mat depth_;  // how far inside the polygon, pixels
    cv::Mat even_;   // brightness less its slow changes; 0 near the sides
};

/// What is left of the squared steps when only what changes slowly round the rim counts; no step
/// counts for more than `most`.
double slow_power(const RimSteps& steps, float most) {
    double sum = 0, c[2] = {0, 0}, s[2] = {0, 0};
    int n = 0;
    for (int d = 0; d < kDirections; ++d) {
        if (std::isnan(steps[d])) continue;
        const double step = std::clamp(steps[d], -most, most), angle = 2 * M_PI * d / kDirections;
        ++n;
        sum += step;
        for (const int k : {0, 1}) {
            c[k] += 2 * step * std::cos((k + 1) * angle);
            s[k] += 2 * step * std::sin((k + 1) * angle);
        }
    }
    if (n == 0) return 0;
    double power = sum * sum;
    for (const int k : {0, 1}) power += (c[k] * c[k] + s[k] * s[k]) / 2;
    return power / (n * n);
}

/// Share of the directions that show a step as clear as noise hardly makes it; of those that are
/// hidden half may.
double share_clear(const RimSteps& steps, float usual) {
    double clear = 0;
    for (const float s : steps) clear += std::isnan(s) ? 0.5 : std::abs(s) > 1.5f * usual;
    return clear / kDirections;
}

/// The middle of the rim: among the places where it is clear, the one round which what it encloses
/// looks most alike.
cv::Point2f settled(const Ground& ground, cv::Point2f from, double reach_px, float ceiling,
                    const RimLimits& limits) {
    constexpr double kClear = 0.5;  // of the clearest
    struct Place {
        cv::Point2f at;
        double power;
    };
    std::vector<Place> places;
    double most = 0;
    for (double y = -reach_px; y <= reach_px; y += 0.5)
        for (double x = -reach_px; x <= reach_px; x += 0.5) {
            const cv::Point2f p = from + cv::Point2f(static_cast<float>(x), static_cast<float>(y));
            const RimSteps steps = ground.steps_at(p);
            if (Ground::hidden(steps) > limits.most_hidden) continue;
            places.push_back({p, slow_power(steps, ceiling)});
            most = std::max(most, places.back().power);
        }
    cv::Point2f best = from;
    double least = 1e9;
    for (const Place& place : places)
        if (const double uneven = ground.one_sided(place.at, 255);
            place.power > kClear * most && uneven < least)
            least = uneven, best = place.at;
    return best;
}

/// The steps that grain and noise make, on polygons of each colour. Where a polygon shows its
/// clearest rim may lie a stone: that and what it reaches does not count.
class UsualSteps {
public:
    void learn(const std::string& colour, const std::vector<Tried>& tried, double stone_px) {
        const auto clearest = std::max_element(
            tried.begin(), tried.end(), [](const Tried& a, const Tried& b) {
                return slow_power(a.steps, 255) < slow_power(b.steps, 255);
            });
        for (const Tried& t : tried)
            if (cv::norm(t.at - clearest->at) >= stone_px)
                for (const float s : t.steps)
                    if (!std::isnan(s))
                        steps_[colour].push_back(std::abs(s)), of_all_.push_back(std::abs(s));
    }

    [[nodiscard]] float usual(const std::string& colour) {
        constexpr std::size_t kFew = 6 * kDirections;
        constexpr float kMedianOfNormal = 0.6745f, kLeast = 0.5f;  // grey levels
        auto& steps = steps_[colour].size() < kFew ? of_all_ : steps_[colour];
        return steps.empty() ? kUnknown : std::max(kLeast, median(steps) / kMedianOfNormal);
    }

private:
    static constexpr float kUnknown = 3;  // of a camera in a café
    std::map<std::string, std::vector<float>> steps_;
    std::vector<float> of_all_;
};

}  // namespace

std::vector<StoneRim> stone_rims(const View& view, const Catalogue& catalogue,
                                 const std::vector<Piece>& polygons, const RimLimits& limits) {
    std::vector<Ground> grounds;
    std::vector<std::vector<Tried>> tried;
    UsualSteps grain;
    for (const Piece& polygon : polygons) {
        tried.push_back(grounds.emplace_back(view, catalogue, polygon).tried(limits));
        grain.learn(polygon.colour, tried.back(), grounds.back().diameter_px());
    }
    std::vector<StoneRim> rims;
    for (std::size_t i = 0; i < polygons.size(); ++i) {
        const float usual = grain.usual(polygons[i].colour);
        const float ceiling = std::max(kMost * usual, 2 * limits.least_step);
        const Tried* best = nullptr;
        double most = limits.least_step * limits.least_step;
        for (const Tried& t : tried[i]) {
            const double power = slow_power(t.steps, ceiling),
                         clear = limits.clear + limits.clear_if_hidden * Ground::hidden(t.steps);
            if (power > most && power > clear * usual * usual &&
                share_clear(t.steps, usual) > limits.all_round)
                most = power, best = &t;
        }
        if (!best) continue;
        const double reach = 0.3 * grounds[i].diameter_px();
        const cv::Point2f middle = settled(grounds[i], best->at, reach, ceiling, limits);
        rims.push_back({i, grounds[i].in_picture(middle), most / (usual * usual)});
    }
    return rims;
}

}  // namespace overboard::vision
