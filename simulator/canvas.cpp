#include "simulator/canvas.hpp"

#include <algorithm>
#include <opencv2/imgproc.hpp>

namespace overboard::simulator {

using cv::Vec3f;

LampShares lamp_shares(const calibration::TableMap& map, const Light& light) {
    LampShares s;
    s.cells = {map.size().width / LampShares::kStep + 1, map.size().height / LampShares::kStep + 1};
    s.of_lamp.resize(light.lamps.size());
    for (int y = 0; y < s.cells.height; ++y)
        for (int x = 0; x < s.cells.width; ++x) {
            const Point p = map.to_table(
                {(x + 0.5) * LampShares::kStep, (y + 0.5) * LampShares::kStep});
            const cv::Vec3d at{p.x, p.y, 0}, up{0, 0, 1};
            const Vec3f all = light.at(at, up);
            for (std::size_t k = 0; k < light.lamps.size(); ++k) {
                const Vec3f one = light.from(light.lamps[k], at, up);
                s.of_lamp[k].push_back({one[0] / all[0], one[1] / all[1], one[2] / all[2]});
            }
        }
    return s;
}

void Canvas::put(std::vector<const Drawing*> drawings) {
    std::stable_sort(drawings.begin(), drawings.end(), [](const Drawing* a, const Drawing* b) {
        return a->layer != b->layer ? a->layer < b->layer : a->order < b->order;
    });
    for (auto from = drawings.begin(); from != drawings.end();) {
        const int layer = (*from)->layer;
        // Flat things lie on each other: each throws its own thin shadow on those below.
        const auto to = layer == 0 ? from + 1
                                   : std::find_if(from, drawings.end(), [&](const Drawing* d) {
                                         return d->layer != layer;
                                     });
        const std::vector<const Drawing*> group(from, to);
        shadows(group);
        for (const Drawing* d : group)
            for (const Face& f : d->faces) face(f, d->projector_shift);
        from = to;
    }
}

void Canvas::collect(const std::vector<const Drawing*>& layer, int lamp, cv::Mat& mask,
                     cv::Rect& touched) {
    for (const Drawing* d : layer)
        for (const Shadow& s : d->shadows) {
            if (s.lamp != lamp) continue;
            const int grow = s.soft_px < 1 ? 0 : int(std::ceil(s.soft_px)) + 1;
            const cv::Rect window = this->window();
            coverage_.fill(s.outline, cv::Rect(window.x - grow, window.y - grow,
                                               window.width + 2 * grow, window.height + 2 * grow));
            const cv::Rect b = coverage_.box();
            if (b.empty()) continue;
            const cv::Rect wide(b.x - grow, b.y - grow, b.width + 2 * grow, b.height + 2 * grow),
                in = wide & window;
            if (in.empty()) continue;
            cv::Mat soft(wide.size(), CV_32F, cv::Scalar(0));
            for (int y = 0; y < b.height; ++y)
                std::copy_n(coverage_.row(b.y + y), b.width, soft.ptr<float>(y + grow) + grow);
            if (grow) {
                const int k = std::max(1, int(s.soft_px / 2)) * 2 + 1;
                cv::blur(soft, soft, {k, k}, {-1, -1}, cv::BORDER_CONSTANT);
                cv::blur(soft, soft, {k, k}, {-1, -1}, cv::BORDER_CONSTANT);
            }
            if (s.strength != 1) soft *= s.strength;
            cv::Mat target = mask(in - window.tl());
            cv::max(target, soft(in - wide.tl()), target);
            touched |= in;
        }
}

void Canvas::darken(const cv::Mat& mask, cv::Point at, int lamp) {
    const cv::Rect in = cv::Rect(at, mask.size()) & window();
    for (int y = in.y; y < in.br().y; ++y) {
        const float* m = mask.ptr<float>(y - at.y) - at.x;
        Vec3f* p = pixels_.ptr<Vec3f>(y - origin_.y) - origin_.x;
        for (int x = in.x; x < in.br().x;) {
            const int end = std::min(in.br().x, (x / LampShares::kStep + 1) * LampShares::kStep);
            const Vec3f share = lamp < 0 ? Vec3f(0.8f, 0.8f, 0.8f) : shares_.at(lamp, {x, y});
            for (; x < end; ++x)
                if (m[x] > 0)
                    for (int c = 0; c < 3; ++c) p[x][c] *= 1 - share[c] * m[x];
        }
    }
}

void Canvas::shadows(const std::vector<const Drawing*>& layer) {
    const int lamps = int(shares_.of_lamp.size());
    cv::Rect reach;
    for (const Drawing* d : layer) reach |= d->bounds;
    reach &= window();
    if (reach.empty()) return;
    // One mask a lamp; what several lamps take away adds up, so the factors are summed first.
    cv::Mat sum(reach.size(), CV_32FC3, cv::Scalar::all(0));
    bool any = false;
    Canvas part(pixels_(reach - origin_), reach.tl(), shares_, projected_);
    for (int lamp = -1; lamp < lamps; ++lamp) {
        cv::Mat mask(reach.size(), CV_32F, cv::Scalar(0));
        cv::Rect touched;
        part.collect(layer, lamp, mask, touched);
        if (touched.empty()) continue;
        any = true;
        for (int y = touched.y; y < touched.br().y; ++y) {
            const float* m = mask.ptr<float>(y - reach.y) - reach.x;
            Vec3f* s = sum.ptr<Vec3f>(y - reach.y) - reach.x;
            for (int x = touched.x; x < touched.br().x;) {
                const int end = std::min(touched.br().x,
                                         (x / LampShares::kStep + 1) * LampShares::kStep);
                const Vec3f share = lamp < 0 ? Vec3f(0.35f, 0.35f, 0.35f)
                                             : shares_.at(lamp, {x, y});
                for (; x < end; ++x) s[x] += share * m[x];
            }
        }
    }
    if (!any) return;
    for (int y = 0; y < reach.height; ++y) {
        const Vec3f* s = sum.ptr<Vec3f>(y);
        Vec3f* p = pixels_.ptr<Vec3f>(y + reach.y - origin_.y) + (reach.x - origin_.x);
        for (int x = 0; x < reach.width; ++x)
            for (int c = 0; c < 3; ++c) p[x][c] *= std::max(0.06f, 1 - s[x][c]);
    }
}

Vec3f Canvas::projector_light(int x, int y, cv::Point2f shift) const {
    const int px = std::clamp(int(x + shift.x + 0.5f), 0, projected_.cols - 1);
    const int py = std::clamp(int(y + shift.y + 0.5f), 0, projected_.rows - 1);
    return projected_.at<Vec3f>(py, px);
}

void Canvas::plain(const Face& f, cv::Point2f shift) {
    const Vec3f colour = f.albedo.mul(f.light) + f.shine;
    const cv::Rect b = coverage_.box();
    for (int y = b.y; y < b.br().y; ++y) {
        const float* cover = coverage_.row(y) - b.x;
        Vec3f* p = pixels_.ptr<Vec3f>(y - origin_.y) - origin_.x;
        for (int x = b.x; x < b.br().x; ++x) {
            const float a = cover[x] * f.opacity;
            if (a <= 0) continue;
            Vec3f c = colour;
            if (!projected_.empty()) c += f.albedo.mul(projector_light(x, y, shift));
            p[x] += (c - p[x]) * a;
        }
    }
}

void Canvas::round(const Face& f) {
    const cv::Rect b = coverage_.box();
    std::array<Vec3f, Face::kAround + 1> lit;
    for (int i = 0; i <= Face::kAround; ++i)
        lit[i] = f.albedo.mul(f.around[i % Face::kAround]) + f.shine;
    for (int y = b.y; y < b.br().y; ++y) {
        const float* cover = coverage_.row(y) - b.x;
        Vec3f* p = pixels_.ptr<Vec3f>(y - origin_.y) - origin_.x;
        for (int x = b.x; x < b.br().x; ++x) {
            const float a = cover[x] * f.opacity;
            if (a <= 0) continue;
            const float t = diamond_angle(x - f.centre.x, y - f.centre.y) * (Face::kAround / 4);
            const int slot = std::min(int(t), Face::kAround - 1);
            const Vec3f c = lit[slot] + (lit[slot + 1] - lit[slot]) * (t - slot);
            p[x] += (c - p[x]) * a;
        }
    }
}

void Canvas::textured(const Face& f, cv::Point2f shift) {
    const cv::Rect b = coverage_.box();
    const cv::Mat& level = f.texture->level(f.texels);
    const auto& m = f.to_uv.val;
    for (int y = b.y; y < b.br().y; ++y) {
        const float* cover = coverage_.row(y) - b.x;
        Vec3f* p = pixels_.ptr<Vec3f>(y - origin_.y) - origin_.x;
        float u = m[0] * b.x + m[1] * y + m[2], v = m[3] * b.x + m[4] * y + m[5],
              w = m[6] * b.x + m[7] * y + m[8];
        for (int x = b.x; x < b.br().x; ++x, u += m[0], v += m[3], w += m[6]) {
            const float a = cover[x] * f.opacity;
            if (a <= 0) continue;
            const float k = 1 / w;
            const Vec3f albedo = sample(level, u * k, v * k).mul(f.albedo);
            Vec3f l = f.light, shine = f.shine;
            if (f.graded) {
                const float dx = x - f.centre.x, dy = y - f.centre.y;
                l += f.light_dx * dx + f.light_dy * dy;
                shine += f.shine_dx * dx + f.shine_dy * dy;
            }
            if (!projected_.empty()) l += projector_light(x, y, shift);
            p[x] += (albedo.mul(l) + shine - p[x]) * a;
        }
    }
}

void Canvas::face(const Face& f, cv::Point2f shift) {
    coverage_.fill(f.outline, window());
    if (coverage_.box().empty()) return;
    if (f.round) return round(f);
    if (f.texture) return textured(f, shift);
    plain(f, shift);
}

}  // namespace overboard::simulator
