#include <set>

#include "bus/data.hpp"
#include "rules/carrom/carrom.hpp"
#include "rules/fields.hpp"

// A shot is judged by counts: what fell, what left the box. Points first, then the queen, then
// whether the turn goes on, then whether the round is over. Where discs lie matters to nobody here;
// the state keeps it for the camera and for putting things back.
namespace overboard::rules::carrom {
namespace {

using Events = std::vector<Json>;

int count(const State& s) {
    return static_cast<int>(s.names.size());
}
int after(const State& s, int player) {
    return (player + 1) % count(s);
}
const std::string& shooter(const State& s) {
    return s.names[static_cast<std::size_t>(s.turn)];
}
int& score(State& s) {
    return s.scores[static_cast<std::size_t>(s.turn)];
}

void say(State& s, std::string key, Json args = Json::object()) {
    s.message = Message{std::move(key), std::move(args)};
}

std::optional<Ruling> read_fall(const Json& json, const char* which, Fall& fall) {
    if (json.is_null()) return {};
    const Ruling wrong = not_a_move("carrom.bad_count", {{"field", which}});
    if (!json.is_object()) return wrong;
    for (const auto& [type, value] : json.items()) {
        if (value.is_boolean() && type != "queen" && type != "striker") return wrong;
        const int n = value.is_boolean() ? (value.get<bool>() ? 1 : 0)
                                         : int_field(json, type.c_str()).value_or(-1);
        if (n < 0 || n > 1000) return wrong;
        if (n > 0) fall.types[type] = n;
    }
    const auto number = [&](const char* type) {
        return fall.types.contains(type) ? fall.types.at(type) : 0;
    };
    fall.blue = number("blue");
    fall.queen = number("queen") > 0;
    fall.striker = number("striker") > 0;
    return {};
}

std::vector<Disc> discs_from(const Json& json) {
    std::vector<Disc> discs;
    if (!json.is_array()) return discs;
    for (const Json& d : json) {
        const auto type = text_field(d, "type");
        const auto x = number_field(d, "x"), y = number_field(d, "y");
        if (!type || !x || !y) return {};
        discs.push_back({*type, {*x, *y}});
    }
    return discs;
}

int count_of(const std::vector<Disc>& discs, const std::string& type) {
    return static_cast<int>(
        std::count_if(discs.begin(), discs.end(), [&](const Disc& d) { return d.type == type; }));
}

void remove_discs(std::vector<Disc>& discs, const std::string& type, int n) {
    for (; n > 0; --n) {
        const auto last = std::find_if(discs.rbegin(), discs.rend(),
                                       [&](const Disc& d) { return d.type == type; });
        if (last == discs.rend()) return;
        discs.erase(std::next(last).base());
    }
}

/// Where the discs lie now: as the shot says if its count is right, else what stood before without
/// what is gone.
void note_rest(State& s, const Shot& shot) {
    const int queens = s.queen == Queen::on_board && !s.rows ? 1 : 0;
    if (!s.free && !shot.rest.empty() && count_of(shot.rest, "blue") == s.blue_left &&
        count_of(shot.rest, "queen") == queens) {
        s.rest = shot.rest;
        return;
    }
    if (s.free && !shot.rest.empty()) {
        s.rest = shot.rest;
        return;
    }
    for (const Fall* fall : {&shot.pocketed, &shot.ejected})
        for (const auto& [type, n] : fall->types)
            if (!(s.rows && fall == &shot.ejected)) remove_discs(s.rest, type, n);
}

void set_up(State& s) {
    s.blue_left = s.rows ? kRowBlues : kBlues;
    s.queen = s.rows ? Queen::lost : Queen::on_board;
    s.shots_in_round = 0;
    s.rest = opening(s);
}

/// CARROM-14 with R7: the fewest points; among equals the next clockwise after the leader.
int starts_next(const State& s) {
    const int leader = static_cast<int>(std::max_element(s.scores.begin(), s.scores.end()) -
                                        s.scores.begin());
    const int fewest = *std::min_element(s.scores.begin(), s.scores.end());
    for (int step = 1; step <= count(s); ++step) {
        const int player = (leader + step) % count(s);
        if (s.scores[static_cast<std::size_t>(player)] == fewest) return player;
    }
    return 0;
}

Json scores_json(const State& s) {
    Json all = Json::object();
    for (std::size_t i = 0; i < s.names.size(); ++i) all[s.names[i]] = s.scores[i];
    return all;
}

/// CARROM-13 to 15.
void end_round(State& s, Events& events) {
    events.push_back({{"event", "round.ended"}, {"round", s.round}, {"scores", scores_json(s)}});
    const int best = *std::max_element(s.scores.begin(), s.scores.end());
    if (best >= kGoal && std::count(s.scores.begin(), s.scores.end(), best) == 1) {
        s.finished = true;
        s.winners = {
            static_cast<int>(std::find(s.scores.begin(), s.scores.end(), best) - s.scores.begin())};
        return say(s, "carrom.won",
                   {{"player", s.names[static_cast<std::size_t>(s.winners[0])]}, {"points", best}});
    }
    ++s.round;
    s.turn = starts_next(s);
    set_up(s);
    say(s, "carrom.new_round", {{"round", s.round}, {"player", shooter(s)}});
}

/// Points of a shot. CARROM-4, 10.
void score_shot(State& s, const Shot& shot, bool confirms, Events& events) {
    Json terms = Json::array();
    for (int i = 0; i < shot.pocketed.blue; ++i)
        terms.push_back({{"piece", "blue"}, {"points", 1}});
    if (confirms) terms.push_back({{"piece", "queen"}, {"points", 2}});
    const int points = shot.pocketed.blue + (confirms ? 2 : 0);
    if (points == 0) return;
    score(s) += points;
    events.push_back(
        {{"event", "scored"}, {"player", shooter(s)}, {"points", points}, {"terms", terms}});
}

/// What becomes of the queen. CARROM-9 to 12, R1 to R5.
void settle_queen(State& s, const Shot& shot, bool left_the_box) {
    if (s.queen == Queen::to_confirm)
        s.queen = shot.pocketed.blue > 0 ? Queen::confirmed : Queen::lost;
    if (shot.ejected.queen) s.queen = Queen::lost;
    if (shot.pocketed.queen)
        s.queen = left_the_box || s.blue_left == 0 ? Queen::lost : Queen::to_confirm;
    if (s.queen == Queen::to_confirm && s.blue_left == 0) s.queen = Queen::lost;
}

void say_what_fell(State& s, const Shot& shot, bool confirms, bool goes_on) {
    if (confirms) return say(s, "carrom.queen_confirmed", {{"player", shooter(s)}});
    if (s.queen == Queen::to_confirm)
        return say(s, "carrom.confirm_the_queen", {{"player", shooter(s)}});
    if (shot.ejected.any()) return say(s, "carrom.left_the_box", {{"player", shooter(s)}});
    if (!goes_on) return say(s, "carrom.turn_over", {{"player", shooter(s)}});
    say(s, "carrom.shoot_again", {{"player", shooter(s)}, {"points", shot.pocketed.blue}});
}

void shoot(State& s, const Shot& shot, Events& events) {
    ++s.shots_in_round;
    const bool left_the_box = shot.ejected.any();
    const bool confirms = s.queen == Queen::to_confirm && shot.pocketed.blue > 0;
    s.blue_left -= shot.pocketed.blue + shot.ejected.blue;
    score_shot(s, shot, confirms, events);
    settle_queen(s, shot, left_the_box);
    note_rest(s, shot);
    const bool goes_on = (shot.pocketed.blue > 0 || shot.pocketed.queen) && !left_the_box;
    say_what_fell(s, shot, confirms, goes_on);
    if (s.blue_left == 0) return end_round(s, events);
    if (!goes_on) s.turn = after(s, s.turn);
}

/// CARROM-31: the next player on the same row, then the next row.
void next_in_row(State& s, Events& events) {
    s.turn = after(s, s.turn);
    if (s.turn == s.first) {
        events.push_back({{"event", "round.ended"},
                          {"round", s.row},
                          {"row", s.row},
                          {"scores", scores_json(s)}});
        s.round = ++s.row;
    }
    if (s.row <= kRows) {
        set_up(s);
        return say(s, "carrom.next_row", {{"row", s.row}, {"player", shooter(s)}});
    }
    s.round = s.row = kRows;
    s.finished = true;
    const int fewest = *std::min_element(s.scores.begin(), s.scores.end());
    for (int i = 0; i < count(s); ++i)
        if (s.scores[static_cast<std::size_t>(i)] == fewest) s.winners.push_back(i);
    say(s, "carrom.rows_done", {{"points", fewest}});
}

void shoot_row(State& s, const Shot& shot, Events& events) {
    ++s.shots_in_round;
    s.blue_left -= shot.pocketed.blue;  // R9: what left the box is put back
    note_rest(s, shot);
    if (shot.pocketed.blue == 0) {
        ++score(s);
        events.push_back(
            {{"event", "scored"}, {"player", shooter(s)}, {"points", 1}, {"penalty", true}});
        say(s, "carrom.row_miss", {{"player", shooter(s)}});
    } else {
        say(s, "carrom.row_hit", {{"player", shooter(s)}, {"left", s.blue_left}});
    }
    if (s.blue_left == 0) next_in_row(s, events);
}

void shoot_freely(State& s, int player, const Shot& shot, Events& events) {
    ++s.shots_in_round;
    s.turn = player;
    int fell = 0;
    for (const auto& [type, n] : shot.pocketed.types) {
        for (int i = 0; i < n; ++i)
            s.fallen.push_back({type, player, s.shots_in_round, shot.shot_id});
        if (type != "striker") fell += n;
    }
    note_rest(s, shot);
    if (fell == 0) {
        s.turn = after(s, s.turn);
        return;
    }
    score(s) += fell;
    events.push_back({{"event", "scored"},
                      {"player", s.names[static_cast<std::size_t>(player)]},
                      {"points", fell}});
}

Ruling judge_counts(const State& s, const Shot& shot) {
    const auto impossible = [](std::string key, Json args = Json::object()) {
        return refused("CARROM-COUNT", std::move(key), std::move(args));
    };
    const int gone = shot.pocketed.blue + shot.ejected.blue;
    if (gone > s.blue_left)
        return impossible("carrom.too_many_discs", {{"count", gone}, {"left", s.blue_left}});
    const bool queen = shot.pocketed.queen || shot.ejected.queen;
    if (queen && (s.queen != Queen::on_board || s.rows))
        return impossible("carrom.queen_not_there");
    if (shot.pocketed.queen && shot.ejected.queen)
        return impossible("carrom.both_ways", {{"piece", "queen"}});
    if (shot.pocketed.striker && shot.ejected.striker)
        return impossible("carrom.both_ways", {{"piece", "striker"}});
    for (const Fall* fall : {&shot.pocketed, &shot.ejected})
        for (const auto& [type, n] : fall->types) {
            if (type != "blue" && type != "queen" && type != "striker")
                return impossible("carrom.unknown_disc", {{"type", type}});
            if (type != "blue" && n > 1) return impossible("carrom.only_one", {{"piece", type}});
        }
    return allowed();
}

bool suits(const physics::Board& board, const std::string& variant) {
    if (variant == "rows") return board.rows.size() >= kRows && board.line_of("s");
    return board.lines.size() >= 4 &&
           (variant == "free" || (board.knows("blue") && board.spots.size() == kBlues + 1));
}

/// A board of the request's own: a whole board file, or `base` and what differs from it.
tl::expected<std::shared_ptr<const physics::Board>, Ruling> own_board(const Setup& setup,
                                                                      const Json& given) {
    try {
        Json json = Json::object();
        if (const auto base = text_field(given, "base")) {
            const auto names = physics::board_names();
            if (std::find(names.begin(), names.end(), *base) == names.end())
                return tl::unexpected(
                    bad_option("board", "there is no board '" + *base + "' to begin with"));
            json = load_data("physics/data/" + *base + ".json");
        }
        json.merge_patch(given);
        auto board = std::make_shared<const physics::Board>(physics::board_from(json));
        if (!suits(*board, setup.variant))
            return tl::unexpected(bad_option("board", "this variant cannot be played on it"));
        return board;
    } catch (const std::exception& e) {
        return tl::unexpected(bad_option("board", e.what()));
    }
}

tl::expected<std::shared_ptr<const physics::Board>, Ruling> board_for(const Setup& setup) {
    const bool rows = setup.variant == "rows";
    const Json& given = field(setup.options, "board");
    if (given.is_object()) return own_board(setup, given);
    if (!given.is_null() && !given.is_string())
        return tl::unexpected(bad_option("board", "it must be the name of a board or a board"));
    std::string name = given.is_string() ? given.get<std::string>() : "to-go";
    const auto names = physics::board_names();
    const auto known = [&](const std::string& n) {
        return std::find(names.begin(), names.end(), n) != names.end();
    };
    if (rows && known(name + "-reverse")) name += "-reverse";
    if (!known(name))
        return tl::unexpected(bad_option("board", "there is no board '" + name + "'"));
    const physics::Board& board = physics::load_board(name);
    if (!suits(board, setup.variant))
        return tl::unexpected(
            bad_option("board", "this variant cannot be played on '" + name + "'"));
    return std::shared_ptr<const physics::Board>(std::shared_ptr<void>{},
                                                 &board);  // loaded once, never freed
}

tl::expected<std::vector<std::string>, Ruling> seats_for(const Setup& setup) {
    if (setup.variant == "rows") return std::vector<std::string>(setup.players.size(), "s");
    const auto seats = seats_of(setup);
    if (setup.variant != "free" &&
        std::set<std::string>(seats.begin(), seats.end()).size() != seats.size())
        return tl::unexpected(refused("CARROM-2", "carrom.seat_twice"));
    return seats;
}

}  // namespace

tl::expected<Shot, Ruling> shot_from(const Move& m) {
    Shot shot;
    if (const auto bad = read_fall(field(m, "pocketed"), "pocketed", shot.pocketed))
        return tl::unexpected(*bad);
    if (const auto bad = read_fall(field(m, "ejected"), "ejected", shot.ejected))
        return tl::unexpected(*bad);
    if (!field(m, "striker").is_null()) {
        shot.striker = point_field(m, "striker");
        if (!shot.striker) return tl::unexpected(not_a_move("carrom.bad_striker"));
    }
    if (const Json& id = field(m, "shot_id"); !id.is_null() && !id.is_string())
        return tl::unexpected(not_a_move("carrom.bad_shot_id"));
    shot.shot_id = text_field(m, "shot_id").value_or("");
    shot.rest = discs_from(field(m, "rest"));
    return shot;
}

std::vector<Disc> opening(const State& s) {
    std::vector<Disc> discs;
    if (s.rows) {
        for (const Point at : s.board->rows[static_cast<std::size_t>(std::min(s.row, kRows) - 1)])
            discs.push_back({"blue", at});
        return discs;
    }
    for (const physics::Spot& spot : s.board->spots)
        discs.push_back({spot.type, s.tower ? Point{} : spot.at});
    return discs;
}

std::string queen_name(Queen queen) {
    static const char* names[] = {"on_board", "to_confirm", "confirmed", "lost"};
    return names[static_cast<int>(queen)];
}

Ruling judge_placement(const State& s, Point striker) {
    if (s.free) return allowed();
    const std::string& seat = s.seats[static_cast<std::size_t>(s.turn)];
    const physics::ShootingLine* line = s.board->line_of(seat);
    if (line &&
        physics::striker_may_stand(*s.board, *line, striker, s.open_line, kPlacementSlack_mm))
        return allowed();
    return refused("CARROM-3", s.open_line ? "carrom.touch_a_line" : "carrom.placement",
                   {{"player", shooter(s)}, {"seat", seat}}, place(s.board_at, striker));
}

GameInfo Carrom::info() {
    return {"carrom",
            "Carrom To Go",
            1,
            6,
            {"", "tower", "open-line", "tower+open-line", "rows", "free"}};
}

tl::expected<State, Ruling> Carrom::start(const Setup& setup) {
    const int most = setup.variant == "rows" ? 6 : 4;
    if (setup.players.empty() || static_cast<int>(setup.players.size()) > most)
        return tl::unexpected(
            bad_option("players", "this side of the board is for 1 to " + std::to_string(most)));
    const auto board = board_for(setup);
    if (!board) return tl::unexpected(board.error());
    const auto seats = seats_for(setup);
    if (!seats) return tl::unexpected(seats.error());
    const auto first = first_player(setup);
    if (!first) return tl::unexpected(first.error());
    State s;
    s.board = *board;
    s.board_at = physics::kind_of(**board).at;
    for (const PlayerSetup& player : setup.players) s.names.push_back(player.name);
    s.seats = *seats;
    s.scores.assign(s.names.size(), 0);
    s.tower = setup.variant.starts_with("tower");
    s.open_line = setup.variant.ends_with("open-line");
    s.rows = setup.variant == "rows";
    s.free = setup.variant == "free";
    s.first = s.turn = *first;
    set_up(s);
    return s;
}

Ruling Carrom::judge(const State& s, int player, const Move& m) {
    const std::string type = text_field(m, "type").value_or("");
    if (type != "shot" && type != "place_striker")
        return not_a_move("rules.unknown_move", {{"type", field(m, "type")}});
    if (!s.free && player != s.turn) return not_your_turn(shooter(s));
    if (type == "place_striker") {
        const auto at = point_field(m, "at");
        return at ? judge_placement(s, *at) : not_a_move("carrom.bad_striker");
    }
    const auto shot = shot_from(m);
    if (!shot) return shot.error();
    if (s.free) return allowed();
    if (shot->striker)
        if (Ruling ruling = judge_placement(s, *shot->striker); !ruling.legal()) return ruling;
    return judge_counts(s, *shot);
}

Applied<State> Carrom::apply(const State& before, int player, const Move& m) {
    Applied<State> done{before, {}};
    if (changes_nothing(m)) return done;
    State& s = done.state;
    s.message.reset();
    const Shot shot = *shot_from(m);
    if (s.free)
        shoot_freely(s, player, shot, done.events);
    else if (s.rows)
        shoot_row(s, shot, done.events);
    else
        shoot(s, shot, done.events);
    return done;
}

bool Carrom::changes_nothing(const Move& m) {
    return text_field(m, "type") == "place_striker";
}

GameView Carrom::view(const State& s) {
    GameView v;
    v.finished = s.finished;
    v.turn = s.finished ? -1 : s.turn;
    if (!s.finished) v.actions = {"place_striker", "shot"};
    v.winners = s.winners;
    v.message = s.message;
    for (std::size_t i = 0; i < s.names.size(); ++i)
        v.players.push_back({{"score", s.scores[i]}, {"seat", s.seats[i]}});
    v.board = {{"round", s.round},
               {"shooter_line", s.seats[static_cast<std::size_t>(s.turn)]},
               {"name", s.board->name}};
    if (s.free) {
        Json& fallen = v.board["fallen"] = Json::array();
        for (const Fell& f : s.fallen)
            fallen.push_back({{"type", f.type},
                              {"player", s.names[static_cast<std::size_t>(f.player)]},
                              {"shot", f.shot},
                              {"shot_id", f.shot_id}});
        return v;
    }
    v.board["blue_left"] = s.blue_left;
    v.board["queen"] = queen_name(s.queen);
    if (s.rows) v.board["row"] = s.row;
    return v;
}

std::vector<PlayerMove> Carrom::legal_moves(const State& s) {
    if (s.finished) return {};
    std::vector<PlayerMove> moves;
    const auto add = [&](Json pocketed, Json ejected) {
        Move m{
            {"type", "shot"}, {"pocketed", std::move(pocketed)}, {"ejected", std::move(ejected)}};
        if (judge(s, s.turn, m).legal()) moves.push_back({s.turn, std::move(m)});
    };
    const std::string kind = s.free && !s.board->knows("blue") ? "white" : "blue";
    for (int n = 0; n <= 3; ++n) {
        add({{kind, n}}, Json::object());
        add({{kind, n}, {"queen", true}}, Json::object());
        add({{kind, n}}, {{"striker", true}});
    }
    if (!s.free) add({{kind, s.blue_left}}, Json::object());
    if (!s.free) add({{kind, s.blue_left}, {"queen", true}}, Json::object());
    add({{"striker", true}}, Json::object());
    add({{kind, 1}}, {{kind, 1}});
    add(Json::object(), {{"queen", true}});
    return moves;
}

std::string Carrom::to_text(const State& s) {
    std::string text;
    for (std::size_t i = 0; i < s.names.size(); ++i)
        text += fmt::format("{} {} ({}) {}\n",
                            static_cast<int>(i) == s.turn && !s.finished ? "*" : " ", s.names[i],
                            s.seats[i], s.scores[i]);
    text += fmt::format("  round {} blues {} queen {}", s.round, s.blue_left, queen_name(s.queen));
    if (s.rows) text += fmt::format(" row {}", s.row);
    if (s.free) text += fmt::format(" fallen {}", s.fallen.size());
    return text + (s.finished ? " finished\n" : "\n");
}

Move Carrom::kept(const Move& m) {
    Move out = Json::object();
    for (const char* key : {"type", "at", "striker", "pocketed", "ejected", "shot_id", "rest"})
        if (m.is_object() && m.contains(key)) out[key] = m.at(key);
    return out;
}

}  // namespace overboard::rules::carrom
