#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

#include "app/bench_vision.hpp"

// What other cameras, rooms and hands would have made of the same table. Each change is about as
// strong as photographs of one and the same thing differ; none should cost a detector anything.
namespace overboard::app {
namespace {

void move_points(LabelledPicture& p, const cv::Matx23d& m, double scale) {
    const auto moved = [&](double x, double y) {
        return cv::Point2d(m(0, 0) * x + m(0, 1) * y + m(0, 2),
                           m(1, 0) * x + m(1, 1) * y + m(1, 2));
    };
    for (Truth& t : p.truths) {
        const cv::Point2d at = moved(t.at.x, t.at.y);
        t.at = {at.x, at.y};
        t.reach *= scale;
        t.size *= scale;
    }
    for (auto& ring : p.ignored)
        for (auto& q : ring) q = moved(q.x, q.y);
    for (auto& q : p.corners) q = moved(q.x, q.y);
}

void scale_by(LabelledPicture& p, double factor) {
    factor = std::min(factor, std::sqrt(12e6 / double(p.bgr.total())));  // no camera has more
    cv::resize(p.bgr, p.bgr, {}, factor, factor, factor < 1 ? cv::INTER_AREA : cv::INTER_CUBIC);
    move_points(p, {factor, 0, 0.5 * factor - 0.5, 0, factor, 0.5 * factor - 0.5}, factor);
}

// The whole picture stays; the new corners get its mean colour.
void turn_by(LabelledPicture& p, double degrees) {
    const cv::Mat turn = cv::getRotationMatrix2D(cv::Point2f(p.bgr.cols / 2.f, p.bgr.rows / 2.f),
                                                 degrees, 1);
    cv::Matx23d m = turn;
    const cv::Rect box = cv::RotatedRect(cv::Point2f(p.bgr.cols / 2.f, p.bgr.rows / 2.f),
                                         cv::Size2f(p.bgr.size()), float(-degrees))
                             .boundingRect();
    m(0, 2) -= box.x;
    m(1, 2) -= box.y;
    cv::Mat out;
    cv::warpAffine(p.bgr, out, m, box.size(), cv::INTER_LINEAR, cv::BORDER_CONSTANT,
                   cv::mean(p.bgr));
    p.bgr = out;
    move_points(p, m, 1);
}

void mirror(LabelledPicture& p) {
    cv::flip(p.bgr, p.bgr, 1);
    move_points(p, {-1, 0, double(p.bgr.cols - 1), 0, 1, 0}, 1);
    if (p.corners.size() == 4)
        std::swap(p.corners[0], p.corners[1]), std::swap(p.corners[2], p.corners[3]);
}

void gamma(LabelledPicture& p, double g) {
    cv::Mat table(1, 256, CV_8U);
    for (int i = 0; i < 256; ++i)
        table.at<uchar>(i) = cv::saturate_cast<uchar>(255 * std::pow(i / 255.0, g));
    cv::LUT(p.bgr, table, p.bgr);
}

void cast(LabelledPicture& p, double b, double g, double r) {
    cv::multiply(p.bgr, cv::Scalar(b, g, r), p.bgr);
}

void blur(LabelledPicture& p) {
    cv::GaussianBlur(p.bgr, p.bgr, {}, 0.0009 * std::max(p.bgr.cols, p.bgr.rows) + 0.3);
}

void noise(LabelledPicture& p, cv::RNG& rng) {
    cv::Mat grain(p.bgr.size(), CV_16SC3), sum;
    rng.fill(grain, cv::RNG::NORMAL, 0, 8);
    p.bgr.convertTo(sum, CV_16SC3);
    sum += grain;
    sum.convertTo(p.bgr, CV_8UC3);
}

void jpeg(LabelledPicture& p) {
    std::vector<uchar> bytes;
    cv::imencode(".jpg", p.bgr, bytes, {cv::IMWRITE_JPEG_QUALITY, 40});
    p.bgr = cv::imdecode(bytes, cv::IMREAD_COLOR);
}

// A lamp on one side: twice the light on the left.
void slope(LabelledPicture& p) {
    for (int x = 0; x < p.bgr.cols; ++x) {
        cv::Mat column = p.bgr.col(x);
        column.convertTo(column, -1, 1.0 - 0.5 * x / p.bgr.cols);
    }
}

}  // namespace

const std::vector<Change>& changes() {
    using P = LabelledPicture;
    static const std::vector<Change> all = {
        {"half the size", [](P& p, cv::RNG&) { scale_by(p, 0.5); }},
        {"1.6 times the size", [](P& p, cv::RNG&) { scale_by(p, 1.6); }},
        {"turned by 90", [](P& p, cv::RNG&) { turn_by(p, 90); }},
        {"turned by any", [](P& p, cv::RNG& rng) { turn_by(p, rng.uniform(5.0, 355.0)); }},
        {"mirrored", [](P& p, cv::RNG&) { mirror(p); }, true},
        {"gamma 0.65", [](P& p, cv::RNG&) { gamma(p, 0.65); }},
        {"gamma 1.6", [](P& p, cv::RNG&) { gamma(p, 1.6); }},
        {"half the light", [](P& p, cv::RNG&) { cast(p, 0.5, 0.5, 0.5); }},
        {"light from a side", [](P& p, cv::RNG&) { slope(p); }},
        {"warm light", [](P& p, cv::RNG&) { cast(p, 0.65, 0.9, 1.05); }},
        {"cold light", [](P& p, cv::RNG&) { cast(p, 1.1, 0.95, 0.75); }},
        {"blurred", [](P& p, cv::RNG&) { blur(p); }},
        {"noisy", [](P& p, cv::RNG& rng) { noise(p, rng); }},
        {"jpeg 40", [](P& p, cv::RNG&) { jpeg(p); }},
    };
    return all;
}

}  // namespace overboard::app
