#pragma once

#include <array>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "rules/game.hpp"

/// GAY-PLAY: roll, walk through the town, buy six articles, be first at home. The page with the
/// numbered rules is in this folder's README.
namespace overboard::rules::gayplay {

inline constexpr int kShops = 6;
inline constexpr int kPlaces = 6;     ///< Card places in a shop.
inline constexpr int kMaxOrders = 8;  ///< GAYPLAY-R2.

enum class Kind {
    start,
    street,
    red,
    enter,
    circus,
    park,
    send_home,
    home_for_money,
    send_shop,
    back,
    forward,
    tobacco,
    arrival,
    home
};

struct Square {
    std::string id;
    Kind kind = Kind::street;
    int shop = 0;  ///< red, enter, send_shop: 1…6.
    int n = 0;     ///< back, forward.
    Point at;      ///< Table frame.
};

/// The town: a data file. Indexes are into `squares`.
struct Board {
    std::vector<Square> squares;
    int home = 0;
    int arrival = 0;
    std::map<int, int> red;  ///< Shop → its red square.
    int leave = -1;          ///< The shortcut: after this square …
    int tobacco = -1;        ///< … comes this one. -1: there is none.
    std::array<std::array<Point, kPlaces>, kShops> places{};  ///< Card places, table frame.
    Point tray{600, 632};                                     ///< Where scene_of() puts the die.
};

/// What a player took from a shop.
struct Bought {
    std::string card;
    int place = 0;       ///< Where it lay, 0…5.
    bool known = false;  ///< False: nobody has seen it, it is taken for the right one.
};

enum class Status { waiting, street, circus, park, in_shop, arrived };

struct Figure {
    std::string name, seat, colour;
    std::vector<std::string> list;  ///< One article a shop.
    Status status = Status::waiting;
    bool fetching = false;  ///< Goes for money: the way home → grocery → tobacco.
    int square = 0;
    int was = 0;                   ///< Where it stood before it last moved.
    std::map<int, Bought> bought;  ///< By shop.
    int peeks_left = 0;
};

struct State {
    std::shared_ptr<const Board> board;
    std::vector<Figure> figures;
    std::array<std::array<bool, kPlaces>, kShops> shelf{};  ///< Places that still hold a card.
    int turn = 0;
    bool searching = false;  ///< In the shop and rolled: cards may be turned.
    bool found = false;      ///< The coming roll follows finding the right card.
    std::set<int> turned;    ///< Places turned in this roll, not what lay there.
    std::optional<int> die;  ///< As last rolled.
    std::optional<Point> die_at;
    int rolls = 0;
    int winner = -1;
    std::optional<Message> message;
};

/// options.board or the project's own; likewise options.lists.
tl::expected<std::shared_ptr<const Board>, Ruling> board_from(const Json& options);
tl::expected<std::vector<std::vector<std::string>>, Ruling> lists_from(const Setup& setup);

/// The colour of a player's figure: as told, else by the order of the players.
std::string colour_of(const Setup& setup, std::size_t player);

/// The shop whose article is missing first; 0: all are bought.
int needed_shop(const State& s, const Figure& f);
/// GAYPLAY-14: six players and one card left in the shop.
bool takes_the_last(const State& s);
int cards_left(const State& s, int shop);
std::vector<std::string> actions(const State& s);
std::string status_name(const Figure& f);
/// Where `n` squares along the figure's way end; nothing when that goes past the red square it
/// needs or past the arrival.
std::optional<int> walk(const State& s, const Figure& f, int n);

struct Gayplay {
    using State = gayplay::State;
    static GameInfo info();
    static Catalogue catalogue(const Setup& setup);
    static tl::expected<State, Ruling> start(const Setup& setup);
    static Ruling judge(const State& s, int player, const Move& m);
    static Applied<State> apply(const State& s, int player, const Move& m);
    static GameView view(const State& s);
    static std::vector<Mark> marks(const State& s);
    static std::vector<PlayerMove> legal_moves(const State& s);
    static std::vector<Hint> hints(const State& s, int count);
    static std::string to_text(const State& s);
    static Observation scene_of(const State& s);
    static Reading read(const State& s, const Observation& seen);
    static bool visible(const State& s, const PlayerMove& m);
    static Move kept(const Move& m);
    static void hide(Observation& seen);
};

}  // namespace overboard::rules::gayplay
