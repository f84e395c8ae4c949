#include "table/touch.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <libevdev/libevdev.h>
#include <lo/lo.h>
#include <netinet/in.h>
#include <spdlog/spdlog.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <stdexcept>

// TUIO frames are collected (alive, set*) and take effect at their fseq. We hold the socket and
// take bundles apart ourselves, so that only loopback is bound; liblo reads the messages.
namespace overboard::table {
namespace {

constexpr int kLateFrames = 100;  // the reference implementation's limit for "restarted, not late"

std::uint32_t big_endian(const std::uint8_t* p) {
    return (std::uint32_t{p[0]} << 24) | (std::uint32_t{p[1]} << 16) | (std::uint32_t{p[2]} << 8) |
           p[3];
}

struct MessageFree {
    void operator()(lo_message m) const { lo_message_free(m); }
};
using Message = std::unique_ptr<std::remove_pointer_t<lo_message>, MessageFree>;

}  // namespace

void TuioCursors::message(const std::uint8_t* data, std::size_t size) {
    std::vector<std::uint8_t> copy(data, data + size);  // liblo swaps bytes in place
    int error = 0;
    const Message m{lo_message_deserialise(copy.data(), size, &error)};
    if (!m || std::strcmp(reinterpret_cast<const char*>(copy.data()), "/tuio/2Dcur") != 0) return;
    const std::string types = lo_message_get_types(m.get());
    lo_arg** args = lo_message_get_argv(m.get());
    if (types.empty() || types[0] != 's') return;
    const std::string what = &args[0]->s;
    if (what == "alive") {
        alive_.emplace();
        for (std::size_t i = 1; i < types.size(); ++i)
            if (types[i] == 'i') alive_->insert(args[i]->i);
    } else if (what == "set" && types.starts_with("siff")) {
        set_[args[1]->i] = {args[2]->f, args[3]->f};
    } else if (what == "fseq" && types == "si") {
        fseq_ = args[1]->i;
    }
}

void TuioCursors::commit(int frame, std::vector<Touch>& out) {
    const bool late = frame >= 0 && frame < last_frame_ && last_frame_ - frame <= kLateFrames;
    if (!late) {
        if (frame >= 0) last_frame_ = frame;
        for (const auto& [id, cursor] : set_) {
            if (alive_ && !alive_->contains(id)) continue;
            const auto known = down_.find(id);
            const bool moved = known == down_.end() || known->second.x != cursor.x ||
                               known->second.y != cursor.y;
            if (moved)
                out.push_back({id,
                               known == down_.end() ? Touch::Phase::down : Touch::Phase::move,
                               {cursor.x, cursor.y}});
            down_[id] = cursor;
        }
        for (auto it = down_.begin(); alive_ && it != down_.end();) {
            if (alive_->contains(it->first)) {
                ++it;
                continue;
            }
            out.push_back({it->first, Touch::Phase::up, {it->second.x, it->second.y}});
            it = down_.erase(it);
        }
    }
    set_.clear();
    alive_.reset();
    fseq_.reset();
}

void TuioCursors::bundle(const std::uint8_t* data, std::size_t size, int depth,
                         std::vector<Touch>& out) {
    if (depth > 4) return;
    if (size < 16 || std::memcmp(data, "#bundle", 8) != 0) return message(data, size);
    for (std::size_t at = 16; at + 4 <= size;) {
        const std::uint32_t length = big_endian(data + at);
        at += 4;
        if (length > size - at) return;
        bundle(data + at, length, depth + 1, out);
        if (fseq_) commit(*fseq_, out);
        at += length;
    }
}

std::vector<Touch> TuioCursors::feed(const std::uint8_t* data, std::size_t size) {
    std::vector<Touch> out;
    bundle(data, size, 0, out);
    if (fseq_) commit(*fseq_, out);
    return out;
}

TuioIn::TuioIn(int port, bool any_address) {
    socket_ = ::socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(any_address ? INADDR_ANY : INADDR_LOOPBACK);
    socklen_t length = sizeof address;
    if (socket_ < 0 ||
        ::bind(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
        if (socket_ >= 0) ::close(socket_);
        throw std::runtime_error("cannot listen for TUIO on UDP port " + std::to_string(port) +
                                 ": " + std::strerror(errno));
    }
    ::getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &length);
    port_ = ntohs(address.sin_port);
}

TuioIn::~TuioIn() {
    ::close(socket_);
}

std::vector<Touch> TuioIn::poll() {
    std::vector<Touch> all;
    std::array<std::uint8_t, 65536> buffer;
    for (ssize_t got; (got = ::recv(socket_, buffer.data(), buffer.size(), 0)) >= 0;) {
        const auto touches = cursors_.feed(buffer.data(), static_cast<std::size_t>(got));
        all.insert(all.end(), touches.begin(), touches.end());
    }
    return all;
}

std::vector<Touch> MultiTouch::push(int type, int code, int value) {
    if (type == EV_ABS) {
        Slot& slot = slots_[slot_];
        if (code == ABS_MT_SLOT)
            slot_ = value;
        else if (code == ABS_MT_POSITION_X)
            slot.x = value, slot.moved = true;
        else if (code == ABS_MT_POSITION_Y)
            slot.y = value, slot.moved = true;
        else if (code == ABS_MT_TRACKING_ID) {
            if (slot.id >= 0 && value != slot.id)
                ended_.push_back({slot.id, Touch::Phase::up, {slot.x, slot.y}});
            slot.fresh = value >= 0;
            slot.id = value;
        }
        return {};
    }
    if (type != EV_SYN || code != SYN_REPORT) return {};
    std::vector<Touch> out = std::move(ended_);
    ended_.clear();
    for (auto& [number, slot] : slots_) {
        if (slot.id >= 0 && (slot.fresh || slot.moved))
            out.push_back(
                {slot.id, slot.fresh ? Touch::Phase::down : Touch::Phase::move, {slot.x, slot.y}});
        slot.fresh = slot.moved = false;
    }
    return out;
}

struct EvdevTouch::Impl {
    int file = -1;
    libevdev* device = nullptr;
    MultiTouch touches;
    std::string wanted;  // "": the first there is
    std::chrono::steady_clock::time_point looked;

    bool open(const std::string& path) {
        file = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
        if (file >= 0 && libevdev_new_from_fd(file, &device) == 0 &&
            libevdev_has_event_code(device, EV_ABS, ABS_MT_POSITION_X) &&
            libevdev_has_event_code(device, EV_ABS, ABS_MT_SLOT))
            return true;
        close();
        return false;
    }
    void close() {
        if (device) libevdev_free(device);
        if (file >= 0) ::close(file);
        device = nullptr, file = -1;
    }
    bool find() {
        if (!wanted.empty()) return open(wanted);
        std::error_code none;
        for (const auto& entry : std::filesystem::directory_iterator("/dev/input", none))
            if (entry.path().filename().string().starts_with("event") && open(entry.path()))
                return true;
        return false;
    }
    // Unplugged: looked for now and then, until it is back.
    bool here() {
        const auto now = std::chrono::steady_clock::now();
        if (device || now - looked < std::chrono::seconds{2}) return device != nullptr;
        looked = now;
        if (find()) touches = {}, spdlog::info("the touch screen is back");
        return device != nullptr;
    }
    [[nodiscard]] double share(int code, double value) const {
        const input_absinfo* range = libevdev_get_abs_info(device, static_cast<unsigned>(code));
        return range->maximum > range->minimum
                   ? (value - range->minimum) / (range->maximum - range->minimum)
                   : 0;
    }
};

EvdevTouch::EvdevTouch(const std::string& device) : impl_{std::make_unique<Impl>()} {
    impl_->wanted = device;
    if (impl_->find()) return;
    throw std::runtime_error(device.empty() ? "no multi-touch device found under /dev/input"
                                            : device + " is not a multi-touch device we may read");
}

EvdevTouch::~EvdevTouch() {
    impl_->close();
}

std::vector<Touch> EvdevTouch::poll() {
    std::vector<Touch> all;
    input_event event{};
    int status = 0;
    while (impl_->here() &&
           (status = libevdev_next_event(impl_->device, LIBEVDEV_READ_FLAG_NORMAL, &event)) >= 0) {
        if (status == LIBEVDEV_READ_STATUS_SYNC) continue;
        for (Touch t : impl_->touches.push(event.type, event.code, event.value)) {
            t.at = {impl_->share(ABS_MT_POSITION_X, t.at.x),
                    impl_->share(ABS_MT_POSITION_Y, t.at.y)};
            all.push_back(t);
        }
    }
    if (status == -ENODEV)
        impl_->close(), spdlog::warn("the touch screen was unplugged; waiting for it");
    return all;
}

std::optional<Point> Taps::push(const Touch& touch, double now_s) {
    if (touch.phase == Touch::Phase::down) {
        down_[touch.id] = {touch.at, now_s, false};
        return {};
    }
    const auto it = down_.find(touch.id);
    if (it == down_.end()) return {};
    it->second.wandered |= distance(it->second.at, touch.at) > limits_.wander_mm;
    if (touch.phase == Touch::Phase::move) return {};
    const Down down = it->second;
    down_.erase(it);
    const bool bounce = now_s - last_s_ < limits_.bounce_s &&
                        distance(last_, down.at) < limits_.wander_mm;
    if (down.wandered || now_s - down.since_s > limits_.long_s || bounce) return {};
    last_ = down.at;
    last_s_ = now_s;
    return down.at;
}

std::optional<Point> Taps::drag_start(int id) const {
    const auto it = down_.find(id);
    if (it == down_.end()) return {};
    return it->second.at;
}

}  // namespace overboard::table
