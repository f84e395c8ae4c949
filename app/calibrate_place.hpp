#pragma once

#include <memory>
#include <opencv2/core.hpp>
#include <optional>
#include <string>

#include "app/calibrate.hpp"

namespace overboard::app {

/// Where calibrating happens: a camera, perhaps a projector, perhaps fingers; and somebody who does
/// as told. Real or simulated.
class Place {
public:
    virtual ~Place() = default;
    struct Look {
        cv::Mat bgr;
        double time_s = 0;
    };
    /// The first frame taken at least so long after this call. Throws std::runtime_error when the
    /// camera is gone.
    virtual Look see(double wait_s = 0) = 0;
    /// Projects a picture (8-bit grey, the projector's size; empty: black) with words in its
    /// middle.
    virtual void show(const cv::Mat& picture, const std::string& words = "") = 0;
    [[nodiscard]] virtual double now_s() const = 0;
    /// Nothing: there is no projector.
    [[nodiscard]] virtual std::optional<cv::Size> projector() const = 0;
    [[nodiscard]] virtual bool has_touch() const = 0;
    /// Raw coordinates of the finger that touched what is shown at this point; nothing: nobody did.
    virtual std::optional<Point> touched(Point target) = 0;
    /// The board is needed, or no more.
    virtual void want_board(bool) {}
    /// The board is needed over this place of the picture.
    virtual void want_board_over(cv::Point2f) {}
    /// Yes or no, large, for as long as it takes to read it.
    virtual void verdict(bool, const std::string&) {}
    /// How it went in truth, where truth is known.
    virtual void tell_truth(Sitting&) const {}
};

/// Throws std::runtime_error when the camera, the output or the touch device is not there.
std::unique_ptr<Place> real_place(const CalibrateOptions& options);
/// A table that is not there: camera, projector and touch frame hang where the seed puts them, and
/// only tell_truth() knows.
std::unique_ptr<Place> simulated_place(const CalibrateOptions& options,
                                       const calibration::TargetBoard& board, const Table& table);

}  // namespace overboard::app
