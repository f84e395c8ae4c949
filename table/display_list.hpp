#pragma once

#include <SFML/Graphics/Vertex.hpp>
#include <bit>
#include <cstdint>
#include <functional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "table/mapping.hpp"
#include "table/pen.hpp"

/// What the picture consists of, kept from picture to picture so that only what changed is built
/// and drawn again.
namespace overboard::table {

/// Names the content of an item: everything that decides how it looks must go in.
class Hash {
public:
    explicit Hash(std::string_view kind) { *this << kind; }
    Hash& operator<<(std::uint64_t v) {
        value_ = (value_ ^ v) * 0x9E3779B97F4A7C15ULL;
        value_ ^= value_ >> 29;
        return *this;
    }
    Hash& operator<<(unsigned v) { return *this << static_cast<std::uint64_t>(v); }
    Hash& operator<<(int v) { return *this << static_cast<std::uint64_t>(v); }
    Hash& operator<<(bool v) { return *this << static_cast<std::uint64_t>(v); }
    Hash& operator<<(double v) { return *this << std::bit_cast<std::uint64_t>(v); }
    Hash& operator<<(std::string_view v) { return *this << static_cast<std::uint64_t>(std::hash<std::string_view>{}(v)) << v.size(); }
    Hash& operator<<(const char* v) { return *this << std::string_view{v}; }
    Hash& operator<<(Point p) { return *this << p.x << p.y; }
    Hash& operator<<(Pose p) { return *this << p.x << p.y << p.angle; }
    Hash& operator<<(const Polygon& p) {
        for (const Point q : p) *this << q;
        return *this << p.size();
    }
    [[nodiscard]] std::uint64_t value() const { return value_; }

private:
    std::uint64_t value_ = 0xCBF29CE484222325ULL;
};

struct Item {
    std::uint64_t hash = 0;
    Rect bounds_mm;
    std::vector<sf::Vertex> strip;  ///< Table mm.
};

/// Begin a picture, add its items from back to front, end it: the answer is what must be redrawn.
class DisplayList {
public:
    /// Forgets what was built when the scale or the texture changed.
    void begin(TextAtlas& atlas, double px_per_mm);
    /// `build` is called only when no item of that content was in the last picture.
    void add(const Hash& content, const std::function<void(Pen&)>& build);
    /// Where the picture differs from the last one, table mm.
    std::vector<Rect> end();

    [[nodiscard]] const std::vector<Item>& items() const { return now_; }
    [[nodiscard]] std::size_t built() const { return built_; }  ///< Items built in all, for tests.

private:
    std::vector<Item> before_, now_;
    std::unordered_map<std::uint64_t, std::size_t> index_;  // hash → place in before_
    std::unordered_map<std::uint64_t, int> repeats_;
    std::vector<char> kept_;
    std::vector<Rect> damage_;
    std::size_t reached_ = 0;  // items of before_ below this one are passed
    std::size_t built_ = 0;
    TextAtlas* atlas_ = nullptr;
    double px_per_mm_ = 0;
    unsigned generation_ = 0;
};

}  // namespace overboard::table
