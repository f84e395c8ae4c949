#include "rules/match.hpp"

#include "rules/fields.hpp"

namespace overboard::rules {
namespace {

/// Plays an entry if it may be played, else marks it.
void play_or_mark(const Game& game, State& state, Entry& entry) {
    entry.illegal.reset();
    entry.events.clear();
    Ruling ruling = game.view(state).finished ? refused("END", "rules.match_finished")
                                              : game.judge(state, entry.player, entry.move);
    if (!ruling.legal()) {
        entry.illegal = std::move(ruling);
        return;
    }
    auto done = game.apply(state, entry.player, entry.move);
    state = std::move(done.state);
    entry.events = std::move(done.events);
}

}  // namespace

tl::expected<Match, Ruling> Match::start(std::string id, const Game& game, Setup setup,
                                         std::string time) {
    auto first = game.start(setup);
    if (!first) return tl::unexpected(first.error());
    Match match;
    match.id_ = std::move(id);
    match.started_ = std::move(time);
    match.game_ = &game;
    match.setup_ = std::move(setup);
    match.first_ = match.state_ = std::move(*first);
    match.show();
    return match;
}

void Match::show() {
    view_ = game_->view(state_);
}

const std::string& Match::name_of(int player) const {
    return setup_.players[static_cast<std::size_t>(player)].name;
}

std::string Match::turn_name() const {
    return finished() || view_.turn < 0 ? std::string{} : name_of(view_.turn);
}

int Match::player_named(const std::string& name) const {
    return player_index(setup_, name);
}

MatchState Match::public_state() const {
    MatchState s;
    s.match = id_;
    s.game = game_->info.id;
    s.variant = setup_.variant;
    s.seq = seq();
    s.finished = finished();
    s.paused = paused();
    if (!s.finished && view_.turn >= 0) {
        s.turn_player = name_of(view_.turn);
        s.actions = view_.actions;
    }
    const auto seats = seats_of(setup_);
    for (std::size_t i = 0; i < setup_.players.size(); ++i) {
        Json player = {{"name", setup_.players[i].name}, {"seat", seats[i]}, {"score", 0}};
        if (i < view_.players.size() && view_.players[i].is_object())
            player.update(view_.players[i]);
        s.players.push_back(std::move(player));
    }
    for (const int winner : view_.winners) s.winners.push_back(name_of(winner));
    s.board = view_.board;
    s.message = view_.message;
    return s;
}

Ruling Match::judge(int player, const Move& move) const {
    return game_->judge(state_, player, move);
}

Match::Step Match::play(int player, const Move& move, std::string time) const {
    auto done = game_->apply(state_, player, move);
    GameView view = game_->view(done.state);
    return {{player, move, std::move(time), std::move(done.events), {}},
            std::move(done.state),
            std::move(view)};
}

void Match::commit(Step step) {
    entries_.push_back(std::move(step.entry));
    state_ = std::move(step.state);
    view_ = std::move(step.view);
}

Match::History Match::replayed(std::vector<Entry> entries) const {
    History history{std::move(entries), first_};
    for (Entry& entry : history.entries) play_or_mark(*game_, history.state, entry);
    return history;
}

State Match::before(int seq) const {
    return replayed({entries_.begin(), entries_.begin() + (seq - 1)}).state;
}

Match::History Match::without_last() const {
    return replayed(
        {entries_.begin(), entries_.empty() ? entries_.end() : std::prev(entries_.end())});
}

tl::expected<Match::History, Ruling> Match::corrected(int seq, int player, const Move& move,
                                                      std::string time) const {
    std::vector<Entry> entries = entries_;
    Entry& changed = entries[static_cast<std::size_t>(seq - 1)];
    changed.player = player;
    changed.move = move;
    changed.time = std::move(time);
    History history = replayed(std::move(entries));
    if (const auto& ruling = history.entries[static_cast<std::size_t>(seq - 1)].illegal)
        return tl::unexpected(*ruling);
    return history;
}

void Match::commit(History history) {
    entries_ = std::move(history.entries);
    state_ = std::move(history.state);
    show();
}

void Match::replay(int player, const Move& move, std::string time) {
    Entry entry{player, move, std::move(time), {}, {}};
    play_or_mark(*game_, state_, entry);
    entries_.push_back(std::move(entry));
    show();
}

}  // namespace overboard::rules
