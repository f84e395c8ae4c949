#include "simulator/hands.hpp"

#include <fmt/format.h>

#include <opencv2/imgproc.hpp>

// A hand is a set of tapered rods in three dimensions; seen from above they make a relief (the
// highest rod wins, neighbours melt into each other), the relief's slope gives the shading. Origin:
// between the finger tips; +x runs back along the arm.
namespace overboard::simulator {
namespace {

using cv::Vec3f;

struct Rod {
    cv::Vec3f from, to;  // mm, z above the finger tips
    float r0, r1;
    int skin;  // 1 skin, 0 sleeve, 2 nail
};

std::vector<Rod> rods() {
    std::vector<Rod> all;
    const auto finger = [&](cv::Vec3f tip, cv::Vec3f joint, cv::Vec3f knuckle, float r) {
        all.push_back({tip, joint, r, r * 1.12f, 1});
        all.push_back({joint, knuckle, r * 1.15f, r * 1.3f, 1});
        all.push_back(
            {tip + cv::Vec3f(1, 0, 3.5f), tip + cv::Vec3f(7, 0, 4.5f), r * 0.62f, r * 0.62f, 2});
    };
    finger({0, 9, 0}, {38, 20, 24}, {80, 24, 30}, 7.4f);
    finger({-5, -7, 0}, {38, 2, 27}, {84, 6, 33}, 7.8f);
    finger({4, -22, 2}, {42, -16, 26}, {82, -12, 31}, 7.4f);
    finger({17, -34, 5}, {48, -31, 22}, {78, -28, 27}, 6.4f);
    all.push_back({{8, 20, 0}, {42, 46, 16}, 8.6f, 10.f, 1});
    all.push_back({{42, 46, 16}, {88, 40, 24}, 10.5f, 15.f, 1});
    all.push_back({{9, 20, 3.5f}, {16, 25, 5}, 5.5f, 5.5f, 2});
    all.push_back({{80, 24, 24}, {128, 12, 28}, 14, 17, 1});
    all.push_back({{84, 6, 26}, {130, 3, 30}, 15, 19, 1});
    all.push_back({{82, -12, 24}, {130, -6, 29}, 14.5f, 19, 1});
    all.push_back({{78, -28, 20}, {126, -13, 27}, 12, 17, 1});
    all.push_back({{88, 38, 20}, {132, 14, 27}, 15, 18, 1});
    all.push_back({{128, 0, 27}, {185, 0, 32}, 24, 26, 1});
    all.push_back({{185, 0, 32}, {330, 0, 45}, 26, 36, 1});
    all.push_back({{212, 0, 36}, {228, 0, 37}, 40, 42, 0});
    all.push_back({{228, 0, 36}, {720, 0, 70}, 39, 56, 0});
    return all;
}

struct Look {
    Rgb skin, sleeve;
    bool left;
};

Look look_of(int n) {
    static constexpr Rgb skins[] = {{224, 172, 138}, {141, 85, 54}, {240, 200, 170}, {96, 58, 40}};
    static constexpr Rgb sleeves[] = {
        {38, 52, 92}, {120, 26, 34}, {196, 194, 188}, {30, 32, 34}, {58, 92, 62}};
    const int k = std::abs(n);
    return {skins[k % 4], sleeves[k % 5], k % 3 == 1};
}

struct Relief {
    cv::Mat z, skin;  // CV_32F; z < 0: nothing there
};

// `to_local`: pixel of the sprite → hand mm.
void raise(Relief& relief, const Rod& rod, const cv::Matx23f& to_px, const cv::Matx22f& to_mm,
           cv::Point2f corner) {
    const auto px = [&](cv::Vec3f p) {
        return cv::Point2f(to_px(0, 0) * p[0] + to_px(0, 1) * p[1],
                           to_px(1, 0) * p[0] + to_px(1, 1) * p[1]) -
               corner;
    };
    const float reach = std::max(rod.r0, rod.r1) * std::sqrt(std::abs(to_px(0, 0) * to_px(1, 1) -
                                                                      to_px(0, 1) * to_px(1, 0))) +
                        2;
    const cv::Point2f a = px(rod.from), b = px(rod.to);
    const cv::Rect box = cv::Rect(cv::Point(int(std::min(a.x, b.x) - reach),
                                            int(std::min(a.y, b.y) - reach)),
                                  cv::Point(int(std::max(a.x, b.x) + reach) + 1,
                                            int(std::max(a.y, b.y) + reach) + 1)) &
                         cv::Rect({}, relief.z.size());
    const cv::Point2f from{rod.from[0], rod.from[1]},
        along{rod.to[0] - rod.from[0], rod.to[1] - rod.from[1]};
    const float length2 = std::max(along.dot(along), 1e-3f);
    for (int y = box.y; y < box.br().y; ++y)
        for (int x = box.x; x < box.br().x; ++x) {
            const float qx = x + corner.x, qy = y + corner.y;
            const cv::Point2f p{to_mm(0, 0) * qx + to_mm(0, 1) * qy,
                                to_mm(1, 0) * qx + to_mm(1, 1) * qy};
            const float t = std::clamp((p - from).dot(along) / length2, 0.f, 1.f);
            const cv::Point2f off = p - from - along * t;
            const float r = rod.r0 + (rod.r1 - rod.r0) * t, d2 = off.dot(off);
            if (d2 >= r * r) continue;
            const float z = rod.from[2] + (rod.to[2] - rod.from[2]) * t + std::sqrt(r * r - d2) +
                            20;
            float& have = relief.z.at<float>(y, x);
            float& skin = relief.skin.at<float>(y, x);
            if (have < 0)
                have = z, skin = float(rod.skin);
            else if (rod.skin == 1 && skin == 1) {  // flesh melts into flesh
                constexpr float k = 6;
                const float h = std::clamp(0.5f + 0.5f * (z - have) / k, 0.f, 1.f);
                have = have + (z - have) * h + k * h * (1 - h) * 0.5f;
            } else if (z > have)
                have = z, skin = float(rod.skin);
        }
}

}  // namespace

constexpr std::size_t kMostPostures = 3;  // about 16 MB each at 1080p
constexpr double kHandHeight_mm = 50;  // of the knuckles above the table, where shapes and softness
                                       // are worked out

namespace {

Point picture_middle(const Stage& stage) {
    return stage.map.to_table({stage.map.size().width / 2.0, stage.map.size().height / 2.0});
}

// Light by slope of the surface, worked out once for a grid of slopes.
class SlopeLight {
public:
    SlopeLight(const Stage& stage, const cv::Vec3d& at) {
        for (int y = 0; y < kSteps; ++y)
            for (int x = 0; x < kSteps; ++x) {
                const cv::Vec3d normal = cv::normalize(cv::Vec3d(slope(x), slope(y), 1));
                const auto facing = float(normal[2]);
                cells_[y][x] = {stage.light.at(at, normal) * (0.75f + 0.25f * facing),
                                std::pow(facing, 12.f)};
            }
    }
    struct Cell {
        Vec3f light;
        float shine;
    };
    [[nodiscard]] const Cell& at(float sx, float sy) const { return cells_[step(sy)][step(sx)]; }

private:
    static constexpr int kSteps = 51;
    static constexpr float kSteepest = 2.5f;
    static float slope(int i) { return kSteepest * (2.f * i / (kSteps - 1) - 1); }
    static int step(float s) {
        return std::clamp(int((s / kSteepest + 1) * 0.5f * (kSteps - 1) + 0.5f), 0, kSteps - 1);
    }
    Cell cells_[kSteps][kSteps];
};

// Skin has blotches, cloth has folds and threads.
struct Grain {
    cv::Mat coarse, fine;
    Grain(cv::Size size, int look)
        : coarse(size.height / 6 + 2, size.width / 6 + 2, CV_32F), fine(size, CV_32F) {
        cv::RNG rng(unsigned(look) + 3);
        rng.fill(coarse, cv::RNG::NORMAL, 0, 1);
        rng.fill(fine, cv::RNG::NORMAL, 0, 1);
        cv::resize(coarse, coarse, size, 0, 0, cv::INTER_CUBIC);
        cv::GaussianBlur(fine, fine, {3, 3}, 0.8);
    }
    [[nodiscard]] float at(int x, int y, bool skin) const {
        const float a = coarse.at<float>(y, x), b = fine.at<float>(y, x);
        return skin ? 1 + 0.035f * a + 0.02f * b : 1 + 0.10f * a + 0.10f * b;
    }
};

// The shaded relief, times its cover.
cv::Mat shaded(const Relief& relief, const SlopeLight& light, Vec3f base, const Look& look,
               const Grain& grain, float px_per_mm) {
    const cv::Size size = relief.z.size();
    cv::Mat colour(size, CV_32FC3, cv::Scalar::all(0));
    const Vec3f skin = linear(look.skin), sleeve = linear(look.sleeve),
                nail = skin * 0.75f + Vec3f(0.20f, 0.17f, 0.22f);
    for (int y = 0; y < size.height; ++y)
        for (int x = 0; x < size.width; ++x) {
            const float z = relief.z.at<float>(y, x);
            if (z < 0) continue;
            const auto beside = [&](int dx, int dy) {
                const float v = relief.z.at<float>(std::clamp(y + dy, 0, size.height - 1),
                                                   std::clamp(x + dx, 0, size.width - 1));
                return v < 0 ? z - 6 : v;
            };
            const float k = -0.5f * px_per_mm, kind = relief.skin.at<float>(y, x);
            const SlopeLight::Cell& lit = light.at(k * (beside(1, 0) - beside(-1, 0)),
                                                   k * (beside(0, 1) - beside(0, -1)));
            const bool flesh = kind > 0.5f;
            const Vec3f albedo = kind > 1.5f ? nail : flesh ? skin : sleeve;
            colour.at<Vec3f>(y, x) = (albedo * grain.at(x, y, flesh)).mul(lit.light);
            if (flesh) colour.at<Vec3f>(y, x) += base * (0.03f * lit.shine);
        }
    return colour;
}

}  // namespace

// The cover, blurred by the size of each lamp: what its shadow looks like.
void HandPainter::soften(Sprite& s, const Stage& stage, const cv::Vec3d& at, double px_per_mm) {
    for (const Lamp& lamp : stage.light.lamps) {
        const double soft = lamp.radius_mm * at[2] / cv::norm(lamp.at_mm - at) * px_per_mm;
        const int k = std::max(1, int(soft)) * 2 + 1, pad = k + 1;
        cv::Mat wide;
        cv::copyMakeBorder(s.cover, wide, pad, pad, pad, pad, cv::BORDER_CONSTANT);
        cv::blur(wide, wide, {k, k}), cv::blur(wide, wide, {k, k});
        s.soft.push_back(wide);
        s.soft_pad.push_back(pad);
    }
}

const HandPainter::Sprite& HandPainter::sprite(const Hand& hand, const Stage& stage) {
    const double scale = std::round(stage.map.px_per_mm({hand.at.x, hand.at.y}, hand.z + 20) * 25) /
                         25;
    const std::string key = fmt::format("{} {:.2f} {:.2f}", hand.look, hand.at.angle, scale);
    if (known_.size() > kMostPostures && !known_.contains(key))
        known_.clear();  // a long evening must not fill the memory
    Sprite& s = known_[key];
    if (!s.cover.empty()) return s;
    // Shaped and lit as if over the picture's middle, so that it never depends on where it was
    // first needed.
    const Look look = look_of(hand.look);
    const Point middle = picture_middle(stage);
    const double angle = std::round(hand.at.angle * 100) / 100, c = std::cos(angle),
                 n = std::sin(angle), flip = look.left ? -1 : 1;
    const cv::Matx22d j = stage.map.jacobian(middle, kHandHeight_mm) *
                          (scale / stage.map.px_per_mm(middle, kHandHeight_mm));
    const cv::Matx22d m = j * cv::Matx22d(c, -n * flip, n, c * flip);
    const cv::Matx23f to_px(float(m(0, 0)), float(m(0, 1)), 0, float(m(1, 0)), float(m(1, 1)), 0);
    std::vector<cv::Point2f> reach;
    for (const cv::Point2f& p : {cv::Point2f(-20, -62), {-20, 62}, {760, -62}, {760, 62}})
        reach.emplace_back(to_px(0, 0) * p.x + to_px(0, 1) * p.y,
                           to_px(1, 0) * p.x + to_px(1, 1) * p.y);
    const cv::Rect box = bounds_of(reach);
    Relief relief{cv::Mat(box.size(), CV_32F, cv::Scalar(-1)),
                  cv::Mat(box.size(), CV_32F, cv::Scalar(0))};
    for (const Rod& rod : rods()) raise(relief, rod, to_px, cv::Matx22f(m.inv()), box.tl());
    const cv::Vec3d at{middle.x, middle.y, kHandHeight_mm + 20};
    s.origin = box.tl();
    s.colour = shaded(relief, SlopeLight(stage, at),
                      stage.light.at({middle.x, middle.y, 0}, {0, 0, 1}), look,
                      Grain(box.size(), hand.look), float(scale));
    cv::Mat(relief.z >= 0).convertTo(s.cover, CV_32F, 1 / 255.0);
    cv::GaussianBlur(s.colour, s.colour, {3, 3}, 0.6);
    cv::GaussianBlur(s.cover, s.cover, {3, 3}, 0.6);
    soften(s, stage, at, scale);
    return s;
}

namespace {

cv::Point2f tips(const Hand& hand, const Stage& stage) {
    const cv::Point2d p = stage.map.project({hand.at.x, hand.at.y}, hand.z + 10);
    return {float(p.x), float(p.y)};
}

// How far the shadow of something `lift` mm up lies from it, px.
cv::Point2f shadow_shift(const Hand& hand, const Stage& stage, const Lamp& lamp, double lift) {
    const double k = lift / (lamp.at_mm[2] - lift);
    const Point shift{(hand.at.x - lamp.at_mm[0]) * k, (hand.at.y - lamp.at_mm[1]) * k};
    const cv::Point2d from = stage.map.project({hand.at.x, hand.at.y}, hand.z + 10);
    const cv::Point2d to = stage.map.project({hand.at.x + shift.x, hand.at.y + shift.y}, 0);
    return {float(to.x - from.x), float(to.y - from.y)};
}

int travel_px(const Hand& hand, const Stage& stage, double shutter_s) {
    return int(std::ceil(std::hypot(hand.vx, hand.vy) * shutter_s *
                         stage.map.px_per_mm({hand.at.x, hand.at.y}, hand.z)));
}

}  // namespace

cv::Rect HandPainter::bounds(const Hand& hand, const Stage& stage) {
    const Sprite& s = sprite(hand, stage);
    const cv::Point2f t = tips(hand, stage) + s.origin;
    cv::Rect all(int(t.x) - 2, int(t.y) - 2, s.cover.cols + 4, s.cover.rows + 4);
    for (std::size_t k = 0; k < stage.light.lamps.size(); ++k) {
        const cv::Point2f d = t + shadow_shift(hand, stage, stage.light.lamps[k], hand.z + 30);
        const int pad = s.soft_pad[k];
        all |= cv::Rect(int(d.x) - pad - 2, int(d.y) - pad - 2, s.soft[k].cols + 4,
                        s.soft[k].rows + 4);
    }
    const int grow = travel_px(hand, stage, stage.light.shutter_s);
    return {all.x - grow, all.y - grow, all.width + 2 * grow, all.height + 2 * grow};
}

void HandPainter::put(const Hand& hand, const Stage& stage, const Exposure&, double shutter_s,
                      Canvas& canvas) {
    const Sprite& s = sprite(hand, stage);
    const cv::Point2f t = tips(hand, stage) + s.origin;
    for (std::size_t k = 0; k < stage.light.lamps.size(); ++k) {
        const cv::Point2f d = t + shadow_shift(hand, stage, stage.light.lamps[k], hand.z + 30);
        canvas.darken(
            s.soft[k],
            {int(std::lround(d.x)) - s.soft_pad[k], int(std::lround(d.y)) - s.soft_pad[k]}, int(k));
    }
    const int steps = std::clamp(travel_px(hand, stage, shutter_s) / 2, 1, 8);
    const cv::Matx22d j = stage.map.jacobian({hand.at.x, hand.at.y}, hand.z);
    const cv::Vec2d v = j * cv::Vec2d(hand.vx, hand.vy) * shutter_s;
    const cv::Rect window = canvas.window();
    cv::Mat colour(window.size(), CV_32FC3, cv::Scalar::all(0)),
        cover(window.size(), CV_32F, cv::Scalar(0));
    cv::Rect touched;
    for (int i = 0; i < steps; ++i) {
        const double f = steps == 1 ? 0 : (i + 0.5) / steps - 0.5;
        const cv::Point at(int(std::lround(t.x + v[0] * f)), int(std::lround(t.y + v[1] * f)));
        const cv::Rect in = cv::Rect(at, s.cover.size()) & window;
        if (in.empty()) continue;
        touched |= in;
        colour(in - window.tl()) += s.colour(in - at);
        cover(in - window.tl()) += s.cover(in - at);
    }
    const auto vignette = float(vignette_at(stage.light, stage.map.size(), tips(hand, stage)));
    const Point middle = picture_middle(stage);
    const Vec3f here = stage.light.at({hand.at.x, hand.at.y, 0}, {0, 0, 1}),
                there = stage.light.at({middle.x, middle.y, 0}, {0, 0, 1});
    const Vec3f lit{here[0] / there[0] * vignette / steps, here[1] / there[1] * vignette / steps,
                    here[2] / there[2] * vignette / steps};
    for (int y = touched.y; y < touched.br().y; ++y) {
        const Vec3f* c = colour.ptr<Vec3f>(y - window.y);
        const float* a = cover.ptr<float>(y - window.y);
        Vec3f* p = canvas.pixels().ptr<Vec3f>(y - window.y);
        for (int x = touched.x - window.x; x < touched.br().x - window.x; ++x)
            if (a[x] > 0) p[x] = p[x] * (1 - a[x] / steps) + c[x].mul(lit);
    }
}

Polygon hand_outline(const Hand& hand) {
    const double flip = look_of(hand.look).left ? -1 : 1;
    Polygon local = {{-12, -12}, {-8, 16},   {38, 56},  {95, 54},   {140, 26},
                     {205, 28},  {215, 42},  {720, 58}, {720, -58}, {215, -42},
                     {205, -28}, {140, -26}, {80, -42}, {12, -42}};
    for (Point& p : local) p = place(hand.at, {p.x, p.y * flip});
    if (flip < 0) std::reverse(local.begin(), local.end());
    return local;
}

}  // namespace overboard::simulator
