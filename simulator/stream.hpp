#pragma once

#include <cstdint>
#include <memory>
#include <opencv2/core.hpp>
#include <string>

/// A network camera that is not there: pictures as motion JPEG over HTTP, to whoever connects.
namespace overboard::simulator {

class Stream {
public:
    /// On 127.0.0.1; port 0: any free one. Throws std::runtime_error when the port is taken.
    explicit Stream(std::uint16_t port);
    ~Stream();
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;

    [[nodiscard]] std::string url() const;
    /// To everyone who listens now. Somebody too slow to take it misses it: a camera does not wait.
    void show(const cv::Mat& bgr, int jpeg_quality = 95);
    [[nodiscard]] int watchers() const;

private:
    struct Sockets;
    std::unique_ptr<Sockets> sockets_;
};

}  // namespace overboard::simulator
