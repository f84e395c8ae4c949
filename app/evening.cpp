#include "app/evening.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <deque>
#include <opencv2/imgcodecs.hpp>
#include <stdexcept>

#include "app/house.hpp"
#include "app/projection.hpp"
#include "bus/names.hpp"
#include "rules/games.hpp"
#include "rules/service.hpp"

// The script knows what it played; the service knows what it scored. Both lists are kept in order
// and compared as they grow: the next move the service scores must be the oldest the script played
// and nobody has scored yet. A score may come before the script calls the move over (its hand is
// still on the way home); one that no move follows within patience is wrong. What the camera cannot
// see is entered by touch, as a player would, and what it did not see within patience is entered by
// hand, as staff would.
namespace overboard::app {
namespace {

bool same_kind(const Piece& a, const Piece& b) {
    return a.kind == b.kind && a.type == b.type && a.colour == b.colour && a.value == b.value &&
           a.face == b.face;
}

std::string named(const Piece& p) {
    return fmt::format("{} {}{}{}{} ({:.0f},{:.0f})", name_of(p.kind), p.type,
                       p.colour.empty() ? "" : " " + p.colour, p.face.value_or(""),
                       p.value ? std::to_string(*p.value) : "", p.x, p.y);
}

/// What lies there and was not seen, and what was seen and does not lie there.
std::string differences(const Observation& truth, const Observation& seen) {
    const auto lacking = [](const Observation& from, const Observation& in, double near_mm) {
        std::string list;
        for (const Piece& p : from.pieces)
            if (std::none_of(in.pieces.begin(), in.pieces.end(), [&](const Piece& q) {
                    return same_kind(p, q) && distance({p.x, p.y}, {q.x, q.y}) < near_mm;
                }))
                list += (list.empty() ? "" : ", ") + named(p);
        return list;
    };
    return fmt::format("unseen [{}] imagined [{}]{}{}", lacking(truth, seen, 6),
                       lacking(seen, truth, 6), seen.still ? "" : " not still",
                       seen.sight == "ok" ? "" : " sight " + seen.sight);
}

struct Pending {
    rules::PlayerMove move;
    double due_s = 0;   ///< When the hand was gone, and everybody else's.
    bool free = false;  ///< No hand has been over the table for a moment since.
    bool touch = false;
    double next_try_s = 0;
    bool hurry = false;  ///< Something else was scored instead: put right at once.
};

struct Scored {
    std::string player;
    Move move;
    double time_s = 0;
};

class Evening {
public:
    explicit Evening(const EveningOptions& options)
        : options_{options},
          game_{game_named(options.game)},
          rig_{game_, options.setup, options.rig},
          truth_{*game_.start(options.setup)},
          service_{service_options()} {
        if (options.projected) projection_.emplace(rig_.catalogue().table);
        start_match();
    }

    EveningReport run() {
        while (step()) {
        }
        // Broken off before it could be scored: nobody knows how it would have gone.
        for (const Pending& each : pending_)
            report_.moves -= !each.touch && now_s_ < each.due_s + options_.by_hand_s;
        report_.scores_true = scores(game_.view(truth_).players);
        const Json now = call("match.state", {{"match", match_}});
        report_.scores_seen = scores(now.at("result").at("players").get<std::vector<Json>>());
        report_.finished = now.at("result").at("phase") == "finished";
        report_.simulated_s = now_s_;
        std::filesystem::remove_all(temporary_);
        return std::move(report_);
    }

private:
    rules::ServiceOptions service_options() {
        rules::ServiceOptions o;
        if (options_.store.empty()) {
            static int n = 0;
            temporary_ = std::filesystem::temp_directory_path() /
                         fmt::format("overboard-evening-{}-{}", getpid(), n++);
            std::filesystem::create_directories(temporary_);
        }
        o.store = options_.store.empty() ? temporary_ / "matches.db" : options_.store;
        o.publish = [this](std::string_view topic, const std::string& json) {
            if (topic == "match") heard_.push_back(Json::parse(json));
            if (projection_) projection_->publish(topic, json);
        };
        o.live.watches_strokes = game_.read_shot != nullptr;
        return o;
    }

    Json call(const std::string& method, const Json& params) {
        return Json::parse(service_.handle(
            Json{{"jsonrpc", "2.0"}, {"id", 1}, {"method", method}, {"params", params}}.dump()));
    }

    void start_match() {
        Json players = Json::array();
        for (const auto& p : options_.setup.players) {
            Json player = p.extra.is_object() ? p.extra : Json::object();
            player["name"] = p.name;
            if (!p.seat.empty()) player["seat"] = p.seat;
            players.push_back(player);
        }
        const Json answer = call("match.start", {{"game", options_.game},
                                                 {"players", players},
                                                 {"variant", options_.setup.variant},
                                                 {"options", options_.setup.options}});
        if (!answer.contains("result"))
            throw std::runtime_error("the match did not start: " + answer.dump());
        match_ = answer.at("result").at("match");
    }

    bool step() {
        const RigFrame& frame = frame_ = rig_.next(projection_ ? projection_->picture()
                                                               : cv::Mat());
        now_s_ = frame.time_s;
        for (const auto& move : frame.moves) played(move);
        if (frame.truth.hands.empty()) table_is_free();
        const double began_s = thread_time_s();
        service_.observe(frame.sight);
        for (const Shot& shot : frame.shots) service_.observe(shot);
        service_.observe(frame.seen);
        project();
        report_.latency_s.push_back(frame.looking_s + thread_time_s() - began_s);
        settle();
        compare();
        enter_touches();
        if (options_.watch && !options_.watch(rig_, frame)) return false;
        const bool over = frame.finished && pending_.empty();
        return !over && !time_is_up() && report_.moves + report_.touched < options_.most_moves;
    }

    /// What was scored while its hand is still on the way home is waited for, or the scores could
    /// not agree.
    [[nodiscard]] bool time_is_up() const {
        return now_s_ >= options_.most_s &&
               (early_.empty() || now_s_ >= options_.most_s + 2 * options_.patience_s);
    }

    /// A move cannot be scored while another player's hand is still over the table: its time begins
    /// now.
    void table_is_free() {
        for (Pending& each : pending_)
            if (!std::exchange(each.free, true)) each.due_s = std::max(each.due_s, now_s_);
    }

    void project() {
        if (!projection_) return;
        projection_->show(frame_.seen);
        if (!projection_->step(now_s_,
                               [this](std::string_view text) { return service_.handle(text); }))
            return;
        ++report_.pictures;
        rig_.overlay_changed();
    }

    void played(const simulator::TruthMove& truth) {
        if (!truth.mistake.empty()) {
            ++report_.mishaps;
            last_mishap_s_ = now_s_;
            return say(fmt::format("mishap: {}", truth.mistake));
        }
        pending_.push_back(
            {truth.move, truth.time_s, false, truth.touch, truth.time_s + 0.5, false});
        ++(truth.touch ? report_.touched : report_.moves);
        compare();
    }

    /// Two moves made at once leave one picture, which does not tell their order, nor who opened a
    /// tile. Where as scored they lead to the same state as they were played, they are right.
    void allow_either_order() {
        if (early_.size() < 2 || pending_.size() < 2 || fits(pending_[0], early_[0]) ||
            !alike(pending_[1], early_[0]) || !alike(pending_[0], early_[1]))
            return;
        const auto after = [&](const rules::PlayerMove& first,
                               const rules::PlayerMove& second) -> std::string {
            rules::State state = truth_;
            for (const rules::PlayerMove* m : {&first, &second}) {
                if (!game_.judge(state, m->player, m->move).legal()) return {};
                state = game_.apply(state, m->player, m->move).state;
            }
            return game_.to_text(state);
        };
        const rules::PlayerMove first{player_named(early_[0].player), pending_[1].move.move},
            second{player_named(early_[1].player), pending_[0].move.move};
        const std::string as_played = after(pending_[0].move, pending_[1].move);
        if (as_played.empty() || as_played != after(first, second)) return;
        std::swap(pending_[0], pending_[1]);
        pending_[0].move = first, pending_[1].move = second;
    }

    [[nodiscard]] int player_named(const std::string& name) const {
        const auto& players = options_.setup.players;
        return int(std::find_if(players.begin(), players.end(),
                                [&](const auto& p) { return p.name == name; }) -
                   players.begin());
    }

    /// Pairs what was scored with what was played, oldest first.
    void compare() {
        allow_either_order();
        while (!early_.empty() && !pending_.empty() && fits(pending_.front(), early_.front())) {
            if (!pending_.front().touch) {
                ++report_.right;
                report_.delay_s.push_back(
                    std::max(0.0, early_.front().time_s - pending_.front().due_s));
            }
            early_.pop_front();
            done();
        }
        const bool beside = !early_.empty() && !pending_.empty() && !pending_.front().touch;
        if (early_.empty() ||
            (!beside && now_s_ < early_.front().time_s + patience_with(early_.front())))
            return;
        for (const Scored& each : early_) {
            ++report_.wrong;
            fault(fmt::format("scored {} by {}, but {} was played", each.move.dump(), each.player,
                              pending_.empty() ? "nothing" : pending_.front().move.move.dump()));
        }
        for (std::size_t i = 0; i < early_.size(); ++i) call("match.undo", {{"match", match_}});
        early_.clear();
        heard_.clear();
        if (!pending_.empty()) pending_.front().hurry = true;
    }

    /// A piece put down, taken up again and put down for good: the move is over only then.
    [[nodiscard]] double patience_with(const Scored& each) const {
        return std::abs(each.time_s - last_mishap_s_) < options_.patience_s
                   ? 2 * options_.patience_s
                   : options_.patience_s;
    }

    void settle() {
        for (const Json& event : std::exchange(heard_, {})) {
            const std::string name = event.value("event", "");
            if (name == "move.applied" && event.value("by", "") == "camera") scored(event);
            if (name == "attention" && !event.contains("cleared")) {
                ++report_.asked;
                say(fmt::format("attention: {} {} {}", event.value("rule", ""),
                                event.value("reason", event.dump()),
                                differences(frame_.truth, frame_.seen)));
                keep_picture("ask");
            }
        }
    }

    void scored(const Json& event) {
        early_.push_back({event.at("player"), event.at("move"), now_s_});
        say(fmt::format("{}: {}", early_.back().player, essence(early_.back().move).dump()));
    }

    [[nodiscard]] static bool alike(const Pending& played, const Scored& scored) {
        return essence(played.move.move) == essence(scored.move);
    }

    [[nodiscard]] bool fits(const Pending& played, const Scored& scored) const {
        return name_of(played) == scored.player && alike(played, scored);
    }

    /// What only a touch can tell, and what nobody saw.
    void enter_touches() {
        if (pending_.empty() || now_s_ < pending_.front().next_try_s) return;
        Pending& next = pending_.front();
        if (!next.touch && !next.hurry && (!next.free || now_s_ < next.due_s + options_.by_hand_s))
            return;
        next.next_try_s = now_s_ + 0.5;
        const Json answer = call(
            "match.move", {{"match", match_}, {"player", name_of(next)}, {"move", next.move.move}});
        heard_.clear();
        if (answer.contains("error")) {
            if (now_s_ > next.due_s + 3 * options_.patience_s) {
                fault("not even by hand: " + next.move.move.dump() + " " +
                      answer.at("error").dump());
                done();
            }
            return;
        }
        if (!next.touch) {
            ++report_.missed;
            fault("not seen: " + next.move.move.dump());
        }
        say(fmt::format("{} (by touch): {}", name_of(next), next.move.move.dump()));
        done();
    }

    void done() {
        const Pending& next = pending_.front();
        if (game_.judge(truth_, next.move.player, next.move.move).legal())
            truth_ = game_.apply(truth_, next.move.player, next.move.move).state;
        pending_.pop_front();
    }

    [[nodiscard]] std::string name_of(const Pending& p) const {
        return options_.setup.players.at(std::size_t(p.move.player)).name;
    }

    static std::vector<std::string> scores(const std::vector<Json>& players) {
        std::vector<std::string> list;
        for (const Json& p : players) list.push_back(p.value("score", Json()).dump());
        return list;
    }

    void fault(const std::string& what) {
        report_.faults.push_back(
            fmt::format("{:.2f} s: {} {}", now_s_, what, differences(frame_.truth, frame_.seen)));
        say("FAULT " + report_.faults.back());
        keep_picture("fault");
    }

    void keep_picture(const std::string& of) const {
        if (options_.pictures.empty()) return;
        std::filesystem::create_directories(options_.pictures);
        cv::imwrite((options_.pictures / fmt::format("{}-{}-{:07.2f}-{}.png", options_.game,
                                                     options_.rig.seed, now_s_, of))
                        .string(),
                    frame_.picture);
    }

    void say(const std::string& line) const {
        if (options_.say) options_.say(fmt::format("{:8.2f}  {}", now_s_, line));
    }

    const EveningOptions& options_;
    const rules::Game& game_;
    Rig rig_;
    std::optional<Projection> projection_;
    rules::State truth_;
    std::filesystem::path temporary_;
    std::vector<Json> heard_;
    rules::Service service_;
    std::string match_;
    std::deque<Pending> pending_;  ///< Played, not yet scored.
    std::deque<Scored> early_;     ///< Scored, not yet called over by the script.
    EveningReport report_;
    RigFrame frame_;
    double now_s_ = 0, last_mishap_s_ = -1e9;
};

}  // namespace

EveningReport play_evening(const EveningOptions& options) {
    return Evening(options).run();
}

}  // namespace overboard::app
