#pragma once

#include <array>
#include <limits>
#include <vector>

#include "physics/shot.hpp"

/// The event-driven solver. Between events every disc slides straight and slows evenly, so events
/// (rest, wall, pocket, collision) are roots of polynomials and there is no time step. Plain IEEE
/// arithmetic and square roots only: the same input gives the same bytes, optimised or not.
namespace overboard::physics {

/// From `t` on the disc slides from `at` with `velocity`, slowing evenly, until its next leg.
struct Leg {
    double t = 0;
    Point at;
    Point velocity;
};

struct Impact {
    enum class Kind { disc, wall, pocket, left };  ///< left: over the frame.
    Kind kind = Kind::disc;
    double t = 0;
    int a = 0;              ///< Index of the disc.
    int b = -1;             ///< The other disc, or the pocket.
    double speed_mm_s = 0;  ///< Of approach.
};

/// Writes what fell and what left the board into the shot.
void tell_falls(const std::vector<Impact>& impacts, const std::vector<Disc>& discs,
                const Board& board, Shot& shot);

/// Everything that happened, for those who ask for it.
struct Trace {
    std::vector<std::vector<Leg>> legs;  ///< One list a disc, in order of add().
    std::vector<Impact> impacts;
};

class ExactWorld {
public:
    static constexpr int kMaxDiscs = 40;
    static constexpr int kNoPocket = -1;
    static constexpr int kOverTheFrame = -2;  ///< In place of a pocket: it left the board.

    ExactWorld(const Board& board, const Parameters& parameters);

    /// Returns the index. Caller sees to it that discs do not overlap and there are at most
    /// kMaxDiscs.
    int add(Point at, double radius_mm, double mass_g, Point velocity_mm_s = {},
            double spin_rad_s = 0);
    /// Sets a disc in motion (or stops it) where it stands. Only before run().
    void strike(int disc, Point velocity_mm_s, double spin_rad_s = 0);
    void move(int disc, Point at);

    /// Goes on until rest, `until`, or the instant before one collision more than `max_collisions`.
    /// May be called again to go further. `trace` may be null; else it is appended to.
    void run(Trace* trace = nullptr, double until = kLongestShot_s,
             int max_collisions = std::numeric_limits<int>::max());

    [[nodiscard]] int size() const { return n_; }
    [[nodiscard]] double time() const { return now_; }
    [[nodiscard]] int collisions() const { return collisions_; }
    [[nodiscard]] int events() const { return events_; }
    [[nodiscard]] int pocket_of(int disc) const { return pocket_[disc]; }
    [[nodiscard]] double fell_at(int disc) const { return t0_[disc]; }
    [[nodiscard]] Point position(int disc) const { return position(disc, now_); }
    [[nodiscard]] Point position(int disc, double t) const;
    [[nodiscard]] Point velocity(int disc) const;
    [[nodiscard]] double spin(int disc) const;
    [[nodiscard]] bool at_rest() const;

private:
    enum class State : unsigned char { resting, moving, gone };
    enum class Next : unsigned char { none, stop, wall_x, wall_y, pocket, pair };
    struct Ray {  // where a moving disc is now
        double x, y, speed;
    };

    void start(Trace* trace);
    void settle_marked();
    void predict(int i);
    void predict_pairs(int i, const Ray& from);
    double first_pocket(const Ray& from, int i, double limit, int& pocket) const;
    double first_resting(const Ray& from, int i, double limit, int& partner) const;
    double way_to(const Ray& from, int i, int j, double limit) const;
    void expect_hits_on(int j);
    void happen(int i);
    void hit_wall(int i, bool x_wall);
    void hit_disc(int i, int j);
    void fall(int i);
    void leave(int i, double speed);
    void take_away(int i);
    void advance(int i);
    void launch(int i, double vx, double vy);
    void mark_with_partners(int i);
    void note_leg(int i);

    // The table.
    double half_width_, half_height_, deceleration_, restitution_, wall_restitution_, rim_friction_,
        capture_, leap_;
    struct Pocket {
        double x, y, radius2;
    };
    std::array<Pocket, 8> pockets_{};
    int pocket_count_ = 0;

    // The discs; a leg starts at t0 from (x, y) along the unit vector (dx, dy).
    template <class T>
    using PerDisc = std::array<T, kMaxDiscs>;
    int n_ = 0;
    PerDisc<double> x_, y_, t0_, dx_, dy_, speed_, stop_, spin_, radius_, mass_;
    PerDisc<double> next_;  // time of the next event it takes part in
    PerDisc<int> partner_, pocket_;
    PerDisc<Next> kind_;
    PerDisc<State> state_;
    PerDisc<unsigned char> marked_;
    double now_ = 0;
    int collisions_ = 0;
    int events_ = 0;
    bool started_ = false;
    Trace* trace_ = nullptr;
};

}  // namespace overboard::physics
