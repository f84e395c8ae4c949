// A move is understood (JSON → Placing, or a piece to top), judged and done. Where pieces lie and
// touch is mosaic.cpp's business.
#include <algorithm>
#include <cmath>

#include "rules/topit/topit.hpp"
#include "rules/wire.hpp"

namespace overboard::rules {
namespace topit {
namespace {

constexpr double kFarthest_mm = 20000;  // No table is larger; keeps arithmetic honest.

struct Placing {
    int shape = 0;
    int colour = 0;
    Pose pose;  ///< Table frame.
};

Ruling not_understood(const char* key) {
    return not_a_move("topit.move_not_understood", {{"key", key}});
}

bool plays(const State& state, int player, int colour) {
    const int own = state.player(player).colour;
    return own == kAllColours || own == colour;
}

/// The colour the move names, else the player's own.
std::optional<int> colour_of(const State& state, int player, const Move& move) {
    const int own = state.player(player).colour;
    const Json& named = field(move, "colour");
    if (named.is_null() && own != kAllColours) return own;
    if (!named.is_string()) return {};
    return colour_named(named.get_ref<const std::string&>());
}

std::optional<Pose> pose_of(const Json& json) {
    const auto x = number_field(json, "x"), y = number_field(json, "y"),
               angle = number_field(json, "angle");
    if (!x || !y || !angle) return {};
    if (std::max({std::abs(*x), std::abs(*y), std::abs(*angle)}) > kFarthest_mm) return {};
    return Pose{*x, *y, wrapped(*angle)};
}

tl::expected<Placing, Ruling> understood(const State& state, int player, const Move& move) {
    const auto name = text_field(move, "shape");
    const auto shape = name ? state.mosaic.set().shape_named(*name) : std::nullopt;
    const auto colour = colour_of(state, player, move);
    const auto pose = pose_of(field(move, "pose"));
    if (!shape) return tl::unexpected(not_understood("shape"));
    if (!colour) return tl::unexpected(not_understood("colour"));
    if (!pose) return tl::unexpected(not_understood("pose"));
    return Placing{*shape, *colour, *pose};
}

Settled settled(const State& state, const Placing& p) {
    if (!state.mosaic.pieces().empty())
        return state.mosaic.settle(p.shape, state.mosaic.to_mosaic(p.pose));
    Settled first;
    first.at = p.pose;  // the first piece's own pose is the mosaic's frame
    return first;
}

/// TOPIT-22 looks at the second move of a game for two.
bool answers_first_piece(const State& state, int player) {
    return state.count() == 2 && player != state.first && state.mosaic.pieces().size() == 1;
}

const Laid& piece(const State& state, int index) {
    return state.mosaic.pieces()[static_cast<std::size_t>(index)];
}

std::string id_of(const State& state, int index) {
    return piece_id(state, piece(state, index).shape, piece(state, index).colour);
}

Ruling judge_geometry(const State& state, const Placing& p, const Settled& s) {
    const Point at = state.mosaic.to_table(s.where);
    const Json with = s.with < 0 ? Json::object() : Json{{"piece", id_of(state, s.with)}};
    if (s.problem == Settled::Problem::overlap)
        return refused("TOPIT-6", "topit.pieces_overlap", with, at);
    if (s.problem == Settled::Problem::overhang)
        return refused("TOPIT-4", "topit.sides_must_coincide", with, at);
    if (s.problem == Settled::Problem::no_contact)
        return refused("TOPIT-3", "topit.must_touch_a_side", with, at);
    if (colours_allow(state, p.colour, s)) return allowed();
    const auto same = std::find_if(s.neighbours.begin(), s.neighbours.end(),
                                   [&](int n) { return piece(state, n).colour == p.colour; });
    return refused("TOPIT-5", "topit.same_colour", {{"piece", id_of(state, *same)}},
                   Point{p.pose.x, p.pose.y});
}

Ruling judge_place(const State& state, int player, const Move& move) {
    const auto p = understood(state, player, move);
    if (!p) return p.error();
    const Point at{p->pose.x, p->pose.y};
    if (!plays(state, player, p->colour))
        return refused("TOPIT-1", "topit.not_your_colour",
                       {{"colour", kColours[static_cast<std::size_t>(p->colour)]}}, at);
    if (is_laid(state, p->shape, p->colour))
        return refused("TOPIT-8", "topit.already_laid",
                       {{"piece", piece_id(state, p->shape, p->colour)}}, at);
    if (answers_first_piece(state, player) && piece(state, 0).shape == p->shape)
        return refused("TOPIT-22", "topit.another_shape", Json::object(), at);
    if (state.mosaic.pieces().empty()) return allowed();
    return judge_geometry(state, *p, settled(state, *p));
}

std::optional<int> piece_named(const State& state, const std::string& id) {
    for (int i = 0; i < static_cast<int>(state.mosaic.pieces().size()); ++i)
        if (id_of(state, i) == id) return i;
    return {};
}

Ruling judge_top(const State& state, int player, const Move& move) {
    const auto colour = colour_of(state, player, move);
    const auto on = text_field(move, "on");
    if (!colour) return not_understood("colour");
    if (!on) return not_understood("on");
    if (!plays(state, player, *colour))
        return refused("TOPIT-1", "topit.not_your_colour",
                       {{"colour", kColours[static_cast<std::size_t>(*colour)]}});
    if (answers_first_piece(state, player)) return refused("TOPIT-22", "topit.lay_a_piece_first");
    const auto target = piece_named(state, *on);
    if (!target) return refused("TOPIT-10", "topit.no_such_piece", {{"piece", *on}});
    return judge_stone_on(state, *colour, *target);
}

bool has_pieces(const State& state, int player) {
    const auto colours = colours_of(state, player);
    return std::any_of(colours.begin(), colours.end(),
                       [&](int c) { return !shapes_left(state, c).empty(); });
}

bool has_stone(const State& state, int player) {
    const auto colours = colours_of(state, player);
    return std::any_of(colours.begin(), colours.end(),
                       [&](int c) { return !state.stone_laid[static_cast<std::size_t>(c)]; });
}

bool can_top(const State& state, int player) {
    for (const int colour : colours_of(state, player))
        for (int i = 0; i < static_cast<int>(state.mosaic.pieces().size()); ++i)
            if (judge_stone_on(state, colour, i).legal()) return true;
    return false;
}

bool can_place(const State& state, int player) {
    if (state.mosaic.pieces().empty()) return has_pieces(state, player);
    for (const int colour : colours_of(state, player))
        for (const int shape : shapes_left(state, colour))
            if (state.mosaic.visit_places(
                    shape, [&](const Settled& s) { return colours_allow(state, colour, s); }))
                return true;
    return false;
}

/// TOPIT-R1, and a mosaic may leave the last piece no place at all: then there is nothing but
/// passing.
bool must_pass(const State& state, int player) {
    if (!has_pieces(state, player) && !has_stone(state, player)) return false;
    return !can_top(state, player) && !can_place(state, player);
}

bool is_done(const State& state, int player) {
    if (!has_pieces(state, player) && !has_stone(state, player)) return true;
    return state.player(player).passed && must_pass(state, player);
}

void next_turn(State& state) {
    for (int i = 1; i <= state.count(); ++i) {
        const int next = (state.turn + i) % state.count();
        if (is_done(state, next)) continue;
        state.turn = next;
        return;
    }
    state.finished = true;
}

void score(State& state, int player, const Sum& sum, std::vector<Json>& events) {
    state.players[static_cast<std::size_t>(player)].score += sum.points;
    events.push_back({{"event", "scored"},
                      {"player", state.player(player).name},
                      {"points", sum.points},
                      {"terms", sum.terms}});
}

void lay(State& state, int player, const Placing& p, std::vector<Json>& events) {
    const Settled s = settled(state, p);
    const Sum sum = sum_of_placing(state, p.shape, p.colour, s.neighbours);
    state.mosaic.lay(p.shape, p.colour, s, p.pose);
    score(state, player, sum, events);
}

void top(State& state, int player, const Move& move, std::vector<Json>& events) {
    const int target = *piece_named(state, *text_field(move, "on"));
    const int colour = *colour_of(state, player, move);
    state.mosaic.put_stone(target, colour);
    state.stone_laid[static_cast<std::size_t>(colour)] = true;
    score(state, player, sum_of_stone(state, target), events);
}

double rounded(double value, double step) {
    return std::round(value / step) * step + 0.0;
}

void add_term(const State& state, Sum& sum, int index) {
    const int points = state.mosaic.shape(piece(state, index).shape).value;
    sum.points += points;
    sum.terms.push_back({{"piece", id_of(state, index)}, {"points", points}});
}

}  // namespace

std::optional<int> colour_named(const std::string& name) {
    const auto found = std::find(kColours.begin(), kColours.end(), name);
    if (found == kColours.end()) return {};
    return static_cast<int>(found - kColours.begin());
}

std::vector<int> colours_of(const State& state, int player) {
    const int own = state.player(player).colour;
    if (own == kAllColours) return {0, 1, 2, 3};
    return {own};
}

bool is_laid(const State& state, int shape, int colour) {
    const auto& pieces = state.mosaic.pieces();
    return std::any_of(pieces.begin(), pieces.end(),
                       [&](const Laid& l) { return l.shape == shape && l.colour == colour; });
}

std::vector<int> shapes_left(const State& state, int colour) {
    std::vector<int> left;
    for (int shape = 0; shape < static_cast<int>(state.mosaic.set().shapes.size()); ++shape)
        if (!is_laid(state, shape, colour)) left.push_back(shape);
    return left;
}

std::string piece_id(const State& state, int shape, int colour) {
    return std::string{kColours[static_cast<std::size_t>(colour)]} + "-" +
           state.mosaic.shape(shape).name;
}

bool colours_allow(const State& state, int colour, const Settled& settled) {
    if (state.count() == 2) return true;  // TOPIT-20
    return std::none_of(settled.neighbours.begin(), settled.neighbours.end(),
                        [&](int n) { return piece(state, n).colour == colour; });
}

Ruling judge_stone_on(const State& state, int colour, int target) {
    const Laid& laid = piece(state, target);
    const Point middle = state.mosaic.to_table(Point{laid.at.x, laid.at.y});
    const Json args = {{"piece", id_of(state, target)}};
    if (state.stone_laid[static_cast<std::size_t>(colour)])
        return refused("TOPIT-10", "topit.stone_already_laid",
                       {{"colour", kColours[static_cast<std::size_t>(colour)]}}, middle);
    if (!state.mosaic.shape(laid.shape).large)
        return refused("TOPIT-11", "topit.only_large_pieces", args, middle);
    if (laid.stone >= 0) return refused("TOPIT-13", "topit.one_stone_a_piece", args, middle);
    if (laid.colour == colour && state.count() != 2)
        return refused("TOPIT-12", "topit.own_colour", args, middle);
    return allowed();
}

Sum sum_of_placing(const State& state, int shape, int colour, const std::vector<int>& neighbours) {
    Sum sum;
    const int twice = state.mosaic.pieces().empty() ? 2 : 1;  // TOPIT-2
    sum.points = twice * state.mosaic.shape(shape).value;
    sum.terms.push_back({{"piece", piece_id(state, shape, colour)}, {"points", sum.points}});
    for (const int n : neighbours) add_term(state, sum, n);
    return sum;
}

Sum sum_of_stone(const State& state, int target) {
    Sum sum;
    add_term(state, sum, target);
    for (const int n : piece(state, target).neighbours) add_term(state, sum, n);
    return sum;
}

Json pose_json(Pose table) {
    return {{"x", rounded(table.x, 1e-3)},
            {"y", rounded(table.y, 1e-3)},
            {"angle", rounded(wrapped(table.angle), 1e-5)}};
}

Move place_move(const State& state, int shape, int colour, Pose table) {
    return {{"type", "place"},
            {"shape", state.mosaic.shape(shape).name},
            {"colour", kColours[static_cast<std::size_t>(colour)]},
            {"pose", pose_json(table)}};
}

Move top_move(const State& state, int colour, int target) {
    return {{"type", "top"},
            {"colour", kColours[static_cast<std::size_t>(colour)]},
            {"on", id_of(state, target)}};
}

namespace {

bool read_tolerance(const Json& options, const char* name, double& value, double scale = 1) {
    const Json& given = field(options, name);
    if (given.is_null()) return true;
    const auto number = number_in(given);
    if (!number || *number < 0 || *number > 100) return false;
    value = *number * scale;
    return true;
}

tl::expected<Tolerances, Ruling> tolerances_from(const Json& options) {
    Tolerances t;
    const Json& given = field(options, "tolerances");
    if (given.is_null()) return t;
    const bool good = given.is_object() &&
                      read_tolerance(given, "angle_deg", t.angle, M_PI / 180) &&
                      read_tolerance(given, "gap_mm", t.gap_mm) &&
                      read_tolerance(given, "along_mm", t.along_mm) &&
                      read_tolerance(given, "ends_mm", t.ends_mm) &&
                      read_tolerance(given, "depth_mm", t.depth_mm);
    if (!good)
        return tl::unexpected(bad_option(
            "tolerances",
            "angle_deg, gap_mm, along_mm, ends_mm and depth_mm are numbers from 0 to 100"));
    return t;
}

/// TOPIT-1: as chosen, else the first colours nobody has.
bool deal_colours(const Setup& setup, State& state) {
    std::array<bool, 4> taken{};
    std::vector<std::optional<int>> chosen;
    for (const PlayerSetup& player : setup.players) {
        const Json& wanted = field(player.extra, "colour");
        chosen.push_back(wanted.is_string() ? colour_named(wanted.get<std::string>())
                                            : std::nullopt);
        if (!wanted.is_null() && !chosen.back()) return false;
        if (chosen.back() && std::exchange(taken[static_cast<std::size_t>(*chosen.back())], true))
            return false;
    }
    for (std::size_t i = 0; i < chosen.size(); ++i) {
        if (!chosen[i])
            chosen[i] = static_cast<int>(std::find(taken.begin(), taken.end(), false) -
                                         taken.begin());
        taken[static_cast<std::size_t>(*chosen[i])] = true;
        state.players[i].colour = state.count() == 1 ? kAllColours : *chosen[i];
    }
    return true;
}

Json player_view(const State& state, int i) {
    const Player& player = state.player(i);
    Json left = Json::array();
    int stones = 0;
    for (const int colour : colours_of(state, i)) {
        for (const int shape : shapes_left(state, colour))
            left.push_back(piece_id(state, shape, colour));
        stones += !state.stone_laid[static_cast<std::size_t>(colour)];
    }
    const bool all = player.colour == kAllColours;
    return {
        {"seat", player.seat},
        {"score", player.score},
        {"pieces_left", left},
        {"stones_left", stones},
        {"colour", all ? Json("all") : Json(kColours[static_cast<std::size_t>(player.colour)])}};
}

Json piece_view(const State& state, int i) {
    const Laid& laid = piece(state, i);
    const Pose at = state.mosaic.to_table(laid.at);
    Json neighbours = Json::array();
    for (const int n : laid.neighbours) neighbours.push_back(id_of(state, n));
    return {
        {"id", id_of(state, i)},
        {"shape", state.mosaic.shape(laid.shape).name},
        {"colour", kColours[static_cast<std::size_t>(laid.colour)]},
        {"value", state.mosaic.shape(laid.shape).value},
        {"pose", {{"x", at.x}, {"y", at.y}, {"angle", at.angle}}},
        {"neighbours", neighbours},
        {"stone", laid.stone < 0 ? Json() : Json(kColours[static_cast<std::size_t>(laid.stone)])}};
}

std::vector<int> winners_of(const State& state) {
    std::vector<int> winners;
    const auto best = std::max_element(
        state.players.begin(), state.players.end(),
        [](const auto& a, const auto& b) { return a.score < b.score; });
    for (int i = 0; i < state.count(); ++i)
        if (state.player(i).score == best->score) winners.push_back(i);
    return winners;
}

void add_placings(const State& state, std::vector<PlayerMove>& moves) {
    const auto colours = colours_of(state, state.turn);
    for (int shape = 0; shape < static_cast<int>(state.mosaic.set().shapes.size()); ++shape) {
        const auto open = [&](int c) {
            return !is_laid(state, shape, c) &&
                   !(answers_first_piece(state, state.turn) && piece(state, 0).shape == shape);
        };
        if (std::none_of(colours.begin(), colours.end(), open)) continue;
        if (state.mosaic.pieces().empty())
            for (const int c : colours)
                moves.push_back(
                    {state.turn, place_move(state, shape, c, {kMiddle.x, kMiddle.y, 0})});
        for (const Settled& place : state.mosaic.places_for(shape))
            for (const int c : colours)
                if (open(c) && colours_allow(state, c, place))
                    moves.push_back(
                        {state.turn, place_move(state, shape, c, state.mosaic.to_table(place.at))});
    }
}

}  // namespace
}  // namespace topit

using namespace topit;

GameInfo Topit::info() {
    return {"topit", "TOP IT", 1, 4, {""}};
}

tl::expected<Topit::State, Ruling> Topit::start(const Setup& setup) {
    State state;
    const Json& own = field(setup.options, "pieces");
    const auto set = own.is_null() ? default_pieces() : pieces_from(own);
    if (!set)
        return tl::unexpected(bad_option("pieces",
                                         "each needs a shape, a value, and convex sides_mm and "
                                         "corners_deg, or vertices clockwise"));
    const auto tolerances = tolerances_from(setup.options);
    if (!tolerances) return tl::unexpected(tolerances.error());
    state.mosaic = Mosaic{set, *tolerances};
    const auto seats = seats_of(setup);
    for (std::size_t i = 0; i < setup.players.size(); ++i)
        state.players.push_back({setup.players[i].name, seats[i], 0, 0, false});
    if (!deal_colours(setup, state))
        return tl::unexpected(
            bad_option("colour", "each player needs another one of blue, red, green and yellow"));
    const auto first = first_player(setup);
    if (!first) return tl::unexpected(first.error());
    state.first = state.turn = *first;
    state.best = number_field(setup.options, "best");
    return state;
}

Ruling Topit::judge(const State& state, int player, const Move& move) {
    if (state.finished) return refused("TOPIT-15", "topit.finished");
    if (player != state.turn) return not_your_turn(state.player(state.turn).name);
    const auto type = text_field(move, "type");
    if (type == "place") return judge_place(state, player, move);
    if (type == "top") return judge_top(state, player, move);
    if (type == "pass")
        return must_pass(state, player) ? allowed() : refused("TOPIT-R1", "topit.no_pass");
    return not_understood("type");
}

Applied<Topit::State> Topit::apply(const State& state, int player, const Move& move) {
    Applied<State> done{state, {}};
    const auto type = text_field(move, "type");
    if (type == "place") lay(done.state, player, *understood(state, player, move), done.events);
    if (type == "top") top(done.state, player, move, done.events);
    if (type == "pass") done.state.players[static_cast<std::size_t>(player)].passed = true;
    next_turn(done.state);
    return done;
}

GameView Topit::view(const State& state) {
    GameView view;
    view.finished = state.finished;
    view.turn = state.finished ? -1 : state.turn;
    Json pieces = Json::array();
    for (int i = 0; i < static_cast<int>(state.mosaic.pieces().size()); ++i)
        pieces.push_back(piece_view(state, i));
    for (int i = 0; i < state.count(); ++i) view.players.push_back(player_view(state, i));
    if (state.finished)
        view.winners = winners_of(state);
    else if (must_pass(state, state.turn))
        view.actions = {"pass"};
    if (!state.finished && has_pieces(state, state.turn)) view.actions.push_back("place");
    if (!state.finished && can_top(state, state.turn) && !answers_first_piece(state, state.turn))
        view.actions.push_back("top");
    view.board = {{"pieces", pieces}};
    if (state.best) view.board["best"] = *state.best;
    return view;
}

std::vector<PlayerMove> Topit::legal_moves(const State& state) {
    std::vector<PlayerMove> moves;
    if (state.finished) return moves;
    add_placings(state, moves);
    for (const int colour : colours_of(state, state.turn))
        for (int i = 0; i < static_cast<int>(state.mosaic.pieces().size()); ++i)
            if (!answers_first_piece(state, state.turn) && judge_stone_on(state, colour, i).legal())
                moves.push_back({state.turn, top_move(state, colour, i)});
    if (must_pass(state, state.turn)) moves.push_back({state.turn, {{"type", "pass"}}});
    return moves;
}

std::string Topit::to_text(const State& state) {
    std::string text;
    for (int i = 0; i < state.count(); ++i)
        text += (i == state.turn && !state.finished ? "> " : "  ") + state.player(i).name + " " +
                std::to_string(state.player(i).score) + "\n";
    for (int i = 0; i < static_cast<int>(state.mosaic.pieces().size()); ++i) {
        text += "    " + id_of(state, i);
        if (piece(state, i).stone >= 0)
            text += std::string{" under the "} +
                    kColours[static_cast<std::size_t>(piece(state, i).stone)] + " stone";
        const char* before = " beside ";
        for (const int n : piece(state, i).neighbours)
            text += std::exchange(before, ", ") + id_of(state, n);
        text += "\n";
    }
    for (const int winner : state.finished ? winners_of(state) : std::vector<int>{})
        text += state.player(winner).name + " wins\n";
    return text;
}

}  // namespace overboard::rules
