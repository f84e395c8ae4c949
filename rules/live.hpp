#pragma once

#include <memory>
#include <string>
#include <vector>

#include "rules/match.hpp"
#include "rules/referee.hpp"
#include "rules/service.hpp"
#include "rules/store.hpp"

/// What service.cpp and methods.cpp share; nobody else's business.
namespace overboard::rules {

/// A match in memory, with those who watch it.
struct Service::Live {
    explicit Live(Match m) : match{std::move(m)} {}

    Match match;
    int events = 0;                   ///< In the store.
    std::unique_ptr<Referee> eye;     ///< Fed by the camera's stream.
    std::unique_ptr<Referee> single;  ///< Fed by match.observe.

    /// Seen and decided, but the disk refused: tried again each second, before anything else is
    /// seen.
    std::vector<PlayerMove> unsaved;

    /// Whether what the camera sees now counts.
    [[nodiscard]] bool scores() const { return unsaved.empty() && !match.paused(); }

    void replay(const StoredEvent& event);
};

Setup setup_from(const Json& stored);
Json setup_json(const Setup& setup);

/// How a match that is over went for everyone; nothing while it is not.
std::vector<Result> results_of(const Match& match, const GameView& view);

/// Events with the English reason beside their key.
std::vector<Json> with_reasons(std::vector<Json> events);

/// What the camera saw before and after, without what must stay hidden; empty without a referee.
std::string evidence_json(const Game& game, const Referee* seen_by, const Json& crops);

/// A question and what may be answered, as match.observe and the event `attention` tell it.
Json question_json(const Match& match, const Decision& decision);

}  // namespace overboard::rules
