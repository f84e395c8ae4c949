#include "simulator/sensor.hpp"

#include <cmath>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

// Photon noise grows with the root of the light, and the tone curve is close to a root: in bytes
// the noise is nearly flat, a little stronger in the dark where the read noise and the curve's
// slope are. It is laid over the compressed picture from a tile of correlated noise at a random
// offset: one pass over the frame.
namespace overboard::simulator {
namespace {

constexpr int kCurveSteps = 16384;
constexpr float kCurveTop = 2;  // brightest light the curve tells apart
const cv::Size kGrain{1021, 509};

double tone(double v) {
    constexpr double knee = 0.78;
    if (v > knee) v = knee + (1 - knee) * (1 - std::exp(-(v - knee) / (1 - knee)));
    return 255 * std::pow(std::max(v, 0.0), 1 / 2.2);
}

// Noise as a camera leaves it: fine in brightness, in blotches in colour.
cv::Mat make_grain() {
    cv::RNG rng(20261116);
    const cv::Size size = kGrain;
    cv::Mat luma(size, CV_32F), chroma(size, CV_32FC3);
    rng.fill(luma, cv::RNG::NORMAL, 0, 1);
    rng.fill(chroma, cv::RNG::NORMAL, 0, 1);
    cv::GaussianBlur(luma, luma, {}, 0.55);
    cv::GaussianBlur(chroma, chroma, {}, 1.3);
    cv::Mat all(size, CV_32FC3);
    for (int y = 0; y < size.height; ++y)
        for (int x = 0; x < size.width; ++x)
            all.at<cv::Vec3f>(y, x) = chroma.at<cv::Vec3f>(y, x) * 3.0f +
                                      cv::Vec3f::all(luma.at<float>(y, x) * 1.7f);
    cv::Scalar mean, deviation;
    cv::meanStdDev(all, mean, deviation);
    cv::Mat grain;
    all.convertTo(grain, CV_8S, 32.0 * 3 / (deviation[0] + deviation[1] + deviation[2]));
    // Twice as wide, so that a row may start anywhere in the first half.
    cv::Mat twice;
    cv::hconcat(grain, grain, twice);
    return twice;
}

std::uint64_t mixed(std::uint64_t x) {
    x ^= x >> 33, x *= 0xff51afd7ed558ccdull, x ^= x >> 33, x *= 0xc4ceb9fe1a85ec53ull;
    return x ^ (x >> 33);
}

// Slow wandering between -1 and 1.
double wander(double t, std::uint64_t seed) {
    const auto phase = [&](int k) { return double(mixed(seed + k) % 6283) / 1000; };
    return 0.55 * std::sin(t * 0.61 + phase(1)) + 0.3 * std::sin(t * 1.93 + phase(2)) +
           0.15 * std::sin(t * 7.1 + phase(3));
}

void disturb_row(const uchar* s, uchar* o, const std::int8_t* n, const std::int16_t* gain,
                 int count, int c0, int c1) {
    for (int i = 0; i < count; ++i) {
        const std::int16_t v = s[i];
        const auto sigma = std::int16_t(c0 - ((c1 * v) >> 8));
        const auto change = std::int16_t(std::int16_t(v * gain[i]) + std::int16_t(n[i] * sigma) +
                                         128);
        const auto sum = std::int16_t(v + (change >> 8));
        o[i] = uchar(sum < 0 ? 0 : sum > 255 ? 255 : sum);
    }
}

}  // namespace

Sensor::Sensor(const Light& light, cv::Vec3f white, std::uint64_t seed)
    : light_{light}, seed_{seed} {
    const double grey = (white[0] + white[1] + white[2]) / 3;
    for (int c = 0; c < 3; ++c) {
        // The camera's white balance takes the lamps' mean colour away, up to its error.
        const double gain = 0.84 * light.exposure * light.cast[c] * (0.25 / grey + 0.75 / white[c]);
        curve_[c].resize(kCurveSteps + 1);
        for (int i = 0; i <= kCurveSteps; ++i)
            curve_[c][i] = cv::saturate_cast<uchar>(
                tone(gain * grey * kCurveTop * i / kCurveSteps / grey));
    }
    static const cv::Mat grain = make_grain();
    grain_ = grain;
}

cv::Mat Sensor::develop(const cv::Mat& linear) const {
    cv::Mat out(linear.size(), CV_8UC3);
    constexpr float k = kCurveSteps / kCurveTop;
    for (int y = 0; y < linear.rows; ++y) {
        const float* in = linear.ptr<float>(y);
        uchar* o = out.ptr(y);
        for (int x = 0; x < linear.cols * 3; x += 3)
            for (int c = 0; c < 3; ++c) {
                const float v = std::min(std::max(in[x + c] * k, 0.f), float(kCurveSteps));
                o[x + c] = curve_[c][int(v)];
            }
    }
    return out;
}

void Sensor::compress(cv::Mat& bgr) const {
    if (light_.jpeg_quality <= 0) return;
    std::vector<uchar> bytes;
    cv::imencode(".jpg", bgr, bytes, {cv::IMWRITE_JPEG_QUALITY, light_.jpeg_quality});
    cv::imdecode(bytes, cv::IMREAD_COLOR, &bgr);
}

void Sensor::disturb(const cv::Mat& clean, double time_s, cv::Mat& out) const {
    out.create(clean.size(), CV_8UC3);
    const std::uint64_t key = mixed(seed_ ^ std::uint64_t(std::llround(time_s * 1e6) * 2654435761));
    const int bytes = clean.cols * 3, c0 = int(std::lround(light_.noise * 8 * 1.25)),
              c1 = int(std::lround(light_.noise * 8 * 0.5));
    std::vector<std::int16_t> gain(bytes);
    const double exposure = light_.exposure_drift * wander(time_s, seed_);
    const double warm = light_.colour_drift * wander(time_s * 0.7, seed_ + 50);
    for (int y = 0; y < clean.rows; ++y) {
        const double row_time = time_s + light_.readout_s * y / clean.rows;
        const double band = light_.flicker * std::sin(2 * M_PI * 100 * row_time);
        if (y % 8 == 0)  // bands are far wider than eight rows
            for (int c = 0; c < 3; ++c) {
                const auto g = std::int16_t(
                    std::clamp(256 * (exposure + band + warm * (c - 1)) / 2.2 * 2, -90.0, 90.0));
                for (int i = c; i < bytes; i += 3) gain[i] = g;
            }
        const std::int8_t* noise = grain_.ptr<std::int8_t>(int((key + y) % grain_.rows));
        const int start = int((key >> 20) % kGrain.width);
        for (int from = 0; from < clean.cols; from += kGrain.width) {
            const int count = std::min(kGrain.width, clean.cols - from) * 3;
            disturb_row(clean.ptr(y) + from * 3, out.ptr(y) + from * 3, noise + start * 3,
                        gain.data() + from * 3, count, c0, c1);
        }
    }
}

}  // namespace overboard::simulator
