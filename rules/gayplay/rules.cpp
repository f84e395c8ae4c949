#include "rules/fields.hpp"
#include "rules/gayplay/gayplay.hpp"

// A turn is a chain of small steps, each a move on the wire: a roll moves the figure, frees it, or
// allows it to turn cards; landing obeys orders until the figure comes to rest; what is expected
// next follows from the figure's status and two flags (searching, found). Cards in shops are places
// that hold a card or not: what lies there is never known here.
namespace overboard::rules::gayplay {
namespace {

using Events = std::vector<Json>;

Figure& current(State& s) {
    return s.figures[static_cast<std::size_t>(s.turn)];
}
const Figure& current(const State& s) {
    return s.figures[static_cast<std::size_t>(s.turn)];
}
const Square& square_of(const State& s, int index) {
    return s.board->squares[static_cast<std::size_t>(index)];
}
auto& shelf_of(State& s, int shop) {
    return s.shelf[static_cast<std::size_t>(shop - 1)];
}
bool holds_card(const State& s, int shop, int place) {
    return s.shelf[static_cast<std::size_t>(shop - 1)][static_cast<std::size_t>(place)];
}
const std::string& wanted(const Figure& f, int shop) {
    return f.list[static_cast<std::size_t>(shop - 1)];
}
bool is_wrong(const Figure& f, int shop, const Bought& b) {
    return b.card != wanted(f, shop);
}

void say(State& s, std::string key, Json args = Json::object()) {
    s.message = Message{std::move(key), std::move(args)};
}

void pass_the_die(State& s) {
    current(s).peeks_left = 0;
    s.searching = s.found = false;
    s.turned.clear();
    s.turn = (s.turn + 1) % static_cast<int>(s.figures.size());
}

int next_square(const State& s, const Figure& f, int i) {
    return f.fetching && i == s.board->leave ? s.board->tobacco : i + 1;
}

/// Back at the tobacco square the way for money is done.
void end_fetching(const State& s, Figure& f) {
    if (f.fetching && f.square > s.board->leave) f.fetching = false;
}

void go_home(const State& s, Figure& f) {
    f.square = s.board->home;
    f.status = Status::street;
}

void enter_shop(const State& s, Figure& f, int shop) {
    f.square = s.board->red.at(shop);
    f.status = Status::in_shop;
}

/// GAYPLAY-15: the card goes to whoever needs it, else back to its place; who took it, to the shop.
void give_back(State& s, int who, int shop, const std::string& card, Events& events) {
    Figure& taker = s.figures[static_cast<std::size_t>(who)];
    const Bought bought = taker.bought.at(shop);
    taker.bought.erase(shop);
    taker.was = taker.square;
    taker.fetching = false;
    std::string to;
    for (Figure& other : s.figures) {
        if (&other == &taker || wanted(other, shop) != card || other.bought.contains(shop))
            continue;
        if (other.status == Status::in_shop && needed_shop(s, other) == shop)
            other.status = Status::street;
        other.bought[shop] = {card, bought.place, true};
        other.peeks_left = 0;
        if (&other == &current(s)) s.searching = false, s.turned.clear();
        to = other.name;
    }
    if (to.empty()) shelf_of(s, shop)[static_cast<std::size_t>(bought.place)] = true;
    enter_shop(s, taker, shop);
    say(s, to.empty() ? "gayplay.card_back_to_shop" : "gayplay.card_given",
        {{"player", taker.name}, {"shop", shop}, {"to", to}});
    events.push_back({{"event", "attention"},
                      {"rule", "GAYPLAY-15"},
                      {"key", s.message->key},
                      {"args", s.message->args}});
    if (who == s.turn) pass_the_die(s);  // GAYPLAY-10: having arrived, wait for the next turn
}

/// GAYPLAY-17. A wrong card that was known all along is discovered at the door.
void arrive(State& s, Figure& f, Events& events) {
    for (const auto& [shop, bought] : f.bought)
        if (is_wrong(f, shop, bought)) {
            const int who = static_cast<int>(&f - s.figures.data());
            return give_back(s, who, shop, std::string{bought.card}, events);
        }
    f.status = Status::arrived;
    s.winner = static_cast<int>(&f - s.figures.data());
    say(s, "gayplay.arrived", {{"player", f.name}});
}

/// One order; false when the square gives none, or none that moves the figure on.
bool obey(State& s, Figure& f, const Square& here) {
    switch (here.kind) {
        case Kind::send_home:
            go_home(s, f);
            say(s, "gayplay.sent_home", {{"player", f.name}});
            return true;
        case Kind::home_for_money:
            go_home(s, f);
            f.fetching = s.board->leave >= 0;
            say(s, "gayplay.fetch_money", {{"player", f.name}});
            return true;
        case Kind::send_shop: {
            const auto red = s.board->red.find(here.shop);
            if (red == s.board->red.end()) return false;
            f.square = red->second;
            say(s, "gayplay.sent_to_shop", {{"player", f.name}, {"shop", here.shop}});
            return true;
        }
        case Kind::back:
            f.square = std::max(0, f.square - here.n);
            say(s, "gayplay.back", {{"player", f.name}, {"n", here.n}});
            return true;
        case Kind::forward: {
            const auto to = walk(s, f, here.n);
            if (!to) return false;
            f.square = *to;
            say(s, "gayplay.forward", {{"player", f.name}, {"n", here.n}});
            return true;
        }
        default: return false;
    }
}

/// What the square says, and the square that leads to, up to GAYPLAY-R2's eight.
void land(State& s, Figure& f, Events& events) {
    for (int orders = 0;; ++orders) {
        end_fetching(s, f);
        const Square& here = square_of(s, f.square);
        const int need = needed_shop(s, f);
        if (need && here.shop == need && (here.kind == Kind::red || here.kind == Kind::enter)) {
            say(s, "gayplay.enters", {{"player", f.name}, {"shop", need}});
            return enter_shop(s, f, need);
        }
        if (f.square == s.board->arrival && !need) return arrive(s, f, events);
        if (here.kind == Kind::circus || here.kind == Kind::park) {
            f.status = here.kind == Kind::circus ? Status::circus : Status::park;
            say(s, here.kind == Kind::circus ? "gayplay.circus" : "gayplay.park",
                {{"player", f.name}});
            return;
        }
        if (orders == kMaxOrders || !obey(s, f, here)) return;
    }
}

void roll_on_street(State& s, int value, Events& events) {
    Figure& f = current(s);
    const bool after_find = std::exchange(s.found, false);
    const int mover = s.turn;
    if (const auto to = walk(s, f, value)) {
        f.was = f.square;
        f.square = *to;
        land(s, f, events);
    } else {
        say(s, "gayplay.too_far", {{"player", f.name}, {"value", value}});
    }
    if (s.winner >= 0 || s.turn != mover) return;
    if (!(after_find && value == 6 && f.status != Status::in_shop)) pass_the_die(s);
}

/// GAYPLAY-1 and 7: only a six frees, and a second roll follows at once.
void roll_to_get_free(State& s, int value) {
    Figure& f = current(s);
    if (value != 6) {
        say(s, "gayplay.needs_six", {{"player", f.name}});
        return pass_the_die(s);
    }
    f.status = Status::street;
    say(s, "gayplay.free", {{"player", f.name}});
}

void roll_in_shop(State& s, int value) {
    current(s).peeks_left = value;
    s.searching = true;
    s.turned.clear();
    say(s, "gayplay.may_turn", {{"player", current(s).name}, {"count", value}});
}

void roll(State& s, const Move& m, Events& events) {
    const int value = *int_field(m, "value");
    s.die = value;
    s.die_at = point_field(m, "at");
    ++s.rolls;
    for (Figure& f : s.figures) f.was = f.square;  // earlier figures have been moved by now
    switch (current(s).status) {
        case Status::waiting:
        case Status::circus:
        case Status::park: return roll_to_get_free(s, value);
        case Status::in_shop: return roll_in_shop(s, value);
        default: return roll_on_street(s, value, events);
    }
}

void turn_over(State& s, int place) {
    if (s.turned.insert(place).second) --current(s).peeks_left;
}

void take(State& s, const Move& m, Events& events) {
    Figure& f = current(s);
    const int shop = needed_shop(s, f);
    const int place = *int_field(m, "slot") - 1;
    const auto card = text_field(m, "card");
    const bool last = takes_the_last(s);
    f.bought[shop] = {card.value_or(wanted(f, shop)), place, card.has_value()};
    shelf_of(s, shop)[static_cast<std::size_t>(place)] = false;
    f.status = Status::street;
    f.peeks_left = 0;
    s.searching = false;
    s.turned.clear();
    s.found = true;
    say(s, "gayplay.bought", {{"player", f.name}, {"shop", shop}});
    if (is_wrong(f, shop, f.bought[shop])) {
        say(s, "gayplay.wrong_card_taken", {{"player", f.name}, {"card", *card}, {"shop", shop}});
        events.push_back({{"event", "attention"},
                          {"rule", "GAYPLAY-15"},
                          {"key", s.message->key},
                          {"args", s.message->args}});
    } else {
        events.push_back({{"event", "scored"},
                          {"player", f.name},
                          {"points", 1},
                          {"shop", shop},
                          {"article", f.bought[shop].card}});
    }
    if (last) pass_the_die(s);
}

/// The shop somebody showed a card of: the teller's own, else that of the player to move.
int exposed_shop(const State& s, int player) {
    const auto shop_of = [&](const Figure& f) {
        return f.status == Status::in_shop ? needed_shop(s, f) : 0;
    };
    if (s.searching) return shop_of(current(s));
    if (const int own = shop_of(s.figures[static_cast<std::size_t>(player)])) return own;
    if (const int turn = shop_of(current(s))) return turn;
    for (const Figure& f : s.figures)
        if (const int shop = shop_of(f)) return shop;
    return 0;
}

void shuffle(State& s, int player, Events& events) {
    const int shop = exposed_shop(s, player);
    if (s.searching) s.turned.clear();
    say(s, "gayplay.shuffle", {{"shop", shop}});
    const Point at = s.board->places[static_cast<std::size_t>(shop - 1)][2];
    events.push_back({{"event", "attention"},
                      {"rule", "GAYPLAY-12"},
                      {"key", "gayplay.shuffle"},
                      {"args", {{"shop", shop}}},
                      {"at", point_json(at)}});
}

int figure_named(const State& s, const std::string& name) {
    for (std::size_t i = 0; i < s.figures.size(); ++i)
        if (s.figures[i].name == name) return static_cast<int>(i);
    return -1;
}

Ruling judge_wrong_card(const State& s, const Move& m) {
    const int who = figure_named(s, text_field(m, "player").value_or(""));
    const int shop = int_field(m, "shop").value_or(0);
    if (who < 0) return not_a_move("rules.no_such_player", {{"player", field(m, "player")}});
    if (shop < 1 || shop > kShops)
        return not_a_move("gayplay.no_such_shop", {{"shop", field(m, "shop")}});
    const Figure& f = s.figures[static_cast<std::size_t>(who)];
    const auto bought = f.bought.find(shop);
    if (bought == f.bought.end())
        return refused("GAYPLAY-15", "gayplay.nothing_bought_there",
                       {{"player", f.name}, {"shop", shop}});
    if (bought->second.known && !is_wrong(f, shop, bought->second))
        return refused("GAYPLAY-15", "gayplay.card_is_right",
                       {{"player", f.name}, {"card", bought->second.card}});
    return allowed();
}

/// A card that everybody knows somebody else to have cannot lie here.
Ruling judge_card(const State& s, const std::optional<std::string>& card, Point at) {
    for (const Figure& f : s.figures)
        for (const auto& [shop, bought] : f.bought)
            if (bought.card == card && bought.known)
                return refused("GAYPLAY-15", "gayplay.card_is_gone",
                               {{"card", bought.card}, {"player", f.name}}, at);
    return allowed();
}

Ruling judge_place(const State& s, const Move& m, const std::string& type) {
    const int slot = int_field(m, "slot").value_or(0);
    if (slot < 1 || slot > kPlaces)
        return not_a_move("gayplay.no_such_place", {{"slot", field(m, "slot")}});
    const int shop = needed_shop(s, current(s));
    const Point at = s.board->places[static_cast<std::size_t>(shop - 1)]
                                    [static_cast<std::size_t>(slot - 1)];
    if (!holds_card(s, shop, slot - 1))
        return refused("GAYPLAY-10", "gayplay.place_is_empty", {{"slot", slot}, {"shop", shop}},
                       at);
    const bool free = s.turned.contains(slot - 1) || current(s).peeks_left > 0 || takes_the_last(s);
    if (!free)
        return refused("GAYPLAY-10", "gayplay.no_more_cards", {{"player", current(s).name}}, at);
    if (type != "take") return allowed();
    if (!field(m, "card").is_null() && !field(m, "card").is_string())
        return not_a_move("gayplay.bad_card");
    return judge_card(s, text_field(m, "card"), at);
}

/// What has to come first.
Ruling not_now(const State& s) {
    const Json who = {{"player", current(s).name}};
    if (takes_the_last(s))
        return refused("GAYPLAY-14", "gayplay.take_the_last",
                       {{"player", current(s).name}, {"shop", needed_shop(s, current(s))}});
    return refused("GAYPLAY-10", s.searching ? "gayplay.cards_first" : "gayplay.roll_first", who);
}

Ruling judge_own(const State& s, const Move& m, const std::string& type) {
    const auto expected = actions(s);
    if (std::find(expected.begin(), expected.end(), type) == expected.end()) return not_now(s);
    if (type == "done") return allowed();
    if (type != "roll") return judge_place(s, m, type);
    const int value = int_field(m, "value").value_or(0);
    if (value < 1 || value > 6)
        return not_a_move("rules.die_value", {{"value", field(m, "value")}});
    return allowed();
}

}  // namespace

int needed_shop(const State& s, const Figure& f) {
    for (const auto& [shop, square] : s.board->red)
        if (!f.bought.contains(shop)) return shop;
    return 0;
}

int cards_left(const State& s, int shop) {
    const auto& places = s.shelf[static_cast<std::size_t>(shop - 1)];
    return static_cast<int>(std::count(places.begin(), places.end(), true));
}

bool takes_the_last(const State& s) {
    return s.figures.size() == 6 && current(s).status == Status::in_shop && !s.searching &&
           cards_left(s, needed_shop(s, current(s))) == 1;
}

std::vector<std::string> actions(const State& s) {
    if (s.winner >= 0) return {};
    if (takes_the_last(s)) return {"take"};
    if (s.searching) return {"peek", "take", "done"};
    return {"roll"};
}

std::string status_name(const Figure& f) {
    switch (f.status) {
        case Status::waiting: return "waiting";
        case Status::circus: return "circus";
        case Status::park: return "park";
        case Status::in_shop: return "in_shop";
        case Status::arrived: return "arrived";
        default: return f.fetching ? "fetch_money" : "street";
    }
}

std::optional<int> walk(const State& s, const Figure& f, int n) {
    const int need = needed_shop(s, f);
    const int stop = need ? s.board->red.at(need) : s.board->arrival;
    const int last = static_cast<int>(s.board->squares.size()) - 1;
    int at = f.square;
    for (int step = 0; step < n; ++step) {
        if (at == stop || at >= last) return {};
        at = next_square(s, f, at);
    }
    if (at == s.board->arrival && need) return {};  // GAYPLAY-R4
    return at;
}

std::string colour_of(const Setup& setup, std::size_t player) {
    static const std::array<const char*, 6> colours = {"red",    "blue",  "green",
                                                       "yellow", "white", "purple"};
    return text_field(setup.players[player].extra, "colour")
        .value_or(colours[player % colours.size()]);
}

GameInfo Gayplay::info() {
    return {"gayplay", "GAY-PLAY", 2, 6, {""}};
}

tl::expected<State, Ruling> Gayplay::start(const Setup& setup) {
    const int count = static_cast<int>(setup.players.size());
    if (count < 2 || count > 6)
        return tl::unexpected(bad_option("players", "it is a game for 2 to 6"));
    const auto board = board_from(setup.options);
    if (!board) return tl::unexpected(board.error());
    const auto lists = lists_from(setup);
    if (!lists) return tl::unexpected(lists.error());
    const auto first = first_player(setup);
    if (!first) return tl::unexpected(first.error());
    State s;
    s.board = *board;
    s.turn = *first;
    for (auto& places : s.shelf) places.fill(true);
    const auto seats = seats_of(setup);
    for (std::size_t i = 0; i < setup.players.size(); ++i) {
        Figure f;
        f.name = setup.players[i].name;
        f.seat = seats[i];
        f.colour = colour_of(setup, i);
        f.list = (*lists)[i];
        s.figures.push_back(f);
    }
    return s;
}

Ruling Gayplay::judge(const State& s, int player, const Move& m) {
    const std::string type = text_field(m, "type").value_or("");
    if (type == "wrong_card") return judge_wrong_card(s, m);
    if (type == "exposed")
        return exposed_shop(s, player) ? allowed()
                                       : refused("GAYPLAY-12", "gayplay.nobody_in_a_shop");
    static const std::set<std::string> own = {"roll", "peek", "take", "done"};
    if (!own.contains(type)) return not_a_move("rules.unknown_move", {{"type", field(m, "type")}});
    if (player != s.turn) return not_your_turn(current(s).name);
    return judge_own(s, m, type);
}

Applied<State> Gayplay::apply(const State& before, int player, const Move& m) {
    Applied<State> done{before, {}};
    State& s = done.state;
    s.message.reset();
    const std::string type = *text_field(m, "type");
    if (type == "roll") roll(s, m, done.events);
    if (type == "peek") turn_over(s, *int_field(m, "slot") - 1);
    if (type == "take") take(s, m, done.events);
    if (type == "done") pass_the_die(s);
    if (type == "exposed") shuffle(s, player, done.events);
    if (type == "wrong_card") {
        const int who = figure_named(s, *text_field(m, "player")), shop = *int_field(m, "shop");
        const Bought bought = s.figures[static_cast<std::size_t>(who)].bought.at(shop);
        const std::string seen = text_field(m, "card").value_or(bought.known ? bought.card : "");
        give_back(s, who, shop, seen, done.events);
    }
    return done;
}

GameView Gayplay::view(const State& s) {
    GameView v;
    v.finished = s.winner >= 0;
    v.turn = v.finished ? -1 : s.turn;
    v.actions = actions(s);
    if (v.finished) v.winners = {s.winner};
    v.message = s.message;
    Json& players = v.board["players"] = Json::object();
    for (const Figure& f : s.figures) {
        Json articles = Json::array();
        int right = 0;
        for (const auto& [shop, bought] : f.bought) {
            articles.push_back(bought.card);
            right += is_wrong(f, shop, bought) ? 0 : 1;
        }
        const int need = needed_shop(s, f);
        players[f.name] = {{"square", square_of(s, f.square).id},
                           {"status", status_name(f)},
                           {"next_shop", need ? Json(need) : Json()},
                           {"articles", articles},
                           {"peeks_left", f.peeks_left}};
        v.players.push_back(
            {{"score", right}, {"seat", f.seat}, {"colour", f.colour}, {"list", f.list}});
    }
    Json& shops = v.board["shops"] = Json::object();
    for (const auto& [shop, square] : s.board->red)
        shops[std::to_string(shop)] = s.shelf[static_cast<std::size_t>(shop - 1)];
    return v;
}

std::vector<PlayerMove> Gayplay::legal_moves(const State& s) {
    std::vector<PlayerMove> moves;
    const auto try_out = [&](Move m) {
        if (judge(s, s.turn, m).legal()) moves.push_back({s.turn, std::move(m)});
    };
    for (const std::string& type : actions(s)) {
        if (type == "roll")
            for (int value = 1; value <= 6; ++value) try_out({{"type", type}, {"value", value}});
        else if (type == "done")
            try_out({{"type", type}});
        else
            for (int slot = 1; slot <= kPlaces; ++slot) try_out({{"type", type}, {"slot", slot}});
    }
    if (s.winner >= 0) return moves;
    if (s.searching) try_out({{"type", "exposed"}});
    for (const Figure& f : s.figures)  // a wrong purchase that everybody knows of
        for (const auto& [shop, bought] : f.bought)
            if (is_wrong(f, shop, bought))
                try_out({{"type", "wrong_card"}, {"player", f.name}, {"shop", shop}});
    return moves;
}

std::string Gayplay::to_text(const State& s) {
    std::string text;
    for (std::size_t i = 0; i < s.figures.size(); ++i) {
        const Figure& f = s.figures[i];
        text += fmt::format("{} {}: {} {}",
                            static_cast<int>(i) == s.turn && s.winner < 0 ? "*" : " ", f.name,
                            square_of(s, f.square).id, status_name(f));
        for (const auto& [shop, bought] : f.bought)
            text += fmt::format(" {}={}{}", shop, bought.card,
                                is_wrong(f, shop, bought) ? "(!)" : "");
        if (f.peeks_left) text += fmt::format(" may turn {}", f.peeks_left);
        text += "\n";
    }
    text += " shops";
    for (const auto& places : s.shelf) {
        text += " ";
        for (const bool card : places) text += card ? '#' : '.';
    }
    text += "\n expects";
    for (const auto& action : actions(s)) text += " " + action;
    return text + (s.found ? " (found)\n" : "\n");
}

Move Gayplay::kept(const Move& m) {
    static const std::map<std::string, std::vector<const char*>> fields = {
        {"roll", {"value", "at"}},
        {"peek", {"slot"}},
        {"take", {"slot", "card"}},
        {"done", {}},
        {"exposed", {}},
        {"wrong_card", {"player", "shop", "card"}}};
    const auto known = fields.find(text_field(m, "type").value_or(""));
    Move out = Json::object();
    if (known == fields.end()) return out;
    out["type"] = known->first;
    for (const char* key : known->second)
        if (m.contains(key)) out[key] = m.at(key);
    return out;
}

}  // namespace overboard::rules::gayplay
