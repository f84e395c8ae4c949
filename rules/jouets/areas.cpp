// Areas: every zone of every tile of a shop is a node; two of the same type that meet along a
// half-side are joined (union-find). The new tile is the last to be added, so what it extends are
// the sets that hold one of its zones and one of an earlier tile.
#include <algorithm>
#include <numeric>

#include "rules/jouets/jouets.hpp"

namespace overboard::rules::jouets {
namespace {

struct Placed {
    const Tile* tile;
    Cell at;
    int first_node;
};

class Sets {
public:
    explicit Sets(int nodes) : parent_(static_cast<std::size_t>(nodes)) {
        std::iota(parent_.begin(), parent_.end(), 0);
    }
    int root(int node) {
        while (at(node) != node) node = at(node) = at(at(node));
        return node;
    }
    void join(int a, int b) { at(root(a)) = root(b); }

private:
    int& at(int node) { return parent_[static_cast<std::size_t>(node)]; }
    std::vector<int> parent_;
};

const Zone& zone(const Placed& placed, int index) {
    return placed.tile->zones[static_cast<std::size_t>(index)];
}

void join_along(const Placed& a, Side side_a, const Placed& b, Side side_b, Sets& sets) {
    for (std::size_t half = 0; half < 2; ++half) {
        const int in_a = a.tile->sides[side_a][half], in_b = b.tile->sides[side_b][half];
        if (zone(a, in_a).type == zone(b, in_b).type)
            sets.join(a.first_node + in_a, b.first_node + in_b);
    }
}

void join_neighbours(const Placed& a, const Placed& b, Sets& sets) {
    const int right = b.at.col - a.at.col, down = b.at.row - a.at.row;
    if (right == 1 && down == 0) join_along(a, east, b, west, sets);
    if (right == -1 && down == 0) join_along(a, west, b, east, sets);
    if (right == 0 && down == 1) join_along(a, south, b, north, sets);
    if (right == 0 && down == -1) join_along(a, north, b, south, sets);
}

std::vector<Placed> all_tiles(const State& state, const Shop& shop, int tile, Cell at) {
    std::vector<Placed> all = {{&state.register_of(shop), {}, 0}};
    const auto add = [&](const Tile& next, Cell cell) {
        const Placed& last = all.back();
        all.push_back({&next, cell, last.first_node + static_cast<int>(last.tile->zones.size())});
    };
    for (const Laid& laid : shop.tiles) add(state.toy(laid.tile), laid.at);
    add(state.toy(tile), at);
    return all;
}

Area area_of(const std::vector<Placed>& all, Sets& sets, int root, bool& reaches_earlier) {
    Area area;
    for (const Placed& placed : all) {
        bool here = false;
        for (int z = 0; z < static_cast<int>(placed.tile->zones.size()); ++z) {
            if (sets.root(placed.first_node + z) != root) continue;
            here = true;
            area.type = zone(placed, z).type;
            area.toys += static_cast<int>(zone(placed, z).toys.size());
        }
        if (here) area.tiles.push_back(placed.tile->id);
        if (here && &placed != &all.back()) reaches_earlier = true;
    }
    return area;
}

}  // namespace

std::vector<Area> areas_extended(const State& state, const Shop& shop, int tile, Cell at) {
    const auto all = all_tiles(state, shop, tile, at);
    const Placed& added = all.back();
    Sets sets(added.first_node + static_cast<int>(added.tile->zones.size()));
    for (std::size_t i = 0; i < all.size(); ++i)
        for (std::size_t k = 0; k < i; ++k) join_neighbours(all[k], all[i], sets);
    std::vector<Area> areas;
    std::vector<int> counted;
    for (int z = 0; z < static_cast<int>(added.tile->zones.size()); ++z) {
        const int root = sets.root(added.first_node + z);
        if (std::find(counted.begin(), counted.end(), root) != counted.end())
            continue;  // JOUETS-R2
        counted.push_back(root);
        bool reaches_earlier = false;
        Area area = area_of(all, sets, root, reaches_earlier);
        if (reaches_earlier) areas.push_back(std::move(area));  // else JOUETS-12
    }
    return areas;
}

int coins_for(const std::vector<Area>& areas) {
    return std::accumulate(areas.begin(), areas.end(), 0,
                           [](int sum, const Area& area) { return sum + area.toys; });
}

}  // namespace overboard::rules::jouets
