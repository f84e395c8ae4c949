#pragma once

#include <SFML/Graphics/RenderTexture.hpp>
#include <SFML/Graphics/RenderWindow.hpp>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "table/display_list.hpp"
#include "table/mapping.hpp"
#include "table/part_copy.hpp"

namespace overboard::table {

/// Where to draw. Exactly one of the three is used: `output` when named, else off-screen when
/// asked, else a desk window.
struct CanvasOptions {
    std::string output;  ///< Connector name; borderless at that output's place.
    bool offscreen = false;
    Size size{1280, 720};  ///< Of the desk window or the off-screen picture.
    std::string title = "Overboard";
};

/// A window or an off-screen picture that draws a DisplayList through a projective mapping.
///
/// Only damaged boxes are cleared and drawn; with no damage nothing is drawn and nothing shown.
/// How old a window's back buffer is gets measured when it opens, and so many pictures' boxes are
/// drawn; everything, when it cannot be told. All calls from the thread that made it.
class Canvas {
public:
    /// Throws std::runtime_error without a display, or without the named output.
    explicit Canvas(const CanvasOptions& options);
    ~Canvas();

    [[nodiscard]] Size size() const;
    [[nodiscard]] bool is_window() const { return window_ != nullptr; }
    void set_mapping(const Mapping& mapping);
    [[nodiscard]] const Mapping& mapping() const { return mapping_; }

    /// Draws what is damaged (table mm); everything when told to or after set_mapping(), a resize
    /// or an exposure. Returns the boxes drawn, in pixels.
    std::vector<Rect> draw(const DisplayList& list, const sf::Texture& texture,
                           const std::vector<Rect>& damage_mm, bool everything = false);
    /// The next window event; nothing off-screen.
    bool poll(sf::Event& event);
    /// Follows its output: moves along, hides when it is unplugged, comes back with it. Returns
    /// whether the output is there (always, for windows and off-screen pictures).
    bool follow_output();

    /// Off-screen only: RGBA, rows from the top, into a buffer that is kept: just the boxes drawn
    /// since the last call are read.
    const std::vector<std::uint8_t>& read_pixels();
    [[nodiscard]] std::uint64_t draws() const { return draws_; }        ///< Draw calls so far.
    [[nodiscard]] std::uint64_t displays() const { return displays_; }  ///< Pictures shown so far.
    void redraw() { all_ = true; }
    void close();
    [[nodiscard]] bool open() const;
    [[nodiscard]] unsigned long handle() const;  ///< The X window; 0 off-screen.

private:
    void open_window(const CanvasOptions& options);
    int measured_buffer_age();
    [[nodiscard]] sf::RenderTarget& target();
    void activate();
    void scissor(const Rect& px, bool upside_down);
    /// Items first … last - 1, as far as they touch a box.
    void draw_items(sf::RenderTarget& on, const DisplayList& list, std::size_t first,
                    std::size_t last, const sf::Texture& texture, const Rect& px);
    void draw_boxes(const DisplayList& list, const sf::Texture& texture,
                    const std::vector<Rect>& boxes_px);
    void measure_items(const DisplayList& list, std::size_t first);
    void keep_lower(const DisplayList& list, const sf::Texture& texture);
    [[nodiscard]] bool worth_copying(const DisplayList& list, const Rect& px) const;
    void draw_batch(sf::RenderTarget& on, const sf::Texture& texture, bool dark);
    void look_up_nearest(const sf::Texture& texture, bool nearest);
    void add_patches(const DisplayList& list, const Rect& px, std::vector<Rect>& patches) const;
    void copy_lower(const std::vector<Rect>& boxes_px);
    void present(const std::vector<Rect>& boxes_px);
    [[nodiscard]] std::vector<Rect> boxes(const std::vector<Rect>& damage_mm) const;
    void fit_view();

    std::unique_ptr<sf::RenderWindow> window_;
    std::unique_ptr<sf::RenderTexture> texture_;
    std::unique_ptr<sf::RenderTexture> lower_;  // the picture of what rarely changes
    std::vector<Rect> stale_;                   // where that is out of date
    PartCopy part_copy_;
    std::string output_;
    Mapping mapping_;
    bool all_ = true;
    bool hidden_ = false;
    bool nearest_ = false;  // how the texture is looked up now
    int buffer_age_ = 0;
    std::deque<std::vector<Rect>> recent_;  // boxes of the last pictures, newest first
    std::vector<Rect> unread_;
    std::vector<std::uint8_t> pixels_;
    std::vector<sf::Vertex> batch_;
    std::vector<Rect> item_px_;
    std::uint64_t draws_ = 0;
    std::uint64_t displays_ = 0;
};

/// Boxes merged where one box is cheaper than two; a single one covering all when they are many.
std::vector<Rect> merged(std::vector<Rect> boxes, const Rect& all);

}  // namespace overboard::table
