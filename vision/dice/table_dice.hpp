#pragma once

#include <array>
#include <initializer_list>
#include <opencv2/core.hpp>
#include <vector>

#include "bus/geometry.hpp"

/// Dice of known size under a known camera: the whole top face is compared with the six patterns,
/// and the whole cube's outline has to show. Reads pips too small or blurred to be traced one by
/// one, and print that only looks like pips has no outline.
namespace overboard::vision {

/// How millimetres near one place become pixels: x and y in the plane of the top faces, z up.
using LocalCamera = cv::Matx23f;

struct DieReading {
    cv::Point2f centre;  ///< Of the top face, pixels.
    float angle = 0;     ///< Of its edges, in the table's plane.
    float edge_mm = 0;
    int value = 0;        ///< The pattern that fits best.
    double likeness = 0;  ///< Correlation with it, 0…1.
    double second = 0;    ///< With the next best value's.
    double outline = 0;   ///< Share of the top's outline within which is body and beyond which is
                          ///< something else.
    double leaning = -1;  ///< By how much it looks more like one that leans by 25 degrees or more
                          ///< than like one by 15 or less.
};

/// One picture to read dice in.
class DieReader {
public:
    explicit DieReader(const cv::Mat& bgr);

    /// The best reading whose top face lies within 0.3 edges of `centre`. Whether it leans is
    /// judged only if it may be a die at all.
    [[nodiscard]] DieReading read(cv::Point2f centre, const LocalCamera& camera,
                                  float edge_mm) const;

    /// A known die, where and as it lay: cheaper, and blind to anything else. Leaning is not
    /// judged.
    [[nodiscard]] DieReading read_again(cv::Point2f centre, float angle, const LocalCamera& camera,
                                        float edge_mm) const;

private:
    struct Pose;
    struct Signal;
    [[nodiscard]] Signal signal_of(cv::Point2f centre, const LocalCamera& camera,
                                   float reach_mm) const;
    using Rough = std::vector<DieReading>;
    static void shift(const Signal& signal, const LocalCamera& camera, const Pose& pose,
                      Rough& all);
    [[nodiscard]] cv::Vec3f body_colour(cv::Point2f centre, const LocalCamera& camera,
                                        float edge_mm) const;
    [[nodiscard]] double outline_of(const Pose& pose, const LocalCamera& camera,
                                    cv::Vec3f body) const;
    [[nodiscard]] double silhouette_of(const Pose& pose, const LocalCamera& camera) const;
    [[nodiscard]] DieReading settle(const DieReading& rough, const LocalCamera& camera,
                                    std::initializer_list<float> scales,
                                    bool as_it_lies = false) const;
    [[nodiscard]] double leaning(const LocalCamera& camera, const DieReading& die) const;
    [[nodiscard]] double leaning_of(const LocalCamera& camera, const DieReading& die,
                                    float edge_mm) const;

    cv::Mat bgr_, soft_;
};

}  // namespace overboard::vision
