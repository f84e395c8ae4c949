#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bus/table.hpp"
#include "table/canvas.hpp"
#include "table/link.hpp"
#include "table/scene.hpp"
#include "table/stage.hpp"
#include "table/touch.hpp"

namespace overboard::table {

/// What the overlay looks like: RGBA rows from the top. Straight over the table unless a projector
/// mapping was given; black is no light.
struct Picture {
    Size size;
    double px_per_mm = 1;
    std::vector<std::uint8_t> rgba;
};

/// The overlay changed in these boxes (table mm): frames taken until it has settled show both.
struct OverlayChange {
    double time = 0;  ///< Of step(), s.
    std::uint64_t picture = 0;
    std::vector<Rect> boxes_mm;
};

struct TableOptions {
    Addresses addresses;
    CanvasOptions canvas;
    Table table;
    /// Table mm → projector pixels, pixel centres whole numbers. Without: the table fills the
    /// window.
    std::optional<Matrix3> projector;
    /// Touch surface (0..1, 0..1) → table mm. Without: the surface is the table.
    std::optional<Matrix3> touch;
    std::string language = "en";
    std::map<std::string, std::string> seat_language;
    std::optional<int> tuio_in;        ///< UDP port; 0: any free one.
    std::string tuio_out;              ///< "host:port"; empty: none.
    std::optional<std::string> evdev;  ///< Device, or "" for the first touch screen.
    bool voice = false;
    std::string overlay;  ///< Address to publish topic `overlay` on; empty: none.
    std::function<void(const OverlayChange&)> on_overlay;
    WhatIfMaker what_if;  ///< Who computes other outcomes of a shot; without: not offered.
    double max_fps = 60;  ///< Lower: less work while something moves.
};

/// The whole room: listens to rules, vision and fingers, and shows the table what it must know.
/// Everything happens in step(), on one thread, which must be the one that made it.
class TableApp {
public:
    /// Throws std::runtime_error without a display, output, port or device it was told to use.
    explicit TableApp(TableOptions options);
    ~TableApp();

    /// One round: sockets, input, and a new picture if anything changed. False once closed.
    bool step(double now_s);

    [[nodiscard]] const Picture& picture();  ///< Off-screen only.
    [[nodiscard]] std::uint64_t draws() const;
    [[nodiscard]] std::uint64_t displays() const;
    [[nodiscard]] const Scene& scene() const;
    [[nodiscard]] const std::vector<Target>& targets() const;
    /// Keys the catalogue lacked in any picture so far.
    [[nodiscard]] const std::set<std::string>& untranslated() const;
    [[nodiscard]] const Canvas& canvas() const;
    [[nodiscard]] int tuio_port() const;  ///< 0: not listening.
    /// A finger from elsewhere; takes effect in the next step.
    void touch(const Touch& touch);
    /// A tap as one call, for tests and scripts.
    void tap(Point at);
    /// What vision saw, for those who have no socket at hand.
    void see(const Observation& seen);
    /// Shows exactly this, e.g. for pictures without a service.
    void show(Scene scene);

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace overboard::table
