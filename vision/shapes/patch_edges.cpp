#include "vision/shapes/patch_edges.hpp"

#include <opencv2/imgproc.hpp>

#include "vision/palette.hpp"

// A pixel without a class that lies beside a patch belongs to it when its tint is nearer to that of
// the patch thereabouts than to that of what lies beyond. Tints rather than colours: a shadow
// beside a piece has the table's.

namespace overboard::vision {
namespace {

constexpr int kReach_px = 2;         // so much of a patch is lost to blur at the most
constexpr int kNearby_px = 5;        // the patch is compared with so far in, …
constexpr int kBeyond_px = 7;        // … what lies beyond so far out
constexpr float kFewPixels = 0.02f;  // share of the surroundings: fewer say nothing

cv::Mat tints(const cv::Mat& bgr) {
    cv::Mat calm, out(bgr.size(), CV_32FC2);
    cv::GaussianBlur(bgr, calm, {3, 3}, 0);
    for (int y = 0; y < bgr.rows; ++y)
        for (int x = 0; x < bgr.cols; ++x) {
            const cv::Vec3f p(calm.at<cv::Vec3b>(y, x));
            const float sum = p[0] + p[1] + p[2] + 12;
            out.at<cv::Vec2f>(y, x) = {(p[2] - p[1]) / sum, (0.5f * (p[2] + p[1]) - p[0]) / sum};
        }
    return out;
}

/// Means over the surroundings of each pixel, of the pixels in `where` only.
struct Nearby {
    cv::Mat tint, share;

    Nearby(const cv::Mat& tints, const cv::Mat& where, int reach_px) {
        const cv::Size window(2 * reach_px + 1, 2 * reach_px + 1);
        cv::Mat weight, both;
        where.convertTo(weight, CV_32F, 1 / 255.0);
        cv::boxFilter(weight, share, CV_32F, window);
        cv::merge(std::vector<cv::Mat>{weight, weight}, both);
        cv::boxFilter(tints.mul(both), tint, CV_32F, window);
    }
    [[nodiscard]] bool says_nothing(int y, int x) const {
        return share.at<float>(y, x) < kFewPixels;
    }
    [[nodiscard]] double unlike(const cv::Vec2f& t, int y, int x) const {
        return cv::norm(t - tint.at<cv::Vec2f>(y, x) / share.at<float>(y, x));
    }
};

cv::Mat ellipse(int reach_px) {
    return cv::getStructuringElement(cv::MORPH_ELLIPSE, {2 * reach_px + 1, 2 * reach_px + 1});
}

}  // namespace

cv::Mat filled_out(const View& view, const cv::Mat& classes, int colour) {
    cv::Mat mask = classes == colour;
    cv::morphologyEx(mask, mask, cv::MORPH_OPEN, ellipse(1));
    cv::Rect box = cv::boundingRect(mask);
    if (box.empty()) return mask;
    box = (box + cv::Size(2 * kBeyond_px, 2 * kBeyond_px) - cv::Point(kBeyond_px, kBeyond_px)) &
          cv::Rect({0, 0}, mask.size());
    cv::Mat part = mask(box), core, near, beyond;
    cv::erode(part, core, ellipse(1));
    cv::dilate(part, near, ellipse(kReach_px));
    cv::dilate(part, beyond, ellipse(kReach_px + 1));
    cv::Mat open = near & (classes(box) == Palette::kNone);
    if (!view.mask.empty()) cv::bitwise_and(open, view.mask(box) != 0, open);
    const cv::Mat tint = tints(view.bgr(box));
    const Nearby within(tint, core, kNearby_px), outside(tint, beyond == 0, kBeyond_px);
    for (int y = 0; y < part.rows; ++y)
        for (int x = 0; x < part.cols; ++x) {
            if (open.at<uchar>(y, x) == 0 || within.says_nothing(y, x)) continue;
            const cv::Vec2f& t = tint.at<cv::Vec2f>(y, x);
            if (outside.says_nothing(y, x) || within.unlike(t, y, x) < outside.unlike(t, y, x))
                part.at<uchar>(y, x) = 255;
        }
    return mask;
}

}  // namespace overboard::vision
