#include "vision/circles.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <opencv2/imgproc.hpp>

// Three steps. (1) Every thinned edge pixel votes for the centres that lie one radius away on
// either side along its gradient, once for each of a few radii; the gradient is that of whichever
// colour channel changes most, so that a disc needs to differ from its background in any one
// colour only. The picture is halved for each octave of radii: radii are always 7 to 14 pixels when
// votes are cast. (2) Peaks are listed. (3) Around each peak, rays look for the rim; a robust fit
// gives the centre and radius to a fraction of a pixel, and the share of rays that agree is the
// evidence.
namespace overboard::vision {
namespace {

constexpr double kOctaveLow = 7, kOctaveHigh = 14;  // radii in pixels while voting
constexpr double kRadiusStep = 1.085;               // ratio of neighbouring radii
constexpr double kFitRadius = 22;  // radius in pixels for the ray fit, when the picture has it
// grey levels per pixel: no vote, a full vote
constexpr float kWeakGradient = 2.0f, kFullGradient = 10.0f;
constexpr int kRays = 48;

struct EdgePoint {
    float x, y, nx, ny, weight;
};

struct Peak {
    cv::Point2f centre;
    float r, votes;
};

struct Level {
    cv::Mat picture;
    double scale = 1;  // level pixels per picture pixel
    [[nodiscard]] cv::Point2d to_level(cv::Point2d p) const {
        return {(p.x + 0.5) * scale - 0.5, (p.y + 0.5) * scale - 0.5};
    }
    [[nodiscard]] cv::Point2d from_level(cv::Point2d p) const {
        return {(p.x + 0.5) / scale - 0.5, (p.y + 0.5) / scale - 0.5};
    }
};

Level scaled(const cv::Mat& bgr, double scale) {
    Level level;
    level.scale = scale;
    if (std::abs(scale - 1) < 0.02) {
        level.picture = bgr;
        level.scale = 1;
    } else {
        const cv::Size size(std::max(8, cvRound(bgr.cols * scale)),
                            std::max(8, cvRound(bgr.rows * scale)));
        cv::resize(bgr, level.picture, size, 0, 0, scale < 1 ? cv::INTER_AREA : cv::INTER_CUBIC);
    }
    return level;
}

// Per pixel the gradient of the channel that changes most.
void strongest_gradient(const cv::Mat& bgr, cv::Mat& gx, cv::Mat& gy, cv::Mat& magnitude) {
    cv::Mat soft, dx, dy;
    cv::GaussianBlur(bgr, soft, {3, 3}, 0.8);
    cv::Sobel(soft, dx, CV_16S, 1, 0, 3, 1.0 / 2);
    cv::Sobel(soft, dy, CV_16S, 0, 1, 3, 1.0 / 2);
    gx.create(bgr.size(), CV_32F);
    gy.create(bgr.size(), CV_32F);
    magnitude.create(bgr.size(), CV_32F);
    for (int y = 0; y < bgr.rows; ++y) {
        const auto* px = dx.ptr<cv::Vec3s>(y);
        const auto* py = dy.ptr<cv::Vec3s>(y);
        float *ox = gx.ptr<float>(y), *oy = gy.ptr<float>(y), *om = magnitude.ptr<float>(y);
        for (int x = 0; x < bgr.cols; ++x) {
            int best = -1, bx = 0, by = 0;
            for (int c = 0; c < 3; ++c) {
                const int ax = px[x][c], ay = py[x][c], m = ax * ax + ay * ay;
                if (m > best) best = m, bx = ax, by = ay;
            }
            ox[x] = bx * 0.25f;  // Sobel sums to 8, scaled by 1/2 above
            oy[x] = by * 0.25f;
            om[x] = std::sqrt(float(best)) * 0.25f;
        }
    }
}

std::vector<EdgePoint> edges_of(const cv::Mat& bgr) {
    cv::Mat gx, gy, magnitude;
    strongest_gradient(bgr, gx, gy, magnitude);
    std::vector<EdgePoint> edges;
    edges.reserve(bgr.total() / 8);
    for (int y = 1; y + 1 < bgr.rows; ++y) {
        const float* m = magnitude.ptr<float>(y);
        for (int x = 1; x + 1 < bgr.cols; ++x) {
            if (m[x] < kWeakGradient) continue;
            const float nx = gx.at<float>(y, x) / m[x], ny = gy.at<float>(y, x) / m[x];
            const int sx = nx > 0.38f    ? 1
                           : nx < -0.38f ? -1
                                         : 0,
                      sy = ny > 0.38f    ? 1
                           : ny < -0.38f ? -1
                                         : 0;
            if (magnitude.at<float>(y + sy, x + sx) > m[x] ||
                magnitude.at<float>(y - sy, x - sx) >= m[x])
                continue;
            const float weight = std::min(
                1.0f, (m[x] - kWeakGradient * 0.5f) / (kFullGradient - kWeakGradient));
            edges.push_back({float(x), float(y), nx, ny, weight});
        }
    }
    return edges;
}

void vote(const std::vector<EdgePoint>& edges, float r, cv::Mat& votes) {
    votes.setTo(0);
    const int w = votes.cols, h = votes.rows;
    for (const EdgePoint& e : edges) {
        for (const float side : {r, -r}) {
            const int x = int(e.x + e.nx * side + 0.5f), y = int(e.y + e.ny * side + 0.5f);
            if (unsigned(x) < unsigned(w) && unsigned(y) < unsigned(h))
                votes.at<float>(y, x) += e.weight;
        }
    }
}

void add_peaks(const cv::Mat& share, const Level& level, float r, float min_votes,
               std::vector<Peak>& peaks) {
    cv::Mat highest;
    cv::dilate(share, highest, cv::getStructuringElement(cv::MORPH_ELLIPSE, {5, 5}));
    for (int y = 0; y < share.rows; ++y) {
        const float *s = share.ptr<float>(y), *m = highest.ptr<float>(y);
        for (int x = 0; x < share.cols; ++x) {
            if (s[x] < min_votes || s[x] < m[x]) continue;
            const cv::Point2d at = level.from_level({double(x), double(y)});
            peaks.push_back({cv::Point2f(at), float(r / level.scale), s[x]});
        }
    }
}

void vote_octave(const Level& level, double r_low, double r_high, float min_votes,
                 std::vector<Peak>& peaks) {
    const auto edges = edges_of(level.picture);
    cv::Mat votes(level.picture.size(), CV_32F), soft;
    for (double r = r_low; r <= r_high * 1.001; r *= kRadiusStep) {
        vote(edges, float(r), votes);
        const double sigma = 0.7 + 0.05 * r;
        cv::GaussianBlur(votes, soft, {0, 0}, sigma);
        soft *= sigma * sigma / r;  // 1: every rim pixel voted for this very place
        add_peaks(soft, level, float(r), min_votes, peaks);
    }
}

// Of peaks at one place and of one size the strongest stays.
std::vector<Peak> distinct(std::vector<Peak> peaks, std::size_t most) {
    std::sort(peaks.begin(), peaks.end(),
              [](const Peak& a, const Peak& b) { return a.votes > b.votes; });
    std::vector<Peak> kept;
    for (const Peak& p : peaks) {
        const bool known = std::any_of(kept.begin(), kept.end(), [&](const Peak& k) {
            return std::abs(k.r - p.r) < 0.12f * k.r && cv::norm(k.centre - p.centre) < 0.3 * k.r;
        });
        if (!known) kept.push_back(p);
        if (kept.size() >= most) break;
    }
    return kept;
}

cv::Vec3f sample(const cv::Mat& bgr, double x, double y) {
    x = std::clamp(x, 0.0, bgr.cols - 1.001);
    y = std::clamp(y, 0.0, bgr.rows - 1.001);
    const int ix = int(x), iy = int(y);
    const float fx = float(x - ix), fy = float(y - iy);
    const auto* p = bgr.ptr<cv::Vec3b>(iy) + ix;
    const auto* q = bgr.ptr<cv::Vec3b>(std::min(iy + 1, bgr.rows - 1)) + ix;
    cv::Vec3f out;
    for (int c = 0; c < 3; ++c)
        out[c] = (p[0][c] * (1 - fx) + p[1][c] * fx) * (1 - fy) +
                 (q[0][c] * (1 - fx) + q[1][c] * fx) * fy;
    return out;
}

float largest(const cv::Vec3f& v) {
    return std::max({std::abs(v[0]), std::abs(v[1]), std::abs(v[2])});
}

struct Ray {
    float rho = 0;       // where the rim was met
    float strength = 0;  // 0: not met
};

constexpr float kRimStrength = 6;  // grey levels across the rim that count as an edge

// Colours along one ray about the expected rim. `across`: how much of an edge there is between two
// colours, inner one first.
template <class Across>
Ray meet_rim(const cv::Mat& bgr, cv::Point2d centre, cv::Point2d direction, double r, double half,
             double step, const Across& across) {
    constexpr int kMost = 64;
    const int n = std::min(kMost, std::max(5, int(2 * half / step) + 1));
    std::array<cv::Vec3f, kMost> line;
    for (int k = 0; k < n; ++k) {
        const double rho = r - half + k * step;
        line[k] = sample(bgr, centre.x + direction.x * rho, centre.y + direction.y * rho);
    }
    std::array<float, kMost> edge{};
    int best = -1;
    float best_value = 0;
    for (int k = 1; k + 1 < n; ++k) {
        edge[k] = across(line[k - 1], line[k + 1]);
        const double off = (r - half + k * step - r) / half;
        const float value = edge[k] * float(1 - 0.5 * off * off);
        if (value > best_value) best_value = value, best = k;
    }
    if (best < 1 || edge[best] < kRimStrength) return {};
    const float a = best > 1 ? edge[best - 1] : 0, b = edge[best],
                c = best + 2 < n ? edge[best + 1] : 0;
    const float bend = a - 2 * b + c;
    const float shift = bend < 0 ? std::clamp(0.5f * (a - c) / bend, -1.0f, 1.0f) : 0;
    return {float(r - half + (best + shift) * step), edge[best]};
}

float any_edge(const cv::Vec3f& inner, const cv::Vec3f& outer) {
    return largest(outer - inner);
}

struct Fit {
    double dx = 0, dy = 0, dr = 0;
    int inliers = 0;
};

const std::array<cv::Point2d, kRays>& directions() {
    static const auto all = [] {
        std::array<cv::Point2d, kRays> d;
        for (int i = 0; i < kRays; ++i)
            d[i] = {std::cos(2 * CV_PI * i / kRays), std::sin(2 * CV_PI * i / kRays)};
        return d;
    }();
    return all;
}

// How far beyond the rim the lower edge of a wall is, in that direction.
double wall_along(cv::Point2d direction, cv::Point2d wall) {
    return std::max(0.0, direction.dot(wall));
}

// rho ≈ r + dr + dx·cos + dy·sin, weights fading with the residual. Where a wall shows below the
// rim, towards `wall`, as much of it as it takes is added on that side.
Fit robust_fit(const std::array<Ray, kRays>& rays, double r, double first_scale, double last_scale,
               cv::Point2d wall = {}) {
    constexpr double kUsualWall = 0.6,
                     kSure = 0.7;  // share of it that looks like the face; in rays
    Fit fit;
    double share = kUsualWall;
    for (int pass = 0; pass < 5; ++pass) {
        const double scale = pass == 0
                                 ? 1e9
                                 : std::max(last_scale, first_scale * std::pow(0.5, pass - 1));
        cv::Matx44d A = cv::Matx44d::zeros();
        cv::Vec4d b(0, 0, 0, kSure * kUsualWall);
        fit.inliers = 0;
        for (int i = 0; i < kRays; ++i) {
            if (rays[i].strength <= 0) continue;
            const cv::Vec4d row(directions()[i].x, directions()[i].y, 1,
                                wall_along(directions()[i], wall));
            const double residual = rays[i].rho - r - row.dot({fit.dx, fit.dy, fit.dr, share});
            const double q = residual / scale, weight = 1 / ((1 + q * q) * (1 + q * q));
            if (std::abs(q) < 1.5) ++fit.inliers;
            A += weight * row * row.t();
            b += weight * (rays[i].rho - r) * row;
        }
        A(2, 2) += 0.5;
        A(0, 0) += 0.2;
        A(1, 1) += 0.2;
        A(3, 3) += kSure;
        const cv::Vec4d s = A.solve(b, cv::DECOMP_CHOLESKY);
        fit.dx = s[0], fit.dy = s[1], fit.dr = s[2], share = s[3];
    }
    return fit;
}

// Colours inside and outside (beyond the wall where that shows), and how much of the rim separates
// two colours.
void measure(const cv::Mat& bgr, Circle& c, const std::array<bool, kRays>& met,
             const std::array<double, kRays>& beyond) {
    cv::Vec3f rim{}, around{}, core{};
    int steps = 0, hits = 0, outside = 0;
    double contrast = 0;
    for (int i = 0; i < kRays; ++i) {
        const cv::Point2d d = directions()[i];
        const auto at = [&](double share) {
            const double rho = c.r * share + (share > 1 ? beyond[i] : 0);
            return sample(bgr, c.centre.x + d.x * rho, c.centre.y + d.y * rho);
        };
        const cv::Vec3f in = (at(0.82) + at(0.9)) * 0.5f, out = (at(1.1) + at(1.2)) * 0.5f;
        rim += in;
        core += (at(0.2) + at(0.4) + at(0.55) + at(0.65)) * 0.25f;
        hits += met[i];
        if (met[i]) around += out, ++outside;
        const float difference = largest(in - out);
        contrast += difference;
        steps += met[i] && difference > 9;
    }
    c.rim = rim * (1.0f / kRays);
    c.core = core * (1.0f / kRays);
    c.around = outside ? around * (1.0f / outside) : c.rim;
    c.contrast = contrast / kRays;
    c.support = double(hits) / kRays;
    c.step = double(steps) / kRays;
    c.score = c.support + 0.5 * c.step;
}

float median_of(std::array<float, kRays> values) {
    std::nth_element(values.begin(), values.begin() + kRays / 2, values.end());
    return values[kRays / 2];
}

// The face against what lies beyond the rim and its shade, direction by direction: means over so
// many pixels tell colours apart that no single edge does.
void compare_face(const cv::Mat& bgr, Circle& c, const std::array<double, kRays>& beyond) {
    std::array<cv::Vec3f, kRays> change;
    std::array<std::array<float, kRays>, 3> channels;
    for (int i = 0; i < kRays; ++i) {
        const auto at = [&](double share) {
            const double rho = c.r * share + (share > 1 ? beyond[i] : 0);
            const cv::Point2d p = c.centre + directions()[i] * rho;
            return sample(bgr, p.x, p.y);
        };
        change[i] = (at(0.4) + at(0.55) + at(0.7) + at(0.82)) * 0.25f -
                    (at(1.25) + at(1.4) + at(1.55)) * (1 / 3.0f);
        for (int k = 0; k < 3; ++k) channels[k][i] = change[i][k];
    }
    const cv::Vec3f usual(median_of(channels[0]), median_of(channels[1]), median_of(channels[2]));
    const auto same = std::count_if(change.begin(), change.end(), [&](const cv::Vec3f& d) {
        return d.dot(usual) > 0.5f * usual.dot(usual);
    });
    c.alike = double(same) / kRays;
    c.face_step = largest(usual);
}

// Turned pieces have grooves round their centre: compares change along rays with change across
// them.
void look_for_rings(const cv::Mat& bgr, Circle& c) {
    constexpr int kSteps = 11;
    constexpr double kFrom = 0.2, kStep = 0.07;
    std::array<std::array<cv::Vec3f, kSteps>, kRays> polar;
    for (int i = 0; i < kRays; ++i)
        for (int k = 0; k < kSteps; ++k) {
            const double rho = c.r * (kFrom + k * kStep);
            polar[i][k] = sample(bgr, c.centre.x + directions()[i].x * rho,
                                 c.centre.y + directions()[i].y * rho);
        }
    double along = 0, across = 0;
    for (int i = 0; i < kRays; ++i)
        for (int k = 1; k < kSteps; ++k) {
            const double arc = (kFrom + k * kStep) * 2 * CV_PI / kRays /
                               kStep;  // of one ray step, in radial steps
            const float radial = largest(polar[i][k] - polar[i][k - 1]);
            const float around = largest(polar[(i + 1) % kRays][k] - polar[i][k]) /
                                 float(std::max(0.4, arc));
            along += radial * radial;
            across += around * around;
        }
    const double noise = 12.0 * kRays * kSteps;  // what sensor noise alone would add to either
    c.rings = (along + noise) / (along + across + 2 * noise);
    c.pattern = std::sqrt(across / (kRays * kSteps));
}

// Is there any edge of its own at the rim, not just the slope of one beside it?
bool has_edge_at(const cv::Mat& bgr, const Circle& c, cv::Point2d direction, double tolerance) {
    const double step = std::max(0.4, c.r * 0.035);
    const auto edge = [&](double rho) {
        const cv::Point2d in = c.centre + direction * (rho - step),
                          out = c.centre + direction * (rho + step);
        return any_edge(sample(bgr, in.x, in.y), sample(bgr, out.x, out.y));
    };
    float before = edge(c.r - tolerance - step), here = edge(c.r - tolerance);
    for (double rho = c.r - tolerance + step; rho < c.r + tolerance + step; rho += step) {
        const float after = edge(rho);
        if (here >= kRimStrength && here >= before && here >= after) return true;
        before = here, here = after;
    }
    return false;
}

// `wall`: what is looked for is the outline of both faces, so far apart; none: of a circle.
bool fit_rims(const cv::Mat& bgr, Circle& c, double search_share, cv::Point2d wall) {
    std::array<Ray, kRays> rays;
    std::array<double, kRays> beyond;
    for (int i = 0; i < kRays; ++i) beyond[i] = wall_along(directions()[i], wall);
    const auto meet = [&](int i, double half) {
        Ray ray = meet_rim(bgr, c.centre, directions()[i], c.r + beyond[i], half,
                           std::max(0.4, c.r * 0.035), any_edge);
        ray.rho -= float(beyond[i]);
        return ray;
    };
    double share = search_share;
    for (int round = 0; round < 3; ++round) {
        const double half = std::max(2.0, c.r * share);
        for (int i = 0; i < kRays; ++i) rays[i] = meet(i, half);
        const Fit fit = robust_fit(rays, c.r, half * 0.5, std::max(0.6, 0.04 * c.r));
        if (fit.inliers < kRays / 4 || std::hypot(fit.dx, fit.dy) > half * 1.3) return false;
        c.centre += cv::Point2d(fit.dx, fit.dy);
        c.r += fit.dr;
        if (c.r < 3) return false;
        share = std::max(0.12, share * 0.6);
    }
    std::array<bool, kRays> met{};
    int near = 0;
    const double tolerance = std::max(0.9, 0.06 * c.r), half = std::max(2.0, c.r * 0.14);
    for (int i = 0; i < kRays; ++i) {
        const Ray ray = meet(i, half);
        met[i] = ray.strength > 0 && std::abs(ray.rho - c.r) < tolerance;
        near += met[i] || has_edge_at(bgr, c, directions()[i], tolerance);
    }
    c.near_support = double(near) / kRays;
    measure(bgr, c, met, beyond);
    compare_face(bgr, c, beyond);
    look_for_rings(bgr, c);
    c.score += 0.5 * (c.rings - 0.5);
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
    const Level& level_for(double r) {
        const int step = std::max(0, int(std::floor(std::log2(r / kFitRadius) + 0.5)));
        while (int(levels_.size()) <= step)
            levels_.push_back(scaled(bgr_, std::pow(0.5, levels_.size())));
        return levels_[step];
    }

private:
    cv::Mat bgr_;
    std::vector<Level> levels_;
};

bool fit_at_level(const Level& level, Circle& c, double search_share, const Walls& walls) {
    c.centre = level.to_level(c.centre);
    c.r *= level.scale;
    const bool ok = fit_on(level.picture, c, search_share,
                           {level.to_level(walls.below_eye), walls.share});
    c.centre = level.from_level(c.centre);
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
    return fit_at_level(scaled(bgr, scale), circle, search_share, walls);
}

void take_colours(const cv::Mat& bgr, Circle& c) {
    cv::Vec3f rim, core, around;
    for (const cv::Point2d& d : directions()) {
        const auto at = [&](double share) {
            return sample(bgr, c.centre.x + d.x * c.r * share, c.centre.y + d.y * c.r * share);
        };
        rim += (at(0.82) + at(0.9)) * 0.5f;
        core += (at(0.2) + at(0.4) + at(0.55) + at(0.65)) * 0.25f;
        around += (at(1.1) + at(1.2)) * 0.5f;
    }
    c.rim = rim * (1.0f / kRays);
    c.core = core * (1.0f / kRays);
    c.around = around * (1.0f / kRays);
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
    std::array<Ray, kRays> rays;
    for (int i = 0; i < kRays; ++i)
        rays[i] = meet_rim(bgr, c.centre, directions()[i], c.r, half, step,
                           [&](const cv::Vec3f& inner, const cv::Vec3f& outer) {
                               return by_hue ? (inner - outer).dot(way) : any_edge(inner, outer);
                           });
    const Fit fit = robust_fit(rays, c.r, half * 0.5, std::max(0.6, 0.04 * c.r), wall);
    if (fit.inliers < kRays / 2 || std::hypot(fit.dx, fit.dy) > half) return;
    c.centre += cv::Point2d(fit.dx, fit.dy);
}

std::vector<Circle> find_circles(const cv::Mat& bgr, const CircleSearch& search) {
    std::vector<Peak> peaks;
    for (double low = search.r_min_px; low < search.r_max_px; low *= 2) {
        const double scale = std::min(2.0, kOctaveLow / low);
        const double high = std::min(search.r_max_px, low * kOctaveHigh / kOctaveLow / kRadiusStep);
        vote_octave(scaled(bgr, scale), low * scale, high * scale, float(search.min_votes), peaks);
    }
    Pyramid pyramid(bgr);
    std::vector<Circle> found;
    for (const Peak& peak : distinct(std::move(peaks), search.max_candidates)) {
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
