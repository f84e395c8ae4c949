#pragma once

namespace overboard::table {

/// An X server without a screen (Xvfb), for drawing where there is no display. It lives as long as
/// the object; DISPLAY is set to it. Make it before any thread that reads the environment.
class VirtualDisplay {
public:
    /// Starts Xvfb on a free display number. Throws std::runtime_error when it is not installed.
    explicit VirtualDisplay(int width = 1920, int height = 1080);
    ~VirtualDisplay();
    VirtualDisplay(const VirtualDisplay&) = delete;
    VirtualDisplay& operator=(const VirtualDisplay&) = delete;

private:
    int process_ = -1;
    void* held_ = nullptr;  // a connection: the server ends when it closes, even if we are killed
};

}  // namespace overboard::table
