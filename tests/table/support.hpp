#pragma once

#include <SFML/Graphics/Image.hpp>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>

#include "table/outputs.hpp"
#include "table/table_app.hpp"
#include "table/virtual_display.hpp"

/// A display for the tests: the one there is, else an Xvfb of our own for the life of the program.
namespace overboard::table::testing {

inline bool have_display() {
    static const std::unique_ptr<VirtualDisplay> own = [] {
        std::unique_ptr<VirtualDisplay> made;
        try {
            if (!display_present()) made = std::make_unique<VirtualDisplay>(1920, 1080);
        } catch (const std::runtime_error&) {
        }
        return made;
    }();
    return display_present();
}

#define NEEDS_DISPLAY()                             \
    if (!overboard::table::testing::have_display()) \
    GTEST_SKIP() << "no display and no Xvfb: nothing can be drawn"

inline Piece piece(int id, PieceKind kind, std::string type, double x, double y) {
    Piece p;
    p.id = id;
    p.kind = kind;
    p.type = std::move(type);
    p.x = x;
    p.y = y;
    return p;
}

inline Mark mark(MarkKind kind, MarkStyle style, Point at) {
    Mark m;
    m.kind = kind;
    m.style = style;
    m.at = at;
    return m;
}

inline MatchState two_players() {
    MatchState s;
    s.match = "m1";
    s.game = "sample";
    s.turn_player = "Anna";
    s.actions = {"roll"};
    s.players = {Json{{"name", "Anna"}, {"seat", "s"}, {"score", 12}},
                 Json{{"name", "Émile"}, {"seat", "n"}, {"score", 7}}};
    return s;
}

inline TableOptions offscreen(int width = 960, int height = 540) {
    TableOptions o;
    o.canvas.offscreen = true;
    o.canvas.size = {width, height};
    return o;
}

/// The brightness of a pixel of a picture, 0..255.
inline int light(const Picture& p, int x, int y) {
    if (x < 0 || y < 0 || x >= p.size.width || y >= p.size.height) return 0;
    const auto*
        c = &p.rgba[4 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(p.size.width) +
                         static_cast<std::size_t>(x))];
    return std::max({c[0], c[1], c[2]});
}

inline void save(const Picture& p, const std::string& file) {
    sf::Image image;
    image.create(static_cast<unsigned>(p.size.width), static_cast<unsigned>(p.size.height),
                 p.rgba.data());
    image.saveToFile(file);
}

}  // namespace overboard::table::testing
