#pragma once

#include <memory>
#include <vector>

#include "physics/exact.hpp"
#include "physics/shot.hpp"

/// The stepped solver, on Box2D: resting clusters, many contacts at once, stacks, spin by friction.
/// Box2D's units are seen only in carrom_world.cpp.
namespace overboard::physics {

/// How finely Box2D works. The defaults are the setting measured to stay within 0.25 mm of the
/// exact solution after one collision; others exist for measurements.
struct StepSettings {
    double unit_mm = 10;  ///< Millimetres a Box2D unit. Smaller: thinner skins, lower top speed.
    double
        step_s = 1.0 /
                 1000;    ///< Smaller: slower. Shortened by itself where the top speed asks for it.
    bool bullets = true;  ///< Off: discs overlap by speed times step before they bounce.
};

/// A stack is approximated: discs meet only discs of their own level. One that lies on another is
/// dragged along by dry friction and loads it with its weight; when its centre has lost its hold it
/// tips off sideways, and once it has slid clear it falls freely, level by level. One whose
/// underside is above the frame's top flies over it and has left the board. Nothing bounces upwards
/// or lies tilted.
struct StackTuning {
    double friction = 0.25;  ///< Disc on disc, face to face. Higher: the tower moves off as one.
    double tip = 0.33;       ///< Acceleration of a tipping disc in g. Higher: falls off sooner.
    double clear = 0.95;     ///< Share of the sum of radii at which it has slid clear.
};

class CarromWorld {
public:
    CarromWorld(const Board& board, const Parameters& parameters, StepSettings settings = {},
                StackTuning stacks = {});
    ~CarromWorld();
    CarromWorld(CarromWorld&&) noexcept;
    CarromWorld& operator=(CarromWorld&&) noexcept;

    /// Returns the index. Bodies are created in this order, which makes runs repeatable.
    int add(const Disc& disc, Point velocity_mm_s = {}, double spin_rad_s = 0);
    /// Sets a disc in motion where it stands.
    void strike(int disc, Point velocity_mm_s, double spin_rad_s = 0);
    /// A hand picks a disc up, or puts it (back) somewhere, at rest.
    void remove(int disc);
    void put(int disc, Point at, int level = 0);

    /// One step forward.
    void step();
    /// Steps until rest or `until`, whichever is first.
    void run(double until = kLongestShot_s);

    [[nodiscard]] int size() const;
    [[nodiscard]] double time() const;
    [[nodiscard]] bool at_rest() const;
    [[nodiscard]] bool on_board(int disc) const;
    [[nodiscard]] Point position(int disc) const;
    [[nodiscard]] Point velocity(int disc) const;
    [[nodiscard]] double angle(int disc) const;
    [[nodiscard]] double spin(int disc) const;
    [[nodiscard]] int level(int disc) const;
    /// Of its underside above the surface, mm.
    [[nodiscard]] double height(int disc) const;
    /// Index of the pocket it fell into, ExactWorld::kOverTheFrame, or ExactWorld::kNoPocket.
    [[nodiscard]] int pocket_of(int disc) const;
    /// All impacts so far, to the step.
    [[nodiscard]] const std::vector<Impact>& impacts() const;
    [[nodiscard]] int collisions() const;  ///< Disc on disc.

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

/// go_on() with this engine.
Shot run_box2d(const std::vector<Disc>& discs, const std::vector<Point>& velocities_mm_s,
               const std::vector<double>& spins_rad_s, const Board& board,
               const Parameters& parameters, Heights* heights = nullptr);

}  // namespace overboard::physics
