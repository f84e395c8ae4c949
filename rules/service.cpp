#include "rules/service.hpp"

#include <spdlog/spdlog.h>

#include <chrono>
#include <ctime>

#include "bus/codec.hpp"
#include "bus/messages.hpp"
#include "rules/fields.hpp"
#include "rules/games.hpp"
#include "rules/live.hpp"

// The order of every change: judge, compute what would be, store it, make it so, tell it. A failed
// store leaves memory as it was. Matches live in memory while they are in use and are replayed from
// their events when they are asked for again.
namespace overboard::rules {
namespace {

constexpr std::size_t kRepeated = 32;  ///< Matches whose state is repeated each second.
/// Beyond this, finished matches leave memory; the store has them.
constexpr std::size_t kInMemory = 200;

std::string utc_now() {
    const auto now = std::chrono::system_clock::now();
    const auto seconds = std::chrono::time_point_cast<std::chrono::seconds>(now);
    const std::time_t t = std::chrono::system_clock::to_time_t(seconds);
    std::tm utc{};
    gmtime_r(&t, &utc);
    const auto ms = std::chrono::duration_cast<milliseconds>(now - seconds).count();
    return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", utc.tm_year + 1900,
                       utc.tm_mon + 1, utc.tm_mday, utc.tm_hour, utc.tm_min, utc.tm_sec, ms);
}

/// Reading the store may fail, or a game break its promise: an answer, never a crash.
template <class Work>
RpcResult guarded(const Work& work) {
    try {
        return work();
    } catch (const std::exception& e) {
        spdlog::error("rules: {}", e.what());
        return tl::unexpected(fault(Fault::storage_failed,
                                    refused("STORE", "rules.storage_failed", {{"why", e.what()}})));
    }
}

}  // namespace

Service::Service(ServiceOptions options) : options_{std::move(options)}, store_{options_.store} {
    if (!options_.now) options_.now = utc_now;
    if (!options_.publish) options_.publish = [](std::string_view, const std::string&) {};
    Messages::shared();
    using Handler = RpcResult (Service::*)(const Json&);
    const std::pair<const char*, Handler> methods[] = {{"games.list", &Service::list_games},
                                                       {"match.start", &Service::start},
                                                       {"match.state", &Service::state},
                                                       {"match.move", &Service::move},
                                                       {"match.check", &Service::check},
                                                       {"match.legal", &Service::legal},
                                                       {"match.observe", &Service::observe_once},
                                                       {"match.undo", &Service::undo},
                                                       {"match.correct", &Service::correct},
                                                       {"match.evidence", &Service::evidence},
                                                       {"match.end", &Service::end},
                                                       {"match.pause", &Service::pause},
                                                       {"match.resume", &Service::resume},
                                                       {"match.list", &Service::list},
                                                       {"match.log", &Service::log},
                                                       {"players.ranking", &Service::ranking}};
    rpc_.on("service.ping", [](const Json&) -> RpcResult {
        return Json{{"pong", true}, {"version", OVERBOARD_VERSION}};
    });
    for (const auto& [name, handler] : methods)
        rpc_.on(name, [this, handler = handler](const Json& params) {
            return guarded([&] { return (this->*handler)(params); });
        });
    rpc_.on_slow("match.hint", [this](const Json& params) -> tl::expected<Rpc::Work, RpcError> {
        auto work = hint(params);
        if (!work) return work;
        return [work = std::move(*work)] { return guarded(work); };
    });
    started_ = store_.count();
    const auto open = store_.matches(true);
    const std::size_t skip = open.size() > kRepeated ? open.size() - kRepeated : 0;
    for (std::size_t i = skip; i < open.size(); ++i) find(open[i].id);
}

Service::~Service() = default;

std::string Service::handle(std::string_view request) {
    settle();  // in case nobody did: news come in order
    return rpc_.handle(request);
}

RpcAnswer Service::ask(std::string_view request) {
    settle();
    return rpc_.ask(request);
}

void Service::tell_soon(std::function<void()> telling) {
    untold_.push_back(std::move(telling));
    if (!options_.answer_first) settle();
}

void Service::settle() {
    for (const auto& telling : std::exchange(untold_, {})) telling();
}

std::unique_ptr<Service::Live> Service::load(const StoredMatch& stored) {
    const Game* game = find_game(stored.game);
    if (!game) throw std::runtime_error("there is no game " + stored.game);
    auto match = Match::start(stored.id, *game, setup_from(stored.setup), stored.started);
    if (!match) throw std::runtime_error("it can no longer start");
    auto live = std::make_unique<Live>(std::move(*match));
    for (const StoredEvent& event : store_.events(stored.id)) {
        live->replay(event);
        live->events = event.number;
    }
    return live;
}

Service::Live* Service::find(const std::string& id) {
    if (const auto found = matches_.find(id); found != matches_.end()) return found->second.get();
    const auto stored = store_.match(id);
    if (!stored) return nullptr;
    try {
        return &keep(load(*stored));
    } catch (const std::exception& e) {  // one damaged match must not keep the others from going on
        spdlog::error("rules: the match {} can no longer be read ({}); it stays in the store", id,
                      e.what());
        return nullptr;
    }
}

Service::Live& Service::keep(std::unique_ptr<Live> live) {
    make_room();
    const std::string id = live->match.id();
    if (!live->match.finished()) recent_.push_back(id);
    if (recent_.size() > kRepeated) recent_.pop_front();
    return *(matches_[id] = std::move(live));
}

void Service::make_room() {
    for (auto& [id, live] : matches_)  // nobody watches a match that is over; one that is taken up
                                       // again gets a new referee
        if (live->match.finished()) live->eye.reset(), live->single.reset();
    if (matches_.size() < kInMemory) return;
    std::erase_if(matches_, [](const auto& entry) { return entry.second->match.finished(); });
}

Service::Live* Service::active() {
    for (auto id = recent_.rbegin(); id != recent_.rend(); ++id)
        if (const auto found = matches_.find(*id);
            found != matches_.end() && !found->second->match.finished())
            return found->second.get();
    return nullptr;
}

Referee& Service::eye_of(Live& live) {
    if (!live.eye) {
        live.eye = std::make_unique<Referee>(live.match.game(), live.match.setup(), options_.live);
        if (table_) live.eye->begin_with(*table_);
    }
    return *live.eye;
}

tl::expected<void, RpcError> Service::store(Live& live, StoredEvent event, bool was_over,
                                            bool is_over, std::vector<Result> results, int seq,
                                            std::string evidence) {
    Store::Change change;
    change.match = live.match.id();
    event.number = live.events + 1;
    event.time = options_.now();
    change.event = std::move(event);
    if (is_over) change.results = std::move(results);
    change.reopened = was_over && !is_over;
    change.seq = seq;
    change.evidence = std::move(evidence);
    if (const auto written = store_.append(change); !written) {
        spdlog::error("rules: {}", written.error());
        return tl::unexpected(fault(Fault::storage_failed, refused("STORE", "rules.storage_failed",
                                                                   {{"why", written.error()}})));
    }
    ++live.events;
    return {};
}

RpcResult Service::play(Live& live, int player, const Move& wanted, const Referee* seen_by,
                        const Json& crops) {
    settle();  // of the move before, while the match still stands there
    const Game& game = live.match.game();
    const Move move = game.kept ? game.kept(wanted) : wanted;
    Match::Step step = live.match.play(player, move, options_.now());
    const std::string turn_before = live.match.turn_name();
    StoredEvent event{0, "move", {{"player", player}, {"move", move}}, {}};
    const auto stored = store(live, std::move(event), false, step.view.finished,
                              results_of(live.match, step.view), live.match.seq() + 1,
                              evidence_json(game, seen_by, crops));
    if (!stored) return tl::unexpected(stored.error());
    live.match.commit(std::move(step));
    std::vector<Json> events = with_reasons(live.match.entries().back().events);
    settled(live, events);
    tell_soon([this, &live, by = seen_by ? "camera" : "request", events, turn_before] {
        const Entry& played = live.match.entries().back();
        tell(live, "move.applied",
             {{"player", live.match.name_of(played.player)}, {"move", played.move}, {"by", by}});
        for (const Json& each : events) tell(live, each.at("event").get<std::string>(), each);
        tell_changes(live, turn_before, false);
    });
    return Json{{"seq", live.match.seq()},
                {"state", to_json(live.match.public_state())},
                {"events", std::move(events)}};
}

void Service::settled(Live& live, const std::vector<Json>& events) {
    const bool round_over = std::any_of(
        events.begin(), events.end(), [](const Json& e) { return e.at("event") == "round.ended"; });
    if (live.eye) live.eye->accepted(round_over);
    if (live.single) live.single->accepted(round_over);
}

void Service::tell(const Live& live, const std::string& event, Json fields) {
    settle();  // what happened before is told before
    fields["event"] = event;
    fields["match"] = live.match.id();
    fields["seq"] = live.match.seq();
    fields["time"] = options_.now();
    options_.publish("match", dumped(fields));
}

void Service::tell_changes(const Live& live, const std::string& turn_before, bool was_over) {
    const MatchState now = live.match.public_state();
    if (!now.turn_player.empty() && now.turn_player != turn_before)
        tell(live, "turn.changed", {{"player", now.turn_player}});
    if (live.match.finished() && !was_over) {
        Json fields = {{"winners", now.winners}, {"players", now.players}};
        if (live.match.ended()) fields["reason"] = *live.match.ended();
        if (now.players.size() == 1)
            for (const RankedPlayer& r : store_.ranking(now.game))
                if (r.player == now.players[0].at("name")) fields["best"] = r.best;
        tell(live, "match.finished", std::move(fields));
    }
    tell_state(live);
}

void Service::tell_state(const Live& live) {
    tell(live, "match.state", to_json(live.match.public_state()));
    Marks marks{live.match.id(), live.match.seq(), live.match.game().marks(live.match.state())};
    for (const Referee* eye : {live.eye.get(), live.single.get()})
        if (eye && eye->attention()) {
            for (Mark& mark : eye->marks(live.match.state()))
                marks.items.push_back(std::move(mark));
            break;
        }
    options_.publish("marks", encode(marks));
}

void Service::tell_rejected(Live& live, int player, const Move& move, const Ruling& ruling) {
    const Game& game = live.match.game();
    Json fields = ruling_json(ruling);
    fields["player"] = live.match.name_of(player);
    fields["move"] = game.kept ? game.kept(move) : move;
    tell(live, "move.rejected", std::move(fields));
    // A stroke cannot be unmade by a message: people must put the pieces back (CARROM-R10).
    if (!game.read_shot || ruling.verdict != Ruling::Verdict::illegal || ruling.rule == "MOVE")
        return;
    if (game.changes_nothing && game.changes_nothing(move)) return;
    eye_of(live).refused_move(ruling);
    tell_state(live);
}

void Service::repeat() {
    settle();
    for (const std::string& id : recent_)
        if (const auto found = matches_.find(id);
            found != matches_.end() && !found->second->match.finished()) {
            try_again(*found->second);
            tell_state(*found->second);
        }
}

/// What a referee decided, done: the answer of match.observe.
Json Service::carry_out(Live& live, const Decision& decision, Referee& referee, const Json& crops) {
    switch (decision.kind) {
        case Decision::Kind::apply: {
            Json applied = Json::array();
            for (std::size_t i = 0; i < decision.moves.size(); ++i) {
                const PlayerMove& m = decision.moves[i];
                const auto done = play(live, m.player, m.move, &referee, crops);
                if (!done)
                    return {{"applied", applied},
                            {"error", could_not_store(live, decision, i, done.error()).data}};
                applied.push_back({{"seq", live.match.seq()},
                                   {"player", live.match.name_of(m.player)},
                                   {"move", live.match.entries().back().move},
                                   {"events", done->at("events")}});
            }
            return {{"applied", applied}, {"state", to_json(live.match.public_state())}};
        }
        case Decision::Kind::attention: {
            const Json data = ruling_json(decision.ruling);
            tell(live, "attention", data);
            tell_state(live);
            return {{"attention", data}};
        }
        case Decision::Kind::question: {
            const Json data = question_json(live.match, decision);
            tell(live, "attention", data);
            return {{"question", data}};
        }
        case Decision::Kind::cleared:
            tell(live, "attention", {{"cleared", true}});
            tell_state(live);
            return {{"nothing", true}, {"cleared", true}};
        default:
            if (referee.attention())
                return {{"attention", ruling_json(*referee.attention())}, {"repeated", true}};
            return {{"nothing", true}};
    }
}

/// What the camera saw cannot be sent again, so it is kept until the disk takes it.
RpcError Service::could_not_store(Live& live, const Decision& decision, std::size_t done,
                                  RpcError error) {
    live.unsaved.assign(decision.moves.begin() + static_cast<std::ptrdiff_t>(done),
                        decision.moves.end());
    tell(live, "attention", error.data);
    return error;
}

void Service::try_again(Live& live) {
    if (live.unsaved.empty()) return;
    while (!live.unsaved.empty()) {
        const PlayerMove m = live.unsaved.front();
        const bool legal = !live.match.finished() && live.match.judge(m.player, m.move).legal();
        if (legal && !play(live, m.player, m.move, &eye_of(live))) return;
        live.unsaved.erase(live.unsaved.begin());
    }
    tell(live, "attention", {{"cleared", true}, {"rule", "STORE"}});
}

void Service::observe(const Observation& seen) {
    settle();
    if (Live* live = active(); live && live->scores()) {
        Referee& eye = eye_of(*live);
        carry_out(*live, eye.feed(live->match.state(), seen), eye, crops_);
    }
    if (seen.still && seen.sight == "ok") table_ = seen;
}

void Service::observe(const Shot& shot) {
    settle();
    Live* live = active();
    if (live && live->match.paused()) return remember(shot, nullptr);
    if (live && live->scores()) {
        Referee& eye = eye_of(*live);
        carry_out(*live, eye.feed(live->match.state(), shot), eye, crops_);
    }
    remember(shot, live);
}

void Service::remember(const Shot& shot, const Live* live) {
    if (shot.shot_id.empty()) return;
    try {
        if (!shots_) shots_ = std::make_unique<ShotStore>(shots_beside(options_.store));
        shots_->put(shot, live ? live->match.id() : "", live ? live->match.seq() : 0,
                    options_.now());
    } catch (const std::runtime_error& e) {
        spdlog::warn("{}", e.what());
    }
}

void Service::observe(const CameraState& camera) {
    if (std::exchange(sight_, camera.state) == camera.state) return;
    Live* live = active();
    if (!live) return;
    if (camera.state == "ok")
        return tell(*live, "attention", {{"cleared", true}, {"rule", "CAMERA"}});
    tell(*live, "attention",
         ruling_json(refused("CAMERA", "rules.camera", {{"state", camera.state}})));
}

}  // namespace overboard::rules
