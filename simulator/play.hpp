#pragma once

#include <deque>
#include <functional>
#include <map>
#include <random>

#include "bus/shot.hpp"
#include "physics/shot.hpp"
#include "simulator/motion.hpp"
#include "simulator/script.hpp"

/// The stage behind Script: actors on the table, and a queue of acts that move them.
namespace overboard::simulator {

/// A piece and its body.
struct Actor {
    Piece piece;
    Body body;
    bool airborne = false;  ///< Carried or flying: not on the table.
    bool hidden = false;    ///< Still in somebody's hand off the table.
};

/// Something that takes time. `play` is called with the time since it began; `done` once, at its
/// end.
struct Act {
    double duration_s = 0;
    std::function<void(double)> play;
    std::function<void()> done;
    double fps = 0;  ///< 0: the script's.
};

struct Script::Play {
    Play(const rules::Game& g, rules::Setup setup, ScriptOptions o);
    Frame next();

    const rules::Game& game;
    rules::Setup setup;
    ScriptOptions options;
    Catalogue catalogue;
    rules::State state;
    std::mt19937_64 engine;
    std::map<int, Actor> actors;  // by id
    std::vector<int> order;       // bottom up
    std::vector<Body> fixtures;   // markers, board, clutter
    std::map<int, Hand> hands;    // by who they belong to
    std::deque<Act> acts;
    std::vector<TruthMove> ended;
    std::optional<Pose> board_pose;
    double now = 0, act_began = 0, last_change = -10;
    int next_id = 1, frame = 0;
    bool over = false;
    struct Stray {
        double began;
        std::function<bool(double)> play;  // false: gone
    };
    std::vector<Stray> strays;  // hands that keep their own time

    // script_moves.cpp: what is played
    void plan();
    rules::PlayerMove choose(const std::vector<rules::PlayerMove>& moves);
    void play_move(const rules::PlayerMove& move);
    void play_stroke();
    struct Stroke {
        Shot shot;
        physics::Heights heights;
    };
    void film_stroke(const rules::PlayerMove& move, Point from, int striker_id,
                     const Stroke& stroke);
    void misplace_striker(int striker_id, int player, Point at);
    void cock_dice(const Observation& target, int player);
    bool chance(double p) { return std::uniform_real_distribution<double>(0, 1)(engine) < p; }
    double between(double a, double b) {
        return std::uniform_real_distribution<double>(a, b)(engine);
    }
    std::string seat_of(int player) const;
    std::vector<Polygon> likely_places() const;

    // script_acts.cpp: how it looks
    void wait(double seconds);
    void then(std::function<void()> f);
    void change_scene(const Observation& target, int player);
    /// `to` empty: off the table. `thrown`: let go in the air; the hand withdraws by itself.
    void carry(int id, int player, std::optional<Spot3> to, bool thrown = false);
    double throw_heading(Point target, double run, int player);
    void roll_die(int id, int player, const Piece& to);
    void log(const rules::PlayerMove& move, bool touch, std::string mistake = {});
    void second_hand(int player);
    void reset_actors(const Observation& scene);
    void settle(const std::vector<int>& new_order);
    void lay(int id, int player, const Piece& p);
    double resting_height(int id, const Piece& p);
    int any_lying();
    void bump(int player);
    void nudge(int player);
    int add_actor(const Piece& piece);
    Spot3 spot_of(const Actor& a) const;
    Spot3 home_of(int player, Point near) const;
    double arm_angle(const std::string& seat) const;
    void move_actor(Actor& a, const Moving& m);
    void show_shot(const Stroke& stroke, int player, int striker_id);
    std::vector<int> bottom_up(
        std::vector<int> ids) const;    ///< Discs of a stack in the order they lie on each other.
    bool carries_others(int id) const;  ///< A disc with others on it.
};

}  // namespace overboard::simulator
