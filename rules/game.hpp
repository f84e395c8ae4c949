#pragma once

#include <concepts>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

#include "bus/catalogue.hpp"
#include "bus/marks.hpp"
#include "bus/match.hpp"
#include "bus/observation.hpp"
#include "bus/shot.hpp"

/// What a game is: a State (a value) and pure functions. Undo is an old state, replay is a loop, a
/// test is a call. Chance comes from the table: no random numbers in here.
namespace overboard::rules {

struct PlayerSetup {
    std::string name;
    std::string seat;             ///< "s", "w", "n", "e" or empty: the game's default.
    Json extra = Json::object();  ///< What else the request said of the player, e.g. colour.
};

/// How a match begins. `options` is the game's own; unknown options are ignored.
struct Setup {
    std::vector<PlayerSetup> players;
    std::string variant;
    Json options = Json::object();
};

/// A state and what happened on the way to it: `scored`, `reward`, `round.ended` … as the contract
/// writes them (`event` and the game's own fields). turn.changed and match.finished are the
/// match's to derive.
template <class S>
struct Applied {
    S state;
    std::vector<Json> events;
};

/// What everyone may know.
struct GameView {
    int turn = 0;                      ///< Index of the player to move; -1 when finished.
    std::vector<std::string> actions;  ///< What is expected now.
    std::vector<Json> players;         ///< In the order of Setup: score and the game's own fields.
    std::vector<int> winners;
    bool finished = false;
    Json board = Json::object();
    std::optional<Message> message;
};

/// A move and who made it.
struct PlayerMove {
    int player = 0;
    Move move;
};

struct Hint {
    Move move;         ///< Null when it is advice rather than a move.
    double value = 0;  ///< Expected gain in the game's own points; hints come best first.
    Message message;
    std::vector<Mark> marks;
    Json detail = Json::object();
};

/// What a still table means. Exactly one of: nothing (all empty), moves, a question, attention.
struct Reading {
    struct Choice {
        std::vector<PlayerMove> moves;  ///< In order; nearly always one.
        double confidence = 1;
    };
    struct Question {  ///< Something the camera cannot see, or two close readings.
        Message message;
        int player = 0;
        std::optional<Point> at;
    };
    std::vector<Choice> choices;  ///< Best first; more than one only with a question.
    std::optional<Question> question;
    std::optional<Ruling> attention;  ///< Illegal or unexplained: rule, reason and place.
    double patience_s = 0;            ///< Attention waits so long: it may be half of a move.
};

/// A game with its State type forgotten, so that one list can hold all games. See make_game().
class State {
public:
    State() = default;
    template <class S>
    requires(!std::same_as<std::remove_cvref_t<S>, State>) explicit State(S value)
        : value_{std::make_shared<const S>(std::move(value))} {}
    template <class S>
    [[nodiscard]] const S& as() const {
        return *static_cast<const S*>(value_.get());
    }
    explicit operator bool() const { return value_ != nullptr; }

private:
    std::shared_ptr<const void> value_;
};

struct GameInfo {
    std::string id;    ///< "topit"
    std::string name;  ///< "TOP IT"
    int min_players = 1;
    int max_players = 4;
    std::vector<std::string> variants;  ///< The first is the default and may be "".
};

struct Game {
    GameInfo info;
    /// What to look for.
    std::function<Catalogue(const Setup&)> catalogue;
    /// The first state, or why there is none (bad options are the caller's fault, not ours).
    std::function<tl::expected<State, Ruling>(const Setup&)> start;
    /// May `player` do this now? Any JSON whatever may come: judging never throws.
    std::function<Ruling(const State&, int player, const Move&)> judge;
    /// Only for moves that judge() allows.
    std::function<Applied<State>(const State&, int player, const Move&)> apply;
    std::function<GameView(const State&)> view;
    std::function<std::vector<Mark>(const State&)> marks;
    /// All legal moves, or a fair sample where they are endless.
    std::function<std::vector<PlayerMove>(const State&)> legal_moves;
    std::function<std::vector<Hint>(const State&, int count)> hints;
    /// One readable block for playthroughs.
    std::function<std::string(const State&)> to_text;
    /// How such a table looks: pieces at true places, no hands, still.
    std::function<Observation(const State&)> scene_of;
    /// What did the hand do? Given a still table.
    std::function<Reading(const State&, const Observation&)> read;
    /// Does this move leave a trace that read() can find? Peeks, draws and the like do not.
    std::function<bool(const State&, const PlayerMove&)> visible;
    /// Games played by strokes only; may be empty. With the still table after the stroke, what is
    /// gone is counted there: a choice surer than 0.9 is what the stroke told, a lesser one was put
    /// right by the table, and where the two cannot be reconciled there is attention. Null: the
    /// stroke is believed.
    std::function<Reading(const State&, const Shot&, const Observation* after)> read_shot;
    /// The move as it may be written down and told: without what must stay hidden. Empty: as it is.
    std::function<Move(const Move&)> kept;
    /// A move that only asks: judged and answered, never stored. Empty: there is none.
    std::function<bool(const Move&)> changes_nothing;
    /// Takes out of what the camera saw whatever must not be stored. Empty: nothing is hidden.
    std::function<void(Observation&)> hide;
};

/// Wraps a struct of static functions over its own State type:
/// `struct Topit { using State = …; static GameInfo info(); static … start(const Setup&); … };`
template <class G>
Game make_game() {
    using S = typename G::State;
    Game game;
    game.info = G::info();
    game.catalogue = G::catalogue;
    game.start = [](const Setup& setup) -> tl::expected<State, Ruling> {
        auto first = G::start(setup);
        if (!first) return tl::unexpected(first.error());
        return State{std::move(*first)};
    };
    game.judge = [](const State& s, int player, const Move& m) {
        return G::judge(s.as<S>(), player, m);
    };
    game.apply = [](const State& s, int player, const Move& m) {
        Applied<S> done = G::apply(s.as<S>(), player, m);
        return Applied<State>{State{std::move(done.state)}, std::move(done.events)};
    };
    game.view = [](const State& s) { return G::view(s.as<S>()); };
    game.marks = [](const State& s) { return G::marks(s.as<S>()); };
    game.legal_moves = [](const State& s) { return G::legal_moves(s.as<S>()); };
    game.hints = [](const State& s, int count) { return G::hints(s.as<S>(), count); };
    game.to_text = [](const State& s) { return G::to_text(s.as<S>()); };
    game.scene_of = [](const State& s) { return G::scene_of(s.as<S>()); };
    game.read = [](const State& s, const Observation& seen) { return G::read(s.as<S>(), seen); };
    game.visible = [](const State& s, const PlayerMove& m) { return G::visible(s.as<S>(), m); };
    if constexpr (requires(const S& s, const Shot& shot, const Observation* after) {
                      G::read_shot(s, shot, after);
                  })
        game.read_shot = [](const State& s, const Shot& shot, const Observation* after) {
            return G::read_shot(s.as<S>(), shot, after);
        };
    if constexpr (requires(const Move& m) { G::kept(m); }) game.kept = G::kept;
    if constexpr (requires(const Move& m) { G::changes_nothing(m); })
        game.changes_nothing = G::changes_nothing;
    if constexpr (requires(Observation & seen) { G::hide(seen); }) game.hide = G::hide;
    return game;
}

}  // namespace overboard::rules
