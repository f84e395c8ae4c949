#include "vision/frame_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/videoio.hpp>
#include <stdexcept>
#include <thread>
#include <vector>

#include "vision/read_picture.hpp"

namespace overboard::vision {
namespace fs = std::filesystem;
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

// Of a camera: longer ones are names of files.
bool is_number(const std::string& text) {
    return !text.empty() && text.size() < 5 &&
           std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// A V4L2 camera or a network stream: reopens by itself, a second apart.
class LiveCamera : public FrameSource {
public:
    LiveCamera(std::string text, CameraSettings settings)
        : text_{std::move(text)}, wanted_{settings} {}

    std::optional<Frame> next() override {
        if (!capture_.isOpened() && !reopen()) return {};
        Frame frame;
        bool ok = false;
        try {
            ok = capture_.read(frame.bgr) && !frame.bgr.empty();
        } catch (const cv::Exception&) {  // the device went away in the middle of a frame
        }
        if (!ok) {
            capture_.release();
            return {};
        }
        frame.time_s = seconds_since(start_);
        frame.index = index_++;
        return frame;
    }
    [[nodiscard]] bool live() const override { return true; }
    [[nodiscard]] bool connected() const override { return capture_.isOpened(); }
    [[nodiscard]] std::string name() const override {
        return is_number(text_) ? "camera-" + text_ : text_;
    }
    [[nodiscard]] double fps() const override { return fps_; }
    [[nodiscard]] std::string settings() const override { return settings_; }

private:
    bool reopen() {
        if (tried_ && Clock::now() - *tried_ < std::chrono::seconds(1)) {
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
            return false;
        }
        tried_ = Clock::now();
        const bool device = is_number(text_) || text_.rfind("/dev/", 0) == 0;
        if (is_number(text_))
            capture_.open(std::stoi(text_), cv::CAP_V4L2);
        else if (device)
            capture_.open(fs::weakly_canonical(text_).string(), cv::CAP_V4L2);
        // A network camera that stands still is as good as gone; the default is half a minute.
        else
            capture_.open(
                text_, cv::CAP_FFMPEG,
                {cv::CAP_PROP_OPEN_TIMEOUT_MSEC, 3000, cv::CAP_PROP_READ_TIMEOUT_MSEC, 2000});
        if (!capture_.isOpened()) return false;
        if (device) configure();
        fps_ = capture_.get(cv::CAP_PROP_FPS);
        return true;
    }

    // MJPEG first: the size and the rate depend on it. Everything is read back: drivers say yes and
    // do no.
    void configure() {
        const auto set = [&](int property, double value) { capture_.set(property, value); };
        set(cv::CAP_PROP_FOURCC, cv::VideoWriter::fourcc('M', 'J', 'P', 'G'));
        set(cv::CAP_PROP_FRAME_WIDTH, wanted_.width);
        set(cv::CAP_PROP_FRAME_HEIGHT, wanted_.height);
        set(cv::CAP_PROP_FPS, wanted_.fps);
        set(cv::CAP_PROP_BUFFERSIZE, 1);
        if (wanted_.exposure)
            set(cv::CAP_PROP_AUTO_EXPOSURE, 1), set(cv::CAP_PROP_EXPOSURE, *wanted_.exposure);
        if (wanted_.gain) set(cv::CAP_PROP_GAIN, *wanted_.gain);
        set(cv::CAP_PROP_AUTO_WB, 0);
        if (wanted_.white_balance) set(cv::CAP_PROP_WB_TEMPERATURE, *wanted_.white_balance);
        set(cv::CAP_PROP_AUTOFOCUS, 0);
        const auto get = [&](int property) { return capture_.get(property); };
        settings_ = fmt::format(
            "{}x{} at {:.0f} fps, exposure {:.0f} ({}), gain {:.0f}, white balance {:.0f} ({})",
            get(cv::CAP_PROP_FRAME_WIDTH), get(cv::CAP_PROP_FRAME_HEIGHT), get(cv::CAP_PROP_FPS),
            get(cv::CAP_PROP_EXPOSURE),
            get(cv::CAP_PROP_AUTO_EXPOSURE) == 1 ? "locked" : "automatic", get(cv::CAP_PROP_GAIN),
            get(cv::CAP_PROP_WB_TEMPERATURE),
            get(cv::CAP_PROP_AUTO_WB) == 0 ? "locked" : "automatic");
    }

    std::string text_, settings_;
    CameraSettings wanted_;
    cv::VideoCapture capture_;
    Clock::time_point start_ = Clock::now();
    std::optional<Clock::time_point> tried_;
    std::int64_t index_ = 0;
    double fps_ = 0;
};

class VideoFile : public FrameSource {
public:
    explicit VideoFile(const std::string& file) : file_{file} {
        if (!fs::is_regular_file(file))
            throw std::runtime_error("there is no video '" + file + "'");
        bool open = false;
        setenv("OPENCV_FFMPEG_LOGLEVEL", "-8", 0);  // quiet: we say in one sentence what is wrong
        try {
            open = capture_.open(file);
        } catch (const cv::Exception&) {
        }
        if (!open) throw std::runtime_error("cannot read '" + file + "' as a video");
        fps_ = capture_.get(cv::CAP_PROP_FPS);
        if (!(fps_ > 0.5 && fps_ < 2000)) fps_ = 30;
    }
    std::optional<Frame> next() override {
        Frame frame;
        try {
            if (!capture_.read(frame.bgr) || frame.bgr.empty()) return end();
        } catch (const cv::Exception&) {  // cut off in the middle
            return end();
        }
        frame.index = index_++;
        frame.time_s = double(frame.index) / fps_;
        return frame;
    }
    [[nodiscard]] bool ended() const override { return ended_; }
    [[nodiscard]] std::string name() const override { return fs::path(file_).filename().string(); }
    [[nodiscard]] double fps() const override { return fps_; }

private:
    std::optional<Frame> end() {
        ended_ = true;
        return {};
    }
    std::string file_;
    cv::VideoCapture capture_;
    std::int64_t index_ = 0;
    double fps_ = 30;
    bool ended_ = false;
};

class Folder : public FrameSource {
public:
    Folder(const std::string& folder, double fps) : folder_{folder}, fps_{fps} {
        if (!fs::is_directory(folder))
            throw std::runtime_error("there is no folder '" + folder + "'");
        for (const auto& entry : fs::directory_iterator(folder))
            if (entry.is_regular_file() && cv::haveImageReader(entry.path().string()))
                files_.push_back(entry.path().string());
        if (files_.empty()) throw std::runtime_error("there is no picture in '" + folder + "'");
        std::sort(files_.begin(), files_.end());
    }
    std::optional<Frame> next() override {
        while (at_ < files_.size()) {
            Frame frame;
            frame.index = std::int64_t(at_);
            frame.time_s = double(at_) / fps_;
            frame.bgr = read_picture(files_[at_++]);
            if (!frame.bgr.empty()) return frame;
        }
        return {};
    }
    [[nodiscard]] bool ended() const override { return at_ >= files_.size(); }
    [[nodiscard]] std::string name() const override {
        return fs::path(folder_).filename().string();
    }
    [[nodiscard]] double fps() const override { return fps_; }

private:
    std::string folder_;
    double fps_;
    std::vector<std::string> files_;
    std::size_t at_ = 0;
};

class Made : public FrameSource {
public:
    Made(std::function<std::optional<Frame>()> make, std::string name, double fps)
        : make_{std::move(make)}, name_{std::move(name)}, fps_{fps} {}
    std::optional<Frame> next() override {
        if (ended_) return {};
        auto frame = make_();
        ended_ = !frame;
        return frame;
    }
    [[nodiscard]] bool ended() const override { return ended_; }
    [[nodiscard]] std::string name() const override { return name_; }
    [[nodiscard]] double fps() const override { return fps_; }

private:
    std::function<std::optional<Frame>()> make_;
    std::string name_;
    double fps_;
    bool ended_ = false;
};

class Latest : public FrameSource {
public:
    explicit Latest(std::unique_ptr<FrameSource> inner)
        : inner_{std::move(inner)}, name_{inner_->name()}, thread_{[this](std::stop_token stop) {
              read(stop);
          }} {}
    ~Latest() override {
        thread_.request_stop();
        thread_.join();
    }
    std::optional<Frame> next() override {
        std::unique_lock lock(mutex_);
        arrived_.wait_for(lock, std::chrono::milliseconds(100),
                          [&] { return newest_.has_value() || ended_; });
        return std::exchange(newest_, std::nullopt);
    }
    [[nodiscard]] bool live() const override { return true; }
    [[nodiscard]] bool ended() const override {
        const std::lock_guard lock(mutex_);
        return ended_ && !newest_;
    }
    [[nodiscard]] bool connected() const override { return connected_; }
    [[nodiscard]] std::string name() const override { return name_; }
    [[nodiscard]] double fps() const override { return fps_; }
    [[nodiscard]] std::string settings() const override {
        const std::lock_guard lock(mutex_);
        return settings_;
    }

private:
    void read(const std::stop_token& stop) {
        while (!stop.stop_requested() && !inner_->ended()) {
            auto frame = inner_->next();
            const std::lock_guard lock(mutex_);
            connected_ = inner_->connected();
            fps_ = inner_->fps();
            settings_ = inner_->settings();
            if (!frame) continue;
            newest_ = std::move(frame);
            arrived_.notify_one();
        }
        const std::lock_guard lock(mutex_);
        ended_ = inner_->ended();
        arrived_.notify_one();
    }
    std::unique_ptr<FrameSource> inner_;
    std::string name_, settings_;
    mutable std::mutex mutex_;
    std::condition_variable arrived_;
    std::optional<Frame> newest_;
    std::atomic<bool> connected_ = true;
    std::atomic<double> fps_ = 0;
    bool ended_ = false;
    std::jthread thread_;
};

}  // namespace

bool is_camera(const std::string& text) {
    return is_number(text) || text.starts_with("/dev/") || text.find("://") != std::string::npos;
}

std::unique_ptr<FrameSource> open_source(const std::string& text, const CameraSettings& settings) {
    if (is_camera(text)) return latest_only(std::make_unique<LiveCamera>(text, settings));
    if (fs::is_directory(text)) return folder_source(text);
    return std::make_unique<VideoFile>(text);
}

std::unique_ptr<FrameSource> source_from(std::function<std::optional<Frame>()> make,
                                         std::string name, double fps) {
    return std::make_unique<Made>(std::move(make), std::move(name), fps);
}

std::unique_ptr<FrameSource> folder_source(const std::string& folder, double fps) {
    return std::make_unique<Folder>(folder, fps);
}

std::unique_ptr<FrameSource> latest_only(std::unique_ptr<FrameSource> inner) {
    return std::make_unique<Latest>(std::move(inner));
}

}  // namespace overboard::vision
