#include "vision/discs/circle_votes.hpp"

#include <algorithm>
#include <cmath>
#include <opencv2/imgproc.hpp>

// Every thinned edge pixel votes for the centres that lie one radius away on either side along its
// gradient, once for each of a few radii; the gradient is that of whichever colour channel changes
// most, so that a disc needs to differ from its background in any one colour only. The picture is
// halved for each octave of radii: radii are always 7 to 14 pixels when votes are cast.
namespace overboard::vision {
namespace {

constexpr double kOctaveLow = 7, kOctaveHigh = 14;  // radii in pixels while voting
constexpr double kRadiusStep = 1.085;               // ratio of neighbouring radii
// grey levels per pixel: no vote, a full vote
constexpr float kWeakGradient = 2.0f, kFullGradient = 10.0f;

struct EdgePoint {
    float x, y, nx, ny, weight;
};

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

void add_peaks(const cv::Mat& share, const ScaledPicture& copy, float r, float min_votes,
               std::vector<CirclePeak>& peaks) {
    cv::Mat highest;
    cv::dilate(share, highest, cv::getStructuringElement(cv::MORPH_ELLIPSE, {5, 5}));
    for (int y = 0; y < share.rows; ++y) {
        const float *s = share.ptr<float>(y), *m = highest.ptr<float>(y);
        for (int x = 0; x < share.cols; ++x) {
            if (s[x] < min_votes || s[x] < m[x]) continue;
            const cv::Point2d at = copy.from_scaled({double(x), double(y)});
            peaks.push_back({cv::Point2f(at), float(r / copy.scale), s[x]});
        }
    }
}

void vote_octave(const ScaledPicture& copy, double r_low, double r_high, float min_votes,
                 std::vector<CirclePeak>& peaks) {
    const auto edges = edges_of(copy.picture);
    cv::Mat votes(copy.picture.size(), CV_32F), soft;
    for (double r = r_low; r <= r_high * 1.001; r *= kRadiusStep) {
        vote(edges, float(r), votes);
        const double sigma = 0.7 + 0.05 * r;
        cv::GaussianBlur(votes, soft, {0, 0}, sigma);
        soft *= sigma * sigma / r;  // 1: every rim pixel voted for this very place
        add_peaks(soft, copy, float(r), min_votes, peaks);
    }
}

// Of peaks at one place and of one size the strongest stays.
std::vector<CirclePeak> distinct(std::vector<CirclePeak> peaks, std::size_t most) {
    std::sort(peaks.begin(), peaks.end(),
              [](const CirclePeak& a, const CirclePeak& b) { return a.votes > b.votes; });
    std::vector<CirclePeak> kept;
    for (const CirclePeak& p : peaks) {
        const bool known = std::any_of(kept.begin(), kept.end(), [&](const CirclePeak& k) {
            return std::abs(k.r - p.r) < 0.12f * k.r && cv::norm(k.centre - p.centre) < 0.3 * k.r;
        });
        if (!known) kept.push_back(p);
        if (kept.size() >= most) break;
    }
    return kept;
}

}  // namespace

ScaledPicture scaled_picture(const cv::Mat& bgr, double scale) {
    ScaledPicture copy;
    copy.scale = scale;
    if (std::abs(scale - 1) < 0.02) {
        copy.picture = bgr;
        copy.scale = 1;
    } else {
        const cv::Size size(std::max(8, cvRound(bgr.cols * scale)),
                            std::max(8, cvRound(bgr.rows * scale)));
        cv::resize(bgr, copy.picture, size, 0, 0, scale < 1 ? cv::INTER_AREA : cv::INTER_CUBIC);
    }
    return copy;
}

std::vector<CirclePeak> vote_for_circles(const cv::Mat& bgr, double r_min_px, double r_max_px,
                                         float min_votes, std::size_t most) {
    std::vector<CirclePeak> peaks;
    for (double low = r_min_px; low < r_max_px; low *= 2) {
        const double scale = std::min(2.0, kOctaveLow / low);
        const double high = std::min(r_max_px, low * kOctaveHigh / kOctaveLow / kRadiusStep);
        vote_octave(scaled_picture(bgr, scale), low * scale, high * scale, min_votes, peaks);
    }
    return distinct(std::move(peaks), most);
}

}  // namespace overboard::vision
