#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "rules/game.hpp"

/// Plays a game through its own functions, the way tests like to speak.
namespace overboard::rules::testing {

inline Setup setup_for(std::vector<std::string> names, Json options = Json::object()) {
    Setup setup;
    for (auto& name : names) setup.players.push_back({std::move(name), "", Json::object()});
    setup.options = std::move(options);
    return setup;
}

template <class G>
class Playing {
public:
    explicit Playing(const Setup& setup) : setup_{setup} {
        auto first = G::start(setup);
        EXPECT_TRUE(first.has_value()) << (first ? "" : first.error().message.key);
        if (first) state = std::move(*first);
    }

    int index(const std::string& name) const {
        for (std::size_t i = 0; i < setup_.players.size(); ++i)
            if (setup_.players[i].name == name) return static_cast<int>(i);
        return -1;
    }

    Ruling check(const std::string& player, const Move& move) const {
        return G::judge(state, index(player), move);
    }
    std::string rule(const std::string& player, const Move& move) const {
        return check(player, move).rule;
    }

    /// Plays a move that must be legal; returns its events.
    std::vector<Json> play(const std::string& player, const Move& move) {
        const Ruling ruling = check(player, move);
        EXPECT_TRUE(ruling.legal()) << player << " " << move.dump() << ": " << ruling.rule << " "
                                    << ruling.message.key << ruling.message.args.dump();
        if (!ruling.legal()) return {};
        auto done = G::apply(state, index(player), move);
        state = std::move(done.state);
        return done.events;
    }

    GameView view() const { return G::view(state); }
    Json board() const { return G::view(state).board; }
    std::string turn() const {
        const int t = G::view(state).turn;
        return t < 0 ? "" : setup_.players[static_cast<std::size_t>(t)].name;
    }
    Json player(const std::string& name) const {
        return G::view(state).players[static_cast<std::size_t>(index(name))];
    }

    typename G::State state;

private:
    Setup setup_;
};

/// Whatever may arrive as a move.
inline std::vector<Json> hostile_moves() {
    return {Json(),
            Json(3),
            Json("place"),
            Json::array(),
            Json::object(),
            {{"type", nullptr}},
            {{"type", 1e308}},
            {{"type", "place"}},
            {{"type", "nothing of the kind"}},
            {{"type", Json::array({"place"})}}};
}

}  // namespace overboard::rules::testing
