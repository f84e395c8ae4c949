#include "vision/hands.hpp"

#include <algorithm>
#include <cmath>
#include <opencv2/imgproc.hpp>

namespace overboard::vision {
namespace {

constexpr int kStep = 8;

// One of each 8×8 pixels, the mean of two neighbours to tame noise.
void thin_out(const cv::Mat& bgr, cv::Mat& out) {
    out.create(bgr.rows / kStep, bgr.cols / kStep, CV_8UC3);
    for (int y = 0; y < out.rows; ++y) {
        const auto* a = bgr.ptr<cv::Vec3b>(y * kStep + 3);
        const auto* b = bgr.ptr<cv::Vec3b>(y * kStep + 4);
        auto* o = out.ptr<cv::Vec3b>(y);
        for (int x = 0; x < out.cols; ++x) {
            const int i = x * kStep + 3;
            for (int c = 0; c < 3; ++c)
                o[x][c] = std::uint8_t((a[i][c] + a[i + 1][c] + b[i][c] + b[i + 1][c] + 2) / 4);
        }
    }
}

void unlike(const cv::Mat& a, const cv::Mat& b, double limit, cv::Mat& out) {
    out.create(a.size(), CV_8U);
    for (int y = 0; y < a.rows; ++y) {
        const auto *p = a.ptr<cv::Vec3b>(y), *q = b.ptr<cv::Vec3b>(y);
        auto* o = out.ptr(y);
        for (int x = 0; x < a.cols; ++x) {
            const int d = std::max({std::abs(p[x][0] - q[x][0]), std::abs(p[x][1] - q[x][1]),
                                    std::abs(p[x][2] - q[x][2])});
            o[x] = d > limit ? 255 : 0;
        }
    }
}

bool reaches_edge(const cv::Rect& box, cv::Size size) {
    return box.x <= 1 || box.y <= 1 || box.br().x >= size.width - 1 ||
           box.br().y >= size.height - 1;
}

/// How wide what is unlike the background meets the picture's edge, in cells.
double width_at_edge(const cv::Mat& foreground, const cv::Rect& box, const cv::Mat& blob) {
    constexpr int kDeep = 2;
    cv::Mat met = foreground(box) & blob;
    const cv::Rect inner{kDeep, kDeep, foreground.cols - 2 * kDeep, foreground.rows - 2 * kDeep};
    const cv::Rect inside = inner & box;
    if (!inside.empty()) met(inside - box.tl()).setTo(0);
    return double(cv::countNonZero(met)) / kDeep;
}

}  // namespace

Hands::Hands(const calibration::TableMap& map, HandLimits limits) : map_{map}, limits_{limits} {
    const cv::Point2d middle(map.size().width / 2.0, map.size().height / 2.0);
    px_per_mm_ = map.px_per_mm(map.to_table(middle));
}

void Hands::learn(const cv::Mat& bgr, const cv::Mat& only) {
    thin_out(bgr, now_);
    if (background_.empty() || only.empty())
        background_ = now_.clone();
    else
        now_.copyTo(background_, reaching_.empty() ? only : only & ~reaching_);
    if (last_motion_.empty()) last_motion_ = cv::Mat(now_.size(), CV_64F, cv::Scalar(-1e9));
    hidden_ = cv::Mat::zeros(now_.size(), CV_8U);
    foreground_ = cv::Mat::zeros(now_.size(), CV_8U);
    reaching_ = cv::Mat::zeros(now_.size(), CV_8U);
    moving_ = cv::Mat::zeros(now_.size(), CV_8U);
    before_ = now_.clone();
}

void Hands::clear() {
    if (!outlines_.empty() || covered_ > 0) hidden_.setTo(0);
    outlines_.clear();
    covered_ = 0;
}

void Hands::overlook(const cv::Mat& bgr) {
    thin_out(bgr, before_);
}

void Hands::find(const cv::Mat& bgr, double time_s) {
    thin_out(bgr, now_);
    unlike(now_, background_, limits_.difference, foreground_);
    unlike(now_, before_, limits_.difference * 0.6, moving_);
    now_.copyTo(before_);
    last_motion_.setTo(time_s, moving_);
    cv::Mat solid;
    cv::morphologyEx(foreground_, solid, cv::MORPH_CLOSE, cv::Mat::ones(5, 5, CV_8U));
    cv::Mat labels, stats, centres;
    const int count = cv::connectedComponentsWithStats(solid, labels, stats, centres, 8, CV_32S);
    hidden_.setTo(0);
    reaching_.setTo(0);
    outlines_.clear();
    const double cell_mm = kStep / px_per_mm_, cell_mm2 = cell_mm * cell_mm;
    for (int i = 1; i < count; ++i) {
        const cv::Rect box(stats.at<int>(i, 0), stats.at<int>(i, 1), stats.at<int>(i, 2),
                           stats.at<int>(i, 3));
        if (!reaches_edge(box, solid.size())) continue;
        const cv::Mat blob = labels(box) == i;
        double latest = -1e9;
        cv::minMaxLoc(last_motion_(box), nullptr, &latest, nullptr, nullptr, blob);
        const bool has_wrist = width_at_edge(foreground_, box, blob) * cell_mm >= limits_.wrist_mm;
        if (time_s - latest > (has_wrist ? limits_.rest_s : limits_.brief_s)) continue;
        reaching_(box).setTo(255, blob);
        if (stats.at<int>(i, cv::CC_STAT_AREA) * cell_mm2 >= limits_.min_area_mm2)
            hidden_(box).setTo(255, blob);
    }
    const int margin = std::max(1, cvRound(limits_.margin_mm * px_per_mm_ / kStep));
    cv::dilate(hidden_, hidden_,
               cv::getStructuringElement(cv::MORPH_ELLIPSE, {2 * margin + 1, 2 * margin + 1}));
    covered_ = double(cv::countNonZero(hidden_)) / double(hidden_.total());
    std::vector<std::vector<cv::Point>> contours;
    cv::findContours(hidden_.clone(), contours, cv::RETR_EXTERNAL, cv::CHAIN_APPROX_SIMPLE);
    for (auto& contour : contours) {
        cv::approxPolyDP(contour, contour, 1.5, true);
        Polygon outline;
        for (const cv::Point& p : contour)
            outline.push_back(map_.to_table({(p.x + 0.5) * kStep, (p.y + 0.5) * kStep}));
        if (outline.size() >= 3) outlines_.push_back(std::move(outline));
    }
}

}  // namespace overboard::vision
