#pragma once

#include <string>
#include <vector>

#include "rules/game.hpp"

namespace overboard::rules {

/// One move of a match as it counts now. `seq` of a move is its place in this list, from 1.
struct Entry {
    int player = 0;
    Move move;
    std::string time;          ///< RFC 3339 UTC.
    std::vector<Json> events;  ///< What it caused: scored, reward, round.ended …
    std::optional<Ruling>
        illegal;  ///< A correction before it made it illegal: kept, without effect.
};

/// A match is its start and its moves; everything else is recomputed. Nothing here changes by
/// itself: play(), without_last() and corrected() say what would be, commit() makes it so. The
/// caller stores in between.
class Match {
public:
    struct Step {
        Entry entry;
        State state;
        GameView view;
    };
    struct History {
        std::vector<Entry> entries;
        State state;
    };

    /// Why it cannot start is the caller's fault: a Ruling with the rule "SETUP" or the game's own.
    static tl::expected<Match, Ruling> start(std::string id, const Game& game, Setup setup,
                                             std::string time);

    [[nodiscard]] const std::string& id() const { return id_; }
    [[nodiscard]] const Game& game() const { return *game_; }
    [[nodiscard]] const Setup& setup() const { return setup_; }
    [[nodiscard]] const std::string& started() const { return started_; }
    [[nodiscard]] const State& state() const { return state_; }
    [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }
    [[nodiscard]] int seq() const { return static_cast<int>(entries_.size()); }
    [[nodiscard]] const std::optional<std::string>& ended() const { return ended_; }
    [[nodiscard]] bool finished() const { return ended_ || view_.finished; }
    [[nodiscard]] const GameView& view() const { return view_; }
    [[nodiscard]] const std::string& name_of(int player) const;
    [[nodiscard]] std::string turn_name() const;                    ///< Empty when it is over.
    [[nodiscard]] int player_named(const std::string& name) const;  ///< -1: nobody.
    /// What everyone may know, as the contract writes it.
    [[nodiscard]] MatchState public_state() const;

    [[nodiscard]] Ruling judge(int player, const Move& move) const;
    /// Only for moves that judge() allows.
    [[nodiscard]] Step play(int player, const Move& move, std::string time) const;
    void commit(Step step);

    /// How it stood before the move `seq` (from 1).
    [[nodiscard]] State before(int seq) const;
    /// The match without its last move.
    [[nodiscard]] History without_last() const;
    /// The match with the move `seq` (from 1) replaced: all after it is played again, and what is
    /// illegal now is marked so. Or why the new move itself cannot stand there.
    [[nodiscard]] tl::expected<History, Ruling> corrected(int seq, int player, const Move& move,
                                                          std::string time) const;
    void commit(History history);

    void end(std::string reason) { ended_ = std::move(reason); }

    /// While it is paused nothing the camera sees counts; moves by request do.
    void pause(bool paused) { paused_ = paused; }
    [[nodiscard]] bool paused() const { return paused_ && !finished(); }

    /// Puts back what the store kept: any move, legal or no longer.
    void replay(int player, const Move& move, std::string time);

private:
    Match() = default;
    [[nodiscard]] History replayed(std::vector<Entry> entries) const;
    void show();

    std::string id_, started_;
    const Game* game_ = nullptr;
    Setup setup_;
    State first_, state_;
    std::vector<Entry> entries_;
    GameView view_;
    std::optional<std::string> ended_;
    bool paused_ = false;
};

}  // namespace overboard::rules
