#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "table/mapping.hpp"

/// Fingers, wherever they come from: TUIO, a multi-touch device, a mouse.
namespace overboard::table {

struct Touch {
    enum class Phase { down, move, up };
    int id = 0;
    Phase phase = Phase::down;
    Point at;  ///< Table mm.
};

/// TUIO 1.1 cursors (/tuio/2Dcur). Feed it packets; it answers with touches, positions 0..1 of the
/// touched surface. Late frames and broken packets are ignored.
class TuioCursors {
public:
    std::vector<Touch> feed(const std::uint8_t* data, std::size_t size);

private:
    struct Cursor {
        double x = 0, y = 0;
    };
    void message(const std::uint8_t* data, std::size_t size);
    void commit(int frame, std::vector<Touch>& out);
    void bundle(const std::uint8_t* data, std::size_t size, int depth, std::vector<Touch>& out);

    std::map<int, Cursor> down_;  // as told so far
    std::map<int, Cursor> set_;   // of the frame being received
    std::optional<std::set<int>> alive_;
    std::optional<int> fseq_;
    int last_frame_ = -1;
};

/// A UDP socket that receives TUIO. Loopback only unless `any_address`.
class TuioIn {
public:
    /// Throws std::runtime_error when the port is taken. Port 0: any free one.
    explicit TuioIn(int port, bool any_address = false);
    ~TuioIn();
    TuioIn(const TuioIn&) = delete;
    TuioIn& operator=(const TuioIn&) = delete;
    /// Everything that came since the last call.
    std::vector<Touch> poll();
    [[nodiscard]] int port() const { return port_; }

private:
    int socket_ = -1;
    int port_ = 0;
    TuioCursors cursors_;
};

/// The kernel's multi-touch protocol B, event by event. Positions in device units.
class MultiTouch {
public:
    /// One input event; touches come out at the end of a report.
    std::vector<Touch> push(int type, int code, int value);

private:
    struct Slot {
        int id = -1;
        double x = 0, y = 0;
        bool fresh = false, moved = false;
    };
    std::map<int, Slot> slots_;
    int slot_ = 0;
    std::vector<Touch> ended_;
};

/// A multi-touch device under /dev/input.
class EvdevTouch {
public:
    /// `device`: a path, or empty for the first touch screen there is. Throws std::runtime_error.
    explicit EvdevTouch(const std::string& device);
    ~EvdevTouch();
    std::vector<Touch> poll();  ///< Positions 0..1 of the surface.

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

/// Fingers that came down and went up in the same place, one at a time.
struct TapLimits {
    double wander_mm = 14;   ///< Higher: forgives shaky fingers, mistakes short drags for taps.
    double long_s = 1.2;     ///< Longer rests (a sleeve, a glass) are no taps.
    double bounce_s = 0.15;  ///< A second tap at the same place within this is the same finger.
};
class Taps {
public:
    explicit Taps(TapLimits limits = {}) : limits_{limits} {}
    /// Where it was tapped, when this touch completes a tap.
    std::optional<Point> push(const Touch& touch, double now_s);
    /// Where the finger now dragging came down; nothing when none is.
    [[nodiscard]] std::optional<Point> drag_start(int id) const;

private:
    struct Down {
        Point at;
        double since_s = 0;
        bool wandered = false;
    };
    TapLimits limits_;
    std::map<int, Down> down_;
    Point last_;
    double last_s_ = -1e9;
};

}  // namespace overboard::table
