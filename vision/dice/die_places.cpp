#include "vision/dice/die_places.hpp"

#include <algorithm>
#include <opencv2/imgproc.hpp>

// A die stands out from what lies to either side of it, whichever way one looks: a rim of the table
// or a line of print does not along its own way. A shadow stands out, too: light places and dark
// ones are looked for apart, or it would hide its die.

namespace overboard::vision {
namespace {

constexpr int kStandsOut = 20;     // grey levels between body and surroundings
constexpr double kCoarse_px = 10;  // a die this wide is enough to be found
constexpr double kBeside = 1.1;    // widths from a die's middle to what is surely not its top

struct Peak {
    int strength;
    cv::Point at;
};

/// Places that none within half a width exceeds.
std::vector<Peak> peaks_of(const cv::Mat& strength, int width) {
    cv::Mat highest;
    cv::dilate(strength, highest, cv::getStructuringElement(cv::MORPH_ELLIPSE, {width, width}));
    std::vector<Peak> peaks;
    for (int y = 0; y < strength.rows; ++y)
        for (int x = 0; x < strength.cols; ++x) {
            const int s = strength.at<uchar>(y, x);
            if (s >= kStandsOut && s >= highest.at<uchar>(y, x)) peaks.push_back({s, {x, y}});
        }
    return peaks;
}

cv::Mat most_of_channels(const cv::Mat& m) {
    cv::Mat channels[3];
    cv::split(m, channels);
    return cv::max(channels[0], cv::max(channels[1], channels[2]));
}

/// The picture moved by whole pixels; its border repeats.
cv::Mat moved(const cv::Mat& m, cv::Point by) {
    const int x = std::abs(by.x), y = std::abs(by.y);
    cv::Mat wide;
    cv::copyMakeBorder(m, wide, y, y, x, x, cv::BORDER_REPLICATE);
    return wide(cv::Rect(x + by.x, y + by.y, m.cols, m.rows));
}

}  // namespace

std::vector<cv::Point2f> die_places(const cv::Mat& bgr, const cv::Mat& mask, double edge_px) {
    const double scale = std::min(1.0, kCoarse_px / edge_px), e = edge_px * scale;
    cv::Mat small, inner;
    cv::resize(bgr, small, {}, scale, scale, cv::INTER_AREA);
    const int in = std::max(3, cvRound(0.7 * e)) | 1, width = cvRound(0.8 * e) | 1;
    cv::blur(small, inner, {in, in});
    cv::Mat lightest, darkest, pair;
    const int away = cvRound(kBeside * e), aslant = cvRound(kBeside * e * M_SQRT1_2);
    for (const cv::Point d : {cv::Point(away, 0), {aslant, aslant}, {0, away}, {-aslant, aslant}}) {
        cv::addWeighted(moved(inner, d), 0.5, moved(inner, -d), 0.5, 0, pair);
        lightest = lightest.empty() ? pair.clone() : cv::Mat(cv::max(lightest, pair));
        darkest = darkest.empty() ? pair.clone() : cv::Mat(cv::min(darkest, pair));
    }
    cv::Mat light, dark;
    cv::subtract(inner, lightest, light);
    cv::subtract(darkest, inner, dark);
    auto peaks = peaks_of(most_of_channels(light), width);
    const auto shades = peaks_of(most_of_channels(dark), width);
    peaks.insert(peaks.end(), shades.begin(), shades.end());
    std::stable_sort(peaks.begin(), peaks.end(),
                     [](const Peak& a, const Peak& b) { return a.strength > b.strength; });
    std::vector<cv::Point2f> places;
    for (const Peak& peak : peaks) {
        const cv::Point2f p(
            (static_cast<float>(peak.at.x) + 0.5f) / static_cast<float>(scale) - 0.5f,
            (static_cast<float>(peak.at.y) + 0.5f) / static_cast<float>(scale) - 0.5f);
        if (!mask.empty() && !mask.at<uchar>(std::clamp(cvRound(p.y), 0, mask.rows - 1),
                                             std::clamp(cvRound(p.x), 0, mask.cols - 1)))
            continue;
        if (std::none_of(places.begin(), places.end(),
                         [&](const cv::Point2f& q) { return cv::norm(p - q) < 0.25 * edge_px; }))
            places.push_back(p);
    }
    return places;
}

}  // namespace overboard::vision
