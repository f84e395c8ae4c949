// A move is understood (JSON → Placing), judged and done. Coins come from areas.cpp.
#include <algorithm>
#include <cstdlib>
#include <set>

#include "rules/jouets/jouets.hpp"
#include "rules/jouets/layout.hpp"
#include "rules/jouets/tiles.hpp"
#include "rules/wire.hpp"

namespace overboard::rules {
namespace jouets {
namespace {

constexpr double kMaxTurn = 15 * M_PI / 180;  // JOUETS-5, as the camera measures it
constexpr double kMaxOffset_mm = 8;           // JOUETS-4, likewise
constexpr int kRewardCoins = 5;               // JOUETS-22
constexpr std::size_t kCollection = 5;        // JOUETS-20

struct Placing {
    std::optional<int> tile;  ///< Nothing: no tile of that name.
    std::string tile_id;
    Cell at;
    double angle = 0;
    Point offset;
};

std::optional<int> toy_named(const State& state, const std::string& id) {
    const auto found = state.set->toy_index.find(id);
    if (found == state.set->toy_index.end()) return {};
    return found->second;
}

Ruling not_understood(const char* key) {
    return not_a_move("jouets.move_not_understood", {{"key", key}});
}

tl::expected<Placing, Ruling> understood(const State& state, const Move& move) {
    const auto no = [](const char* key) { return tl::unexpected(not_understood(key)); };
    Placing placing;
    const auto id = text_field(move, "tile");
    const Json& at = field(move, "at");
    if (!id) return no("tile");
    if (!at.is_array() || at.size() != 2) return no("at");
    const auto col = whole_in(at[0]), row = whole_in(at[1]);
    if (!col || !row) return no("at");
    placing.tile_id = *id;
    placing.tile = toy_named(state, *id);
    placing.at = {*col, *row};
    if (const Json& angle = field(move, "angle"); !angle.is_null()) {
        const auto number = number_in(angle);
        if (!number) return no("angle");
        placing.angle = *number;
    }
    if (const Json& offset = field(move, "offset"); !offset.is_null()) {
        if (!offset.is_array() || offset.size() != 2) return no("offset");
        const auto dx = number_in(offset[0]), dy = number_in(offset[1]);
        if (!dx || !dy) return no("offset");
        placing.offset = {*dx, *dy};
    }
    return placing;
}

bool taken(const Shop& shop, Cell cell) {
    return cell == Cell{} || std::any_of(shop.tiles.begin(), shop.tiles.end(),
                                         [&](const Laid& laid) { return laid.at == cell; });
}

bool touches(const Shop& shop, Cell c) {
    return taken(shop, {c.col + 1, c.row}) || taken(shop, {c.col - 1, c.row}) ||
           taken(shop, {c.col, c.row + 1}) || taken(shop, {c.col, c.row - 1});
}

bool fits(const Shop& shop, Cell cell) {
    int left = std::min(cell.col, 0), right = std::max(cell.col, 0);
    int top = std::min(cell.row, 0), bottom = std::max(cell.row, 0);
    for (const Laid& laid : shop.tiles) {
        left = std::min(left, laid.at.col);
        right = std::max(right, laid.at.col);
        top = std::min(top, laid.at.row);
        bottom = std::max(bottom, laid.at.row);
    }
    return right - left < kShopSide && bottom - top < kShopSide;
}

/// May this tile be taken at all?
Ruling judge_tile(const State& state, const Placing& placing) {
    const Json args = {{"tile", placing.tile_id}};
    if (!placing.tile) return refused("JOUETS-COUNT", "jouets.no_such_tile", args);
    if (is_laid(state, *placing.tile))
        return refused("JOUETS-COUNT", "jouets.tile_already_laid", args);
    if (state.market_known && !in_market(state, *placing.tile))
        return refused("JOUETS-3", "jouets.not_in_the_market", args);
    return allowed();
}

/// Where the cell lies on the table; nothing when no shop can reach so far.
std::optional<Point> place_of(const Shop& shop, Cell cell) {
    const Pose pose = layout().place(shop.seat, cell);
    const Point at{pose.x, pose.y};
    if (!layout().in_shop(shop.seat, at)) return {};
    return at;
}

Ruling judge_cell(const Shop& shop, const Placing& placing) {
    const auto no = [&](const char* rule, const char* key) {
        return refused(rule, key, {{"tile", placing.tile_id}}, place_of(shop, placing.at));
    };
    if (std::abs(std::remainder(placing.angle, 2 * M_PI)) > kMaxTurn)
        return no("JOUETS-5", "jouets.tile_turned");
    if (length(placing.offset) > kMaxOffset_mm) return no("JOUETS-4", "jouets.side_only_partly");
    if (taken(shop, placing.at)) return no("JOUETS-4", "jouets.cell_taken");
    if (!touches(shop, placing.at)) return no("JOUETS-4", "jouets.must_touch");
    if (!fits(shop, placing.at)) return no("JOUETS-6", "jouets.four_by_four");
    return allowed();
}

Ruling judge_place(const State& state, int player, const Move& move) {
    if (player != state.turn) return not_your_turn(state.shop(state.turn).name);
    const auto placing = understood(state, move);
    if (!placing) return placing.error();
    if (const Ruling tile = judge_tile(state, *placing); !tile.legal()) return tile;
    return judge_cell(state.shop(player), *placing);
}

Ruling judge_reveal(const State& state, const Move& move) {
    const auto id = text_field(move, "tile");
    if (!id) return not_understood("tile");
    const auto tile = toy_named(state, *id);
    const Json args = {{"tile", *id}};
    if (!tile) return refused("JOUETS-COUNT", "jouets.no_such_tile", args);
    if (is_laid(state, *tile)) return refused("JOUETS-COUNT", "jouets.tile_already_laid", args);
    if (in_market(state, *tile)) return refused("JOUETS-COUNT", "jouets.tile_already_open", args);
    if (state.market.size() >= kMarket) return refused("JOUETS-7", "jouets.market_full");
    return allowed();
}

/// On the first place that is free.
void open_tile(State& state, int tile) {
    std::size_t slot = 0;
    const auto taken_by = [&](const Open& open) { return open.slot == slot; };
    while (std::any_of(state.market.begin(), state.market.end(), taken_by)) ++slot;
    state.market.push_back({tile, slot});
}

Json reward_event(const State& state, int player, const char* kind, int type) {
    return {{"event", "reward"},
            {"player", state.shop(player).name},
            {"reward", kind},
            {"type", kTypes[static_cast<std::size_t>(type)]}};
}

Json scored_event(const Shop& shop, const std::vector<Area>& areas) {
    Json list = Json::array();
    for (const Area& area : areas)
        list.push_back({{"type", kTypes[static_cast<std::size_t>(area.type)]},
                        {"toys", area.toys},
                        {"tiles", area.tiles}});
    return {
        {"event", "scored"}, {"player", shop.name}, {"coins", coins_for(areas)}, {"areas", list}};
}

/// How many of each toy of a type a shop shows.
std::map<std::string, int> toys_of(const State& state, const Shop& shop, int type) {
    std::map<std::string, int> counts;
    for (const Laid& laid : shop.tiles)
        for (const Zone& zone : state.toy(laid.tile).zones)
            for (const std::string& toy : zone.toys)
                if (zone.type == type) ++counts[toy];
    return counts;
}

/// JOUETS-20
void award_collections(State& state, int player, std::vector<Json>& events) {
    for (int type = 0; type < 4; ++type) {
        int& owner = state.collected[static_cast<std::size_t>(type)];
        if (owner >= 0 || toys_of(state, state.shop(player), type).size() < kCollection) continue;
        owner = player;
        state.shops[static_cast<std::size_t>(player)].rewards.push_back({"collection", type});
        events.push_back(reward_event(state, player, "collection", type));
    }
}

int most_identical(const State& state, const Shop& shop, int type) {
    int most = 0;
    for (const auto& [toy, count] : toys_of(state, shop, type)) most = std::max(most, count);
    return most;
}

/// JOUETS-21: the token goes to the youngest of the equals, counted clockwise from the youngest.
void award_showcase(State& state, int type, std::vector<Json>& events) {
    int best = 0;
    for (const Shop& shop : state.shops) best = std::max(best, most_identical(state, shop, type));
    if (best == 0) return;  // JOUETS-R3
    const char* kind = "showcase";
    for (int i = 0; i < state.players(); ++i) {
        const int player = (state.youngest + i) % state.players();
        if (most_identical(state, state.shop(player), type) < best) continue;
        state.shops[static_cast<std::size_t>(player)].rewards.push_back({kind, type});
        events.push_back(reward_event(state, player, kind, type));
        kind = "extra";  // JOUETS-R4: as many as are needed
    }
}

bool all_full(const State& state) {
    return std::all_of(state.shops.begin(), state.shops.end(), [](const Shop& shop) {
        return static_cast<int>(shop.tiles.size()) >= kToyTiles;
    });
}

void finish(State& state, std::vector<Json>& events) {
    for (int type = 0; type < 4; ++type) award_showcase(state, type, events);
    for (Shop& shop : state.shops)
        shop.coins += kRewardCoins * static_cast<int>(shop.rewards.size());
    state.finished = true;
}

void next_player(State& state) {
    for (int i = 0; i < state.players(); ++i) {
        state.turn = (state.turn + 1) % state.players();
        if (static_cast<int>(state.shop(state.turn).tiles.size()) < kToyTiles) return;
    }
}

void place_tile(State& state, int player, const Placing& placing, std::vector<Json>& events) {
    Shop& shop = state.shops[static_cast<std::size_t>(player)];
    const auto areas = areas_extended(state, shop, *placing.tile, placing.at);
    shop.coins += coins_for(areas);
    shop.tiles.push_back({*placing.tile, placing.at});
    std::erase_if(state.market, [&](const Open& open) { return open.tile == *placing.tile; });
    events.push_back(scored_event(shop, areas));
    award_collections(state, player, events);
    if (all_full(state))
        finish(state, events);
    else
        next_player(state);
}

}  // namespace

bool is_laid(const State& state, int tile) {
    for (const Shop& shop : state.shops)
        for (const Laid& laid : shop.tiles)
            if (laid.tile == tile) return true;
    return false;
}

bool in_market(const State& state, int tile) {
    return std::any_of(state.market.begin(), state.market.end(),
                       [&](const Open& open) { return open.tile == tile; });
}

int pile_size(const State& state) {
    int size = static_cast<int>(state.set->toys.size() - state.market.size());
    for (const Shop& shop : state.shops) size -= static_cast<int>(shop.tiles.size());
    return size;
}

std::vector<Cell> free_cells(const Shop& shop) {
    std::vector<Cell> cells;
    for (int row = -kShopSide + 1; row < kShopSide; ++row)
        for (int col = -kShopSide + 1; col < kShopSide; ++col)
            if (const Cell cell{col, row};
                !taken(shop, cell) && touches(shop, cell) && fits(shop, cell))
                cells.push_back(cell);
    return cells;
}

std::vector<int> winners_of(const State& state) {
    // JOUETS-31: bills, then the square: with c coins that is the order of c itself.
    int best = 0;
    for (const Shop& shop : state.shops) best = std::max(best, shop.coins);
    std::vector<int> winners;
    for (int i = 0; i < state.players(); ++i)
        if (state.shop(i).coins == best) winners.push_back(i);
    return winners;
}

namespace {

tl::expected<int, Ruling> youngest_player(const Setup& setup, int otherwise) {
    const Json& value = field(setup.options, "youngest");
    if (value.is_null()) return otherwise;
    const int found = value.is_string() ? player_index(setup, value.get<std::string>())
                                        : whole_in(value).value_or(-1);
    if (found < 0 || found >= static_cast<int>(setup.players.size()))
        return tl::unexpected(bad_option("youngest", "it must name one of the players"));
    return found;
}

bool read_market(const Setup& setup, State& state) {
    const Json& market = field(setup.options, "market");
    if (market.is_null()) return true;
    if (!market.is_array() || market.size() > kMarket) return false;
    for (const Json& id : market) {
        const auto tile = id.is_string() ? toy_named(state, id.get<std::string>()) : std::nullopt;
        if (!tile || in_market(state, *tile)) return false;
        open_tile(state, *tile);
    }
    state.market_known = true;
    return true;
}

std::optional<int> register_named(const State& state, const Json& id) {
    for (std::size_t i = 0; i < state.set->registers.size(); ++i)
        if (id.is_string() && state.set->registers[i].id == id.get_ref<const std::string&>())
            return static_cast<int>(i);
    return {};
}

/// Asked for by name, else the first ones still free, in the order of the players.
bool deal_registers(const Setup& setup, State& state) {
    const Json& wanted = field(setup.options, "registers");
    if (!wanted.is_null() && !wanted.is_object()) return false;
    std::set<int> dealt;
    for (Shop& shop : state.shops) {
        shop.register_tile = -1;
        const Json& id = field(wanted, shop.name.c_str());
        if (id.is_null()) continue;
        const auto found = register_named(state, id);
        if (!found || !dealt.insert(*found).second) return false;
        shop.register_tile = *found;
    }
    for (Shop& shop : state.shops)
        for (int i = 0; i < static_cast<int>(state.set->registers.size()) && shop.register_tile < 0;
             ++i)
            if (dealt.insert(i).second) shop.register_tile = i;
    return std::all_of(state.shops.begin(), state.shops.end(),
                       [](const Shop& shop) { return shop.register_tile >= 0; });
}

Json shop_view(const State& state, const Shop& shop) {
    Json tiles = Json::array();
    for (const Laid& laid : shop.tiles)
        tiles.push_back({{"tile", state.toy(laid.tile).id}, {"at", {laid.at.col, laid.at.row}}});
    return {{"register", state.register_of(shop).id}, {"tiles", tiles}};
}

Json player_view(const Shop& shop) {
    Json rewards = Json::array();
    for (const Reward& reward : shop.rewards)
        rewards.push_back(
            {{"reward", reward.kind}, {"type", kTypes[static_cast<std::size_t>(reward.type)]}});
    return {{"seat", shop.seat},        {"score", shop.coins},
            {"bills", shop.coins / 10}, {"square", shop.coins % 10 + 1},  // JOUETS-13
            {"rewards", rewards},       {"tiles", shop.tiles.size()}};
}

Json board_view(const State& state) {
    Json market = Json::array(), shops = Json::object(), collections = Json::object();
    for (const Open& open : state.market) market.push_back(state.toy(open.tile).id);
    for (const Shop& shop : state.shops) shops[shop.name] = shop_view(state, shop);
    for (std::size_t type = 0; type < 4; ++type)
        collections[kTypes[type]] = state.collected[type] < 0
                                        ? Json()
                                        : Json(state.shop(state.collected[type]).name);
    return {{"market", state.market_known ? market : Json()},
            {"pile", pile_size(state)},
            {"shops", shops},
            {"collections", collections}};
}

void add_placements(const State& state, int tile, const std::vector<Cell>& cells,
                    std::vector<PlayerMove>& moves) {
    for (const Cell cell : cells)
        moves.push_back(
            {state.turn,
             {{"type", "place"}, {"tile", state.toy(tile).id}, {"at", {cell.col, cell.row}}}});
}

std::string cell_text(const State& state, const Shop& shop, Cell cell) {
    if (cell == Cell{}) return " " + state.register_of(shop).id;
    for (const Laid& laid : shop.tiles)
        if (laid.at == cell) return state.toy(laid.tile).id;
    return "  .";
}

std::string shop_text(const State& state, const Shop& shop) {
    int left = 0, right = 0, top = 0, bottom = 0;
    for (const Laid& laid : shop.tiles) {
        left = std::min(left, laid.at.col);
        right = std::max(right, laid.at.col);
        top = std::min(top, laid.at.row);
        bottom = std::max(bottom, laid.at.row);
    }
    std::string text;
    for (int row = top; row <= bottom; ++row) {
        text += "   ";
        for (int col = left; col <= right; ++col) text += " " + cell_text(state, shop, {col, row});
        text += "\n";
    }
    return text;
}

}  // namespace
}  // namespace jouets

using namespace jouets;

GameInfo Jouets::info() {
    return {"jouets", "Jouets à GO GO GO", 2, 4, {""}};
}

tl::expected<Jouets::State, Ruling> Jouets::start(const Setup& setup) {
    State state;
    auto set = tile_set(setup.options);
    if (!set)
        return tl::unexpected(
            bad_option(set.error(), "each tile needs an id of its own, zones and four sides"));
    state.set = std::move(*set);
    const auto seats = distinct_seats(setup);
    for (std::size_t i = 0; i < setup.players.size(); ++i) {
        Shop shop;
        shop.name = setup.players[i].name;
        shop.seat = seats[i];
        state.shops.push_back(std::move(shop));
    }
    if (!deal_registers(setup, state))
        return tl::unexpected(
            bad_option("registers", "each player needs a register tile of the set"));
    if (!read_market(setup, state))
        return tl::unexpected(
            bad_option("market", "it must list up to four different tiles of the set"));
    const auto first = first_player(setup);
    if (!first) return tl::unexpected(first.error());
    state.turn = *first;
    const auto youngest = youngest_player(setup, *first);
    if (!youngest) return tl::unexpected(youngest.error());
    state.youngest = *youngest;
    return state;
}

Ruling Jouets::judge(const State& state, int player, const Move& move) {
    if (state.finished) return refused("JOUETS-30", "jouets.finished");
    const auto type = text_field(move, "type");
    if (type == "reveal" && player >= 0 && player < state.players())
        return judge_reveal(state, move);
    if (player != state.turn || type == "place") return judge_place(state, player, move);
    return not_understood("type");
}

Applied<Jouets::State> Jouets::apply(const State& state, int player, const Move& move) {
    Applied<State> done{state, {}};
    if (text_field(move, "type") == "reveal") {
        open_tile(done.state, *toy_named(state, *text_field(move, "tile")));
        done.state.market_known |= done.state.market.size() == kMarket;
    } else {
        place_tile(done.state, player, *understood(state, move), done.events);
    }
    return done;
}

GameView Jouets::view(const State& state) {
    GameView view;
    view.finished = state.finished;
    view.turn = state.finished ? -1 : state.turn;
    for (const Shop& shop : state.shops) view.players.push_back(player_view(shop));
    if (state.finished) view.winners = winners_of(state);
    if (!state.finished) view.actions = {"place"};
    if (!state.finished && state.market.size() < kMarket && pile_size(state) > 0)
        view.actions.push_back("reveal");
    view.board = board_view(state);
    return view;
}

std::vector<PlayerMove> Jouets::legal_moves(const State& state) {
    std::vector<PlayerMove> moves;
    if (state.finished) return moves;
    const auto cells = free_cells(state.shop(state.turn));
    for (int tile = 0; tile < static_cast<int>(state.set->toys.size()); ++tile) {
        if (is_laid(state, tile)) continue;
        if (in_market(state, tile) || !state.market_known)
            add_placements(state, tile, cells, moves);
        if (!in_market(state, tile) && state.market.size() < kMarket)
            moves.push_back({state.turn, {{"type", "reveal"}, {"tile", state.toy(tile).id}}});
    }
    return moves;
}

std::string Jouets::to_text(const State& state) {
    std::string text = "market";
    if (!state.market_known) text += " unknown";
    for (const Open& open : state.market) text += " " + state.toy(open.tile).id;
    text += ", pile " + std::to_string(pile_size(state)) + "\n";
    for (int i = 0; i < state.players(); ++i) {
        const Shop& shop = state.shop(i);
        text += (i == state.turn && !state.finished ? "> " : "  ") + shop.name + ": " +
                std::to_string(shop.coins) + " coins";
        for (const Reward& reward : shop.rewards)
            text += ", " + reward.kind + " " + kTypes[static_cast<std::size_t>(reward.type)];
        text += "\n" + shop_text(state, shop);
    }
    for (const int winner : state.finished ? winners_of(state) : std::vector<int>{})
        text += state.shop(winner).name + " wins\n";
    return text;
}

}  // namespace overboard::rules
