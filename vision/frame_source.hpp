#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "vision/frame.hpp"

/// Where frames come from. Each source owns its clock.
namespace overboard::vision {

/// What a camera was asked for, and what it really does.
struct CameraSettings {
    int width = 1920, height = 1080;
    double fps = 60;
    std::optional<double> exposure;  ///< Driver's own unit; nothing: left automatic.
    std::optional<double> gain;
    std::optional<double> white_balance;  ///< Kelvin; nothing: locked where it is.
};

class FrameSource {
public:
    virtual ~FrameSource() = default;
    /// The next frame; nothing: none at the moment (live) or the end (otherwise).
    virtual std::optional<Frame> next() = 0;
    /// Live sources drop what comes late and may come back; others end.
    [[nodiscard]] virtual bool live() const { return false; }
    [[nodiscard]] virtual bool ended() const { return false; }
    /// Connected and delivering.
    [[nodiscard]] virtual bool connected() const { return true; }
    [[nodiscard]] virtual std::string name() const = 0;
    /// Nominal frames per second; 0: unknown.
    [[nodiscard]] virtual double fps() const { return 0; }
    /// What was really set, as one line of text; empty when there is nothing to say.
    [[nodiscard]] virtual std::string settings() const { return {}; }
};

/// A camera index, a device or a URL: it may come and go, and is waited for. Anything else is a
/// file.
bool is_camera(const std::string& text);

/// `text`: a camera index ("0"), a device ("/dev/video0", "/dev/v4l/by-id/…"), a URL, a video file
/// or a folder of pictures. Throws std::runtime_error, naming it, when a file or folder cannot be
/// read; a camera that is not there yet is waited for.
std::unique_ptr<FrameSource> open_source(const std::string& text,
                                         const CameraSettings& settings = {});

/// Frames made by a function, e.g. a simulator: it returns nothing at the end.
std::unique_ptr<FrameSource> source_from(std::function<std::optional<Frame>()> make,
                                         std::string name, double fps);

/// Pictures in a folder as a film, in the order of their names.
std::unique_ptr<FrameSource> folder_source(const std::string& folder, double fps = 30);

/// Reads `inner` in a thread of its own and keeps only the newest frame: latency is bounded, late
/// frames are dropped. next() waits up to 100 ms.
std::unique_ptr<FrameSource> latest_only(std::unique_ptr<FrameSource> inner);

}  // namespace overboard::vision
