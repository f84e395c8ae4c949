#include "rules/gotown/layout.hpp"

#include <cmath>

#include "bus/data.hpp"
#include "rules/wire.hpp"

namespace overboard::rules::gotown {
namespace {

constexpr int kMostFloors = 6;  // One more than wins: a floor too many is still seen as one.

Point point(const Json& json) {
    return {json.at(0), json.at(1)};
}

Layout loaded() {
    const Json j = load_data("rules/gotown/data/layout.json");
    return {j.at("table").at("width_mm"),
            j.at("table").at("height_mm"),
            j.at("card").at("width_mm"),
            j.at("card").at("height_mm"),
            j.at("first_floor_mm"),
            j.at("strip_mm"),
            j.at("column_mm"),
            j.at("dog_mm"),
            j.at("milkshake_mm"),
            point(j.at("draw_pile")),
            point(j.at("discard")),
            point(j.at("truck")),
            j.at("reach_mm").at("along"),
            j.at("reach_mm").at("across"),
            j.at("reach_mm").at("pile")};
}

}  // namespace

Pose Layout::seat(const std::string& seat) const {
    const double w = table_width_mm, h = table_height_mm, angle = seat_angle(seat);
    if (seat == "w") return {0, h / 2, angle};
    if (seat == "n") return {w / 2, 0, angle};
    if (seat == "e") return {w, h / 2, angle};
    return {w / 2, h, angle};
}

Pose Layout::place(const std::string& name, Slot slot) const {
    const auto k = static_cast<std::size_t>(slot.level);
    Point local{0, -first_floor_mm - strip_mm * slot.level};
    switch (slot.what) {
        case Slot::What::left: local.x = -column_mm; break;
        case Slot::What::right: local.x = column_mm; break;
        case Slot::What::dog: local.x = dog_mm; break;
        case Slot::What::milkshake:
            local = {milkshake_mm[std::min(k, milkshake_mm.size() - 1)], -first_floor_mm};
            break;
        case Slot::What::draw_pile: return {draw_pile.x, draw_pile.y, 0};
        case Slot::What::discard: return {discard.x, discard.y, 0};
        case Slot::What::truck: return {truck.x + card_width_mm * slot.level, truck.y, 0};
    }
    const Pose own = seat(name);
    const Point at = overboard::place(own, local);
    return {at.x, at.y, own.angle};
}

std::optional<Slot> Layout::slot_at(const std::string& name, Point p) const {
    if (name.empty()) {
        if (distance(p, draw_pile) < reach_pile_mm) return Slot{Slot::What::draw_pile, 0};
        if (distance(p, discard) < reach_pile_mm) return Slot{Slot::What::discard, 0};
        const double along = p.x - truck.x;
        const int k = static_cast<int>(std::lround(along / card_width_mm));
        if (std::abs(p.y - truck.y) < reach_pile_mm && k >= 0 && k < 3)
            return Slot{Slot::What::truck, k};
        return {};
    }
    const Point local = local_to(seat(name), p);
    const double up = (-local.y - first_floor_mm) / strip_mm;
    const int level = static_cast<int>(std::lround(std::max(up, 0.0)));
    for (std::size_t k = 0; k < milkshake_mm.size(); ++k)
        if (std::abs(local.x - milkshake_mm[k]) < reach_across_mm &&
            std::abs(-local.y - first_floor_mm) < reach_pile_mm)
            return Slot{Slot::What::milkshake, static_cast<int>(k)};
    if (std::abs(up - level) * strip_mm > reach_along_mm + 0.5 || level >= kMostFloors) return {};
    if (std::abs(local.x + column_mm) < reach_across_mm) return Slot{Slot::What::left, level};
    if (std::abs(local.x - column_mm) < reach_across_mm) return Slot{Slot::What::right, level};
    if (std::abs(local.x - dog_mm) < reach_across_mm) return Slot{Slot::What::dog, level};
    return {};
}

Polygon Layout::outline(Pose card) const {
    const double w = card_width_mm / 2, h = card_height_mm / 2;
    return {overboard::place(card, {-w, -h}), overboard::place(card, {w, -h}),
            overboard::place(card, {w, h}), overboard::place(card, {-w, h})};
}

const Layout& layout() {
    static const Layout shared = loaded();
    return shared;
}

}  // namespace overboard::rules::gotown
