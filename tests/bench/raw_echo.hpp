#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <thread>
#include <zmq.hpp>

namespace overboard::bench {

/// The least a question over ZeroMQ can cost: a raw REP that does `work` and echoes, and a raw REQ
/// that asks it, with one io thread, as many as the bus has.
class RawEcho {
public:
    explicit RawEcho(const std::string& address, std::function<void()> work = {})
        : work_{std::move(work)} {
        rep_.bind(address);
        rep_.set(zmq::sockopt::rcvtimeo, 50);
        req_.connect(address);
        thread_ = std::jthread([this](const std::stop_token& stop) {
            for (zmq::message_t m; !stop.stop_requested();)
                if (rep_.recv(m)) {
                    if (work_) work_();
                    rep_.send(m, zmq::send_flags::none);
                }
        });
    }
    void ask(std::string_view bytes) {
        req_.send(zmq::buffer(bytes));
        zmq::message_t reply;
        static_cast<void>(req_.recv(reply));
    }

private:
    std::function<void()> work_;
    zmq::context_t context_{1};
    zmq::socket_t rep_{context_, zmq::socket_type::rep}, req_{context_, zmq::socket_type::req};
    std::jthread thread_;
};

}  // namespace overboard::bench
