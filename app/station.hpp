#pragma once

#include <atomic>
#include <string>

#include "app/keys.hpp"
#include "app/seeing.hpp"
#include "vision/frame_source.hpp"

/// The vision room at work: frames in, observations, shots and the camera's state out on the bus.
namespace overboard::app {

struct VisionOptions {
    SeeingOptions seeing;
    std::string camera = "0", address = "tcp://127.0.0.1:7402";
    std::string overlay;  ///< Where the table announces that its picture changes; empty: nowhere.
    vision::CameraSettings settings;
    double exposure = 0, gain = -1, white_balance = 0;
    bool fast = false;
    KeyOptions keys;
    /// The positional GAME and all options.
    void add_to(CLI::App& command);
};

/// Watches until `stop` or the end of the film. Throws std::runtime_error when it cannot begin.
void watch_table(VisionOptions options, const std::atomic<bool>& stop);

}  // namespace overboard::app
