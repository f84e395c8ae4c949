#pragma once

#include <SFML/Graphics/Vertex.hpp>
#include <bit>
#include <cstdint>
#include <string_view>
#include <utility>
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
    Hash& operator<<(std::string_view v) {
        return *this << static_cast<std::uint64_t>(std::hash<std::string_view>{}(v)) << v.size();
    }
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
    bool dark = false;  ///< Takes light away and gives none: on black it changes nothing.
    Rect bounds_mm;
    std::vector<sf::Vertex> strip;  ///< Table mm.
};

/// Begin a picture, add its items from back to front, end it: the answer is what must be redrawn.
class DisplayList {
public:
    /// Forgets what was built when the scale or the texture changed.
    void begin(TextAtlas& atlas, double px_per_mm);
    /// `build` is called only when no item of that content was in the last picture.
    template <class Build>
    void add(const Hash& content, Build&& build, bool dark = false) {
        if (keep(content.value())) return;
        Item made{content.value(), dark, {}, {}};
        Pen pen{made.strip, *atlas_, px_per_mm_};
        build(pen);
        take(std::move(made));
    }
    /// Likewise for what only takes light away, such as the dark over a piece.
    template <class Build>
    void add_dark(const Hash& content, Build&& build) {
        add(content, std::forward<Build>(build), true);
    }
    /// What is added from here on may move in every picture; what lies below it rarely changes.
    void lift();
    /// Where the picture differs from the last one, table mm.
    std::vector<Rect> end();

    [[nodiscard]] const std::vector<Item>& items() const { return now_; }
    [[nodiscard]] std::size_t lower() const {
        return lower_;
    }  ///< How many items lie below the lift().
    /// Are those, one by one, the last picture's?
    [[nodiscard]] bool lower_same() const { return lower_same_; }
    /// Where they differ from the last picture's, table mm.
    [[nodiscard]] const std::vector<Rect>& lower_damage() const { return lower_damage_; }
    /// Where light above the lift() came, went or changed, table mm: elsewhere only dark did.
    [[nodiscard]] const std::vector<Rect>& upper_light_damage() const {
        return upper_light_damage_;
    }
    [[nodiscard]] std::size_t built() const { return built_; }  ///< Items built in all, for tests.

private:
    bool keep(std::uint64_t hash);
    void take(Item made);
    void damage(const Item& item, bool lower);
    void damage_lit_parts_of(const Rect& dark);
    std::size_t find(std::uint64_t hash);

    std::vector<Item> before_, now_;
    std::vector<std::pair<std::uint64_t, std::size_t>>
        index_;  // hash, place in before_; sorted, made when needed
    std::vector<char> kept_;
    std::vector<Rect> damage_, lower_damage_, upper_light_damage_, dark_damage_;
    std::size_t lower_ = 0, lower_before_ = 0;
    std::size_t next_ = 0;     // the first of before_ that may come next
    std::size_t reached_ = 0;  // items of before_ below this one are passed
    bool lifted_ = false, lower_same_ = true;
    std::size_t built_ = 0;
    TextAtlas* atlas_ = nullptr;
    double px_per_mm_ = 0;
    unsigned generation_ = 0;
};

}  // namespace overboard::table
