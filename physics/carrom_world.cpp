// Box2D, held to the settings at which it is right about carrom:
// - discs are bullets, so that they meet at their rims and not one step too deep;
// - a unit is a centimetre, which makes the collision slop 0.05 mm and the skin of the walls 0.1
// mm; sizes
//   are corrected for both, so that discs meet and turn where they should;
// - restitution is ours (Box2D would take the larger of two and ignore slow hits);
// - sliding friction takes a constant bite out of the speed, half before and half after each step,
// which
//   is right to second order (damping would be wrong: a sliding disc stops);
// - no disc may travel two units in a step, or Box2D would clamp its speed without a word.
#include "physics/carrom_world.hpp"

#include <box2d/box2d.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "physics/sliding.hpp"

namespace overboard::physics {
namespace {

constexpr int kWall = -1;
constexpr std::uint16_t kWallBit = 1 << 15;
constexpr double kMostUnitsAStep = 1.9;
// Box2D stops bullets where their shapes overlap by three slops. Discs are made larger by half of
// that, so that they stop where the real rims touch; walls (which have a skin of their own) stand
// back to suit.
constexpr float kBulletDepth = 3 * b2_linearSlop;
constexpr float kDiscSkin = kBulletDepth / 2;

struct Body {
    b2Body* body = nullptr;
    double radius = 0;  // mm
    double mass = 0;    // g
    int level = 0;
    int pocket = ExactWorld::kNoPocket;
    bool present = true;
    int over = ExactWorld::kNoPocket;   // the pocket its centre is over without having dropped
    double sunk_s = 0;                  // for how long
    double drop_mm = 0, drop_mm_s = 0;  // a disc in the air: how far below its level, how fast
    bool leaping = false;               // the frame does not hold it
    int riders = 0;                     // discs lying on it, directly or not
    Point from, going;                  // place and velocity at the start of the step, mm, mm/s
    b2Contact* contact = nullptr;       // of this step
    bool several = false;               // more than one
};

std::uint16_t bit_of(int level) {
    return static_cast<std::uint16_t>(1 << std::min(level, 14));
}

}  // namespace

struct CarromWorld::Impl : b2ContactListener {
    const Board board;
    const Parameters parameters;
    const StepSettings settings;
    const StackTuning stacks;
    double step_s;
    b2World world{b2Vec2_zero};
    std::vector<Body> bodies;
    std::vector<Impact> impacts;
    double time = 0;
    int collisions = 0;
    bool stacked = false;
    double step_dt = 0;                         // of the step under way
    std::vector<b2Contact*> told;               // contacts whose impact is in the list
    std::vector<std::pair<int, int>> meetings;  // who hit whom in this step

    Impl(const Board& b, const Parameters& p, StepSettings s, StackTuning t)
        : board{b}, parameters{p}, settings{s}, stacks{t}, step_s{s.step_s} {
        world.SetContactListener(this);
        build_walls();
    }

    [[nodiscard]] float units(double mm) const { return static_cast<float>(mm / settings.unit_mm); }
    [[nodiscard]] b2Vec2 units(Point mm) const { return {units(mm.x), units(mm.y)}; }
    [[nodiscard]] Point mm(b2Vec2 v) const {
        return {v.x * settings.unit_mm, v.y * settings.unit_mm};
    }

    void build_walls() {
        const float back = b2_polygonRadius + kDiscSkin - kBulletDepth;
        const float x = units(board.width_mm / 2) + back, y = units(board.height_mm / 2) + back;
        const b2Vec2 corners[4] = {{-x, -y}, {x, -y}, {x, y}, {-x, y}};
        b2BodyDef def;
        b2Body* walls = world.CreateBody(&def);
        for (int k = 0; k < 4; ++k) {
            b2EdgeShape edge;
            edge.SetTwoSided(corners[k], corners[(k + 1) % 4]);
            b2FixtureDef fixture;
            fixture.shape = &edge;
            fixture.restitutionThreshold = 0;
            fixture.filter.categoryBits = kWallBit;
            fixture.userData.pointer = static_cast<uintptr_t>(0);
            walls->CreateFixture(&fixture);
        }
    }

    /// Index of the disc, or kWall.
    static int index_of(b2Fixture* fixture) {
        return static_cast<int>(fixture->GetUserData().pointer) - 1;
    }

    void BeginContact(b2Contact* contact) override {
        const int a = index_of(contact->GetFixtureA()), b = index_of(contact->GetFixtureB());
        const bool wall = a == kWall || b == kWall;
        contact->SetRestitution(
            static_cast<float>(wall ? parameters.wall_restitution : parameters.restitution));
        contact->SetRestitutionThreshold(0);
        contact->SetFriction(static_cast<float>(parameters.rim_friction));
        told.erase(std::remove(told.begin(), told.end(), contact), told.end());
    }

    void EndContact(b2Contact* contact) override {
        told.erase(std::remove(told.begin(), told.end(), contact), told.end());
    }

    /// Contacts begin while the rims are still a skin apart: hold those back that will not meet in
    /// this step, and remember the others, to put right where exactly they met.
    void PreSolve(b2Contact* contact, const b2Manifold*) override {
        int a = index_of(contact->GetFixtureA()), b = index_of(contact->GetFixtureB());
        if (a == kWall) std::swap(a, b);
        if (b == kWall && over_the_frame(a)) {
            contact->SetEnabled(false);
            return;
        }
        const Touch touch = b == kWall ? touch_of_wall(a) : touch_of_pair(a, b);
        if (touch.gap > 0 && touch.approach * step_dt < touch.gap && !within_step(a, b)) {
            contact->SetEnabled(false);
            return;
        }
        note_contact(a, contact);
        if (b != kWall) note_contact(b, contact);
        if (touch.approach > 0) note_impact(contact, a, b, touch.approach);
    }

    [[nodiscard]] double height_of(const Body& b) const {
        return b.level * board.disc_height_mm - b.drop_mm;
    }

    /// A disc high enough up meets no frame, nor does one that hits it hard enough to jump.
    [[nodiscard]] bool over_the_frame(int i) {
        Body& b = bodies[i];
        if (height_of(b) >= board.frame_height_mm) return true;
        const bool hard = parameters.leap_speed_mm_s > 0 &&
                          touch_of_wall(i).approach > parameters.leap_speed_mm_s;
        b.leaping |= hard;
        return b.leaping;
    }

    struct Touch {
        double gap, approach;  // mm, mm/s
    };
    [[nodiscard]] Touch touch_of_pair(int a, int b) const {
        const Point d = mm(bodies[b].body->GetPosition()) - mm(bodies[a].body->GetPosition());
        const double far = length(d);
        const Point v = mm(bodies[a].body->GetLinearVelocity()) -
                        mm(bodies[b].body->GetLinearVelocity());
        return {far - bodies[a].radius - bodies[b].radius, dot(v, d) / std::max(far, 1e-9)};
    }
    /// The nearer wall of those it runs towards.
    [[nodiscard]] Touch touch_of_wall(int a) const {
        const Point at = mm(bodies[a].body->GetPosition()),
                    v = mm(bodies[a].body->GetLinearVelocity());
        const Touch x{board.width_mm / 2 - bodies[a].radius - std::abs(at.x),
                      v.x * (at.x < 0 ? -1 : 1)};
        const Touch y{board.height_mm / 2 - bodies[a].radius - std::abs(at.y),
                      v.y * (at.y < 0 ? -1 : 1)};
        return x.gap < y.gap ? x : y;
    }

    /// Did the two meet on their way through the present step? (A bullet stopped short of its
    /// goal.)
    [[nodiscard]] bool within_step(int a, int b) const { return meeting_time(a, b) <= step_dt; }

    /// Time from the start of the step to the touch; more than the step: none.
    [[nodiscard]] double meeting_time(int a, int b) const {
        const Body& p = bodies[a];
        if (b == kWall) {
            const double x = (board.width_mm / 2 - p.radius - std::abs(p.from.x)) /
                             std::max(1e-9, p.going.x * (p.from.x < 0 ? -1 : 1));
            const double y = (board.height_mm / 2 - p.radius - std::abs(p.from.y)) /
                             std::max(1e-9, p.going.y * (p.from.y < 0 ? -1 : 1));
            return std::max(0.0, std::min(x, y));
        }
        const Body& q = bodies[b];
        const Point d = q.from - p.from, v = q.going - p.going;
        const double reach = p.radius + q.radius, closing = -dot(d, v), v2 = dot(v, v);
        const double root = closing * closing - v2 * (dot(d, d) - reach * reach);
        if (closing <= 0 || root < 0) return 2 * step_dt + 1;
        return std::max(0.0, (closing - std::sqrt(root)) / v2);
    }

    void note_contact(int i, b2Contact* contact) {
        Body& b = bodies[i];
        if (b.contact && b.contact != contact) b.several = true;
        b.contact = contact;
    }

    void note_impact(b2Contact* contact, int a, int b, double approach) {
        if (std::find(told.begin(), told.end(), contact) != told.end()) return;
        told.push_back(contact);
        meetings.push_back({a, b});
        if (b == kWall) {
            impacts.push_back({Impact::Kind::wall, time, a, -1, approach});
        } else {
            impacts.push_back({Impact::Kind::disc, time, a, b, approach});
            ++collisions;
        }
    }

    /// Box2D pushes what it finds overlapping apart, which would displace both discs a little at
    /// every hit. Where a hit was a disc's only contact in the step, its place follows from the
    /// speeds alone.
    void put_right(double dt) {
        for (const auto& [a, b] : meetings) {
            const double met = meeting_time(a, b);
            if (met > dt || bodies[a].several || (b != kWall && bodies[b].several)) continue;
            for (int i : {a, b})
                if (i != kWall) {
                    const Body& body = bodies[i];
                    const Point after = mm(body.body->GetLinearVelocity());
                    const Point at = body.from + body.going * met + after * (dt - met);
                    body.body->SetTransform(units(at), body.body->GetAngle());
                }
        }
    }

    b2Filter filter_of(int level) const {
        b2Filter filter;
        filter.categoryBits = bit_of(level);
        filter.maskBits = static_cast<std::uint16_t>(bit_of(level) | kWallBit);
        return filter;
    }

    int add(const Disc& disc) {
        Body entry;
        entry.radius = board.diameter_of(disc.type) / 2;
        entry.mass = board.mass_of(disc.type);
        entry.level = disc.level;
        stacked |= disc.level > 0;
        b2BodyDef def;
        def.type = b2_dynamicBody;
        def.position = units(disc.at);
        def.bullet = settings.bullets;
        entry.body = world.CreateBody(&def);
        b2CircleShape shape;
        shape.m_radius = units(entry.radius) + kDiscSkin;
        b2FixtureDef fixture;
        fixture.shape = &shape;
        fixture.density = static_cast<float>(entry.mass / (M_PI * shape.m_radius * shape.m_radius));
        fixture.restitutionThreshold = 0;
        fixture.filter = filter_of(disc.level);
        fixture.userData.pointer = bodies.size() + 1;
        entry.body->CreateFixture(&fixture);
        bodies.push_back(entry);
        return static_cast<int>(bodies.size()) - 1;
    }

    void set_level(Body& b, int level) {
        b.level = level;
        b.body->GetFixtureList()->SetFilterData(filter_of(level));
    }

    /// Takes the bite of dry friction for `dt` out of a disc's speed and spin: each gets its share
    /// of it.
    void slow_down(Body& b, double dt) const {
        if (!b.present || !b.body->IsAwake() || b.level > 0)
            return;  // riders are slowed by what they lie on
        const b2Vec2 v = b.body->GetLinearVelocity();
        const double speed = std::sqrt(double(v.x) * v.x + double(v.y) * v.y);
        const double spin = b.body->GetAngularVelocity();
        if (speed == 0 && spin == 0) return;
        const FrictionShares share = spin == 0 ? FrictionShares{}
                                               : friction_shares(speed, std::abs(spin) * b.radius /
                                                                            settings.unit_mm);
        const double bite = parameters.deceleration_mm_s2() * (1 + b.riders) * dt;  // mm/s
        if (speed > 0) {
            const float kept = static_cast<float>(
                std::max(0.0, 1 - share.slide * bite / settings.unit_mm / speed));
            b.body->SetLinearVelocity({v.x * kept, v.y * kept});
        }
        if (spin == 0) return;
        const double spin_bite = 2 * share.spin * bite /
                                 b.radius;  // a disc's moment of inertia is m·R²/2
        b.body->SetAngularVelocity(
            static_cast<float>(std::copysign(std::max(0.0, std::abs(spin) - spin_bite), spin)));
    }

    void leave_the_surface(double dt) {
        for (std::size_t i = 0; i < bodies.size(); ++i) {
            Body& b = bodies[i];
            if (!b.present) continue;
            const Point at = mm(b.body->GetPosition());
            if (std::abs(at.x) > board.width_mm / 2 || std::abs(at.y) > board.height_mm / 2) {
                go(static_cast<int>(i), Impact::Kind::left, ExactWorld::kOverTheFrame);
            } else if (b.level == 0) {
                over_pocket(static_cast<int>(i), at, dt);
            }
        }
    }

    /// Slow enough, a disc drops as soon as its centre is over a hole. A faster one sinks as long
    /// as it is over it, and meets the lip on its way out: the deeper it sank, the more of its way
    /// out the lip takes; from half its height on it stays in.
    void over_pocket(int i, Point at, double dt) {
        Body& b = bodies[i];
        const Point v = mm(b.body->GetLinearVelocity());
        for (std::size_t k = 0; k < board.pockets.size(); ++k) {
            if (distance(at, board.pockets[k].centre) >= board.pockets[k].diameter_mm / 2) continue;
            if (length(v) <= parameters.capture_speed_mm_s)
                return go(i, Impact::Kind::pocket, static_cast<int>(k));
            b.over = static_cast<int>(k);
            b.sunk_s += dt;
            return;
        }
        if (b.over == ExactWorld::kNoPocket) return;
        const int pocket = std::exchange(b.over, ExactWorld::kNoPocket);
        const double sunk_mm = 0.5 * parameters.gravity_mm_s2 * b.sunk_s * b.sunk_s;
        b.sunk_s = 0;
        const double held = sunk_mm / (board.disc_height_mm / 2);
        if (held >= 1) return go(i, Impact::Kind::pocket, pocket);
        Point out = at - board.pockets[static_cast<std::size_t>(pocket)].centre;
        out = out * (1 / std::max(1e-9, length(out)));
        b.body->SetLinearVelocity(units(v - out * (held * std::max(0.0, dot(v, out)))));
    }

    /// It fell, or left the board.
    void go(int i, Impact::Kind how, int where) {
        Body& b = bodies[i];
        b.pocket = where;
        impacts.push_back({how, time, i, where, length(mm(b.body->GetLinearVelocity()))});
        take_away(b);
    }

    static void take_away(Body& b) {
        b.present = false;
        b.body->SetLinearVelocity(b2Vec2_zero);
        b.body->SetEnabled(false);
    }

    // Stacks, from the top down.

    /// Where a disc lies on those one level below.
    struct Hold {
        Body* nearest = nullptr;
        double distance = 0;
        bool holds = false;  // its centre is supported
    };
    Hold hold_of(const Body& rider) {
        Hold hold;
        Point sides[2];
        int touching = 0;
        const Point at = mm(rider.body->GetPosition());
        for (Body& b : bodies) {
            if (!b.present || b.level != rider.level - 1) continue;
            const Point d = mm(b.body->GetPosition()) - at;
            const double far = length(d);
            if (far >= (rider.radius + b.radius) * stacks.clear) continue;
            if (!hold.nearest || far < hold.distance) hold.nearest = &b, hold.distance = far;
            hold.holds |= far < b.radius;
            if (touching < 2) sides[touching] = d;
            ++touching;
        }
        if (touching >= 2 && dot(sides[0], sides[1]) < 0) hold.holds = true;
        return hold;
    }

    void drag(Body& rider, Body& under, double dt) const {
        const b2Vec2 slip = rider.body->GetLinearVelocity() - under.body->GetLinearVelocity();
        const double speed = slip.Length();
        if (speed == 0) return;
        const double load = rider.mass * (1 + rider.riders);
        const double most = stacks.friction * parameters.gravity_mm_s2 / settings.unit_mm * load *
                            dt;
        const double whole = speed / (1 / rider.mass + 1 / under.mass);
        const float impulse = static_cast<float>(std::min(most, whole) / speed);
        const float per_rider = static_cast<float>(impulse / rider.mass),
                    per_under = static_cast<float>(impulse / under.mass);
        rider.body->SetLinearVelocity(rider.body->GetLinearVelocity() - per_rider * slip);
        under.body->SetLinearVelocity(under.body->GetLinearVelocity() + per_under * slip);
    }

    void tip(Body& rider, const Body& under, double dt) const {
        Point away = mm(rider.body->GetPosition()) - mm(under.body->GetPosition());
        away = away * (1 / std::max(1e-9, length(away)));
        rider.body->SetLinearVelocity(rider.body->GetLinearVelocity() +
                                      units(away * (stacks.tip * parameters.gravity_mm_s2 * dt)));
    }

    /// Nothing under it: in the air until it has come down by its height.
    void fall(Body& b, double dt) {
        b.drop_mm_s += parameters.gravity_mm_s2 * dt;
        b.drop_mm += b.drop_mm_s * dt;
        if (b.drop_mm < board.disc_height_mm) return;
        b.drop_mm -= board.disc_height_mm;
        set_level(b, b.level - 1);
        if (b.level == 0) b.drop_mm = b.drop_mm_s = 0;
    }

    void move_stacks(double dt) {
        int top = 0;
        for (Body& b : bodies) top = std::max(top, b.present ? b.level : 0), b.riders = 0;
        stacked = top > 0;
        for (int level = top; level > 0; --level)
            for (Body& b : bodies) {
                if (!b.present || b.level != level) continue;
                const Hold hold = hold_of(b);
                if (!hold.nearest) {
                    fall(b, dt);
                    continue;
                }
                b.drop_mm = b.drop_mm_s = 0;  // it lies on something
                if (hold.holds) {
                    hold.nearest->riders += 1 + b.riders;
                    drag(b, *hold.nearest, dt);
                } else {
                    tip(b, *hold.nearest, dt);
                }
            }
    }

    /// Shortens the step where the fastest disc would be clamped.
    [[nodiscard]] double safe_step() const {
        double fastest = 0;
        for (const Body& b : bodies)
            if (b.present)
                fastest = std::max(fastest, double(b.body->GetLinearVelocity().Length()));
        return fastest * step_s > kMostUnitsAStep ? kMostUnitsAStep / fastest : step_s;
    }

    void check_speed_clamp(double dt) const {
        for (const Body& b : bodies)
            if (b.body->GetLinearVelocity().Length() * dt >= b2_maxTranslation)
                throw std::logic_error(
                    "Box2D would clamp the speed of a disc: the step is too long for the unit");
    }

    void step() {
        const double dt = safe_step();
        if (stacked) move_stacks(dt);
        for (Body& b : bodies) slow_down(b, dt / 2);
        check_speed_clamp(dt);
        for (Body& b : bodies) {
            b.from = mm(b.body->GetPosition());
            b.going = mm(b.body->GetLinearVelocity());
            b.contact = nullptr;
            b.several = false;
        }
        meetings.clear();
        step_dt = dt;
        time += dt;
        world.Step(static_cast<float>(dt), 8, 3);
        if (!stacked) put_right(dt);
        for (Body& b : bodies) slow_down(b, dt / 2);
        leave_the_surface(dt);
    }

    [[nodiscard]] bool at_rest() const {
        return std::all_of(bodies.begin(), bodies.end(), [](const Body& b) {
            return !b.present ||
                   (b.drop_mm_s == 0 &&
                    (!b.body->IsAwake() || b.body->GetLinearVelocity().LengthSquared() == 0));
        });
    }
};

CarromWorld::CarromWorld(const Board& board, const Parameters& parameters, StepSettings settings,
                         StackTuning stacks)
    : impl_{std::make_unique<Impl>(board, parameters, settings, stacks)} {}
CarromWorld::~CarromWorld() = default;
CarromWorld::CarromWorld(CarromWorld&&) noexcept = default;
CarromWorld& CarromWorld::operator=(CarromWorld&&) noexcept = default;

int CarromWorld::add(const Disc& disc, Point velocity, double spin) {
    const int index = impl_->add(disc);
    if (velocity != Point{} || spin != 0) strike(index, velocity, spin);
    return index;
}

void CarromWorld::strike(int disc, Point velocity, double spin) {
    b2Body* body = impl_->bodies[disc].body;
    body->SetLinearVelocity(impl_->units(velocity));
    body->SetAngularVelocity(static_cast<float>(spin));
}

void CarromWorld::remove(int disc) {
    Impl::take_away(impl_->bodies[disc]);
}

void CarromWorld::put(int disc, Point at, int level) {
    Body& b = impl_->bodies[disc];
    b.present = true;
    b.pocket = b.over = ExactWorld::kNoPocket;
    b.sunk_s = b.drop_mm = b.drop_mm_s = 0;
    b.leaping = false;
    b.body->SetEnabled(true);
    b.body->SetTransform(impl_->units(at), 0);
    b.body->SetLinearVelocity(b2Vec2_zero);
    b.body->SetAngularVelocity(0);
    impl_->set_level(b, level);
    impl_->stacked |= level > 0;
}

void CarromWorld::step() {
    impl_->step();
}
void CarromWorld::run(double until) {
    while (impl_->time < until) {
        impl_->step();
        if (at_rest()) return;
    }
}

int CarromWorld::size() const {
    return static_cast<int>(impl_->bodies.size());
}
double CarromWorld::time() const {
    return impl_->time;
}
bool CarromWorld::at_rest() const {
    return impl_->at_rest();
}
bool CarromWorld::on_board(int disc) const {
    return impl_->bodies[disc].present;
}
Point CarromWorld::position(int disc) const {
    return impl_->mm(impl_->bodies[disc].body->GetPosition());
}
Point CarromWorld::velocity(int disc) const {
    return impl_->mm(impl_->bodies[disc].body->GetLinearVelocity());
}
double CarromWorld::angle(int disc) const {
    return impl_->bodies[disc].body->GetAngle();
}
double CarromWorld::spin(int disc) const {
    return impl_->bodies[disc].body->GetAngularVelocity();
}
int CarromWorld::level(int disc) const {
    return impl_->bodies[disc].level;
}
double CarromWorld::height(int disc) const {
    return impl_->height_of(impl_->bodies[disc]);
}
int CarromWorld::pocket_of(int disc) const {
    return impl_->bodies[disc].pocket;
}
const std::vector<Impact>& CarromWorld::impacts() const {
    return impl_->impacts;
}
int CarromWorld::collisions() const {
    return impl_->collisions;
}

}  // namespace overboard::physics
