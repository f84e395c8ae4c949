#pragma once

#include <deque>
#include <future>
#include <string>
#include <utility>
#include <vector>

#include "table/link.hpp"
#include "table/scene.hpp"
#include "table/stage.hpp"
#include "table/voice.hpp"

namespace overboard::table {

/// What must have happened before the table believes something.
struct Patience {
    double gone_s = 3.5;    ///< Silence after which rules or vision count as gone. The publishers
                            ///< repeat each second.
    double ping_s = 1.0;    ///< How often silent rules are asked whether they live.
    double notice_s = 7;    ///< How long a refusal stays on the panel.
    double cheer_s = 1;     ///< So long a cheer is shown though a hand reaches in; then the light
                            ///< rests, for vision to see the move.
    double still_mm = 0.8;  ///< Pieces that moved less are drawn where they were: camera noise
                            ///< redraws nothing.
};

/// The table's mind: keeps the scene true to what rules and vision say, and turns taps into
/// requests. Needs no display.
class Controller {
public:
    Controller(const Addresses& addresses, Scene start, bool voice, Patience patience = {});

    /// Takes in everything that arrived. Returns whether the scene changed.
    bool listen(double now_s);
    /// A tap at a place of the table, given what was shown there.
    void tap(Point at, const std::vector<Target>& targets);
    /// A finger dragging, for sliders.
    void drag(Point from, Point at, const std::vector<Target>& targets);
    void act(const Action& action, Point at);
    /// An observation, as vision publishes it.
    void see(Observation seen);

    /// Who computes what would have happened; without, nobody is asked.
    void set_what_if(WhatIfMaker maker);

    [[nodiscard]] const Scene& scene() const { return scene_; }
    void show(Scene scene);
    /// Dialogues and words stay where they were first drawn.
    void remember(std::map<std::string, Point> dialogues, std::map<std::uint64_t, Point> words) {
        scene_.dialogues = std::move(dialogues);
        scene_.words = std::move(words);
    }
    /// Does the picture change by itself now?
    [[nodiscard]] bool animating() const;
    /// The newest observation, once, for those who pass it on.
    std::optional<Observation> take_fresh() { return std::exchange(fresh_, {}); }

private:
    void hear(const Published& message);
    void hear_match(const std::string& json);
    void hear_marks(const std::string& json);
    void hear_observation(const std::string& json);
    void hear_event(const Json& event);
    void hear_attention(const Json& event);
    void pick(const Move& move);
    void cheer(const Json& event);
    void answer_from(const Reply& reply);
    void take_state(const Json& state);
    void take_games(const Json& games);
    void take_log(const Json& log);
    void take_verdict(const Reply& reply);
    void take_legal(const Json& legal);
    void rank_when_judged();
    void take_instead(const Json& legal);
    void take_hints(const Json& hints);
    void refused(const Json& error);
    void health();
    void wonder();
    void expire();
    void rest_for_a_hand();
    void ask_state();
    void open_tap_mode();
    void open_correction(const std::string& seat, const std::string& player, const Piece* piece);
    void send_move(const Move& move);
    void start_match();
    void notice(std::string key, Json args = Json::object());
    [[nodiscard]] Json of_match() const;

    Patience patience_;
    Scene scene_;
    Link link_;
    std::optional<Voice> voice_;
    std::deque<Shot> shots_;
    WhatIfMaker what_if_;
    WhatIf wondered_;  // what is being computed
    std::future<std::optional<Shot>> wondering_;
    std::optional<Observation> fresh_;
    std::string match_;
    std::string last_marks_, last_observation_, correcting_player_;
    std::string last_event_;
    std::optional<Piece> correcting_piece_;
    std::vector<Mark> rule_marks_, hint_marks_;
    std::size_t hints_shown_ = 0;  // in the present position
    double marks_s_ = 0, now_s_ = 0, rules_s_ = 0, vision_s_ = 0, ping_s_ = -1e9, notice_s_ = 0,
           step_s_ = 0;
    bool changed_ = true;
    bool met_rules_ = false;
};

}  // namespace overboard::table
