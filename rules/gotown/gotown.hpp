#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "rules/game.hpp"

/// GOTOWN: build a tower of five floors, each of two cards that add up to 9.
///
/// Hands are numbers here and nowhere anything else: what a hand holds is never shown or stored.
namespace overboard::rules {

namespace gotown {

enum class Card {
    none,
    one,
    two,
    three,
    four,
    five,
    six,
    seven,
    eight,
    joker,
    dog,
    bone,
    hammer,
    wrecking_ball,
    milkshake,
    donut_truck,
    thief,
    super_thief
};
inline constexpr int kCards = 18;
inline constexpr int kFloorSum = 9;          ///< GOTOWN-10
using CardCounts = std::array<int, kCards>;  ///< Indexed by Card.

std::string_view name_of(Card card);
Card card_named(std::string_view name);  ///< none when there is no such card.
inline int floor_value(Card card) {
    return card <= Card::eight ? static_cast<int>(card) : 0;
}
inline std::size_t index(Card card) {
    return static_cast<std::size_t>(card);
}

struct Floor {
    std::array<Card, 2> cards{};
    std::array<int, 2> values{};  ///< A joker's is what makes 9.
    bool dog = false;
    friend bool operator==(const Floor&, const Floor&) = default;
};

struct Town {
    std::string name;
    std::string seat;
    int hand = 5;
    std::vector<Floor> tower;  ///< Lowest first.
    int milkshakes = 0;        ///< Before this player, a turn each.
    friend bool operator==(const Town&, const Town&) = default;
};

struct State {
    CardCounts deck{};     ///< How many of each exist.
    CardCounts discard{};  ///< Seen and out of play until the next shuffle.
    Card discard_top = Card::none;
    Card shuffled_top = Card::none;  ///< What lay on top when the discard was last shuffled in.
    std::vector<Town> towns;         ///< In the order of play.
    int turn = 0;
    int draw_pile = 0;
    int trucks = 0;  ///< Donut trucks lying open until the turn ends.
    int extra_turns = 0;
    int floors_to_win = 5;
    int winner = -1;
    friend bool operator==(const State&, const State&) = default;

    [[nodiscard]] const Town& town(int player) const {
        return towns[static_cast<std::size_t>(player)];
    }
    Town& town(int player) { return towns[static_cast<std::size_t>(player)]; }
    [[nodiscard]] int players() const { return static_cast<int>(towns.size()); }
};

/// A move, understood.
struct Action {
    enum class Kind {
        build,
        steal_floor,
        guard,
        bait,
        hammer,
        wrecking_ball,
        thief,
        super_thief,
        milkshake,
        donut_truck,
        discard_milkshake,
        end_turn
    };
    Kind kind = Kind::end_turn;
    Card first = Card::none;   ///< build: left; steal_floor: from the hand.
    Card second = Card::none;  ///< build: right; steal_floor: taken.
    int target = -1;           ///< Player.
    int floor = 0;             ///< 1 is the lowest.
    friend bool operator==(const Action&, const Action&) = default;
};

Move to_move(const State& state, const Action& action);
Ruling judge(const State& state, int player, const Action& action);
/// GOTOWN-2: draws the turn's card, unless the hand is full or a milkshake stands there.
void begin_turn(State& state);
/// Does what the action says even where the rules forbid it, as hands can; only imaginable ones.
State done(State state, int player, const Action& action);
/// All a player could do with the cards on the table and any hand, allowed or not; both cards of a
/// build in one order only.
std::vector<Action> imaginable(const State& state, int player);
/// Copies of a card that nobody can see: in hands or in the draw pile.
int unseen(const State& state, Card card);
int discarded(const State& state);

}  // namespace gotown

struct Gotown {
    using State = gotown::State;
    static GameInfo info();
    static Catalogue catalogue(const Setup& setup);
    static tl::expected<State, Ruling> start(const Setup& setup);
    static Ruling judge(const State& state, int player, const Move& move);
    static Applied<State> apply(const State& state, int player, const Move& move);
    static GameView view(const State& state);
    static std::vector<Mark> marks(const State& state);
    static std::vector<PlayerMove> legal_moves(const State& state);
    static std::vector<Hint> hints(const State& state, int count);
    static std::string to_text(const State& state);
    static Observation scene_of(const State& state);
    static Reading read(const State& state, const Observation& seen);
    static bool visible(const State& state, const PlayerMove& move);
    static Move kept(
        const Move& move);  ///< Without any card a thief may have been told to have taken.
    static void hide(
        Observation& seen);  ///< Forgets the faces of cards that lie where no card belongs.
};

}  // namespace overboard::rules
