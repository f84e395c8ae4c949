#include "rules/jouets/layout.hpp"

#include <cmath>

#include "bus/data.hpp"
#include "rules/wire.hpp"

namespace overboard::rules::jouets {
namespace {

Point point(const Json& json) {
    return {json.at(0), json.at(1)};
}

Layout loaded() {
    const Json j = load_data("rules/jouets/data/layout.json");
    Layout layout;
    layout.tile_mm = j.at("tile_mm");
    for (const auto& [seat, at] : j.at("shops").items()) layout.shops[seat] = point(at);
    for (const auto& [seat, at] : j.at("scores").items()) layout.scores[seat] = point(at);
    for (const Json& at : j.at("market")) layout.market.push_back(point(at));
    layout.pile = point(j.at("pile"));
    layout.market_reach_x_mm = j.at("market_reach_mm").at("x");
    layout.market_reach_y_mm = j.at("market_reach_mm").at("y");
    return layout;
}

}  // namespace

Pose Layout::shop(const std::string& seat) const {
    const auto found = shops.find(seat);
    const Point at = found == shops.end() ? shops.begin()->second : found->second;
    return {at.x, at.y, seat_angle(seat)};
}

Pose Layout::place(const std::string& seat, Cell cell) const {
    const Pose origin = shop(seat);
    const Point at = overboard::place(origin, {cell.col * tile_mm, cell.row * tile_mm});
    return {at.x, at.y, origin.angle};
}

bool Layout::in_market(Point p) const {
    const Point middle = (market.front() + market.back()) * 0.5;
    return std::abs(p.x - middle.x) < market_reach_x_mm &&
           std::abs(p.y - middle.y) < market_reach_y_mm;
}

bool Layout::in_shop(const std::string& seat, Point p) const {
    const Point local = local_to(shop(seat), p);
    const double reach = (kShopSide - 0.4) * tile_mm;
    return std::abs(local.x) < reach && std::abs(local.y) < reach;
}

Polygon Layout::outline(Pose tile) const {
    const double h = tile_mm / 2;
    return {overboard::place(tile, {-h, -h}), overboard::place(tile, {h, -h}),
            overboard::place(tile, {h, h}), overboard::place(tile, {-h, h})};
}

const Layout& layout() {
    static const Layout shared = loaded();
    return shared;
}

}  // namespace overboard::rules::jouets
