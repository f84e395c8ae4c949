#include "simulator/stream.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <opencv2/imgcodecs.hpp>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

namespace overboard::simulator {
namespace {

constexpr const char* kHead =
    "HTTP/1.0 200 OK\r\nCache-Control: no-store\r\nContent-Type: multipart/x-mixed-replace; "
    "boundary=frame\r\n\r\n";

/// One listener: what it was given and has not taken yet.
struct Watcher {
    int socket;
    std::string waiting = kHead;

    /// Both false: gone. Somebody still busy with an older picture misses this one.
    bool take(const std::string& part) {
        if (!waiting.empty() && !push()) return false;
        if (!waiting.empty()) return true;
        waiting = part;
        return push();
    }
    bool push() {
        const ssize_t sent = ::send(socket, waiting.data(), waiting.size(),
                                    MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent < 0) return errno == EAGAIN || errno == EWOULDBLOCK;
        waiting.erase(0, std::size_t(sent));
        return true;
    }
};

}  // namespace

struct Stream::Sockets {
    int door = -1;
    std::uint16_t port = 0;
    mutable std::mutex mutex;
    std::vector<Watcher> watchers;
    std::jthread porter;

    explicit Sockets(std::uint16_t wanted) {
        door = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        const int yes = 1;
        ::setsockopt(door, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
        sockaddr_in at{};
        at.sin_family = AF_INET;
        at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        at.sin_port = htons(wanted);
        socklen_t size = sizeof at;
        if (::bind(door, reinterpret_cast<sockaddr*>(&at), size) != 0 || ::listen(door, 4) != 0) {
            const std::string why = std::strerror(errno);
            ::close(door);
            throw std::runtime_error(
                fmt::format("cannot serve pictures on port {}: {}", wanted, why));
        }
        ::getsockname(door, reinterpret_cast<sockaddr*>(&at), &size);
        port = ntohs(at.sin_port);
        porter = std::jthread([this](const std::stop_token& stop) { let_in(stop); });
    }

    ~Sockets() {
        porter.request_stop();
        porter.join();
        for (const Watcher& each : watchers) ::close(each.socket);
        ::close(door);
    }

    void let_in(const std::stop_token& stop) {
        while (!stop.stop_requested()) {
            pollfd ready{door, POLLIN, 0};
            if (::poll(&ready, 1, 50) <= 0) continue;
            const int guest = ::accept4(door, nullptr, nullptr, SOCK_CLOEXEC);
            if (guest < 0) continue;
            const int room = 4 << 20;  // a few pictures
            ::setsockopt(guest, SOL_SOCKET, SO_SNDBUF, &room, sizeof room);
            const std::lock_guard lock(mutex);
            watchers.push_back({guest});
        }
    }
};

Stream::Stream(std::uint16_t port) : sockets_{std::make_unique<Sockets>(port)} {}
Stream::~Stream() = default;

std::string Stream::url() const {
    return fmt::format("http://127.0.0.1:{}/table.mjpg", sockets_->port);
}

int Stream::watchers() const {
    const std::lock_guard lock(sockets_->mutex);
    return int(sockets_->watchers.size());
}

void Stream::show(const cv::Mat& bgr, int jpeg_quality) {
    if (watchers() == 0) return;
    std::vector<unsigned char> jpeg;
    cv::imencode(".jpg", bgr, jpeg, {cv::IMWRITE_JPEG_QUALITY, jpeg_quality});
    std::string part = fmt::format(
        "--frame\r\nContent-Type: image/jpeg\r\nContent-Length: {}\r\n\r\n", jpeg.size());
    part.append(jpeg.begin(), jpeg.end());
    part += "\r\n";
    const std::lock_guard lock(sockets_->mutex);
    std::erase_if(sockets_->watchers, [&](Watcher& each) {
        if (each.take(part)) return false;
        ::close(each.socket);
        return true;
    });
}

}  // namespace overboard::simulator
