#include <fmt/format.h>

#include <SFML/Window/Event.hpp>
#include <chrono>
#include <thread>

#include "app/calibrate_place.hpp"
#include "table/canvas.hpp"
#include "table/touch.hpp"
#include "vision/frame_source.hpp"

namespace overboard::app {
namespace {

using Clock = std::chrono::steady_clock;
constexpr double kCameraPatience_s = 5, kTouchPatience_s = 30, kReading_s = 8;

/// The projector's output, drawn in its own pixels.
class Screen {
public:
    explicit Screen(const std::string& output)
        : canvas_{table::CanvasOptions{output, false, {}, "Overboard"}} {
        canvas_.set_mapping(table::Mapping());
    }
    [[nodiscard]] cv::Size size() const { return {canvas_.size().width, canvas_.size().height}; }

    void show(const cv::Mat& picture, const std::string& words, const std::string& title = "") {
        sf::Event event{};
        while (canvas_.poll(event)) {
        }
        list_.begin(atlas_, 1);
        table::Hash name("calibrate");
        name << shown_++ << words;
        const double h = size().height;
        list_.add(name, [&](table::Pen& pen) {
            paint(pen, picture);
            write(pen, title, h / 3, h / 4);
            write(pen, words, title.empty() ? h / 2 : h * 0.7, h / 14);
        });
        canvas_.draw(list_, atlas_.texture(), list_.end(), true);
    }

private:
    /// White runs, rows that are alike drawn as one.
    static void paint(table::Pen& pen, const cv::Mat& picture) {
        for (int y = 0, end = 0; y < picture.rows; y = end) {
            for (end = y + 1;
                 end < picture.rows &&
                 std::equal(picture.ptr(y), picture.ptr(y) + picture.cols, picture.ptr(end));
                 ++end) {
            }
            for (int x = 0; x < picture.cols; ++x) {
                const int from = x;
                while (x < picture.cols && picture.at<uchar>(y, x) > 127) ++x;
                if (x > from)
                    pen.polygon({{double(from), double(y)},
                                 {double(x), double(y)},
                                 {double(x), double(end)},
                                 {double(from), double(end)}},
                                sf::Color::White);
            }
        }
    }
    void write(table::Pen& pen, const std::string& words, double y, double size_px) const {
        if (words.empty()) return;
        table::TextStyle style;
        style.size_mm = size_px;
        style.anchor = table::Anchor::centre;
        style.wrap_mm = size().width * 0.7;
        pen.text(words, {size().width / 2.0, y}, style);
    }

    table::Canvas canvas_;
    table::TextAtlas atlas_;
    table::DisplayList list_;
    int shown_ = 0;
};

class RealPlace : public Place {
public:
    explicit RealPlace(const CalibrateOptions& o)
        : source_{vision::latest_only(vision::open_source(o.camera))} {
        if (!o.output.empty()) screen_.emplace(o.output);
        if (o.touch.starts_with("tuio:"))
            tuio_.emplace(std::atoi(o.touch.c_str() + 5));
        else if (o.touch.starts_with("evdev"))
            evdev_.emplace(o.touch.size() > 6 ? o.touch.substr(6) : "");
        else if (!o.touch.empty())
            throw std::runtime_error("not a touch device: '" + o.touch +
                                     "' (like tuio:3333 or evdev:/dev/input/event5)");
    }

    Look see(double wait_s) override {
        const double from_s = now_s() + wait_s;
        while (now_s() < from_s + kCameraPatience_s) {
            const auto frame = source_->next();
            if (frame && now_s() >= from_s) return {frame->bgr, now_s()};
            if (source_->ended()) break;
        }
        throw std::runtime_error("no picture comes from " + source_->name() +
                                 ": plug the camera in, and close other programs that use it");
    }
    void show(const cv::Mat& picture, const std::string& words) override {
        if (screen_) screen_->show(picture, words);
    }
    void verdict(bool good, const std::string& words) override {
        if (!screen_) return;
        screen_->show({}, words, good ? "YES" : "NO");
        std::this_thread::sleep_for(std::chrono::duration<double>(kReading_s));
    }
    [[nodiscard]] double now_s() const override {
        return std::chrono::duration<double>(Clock::now() - start_).count();
    }
    [[nodiscard]] std::optional<cv::Size> projector() const override {
        if (!screen_) return {};
        return screen_->size();
    }
    [[nodiscard]] bool has_touch() const override { return tuio_ || evdev_; }

    std::optional<Point> touched(Point) override {
        const double until_s = now_s() + kTouchPatience_s;
        while (now_s() < until_s) {
            for (const table::Touch& t : tuio_ ? tuio_->poll() : evdev_->poll())
                if (t.phase == table::Touch::Phase::down) return t.at;
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        }
        return {};
    }

private:
    Clock::time_point start_ = Clock::now();
    std::unique_ptr<vision::FrameSource> source_;
    std::optional<Screen> screen_;
    std::optional<table::TuioIn> tuio_;
    std::optional<table::EvdevTouch> evdev_;
};

}  // namespace

std::unique_ptr<Place> real_place(const CalibrateOptions& options) {
    return std::make_unique<RealPlace>(options);
}

}  // namespace overboard::app
